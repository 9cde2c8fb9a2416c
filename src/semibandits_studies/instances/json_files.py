"""The JSON form of instances, for every family (docs/cli.md)."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.registry import FAMILIES
from semibandits.families.texts import item_labels
from semibandits.formats.files import write_whole
from semibandits.formats.json import strict_json
from semibandits.inputs.fields import Fields, as_label, as_list, as_numbers, unknown_name
from semibandits.inputs.validation import item_vector, node_places, variance_vector
from semibandits_studies.instances.base import Instance
from semibandits_studies.instances.files import json_bytes, read_text

DEFAULT_VARIANCE = 0.5


def instance_from_description(description: Mapping[str, object], *, name: str = "instance") -> Instance:
    """Build an instance from its JSON form, see docs/cli.md; `name` is its name if the description has none."""
    fields = Fields(description, "the instance")
    family = fields.text("family")
    key, numbers = _means(fields)
    if family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    decision_set = FAMILIES[family].build(fields, len(numbers))
    theta = item_vector(numbers, decision_set, key)
    if key == "costs":
        theta = 0.0 - theta  # not -theta, so that no cost is no reward, 0.0
    decision_set.check_means(theta)
    variance = fields.take("variance", DEFAULT_VARIANCE)
    is_list = isinstance(variance, list | tuple)
    variances = as_numbers(variance if is_list else [variance], "variance")
    items = fields.take("items", None)
    instance = Instance(
        family=family,
        decision_set=decision_set,
        theta=theta,
        variance=variance_vector(variances if is_list else variances[0], decision_set),
        labels=_own_labels(items, decision_set.d) or item_labels(family, decision_set),
        description=dict(description),
        name=fields.text("name", name),
        unit=fields.text("unit", ""),
        note=fields.text("note", ""),
        question=fields.text("question", ""),
        positions=_positions(fields.take("positions", None), decision_set),
        geographic=fields.take("geographic", False) is True,
    )
    streets = fields.take("streets", None)
    if streets is not None:
        names = as_list(streets, "streets")
        if len(names) != decision_set.d or not all(isinstance(name, str) for name in names):
            raise InvalidInputError(
                f"streets must be d = {decision_set.d} strings, got {len(names)} entries: name the street of each link, or "
                'write ""'
            )
    features, d = fields.take("features", {}), decision_set.d
    if not isinstance(features, Mapping) or any(not isinstance(one, list | tuple) or len(one) != d for one in features.values()):
        raise InvalidInputError(
            f"features must be an object of columns, each a list of d = {d} numbers, texts or null, got something else: write "
            'for instance {"minutes": [2, 3, ...], "topic": ["news", null, ...]}'
        )
    fields.finish()
    return replace(instance, features=features or None)


def _means(fields: Fields) -> tuple[str, list[float]]:
    """The key of the mean rewards or mean costs, and its numbers."""
    theta, costs = fields.take("theta", None), fields.take("costs", None)
    if costs is None:
        if theta is None:
            raise InvalidInputError(
                "the instance must have the key 'theta', mean rewards, or 'costs', mean costs, got neither: add one"
            )
        return "theta", as_numbers(theta, "theta")
    if theta is not None:
        raise InvalidInputError("the instance must have one of the keys 'theta' and 'costs', got both: remove one")
    return "costs", as_numbers(costs, "costs")


def read_json(path: str | os.PathLike[str], overrides: Mapping[str, object] | None = None) -> Instance:
    """Read an instance from a JSON file.

    `overrides` are values of keys that the file may omit, such as ``source``. If the file has them, they must agree.
    """
    text = read_text(path)
    try:
        description = strict_json(text)
    except ValueError as error:
        raise InvalidInputError(f"{path} must hold JSON, got {error}: correct it there") from error
    if not isinstance(description, dict):
        raise InvalidInputError(f'{path} must hold one JSON object, got something else: write {{"family": ...}}')
    for key, value in (overrides or {}).items():
        if key in description and str(description[key]) != str(value):
            raise InvalidInputError(
                f"{key} must be given once, got {value!r} beside {description[key]!r} in {path}: drop one of the two"
            )
        description.setdefault(key, value)
    return instance_from_description(description, name=Path(path).stem)


def write_json(instance: Instance, path: str | os.PathLike[str]) -> None:
    """Write an instance for :func:`read_json`; the file appears only when it is complete."""
    write_whole(path, json_bytes(instance.description))


def _own_labels(items: object, d: int) -> tuple[str, ...] | None:
    if items is None:
        return None
    labels = [str(as_label(item, f"items[{i}]")) for i, item in enumerate(as_list(items, "items"))]
    if len(labels) != d:
        raise InvalidInputError(f"items must have d = {d} names, got {len(labels)}: name each item, or drop the key")
    first: dict[str, int] = {}
    for i, label in enumerate(labels):
        if first.setdefault(label, i) != i:
            raise InvalidInputError(
                f"items must have distinct names, got {label!r} at positions {first[label]} and {i}: rename one of them"
            )
    return tuple(labels)


def _positions(values: object, decision_set: DecisionSet) -> dict[Hashable, tuple[float, float]] | None:
    """Positions by node; keys in JSON are strings, so nodes are matched by their text."""
    if values is None:
        return None
    if not isinstance(values, Mapping):
        raise InvalidInputError('positions must be an object, got something else: write {"node": [x, y], ...}')
    nodes = dict.fromkeys(node for edge in decision_set.items if isinstance(edge, tuple) for node in edge[:2])
    given = {node: values[str(node)] for node in nodes if str(node) in values}
    for node, place in given.items():
        as_numbers(place, f"positions[{str(node)!r}]")
    return {node: (x, y) for node, (x, y) in zip(nodes, node_places(tuple(nodes), given).tolist(), strict=True)}
