"""What a package index shows, and that a version is written in one place."""

import importlib.metadata
import re
from pathlib import Path

import yaml

import semibandits as sb

ROOT = Path(__file__).parents[1]


def test_the_readme_of_a_package_index_has_no_link_into_the_source():
    text = importlib.metadata.metadata("semibandits").get_payload()
    assert len(text) > 0.7 * len((ROOT / "README.md").read_text(encoding="utf-8"))
    outside = re.findall(r"\]\((?!https?:)[^)]*\)|<img\b|!\[", text)
    assert not outside, f"a package index can show none of {outside}"


def test_the_citation_and_the_changelog_name_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == sb.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)\]? - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert released[0] == (sb.__version__, str(citation["date-released"]))
    headings = {line for line in changes.splitlines() if line.startswith("### ")}
    assert headings <= {f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")}
