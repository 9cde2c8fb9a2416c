"""Logged plays: one row for each item that was shown in a round, with its reward and the probability that it was shown."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import nearest
from semibandits.inputs.frames import is_frame
from semibandits.inputs.labelled import refuse_rounded

COLUMNS: Final = {"round": "round", "item": "item", "reward": "reward", "probability": "probability"}
"""Default names of columns; a log may lack the first and the last."""


@dataclass(frozen=True, eq=False)
class Logs:
    """Plays of n rows: places of their rounds and items, rewards, probabilities, and places of their positions."""

    rounds: IntArray  # 0, 1, ... in the order of their first rows
    items: IntArray
    rewards: FloatArray
    probabilities: FloatArray | None
    positions: IntArray | None
    round_labels: tuple[Hashable, ...]
    item_labels: tuple[Hashable, ...]
    position_labels: tuple[Hashable, ...]
    lost: int  # number of rounds that were left out since an outcome is missing

    @property
    def has_rounds(self) -> bool:
        """Whether rows belong to rounds; otherwise each row is one."""
        return len(self.rounds) > len(self.round_labels)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.round_labels)


def read_logs(
    logs: Any,
    *,
    round_: str | None,
    item: str | Sequence[str],
    reward: str,
    probability: str | None,
    position: str | None,
    labels: tuple[Hashable, ...],
) -> Logs:
    """The logs of a frame or a mapping of columns. Items in `labels` have their places, others the places behind.

    Rows whose reward is missing lost their outcome: their rounds are left out.
    """
    columns = _columns(logs)
    names = [item] if isinstance(item, str) else list(item)
    parts = [_column(columns, name, "item") for name in names]
    shown: list[Any] = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
    n = len(shown)
    number = _named(columns, round_, "round")
    rounds, round_labels = (np.arange(n), tuple(range(n))) if number is None else _places(number, (), "round")
    items, item_labels = _places(shown, labels, "item")
    rewards = _numbers(_column(columns, reward, "reward"), reward)
    given = _named(columns, probability, "probability")
    probabilities = None if given is None else _numbers(given, str(probability))
    place = None if position is None else _places(_column(columns, position, "position"), (), "position")
    if n == 0:
        raise InvalidInputError("logs must have a row for each item that was shown, got none: pass some rounds")
    found = Logs(
        rounds, items, rewards, probabilities, None if place is None else place[0], round_labels, item_labels,
        () if place is None else place[1], 0,
    )  # fmt: skip
    found = _without_lost(found)
    _check(found, str(probability))
    return found


def _columns(logs: Any) -> Mapping[str, Any]:
    if isinstance(logs, Mapping):
        return logs
    if not is_frame(logs):
        raise InvalidInputError(
            f"logs must be a frame or a mapping of columns, one row for each item that was shown, got {type(logs).__name__}: "
            "read a CSV file with pandas.read_csv"
        )
    return {name: logs[name] for name in logs.columns}


def _named(columns: Mapping[str, Any], name: str | None, role: str) -> list[Any] | None:
    """A column that logs may lack, unless the user has named it."""
    return None if name is None or (name == COLUMNS[role] and name not in columns) else _column(columns, name, role)


def _column(columns: Mapping[str, Any], name: str, role: str) -> list[Any]:
    if name not in columns:
        known = ", ".join(map(repr, columns)) or "none"
        raise InvalidInputError(
            f"logs must have a column for {role}, got no {name!r}, only {known}"
            f"{nearest(name, map(str, columns), f'name it, as in {role}=...')}"
        )
    values = columns[name]
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _places(entries: list[Any], known: tuple[Hashable, ...], role: str) -> tuple[IntArray, tuple[Hashable, ...]]:
    """Places of entries among the known labels and the new ones, which follow in their order."""
    places = {label: place for place, label in enumerate(known)}
    try:
        found = np.fromiter((places.setdefault(entry, len(places)) for entry in entries), dtype=np.int64, count=len(entries))
    except TypeError as error:
        raise InvalidInputError(f"the column of {role} must hold labels, got something else: {error}") from error
    for label in places:
        if label is None or label != label:
            raise InvalidInputError(f"each row of the logs must have its {role}, got {label!r}: fill it in, or drop the row")
        refuse_rounded(label, f"the column of {role}")
    return found, tuple(places)


def _numbers(entries: list[Any], name: str) -> FloatArray:
    """Numbers, NaN where they are missing."""
    try:
        return np.array([np.nan if entry is None else entry for entry in entries], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the column {name!r} must hold numbers, got others: {error}") from error


def _without_lost(logs: Logs) -> Logs:
    lost = np.zeros(logs.n_rounds, dtype=np.bool_)
    lost[logs.rounds[np.isnan(logs.rewards)]] = True
    if not lost.any():
        return logs
    kept = ~lost
    rows, places = kept[logs.rounds], np.cumsum(kept) - 1
    return replace(
        logs,
        rounds=places[logs.rounds[rows]],
        items=logs.items[rows],
        rewards=logs.rewards[rows],
        probabilities=None if logs.probabilities is None else logs.probabilities[rows],
        positions=None if logs.positions is None else logs.positions[rows],
        round_labels=tuple(label for label, keeps in zip(logs.round_labels, kept.tolist(), strict=True) if keeps),
        lost=int(lost.sum()),
    )


def _check(logs: Logs, probability: str) -> None:
    if logs.n_rounds < 2:
        raise InvalidInputError(
            f"logs must have at least 2 rounds with all outcomes, got {logs.n_rounds} of {logs.n_rounds + logs.lost}: pass more"
        )
    if not np.isfinite(logs.rewards).all():
        raise InvalidInputError("rewards of the logs must be finite, got an infinite one: drop its round")
    twice = np.lexsort((logs.items, logs.rounds))
    same = (np.diff(logs.rounds[twice]) == 0) & (np.diff(logs.items[twice]) == 0)
    if same.any():
        row = int(twice[1:][same][0])
        raise InvalidInputError(
            f"a round must show an item at most once, got {logs.item_labels[logs.items[row]]!r} again in round "
            f"{logs.round_labels[logs.rounds[row]]!r}: merge the rows, or pass round=None if rows are plays of their own"
        )
    if logs.probabilities is not None:
        wrong: BoolArray = ~((logs.probabilities > 0.0) & (logs.probabilities <= 1.0))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInputError(
                f"the column {probability!r} must hold numbers from 0 to 1 without 0, the probability that the item was shown, "
                f"but {int(wrong.sum())} of {len(wrong)} are not (first: {logs.probabilities[row]:g} of "
                f"{logs.item_labels[logs.items[row]]!r}): correct them, or pass probability=None if they are not known"
            )
