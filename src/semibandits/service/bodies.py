"""Bodies of requests: strict JSON, records of `wire`, and from them arguments of a learner."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from semibandits._fields import Fields
from semibandits._json import strict_json
from semibandits._outcomes import Outcome
from semibandits._typing import BoolArray
from semibandits.errors import InvalidInputError
from semibandits.learning.availability import available_items
from semibandits.service.answers import Refusal
from semibandits.service.item_labels import ItemLabels, shorter_json
from semibandits.wire import Ask, Available, Expire, Observed, Request

T = TypeVar("T", bound=Request)
BODY: Final = "the body"
_WORDS: Final = {"int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list", "object": "an object"}


def request_of(body: bytes, kind: type[T]) -> T:
    """The record of a body; an empty body is an object without fields.

    Raises
    ------
    Refusal
        If the body is not JSON with finite numbers and distinct keys.
    InvalidInputError
        If it has another form.
    """
    try:
        data = strict_json(body) if body.strip() else {}
    except UnicodeDecodeError as error:
        raise _malformed(f"bytes that are not UTF-8 at position {error.start}") from error
    except ValueError as error:
        raise _malformed(str(error)) from error
    data = _with_integers(data)
    check_keys(data, kind, BODY)
    parts = data.get("outcomes")
    inner: list[tuple[Any, type[Request], str]] = [(data.get("available"), Available, "available")]
    inner += [(part, Observed, f"outcomes[{k}]") for k, part in enumerate(parts if isinstance(parts, list) else ())]
    for part, of, where in inner:
        if isinstance(part, dict):
            check_keys(part, of, where)
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise explained(error, data) from error
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{BODY} must hold texts of Unicode, got {shorter_json(error.object)}: correct it") from error


def check_keys(data: object, kind: type[Request], where: str) -> None:
    """Refuse an object that lacks a key of the record, or has another one.

    Raises
    ------
    InvalidInputError
        With the nearest key, if one is near.
    """
    fields = Fields(data, where)
    for name, is_required in _keys(kind):
        _ = fields.take(name) if is_required else fields.take(name, None)
    fields.finish()


@cache
def _keys(kind: type[Request]) -> list[tuple[str, bool]]:
    """Keys of a record, and whether each is required; msgspec takes a fifth of a millisecond to find them."""
    return [(known.encode_name, known.required) for known in msgspec.structs.fields(kind)]


def explained(error: msgspec.ValidationError, data: Any) -> InvalidInputError:
    """An error about the type or the size of a value: what was expected, what was found, and where."""
    what, _, path = str(error).rstrip("`").partition(" - at `$")
    where, value = path.removeprefix("."), data
    for key in re.findall(r"\w+|\.\.\.", path):
        if key == "...":  # msgspec does not say which key of an object; all other objects are records
            wrong = [
                (name, one) for name, one in value.items() if isinstance(one, bool) or not isinstance(one, int | float | None)
            ]
            name, value = wrong[0] if wrong else ("...", value)
            where = where.replace("[...]", f"[{shorter_json(name)}]")
        else:
            value = value[int(key)] if isinstance(value, list) else value[key]
    expected = re.sub(r"`([^`]*)`", lambda kinds: " or ".join(_WORDS.get(kind, kind) for kind in kinds[1].split(" | ")), what)
    expected = expected.removeprefix("Expected ").partition(", got ")[0]
    return InvalidInputError(f"{where or BODY} must be {expected}, got {shorter_json(value)}: correct it")


def _with_integers(data: Any) -> Any:
    """The data with whole numbers for floats such as 2.0, since JSON has one kind of numbers."""
    if isinstance(data, dict):
        return {key: _with_integers(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_with_integers(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() and abs(data) < 1e15 else data


def available(asked: Ask, items: ItemLabels) -> BoolArray | None:
    """Mask of the items that are available, None if all are."""
    if asked.available is None:
        return None
    if isinstance(asked.available, list):
        return items.mask(asked.available, "available")
    name, found = _one_of({"except": asked.available.excepted, "by_label": asked.available.by_label}, "available")
    if name == "except":
        return ~items.mask(found, name)
    pairs = [(items.index(label, f"{name}[{position}][0]"), bit) for position, (label, bit) in enumerate(found)]
    return available_items(_by_label(pairs, items, name), items.labels)


def outcome(told: Observed, items: ItemLabels, where: str = BODY) -> tuple[int, Outcome, bool]:
    """Id of a round, its outcome, and whether that is in costs."""
    key, value = _one_of({"rewards": told.rewards, "costs": told.costs}, where)
    if isinstance(value, dict):
        value = _by_label([(items.index_of_key(name, key), number) for name, number in value.items()], items, key)
    elif any(isinstance(entry, tuple) for entry in value):
        pairs = []
        for position, entry in enumerate(value):
            if not isinstance(entry, tuple):
                raise InvalidInputError(
                    f"{key}[{position}] must be a pair [label, number], got {shorter_json(entry)}: correct it"
                )
            pairs.append((items.index(entry[0], f"{key}[{position}][0]"), entry[1]))
        value = _by_label(pairs, items, key)
    return told.round, value, key == "costs"


def outcomes(told: list[Observed], items: ItemLabels) -> tuple[list[tuple[int, Outcome]], bool]:
    """Ids of rounds with their outcomes, and whether these are in costs."""
    found = [outcome(one, items, f"outcomes[{position}]") for position, one in enumerate(told)]
    kinds = {in_costs for _, _, in_costs in found}
    if len(kinds) > 1:
        raise InvalidInputError("outcomes must hold rewards or costs, got both: pass one kind in each request")
    return [(number, values) for number, values, _ in found], kinds == {True}


def limit_of_age(asked: Expire) -> dict[str, Any]:
    """The argument of `expire`."""
    name, value = _one_of({"age": asked.age, "before": asked.before, "seconds": asked.seconds}, BODY)
    return {name: value}


def _one_of(values: Mapping[str, Any], where: str) -> tuple[str, Any]:
    """The one field of these that is given."""
    given = {name: value for name, value in values.items() if value is not UNSET}
    if len(given) != 1:
        found = f"got {', '.join(given)}: drop all but one" if given else "got none: add one"
        raise InvalidInputError(f"{where} must have one of {', '.join(values)}, {found}")
    ((name, value),) = given.items()
    return name, value


def _by_label(pairs: list[tuple[int, Any]], items: ItemLabels, key: str) -> dict[Hashable, Any]:
    result = {items.labels[i]: value for i, value in pairs}
    if len(result) < len(pairs):
        raise InvalidInputError(f"{key} must hold each item once, got {len(pairs)} for {len(result)} items: drop one")
    return result


def _malformed(found: str) -> Refusal:
    return Refusal(400, "InvalidInputError", f"{BODY} must be JSON in UTF-8, got {found}: correct it")
