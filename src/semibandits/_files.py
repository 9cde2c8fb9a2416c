"""Writing whole files, in one place: whoever looks sees the old file or the whole new one, also after a crash."""

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
    """A file to write to, which gets the name `path` at the end if nothing was raised.

    No symbolic link is followed: a link of that name is replaced, and what it points to stays as it is.

    Raises
    ------
    InvalidInputError
        If it cannot be written.
    """
    target = Path(path)
    part = target.parent / f".{secrets.token_hex(8)}.part"  # its own, should another process write the same file
    try:
        with open(part, "xb") as file:  # x: neither a file nor a link that is there is opened
            yield file
            file.flush()
            os.fsync(file.fileno())  # or a power failure might leave the new name with nothing in it
        os.replace(part, target)
        _sync_folder(target.parent)
    except InvalidInputError:  # of whoever writes
        raise
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        what = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{path} must be writable, got {what}: choose another file") from error
    finally:
        with suppress(OSError, ValueError):
            part.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power failure, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):  # the file itself is complete
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
