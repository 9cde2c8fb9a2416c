"""Tests of what has changed since the last commit (`make check`), or in it if nothing has.

    python tools/check.py [--list]

Runs the tests that have changed, those that are called after a changed module, and those that import it or a module that imports
it directly. The whole suite, `make test`, is for what is reached in other ways.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "src/"


def main() -> int:
    """Run the tests; their exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the test files only")
    options = parser.parse_args()
    files = tests_of(changed_files())
    print(f"test files for what has changed: {len(files)}", *(files if options.list else ()), sep="\n", flush=True)
    if options.list or not files:
        return 0
    return subprocess.run([sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", *files], cwd=ROOT).returncode


def changed_files() -> list[str]:
    """Paths of changed and new files, relative to the root."""
    found = _lines("git diff --name-only HEAD") + _lines("git ls-files --others --exclude-standard")
    return [name for name in found or _lines("git diff --name-only HEAD~1") if (ROOT / name).exists()]


def tests_of(changed: list[str]) -> list[str]:
    """Test files of changed files."""
    modules = {_module(name) for name in changed if name.startswith(SOURCES) and name.endswith(".py")}
    graph = grimp.build_graph("semibandits")
    near = modules | {one for name in modules & graph.modules for one in graph.find_modules_that_directly_import(name)}
    near |= {Path(name).stem for name in changed if name.startswith("tests/") and name.endswith(".py")}  # helpers of tests
    near -= {"semibandits"}
    stems = {name.rpartition(".")[2].strip("_") for name in modules}
    imported = re.compile(rf"(?:from|import) (?:{'|'.join(map(re.escape, sorted(near)))})\b" if near else r"(?!)")
    parts = [f"from {name.rpartition('.')[0]} import .*\\b{name.rpartition('.')[2]}\\b" for name in sorted(near)]
    imported_part = re.compile("|".join(parts) or r"(?!)")
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
        if name in changed or path.stem[5:] in stems or imported.search(text) or imported_part.search(text):
            found.append(name)
    return found


def _module(name: str) -> str:
    return name.removeprefix(SOURCES).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _lines(command: str) -> list[str]:
    return subprocess.run(command.split(), cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
