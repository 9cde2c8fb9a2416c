"""A learner as a file of JSON lines, independent of the database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from semibandits._json import strict_json
from semibandits.errors import InvalidInputError, StorageError
from semibandits.learning import storage
from semibandits.learning.database import journal
from semibandits.learning.database.entries import Entry, checked_name, new_name, replay
from semibandits.learning.database.journal import Snapshot
from semibandits.learning.database.times import LATEST, RoundTimes
from semibandits.learning.learner import Learner
from semibandits.learning.operations import Payload

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from semibandits.learning.database.backend import Backend
    from semibandits.learning.database.journal import Stored

FORMAT: Final = "semibandits.learner-journal"
VERSION: Final = 2
"""Version 1 has no times."""
LONGEST_TIME: Final = 40
_OPTIONAL: Final = ("key", "time")
_ENTRY_TYPES: Final = {"seq": int, "kind": str, "text": str, "checksum": int}


def exported(backend: Backend, stored: Stored) -> list[str]:
    """Lines of a learner: a header, its snapshots, its journal, and a checksum.

    Raises
    ------
    StorageError
        If the database cannot be used.
    """

    def work(connection: Connection) -> list[Payload]:
        stored.lock(connection)
        states = stored.snapshots(connection)
        entries = stored.entries_after(connection, -1)
        return [
            *({"snapshot": found.seq, "state": found.state, "times": found.times} for found in states),
            *({"entry": {name: getattr(entry, name) for name in (*_ENTRY_TYPES, *_OPTIONAL)}} for entry in entries),
        ]

    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": stored.name,
        "created": stored.created,
        "specification": stored.specification,
    }
    lines = [json.dumps(part, allow_nan=False) for part in (head, *backend.run(work))]
    return [*lines, json.dumps({"checksum": _checksum(lines)})]


def imported(backend: Backend, lines: Iterable[str], *, name: str | None = None) -> tuple[str, bool]:
    """Store the learner of exported lines, if it can be opened.

    Parameters
    ----------
    backend : Backend
        The database; its tables are created if necessary.
    lines : iterable of str
        What `exported` returned.
    name : str, optional
        Another name for the learner.

    Returns
    -------
    name : str
        Its name.
    is_replayed : bool
        Whether the calls since its latest snapshot were repeated: not if its decision set or policy is the user's own.

    Raises
    ------
    InvalidInputError
        If the lines are incomplete or damaged, the learner cannot be opened, or the database has a learner of this name.
    StorageError
        If the database cannot be used.
    """
    head, states, entries = _parsed([line.rstrip("\r\n") for line in lines])
    chosen = new_name(head.get("name") if name is None else name)
    is_replayed = storage.is_rebuilt(head["specification"])
    if is_replayed:
        _check_opens(head["specification"], states[-1], entries)
    backend.prepare(create=True)

    def work(connection: Connection) -> None:
        is_new = journal.create(connection, chosen, head["specification"], created=head["created"])
        stored = journal.find(connection, chosen)
        if stored is None or not is_new:
            raise InvalidInputError(f"name must be new in {backend.shown}, got {chosen!r}, which exists: choose another name")
        for found in states:
            stored.add_snapshot(connection, found.seq, found.state, times=found.times)
        for entry in entries:
            stored.append(connection, entry)

    backend.run(work)
    return chosen, is_replayed


def _checksum(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _parsed(lines: list[str]) -> tuple[Payload, list[Snapshot], list[Entry]]:
    """Header, snapshots and entries of exported lines."""
    while lines and not lines[-1]:
        lines.pop()
    try:
        parts = [strict_json(line) for line in lines]
    except ValueError as error:
        raise _invalid(f"a line with {error}") from error
    if len(parts) < 3 or not all(isinstance(part, dict) for part in parts) or parts[0].get("format") != FORMAT:
        raise _invalid("other content")
    head, *rest, end = parts
    if type(head.get("version")) is not int or head["version"] > VERSION:
        raise InvalidInputError(f"version must be at most {VERSION}, got {head.get('version')!r}: install a newer semibandits")
    if end != {"checksum": _checksum(lines[:-1])}:
        raise _invalid("lines whose checksum differs from the last line")
    created, specification = head.get("created"), head.get("specification")
    is_time = isinstance(created, str) and len(created) <= LONGEST_TIME and created.isascii() and created.isprintable()
    if not is_time or not journal.is_specification(specification):
        raise _invalid("a first line without specification and created")
    states = [_snapshot(part) for part in rest if "snapshot" in part]
    entries = [_entry(part) for part in rest if "snapshot" not in part]
    _check_complete(head["specification"], states, entries)
    return head, states, entries


def _snapshot(part: Payload) -> Snapshot:
    seq, state, times = part["snapshot"], part.get("state"), part.get("times")
    if type(seq) is not int or not 0 <= seq < journal.LONGEST_JOURNAL or not isinstance(state, dict):
        raise _invalid("a snapshot without number or state")
    if not isinstance(times, str | None):
        raise _invalid(f"a snapshot with the times {times!r}")
    try:
        RoundTimes.read(times)
    except StorageError as error:
        raise _invalid(f"a snapshot with damaged times: {error}") from error
    return Snapshot(seq, {name: value for name, value in state.items() if name not in journal.FIXED}, times)


def _entry(part: Payload) -> Entry:
    value: Any = part.get("entry")
    named = isinstance(value, dict) and {*_ENTRY_TYPES, "key"} <= set(value) <= {*_ENTRY_TYPES, *_OPTIONAL}
    if not named or not all(type(value[name]) is kind for name, kind in _ENTRY_TYPES.items()):
        raise _invalid("an entry without seq, kind, text, key and checksum")
    time = value.get("time")
    if time is not None and (type(time) is not int or not 0 <= time < LATEST):
        raise _invalid(f"an entry with the time {time!r}")
    if value["key"] is not None:
        checked_name(value["key"], what="key")
    if not value["text"].isascii():
        raise _invalid("an entry with other characters than those of ASCII")
    entry = Entry(**value)
    try:
        entry.payload()
    except StorageError as error:
        raise _invalid(f"a damaged entry: {error}") from error
    if not 0 < entry.seq < journal.LONGEST_JOURNAL:
        raise _invalid(f"an entry with the number {entry.seq}")
    return entry


def _check_complete(specification: Payload, states: list[Snapshot], entries: list[Entry]) -> None:
    """Check that every snapshot is whole, and that the journal continues the first of them without a gap."""
    for found in states:
        storage.opened(journal.whole_state(specification, found.state))
    stored = [found.seq for found in states]
    numbers = [entry.seq for entry in entries]
    start = numbers[0] if numbers else 1
    is_ascending = bool(stored) and stored == sorted(set(stored))
    if not is_ascending or start > stored[0] + 1 or numbers != list(range(start, start + len(numbers))):
        raise _invalid("a journal that does not continue a snapshot")
    keys = [entry.key for entry in entries if entry.key is not None]
    if len(set(keys)) < len(keys):
        raise _invalid("two entries with one key")


def _check_opens(specification: Payload, latest: Snapshot, entries: list[Entry]) -> None:
    """Check that the learner can be opened, by the same steps."""
    try:
        learner = Learner.from_state(journal.whole_state(specification, latest.state))
        for entry in entries:
            if entry.seq > latest.seq:
                replay(learner, entry)
    except (InvalidInputError, StorageError) as error:
        raise _invalid(f"one that cannot be opened: {error}") from error


def _invalid(found: str) -> InvalidInputError:
    return InvalidInputError(
        f"the file must be the export of a learner, got {found}: export it again with semibandits learner export"
    )
