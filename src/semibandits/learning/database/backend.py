"""Connections to a database: transactions that are repeated while it is locked or gone, and errors with a remedy."""

from __future__ import annotations

import os
import random
import sqlite3
import time
import weakref
from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError

from semibandits.errors import InvalidInputError, StorageError
from semibandits.learning.database import schema

T = TypeVar("T")
READS: Final = "semibandits_reads"
"""Execution option of connections whose transactions only read."""
LOCK_SECONDS: Final = 0.25
"""Longest wait for a lock within the database; between such waits, Ctrl-C takes effect."""
CONNECT_SECONDS: Final = 5
FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.25
_TRANSIENT_SQLITE: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FULL: Final = {str(sqlite3.SQLITE_FULL), "53100"}
"""Codes of a full disk, of SQLite and PostgreSQL."""


class Backend:
    """A database by its URL.

    Parameters
    ----------
    url : str
        ``sqlite:///file`` or ``postgresql://user@host/database``.
    timeout : float
        Number of seconds for which transactions are repeated while the database is locked or gone.

    Raises
    ------
    InvalidInputError
        If the URL is malformed, or of another kind of database.
    StorageError
        If a package is missing.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        self._url = _checked_url(url)
        self.timeout = timeout
        self.shown = self._url.render_as_string(hide_password=True)
        self._engine = _new_engine(self._url)
        self._closing = weakref.finalize(self, _close, self._engine, os.getpid())
        self._process = os.getpid()
        self._pauses = random.Random()  # only for how long to wait

    @property
    def full_url(self) -> str:
        """The URL with its password."""
        return self._url.render_as_string(hide_password=False)

    def prepare(self, *, create: bool) -> None:
        """Create or migrate the tables if necessary.

        Parameters
        ----------
        create : bool
            Whether a database without tables gets some.

        Raises
        ------
        StorageError
            If the database cannot be used, has no tables although `create` is false, or has a newer version.
        """
        is_file = self._url.get_backend_name() == "sqlite"
        if not create and is_file and not os.path.exists(str(self._url.database)):
            raise StorageError(f"{self.shown} must be a database of learners, got no such file: check the URL")
        version = self.run(schema.version_of, reads=True)
        if version == 0 and not create:
            raise StorageError(
                f"{self.shown} must be a database of learners, got one without their tables: check the URL"
            )
        if version < len(schema.MIGRATIONS):
            if is_file:
                self._repeat(self._use_write_ahead_log)
            self.run(schema.migrate)

    def run(self, work: Callable[[Connection], T], *, reads: bool = False) -> T:
        """Call `work` in a transaction and commit; repeat both while the database is locked or gone.

        Parameters
        ----------
        work : callable
            Takes the connection; may be called several times.
        reads : bool
            Whether it only reads.

        Raises
        ------
        StorageError
            If the database is locked or gone for longer than `timeout` seconds, or cannot be used.
        """

        def once() -> T:
            with self.engine.connect().execution_options(**{READS: reads}) as connection, connection.begin():
                return work(connection)

        return self._repeat(once)

    @property
    def engine(self) -> Engine:
        """Connections of this process; connections of a parent process are not used."""
        if self._process != os.getpid():
            self._engine.dispose(close=False)
            self._process = os.getpid()
            self._closing.detach()
            self._closing = weakref.finalize(self, _close, self._engine, self._process)
        return self._engine

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _repeat(self, work: Callable[[], T]) -> T:
        deadline, pause = time.monotonic() + self.timeout, FIRST_PAUSE
        while True:
            try:
                return work()
            except DBAPIError as error:
                if not _is_transient(error):
                    raise self._refusal(error) from error
                if time.monotonic() + pause > deadline:
                    raise StorageError(
                        f"{self.shown} must answer within timeout = {self.timeout:g} seconds, got: {_first_line(error)}; the "
                        "learner is unchanged unless the connection broke during the commit: try again later, with key=... if "
                        "the call must take effect once, or pass a longer timeout"
                    ) from error
            time.sleep(pause * self._pauses.uniform(0.5, 1.0))
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def _refusal(self, error: DBAPIError) -> StorageError:
        reason = _first_line(error)
        if _code(error) in _FULL:
            return StorageError(
                f"the disk of {self.shown} must have room, got: {reason}; the learner is unchanged: make room and try again"
            )
        return StorageError(
            f"{self.shown} must be a readable and writable database, got: {reason}: check the URL, the rights, and the file or "
            "the server"
        )

    def _use_write_ahead_log(self) -> None:
        with self.engine.connect() as connection:
            raw: Any = connection.connection.dbapi_connection
            raw.execute("PRAGMA journal_mode = WAL").fetchall()


def _close(engine: Engine, process: int) -> None:
    """Close connections, unless they belong to a parent process."""
    engine.dispose(close=process == os.getpid())


def _checked_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InvalidInputError(
            f"url must be the URL of a database, got {str(url)!r}: pass for instance 'sqlite:///routes.db'"
        ) from error
    backend = parsed.get_backend_name()
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == "postgresql+psycopg":
        return parsed
    if backend != "sqlite" or parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise InvalidInputError(
            f"url must begin with sqlite:/// or postgresql://, got {parsed.drivername!r}: other databases are not supported"
        )
    if parsed.database in (None, "", ":memory:"):
        raise InvalidInputError(
            "url must name a file, got a database in memory: pass for instance 'sqlite:///routes.db', or use sb.Learner"
        )
    return parsed


def _new_engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": LOCK_SECONDS, "check_same_thread": False})
        event.listen(engine, "connect", _without_implicit_transactions)
        event.listen(engine, "begin", _begin)
        return engine
    try:
        return create_engine(
            url,
            connect_args={
                "connect_timeout": CONNECT_SECONDS,
                "options": f"-c lock_timeout={int(LOCK_SECONDS * 1000)}",
            },
        )
    except ModuleNotFoundError as error:
        raise StorageError(
            'PostgreSQL needs psycopg, which is not installed: run pip install "semibandits[postgres]"'
        ) from error


def _without_implicit_transactions(raw: sqlite3.Connection, record: object) -> None:
    raw.isolation_level = None
    raw.execute("PRAGMA synchronous = FULL")  # a commit survives a power failure


def _begin(connection: Connection) -> None:
    """Take the only lock for writers at once: a transaction that reads first could not get it later."""
    reads = connection.get_execution_options().get(READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _is_transient(error: DBAPIError) -> bool:
    """Whether the same transaction may succeed later."""
    raw = error.orig
    if isinstance(raw, sqlite3.Error):
        return (getattr(raw, "sqlite_errorcode", 0) & 0xFF) in _TRANSIENT_SQLITE
    code = _code(error)
    if code in _FULL:
        return False
    return error.connection_invalidated or isinstance(error, OperationalError | IntegrityError)


def _code(error: DBAPIError) -> str:
    raw = error.orig
    if isinstance(raw, sqlite3.Error):
        return str(getattr(raw, "sqlite_errorcode", 0) & 0xFF)
    return str(getattr(raw, "sqlstate", None))


def _first_line(error: DBAPIError) -> str:
    return next(iter(str(error.orig).strip().splitlines()), type(error.orig).__name__)
