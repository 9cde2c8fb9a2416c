"""The pages of the documentation site: their code runs, what they print is right, and the site has no broken link."""

import contextlib
import functools
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from semibandits.testing.__main__ import MODULES

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "docs" / "index.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("tutorial", "evaluation", "learner", "storage")),
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
    *sorted((ROOT / "docs" / "explanations").glob("*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n((?:    [^\n]*\n)+))?", re.MULTILINE | re.DOTALL)
"""A block of code, and the indented lines that follow it, which are its output."""
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_code_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType("page")  # importable, since pickles of its classes refer to it
    monkeypatch.setitem(sys.modules, "page", module)
    names = vars(module)
    for code, output in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        if output:
            assert [line.strip() for line in output.splitlines()] == printed.getvalue().splitlines()


COLUMN = 90
"""Characters that the code column of the site shows at a width of 1280 pixels; longer lines must be scrolled."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_fits_the_column(page):
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    fenced = [line for kind, block in blocks if not kind.startswith("{") for line in block.splitlines()]
    indented = [line.removeprefix("    ") for line in text.splitlines() if line.startswith("    ")]
    too_long = [line for line in fenced + indented if len(line) > COLUMN]
    assert too_long == [], f"wrap lines of more than {COLUMN} characters"


SOUGHT = {
    "A/B test": "how-to/how-long.md",
    "cite": "cite.md",
    "cold start": "features.md",
    "missing values": "features.md",
    "new articles": "features.md",
    "offline evaluation": "how-to/offline-evaluation.md",
    "sick": "how-to/my-assignment.md",
    "stop exploring": "how-to/how-long.md",
}
"""Words that newcomers search for, and the page that answers them."""


@pytest.mark.parametrize(("words", "page"), SOUGHT.items(), ids=SOUGHT)
def test_search_finds_the_page_that_answers(words, page):
    """The search of the site ranks titles first, and then the pages that have all words."""

    def titles_and_text(path):
        text = path.read_text(encoding="utf-8").lower()
        return " ".join(re.findall(r"^#+ (.*)", text, re.MULTILINE)), text

    sought = words.lower()
    pages = {path.relative_to(ROOT / "docs").as_posix(): titles_and_text(path) for path in (ROOT / "docs").rglob("*.md")}
    ranks = {name: 2 * (sought in titles) + (sought in text) for name, (titles, text) in pages.items()}
    assert ranks[page] == max(ranks.values()) > 0
    assert sum(rank == ranks[page] for rank in ranks.values()) <= 2, "first or second"


READ = """
import gc, json, sys
from jinja2 import Environment
from sphinx.application import Sphinx
gc.disable()
compiled, known = Environment.compile, {}  # numpydoc would compile its template for each docstring
Environment.compile = lambda self, text, *_: known[text] if text in known else known.setdefault(text, compiled(self, text))
docs, folder = sys.argv[1:]
app = Sphinx(docs, docs, folder, folder, "dummy", status=None, warningiserror=True)
app.build()
print(json.dumps(sorted(app.env.domaindata["py"]["objects"])))
sys.exit(app.statuscode)
"""


def succeeds(*command):
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.verify
def test_the_pages_are_read_without_warnings_and_the_reference_shows_everything(tmp_path):
    shown = {name.split(".", 1)[1] for name in json.loads(succeeds("-c", READ, ROOT / "docs", tmp_path))}
    shown |= {".".join(name.split(".")[-2:]) for name in shown}
    hidden = [
        f"{cls.__name__}.{name}"
        for cls in classes_with_members()
        for name in members(cls)
        if not any(f"{base.__name__}.{name}" in shown for base in cls.__mro__)
    ]
    assert hidden == [], "the reference shows each method and property of a class, also one of a base that has no page"


@pytest.mark.verify
def test_the_site_has_no_broken_link(tmp_path):
    succeeds(ROOT / "tools" / "site.py", tmp_path)
    assert (tmp_path / "how-to" / "my-roads.html").exists()


def classes_with_members():
    """The classes whose methods and properties the reference shows."""
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r":: (\w+)\n +:members:", text):
            yield getattr(importlib.import_module(re.search(r"currentmodule:: (\S+)", text)[1]), name)


def members(cls):
    """The public methods and properties of a class that are defined in the library, not in Python or NumPy."""
    for name in dir(cls):
        home = next((base for base in cls.__mro__ if name in vars(base)), object)
        kinds = (staticmethod, classmethod, property, functools.cached_property)
        is_member = isinstance(vars(home).get(name), kinds) or inspect.isfunction(getattr(home, name))
        if not name.startswith("_") and home.__module__.startswith("semibandits") and is_member:
            yield name


def test_every_page_is_reached_from_the_front_page():
    """Sphinx warns of pages in no table of contents; those of the reference name every public name, and no other."""
    shown = set()
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for module in re.findall(r"currentmodule:: (\S+)", text):
            shown |= {f"{module}.{name}" for name in re.findall(r"^\.\. auto\w+:: (\w+)$", text, re.MULTILINE)}
    public = {
        f"{module}.{name}"
        for module in MODULES
        for name in importlib.import_module(module).__all__
        if not name.startswith("_") and f"{module}.{name}" not in MODULES
    }
    assert shown == public


def test_each_cell_of_the_table_of_the_paper_has_a_test(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    paper = importlib.import_module("paper")
    page = paper.PAGE.read_text(encoding="utf-8")
    assert paper.with_table(page) == page, "python tools/paper.py writes the table"
    cells = re.findall(r" \[\^(\d+)\] ", page)
    assert len(cells) == len(paper.FAMILIES) * len(paper.PROBLEMS)
    tests = re.findall(r"^\[\^(\d+)\]: \[`(tests/[\w/]+\.py)`\]\(\.\./\.\./\2\): `(\w+)`$", page, re.MULTILINE)
    assert {number for number, _, _ in tests} == set(cells)
    for _, file, test in tests:
        assert f"\ndef {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {test}"
