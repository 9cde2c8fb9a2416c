"""The code of docs/studies.md runs, and the examples agree with it."""

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest

from semibandits.policies.registry import REGRET_POLICIES
from semibandits.studies import BoundOptions, Execution, SimulationOptions, read_study, run_study
from semibandits_studies.reporting.sources import ABOUT, BOUND, INSTANCE, REPORT, STUDY
from semibandits_studies.studies.fields import KEYS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")


def example():
    block = re.search(r"## Example\n\n(.*?)\n## ", PAGE, re.DOTALL).group(1)
    return "\n".join(line.removeprefix("    ") for line in block.splitlines())


def test_the_example_runs(tmp_path):
    path = tmp_path / "study.toml"
    text = example()
    assert {"problem", "simulation", "bound", "execution", "output"} == set(tomllib.loads(text))
    path.write_text(text, encoding="utf-8")
    study = read_study(path)
    short = dataclasses.replace(study.simulation, horizon=60, replications=2)
    result = run_study(dataclasses.replace(study, simulation=short, execution=Execution()))
    assert result.simulation.policies == ("CUCB", "ThompsonSampling", "OSSB(gamma=0.1)")
    assert result.report == tmp_path / "seattle" / "report.html"
    assert (tmp_path / "seattle" / "seattle.pdf").exists()
    described = set(re.findall(r"`([\w./-]+)`", PAGE))
    assert {each.name for each in (tmp_path / "seattle").iterdir()} <= described
    assert {"parts/", ABOUT, BOUND, INSTANCE, REPORT, STUDY} <= described


def test_all_keys_are_described():
    for table, keys in KEYS.items():
        assert f"`[{table}]`: " in PAGE
        section = PAGE[PAGE.index(f"`[{table}]`: ") :]
        rows = "".join(re.search(r"\n\|.*?\n(?!\|)", section, re.DOTALL).group(0).splitlines(keepends=True)[3:])
        said = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in rows.strip().splitlines()))
        assert said == list(keys)


def test_the_defaults_are_as_described():
    asked = SimulationOptions()
    for key in ("horizon", "replications", "seed"):
        assert re.search(rf"^\| `{key}` \|.*\| {getattr(asked, key)} \|$", PAGE, re.MULTILINE)
    for key, value in (("rewards", asked.rewards), ("method", BoundOptions().method)):
        assert re.search(rf"^\| `{key}` \|.*\| `{value}` \|$", PAGE, re.MULTILINE)
    for key, text in (("gap", "1e-4"), ("tie_tolerance", "1e-12")):
        assert float(text) == getattr(BoundOptions(), key)
        assert re.search(rf"^\| `{key}` \|.*\| {text} \|$", PAGE, re.MULTILINE)


def test_the_python_runs(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "documentation", "exec"), {})
    assert capsys.readouterr().out == "True True\n"


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.toml")), ids=lambda path: path.name)
def test_the_examples_are_studies(path):
    study = read_study(path)
    assert study.simulation is not None
    assert study.output.folder.resolve().is_relative_to(ROOT / "demo-output")


def test_the_demo_agrees_with_the_readme(tmp_path):
    study = read_study(ROOT / "examples" / "germany50.toml")
    asked = study.simulation
    assert {choice.name for choice in asked.policies} == {policy.__name__ for policy in REGRET_POLICIES}
    assert (asked.horizon, asked.replications, asked.seed) == (20_000, 20, 0)
    short = dataclasses.replace(asked, horizon=40, replications=1)
    output = dataclasses.replace(study.output, folder=tmp_path / "out")
    result = run_study(dataclasses.replace(study, simulation=short, output=output, execution=Execution()))
    assert len(result.simulation.policies) == len(REGRET_POLICIES)
