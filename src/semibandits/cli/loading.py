"""From the words of a command line to an instance: a built-in network, or the user's own file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from semibandits import datasets
from semibandits._validation import variance_vector
from semibandits.errors import InvalidInputError
from semibandits.instances import Instance, ProblemOptions, instance_from_description, read_csv, read_json
from semibandits.instances.families import unknown_name


def load_instance(problem: str, options: ProblemOptions) -> Instance:
    """Instance called `problem`: a file that ends in .csv or .json, or a built-in network.

    Raises
    ------
    InvalidInputError
        If there is no such file or network, an option does not suit it, or it describes no instance.
    """
    suffix = Path(problem).suffix.lower()
    if suffix == ".csv":
        return read_csv(problem, options)
    if suffix == ".json":
        return read_json(problem, _json_overrides(options))
    if os.sep in problem or Path(problem).exists():
        raise InvalidInputError(f"the file must end in .csv or .json, got {problem!r}: rename it after what it holds")
    if problem not in datasets.list_networks():
        raise unknown_name("network (or file ending in .csv or .json)", problem, datasets.list_networks())
    return _load_network(datasets.network(problem), options)


def _json_overrides(options: ProblemOptions) -> dict[str, object]:
    if options.capacities:
        raise InvalidInputError(
            "--capacity must be used with CSV files, got it with a JSON file: write it into the file"
        )
    keys = ("family", "source", "target", "size", "saturate", "variance")
    return {key: getattr(options, key) for key in keys if getattr(options, key) is not None}


def _load_network(network: datasets.Network, options: ProblemOptions) -> Instance:
    _refuse(options, ("size", "saturate", "capacities"))
    ends = (options.source, options.target)
    family = options.family or ("paths" if any(ends) else None)
    if family == "trees":
        _refuse(options, ("source", "target"))
        return network.spanning_trees(variance=0.5 if options.variance is None else options.variance)
    if family != "paths":
        if family is not None:
            raise unknown_name("family of a network", family, ("paths", "trees"))
        raise InvalidInputError(
            f"family must be clear, got the network {network.name} alone: "
            "give --source and --target for paths, or --family trees"
        )
    if options.source is None or options.target is None:
        missing = "source" if options.source is None else "target"
        raise InvalidInputError(f"paths must have both ends, got no {missing}: add --{missing} NODE")
    instance = network.delay_dag(options.source, options.target)
    return instance if options.variance is None else _with_variance(instance, options.variance)


def _refuse(options: ProblemOptions, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(options, name):
            option = "--capacity" if name == "capacities" else f"--{name}"
            raise InvalidInputError(f"{option} must suit the problem, got it with one that has no use for it: drop it")


def _with_variance(instance: Instance, variance: float) -> Instance:
    """The same instance with another variance for all items."""
    description: Mapping[str, object] = instance.description
    numbers = variance_vector(np.asarray(variance), instance.decision_set.d)
    return instance_from_description({**description, "variance": numbers.tolist()})
