"""The pages in docs/examples agree with the current studies."""

import re

import pytest
from study_runs import ROOT, STUDIES

pytestmark = pytest.mark.long  # the first test of a study runs it, once in each process
PAGES = ROOT / "docs" / "examples"
STEADY = {"which_assignment": 17, "which_route": 6, "which_shortlist": 20, "which_tree": 9}
"""How many of the first lines that a study prints depend neither on its horizon nor on its replications."""


def cells_of(script):
    """(kind, text) of each cell."""
    parts = re.split(r"^# %%(.*)$", script.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert parts[0] == ""
    for kind, text in zip(parts[1::2], parts[2::2], strict=True):
        if "markdown" in kind:
            yield "text", re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE)
        else:
            yield "code", text.strip()


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_has_every_cell_of_its_study_and_names_no_place_of_the_machine_it_was_made_on(name):
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert not re.search(r"/tmp|/home|/root|\.venv|Warning|Traceback|0x[0-9a-f]{6}", page)
    code = re.findall(r"^```python\n(.*?)\n```$", page, re.DOTALL | re.MULTILINE)
    cells = list(cells_of(STUDIES[name]))
    assert code == [text for kind, text in cells if kind == "code"]
    at = 0
    for kind, text in cells:
        for part in [text] if kind == "code" else text.split("\n", 1):  # the note of the page stands below its title
            found = page.find(part.strip(), at)
            assert found >= at, f"run make pages: {part.strip()!r} is missing or stands elsewhere"
            at = found


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", STUDIES)
def test_a_page_prints_what_its_study_prints_and_shows_its_figures(run_of, name):
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    lines = run_of(name).printed.splitlines()
    for line in lines[: STEADY[name]]:
        assert f"\n    {line.rstrip()}\n" in page
    assert len([line for line in page.splitlines() if line.startswith("    ") and line.strip()]) >= len(lines)

    shown = re.findall(r"!\[.+?\]\(\.\./figures/(.+?)\)", page)
    assert sorted(shown) == sorted(path.name for path in run_of(name).folder.glob("*.png"))
    for figure in shown:
        assert 5_000 < (ROOT / "docs" / "figures" / figure).stat().st_size < 200_000


def test_every_study_has_a_page_and_an_entry_in_the_index():
    assert sorted(path.stem for path in PAGES.glob("*.md")) == list(STUDIES)
    index = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    for name in STUDIES:
        assert f"(examples/{name}.md)" in index
        assert f"(../examples/studies/{name}.py)" in index
