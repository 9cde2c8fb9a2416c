"""The code on the pages about learners runs, and so does an example."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("page", "count"), [("learner.md", 12), ("storage.md", 3)])
def test_a_page_runs_from_top_to_bottom(page, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == count
    exec(compile("\n".join(blocks), page, "exec"), {})


def test_the_example_finds_the_fastest_way(capsys):
    runpy.run_path(str(ROOT / "examples" / "learner.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "after 400 trips: depot -> tunnel -> park -> clinic"
    assert len(lines) == 10
