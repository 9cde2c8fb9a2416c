"""Writing files in one step, and the error for files that cannot be read.

A path holds the old file or the complete new one at any time, also after a crash.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import IO

from semibandits.errors import InvalidInputError


def unreadable(
    path: str | os.PathLike[str],
    error: OSError | ValueError,
    what: str = "a readable file",
    remedy: str = "check the path",
) -> InvalidInputError:
    """The error for a file that the system could not read; see `similar_file`."""
    reason = getattr(error, "strerror", error)
    return InvalidInputError(f"{path} must be {what}, got {reason}: {similar_file(path, remedy)}")


def similar_file(path: str | os.PathLike[str], remedy: str = "check the path") -> str:
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

    Raises
    ------
    InvalidInputError
        If the file cannot be written.
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
