"""Labels of items, and numbers that carry them, as mappings and Series of pandas do, in the order of the items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Protocol

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import nearest
from semibandits.inputs.pandas_objects import has_index, numbers_rows

EXACT: Final = 2**53
"""Floats of this size and above are not the integers that they were made of."""
MOST_COMPARED: Final = 1_000
"""Number of labels that an unknown one is compared with for a message."""
_REQUIRED: Final = object()


class Items(Protocol):
    """What has labels of items: a decision set."""

    @property
    def d(self) -> int:
        """Number of items."""

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item."""


def plain(label: Any) -> Any:
    """The label, with numbers and texts of Python for those of NumPy, which JSON does not have."""
    if isinstance(label, np.bool_ | np.number | np.str_):
        return label.item()
    return tuple(map(plain, label)) if type(label) is tuple else label


def refuse_rounded(label: Any, where: str) -> None:
    """Refuse a float that has lost digits of the integer that it was made of, as ids do in a column with missing entries.

    It is also refused as a part of a label.
    """
    if isinstance(label, tuple | list):
        for part in label:
            refuse_rounded(part, where)
    elif isinstance(label, float | np.floating) and EXACT <= abs(float(label)) < np.inf:
        raise InvalidInputError(
            f"{where} must have labels with all of their digits, got the float {float(label)!r}, which stands for several ids: "
            "read ids as integers or as text; columns with missing entries become floats in pandas, unless they are Int64"
        )


def has_labels(values: object) -> bool:
    """Whether this is a mapping or a Series; fast for arrays, since oracles check their weights."""
    return not isinstance(values, np.ndarray) and (isinstance(values, Mapping) or has_index(values))


def in_item_order(values: Any, of: Items, name: str) -> Any:
    """Numbers for the items of a decision set in their order, from a mapping or a Series; anything else unchanged.

    A Series with the index of the frame that the set was built from has the rows of this frame. For errors see :func:`arranged`.
    """
    if not has_labels(values):
        return values
    index = getattr(getattr(getattr(of, "_source", None), "source", None), "index", None)
    return arranged(values, of.items, name, rows=() if index is None or callable(index) else list(index))


def arranged(values: Any, labels: Sequence[Hashable], name: str, *, missing: object = _REQUIRED, rows: Sequence[Any] = ()) -> Any:
    """Numbers in the order of these labels, from a mapping or a Series; anything else unchanged.

    A Series with the index 0, 1, ... or `rows` is in order, unless these are labels; an index that could number the rows or be
    the labels in another order is refused. `missing` is the entry for labels without a number; by default they are an error.
    """
    if isinstance(values, Mapping):
        keys, entries = list(values), list(values.values())
    elif has_index(values):
        keys, entries = list(values.index), list(values.to_numpy())
        if is_positional(keys, labels, name, rows):
            return values.to_numpy()
    else:
        return values
    known = set(labels)
    if len(known) < len(labels):
        raise InvalidInputError(
            f"labels must differ for {name} by label, got {tuple(labels)!r}: pass a sequence in the order of the items"
        )
    unknown = [key for key in keys if key not in known]
    if unknown:
        remedy = "correct them" + ", or pass .to_numpy() for numbers in the order of the items" * has_index(values)
        left = islice(map(str, known.difference(keys) or known), MOST_COMPARED)
        raise InvalidInputError(
            f"{name} must have labels of the items only, such as {labels[0]!r}, got {len(unknown)} unknown of {len(keys)} "
            f"(first: {unknown[0]!r}){nearest(unknown[0], left, remedy)}"
        )
    for key in keys:
        refuse_rounded(key, name)
    given = dict(zip(keys, entries, strict=True))
    if len(given) < len(keys):
        ((twice, _),) = Counter(keys).most_common(1)
        raise InvalidInputError(f"{name} must have each label once, got {twice!r} again: merge the two numbers")
    absent = [label for label in labels if label not in given]
    if absent and missing is _REQUIRED:
        raise InvalidInputError(
            f"{name} must have a number for each of the {len(labels)} items, got none for {len(absent)} (first: {absent[0]!r}): "
            "add them"
        )
    return [given.get(label, missing) for label in labels]


def paired(values: Any, others: Any, name: str) -> Any:
    """Numbers in the order of `others`, which are labels or a Series with the same index; anything but a Series unchanged.

    A Series of another index is refused, unless this is 0, 1, ...
    """
    if not has_index(values):
        return values
    keys, wanted = list(values.index), list(others.index if has_index(others) else others)
    if keys == wanted:
        return values.to_numpy()
    if not has_index(others) and is_positional(keys, wanted, name):
        return values.to_numpy()
    given = dict(zip(keys, values.to_numpy(), strict=True))
    if len(given) == len(wanted) == len(keys) and given.keys() == set(wanted):
        return [given[key] for key in wanted]
    if numbers_rows(keys):
        return values.to_numpy()
    raise InvalidInputError(
        f"{name} must have the index of the items, or no index but 0, 1, ..., got another one (first: {keys[:1]}): pass two "
        "columns of one frame, or .to_numpy() for numbers in the order of the items"
    )


def is_positional(keys: Sequence[Any], labels: Sequence[Hashable], name: str, rows: Sequence[Any] = ()) -> bool:
    """Whether an index of a Series numbers rows, as 0, 1, ... or as `rows`; refused if it is the labels in another order."""
    if not numbers_rows(keys) and list(keys) != list(rows):
        return False
    if not set(labels).issuperset(keys):
        return True
    if len(keys) == len(labels) and list(labels) != list(keys):
        raise InvalidInputError(
            f"{name} must have an index of labels or of rows, got {keys[0]!r} to {keys[-1]!r}, which can be both, as the labels "
            "are these in another order: pass .to_numpy() for numbers in the order of the items, or a dictionary by label"
        )
    return False
