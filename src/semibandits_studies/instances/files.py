"""Read text files, and check paths before files are written."""

from __future__ import annotations

import os
from pathlib import Path

from semibandits.errors import InvalidInputError
from semibandits.formats import files as _files
from semibandits.formats.text import json_text


def empty_file(path: str | os.PathLike[str]) -> InvalidInputError:
    """The error for a file without content."""
    return InvalidInputError(f"{path} must contain an instance, got an empty file: semibandits bound --help lists the columns")


def read_text(path: str | os.PathLike[str]) -> str:
    """Content of a text file in UTF-8, which must not be empty."""
    text = _files.read_text(path)
    if not text.strip():
        raise empty_file(path)
    return text


def json_bytes(value: object) -> bytes:
    """Content of a JSON file with indentation."""
    return (json_text(value, indent=1) + "\n").encode()


def check_target(path: Path) -> None:
    """Raise an error if `path` is not a file name in an existing folder."""
    try:
        has_folder, is_folder = path.parent.is_dir(), path.is_dir()
    except OSError as error:  # for instance a name that is too long
        raise InvalidInputError(f"{str(path)[:80]!r} must be the name of a file, got {error.strerror}: choose another") from error
    if not has_folder:
        raise InvalidInputError(f"the folder {str(path.parent)!r} must exist, got none: create it first")
    if is_folder:
        raise InvalidInputError(f"{str(path)!r} must be a file, got a folder: add a name")
