"""Explicit lists of decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.errors import InvalidInputError
from semibandits.families.family import JSON, Family, Guarantee, Guarantees, Nouns
from semibandits.families.labels import decode_labels, encode_labels, ones_by_row, plain_list
from semibandits.inputs.fields import Fields, as_integers


def _write(x: EnumeratedDecisions) -> JSON:
    rows = [np.flatnonzero(row).tolist() for row in x.enumerate(x.count())]
    return {"decisions": rows, "items": encode_labels(x.items)}


def _read(data: Mapping[str, Any]) -> EnumeratedDecisions:
    items = decode_labels(data["items"])
    return EnumeratedDecisions(ones_by_row(plain_list(data["decisions"]), len(items)), items=items)


def _build(fields: Fields, d: int) -> EnumeratedDecisions:
    rows = [as_integers(row, f"decisions[{i}]") for i, row in enumerate(fields.sequence("decisions"))]
    for i, row in enumerate(rows):
        if len(row) != d:
            raise InvalidInputError(f"decisions[{i}] must have d = {d} entries, got {len(row)}: give 0 or 1 for each item")
    return EnumeratedDecisions(rows)


def _examples() -> Iterator[EnumeratedDecisions]:
    yield EnumeratedDecisions([[1, 0, 1], [0, 1, 1], [1, 1, 0]])


def _shape(x: EnumeratedDecisions, some: str, question: str) -> str:
    return f"At most {some}."


ENUMERATED = Family(
    name="enumerated",
    cls=EnumeratedDecisions,
    title="lists",
    heading="lists",
    nouns=Nouns("decision", "decisions", "item", "items"),
    guarantees=Guarantees(*[Guarantee.LISTING] * 6),
    write=_write,
    read=_read,
    build=_build,
    examples=_examples,
    shape=_shape,
    has_exchange_graph=False,
)
