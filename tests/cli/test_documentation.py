"""Commands and code in the documentation run and give the documented results."""

import contextlib
import dataclasses
import io
import re
import runpy
import shutil
from pathlib import Path

import pandas as pd
import pytest

from semibandits.decisions.matroids import MatroidBases
from semibandits.families.description import fingerprint
from semibandits.families.registry import TABLES
from semibandits.inputs.options import keys_of
from semibandits.instances import FAMILIES, MATROID_KINDS, ProblemOptions, read_table
from semibandits.policies.radius import RADII
from semibandits.policies.registry import POLICIES
from semibandits_studies.cli.learner_creation import Creation
from semibandits_studies.cli.simulate import HELP
from semibandits_studies.instances.roles import ROLES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def indented_block(text, first_line):
    """The indented block of a Markdown text that begins with a line."""
    lines = text[text.index(first_line) :].splitlines()
    end = next(k for k, line in enumerate(lines) if line and not line.startswith("    ") and k > 0)
    return "\n".join(line.removeprefix("    ") for line in lines[:end]).strip() + "\n"


def run_python_of(text):
    """Run the Python of a Markdown text, one block after the other, and return what it prints."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "documentation", "exec"), {})
    return printed.getvalue()


def test_the_python_of_the_readme_runs():
    printed = run_python_of(README)
    assert re.match(r"[\d.]+ <= C\(theta\) <= [\d.]+\n", printed)
    assert "home -> " in printed
    assert len(re.findall(r"minutes lost, +[\d.]+ per ln T; C\(theta\) = 12.24", printed)) == 3


def test_the_python_of_the_page_of_examples_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    printed = run_python_of(text)
    best = re.findall(r"Best selection +(.*)", printed)
    assert [len(line.split(", ")) for line in best] == [8, 6]
    shown = re.search(r"Best selection  (.*), \.\.\.", text)
    assert best[0].startswith(shown[1])


def test_an_instance_of_a_file_is_named_as_the_page_of_examples_shows():
    options = ProblemOptions(size=8, capacities=("2",))
    instance = read_table(ROOT / "examples" / "articles.csv", options)
    named = MatroidBases(instance.decision_set.matroid, items=instance.labels)
    frame = pd.read_csv(ROOT / "examples" / "articles.csv")
    made = MatroidBases.from_frame(frame, item="article", group="category", capacities=2, size=8)
    assert fingerprint(named) == fingerprint(made)


def test_the_python_of_the_page_on_simulations_runs():
    printed = run_python_of((ROOT / "docs" / "simulations.md").read_text(encoding="utf-8"))
    assert [line.split()[0] for line in printed.splitlines()] == ["CUCB", "ThompsonSampling", "OSSB"]


def test_the_walk_through_glpg_runs(capsys, tmp_path):
    walk = runpy.run_path(str(ROOT / "examples" / "glpg_step_by_step.py"))
    walk["main"](str(tmp_path / "figure.png"))
    printed = capsys.readouterr().out
    lower, value = map(float, re.search(r"([\d.]+) <= C\(theta\) <= ([\d.]+) in", printed).groups())
    cuts = list(map(float, re.search(r"cycle cuts: ([\d.]+) to ([\d.]+)", printed).groups()))
    assert lower <= cuts[1] * 1.001
    assert cuts[0] <= value * 1.001
    assert value - lower <= 0.0101 * value
    assert (tmp_path / "figure.png").stat().st_size > 5_000


@pytest.fixture
def short_examples(tmp_path, monkeypatch):
    """Change to a folder with a copy of ``examples/`` whose studies are short."""
    monkeypatch.chdir(tmp_path)
    examples = shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for path in examples.glob("*.toml"):
        study = path.read_text(encoding="utf-8")
        study, found = re.subn(r"^(horizon|replications) = [\d_]+", _shorter, study, flags=re.MULTILINE)
        assert found == 2
        path.write_text(study, encoding="utf-8")


def _shorter(line):
    return f"{line[1]} = {200 if line[1] == 'horizon' else 2}"


@pytest.mark.long
@pytest.mark.usefixtures("short_examples")
def test_the_commands_of_the_readme_run(run):
    """With few rounds and replications: `make demo` and tests/examples run whole studies."""
    commands = re.findall(r"^    semibandits (.+)$", README, re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        if any(other.startswith(f"{command} ") for other in commands) or "la-serena" in command:  # solved by tests/datasets
            continue
        words = re.sub(r"-T \S+ -n \d+", "-T 200 -n 2", command).split()
        if words[0] == "serve":  # which runs until it is stopped; tests/service/test_server.py starts it with the same words
            assert words[1] == "--storage"
        else:
            assert run.output(words)


def test_the_figures_of_the_readme_are_those_of_the_demo(run):
    answer = run.json(["bound", "germany50", "--source", "Saarbruecken", "--target", "Greifswald"])
    assert answer["decisions"] == 1442
    assert "1,442 paths" in README
    lower, value = map(float, re.search(r"([\d.]+) ≤ C\(θ\) ≤ ([\d.]+), gap", README).groups())
    assert lower <= answer["value"]
    assert answer["lower"] <= value
    assert value - lower <= 1e-4 * value
    nodes = answer["optimal"]["text"].split(" → ")
    shown, cost = re.search(r"Best path   (.*?)\n    Its cost    ([\d.]+) ms\n    C", README, re.DOTALL).groups()
    assert float(cost) == pytest.approx(answer["optimal"]["cost"], abs=0.0005)
    assert re.sub(r"\s+", " ", shown).strip() == " → ".join(nodes)
    assert answer["plan"][0]["gap"] == pytest.approx(0.02, abs=0.005)
    assert 0.45 < answer["plan"][0]["gap"] * answer["plan"][0]["rate"] / answer["value"] < 0.5
    assert answer["regret"][1] == {"horizon": 100_000, "bound": pytest.approx(1218, abs=0.6)}


def test_the_files_in_the_formats_are_read(run):
    Path("roads.csv").write_text(indented_block(FORMATS, "    tail,head,theta"), encoding="utf-8")
    assert run.output(["bound", "roads.csv", "--source", "home", "--target", "office"])
    Path("trees.json").write_text(indented_block(FORMATS, '    {\n      "family"'), encoding="utf-8")
    answer = run.json(["bound", "trees.json"])
    assert answer["decisions"] == 3
    assert answer["optimal"]["items"] == ["root to a", "a to b"]


@pytest.mark.parametrize(("page", "files"), [("my-assignment", ["times.csv"]), ("my-shortlist", ["articles.csv", "log.csv"])])
def test_the_learners_of_the_guides_are_created(run, page, files):
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    for name, block in zip(files, re.findall(r"```csv\n(.*?)```", text, re.DOTALL), strict=True):
        Path(name).write_text(block, encoding="utf-8")
    commands = re.findall(r"^semibandits (learner .+)$", text.replace("\\\n", ""), re.MULTILINE)
    printed = [run.output(command.split()) for command in commands]
    assert re.search(r"The first prints `([^`]+)`", text)[1] in printed[0].splitlines()


def test_the_options_of_new_learners_are_described():
    section = FORMATS[FORMATS.index("## New learners") : FORMATS.index("## Compilation")]
    for name in keys_of(Creation):
        assert f"`--{name.replace('_', '-')}" in section


def test_the_keys_of_the_answer_are_all_described(run):
    answer = run.json(["bound", "polska", "--family", "trees"])
    section = FORMATS[FORMATS.index("## Output of `bound`") : FORMATS.index("## Simulations")]
    described = set(re.findall(r"`(\w+)`", section))
    assert set(answer) <= described
    assert set(answer["plan"][0]) | set(answer["optimal"]) | set(answer["regret"][0]) <= described


FILES = {
    "delays.csv": "tail,head,theta\na,b,-1\nb,z,-1\na,z,-3\n",
    "rewards.csv": "item,theta\n" + "".join(f"i{k},{k / 20}\n" for k in range(12)),
    "clicks.csv": "item,theta\nu,0.2\nv,0.6\nw,0.9\n",
    "ranking.csv": "row,column,theta\n1,x,2\n1,y,1\n2,x,1\n2,y,2\n",
    "instance.json": '{"family": "msets", "size": 1, "theta": [1, 0.5], "variance": 1}',
}


def test_the_examples_in_the_help_of_simulate_run(run):
    for name, content in FILES.items():
        Path(name).write_text(content, encoding="utf-8")
    examples = re.findall(r"^semibandits (simulate .+)$", HELP, re.MULTILINE)
    assert len(examples) >= 8
    for example in examples:
        words = example.replace("--workers auto", "--workers 1").split()
        assert run.output([*words, "-T", 30, "-n", 2])
    assert Path("regret.png").exists()
    assert Path("run1/simulation.zip").exists()


def test_simulations_are_described(run):
    section = FORMATS[FORMATS.index("## Simulations") :]
    command = re.search(r"^    semibandits (simulate .+)$", section, re.MULTILINE).group(1)
    answer = run.json([*command.split(), "-T", 30, "-n", 2, "--output", "run"])
    described = set(re.findall(r"`([\w./]+)`", section))
    policy = answer["policies"][0]
    assert set(answer) | set(policy) | set(policy["calls"]) | set(policy["curve"]) <= described
    assert {path.name for path in Path("run").iterdir()} <= described


def test_policies_and_their_parameters_are_described():
    section = FORMATS[FORMATS.index("| policy | parameters |") :]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE))
    rows_of_help = re.sub(r"\n {8,}", " ", HELP)
    for policy in POLICIES:
        parameters = {field.name for field in dataclasses.fields(policy)} - {"variance", "features"}
        said = set(re.findall(r"`(\w+)`", rows[policy.__name__]))
        assert said == parameters
        assert all(
            re.search(rf"^({policy.__name__}\b|.*, {policy.__name__}\b).*\b{name}\b", rows_of_help, re.MULTILINE) for name in said
        )
    for word in (*RADII, "variance", "features"):
        assert f"`{word}`" in section


def test_all_families_are_described():
    for name in (*FAMILIES, *MATROID_KINDS, *TABLES):
        assert f"`{name}`" in FORMATS
    for columns in (table.columns for table in TABLES.values()):
        assert ", ".join(f"`{column}`" for column in columns) in FORMATS


def test_the_usual_names_of_columns_are_read():
    section = FORMATS[FORMATS.index("| column | usual names |") : FORMATS.index("If two columns qualify")]
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", section, re.MULTILINE)
    assert len(rows) == 6
    for roles, names in rows:
        known = set().union(*(ROLES[role].usual | ROLES[role].last for role in re.findall(r"`(\w+)`", roles)))
        assert set(re.split("[,;] ", names)) - {"..."} <= known


def test_the_example_runs(capsys):
    runpy.run_path(str(ROOT / "examples" / "germany50.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert out.startswith("1,442 paths; the best: Saarbruecken -> ")
    assert len(out.splitlines()) == 10
