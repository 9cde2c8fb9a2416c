"""What a package index shows, and that a version is written in one place."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

import semibandits as sb
from semibandits_studies.cli import serve_command

ROOT = Path(__file__).parents[1]


def test_the_readme_of_a_package_index_has_no_link_into_the_source():
    text = importlib.metadata.distribution("semibandits").read_text("METADATA").partition("\n\n")[2]
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


def test_bibtex_entries_agree_with_the_citation_file():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    (author,), (paper,) = citation["authors"], citation["references"]
    names = " and ".join(f"{person['family-names']}, {person['given-names']}" for person in paper["authors"])
    ours = {
        "title": citation["title"], "author": f"{{{author['name']}}}", "version": citation["version"],
        "date": str(citation["date-released"]),
    }  # fmt: skip
    theirs = {
        "title": paper["title"], "author": names, "booktitle": paper["collection-title"], "year": str(paper["year"])
    }  # fmt: skip
    for page, expected in (("README.md", [ours]), ("docs/cite.md", [ours, theirs])):
        entries = re.findall(r"^@\w+\{\w+,\n(.*?)^\}$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        assert [dict(re.findall(r"^  (\w+) += \{(.*)\},?$", entry, re.MULTILINE)) for entry in entries] == expected


def test_commands_in_messages_install_the_packages_that_the_extras_name():
    """They name the packages, since ``semibandits[...]`` is found only where semibandits is on an index or installed by pip."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {group: {re.split(r"[>=;\[]", package)[0] for package in extras[group]} for group in extras}
    known = {*set().union(*names.values()), "recbole", "aequilibrae"}
    named = set()
    for path in sorted((ROOT / "src").rglob("*.py")):
        for command in re.findall(r'pip install (?:--no-deps )?("[^"]+"|[a-z][a-z -]+)', path.read_text("utf-8")):
            packages = {re.split(r"[=\[]", word.strip('"'))[0] for word in command.split()}
            assert packages - {"then", "this", "with", "from"} <= known, f"{path}: {command}"
            named |= packages
    assert named >= {"matplotlib", "pandas", "topohub", "sqlalchemy", "psycopg", "httpx", "distributed", "recbole"}
    assert set(serve_command.PACKAGES.split()) == names["serve"]


def test_the_program_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "semibandits", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"semibandits {sb.__version__}\n"
