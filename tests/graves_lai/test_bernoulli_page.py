"""The example of docs/bernoulli.md prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "bernoulli.md").read_text(encoding="utf-8")


def test_the_example_is_true(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (said,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/bernoulli.md", "exec"), {})
    assert capsys.readouterr().out == said
