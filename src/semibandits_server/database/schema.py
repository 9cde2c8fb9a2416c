"""Tables of a database of learners, their version, and migrations to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    text,
    update,
)

from semibandits.errors import StorageError

METADATA: Final = MetaData()
META: Final = Table(
    "semibandits_meta", METADATA, Column("name", String(50), primary_key=True), Column("value", Integer, nullable=False)
)
LEARNERS: Final = Table(
    "semibandits_learners",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("created", String(40), nullable=False),
    Column("specification", LargeBinary, nullable=False),
)
"""`specification`: what never changes, and the first state of the generator; compressed JSON."""
_LEARNER: Final = f"{LEARNERS.name}.id"
JOURNAL: Final = Table(
    "semibandits_journal",
    METADATA,
    Column("learner_id", ForeignKey(_LEARNER), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("payload", Text, nullable=False),
    Column("key", String(200)),
    Column("token", String(32), nullable=False),
    Column("checksum", BigInteger, nullable=False),
    Column("time", BigInteger),
    sqlite_with_rowid=False,
)
"""`token`: drawn for each call, which shows whether a commit without an answer took place. `time`: of the call, in milliseconds
since 1970, UTC."""
_KEYED: Final = JOURNAL.c.key.is_not(None)
Index("semibandits_journal_key", JOURNAL.c.learner_id, JOURNAL.c.key, unique=True, sqlite_where=_KEYED, postgresql_where=_KEYED)
SNAPSHOTS: Final = Table(
    "semibandits_snapshots",
    METADATA,
    Column("learner_id", ForeignKey(_LEARNER), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("state", LargeBinary, nullable=False),
    Column("times", Text),
)
"""`state` after the entry `seq`, without what is in the specification; compressed JSON. `times`: when its open rounds were asked
for, by id; JSON."""

_MIGRATION_LOCK: Final = 0x5E_B1_BA_2D
"""Number of the lock of PostgreSQL that one process holds while it creates or migrates tables."""


def _add_times(connection: Connection) -> None:
    connection.execute(text(f"ALTER TABLE {JOURNAL.name} ADD COLUMN time BIGINT"))
    connection.execute(text(f"ALTER TABLE {SNAPSHOTS.name} ADD COLUMN times TEXT"))


MIGRATIONS: Final[list[Callable[[Connection], None]]] = [_add_times]
"""Entry k leads from version k + 1 to version k + 2. Entries are never changed."""


def newest() -> int:
    """The version of the tables that the library creates."""
    return 1 + len(MIGRATIONS)


def version_of(connection: Connection) -> int:
    """Version of the tables, 0 if there are none; `StorageError` if they are newer than the library, or are something else."""
    if connection.dialect.name == "sqlite":  # views and triggers in place of the tables of learners may compute without end
        own = ", ".join(f"'{table}'" for table in METADATA.tables)
        rows = connection.execute(text(f"SELECT type, name FROM sqlite_master WHERE lower(tbl_name) IN ({own})"))
        for kind, name in rows:
            if kind not in ("table", "index"):
                raise StorageError(
                    f"learners must be in plain tables, got the {kind} {name!r}: the database is damaged or was forged, use a "
                    "copy"
                )
    if not inspect(connection).has_table(META.name):
        return 0
    found: Any = connection.scalar(select(META.c.value).where(META.c.name == "version")) or 0
    if not isinstance(found, int) or not 0 <= found <= newest():
        raise StorageError(
            f"the tables of learners must have a version of at most {newest()}, got {found!r}, written by a newer "
            "semibandits or damaged: upgrade semibandits, or use another database"
        )
    return found


def migrate(connection: Connection) -> None:
    """Create the tables, or bring them to the version of the library, in a writing transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATION_LOCK})
    before = version_of(connection)
    if before == 0:
        METADATA.create_all(connection)
        connection.execute(insert(META).values(name="version", value=newest()))
    elif before < newest():
        for step in MIGRATIONS[before - 1 :]:
            step(connection)
        connection.execute(update(META).where(META.c.name == "version").values(value=newest()))
