"""All sets of m items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from semibandits.decisions.msets import MSets
from semibandits.families.family import JSON, Family, Guarantee, Guarantees, Nouns
from semibandits.families.labels import decode_names, encode_names
from semibandits.families.tables import ProblemOptions, Table, required
from semibandits.inputs.fields import Fields


def _write(x: MSets) -> JSON:
    return {"d": x.d, "m": x.m} | encode_names(x.labels)


def _read(data: Mapping[str, Any]) -> MSets:
    return MSets(data["d"], data["m"], items=decode_names(data))


def _build(fields: Fields, d: int) -> MSets:
    return MSets(d, cast(int, fields.count("size")))


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    return {"items": cells["item"], "size": required(options.size, "size")}


def _examples() -> Iterator[MSets]:
    yield MSets(6, 3)


def _shape(x: MSets, some: str, question: str) -> str:
    return f"{some}."


MSETS = Family(
    name="msets",
    cls=MSets,
    title="m-sets",
    heading="m-sets: a fixed number of items",
    nouns=Nouns("set", "sets", "item", "items"),
    guarantees=Guarantees(
        linear=Guarantee.POLYNOMIAL,
        budgeted=Guarantee.PSEUDO_POLYNOMIAL,
        budgeted_ratio=Guarantee.FPTAS,
        index=Guarantee.SEARCH,
        index_ratio=Guarantee.FPTAS,
        graves_lai=Guarantee.CLOSED_FORM,
    ),
    beyond_paper=frozenset({"index", "graves_lai"}),
    write=_write,
    read=_read,
    build=_build,
    tables=(Table("msets", ("item",), ("size",), _keys, names_items=True),),
    examples=_examples,
    shape=_shape,
)
