"""The code on the page about learners in a database runs."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "storage.md"


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 3
    exec(compile("\n".join(blocks), "storage.md", "exec"), {})
