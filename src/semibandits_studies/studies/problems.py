"""Problems: a built-in dataset or network, or a file."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from semibandits import datasets
from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.fields import unknown_name
from semibandits.inputs.validation import variance_vector
from semibandits.instances import Instance, ProblemOptions, instance_from_description, read_json, read_table
from semibandits_studies.datasets.networks import LICENCE
from semibandits_studies.instances.table_choice import PATHS_OR_TREES
from semibandits_studies.instances.typed_tables import READERS
from semibandits_studies.reporting.report_data import About
from semibandits_studies.studies.study import ProblemChoice

TABLES: Final = (".csv", ".tsv", ".txt", ".tntp", ".gr", *READERS)
"""Endings of tables."""
FORMATS: Final = (*TABLES, ".json")
"""Endings of files that hold a problem."""
_OF_FILES: Final = ("size", "saturate", "capacities", "undirected", "minimize", "columns")
"""Options that built-in problems do not have."""
_REMEDIES: Final = {
    ".toml": "studies are for semibandits run",
    ".gz": "unpack it first",
    ".zip": "unpack it first",
    ".ods": "save it as .xlsx or .csv",
    ".numbers": "save it as .xlsx or .csv",
    **dict.fromkeys((".graphml", ".gml", ".gexf"), "read it with networkx, and write to_pandas_edgelist(graph) as .csv"),
}
"""What to do with files of other formats."""
_TABLES_ONLY: Final = {
    "capacities": "write it into the file",
    "columns": "drop it",
    "minimize": "write the numbers under the key costs instead of theta",
}
"""Options of tables, and what to do instead in a JSON file."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """An instance with its source.

    Attributes
    ----------
    instance : Instance
        The decision set with mean rewards and variances.
    dataset : Dataset or None
        Its built-in dataset, if any.
    network : Network or None
        Its built-in network, if any.

    Examples
    --------
    >>> problem = sb.studies.load_problem(sb.studies.find_problem("power-grid"))
    >>> problem.instance.decision_set, problem.instance.unit
    (SpanningTrees(d=37, nodes=33), 'kWh')
    >>> problem.about.origin
    'modelled'
    """

    instance: Instance
    dataset: datasets.Dataset | None = None
    network: datasets.Network | None = None

    @property
    def about(self) -> About:
        """Title, question, origin, provenance and licence."""
        about = About()
        if self.dataset is not None:
            about = About.of(self.dataset)
        elif self.network is not None:
            about = About(origin="modelled", provenance=self.network.provenance, licence=LICENCE)
        return replace(about, title=self.instance.name, question=self.instance.question or about.question)


def find_problem(word: str, options: ProblemOptions | None = None) -> ProblemChoice:
    """The problem with a name: a file by its ending, or a built-in dataset or network.

    Parameters
    ----------
    word : str
        Path of a file, or name of a dataset or network.
    options : ProblemOptions, optional
        What completes the problem, such as the ends of its paths.

    Returns
    -------
    ProblemChoice
        The choice; files are not read yet.

    Raises
    ------
    InvalidInputError
        If there is no such dataset or network, or the file has another ending.

    Examples
    --------
    >>> sb.studies.find_problem("power-grid").dataset
    'power-grid'
    >>> ends = sb.studies.ProblemOptions(source="home", target="office")
    >>> sb.studies.find_problem("roads.csv", ends).file.name
    'roads.csv'
    >>> sb.studies.find_problem("power-gird")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: dataset or network (...) must be a known name, got 'power-gird': ...
    """
    options = options or ProblemOptions()
    if Path(word).suffix.lower() in FORMATS:
        return ProblemChoice(file=Path(word), options=options)
    if os.sep in word or "." in word or Path(word).exists():
        raise _unsupported_file(word)
    if word in datasets.list_datasets():
        return ProblemChoice(dataset=word, options=options)
    if word in datasets.list_networks():
        return ProblemChoice(network=word, options=options)
    files = [word + ending for ending in FORMATS if Path(word + ending).is_file()]
    names = (*files, *datasets.list_networks(), *datasets.list_datasets())
    raise unknown_name("dataset or network (or file ending in .csv, .xlsx, .json, ...)", word, names)


def load_problem(choice: ProblemChoice) -> Problem:
    """Load a problem.

    Parameters
    ----------
    choice : ProblemChoice
        The problem, for instance from :func:`find_problem`.

    Returns
    -------
    Problem
        Decisions, mean rewards and variances, with their source.

    Raises
    ------
    InvalidInputError
        If there is no such file, network or dataset, an option does not suit it, or the instance is invalid.
    SemibanditsError
        If the package that holds the data is not installed.

    Examples
    --------
    >>> with open("roads.csv", "w") as file:
    ...     for line in ("from,to,minutes", "home,bridge,9", "home,ferry,7", "bridge,office,6", "ferry,office,9.5"):
    ...         print(line, file=file)
    >>> choice = sb.studies.find_problem("roads.csv", sb.studies.ProblemOptions(source="home", target="office"))
    >>> instance = sb.studies.load_problem(choice).instance
    >>> instance.family, instance.theta.tolist()  # minutes are costs, so that rewards are negative
    ('paths', [-9.0, -7.0, -6.0, -9.5])
    """
    if choice.file is not None:
        return Problem(instance=_load_file(choice.file, choice.options))
    if choice.network is not None:
        if choice.network in datasets.list_datasets():
            raise _other_kind(choice.network, "network", "dataset")
        network = datasets.network(choice.network)
        return Problem(instance=_with_texts(_load_network(network, choice.options), choice.options), network=network)
    name = str(choice.dataset)
    if name in datasets.list_networks():
        raise _other_kind(name, "dataset", "network")
    dataset = datasets.load(name)
    _refuse(choice.options, ("family", "source", "target", *_OF_FILES), f"the dataset {name}")
    instance = _with_variance(dataset.instance, choice.options.variance)
    return Problem(instance=_with_texts(instance, choice.options), dataset=dataset)


def _other_kind(name: str, asked: str, right: str) -> InvalidInputError:
    return InvalidInputError(f"{asked} must be the name of a {asked}, got {name!r}, a {right}: write {right} for {asked}")


def _unsupported_file(name: object) -> InvalidInputError:
    remedy = _REMEDIES.get(Path(str(name)).suffix.lower(), "rename it to match its format")
    endings = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
    return InvalidInputError(f"the file must end in {endings}, got {str(name)!r}: {remedy}")


def _load_file(path: Path, options: ProblemOptions) -> Instance:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise _unsupported_file(path)
    if suffix in TABLES:
        instance = read_table(path, options)
    else:
        for name, remedy in _TABLES_ONLY.items():
            if getattr(options, name):
                raise InvalidInputError(Option(name), f" must be used with tables, got it with a JSON file: {remedy}")
        keys = ("family", "source", "target", "size", "saturate", "variance")
        given = {key: getattr(options, key) for key in keys if getattr(options, key) is not None}
        instance = read_json(path, given | ({"directed": False} if options.undirected else {}))
    # The name defaults to that of the file, which a reader of the description does not know.
    return _with_texts(replace(instance, description={**instance.description, "name": instance.name}), options)


def _with_texts(instance: Instance, options: ProblemOptions) -> Instance:
    """The instance with the title, unit and question of the options, where they are given."""
    given = {"name": options.title, "unit": options.unit, "question": options.question}
    texts: dict[str, Any] = {key: text for key, text in given.items() if text is not None}
    return replace(instance, **texts, description={**instance.description, **texts}) if texts else instance


def _load_network(network: datasets.Network, options: ProblemOptions) -> Instance:
    _refuse(options, _OF_FILES, f"the network {network.name}")
    ends = (options.source, options.target)
    family = options.family or ("paths" if any(ends) else None)
    if family == "trees":
        _refuse(options, ("source", "target"), "spanning trees")
        return network.spanning_trees(variance=0.5 if options.variance is None else options.variance)
    if family not in ("paths", "routes"):
        if family is not None:
            raise unknown_name("family of a network", family, ("paths", "routes", "trees"))
        raise InvalidInputError(f"family must be clear, got the network {network.name} alone: ", *PATHS_OR_TREES)
    if options.source is None or options.target is None:
        missing = "source" if options.source is None else "target"
        raise InvalidInputError(f"{family} must have both ends, got no {missing}: add ", Option(missing, "NODE"))
    build = network.delay_dag if family == "paths" else network.delay_routes
    return _with_variance(build(options.source, options.target), options.variance)


def _refuse(options: ProblemOptions, names: tuple[str, ...], problem: str) -> None:
    for name in names:
        if getattr(options, name):
            raise InvalidInputError(
                Option(name), f" must suit the problem, got it with {problem}, which has no use for it: drop it"
            )


def _with_variance(instance: Instance, variance: float | None) -> Instance:
    """The instance, with another variance for all items if one is given."""
    if variance is None:
        return instance
    numbers = variance_vector(np.asarray(variance), instance.decision_set)
    return replace(instance_from_description({**instance.description, "variance": numbers.tolist()}), features=instance.features)
