"""Reading files of limited size that are no pipes or devices, and writing files in one step.

A path holds the old file or the complete new one at any time, also after a crash.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, Final

from semibandits.errors import InvalidInputError
from semibandits.formats.json import MOST_CHARACTERS, strict_json

REMEDY: Final = "check the path"


def read_bytes(
    path: str | os.PathLike[str], *, most: int = MOST_CHARACTERS, what: str = "a readable file", remedy: str = REMEDY
) -> bytes:
    """Content of a file. It may come from others: a pipe would never end, a device or a sparse file would fill the memory.

    A file that is not regular or has more than `most` bytes is refused. Links are followed: see `own_file` for the files of a
    folder. `what` and `remedy` are the expectation and the remedy in errors.
    """
    try:
        about = os.stat(path)  # before it is opened, which would wait for the other end of a pipe
        is_file, size = stat.S_ISREG(about.st_mode), about.st_size
        content = b""
        if is_file and size <= most:
            with open(path, "rb") as file:
                content = file.read(size)  # a larger number would be allocated
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        reason = getattr(error, "strerror", error)
        raise InvalidInputError(f"{path} must be {what}, got {reason}: {similar_file(path, remedy)}") from error
    if not is_file:
        raise InvalidInputError(f"{path} must be {what}, got a folder, pipe or device: {remedy}")
    if size > most:
        raise InvalidInputError(f"{path} must have at most {most:,} bytes, got more: pass another file")
    return content


def read_text(
    path: str | os.PathLike[str], *, most: int = MOST_CHARACTERS, what: str = "a readable file", remedy: str = REMEDY
) -> str:
    """Content of a text file in UTF-8, with line feeds at the ends of lines; see `read_bytes`."""
    try:
        text = read_bytes(path, most=most, what=what, remedy=remedy).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} must be text in UTF-8, got a byte that is not at position {error.start}: save it as UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: str | os.PathLike[str], *, remedy: str) -> Any:
    """Content of a JSON file; see `read_text`."""
    text = read_text(path, remedy=remedy)
    try:
        return strict_json(text)
    except ValueError as error:
        raise InvalidInputError(f"{path} must hold JSON, got {error}: {remedy}") from error


def own_file(path: Path, folder: Path | None = None, remedy: str = "put a file there instead") -> Path:
    """Return the path of a file in a folder that others may have made, by default the parent of the path.

    A link that leads to a file outside the folder, a pipe and a device are refused.
    """
    if path.exists() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder or path.parent)):
        raise InvalidInputError(f"{path} must be a file of its folder, got a link that leads outside: {remedy}")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInputError(f"{path} must be a file of its folder, got a pipe or device: {remedy}")
    return path


def similar_file(path: str | os.PathLike[str], remedy: str = REMEDY) -> str:
    """A question for the file of the nearest name in its folder if the path does not exist; the remedy if there is none."""
    folder, name = os.path.split(path)
    try:
        names = {} if os.path.lexists(path) else {other.casefold(): other for other in os.listdir(folder or ".")}
    except (OSError, ValueError):  # ValueError: a zero byte in the name
        names = {}
    close = get_close_matches(name.casefold(), names, n=1, cutoff=0.7)
    return f"did you mean {os.path.join(folder, names[close[0]])}?" if close else remedy


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file in one step; see `writing`."""
    with writing(path) as file:
        file.write(content)


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A temporary file to write to, which is renamed to `path` at the end if nothing was raised.

    Symbolic links are not followed: a link of that name is replaced, and its target is unchanged.
    """
    target = Path(path)
    part = target.parent / f".{secrets.token_hex(8)}.part"  # unique, since another process may write the same file
    try:
        with open(part, "xb") as file:  # x: no existing file or link is opened
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise the file might be empty after a power failure
        os.replace(part, target)
        _sync_folder(target.parent)
    except InvalidInputError:  # raised by the caller
        raise
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        what = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{path} must be writable, got {what}: choose another file") from error
    finally:
        with suppress(OSError, ValueError):
            part.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power failure, if the system supports it."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):  # the file itself is complete
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
