"""The OpenAPI document: JSON schemas of bodies and answers, from the records of `wire`."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from semibandits_server import wire

JSON = dict[str, Any]


def _content(record: str, **further: object) -> JSON:
    """The content of a request or an answer with the schema of a record."""
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{record}"}, **further}}}


ERRORS: Final[dict[int | str, JSON]] = {
    "4XX": {"description": "The request is refused, and nothing is changed.", **_content("Error")},
    503: {"description": "The database does not answer; try again, with the same Idempotency-Key.", **_content("Error")},
}
KEY: Final[JSON] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Name of the call; a repeated call with the same key takes effect once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[ -~]+$"},
}
TEXT: Final[JSON] = {
    "response_model": None,
    "openapi_extra": {
        "responses": {"200": {"description": "The metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}}
    },
}


def returns(record: str) -> JSON:
    """Arguments of a route whose answer is this record."""
    return {"response_model": None, "openapi_extra": {"responses": {"200": {"description": "The answer.", **_content(record)}}}}


def takes(body: type[wire.Request]) -> JSON:
    """Arguments of a route with this body and the answer to it."""
    route = returns(body.answer.__name__)
    content = {"required": body is not wire.Ask, **_content(body.__name__, example=body.example)}
    route["openapi_extra"] |= {"requestBody": content, "parameters": [KEY]}
    return route


def complete(document: JSON, *, public: frozenset[str]) -> JSON:
    """The OpenAPI document with the schemas, and the token for all paths that are not public."""
    records = (
        wire.Error, wire.Health, wire.Compilation, wire.Learners, wire.Summary, wire.Estimates, wire.Coefficients,
        wire.Confidence, wire.Bound, wire.OpenRounds, wire.Rounds, wire.Told, wire.Forgotten,
        wire.Ask, wire.Tell, wire.TellMany, wire.Forget, wire.Expire, wire.Replace,
    )  # fmt: skip
    _, schemas = msgspec.json.schema_components(records, ref_template="#/components/schemas/{name}")
    for schema in schemas.values():
        schema["description"] = schema["description"].partition("\n")[0]
    for name in ("Tell", "Observed"):
        schemas[name]["oneOf"] = [{"required": ["rewards"]}, {"required": ["costs"]}]
    for name in ("Available", "Expire"):
        schemas[name] |= {"minProperties": 1, "maxProperties": 1}
    schemas["State"] = {"type": "object", "description": "See docs/learner.md, Saving."}
    parts = document.setdefault("components", {})
    parts.setdefault("schemas", {}).update(schemas)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["security"] = [] if path in public else [{"token": []}]
    return document
