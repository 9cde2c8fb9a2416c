"""The files of a database of SQLite, which must stay in their place: what is written to removed ones is lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeAlias, final

from semibandits.errors import StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

Identity: TypeAlias = tuple[int, int] | None
"""Device and inode of a file, None if there is none."""
SUFFIXES: Final = ("", "-wal", "-shm")
"""Of the file, its write-ahead log and the index of the log; both stay as long as a connection is open that has used them."""
_SEEN: Final = "semibandits files"


@final
class Files:
    """The files of a database, by the path of the first one. It is None for a database of another kind, which is not checked."""

    def __init__(self, path: str | None) -> None:
        self._names = [] if path is None else [path + suffix for suffix in SUFFIXES]
        self._first: Identity = None

    def check(self, connection: Connection | None) -> tuple[Identity, ...]:
        """Their identities, which must be those that this connection, and others before it, have seen; `StorageError` if a file
        was removed or replaced.
        """
        found = tuple(map(_identity, self._names))
        seen = () if connection is None else connection.info.get(_SEEN, ())
        if found == seen:
            return found
        for name, before, after in zip(self._names, seen or (self._first,), found, strict=False):
            if before not in (None, after):
                raise StorageError(
                    f"{name} must stay in its place while the database is open, got {'another' if after else 'no such'} file: it "
                    "was removed, replaced or restored, and what was stored since then may be lost; put it back, or open the "
                    "learner again to go on with what is there"
                )
        return found

    def note(self, connection: Connection) -> None:
        """Check them, and remember those that this connection has used in a transaction."""
        if found := self.check(connection):
            self._first, connection.info[_SEEN] = found[0], found


def _identity(path: str) -> Identity:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
