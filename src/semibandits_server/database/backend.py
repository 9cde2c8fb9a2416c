"""Connections to a database: transactions that are repeated while it is locked or gone, and errors with a remedy."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import ArgumentError, DBAPIError

from semibandits.errors import StorageError
from semibandits.formats.files import similar_file
from semibandits.formats.printable import without_passwords
from semibandits.kernels.machine.interrupts import DeferredInterrupts
from semibandits_server.database import forks, schema
from semibandits_server.database.files import Files
from semibandits_server.database.urls import checked_url, malformed, secrets_of, shown_url

T = TypeVar("T")
LOCK_SECONDS: Final = 0.25
"""Longest wait for a lock within the database; between such waits, Ctrl-C takes effect."""
_SERVER_OPTIONS: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # ms
}
"""Of connections to PostgreSQL, unless the URL has others; with them, a machine that vanished is noticed after about 10 s."""
LONGEST_CELL: Final = 2**28
"""Largest size of a cell of SQLite, in bytes; a column of a forged file may be computed."""
FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.25
_TRANSIENT_SQLITE: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FULL: Final = {str(sqlite3.SQLITE_FULL), "53100"}
"""Codes of a full disk, of SQLite and PostgreSQL."""
_INHERITED: Final[list[Connection]] = []
"""Connections of a parent process, which a forked process must neither use nor close."""

_FILES: Final[weakref.WeakSet[Backend]] = weakref.WeakSet()
"""Databases of SQLite that this process uses."""


class Backend:
    """A database by its URL, ``sqlite:///file`` or ``postgresql://user@host/database``. Transactions are repeated for `timeout`
    seconds while it is locked or gone. `StorageError` if a package is missing.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        self._url = checked_url(url)
        self.timeout = timeout
        self.shown, self._secrets = shown_url(self._url), secrets_of(self._url)
        self._engine = _new_engine(self._url)
        self._files = Files(_path(self._engine))
        self._errors: tuple[type[Exception], ...] = (DBAPIError, self._engine.dialect.loaded_dbapi.Error)
        self._idle: list[Connection] = []
        self._process = os.getpid()
        self._closing = weakref.finalize(self, _close, self._idle, self._process)
        self._pauses = random.Random()  # only for how long to wait
        if self._url.get_backend_name() == "sqlite":
            _FILES.add(self)

    @property
    def full_url(self) -> str:
        """The URL with its password."""
        return self._url.render_as_string(hide_password=False)

    def prepare(self, *, create: bool) -> None:
        """Create or migrate the tables if necessary. `StorageError` for a newer version of them, and, unless `create` is true,
        for a database without tables.
        """
        is_file = self._url.get_backend_name() == "sqlite"
        if not create and is_file and not os.path.exists(str(self._url.database)):
            raise StorageError(
                f"{self.shown} must be a database of learners, got no such file: "
                f"{similar_file(str(self._url.database), 'check the URL, or create a learner')}"
            )
        version = self.run(schema.version_of, reads=True)
        if version == 0 and not create:
            raise StorageError(
                f"{self.shown} must be a database of learners, got one without their tables: check the URL, or create a learner"
            )
        if version < schema.newest():
            if is_file:
                self._repeat(self._use_write_ahead_log)
            self.run(schema.migrate)

    def run(self, work: Callable[[Connection], T], *, reads: bool = False) -> T:
        """Call `work`, which only reads if `reads` is true, in a transaction and commit; repeat both while the database is locked
        or gone, so that `work` may be called several times. `StorageError` after `timeout` seconds, or if the database cannot be
        used.
        """
        return self._repeat(lambda: self._transaction(work, reads=reads))

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._leave_parent()
        _close(self._idle, self._process)

    def _transaction(self, work: Callable[[Connection], T], *, reads: bool) -> T:
        """Call `work` in a transaction and commit, while no process is forked."""
        running = (threading.get_ident(), object())
        try:
            forks.enter(running)
            return self._carried_out(work, reads=reads)
        finally:
            if running in forks.RUNNING:
                forks.RUNNING.remove(running)

    def _carried_out(self, work: Callable[[Connection], T], *, reads: bool) -> T:
        """Call `work` in a transaction and commit. Connections are kept, and used by one thread at a time."""
        self._leave_parent()
        try:
            connection = self._idle.pop()
        except IndexError:
            self._files.check(None)  # SQLite would create an empty one
            try:
                connection = self._engine.connect()
            except (ValueError, TypeError, OverflowError):  # of the driver, about the URL, such as the name of a host
                raise malformed(self.shown) from None
        try:
            if not reads:
                self._files.check(connection)
            raw: Any = connection.connection.driver_connection
            # Drivers begin no transactions of their own. In SQLite, one that reads first could not get the only lock later. In
            # PostgreSQL, reading needs none: each statement sees what is committed when it starts, as in a transaction.
            if self._url.get_backend_name() == "sqlite":
                raw.execute("BEGIN" if reads else "BEGIN IMMEDIATE")
            elif not reads:
                raw.execute("BEGIN")
            result = work(connection)
            self._engine.dialect.do_commit(raw)
            self._files.note(connection)
        except BaseException as error:
            with DeferredInterrupts():  # an open transaction would lock the database
                if not isinstance(error, Exception):  # Ctrl-C may have come at any point of a statement
                    _discard(connection)
                elif _is_rolled_back(connection):
                    self._idle.append(connection)
            raise
        self._idle.append(connection)
        return result

    def _leave_parent(self) -> None:
        """Connections of a parent process are not used."""
        if self._process != os.getpid():
            _INHERITED.extend(self._idle)
            self._idle, self._process = [], os.getpid()
            self._closing.detach()
            self._closing = weakref.finalize(self, _close, self._idle, self._process)

    def _repeat(self, work: Callable[[], T]) -> T:
        deadline, pause = time.monotonic() + self.timeout, FIRST_PAUSE
        while True:
            try:
                return work()
            except self._errors as error:
                if not _is_transient(error):
                    raise self._refusal(error) from self._cause(error)
                if time.monotonic() + pause > deadline:
                    raise StorageError(
                        f"{self.shown} must answer within timeout = {self.timeout:g} seconds, got: {self._reason(error)}; the "
                        "learner is unchanged unless the connection broke during the commit: try again later, with key=... if "
                        "the call must take effect once, or pass a longer timeout"
                    ) from self._cause(error)
            time.sleep(pause * self._pauses.uniform(0.5, 1.0))
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def _refusal(self, error: Exception) -> StorageError:
        reason = self._reason(error)
        if _code(error) in _FULL:
            return StorageError(
                f"the disk of {self.shown} must have room, got: {reason}; the learner is unchanged: make room and try again"
            )
        return StorageError(
            f"{self.shown} must be a readable and writable database, got: {reason}: check the URL, the rights, and the file or "
            "the server"
        )

    def _reason(self, error: Exception) -> str:
        """The first line of the driver's message, without passwords."""
        raw = _cause(error)
        lines = without_passwords(self._secrets.sub("***", str(raw))).strip().splitlines()
        return lines[0] if lines else type(raw).__name__

    def _cause(self, error: Exception) -> Exception | None:
        """The error for the traceback; none if that would contain a password."""
        return None if self._secrets.search("".join(traceback.format_exception(error))) else error

    def _use_write_ahead_log(self) -> None:
        with self._engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA journal_mode = WAL").fetchall()


def _close_files() -> None:
    """Close all connections to files: SQLite in a forked process would believe that it holds the locks of its parent."""
    for backend in list(_FILES):
        backend.close()


forks.before_fork.append(_close_files)


def _close(connections: list[Connection], process: int) -> None:
    """Close connections, unless they belong to a parent process."""
    while connections and process == os.getpid():
        _discard(connections.pop())


def _discard(connection: Connection) -> None:
    """Close a connection, whatever its state."""
    with suppress(Exception):
        raw: Any = connection.connection.driver_connection
        if isinstance(raw, sqlite3.Connection):  # a statement that a traceback refers to would keep its transaction open
            raw.rollback()
    with suppress(Exception):
        connection.invalidate()
    with suppress(Exception):
        connection.close()


def _is_rolled_back(connection: Connection) -> bool:
    """Roll back, and return whether the connection can be used again; if not, it is closed."""
    with suppress(Exception):
        raw: Any = connection.connection.driver_connection
        raw.rollback()
        if not getattr(raw, "closed", False):
            return True
    _discard(connection)
    return False


def _new_engine(url: URL) -> Engine:
    """Connections without implicit transactions."""
    if url.get_backend_name() == "sqlite":
        arguments: dict[str, Any] = {"timeout": LOCK_SECONDS, "check_same_thread": False}
    else:
        options = f"{url.query.get('options', '')} -c lock_timeout={int(LOCK_SECONDS * 1_000)}"
        arguments = {name: value for name, value in _SERVER_OPTIONS.items() if name not in url.query}
        arguments["options"] = options.strip()
    try:
        engine = create_engine(url, connect_args=arguments, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    except ModuleNotFoundError as error:
        raise StorageError('PostgreSQL needs psycopg, which is not installed: run pip install "psycopg[binary]"') from error
    except (ArgumentError, ValueError):  # such as one of several ports; it may quote the password
        raise malformed(shown_url(url)) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _survive_power_failures)
    return engine


def _path(engine: Engine) -> str | None:
    """The absolute path of a database of SQLite; None for one of another kind, and for a URI."""
    if engine.dialect.name != "sqlite":
        return None
    (path, *_), options = engine.dialect.create_connect_args(engine.url)
    return None if options.get("uri") else str(path)


def _survive_power_failures(raw: sqlite3.Connection, record: object) -> None:
    raw.execute("PRAGMA synchronous = FULL")
    raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_CELL)


def _is_transient(error: Exception) -> bool:
    """Whether the same transaction may succeed later."""
    raw = _cause(error)
    if isinstance(raw, sqlite3.Error):
        return (getattr(raw, "sqlite_errorcode", 0) & 0xFF) in _TRANSIENT_SQLITE
    if _code(error) in _FULL:
        return False
    names = {kind.__name__ for kind in type(raw).__mro__}
    return getattr(error, "connection_invalidated", False) or bool(names & {"OperationalError", "IntegrityError"})


def _cause(error: Exception) -> BaseException:
    """The error of the driver."""
    return error.orig if isinstance(error, DBAPIError) and error.orig is not None else error


def _code(error: Exception) -> str:
    raw = _cause(error)
    if isinstance(raw, sqlite3.Error):
        return str(getattr(raw, "sqlite_errorcode", 0) & 0xFF)
    return str(getattr(raw, "sqlstate", None))
