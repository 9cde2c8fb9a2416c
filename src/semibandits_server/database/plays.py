"""The plays in a journal: one row for each item of a round, with its outcome."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from semibandits.families.labels import decode_labels
from semibandits.learning.operations import ASK, ASK_MANY, TELL
from semibandits_server.database.entries import Entry
from semibandits_server.database.times import RoundTimes

if TYPE_CHECKING:
    from semibandits_server.database.journal import Snapshot


def plays_of(
    first: Snapshot | None, entries: Iterable[Entry], labels: tuple[Hashable, ...], *, sure: bool
) -> dict[str, list[Any]]:
    """Columns of the plays in the rounds that were open in the first snapshot, and that these entries ask for, in their order.

    A reward is None if it was not told. Times are milliseconds since 1970, None if unknown; probabilities are 1 if the policy is
    `sure`, else those that were drawn, or None.
    """
    rounds: dict[int, list[dict[str, Any]]] = {}

    def ask(number: int, items: list[int], drawn: list[float] | None, time: int | None) -> None:
        shares = [1.0 if sure else None] * len(items) if drawn is None else drawn
        rounds[number] = [
            {"round": number, "item": labels[item], "reward": None, "probability": share, "asked": time}
            for item, share in zip(items, shares, strict=True)
        ]

    if first is not None:
        times = RoundTimes.read(first.times)
        for asked in first.state["open_rounds"]:
            number, time = asked["id"], times.of(asked["id"])
            ask(number, asked["items"], asked.get("probabilities"), time)
            gone = decode_labels(asked.get("gone", []))  # outcomes of items that have left are not kept
            rounds[number] += [
                {"round": number, "item": label, "reward": None, "probability": None, "asked": time} for label in gone
            ]
    for entry in entries:
        payload = entry.payload()
        if entry.kind in (ASK, ASK_MANY):
            pairs = [[payload["round"], payload["items"]]] if entry.kind == ASK else payload["rounds"]
            drawn = payload.get("probabilities", [None] * len(pairs))
            for (number, items), values in zip(pairs, drawn, strict=True):
                ask(number, items, values, entry.time)
        elif entry.kind == TELL:
            for number, rewards in payload["outcomes"]:
                for row, reward in zip(rounds.get(number, []), rewards, strict=False):
                    row["reward"] = reward
    rows = [row for listed in rounds.values() for row in listed]
    return {name: [row[name] for row in rows] for name in ("round", "item", "reward", "probability", "asked")}
