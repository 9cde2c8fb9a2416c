"""The code on the page about the learner runs, and so does its example."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_runs_from_top_to_bottom():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "learner.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 12
    exec(compile("\n".join(blocks), "learner.md", "exec"), {})


def test_the_example_finds_the_fastest_way(capsys):
    runpy.run_path(str(ROOT / "examples" / "learner.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "after 400 trips: depot -> tunnel -> park -> clinic"
    assert len(lines) == 10
