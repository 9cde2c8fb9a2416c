"""A learner as a file of JSON lines, independent of the database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from semibandits.errors import InvalidInputError
from semibandits.formats.json import strict_json
from semibandits.learning import storage
from semibandits.learning.expecting import Expecting
from semibandits.learning.learner import Learner
from semibandits.learning.operations import Payload
from semibandits_server.database import journal
from semibandits_server.database.entries import FIELDS, Entry, checked_name, new_name, replay
from semibandits_server.database.journal import Snapshot
from semibandits_server.database.times import RoundTimes

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from semibandits_server.database.backend import Backend
    from semibandits_server.database.journal import Stored

FORMAT: Final = "semibandits.learner-journal"
VERSION: Final = 2
"""Version 1 has no times."""
LONGEST_TIME: Final = 40
EXPORTED: Final = FIELDS[:-1]
"""All fields of an entry but the token."""
_reading: Final = partial(
    Expecting, "the file must be the export of a learner", "export it again with semibandits learner export"
)


def exported(backend: Backend, stored: Stored) -> list[str]:
    """Lines of a learner: a header, its snapshots, its journal, and a checksum."""

    def work(connection: Connection) -> list[Payload]:
        stored.lock(connection)
        states = stored.snapshots(connection)
        entries = stored.entries_after(connection, -1)
        return [
            *({"snapshot": found.seq, "state": found.state, "times": found.times} for found in states),
            *({"entry": {name: getattr(entry, name) for name in EXPORTED}} for entry in entries),
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
    """Store the learner of the lines of `exported`, under `name` if it is given. Tables are created if necessary.

    Returns its name, and whether it was opened and the calls since its latest snapshot were repeated: not if its decision set or
    policy is the user's own. Lines that are incomplete or damaged, or from which the learner cannot be opened, are refused, and
    so is a name that exists.
    """
    head, states, entries = _parsed([line.rstrip("\r\n") for line in lines])
    chosen = new_name(head.get("name") if name is None else name)
    is_replayed = storage.is_rebuilt(head["specification"])
    if is_replayed:
        with _reading():
            learner = Learner.from_state(journal.whole_state(head["specification"], states[-1].state))
            for entry in entries:
                if entry.seq > states[-1].seq:
                    replay(learner, entry)
    backend.prepare(create=True)

    def work(connection: Connection) -> None:
        stored = journal.create(connection, chosen, head["specification"], created=head["created"])
        if stored is None:
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
    with _reading():
        head, *rest, end = map(strict_json, lines)
        if head["format"] != FORMAT:
            raise ValueError("other content")
        version = head["version"]
    if type(version) is not int or version > VERSION:
        raise InvalidInputError(f"version must be at most {VERSION}, got {version!r}: install a newer semibandits")
    with _reading():
        if end != {"checksum": _checksum(lines[:-1])}:
            raise ValueError("lines whose checksum differs from the last line")
        specification, created = journal.checked_specification(head["specification"], "the learner"), head["created"]
        if len(created) > LONGEST_TIME or not created.isascii() or not created.isprintable():
            raise ValueError(f"the time {created!r}")
        states = [_snapshot(part, specification) for part in rest if "snapshot" in part]
        entries = [_entry(part["entry"]) for part in rest if "snapshot" not in part]
        _check_complete(states, entries)
    return head, states, entries


def _snapshot(part: Payload, specification: Payload) -> Snapshot:
    found = journal.snapshot_of([part["snapshot"], part["state"], part.get("times")])
    state = {name: value for name, value in found.state.items() if name not in journal.FIXED}
    storage.opened(journal.whole_state(specification, state))
    RoundTimes.read(found.times)
    return replace(found, state=state)


def _entry(value: Payload) -> Entry:
    if {*value, "time"} != {*EXPORTED}:
        raise ValueError(f"an entry with other keys than {', '.join(EXPORTED)}")
    entry = journal.entry_of([*(value.get(name) for name in EXPORTED), ""])
    entry.payload()
    if entry.key is not None:
        checked_name(entry.key, what="key")
    if not entry.text.isascii():
        raise ValueError("an entry with other characters than those of ASCII")
    return entry


def _check_complete(states: list[Snapshot], entries: list[Entry]) -> None:
    """Check that the journal continues the first snapshot without a gap."""
    stored = [found.seq for found in states]
    numbers = [entry.seq for entry in entries]
    start = numbers[0] if numbers else 1
    is_ascending = bool(stored) and stored == sorted(set(stored))
    if not is_ascending or not 1 <= start <= stored[0] + 1 or numbers != list(range(start, start + len(numbers))):
        raise ValueError("a journal that does not continue a snapshot")
    keys = [entry.key for entry in entries if entry.key is not None]
    if len(set(keys)) < len(keys):
        raise ValueError("two entries with one key")
