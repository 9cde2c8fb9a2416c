"""Study files in TOML (docs/studies.md)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from semibandits.errors import InvalidInputError
from semibandits.formats.files import own_file, read_text
from semibandits.formats.toml import strict_toml
from semibandits.inputs.options import keys_of, written
from semibandits.instances import ProblemOptions
from semibandits_studies.reporting.sources import INSTANCE, STUDY
from semibandits_studies.studies.features import is_named
from semibandits_studies.studies.fields import as_key, read_tables
from semibandits_studies.studies.problems import FORMATS
from semibandits_studies.studies.study import PROBLEMS, BoundOptions, Execution, Output, ProblemChoice, SimulationOptions, Study
from semibandits_studies.studies.toml import Value, toml_text, value_text

FOLDER_ENDING: Final = "-results"
_HEAD: Final = "# What is kept beside this file. It is run again, elsewhere, by:  semibandits run study.toml --output FOLDER\n\n"


def read_study(path: str | os.PathLike[str]) -> Study:
    """The study that a TOML file describes.

    Parameters
    ----------
    path : path
        The file, in the format of docs/studies.md. Paths in it are relative to its folder. The default folder of the results
        has its name with the ending ``-results``.

    Returns
    -------
    Study
        The study, for :func:`run_study`.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or is not TOML; if a table or key is unknown or missing, or a value is invalid. The
        message names file, table and key, and the nearest valid key.

    Examples
    --------
    >>> with open("grid.toml", "w") as file:
    ...     for line in ("[problem]", 'dataset = "power-grid"', "[simulation]", 'policies = ["CUCB"]', "horizon = 1_000"):
    ...         print(line, file=file)
    >>> study = sb.studies.read_study("grid.toml")
    >>> study.problem.dataset, study.simulation.horizon, study.output.folder.name
    ('power-grid', 1000, 'grid-results')
    >>> with open("wrong.toml", "w") as file:
    ...     print('problem = { datset = "power-grid" }', file=file)
    >>> sb.studies.read_study("wrong.toml")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: wrong.toml: keys of [problem] must be among dataset, ...: did you mean 'dataset'?
    """
    path = Path(path)
    tables = read_tables(read_toml(path), path)
    problem = _problem(tables.get("problem"), path)
    output = dict(tables.get("output", {}))
    folder = output.pop("folder", None)
    folder = path.with_name(path.stem + FOLDER_ENDING) if folder is None else _beside(path, folder)
    name = output.get("figure")
    if isinstance(name, str):
        figure = _beside(path, name)
        # A study from elsewhere must not write to other places.
        if Path(name).name != name and os.path.abspath(figure.parent) != os.path.abspath(folder):
            raise InvalidInputError(
                f"{path}: figure in [output] must be the name of a file in the folder of the results, got {name!r}: write "
                f"figure = {value_text(figure.name)}, or name the place when you run the study: --plot FILE"
            )
        output["figure"] = figure.name
    with in_table(path, "simulation"):
        simulation = _simulation(tables["simulation"], path) if "simulation" in tables else None
    return Study(
        problem=problem,
        simulation=simulation,
        bound=BoundOptions(**tables.get("bound", {})),
        execution=Execution(**tables.get("execution", {})),
        output=Output(folder=folder, **output),
        path=path,
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Content of a TOML file."""
    if path.is_dir():
        raise InvalidInputError(f"{path} must be a study file, got a folder: give the file in it, for instance {path / STUDY}")
    remedy = "check the path; semibandits simulate --output FOLDER writes a study file, FOLDER/study.toml"
    text = read_text(path, what="a readable study file", remedy=remedy)
    try:
        return strict_toml(text)
    except ValueError as error:
        raise InvalidInputError(f"{path} must be TOML, got {error}; correct it there") from error


def _problem(table: Mapping[str, Any] | None, path: Path) -> ProblemChoice:
    if table is None:
        raise InvalidInputError(
            f"{path}: the table [problem] must name the problem, got none: add it, with one of the keys {', '.join(PROBLEMS)}"
        )
    chosen = _values(ProblemChoice, table)
    with in_table(path, "problem"):
        if "file" in chosen:
            chosen["file"] = _input(path, chosen["file"])
        return ProblemChoice(**chosen, options=ProblemOptions(**_values(ProblemOptions, table)))


def _simulation(table: Mapping[str, Any], path: Path) -> SimulationOptions:
    features = table.get("features", ())
    if len(features) == 1 and Path(features[0]).suffix.lower() in FORMATS:
        features = (str(_input(path, features[0])),)
    return SimulationOptions(**{**table, "features": features})


def _input(path: Path, name: str) -> Path:
    """A file that a study reads; one beside the study or below must not be a link that leads elsewhere."""
    file = _beside(path, name)
    if Path(os.path.abspath(file)).is_relative_to(os.path.abspath(path.parent)):
        own_file(file, path.parent, "copy the file there, or write the path that the link leads to")
    return file


def _values(record: type, table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a table by the fields of a record."""
    return {name: table[key.name] for name, key in keys_of(record).items() if key.name in table}


def _beside(path: Path, name: str) -> Path:
    """A path in a study file, which is relative to its folder."""
    return Path(os.path.normpath(path.parent / Path(name).expanduser()))


@contextmanager
def in_table(path: Path | None, table: str) -> Iterator[None]:
    """Add the study file, if there is one, and the table to errors, and write their options as keys."""
    try:
        yield
    except InvalidInputError as error:
        if path is None:
            raise
        raise InvalidInputError(f"{path}, [{table}]: {error.formatted(as_key)}") from error


def study_tables(study: Study) -> dict[str, dict[str, Value]]:
    """The complete study as written to the folder of its results, with the instance file there in place of its own file."""
    choice, simulation, output = study.problem, study.simulation, study.output
    options = {key: value for key, value in written(choice.options).items() if value}
    tables: dict[str, dict[str, Value]] = {
        "problem": {"file": INSTANCE} if choice.file is not None else written(choice) | options
    }
    if simulation is not None:
        tables["simulation"] = written(simulation)
        if simulation.delay == 0 and simulation.loss == 0:  # folders of earlier versions lack these keys
            del tables["simulation"]["delay"], tables["simulation"]["loss"]
        if not simulation.today:
            del tables["simulation"]["today"]
        if not simulation.features:
            del tables["simulation"]["features"]
        elif choice.file is not None and not is_named(simulation.features):
            tables["simulation"]["features"] = INSTANCE  # which has their columns
    limit = float("inf") if study.bound_seconds is None else study.bound_seconds
    tables["bound"] = written(replace(study.bound, time_limit=limit))
    tables["execution"] = written(study.execution)
    tables["output"] = {"folder": ".", "figure": output.figure is not False, "report": output.report}
    return tables


def study_text(study: Study) -> str:
    """The complete study as TOML, for the folder of its results."""
    return _HEAD + toml_text(study_tables(study))
