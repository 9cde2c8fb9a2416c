"""Ids, outcomes and numbers of rounds, as learners take them in this process and over HTTP.

The client imports this, without NumPy until the first outcome.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Union

from semibandits.errors import InvalidInputError

if TYPE_CHECKING:
    from semibandits._typing import ArrayLike, FloatArray

Outcome: TypeAlias = Union["ArrayLike", Mapping[Hashable, float | None]]
"""Rewards in the order of the items of a round, or by their labels."""
Outcomes: TypeAlias = Mapping[int, Outcome] | Iterable[tuple[int, Outcome]]
"""Outcomes of several rounds, by id."""
MOST_AT_ONCE: Final = 1_000_000
"""Largest number of rounds that one call opens."""
REMEDY: Final = "costs are minimised, rewards are maximised"


def one_of(rewards: Any, costs: Any, name: str, cost_name: str = "costs") -> tuple[Any, bool]:
    """The argument that is not None, and whether it is `costs`; exactly one must be given. The names are for errors."""
    if costs is None and rewards is not None:
        return rewards, False
    if costs is not None and rewards is None:
        return costs, True
    got = "neither" if costs is None else "both"
    raise InvalidInputError(f"{name} or {cost_name} must be given, got {got}: pass one of the two; {REMEDY}")


@contextmanager
def about_costs(in_costs: bool) -> Iterator[None]:
    """Write errors about rewards as errors about costs, where costs are validated by a function for rewards.

    Quoted text, such as labels, stays as it is. Without `in_costs`, errors are not changed.
    """
    try:
        yield
    except InvalidInputError as error:
        if not in_costs:
            raise
        parts = re.split(r"('[^']*'|\"[^\"]*\")", str(error))
        parts[::2] = [re.sub(r"\breward(s?)\b", r"cost\1", part) for part in parts[::2]]
        raise InvalidInputError("".join(parts)) from error


def as_numbers(values: Any) -> FloatArray:
    """The values as new floats, NaN where they are None or masked.

    NumPy would also convert texts and dates, drop imaginary parts, and read the data under a mask.
    """
    import numpy as np

    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # None where masked
    elif isinstance(values, list | tuple):
        values = [None if value is np.ma.masked else value for value in values]
    try:
        array = np.asarray(values)
        is_text = array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.ravel().tolist())
        if is_text or array.dtype.kind not in "biufO":
            entries = array.ravel().tolist()
            place = next((k for k, value in enumerate(entries) if isinstance(value, str | bytes)), None)
            text = None if place is None else f"{entries[place]!r} at index {place}"
            what = f"{array.dtype} ones" if array.dtype.kind == "c" else text or repr(values)
            raise InvalidInputError(f"rewards must be a sequence of real numbers, got {what}: convert them first")
        return array.astype(np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"rewards must be a sequence of numbers, got {type(values).__name__}: {error}") from error


def round_number(round_id: object) -> int:
    """The id of a round, which must be an integer."""
    if isinstance(round_id, bool) or not isinstance(round_id, Integral):
        raise InvalidInputError(f"round_id must be an integer, got {round_id!r}: pass round.id")
    return int(round_id)


def listed_outcomes(outcomes: Outcomes | None, costs: Outcomes | None) -> tuple[list[tuple[int, Outcome]], bool]:
    """Ids of rounds with their outcomes, and whether these are costs. Exactly one of `outcomes` and `costs` must be given."""
    given, in_costs = one_of(outcomes, costs, "outcomes")
    pairs = given.items() if isinstance(given, Mapping) else given
    try:
        listed = [(round_id, outcome) for round_id, outcome in pairs]
    except (TypeError, ValueError) as error:
        name, values = ("costs", "costs") if in_costs else ("outcomes", "rewards")
        raise InvalidInputError(
            f"{name} must be a mapping from round ids to {values} or pairs of them, got {type(given).__name__}: {error}"
        ) from error
    return listed, in_costs


def whole_number(
    value: object, name: str, *, least: int = 0, most: int | None = None, remedy: str = "pass a number of rounds"
) -> int:
    """A number, by default of rounds, which must be an integer >= `least` and at most `most`."""
    if (
        isinstance(value, bool)
        or not isinstance(value, Integral)
        or int(value) < least
        or (most is not None and int(value) > most)
    ):
        wanted = f">= {least}" if most is None else f"from {least} to {'2**53' if most == 2**53 else format(most, ',')}"
        raise InvalidInputError(f"{name} must be an integer {wanted}, got {value!r}: {remedy}")
    return int(value)


def number_of_rounds(count: object) -> int:
    """The number of rounds that `ask_many` opens, which must be an integer from 1 to MOST_AT_ONCE."""
    return whole_number(count, "count", least=1, most=MOST_AT_ONCE, remedy="call several times for more")


def is_mask(entries: list[Any]) -> bool:
    """Whether entries are a mask rather than labels: truth values, or numbers 0 and 1 with repetitions."""
    if all(map(is_truth, entries)):
        return bool(entries)
    return are_bits(entries) and len(set(entries)) < len(entries)


def are_bits(entries: list[Any]) -> bool:
    """Whether all entries are 0 or 1, as numbers or truth values."""
    return all((isinstance(entry, Number) or is_truth(entry)) and entry in (0, 1) for entry in entries)


def is_truth(entry: object) -> bool:
    """Whether this is True or False, of Python or of NumPy."""
    return isinstance(entry, bool) or type(entry).__name__ in ("bool", "bool_")
