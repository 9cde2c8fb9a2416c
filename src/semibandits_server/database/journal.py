"""Rows of learners, of their journals and of their snapshots. Each function is one part of a transaction."""

from __future__ import annotations

import json
import re
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Select,
    Table,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from semibandits.errors import InvalidInputError, StorageError
from semibandits.formats.json import strict_json
from semibandits.learning.expecting import Expecting
from semibandits.learning.operations import REPLACE, Payload
from semibandits.learning.options import NAMES
from semibandits_server.database.entries import FIELDS, Entry
from semibandits_server.database.schema import JOURNAL, LEARNERS, SNAPSHOTS
from semibandits_server.database.statements import Statement
from semibandits_server.database.times import now

FIXED: Final = ("decision_set", "policy", "prior", "features", "variance", *NAMES)
"""Parts of a state that never change."""
LONGEST_JOURNAL: Final = 2**53
_ENTRY: Final = tuple(JOURNAL.c["payload" if name == "text" else name] for name in FIELDS)
MOST_UNPACKED: Final = 2**27
"""Largest number of bytes of a state as JSON, which may be a thousand times that of the compressed one."""
MOST_PARTS: Final = 2**23
"""Largest number of lists, objects and quotes of a state, which take much more memory than their text."""
_LEARNER: Final = (LEARNERS.c.id, LEARNERS.c.name, LEARNERS.c.created, LEARNERS.c.specification)
_SNAPSHOT: Final = (SNAPSHOTS.c.seq, SNAPSHOTS.c.state, SNAPSHOTS.c.times)
_OF_LEARNER: Final = JOURNAL.c.learner_id == bindparam("learner")
_LOCK: Final = Statement(select(LEARNERS.c.id).where(LEARNERS.c.id == bindparam("learner")).with_for_update())
_NEW: Final = JOURNAL.c.seq > bindparam("after")
_FROM: Final = (
    select(*(case((_NEW, one), else_=literal_column("''")) if one is JOURNAL.c.payload else one for one in _ENTRY))
    .where(_OF_LEARNER, JOURNAL.c.seq >= bindparam("first"))
    .order_by(JOURNAL.c.seq)
)
_MOST_FROM: Final = Statement(_FROM.limit(bindparam("most", type_=BigInteger())))
_APPEND: Final = Statement(insert(JOURNAL))
_LAST_KIND, _LAST_TEXT = (
    select(column).where(JOURNAL.c.learner_id == LEARNERS.c.id).order_by(JOURNAL.c.seq.desc()).limit(1).scalar_subquery()
    for column in (JOURNAL.c.kind, JOURNAL.c.payload)
)
"""Kind and content of the last entry of a learner, None without entries."""
REPLACES: Final = "replaces"
"""Key of a specification: the mark of the learner whose name this one has taken over."""


@dataclass(frozen=True)
class Snapshot:
    """A stored state."""

    seq: int  # number of the entry after which it was stored
    state: Payload  # without its fixed parts
    times: str | None = None  # of the open rounds, as JSON; see :class:`RoundTimes`


@dataclass(frozen=True)
class Stored:
    """A learner in a database."""

    id: int  # number in the tables
    name: str
    created: str  # ISO 8601, UTC
    specification: Payload  # the parts of its states that never change, and the first state of its generator

    def lock(self, connection: Connection) -> None:
        """Wait until no other transaction writes to the learner; `StorageError` if it was deleted."""
        if _LOCK(connection, {"learner": self.id}).fetchone() is None:
            raise StorageError("the learner must be in the database, got none: it was deleted; open it again")

    def entries_after(self, connection: Connection, seq: int, *, most: int | None = None, with_mark: bool = False) -> list[Entry]:
        """Entries of the journal after `seq`, in order, at most `most`; with the entry `seq` itself, for its mark only."""
        first = seq if with_mark else seq + 1
        values = {"learner": self.id, "after": seq, "first": first, "most": LONGEST_JOURNAL if most is None else most}
        return [entry_of(row) for row in _MOST_FROM(connection, values).fetchall()]

    def entry_with(self, connection: Connection, column: str, value: str, *, after: int = 0) -> Entry | None:
        """The entry of the call with this key or token, among those after `after`."""
        is_wanted = (JOURNAL.c.learner_id == self.id, JOURNAL.c.seq > after, JOURNAL.c[column] == value)
        row = connection.execute(select(*_ENTRY).where(*is_wanted)).one_or_none()
        return None if row is None else entry_of(row)

    def append(self, connection: Connection, entry: Entry) -> None:
        """Add an entry to the journal."""
        values = {column.name: getattr(entry, name) for column, name in zip(_ENTRY, FIELDS, strict=True)}
        _APPEND(connection, {"learner_id": self.id, **values})

    def add_snapshot(self, connection: Connection, seq: int, state: Payload, *, times: str | None = None) -> None:
        """Store a state, unless there is one after the same entry."""
        moving = packed({name: part for name, part in state.items() if name not in FIXED})
        connection.execute(_insert_new(connection, SNAPSHOTS, learner_id=self.id, seq=seq, state=moving, times=times))

    def latest_snapshot(self, connection: Connection) -> Snapshot:
        """The latest stored state; `StorageError` if there is none, or it is damaged."""
        row = connection.execute(self._snapshots.order_by(SNAPSHOTS.c.seq.desc()).limit(1)).one_or_none()
        if row is None:
            raise StorageError(
                "the learner must have a snapshot, got none: it was deleted, or the database is damaged; use a copy"
            )
        return snapshot_of(row)

    def latest_snapshot_seq(self, connection: Connection) -> int:
        """Number of the entry after which the latest state was stored, -1 if there is none."""
        return self._extent(connection, SNAPSHOTS)[0]

    def snapshots(self, connection: Connection) -> list[Snapshot]:
        """All stored states, in order."""
        return [snapshot_of(row) for row in connection.execute(self._snapshots.order_by(SNAPSHOTS.c.seq))]

    def first_snapshot(self, connection: Connection) -> Snapshot | None:
        """The earliest stored state, which the journal continues."""
        row = connection.execute(self._snapshots.order_by(SNAPSHOTS.c.seq).limit(1)).one_or_none()
        return None if row is None else snapshot_of(row)

    @property
    def _snapshots(self) -> Select[Any]:
        return select(*_SNAPSHOT).where(SNAPSHOTS.c.learner_id == self.id)

    def prune(self, connection: Connection) -> int:
        """Delete what precedes the latest snapshot and return the number of deleted entries.

        The entry of the snapshot itself is kept: others that are behind it find a gap, and read the snapshot.
        """
        seq = self.latest_snapshot_seq(connection)
        connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.learner_id == self.id, SNAPSHOTS.c.seq < seq))
        return connection.execute(delete(JOURNAL).where(JOURNAL.c.learner_id == self.id, JOURNAL.c.seq < seq)).rowcount

    def counts(self, connection: Connection) -> tuple[int, int, int]:
        """Number of the last entry, and numbers of stored entries and snapshots."""
        (last, entries), (latest, states) = (self._extent(connection, table) for table in (JOURNAL, SNAPSHOTS))
        return max(last, latest, 0), entries, states

    def _extent(self, connection: Connection, table: Table) -> tuple[int, int]:
        """Number of the last row of the learner in a table, -1 if there is none, and how many there are."""
        numbers = select(func.max(table.c.seq), func.count()).where(table.c.learner_id == self.id)
        last, count = connection.execute(numbers).one()
        return (typed([last], [table.c.seq])[0] if count else -1), count

    def archive(self, connection: Connection, seq: int) -> str:
        """End the journal of the learner after the entry `seq`, and free its name for another one.

        The learner is kept as NAME~k, with a k above all others. Returns a mark, which the new learner stores.
        """
        others = (re.fullmatch(r"~([1-9][0-9]*)", one.removeprefix(self.name)) for one in names(connection))
        number = max((int(match[1]) for match in others if match is not None), default=0) + 1
        mark = secrets.token_hex(16)
        self.append(connection, Entry.of(seq + 1, REPLACE, {"name": self.name, "mark": mark}, time=now()))
        connection.execute(update(LEARNERS).where(LEARNERS.c.id == self.id).values(name=f"{self.name}~{number}"))
        return mark

    def replaced(self, connection: Connection) -> list[Stored]:
        """All learners that had the name of this one before it, oldest first."""
        if REPLACES not in self.specification:
            return []
        ended = connection.execute(select(LEARNERS.c.name, _LAST_TEXT).where(_LAST_KIND == REPLACE))
        marks = {strict_json(text).get("mark"): name for name, text in ended}
        found: list[Stored] = []
        one: Stored | None = self
        while one is not None and (name := marks.pop(one.specification.get(REPLACES), None)) is not None:
            one = find(connection, name)
            found += [] if one is None else [one]
        return found[::-1]

    def added(
        self, connection: Connection, name: str, state: Payload, times: str | None = None, *, mark: str | None = None
    ) -> Stored:
        """A new learner of another name, with this state; the name of an existing one is refused.

        `mark` is that of the learner that it replaces.
        """
        stored = create(connection, name, specification_of(state) | ({} if mark is None else {REPLACES: mark}))
        if stored is None:
            raise InvalidInputError(f"name must be new in the database, got {name!r}, which exists: choose another name")
        stored.add_snapshot(connection, 0, state, times=times)
        return stored

    def whole_state(self, snapshot: Payload) -> Payload:
        """A state with its fixed parts."""
        return whole_state(self.specification, snapshot)


def find(connection: Connection, name: str) -> Stored | None:
    """The learner of this name."""
    row = connection.execute(select(*_LEARNER).where(LEARNERS.c.name == name)).one_or_none()
    if row is None:
        return None
    number, known, created, specification = typed(row, _LEARNER)
    return Stored(number, known, created, checked_specification(unpacked(specification), repr(known)))


def latest_state(connection: Connection, name: str) -> Payload | None:
    """The latest stored state of the learner of this name, without its fixed parts, which may be large."""
    number = connection.scalar(select(LEARNERS.c.id).where(LEARNERS.c.name == name))
    return None if number is None else Stored(number, name, "", {}).latest_snapshot(connection).state


def names(connection: Connection, *, current: bool = False) -> list[str]:
    """Names of all learners, in alphabetical order; if `current`, without replaced learners."""
    query = select(LEARNERS.c.name).order_by(LEARNERS.c.name)
    if current:
        query = query.where(func.coalesce(_LAST_KIND, "") != REPLACE)
    rows = connection.execute(query)
    return [str(typed(row, [LEARNERS.c.name])[0]) for row in rows]


def create(connection: Connection, name: str, specification: Payload, *, created: str | None = None) -> Stored | None:
    """Add a learner, and return it; None if one of this name exists."""
    time = datetime.now(UTC).isoformat(timespec="seconds") if created is None else created
    statement = _insert_new(connection, LEARNERS, name=name, created=time, specification=packed(specification))
    number = connection.scalar(statement.returning(LEARNERS.c.id))
    return None if number is None else Stored(number, name, time, specification)


def _insert_new(connection: Connection, table: Table, **row: Any) -> Any:
    """The statement that adds a row, unless there is one with the same key."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).values(row).on_conflict_do_nothing()


def whole_state(specification: Payload, snapshot: Payload) -> Payload:
    """A state with its fixed parts."""
    return {**{name: specification[name] for name in FIXED if name in specification}, **snapshot}


def checked_specification(value: Payload, owner: str) -> Payload:
    """The specification of a learner; `StorageError` without the parts that are used before the learner is rebuilt."""
    match value:
        case {"decision_set": {"type": str()}, "policy": {"specification": _}}:
            return value
    raise StorageError(
        f"the specification of {owner} must hold a decision set and a policy, got others: it is damaged, use a copy"
    )


def specification_of(state: Payload) -> Payload:
    """What a learner with this first state never changes, and the first state of its generator."""
    return {name: state[name] for name in (*FIXED, "generator") if name in state}


def typed(row: Sequence[Any], columns: Sequence[Column[Any]]) -> Sequence[Any]:
    """The values of a row; `StorageError` if one has another type than its column, or is an integer out of range. SQLite also
    stores values of other types than that of their column, and integers of any size.
    """
    for value, column in zip(row, columns, strict=True):
        wanted = column.type.python_type
        if wanted is not bytes and type(value) is not wanted and not (value is None and column.nullable):
            raise StorageError(
                f"the column {column.name} must contain {wanted.__name__}, got {type(value).__name__}: the database is damaged, "
                "use a copy"
            )
        if type(value) is int and not 0 <= value < LONGEST_JOURNAL:
            raise StorageError(
                f"the column {column.name} must contain integers from 0 to 2**53, got {value}: the database is damaged, use a "
                "copy"
            )
    return row


def entry_of(row: Sequence[Any]) -> Entry:
    """The entry of a row, in the order of `FIELDS`; its content is not validated."""
    return Entry(*typed(row, _ENTRY))


def snapshot_of(row: Sequence[Any]) -> Snapshot:
    """The snapshot of a row: seq, state, which may be packed, and times."""
    seq, state, times = typed(row, _SNAPSHOT)
    return Snapshot(seq, state if isinstance(state, dict) else unpacked(state), times)


def packed(value: Payload) -> bytes:
    """Plain JSON, compressed; `StorageError` if it is too large for `unpacked`."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    remedy = "expire old open rounds, or use fewer items"
    with Expecting("the state of a learner must be small enough for a database", remedy, StorageError):
        _check_size(text)
    return zlib.compress(text)


def _check_size(text: bytes) -> None:
    parts = sum(map(text.count, b'[{"'))
    if len(text) > MOST_UNPACKED or parts > MOST_PARTS:
        raise ValueError(
            f"{len(text):,} bytes with {parts:,} lists, objects and quotes, more than {MOST_UNPACKED:,} or {MOST_PARTS:,}"
        )


def unpacked(content: bytes) -> Payload:
    """The value of `packed`; `StorageError` if the content is damaged."""
    with Expecting("states in the database must be compressed JSON", "it is damaged, use a copy", StorageError):
        reader = zlib.decompressobj()
        text = reader.decompress(content, MOST_UNPACKED + 1)
        _check_size(text)
        if not reader.eof or reader.unused_data or not text.isascii():
            raise ValueError("incomplete or other content")
        value: Payload = strict_json(text)
        if not isinstance(value, dict):
            raise TypeError(f"a {type(value).__name__}")
    return value
