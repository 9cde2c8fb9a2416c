"""JSON schemas of bodies and answers, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from semibandits import wire
from semibandits.service.bodies import LARGEST, MOST_ROUNDS

JSON = dict[str, Any]
STRING: Final[JSON] = {"type": "string"}
NUMBER: Final[JSON] = {"type": "number"}
TRUTH: Final[JSON] = {"type": "boolean"}
WHOLE: Final[JSON] = {"type": "integer", "minimum": 0, "maximum": LARGEST}
LABEL: Final[JSON] = {
    "description": "Label of an item: a string, a number, or a list of labels for a tuple.",
    "anyOf": [STRING, {"type": "integer"}, NUMBER, TRUTH, {"type": "null"}, {"type": "array"}],
}


def _list(items: JSON, **further: Any) -> JSON:
    return {"type": "array", "items": items, **further}


def _optional(schema: JSON) -> JSON:
    return {"anyOf": [schema, {"type": "null"}]}


def _pair(schema: JSON) -> JSON:
    """A label and a value of this schema."""
    return {"type": "array", "prefixItems": [LABEL, schema], "minItems": 2, "maxItems": 2, "items": False}


def _object(properties: Mapping[str, JSON], *, optional: tuple[str, ...] = (), **further: Any) -> JSON:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
        **further,
    }


OUTCOME: Final[JSON] = {
    "description": "Numbers in the order of the items of the round, pairs [label, number], or an object from labels to numbers; "
    "null where the outcome of an item is lost.",
    "anyOf": [
        _list(_optional(NUMBER)),
        _list(_pair(_optional(NUMBER))),
        {"type": "object", "additionalProperties": _optional(NUMBER)},
    ],
}
_OUTCOMES: Final = {"round": WHOLE, "rewards": OUTCOME, "costs": OUTCOME}
_EITHER: Final = [{"required": ["rewards"]}, {"required": ["costs"]}]


def _answers() -> dict[str, JSON]:
    """Schemas of the records that the service answers."""
    records = (
        wire.Error, wire.Health, wire.Compilation, wire.Learners, wire.Summary, wire.Estimates, wire.Bound, wire.OpenRounds,
        wire.Rounds, wire.Told, wire.Forgotten,
    )  # fmt: skip
    _, found = msgspec.json.schema_components(records, ref_template="#/components/schemas/{name}")
    for schema in found.values():
        schema["description"] = schema["description"].partition("\n")[0]
    return found


SCHEMAS: Final[dict[str, JSON]] = {
    **_answers(),
    "State": {"type": "object", "description": "See docs/learner.md, Saving."},
    "Ask": _object(
        {
            "available": {
                "description": "Labels of the items that can be chosen, or a mask in their order; an object with those that "
                "cannot, or with pairs of label and truth value for all; by default all.",
                "anyOf": [
                    _list(LABEL),
                    _object({"except": _list(LABEL)}),
                    _object({"by_label": _list(_pair(TRUTH))}),
                    {"type": "null"},
                ],
            },
            "count": {"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS, "default": 1},
        },
        optional=("available", "count"),
    ),
    "Tell": _object({**_OUTCOMES, "partial": TRUTH}, optional=("rewards", "costs", "partial"), oneOf=_EITHER),
    "TellMany": _object(
        {"outcomes": _list(_object(_OUTCOMES, optional=("rewards", "costs"), oneOf=_EITHER)), "partial": TRUTH},
        optional=("partial",),
    ),
    "Forget": _object({"round": WHOLE}),
    "Expire": _object(
        {"age": WHOLE, "before": WHOLE, "seconds": {**NUMBER, "minimum": 0, "maximum": LARGEST}},
        optional=("age", "before", "seconds"),
        minProperties=1,
        maxProperties=1,
    ),
}


def _reference(name: str) -> JSON:
    return {"$ref": f"#/components/schemas/{name}"}


def _content(name: str, description: str) -> JSON:
    return {"description": description, "content": {"application/json": {"schema": _reference(name)}}}


ERRORS: Final[dict[int | str, JSON]] = {
    "4XX": _content("Error", "The request is refused, and nothing is changed."),
    503: _content("Error", "The database does not answer; try again, with the same Idempotency-Key."),
}
KEY: Final[JSON] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Name of the call; a repeated call with the same key takes effect once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[ -~]+$"},
}


_EXAMPLES: Final[dict[str, JSON]] = {
    "Ask": {"count": 1},
    "Tell": {"round": 0, "costs": [6.5, 8.0]},
    "TellMany": {"outcomes": [{"round": 0, "costs": [6.5, 8.0]}]},
    "Forget": {"round": 0},
    "Expire": {"seconds": 3600},
}


def returns(name: str) -> JSON:
    """Arguments of a route whose answer has this schema."""
    return {"response_model": None, "openapi_extra": {"responses": {"200": _content(name, "The answer.")}}}


def takes(body: str, name: str) -> JSON:
    """Arguments of a route with a body and an answer of these schemas."""
    route = returns(name)
    content = {"application/json": {"schema": _reference(body), "example": _EXAMPLES[body]}}
    route["openapi_extra"] |= {"requestBody": {"required": body != "Ask", "content": content}, "parameters": [KEY]}
    return route


TEXT: Final[JSON] = {
    "response_model": None,
    "openapi_extra": {"responses": {"200": {"description": "The metrics.", "content": {"text/plain": {"schema": STRING}}}}},
}


def complete(document: JSON, *, public: frozenset[str]) -> JSON:
    """The OpenAPI document with the schemas, and the token for all paths that are not public."""
    parts = document.setdefault("components", {})
    parts.setdefault("schemas", {}).update(SCHEMAS)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["security"] = [] if path in public else [{"token": []}]
    return document
