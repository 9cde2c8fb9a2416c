"""Bodies of requests: strict JSON, and its fields as arguments of a learner."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Final

from semibandits._fields import Fields, as_list, kind_of
from semibandits._json import strict_json
from semibandits._outcomes import Outcome
from semibandits._typing import BoolArray
from semibandits.errors import InvalidInputError
from semibandits.learning.availability import available_items
from semibandits.service.answers import Refusal
from semibandits.service.item_labels import ItemLabels, shorter_json

BODY: Final = "the body"
MOST_ROUNDS: Final = 1_000
"""Largest number of rounds of one ask."""
LARGEST: Final = 2**53
_ABSENT: Final = object()


def fields_of(body: bytes) -> Fields:
    """The fields of a JSON object; an empty body is one without fields.

    Raises
    ------
    Refusal
        If the body is not JSON with finite numbers and distinct keys.
    InvalidInputError
        If it is not an object.
    """
    try:
        return Fields(strict_json(body) if body.strip() else {}, BODY)
    except UnicodeDecodeError as error:
        raise _malformed(f"bytes that are not UTF-8 at position {error.start}") from error
    except ValueError as error:
        if isinstance(error, InvalidInputError):
            raise
        raise _malformed(str(error)) from error


def count(fields: Fields) -> int:
    """Number of rounds to ask for, 1 by default."""
    value = whole(fields, "count", default=1)
    if not 1 <= value <= MOST_ROUNDS:
        raise InvalidInputError(f"count must be from 1 to {MOST_ROUNDS:,}, got {value}: ask several times")
    return value


def whole(fields: Fields, key: str, *, default: Any = _ABSENT) -> int:
    """A whole number >= 0."""
    value = fields.take(key) if default is _ABSENT else fields.take(key, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON has one kind of numbers
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise InvalidInputError(f"{key} must be a whole number from 0 to 2^53, got {shorter_json(value)}: correct it")
    return value


def available(fields: Fields, items: ItemLabels) -> BoolArray | None:
    """Mask of the items that are available, None if all are."""
    value = fields.take("available", None)
    if value is None:
        return None
    if not isinstance(value, dict):
        return items.mask(as_list(value, "available"), "available")
    inner = Fields(value, "available")
    if "by_label" in value:
        by_label = _by_label(_pairs(as_list(inner.take("by_label"), "by_label"), items, "by_label"), items, "by_label")
        inner.finish()
        return available_items(by_label, items.labels)
    excepted = as_list(inner.take("except"), "except")
    inner.finish()
    return ~items.mask(excepted, "except")


def flag(fields: Fields, key: str) -> bool:
    """A truth value, false by default."""
    value = fields.take(key, False)
    if not isinstance(value, bool):
        raise InvalidInputError(f"{key} must be true or false, got {shorter_json(value)}: write it without quotes")
    return value


def outcome(fields: Fields, items: ItemLabels, where: str) -> tuple[int, Outcome, bool]:
    """Id of a round, its outcome, and whether that is in costs."""
    number = whole(fields, "round")
    given = {key: value for key in ("rewards", "costs") if (value := fields.take(key, _ABSENT)) is not _ABSENT}
    if len(given) != 1:
        found = "got both: drop one" if given else fields.instead("rewards", "costs")
        raise InvalidInputError(f"{where} must have either rewards or costs, {found}")
    ((key, value),) = given.items()
    return number, _outcome(value, items, key), key == "costs"


def outcomes(fields: Fields, items: ItemLabels) -> tuple[list[tuple[int, Outcome]], bool]:
    """Ids of rounds with their outcomes, and whether these are in costs."""
    listed, kinds = [], set()
    for position, part in enumerate(fields.sequence("outcomes")):
        where = f"outcomes[{position}]"
        inner = Fields(part, where)
        number, values, in_costs = outcome(inner, items, where)
        inner.finish()
        listed.append((number, values))
        kinds.add(in_costs)
    if len(kinds) > 1:
        raise InvalidInputError("outcomes must hold rewards or costs, got both: pass one kind in each request")
    return listed, kinds == {True}


def limit_of_age(fields: Fields) -> dict[str, Any]:
    """The argument of `expire`: `age`, `before` or `seconds`."""
    keys = ("age", "before", "seconds")
    given = {key: value for key in keys if (value := fields.take(key, _ABSENT)) is not _ABSENT}
    if len(given) != 1:
        found = f"got {', '.join(given)}: drop all but one" if given else fields.instead(*keys)
        raise InvalidInputError(f"{BODY} must have one of age, before and seconds, {found}")
    ((key, value),) = given.items()
    if key == "seconds":
        return {key: _seconds(value)}
    return {key: whole(Fields(given, BODY), key)}


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise InvalidInputError(f"seconds must be a number from 0 to 2^53, got {shorter_json(value)}: correct it")
    return float(value)


def _outcome(value: Any, items: ItemLabels, key: str) -> Any:
    """Numbers in the order of the items of the round, or by label."""
    if isinstance(value, dict):
        return _numbers_by_label([(items.index_of_key(name, key), one) for name, one in value.items()], items, key)
    if not isinstance(value, list):
        raise InvalidInputError(
            f"{key} must be a list of numbers, a list of pairs [label, number] or an object, got {kind_of(value)}: pass one"
        )
    if not any(isinstance(entry, list) for entry in value):
        return [_number(entry, f"{key}[{position}]") for position, entry in enumerate(value)]
    return _numbers_by_label(_pairs(value, items, key), items, key)


def _numbers_by_label(pairs: list[tuple[int, Any]], items: ItemLabels, key: str) -> Outcome:
    return {label: _number(value, f"{key} of an item") for label, value in _by_label(pairs, items, key).items()}


def _pairs(entries: list[Any], items: ItemLabels, key: str) -> list[tuple[int, Any]]:
    """Indices of items and what stands beside their labels."""
    pairs = []
    for position, entry in enumerate(entries):
        if not isinstance(entry, list) or len(entry) != 2:
            raise InvalidInputError(f"{key}[{position}] must be a pair [label, number], got {shorter_json(entry)}: correct it")
        pairs.append((items.index(entry[0], f"{key}[{position}][0]"), entry[1]))
    return pairs


def _by_label(pairs: list[tuple[int, Any]], items: ItemLabels, key: str) -> dict[Hashable, Any]:
    result = {items.labels[i]: value for i, value in pairs}
    if len(result) < len(pairs):
        raise InvalidInputError(f"{key} must hold each item once, got {len(pairs)} for {len(result)} items: drop one")
    return result


def _number(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInputError(f"{where} must be a number or null, got {shorter_json(value)}: write it without quotes")
    result = float(value)
    assert math.isfinite(result)  # strict JSON has no other numbers, and no integers of more than 300 digits
    return result


def _malformed(found: str) -> Refusal:
    return Refusal(400, "InvalidInputError", f"{BODY} must be JSON in UTF-8, got {found}: correct it")
