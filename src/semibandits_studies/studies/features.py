"""Features of the items of a problem: named ones, tables, and columns of the problem's own file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from semibandits.errors import InvalidInputError, Option
from semibandits.features.design import NAMED, Design
from semibandits.inputs.fields import unknown_name
from semibandits.instances import Instance
from semibandits_studies.instances.item_files import read_features
from semibandits_studies.studies.problems import FORMATS, TABLES
from semibandits_studies.studies.study import ProblemChoice

KEY = "features"
"""Key of the columns of features in the JSON form of an instance."""


def is_named(features: Sequence[str]) -> bool:
    """Whether there are no features, or they have no numbers of their own."""
    return not features or (len(features) == 1 and features[0] in NAMED)


def with_features(instance: Instance, features: Sequence[str], choice: ProblemChoice) -> Instance:
    """The instance with columns of features in its description, in the order of the items.

    `features` are one file, or columns of the problem, all of them if they are the problem itself; named features change nothing.
    """
    if is_named(features):
        return instance
    file, path = choice.file, Path(features[0])
    if file is None:
        name = str(choice.dataset or choice.network)
        others = NAMED if len(features) == 1 else ()
        return _with_own(instance, features, is_all=tuple(features) == (name,), where=f"features of {name}", others=others)
    is_table, is_file = file.suffix.lower() in TABLES, len(features) == 1 and path.suffix.lower() in FORMATS
    is_own = is_file and os.path.abspath(path) == os.path.abspath(file)
    if is_file and (path.suffix.lower() not in TABLES if not is_own else is_table):
        raise InvalidInputError(
            Option(KEY), f" must be {' or '.join(NAMED)}, another table, or columns of the problem's file, got {path}: name "
            "columns, as in ", Option(KEY, ["category"]),
        )  # fmt: skip
    if not is_table and (is_own or not is_file):
        return _with_own(instance, features, is_all=is_own, where=f"column of the key '{KEY}' of {file}")
    columns = read_features(path if is_file else file, instance, choice.options, () if is_file else features)
    return replace(instance, description={**instance.description, KEY: columns})


def _with_own(instance: Instance, names: Sequence[str], *, is_all: bool, where: str, others: Sequence[str] = ()) -> Instance:
    """The instance with the features of these names, or all that it has, in its description."""
    own = instance.features or {}
    unknown = next((name for name in names if name not in own), None)
    if unknown is not None and not (is_all and own):
        raise unknown_name(where, unknown, (*others, *own))
    columns = {name: list(own[name]) for name in (own if is_all else names)}
    return replace(instance, description={**instance.description, KEY: columns})


def design_of(instance: Instance, features: Sequence[str]) -> Design | None:
    """The features of an instance from :func:`with_features`; None without any."""
    if not features:
        return None
    if is_named(features):
        return Design.of(features[0], instance.decision_set)
    return Design.of(instance.description[KEY], instance.decision_set)
