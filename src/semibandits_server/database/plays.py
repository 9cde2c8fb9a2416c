"""The plays in a journal: one row for each item of a round, with its outcome."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from semibandits.learning.operations import ASK, ASK_MANY, TELL
from semibandits_server.database.entries import Entry


def plays_of(entries: Iterable[Entry], labels: tuple[Hashable, ...], *, sure: bool) -> dict[str, list[Any]]:
    """Columns of the plays in the rounds that these entries ask for, in their order.

    A reward is None if it was not told. Times are milliseconds since 1970, None if unknown; probabilities are 1 if the policy is
    `sure`, else those that were drawn, or None.
    """
    rounds: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        payload = entry.payload()
        if entry.kind in (ASK, ASK_MANY):
            pairs = [[payload["round"], payload["items"]]] if entry.kind == ASK else payload["rounds"]
            drawn = payload.get("probabilities", [None] * len(pairs))
            for (number, items), values in zip(pairs, drawn, strict=True):
                shares = [1.0 if sure else None] * len(items) if values is None else values
                rounds[number] = [
                    {"round": number, "item": labels[item], "reward": None, "probability": share, "asked": entry.time}
                    for item, share in zip(items, shares, strict=True)
                ]
        elif entry.kind == TELL:
            for number, rewards in payload["outcomes"]:
                for row, reward in zip(rounds.get(number, []), rewards, strict=False):
                    row["reward"] = reward
    rows = [row for listed in rounds.values() for row in listed]
    return {name: [row[name] for row in rows] for name in ("round", "item", "reward", "probability", "asked")}
