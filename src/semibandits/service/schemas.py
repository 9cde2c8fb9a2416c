"""JSON schemas of bodies and answers, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from semibandits import wire

JSON = dict[str, Any]
STRING: Final[JSON] = {"type": "string"}
_EITHER: Final = [{"required": ["rewards"]}, {"required": ["costs"]}]


def _schemas() -> dict[str, JSON]:
    """Schemas of what the service takes and answers."""
    records = (
        wire.Error, wire.Health, wire.Compilation, wire.Learners, wire.Summary, wire.Estimates, wire.Bound, wire.OpenRounds,
        wire.Rounds, wire.Told, wire.Forgotten, wire.Ask, wire.Tell, wire.TellMany, wire.Forget, wire.Expire,
    )  # fmt: skip
    _, found = msgspec.json.schema_components(records, ref_template="#/components/schemas/{name}")
    for schema in found.values():
        schema["description"] = schema["description"].partition("\n")[0]
    for name in ("Tell", "Observed"):
        found[name]["oneOf"] = _EITHER
    for name in ("Available", "Expire"):
        found[name] |= {"minProperties": 1, "maxProperties": 1}
    return found | {"State": {"type": "object", "description": "See docs/learner.md, Saving."}}


SCHEMAS: Final = _schemas()


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
