"""Features of the items of a problem: named ones, tables, and columns of the problem's own file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

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

    `features` are one file, or columns of the file of the problem; named features change nothing.
    """
    if is_named(features):
        return instance
    file, path = choice.file, Path(features[0])
    if file is None:
        raise InvalidInputError(
            Option(KEY), f" must be {' or '.join(NAMED)} for a built-in problem, got {path}: use one of these, or a file as the "
            "problem"
        )  # fmt: skip
    is_table, is_file = file.suffix.lower() in TABLES, len(features) == 1 and path.suffix.lower() in FORMATS
    is_own = is_file and os.path.abspath(path) == os.path.abspath(file)
    if is_file and (path.suffix.lower() not in TABLES if not is_own else is_table):
        raise InvalidInputError(
            Option(KEY), f" must be {' or '.join(NAMED)}, another table, or columns of the problem's file, got {path}: name "
            "columns, as in ", Option(KEY, ["category"]),
        )  # fmt: skip
    if is_table or (is_file and not is_own):
        columns = read_features(path if is_file else file, instance, choice.options, () if is_file else features)
    else:
        own: Any = instance.description.get(KEY, {})
        unknown = next((name for name in features if name not in own and not is_own), None)
        if unknown is not None or not own:
            raise unknown_name(f"column of the key '{KEY}' of {file}", unknown or path, own)
        columns = own if is_own else {name: own[name] for name in features}
    return replace(instance, description={**instance.description, KEY: columns})


def design_of(instance: Instance, features: Sequence[str]) -> Design | None:
    """The features of an instance from :func:`with_features`; None without any."""
    if not features:
        return None
    if is_named(features):
        return Design.of(features[0], instance.decision_set)
    columns: Any = instance.description[KEY]
    rows = np.array(list(columns.values()), dtype=object).T
    return Design.of(rows, instance.decision_set, titles=list(columns))
