"""Features as a table of numbers: one row an item, one column an effect."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.pandas_objects import numbers_rows
from semibandits.inputs.validation import check_choice

POOLED: Final = "pooled"
ADDITIVE: Final = "additive"
NAMED: Final = (POOLED, ADDITIVE)
MOST_DEVIATIONS: Final = 1e4
"""Largest distance of a number from the mean, in standard deviations: sums of squares stay exact."""
MEAN: Final = "mean of all"
"""Name of the column of ones."""


class Column(NamedTuple):
    """How a column of a table becomes numbers: ``(value - centre) / scale``, or a 1 in the place of its category."""

    title: str
    centre: float
    scale: float
    categories: tuple[str, ...] | None  # None if the column holds numbers

    @property
    def names(self) -> list[str]:
        """Names of its effects."""
        return [self.title] if self.categories is None else [f"{self.title} = {value}" for value in self.categories]

    @property
    def scales(self) -> list[float]:
        """Number of units of the column in one of each effect."""
        return [self.scale] * (1 if self.categories is None else len(self.categories))

    def encoded(self, values: Any, owners: Sequence[Any], what: str = "features") -> FloatArray:
        """Numbers of these values, shape (n, number of effects); `owners` tell whose they are. Unknown categories have none."""
        if self.categories is None:
            numbers = (_numbers(self.title, values, owners, what) - self.centre) / self.scale
            far = np.flatnonzero(np.abs(numbers) > MOST_DEVIATIONS)
            if len(far):
                raise InvalidInputError(
                    f"{what} must be like those at the start, got {values[far[0]]!r:.40} in {self.title!r} for "
                    f"{owners[far[0]]!r}, more than {MOST_DEVIATIONS:,.0f} standard deviations away: check the unit"
                )
            return numbers[:, None]
        return np.array([[str(value) == name for name in self.categories] for value in values], dtype=np.float64).reshape(
            len(owners), len(self.categories)
        )

    def state(self) -> list[Any]:
        """The fields as plain JSON."""
        return [self.title, self.centre, self.scale, None if self.categories is None else list(self.categories)]

    @classmethod
    def of(cls, title: str, values: Any, owners: Sequence[Any]) -> Self:
        """The column for these values: numbers are centred and scaled, texts are categories; a missing one is none of them."""
        if not isinstance(values, np.ndarray) or values.dtype.hasobject:
            values = [None if _is_missing(value) else value for value in values]
        try:
            np.array(values, dtype=np.float64)
        except OverflowError:
            pass  # a number, which is refused below
        except (TypeError, ValueError):
            return cls(title, 0.0, 1.0, tuple(dict.fromkeys(str(value) for value in values if value is not None)))
        numbers = _numbers(title, values, owners)
        centre, scale = float(numbers.mean()), float(numbers.std())
        return cls(title, centre, scale if scale > 1e-12 * float(np.abs(numbers).max(initial=0.0)) else 1.0, None)


def _is_missing(value: Any) -> bool:
    """Whether it is None, NaN, or NA of pandas, which is neither equal to itself nor different."""
    same = value == value
    return value is None or (not (isinstance(same, bool | np.bool_) and bool(same)) and np.ndim(value) == 0)


def _numbers(title: str, values: Any, owners: Sequence[Any], what: str = "features") -> FloatArray:
    """Finite numbers."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        raise InvalidInputError(f"{what} must be at most {LARGEST_NUMBER:g} in size in {title!r}, got more: scale them") from None
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"{what} must be numbers in {title!r}, as they were at the start, got {values!r:.80}: convert them"
        ) from None
    wrong = np.flatnonzero(~(np.abs(numbers) <= LARGEST_NUMBER))
    if len(wrong):
        number, label = numbers[wrong[0]], owners[wrong[0]]
        wanted, remedy = ("at most 1e100 in size", "scale them") if np.isfinite(number) else ("finite", "fill the gaps")
        raise InvalidInputError(f"{what} must be {wanted}, got {number} in {title!r} for {label!r}: {remedy}")
    return numbers


def _encoded(columns: Sequence[Column], values: Sequence[Any], owners: Sequence[Any]) -> FloatArray:
    is_plain = all(column.categories is None for column in columns)
    if columns and is_plain and all(isinstance(each, np.ndarray) for each in values):
        numbers = np.array(values)  # in one step: features of a round may change with each ask
        if numbers.dtype.kind in "fiu" and np.isfinite(numbers).all():
            centres, scales = (np.array([getattr(column, name) for column in columns]) for name in ("centre", "scale"))
            scaled = np.asarray((numbers.T - centres) / scales)
            if (np.abs(scaled) <= MOST_DEVIATIONS).all():
                return scaled
    parts = [column.encoded(each, owners) for column, each in zip(columns, values, strict=True)]
    return np.hstack((np.empty((len(owners), 0)), *parts))


class RoundFeatures(NamedTuple):
    """What is known of a round, as numbers: features of items in place of theirs, and features of the round."""

    items: IntArray  # (n,), of which features are given
    rows: FloatArray  # (n, number of effects of items)
    context: FloatArray  # (number of effects of a round,)

    def state(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return {"items": self.items.tolist(), "rows": self.rows.tolist(), "context": self.context.tolist()}


@dataclass(frozen=True, eq=False)
class Design:
    """Features phi of d items: the column of ones, those of the items, those of a round, and the products of these two.

    Outside rounds, those of a round are 0: numbers at their mean, and no category.
    """

    kind: str | None  # "pooled", "additive", or None for a table
    columns: tuple[Column, ...]  # of a table
    context: tuple[Column, ...]  # of a round
    own: FloatArray  # (d, number of effects of items)
    names: tuple[str, ...]  # (k,), of all effects
    scales: FloatArray  # (k,): number of the original units in one of an effect
    matrix: FloatArray  # (d, k), outside rounds

    @classmethod
    def of(cls, features: Any, decision_set: DecisionSet, context: Any = None) -> Self:
        """Features from a name, an array of shape (d, k), or a frame or mapping with a row for each label, or columns by title.

        `context` holds examples of the features of a round: a frame, or a mapping from name to values.
        """
        if isinstance(features, cls):
            return features
        labels, kind = decision_set.items, None
        columns: tuple[Column, ...] = ()
        if isinstance(features, str):
            check_choice(features, NAMED, "features", "pass one of these, or a table with a row for each item")
            kind = features
            names, own = _additive(decision_set) if kind == ADDITIVE else ([], np.empty((decision_set.d, 0)))
        else:
            titles, values = _columns(features, labels)
            titles = titles or _numbered(values)
            columns = tuple(Column.of(title, each, labels) for title, each in zip(titles, values, strict=True))
            names, own = _effects(columns), _encoded(columns, values, labels)
        return cls._made(kind, columns, () if context is None else _context_columns(context), names, own)

    @property
    def text(self) -> str:
        """The name or the columns of the features, and the names of the context."""
        return words_of(self.kind, self.columns, self.context)

    @classmethod
    def _made(
        cls, kind: str | None, columns: tuple[Column, ...], context: tuple[Column, ...], names: list[str], own: FloatArray
    ) -> Self:
        if context and not names:
            raise InvalidInputError(
                "context needs features of the items, which it is multiplied by, got 'pooled': pass a table, or 'additive'"
            )
        scales = np.array([scale for column in columns for scale in column.scales] if columns else [1.0] * len(names))
        others = [name for column in context for name in column.names]
        other_scales = np.array([scale for column in context for scale in column.scales])
        all_names = (MEAN, *names, *others, *(f"{name} x {other}" for name in names for other in others))
        all_scales = np.concatenate(([1.0], scales, other_scales, np.outer(scales, other_scales).ravel()))
        matrix = _crossed(own, np.zeros(len(others)))
        return cls(kind, columns, context, own, all_names, all_scales, matrix)

    def seen(self, features: Any, context: Any, decision_set: DecisionSet) -> RoundFeatures | None:
        """Encode the features and the context that `Learner.ask` was given; None if there are none."""
        values = self._context(context)
        if features is None:
            return (
                None if not self.context else RoundFeatures(np.empty(0, dtype=np.int64), np.empty((0, self.own.shape[1])), values)
            )
        if not self.columns:
            raise InvalidInputError(
                f"features of a round need a learner with a table of features, got features={self.kind!r}: leave them out"
            )
        labels, items = decision_set.items, np.arange(decision_set.d)
        if isinstance(features, Mapping) and set(features) < set(labels):
            items = np.array([i for i, label in enumerate(labels) if label in features], dtype=np.int64)
            labels = tuple(labels[i] for i in items.tolist())
        titles, columns = _columns(features, labels)
        return RoundFeatures(items, _encoded(self.columns, self._ordered(titles, columns), labels), values)

    def _ordered(self, titles: list[str] | None, columns: list[Any]) -> list[Any]:
        """Columns of a round in the order of those of the table; by position if they have no titles."""
        wanted = [column.title for column in self.columns]
        if titles is None and (len(columns) == len(wanted) or not columns):
            return columns or [()] * len(wanted)
        if titles is None or sorted(titles) != sorted(wanted):
            raise InvalidInputError(
                f"features must have the columns {wanted}, got {titles or len(columns)}: pass the columns of the learner"
            )
        return [columns[titles.index(title)] for title in wanted]

    def for_items(self, features: Any, decision_set: DecisionSet) -> Design:
        """The same effects for other items, where tables have the same columns; otherwise new ones."""
        if not isinstance(features, str):
            titles, values = _columns(features, decision_set.items)
            if sorted(titles or _numbered(values)) == sorted(column.title for column in self.columns):
                own = _encoded(self.columns, self._ordered(titles, values), decision_set.items)
                return Design._made(None, self.columns, self.context, _effects(self.columns), own)
        new = Design.of(features, decision_set)
        return Design._made(new.kind, new.columns, self.context, list(new.names[1:]), new.own)

    def _context(self, context: Any) -> FloatArray:
        """Features of a round, shape (number of its effects,)."""
        titles = [column.title for column in self.context]
        if not titles:
            if context is None:
                return np.empty(0)
            raise InvalidInputError("context must be left out, got one: this learner was created without context=")
        if not isinstance(context, Mapping) and not hasattr(context, "index"):
            got = "none" if context is None else f"{context!r:.80}"
            raise InvalidInputError(
                f"context must be a mapping with the names {titles}, got {got}: leave out what is not known, or pass {{}}"
            )
        odd = next((name for name, value in context.items() if np.ndim(value)), None)
        if odd is not None:
            raise InvalidInputError(f"context must have one value for each name, got {context[odd]!r:.80} for {odd!r}: pass one")
        return self._known({name: [value] for name, value in context.items()}, ["this round"], "context").ravel()

    def contexts(self, given: Any, n: int) -> FloatArray:
        """Features of the rounds of n observations, shape (n, number of effects of a round)."""
        values = _examples(given, "contexts")
        odd = next((name for name, each in values.items() if len(each) != n), None)
        if odd is not None:
            raise InvalidInputError(
                f"contexts must have a value for each of the {n} observations, got {len(values[odd])} of {odd!r}: pass one each"
            )
        return self._known(values, [f"observation {i}" for i in range(n)], "contexts")

    def _known(self, given: Mapping[str, Any], owners: Sequence[str], name: str) -> FloatArray:
        """Features of several rounds, 0 where they are not known."""
        titles = [column.title for column in self.context]
        unknown = [title for title in given if title not in titles]
        if unknown:
            raise InvalidInputError(f"{name} must have names out of {titles}, got {unknown[0]!r}: rename it, or leave it out")
        parts = [np.empty((len(owners), 0))]
        for column in self.context:
            values = list(given.get(column.title, [None] * len(owners)))
            usual = column.centre if column.categories is None else None
            parts.append(column.encoded([usual if _is_missing(value) else value for value in values], owners, name))
        return np.hstack(parts)

    def crossed(self, items: IntArray, contexts: FloatArray) -> FloatArray:
        """Features of these items in rounds with these contexts, shape (n, k)."""
        return _crossed(self.own[items], contexts)

    def rows(self, seen: RoundFeatures) -> FloatArray:
        """Features in a round, shape (d, k)."""
        own = self.own
        if len(seen.items):
            own = own.copy()
            own[seen.items] = seen.rows
        return _crossed(own, seen.context)

    def read(self, state: Any) -> RoundFeatures:
        """Read what `RoundFeatures.state` has written; errors of Python if it is malformed."""
        items = np.array(state["items"], dtype=np.int64).reshape(-1)
        if ((items < 0) | (items >= len(self.own))).any():
            raise ValueError("features of another learner")
        rows = finite(state["rows"], (len(items), self.own.shape[1]))
        return RoundFeatures(items, rows, finite(state["context"], (len(_effects(self.context)),)))

    def state(self) -> str | dict[str, Any]:
        """The name, or the table and how its columns become numbers, as plain JSON."""
        if self.kind is not None and not self.context:
            return self.kind
        state: dict[str, Any] = {"context": [column.state() for column in self.context]}
        if self.kind is not None:
            return {"kind": self.kind, **state}
        return {"columns": [column.state() for column in self.columns], **state, "rows": self.own.tolist()}

    @classmethod
    def restored(cls, state: Any, decision_set: DecisionSet) -> Self:
        """The design of a state."""
        if isinstance(state, str):
            return cls.of(state, decision_set)
        try:
            context = tuple(map(_column, state["context"]))
            if "kind" in state:
                named = cls.of(state["kind"], decision_set)
                return cls._made(named.kind, (), context, list(named.names[1:]), named.own)
            columns, own = tuple(map(_column, state["columns"])), np.array(state["rows"], dtype=np.float64)
            names = _effects(columns)
            is_valid = own.shape == (decision_set.d, len(names)) and bool(np.isfinite(own).all())
        except (KeyError, TypeError, ValueError):
            is_valid = False
        if not is_valid:
            raise InvalidInputError("features must hold a row for each item, but they do not: the state is damaged, use a copy")
        return cls._made(None, columns, context, names, own)


def words_of(kind: str | None, columns: Iterable[Sequence[Any]], context: Iterable[Sequence[Any]]) -> str:
    """Features in words; columns are those of a design or of its state."""
    own, others = (", ".join(column[0] for column in each) for each in (columns, context))
    return f"{kind or own}{others and f'; context of rounds: {others}'}"


def _column(listed: Any) -> Column:
    title, centre, scale, categories = listed
    column = Column(str(title), float(centre), float(scale), None if categories is None else tuple(map(str, categories)))
    if not (np.isfinite(column.centre) and 0.0 < column.scale < np.inf):
        raise ValueError("a scale that is not positive")
    return column


def _effects(columns: Iterable[Column]) -> list[str]:
    return [name for column in columns for name in column.names]


def _crossed(own: FloatArray, context: FloatArray) -> FloatArray:
    """One, features of the items, features of the round or of the round of each, and their products."""
    d, context = len(own), np.atleast_2d(context)
    products = (own[:, :, None] * context[:, None, :]).reshape(d, -1)
    return np.hstack((np.ones((d, 1)), own, np.broadcast_to(context, (d, context.shape[1])), products))


def _examples(context: Any, what: str) -> dict[str, Any]:
    """Values by name, from a frame or a mapping."""
    if hasattr(context, "columns") and hasattr(context, "iloc"):
        return {str(name): context[name].to_numpy() for name in context.columns}
    if isinstance(context, Mapping):
        return {str(name): np.atleast_1d(np.asarray(values, dtype=object)) for name, values in context.items()}
    raise InvalidInputError(
        f"{what} must hold values by name, got {context!r:.80}: pass a frame of earlier rounds, or for instance "
        "{'device': ['phone', 'desktop'], 'hour': [0, 23]}"
    )


def _context_columns(context: Any) -> tuple[Column, ...]:
    """Columns of the features of a round, from examples."""
    examples = _examples(context, "context")
    if not examples or not all(len(values) for values in examples.values()):
        raise InvalidInputError(
            f"context must hold an example for each name, got {context!r:.80}: leave it out if nothing is known"
        )
    return tuple(Column.of(name, values, [f"example {i}" for i in range(len(values))]) for name, values in examples.items())


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


def _numbered(columns: list[Any]) -> list[str]:
    """Titles of columns that have none."""
    return [f"feature {j}" for j in range(len(columns))]


def _columns(features: Any, labels: Sequence[Hashable]) -> tuple[list[str] | None, list[Any]]:
    """Titles, if there are any, and columns of a table, its rows in the order of these items."""
    d = len(labels)
    if isinstance(features, Mapping):
        known = set(labels)
        names, sizes = [name for name in features if name not in known], {np.size(one) for one in features.values()}
        if names and sizes == {d}:
            return [str(title) for title in features], list(features.values())
        if names and len(names) == len(features) and not any(isinstance(one, Mapping) for one in features.values()):
            raise InvalidInputError(
                f"features must have d = {d} values for each name, or a row for each item, got {np.size(features[names[0]])} for "
                f"{names[0]!r}: see decision_set.items"
            )
        rows = _by_label(features, labels)
        if rows and all(isinstance(row, Mapping) for row in rows):
            titles = list(rows[0])
            odd = next((label for label, row in zip(labels, rows, strict=True) if set(row) != set(titles)), None)
            if odd is not None:
                raise InvalidInputError(f"features must have the same names for each item, got others for {odd!r}: fill the gaps")
            return [str(title) for title in titles], [[row[title] for row in rows] for title in titles]
        widths = {np.ndim(row) and len(row) for row in rows}
        if len(widths) > 1:
            raise InvalidInputError(f"features must have rows of one length, got lengths {sorted(widths)}: fill the gaps")
        features = np.array([np.atleast_1d(np.asarray(row, dtype=object)) for row in rows], dtype=object).reshape(
            d, -1 if d else 0
        )
    elif hasattr(features, "columns") and hasattr(features, "loc"):
        return [str(name) for name in features.columns], _frame_columns(features, labels)
    if np.ndim(features) == 0:
        raise InvalidInputError(f"features must be a table, {POOLED!r} or {ADDITIVE!r}, got {features!r:.80}: pass one of these")
    table = np.asarray(features, dtype=None if not isinstance(features, Sequence) else object)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[0] != d or (d and table.shape[1] == 0):
        raise InvalidInputError(f"features must have shape (d, k) with d = {d}, got {table.shape}: pass one row for each item")
    return None, list(table.T)


def _by_label(rows: Mapping[Any, Any], labels: Sequence[Hashable]) -> list[Any]:
    """Entries of a mapping in the order of the items."""
    missing = [label for label in labels if label not in rows]
    if missing or len(rows) > len(labels):
        known = set(labels)
        got = f"none for {missing[0]!r}" if missing else f"one for {next(key for key in rows if key not in known)!r}"
        raise InvalidInputError(f"features must have a row for each item and no others, got {got}: see decision_set.items")
    return [rows[label] for label in labels]


def _frame_columns(frame: Any, labels: Sequence[Hashable]) -> list[Any]:
    """Columns of a frame, by the labels in its index; a frame without labels has its rows in the order of the items."""
    index = list(frame.index)
    if numbers_rows(index) and list(labels) != index:
        places = list(range(len(index)))
        if len(index) != len(labels):
            raise InvalidInputError(
                f"features must have a row for each of the {len(labels)} items, got {len(index)}: pass one row for each item"
            )
    else:
        if len(set(index)) < len(index):
            double = next(label for place, label in enumerate(index) if label in index[:place])
            raise InvalidInputError(f"features must have one row an item, got {double!r} twice: remove one")
        places = _by_label(dict(zip(index, range(len(index)), strict=True)), labels)
    if not len(frame.columns):
        raise InvalidInputError("features must have a column, got none: use 'pooled' if nothing is known of the items")
    return [frame.iloc[places, j].to_numpy() for j in range(len(frame.columns))]


def seen_of(design: Design | None, features: Any, context: Any, decision_set: DecisionSet) -> RoundFeatures | None:
    """Encode the features and the context that `Learner.ask` was given; `design` is None for learners without features."""
    if design is not None:
        return design.seen(features, context, decision_set)
    for name, given in (("features", features), ("context", context)):
        if given is not None:
            raise InvalidInputError(f"{name} must be left out, got some: this learner was created without {name}=")
    return None


def finite(listed: Any, shape: tuple[int, ...]) -> FloatArray:
    """Read finite numbers of this shape from JSON; errors of Python otherwise."""
    numbers = np.array(listed, dtype=np.float64).reshape(shape)
    if not np.isfinite(numbers).all():
        raise ValueError("numbers that are not finite")
    return numbers
