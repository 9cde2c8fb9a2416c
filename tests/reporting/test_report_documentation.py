"""docs/report.md: its Python and its commands run, and it describes every key of the page's object."""

import re
import shlex
from pathlib import Path

from report_cases import DECISIONS, case, command

from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.report import report_data

PAGE = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")


def test_the_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "docs/report.md", "exec"), {})
    assert [path.name for path in tmp_path.iterdir()] == ["commute.html"]
    assert "To the office" in Path("commute.html").read_text(encoding="utf-8")


def test_the_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("item,theta\nu,1\nv,0.75\nw,0.5\n", encoding="utf-8")
    command("semibandits simulate table.csv --size 1 --variance 0.5 -T 50 -n 2 -p CUCB --output results")
    command("semibandits bound table.csv --size 1 --variance 0.5 --save bound.json")
    commands = re.findall(r"^    (semibandits report .+?)(?:  +writes (\S+?),?(?: .*)?)?$", PAGE, re.MULTILINE)
    assert len(commands) == 5
    for text, written in commands:
        words = shlex.split(text)
        target = Path(written or (words[words.index("--to") + 1] if "--to" in words else "results/report.html"))
        target.unlink(missing_ok=True)
        command(text)
        assert target.exists()


def keys_of(value):
    if isinstance(value, dict):
        return set(value) | {key for part in value.values() for key in keys_of(part)}
    return {key for part in value for key in keys_of(part)} if isinstance(value, list) else set()


def test_every_key_is_described():
    section = PAGE[PAGE.index("## The object in the page") :]
    described = set(re.findall(r"`(\w+)`", section))
    for name in DECISIONS:
        _, _, bound, result = case(name)
        assert keys_of(payload_of(report_data(result, bound, None, None))) <= described
