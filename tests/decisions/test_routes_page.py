"""The code of docs/routes.md runs and prints the documented output."""

import contextlib
import io
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "routes.md").read_text(encoding="utf-8")


def test_code_of_the_page():
    blocks, names = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL), {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(block, names)
    assert printed.getvalue() in PAGE
