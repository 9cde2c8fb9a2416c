"""Bodies of requests: strict JSON, records of `wire`, and from them arguments of a learner."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.description import rebuild
from semibandits.formats.json import strict_json
from semibandits.inputs.fields import Fields
from semibandits.inputs.selection import Available
from semibandits_server.service.answers import Refusal
from semibandits_server.service.item_labels import ItemLabels, shorter_json
from semibandits_server.wire import Ask, Expire, Observed, Replace, Request
from semibandits_server.wire import Available as AvailableItems

T = TypeVar("T", bound=Request)
BODY: Final = "the body"
_PARTS: Final[dict[str, type[Request]]] = {"available": AvailableItems, "outcomes": Observed}
"""Records inside of bodies, by field."""
_WORDS: Final = {"int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list", "object": "an object"}


def request_of(body: bytes, kind: type[T]) -> T:
    """The record of a body; an empty body is an object without fields. A body that is not JSON with finite numbers and distinct
    keys is a `Refusal` with status 400, one of another form an `InvalidInputError`.
    """
    try:
        data = _with_integers(strict_json(body)) if body.strip() else {}
    except ValueError as error:
        found = f"bytes that are not UTF-8 at position {error.start}" if isinstance(error, UnicodeDecodeError) else str(error)
        raise Refusal(400, "InvalidInputError", f"{BODY} must be JSON in UTF-8, got {found}: correct it") from error
    try:
        return kind.of(data)
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{BODY} must hold texts of Unicode, got {shorter_json(error.object)}: correct it") from error
    except ValueError as error:
        raise _explained(str(error), data, kind) from error


def _explained(message: str, data: Any, kind: type[Request]) -> InvalidInputError:
    """An error of msgspec about a key, the type or the size of a value: what was expected, what was found, and where."""
    what, _, path = message.rstrip("`").partition(" - at `$")
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
    if what.startswith("Object ") or not where:  # its keys, of which `Fields` finds the nearest
        fields = Fields(value, where or BODY)
        for known in msgspec.structs.fields(_PARTS.get(where.partition("[")[0], kind)):
            _ = fields.take(known.encode_name) if known.required else fields.take(known.encode_name, None)
        fields.finish()
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


def available(asked: Ask, items: ItemLabels) -> Available | None:
    """What is available, as the argument of a learner, whose items may be others by then: by label where the body has labels."""
    if asked.available is None:
        return None
    if isinstance(asked.available, list):
        return items.selected(asked.available, "available")
    ((name, found),) = _one_of({"except": asked.available.excepted, "by_label": asked.available.by_label}, "available").items()
    if name == "by_label":
        return _by_label(found, items, name)
    selected = items.selected(found, name)
    if isinstance(selected, np.ndarray):
        return ~selected
    excluded = set(selected)
    return lambda label: label not in excluded


def replacement(asked: Replace) -> tuple[DecisionSet, dict[str, Any]]:
    """The new decisions, and the other arguments of `replace`."""
    decision_set = rebuild(asked.decision_set)
    items = ItemLabels(decision_set.items)
    given = {name: getattr(asked, name) for name in ("variance", "prior_means", "prior_costs", "prior_plays")}
    return decision_set, {
        name: values if isinstance(values, int | float | None) else _by_label(values, items, name)
        for name, values in given.items()
    }


def known(asked: Ask, items: ItemLabels) -> dict[str, Any]:
    """What is known of the round, as the arguments `features` and `context` of a learner."""
    features = None if asked.features is None else _by_label(asked.features, items, "features")
    context = None if asked.context is None else {name: value for name, value in asked.context.items() if value is not None}
    return {"features": features, "context": context}


def outcome(told: Observed, items: ItemLabels, where: str = BODY) -> dict[str, Any]:
    """The outcome of a round, as the argument `rewards` or `costs` of a learner."""
    ((name, values),) = _one_of({"rewards": told.rewards, "costs": told.costs}, where).items()
    if isinstance(values, list) and not any(isinstance(entry, tuple) for entry in values):
        return {name: values}
    for position, entry in enumerate(values):
        if isinstance(values, list) and not isinstance(entry, tuple):
            raise InvalidInputError(f"{name}[{position}] must be a pair [label, number], got {shorter_json(entry)}: correct it")
    return {name: _by_label(values, items, name)}


def outcomes(told: list[Observed], items: ItemLabels) -> dict[str, Any]:
    """Ids of rounds with their outcomes, as the argument `outcomes` or `costs` of a learner."""
    found = [outcome(one, items, f"outcomes[{position}]") for position, one in enumerate(told)]
    kinds = {kind for one in found for kind in one}
    if len(kinds) > 1:
        raise InvalidInputError("outcomes must hold rewards or costs, got both: pass one kind in each request")
    listed = [(one.round, *values.values()) for one, values in zip(told, found, strict=True)]
    return {"costs" if kinds == {"costs"} else "outcomes": listed}


def limit_of_age(asked: Expire) -> dict[str, Any]:
    """The argument of `expire`."""
    return _one_of({"age": asked.age, "before": asked.before, "seconds": asked.seconds}, BODY)


def _one_of(values: dict[str, Any], where: str) -> dict[str, Any]:
    """The one field of these that is given."""
    given = {name: value for name, value in values.items() if value is not UNSET}
    if len(given) != 1:
        found = f"got {', '.join(given)}: drop all but one" if given else "got none: add one"
        raise InvalidInputError(f"{where} must have one of {', '.join(values)}, {found}")
    return given


def _by_label(values: dict[str, Any] | list[tuple[Hashable, Any]], items: ItemLabels, name: str) -> dict[Hashable, Any]:
    """Values by the labels of the learner, from an object or from pairs."""
    if isinstance(values, dict):
        found = [(items.index_of_key(key, name), value) for key, value in values.items()]
    else:
        found = [(items.index(label, f"{name}[{position}][0]"), value) for position, (label, value) in enumerate(values)]
    result = {items.labels[i]: value for i, value in found}
    if len(result) < len(found):
        raise InvalidInputError(f"{name} must hold each item once, got {len(found)} for {len(result)} items: drop one")
    return result
