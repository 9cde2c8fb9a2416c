"""Features as a table of numbers: one row an item, one column an effect."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.pandas_objects import numbers_rows
from semibandits.inputs.validation import check_choice

POOLED: Final = "pooled"
ADDITIVE: Final = "additive"
NAMED: Final = (POOLED, ADDITIVE)
MEAN: Final = "mean of all"
"""Name of the column of ones."""


@dataclass(frozen=True, eq=False)
class Design:
    """Features phi of d items: the column of ones, and k - 1 others, which numbers are scaled for."""

    names: tuple[str, ...]  # of the columns
    matrix: FloatArray  # (d, k)
    scales: FloatArray  # (k,): number of the original units in one of a column
    kind: str | None  # "pooled", "additive", or None for a table

    @classmethod
    def of(cls, features: Any, decision_set: DecisionSet) -> Self:
        """Features from a name, an array of shape (d, k), or a frame or mapping with a row for each label.

        Numbers are centred and scaled; texts and categories get a column for each value. Columns with one value are left out.
        """
        if isinstance(features, cls):
            return features
        d, ones = decision_set.d, np.ones((decision_set.d, 1))
        if isinstance(features, str):
            check_choice(features, NAMED, "features", "pass one of these, or a table with a row for each item")
            effects, columns = _additive(decision_set) if features == ADDITIVE else ([], np.empty((d, 0)))
            return cls((MEAN, *effects), np.hstack((ones, columns)), np.ones(1 + len(effects)), features)
        titles, values = _columns(features, decision_set)
        names, parts, scales = [MEAN], [ones], [1.0]
        for title, column in zip(titles, values, strict=True):
            for name, numbers, scale in _encoded(title, column, decision_set):
                names.append(name)
                parts.append(numbers[:, None])
                scales.append(scale)
        return cls(tuple(names), np.hstack(parts), np.array(scales), None)

    def state(self) -> str | dict[str, Any]:
        """The name, or the table, as plain JSON."""
        if self.kind is not None:
            return self.kind
        return {"names": list(self.names), "scales": self.scales.tolist(), "rows": self.matrix.tolist()}

    @classmethod
    def restored(cls, state: Any, decision_set: DecisionSet) -> Self:
        """The design of a state."""
        if isinstance(state, str):
            return cls.of(state, decision_set)
        try:
            names, matrix = tuple(state["names"]), np.array(state["rows"], dtype=np.float64)
            scales = np.array(state["scales"], dtype=np.float64)
            is_valid = matrix.shape == (decision_set.d, len(names)) and scales.shape == (len(names),)
            is_valid = is_valid and bool(np.isfinite(matrix).all() and (scales > 0.0).all())
        except (KeyError, TypeError, ValueError):
            is_valid = False
        if not is_valid:
            raise InvalidInputError("features must hold a row for each item, but they do not: the state is damaged, use a copy")
        return cls(names, matrix, scales, None)


def _additive(decision_set: DecisionSet) -> tuple[list[str], FloatArray]:
    """An effect of each first and each second part of the labels, which must be pairs."""
    labels: tuple[Any, ...] = decision_set.items
    odd = next((label for label in labels if not (isinstance(label, tuple) and len(label) == 2)), None)
    if odd is not None:
        raise InvalidInputError(
            f"features='{ADDITIVE}' needs items that are pairs, such as ('Ann', 'north'), got {odd!r}: use '{POOLED}', or pass a "
            "table"
        )
    names: list[str] = []
    parts: list[FloatArray] = []
    for place in (0, 1):
        known: dict[Hashable, int] = {}
        numbers = np.array([known.setdefault(label[place], len(known)) for label in labels])
        names += [str(one) for one in known]
        parts.append(np.eye(len(known))[numbers])
    return names, np.hstack(parts)


def _columns(features: Any, decision_set: DecisionSet) -> tuple[list[str], list[Any]]:
    """Titles and columns of a table, its rows in the order of the items."""
    d = decision_set.d
    if isinstance(features, Mapping):
        rows = _by_label(features, decision_set)
        widths = {np.ndim(row) and len(row) for row in rows}
        if len(widths) > 1:
            raise InvalidInputError(f"features must have rows of one length, got lengths {sorted(widths)}: fill the gaps")
        features = np.array([np.atleast_1d(np.asarray(row, dtype=object)) for row in rows], dtype=object)
    elif hasattr(features, "columns") and hasattr(features, "loc"):
        return [str(name) for name in features.columns], _frame_columns(features, decision_set)
    table = np.asarray(features, dtype=None if not isinstance(features, Sequence) else object)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[0] != d or table.shape[1] == 0:
        raise InvalidInputError(f"features must have shape (d, k) with d = {d}, got {table.shape}: pass one row for each item")
    return [f"feature {j}" for j in range(table.shape[1])], list(table.T)


def _by_label(rows: Mapping[Any, Any], decision_set: DecisionSet) -> list[Any]:
    """Entries of a mapping in the order of the items."""
    labels = decision_set.items
    missing = [label for label in labels if label not in rows]
    if missing or len(rows) > len(labels):
        known = set(labels)
        got = f"none for {missing[0]!r}" if missing else f"one for {next(key for key in rows if key not in known)!r}"
        raise InvalidInputError(f"features must have a row for each item and no others, got {got}: see decision_set.items")
    return [rows[label] for label in labels]


def _frame_columns(frame: Any, decision_set: DecisionSet) -> list[Any]:
    """Columns of a frame, by the labels in its index; a frame without labels has its rows in the order of the items."""
    index = list(frame.index)
    if numbers_rows(index) and list(decision_set.items) != index:
        places = list(range(len(index)))
        if len(index) != decision_set.d:
            raise InvalidInputError(
                f"features must have a row for each of the {decision_set.d} items, got {len(index)}: pass one row for each item"
            )
    else:
        if len(set(index)) < len(index):
            double = next(label for place, label in enumerate(index) if label in index[:place])
            raise InvalidInputError(f"features must have one row an item, got {double!r} twice: remove one")
        places = _by_label(dict(zip(index, range(len(index)), strict=True)), decision_set)
    if not len(frame.columns):
        raise InvalidInputError("features must have a column, got none: use 'pooled' if nothing is known of the items")
    return [frame.iloc[places, j].to_numpy() for j in range(len(frame.columns))]


def _encoded(title: str, column: Any, decision_set: DecisionSet) -> list[tuple[str, FloatArray, float]]:
    """Columns of numbers with their names and scales: of numbers one, of texts one for each value but missing ones."""
    try:
        numbers = np.array(column, dtype=np.float64)
    except (TypeError, ValueError):
        return _levels(title, column)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        label = decision_set.items[wrong[0]]
        raise InvalidInputError(f"features must be finite, got {numbers[wrong[0]]} in {title!r} for {label!r}: fill the gaps")
    centre, scale = float(numbers.mean()), float(numbers.std())
    if not scale > 1e-12 * float(np.abs(numbers).max(initial=0.0)):
        return []
    return [(title, (numbers - centre) / scale, scale)]


def _levels(title: str, column: Any) -> list[tuple[str, FloatArray, float]]:
    """A column of 0 and 1 for each value; a missing value has none, as one that is not known."""
    known: dict[Hashable, list[int]] = {}
    for place, value in enumerate(column.tolist()):
        if value is not None and value == value:  # NaN is missing
            known.setdefault(str(value), []).append(place)
    levels = []
    for value, places in known.items():
        if len(places) < len(column):
            level = np.zeros(len(column))
            level[places] = 1.0
            levels.append((f"{title} = {value}", level, 1.0))
    return levels
