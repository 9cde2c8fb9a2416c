"""Run the studies in examples/studies as notebooks, and write docs/examples/*.md and their figures from the output.

Usage: python tools/pages.py [NAME ...]     for example which_route; all by default
"""

from __future__ import annotations

import os
import re
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jupytext
from images import write_small_png
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

from semibandits.formats.files import write_whole

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ROOT / "examples" / "studies"
PAGES = ROOT / "docs" / "examples"
FIGURES = ROOT / "docs" / "figures"
SAVED = re.compile(r'# (.+)\.\naxes\.figure\.savefig\(OUTPUT / "([\w-]+)\.png"\)')
"""How a study describes and saves a figure. The same cell shows it, and the page uses the same file name."""

SECONDS = 600
NOTE = (
    "<!-- Made by `make pages`: do not edit. -->\n\n"
    "*This page shows the code, output and figures of [examples/studies/{name}.py](../../examples/studies/{name}.py).*\n"
)


def main(names: list[str]) -> None:
    """Write the pages of these studies, or of all."""
    PAGES.mkdir(exist_ok=True)
    for name in names or sorted(path.stem for path in STUDIES.glob("which_*.py")):
        page, figures = page_of(name)
        for figure, png in figures.items():
            print(f"docs/figures/{figure}.png: {write_small_png(png, FIGURES / f'{figure}.png'):,} bytes")
        write_whole(PAGES / f"{name}.md", page.encode())
        print(f"docs/examples/{name}.md")


def page_of(name: str) -> tuple[str, dict[str, bytes]]:
    """The page of a study in Markdown, and its figures by name as PNG."""
    notebook = executed(STUDIES / f"{name}.py")
    figures, lines = {}, []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for (shown, picture), png in zip(SAVED.findall(cell.source), pictures(cell), strict=True):
            figures[picture] = png
            lines.append(f"![{shown}](../figures/{picture}.png)")
    text, _ = MarkdownExporter().from_notebook_node(notebook)
    drawn = iter(lines)
    # Clean Markdown: no spaces around images, single empty lines.
    text = re.sub(r"^ *!\[png\]\(.*?\) *$", lambda _: next(drawn), text, flags=re.MULTILINE)
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(```python\n.*?```)|\n{3,}", lambda match: match[1] or "\n\n", text, flags=re.DOTALL)
    title, rest = text.strip().split("\n", 1)
    return f"{title}\n\n{NOTE.format(name=name)}{rest}\n", figures


def executed(script: Path) -> Any:
    """The notebook of a script after a run with its own settings, in a temporary folder."""
    notebook = jupytext.read(script)
    for variable in [name for name in os.environ if name.startswith("STUDY_")]:
        del os.environ[variable]
    with TemporaryDirectory() as folder:
        NotebookClient(
            notebook, kernel_name="python3", timeout=SECONDS, coalesce_streams=True, extra_arguments=["--log-level=ERROR"]
        ).execute(cwd=folder)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise SystemExit(f"{script.name} must run without warnings, got: {output['text']}")
    return notebook


def pictures(cell: Any) -> Iterator[bytes]:
    """The figures that a cell shows."""
    for output in cell.outputs:
        if "image/png" in output.get("data", {}):
            yield b64decode(output["data"]["image/png"])


if __name__ == "__main__":
    main(sys.argv[1:])
