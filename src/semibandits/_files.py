"""Writing files in one step: the path holds the old file or the complete new one at any time, also after a crash."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from semibandits.errors import InvalidInputError


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
