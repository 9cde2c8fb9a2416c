"""The tables and keys of a study file: how each value is read, its valid values, and an example."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.options import Key, UnexpectedValueError, is_long, keys_of
from semibandits.instances import ProblemOptions
from semibandits_studies.studies.study import BoundOptions, Execution, Output, ProblemChoice, SimulationOptions
from semibandits_studies.studies.toml import value_text

KEYS: Final[Mapping[str, Mapping[str, Key]]] = {
    table: {key.name: key for record in records for key in keys_of(record).values() if key.example}
    for table, records in {
        "problem": (ProblemChoice, ProblemOptions),
        "simulation": (SimulationOptions,),
        "bound": (BoundOptions,),
        "execution": (Execution,),
        "output": (Output,),
    }.items()
}
"""All tables of a study file with their keys."""


def read_tables(content: Mapping[str, Any], file: object) -> dict[str, dict[str, Any]]:
    """The validated values of all keys. Errors for unknown tables and keys name the nearest valid one."""
    tables: dict[str, dict[str, Any]] = {}
    for name, values in content.items():
        if name not in KEYS:
            raise _unknown_table(name, values, file)
        check_table(name, values, file)
        tables[name] = {key: _value(name, key, value, file) for key, value in values.items()}
    return tables


def check_table(name: str, values: object, file: object) -> None:
    """Raise an error if a value is not a table."""
    if not isinstance(values, dict):
        raise InvalidInputError(
            f"{file}: {name} must be a table, got {shown(values)}: write [{name}] on a line of its own, and its keys below it"
        )


def _value(table: str, name: str, value: Any, file: object) -> Any:
    if name not in KEYS[table]:
        raise _unknown_key(table, name, file)
    key = KEYS[table][name]
    try:
        return key.kind.read(value)
    except UnexpectedValueError as error:
        remedy = str(error) or f"write for instance {key.example}"
        raise InvalidInputError(
            f"{file}: {name} in [{table}] must be {key.kind.expected}, got {shown(value)}: {remedy}"
        ) from None
    except InvalidInputError as error:
        raise InvalidInputError(f"{file}: {name} in [{table}]: {error.formatted(as_key)}") from error


def _unknown_table(name: str, values: object, file: object) -> InvalidInputError:
    if not isinstance(values, dict):
        for table, keys in KEYS.items():
            if name in keys:
                return InvalidInputError(
                    f"{file}: {name} must be in the table [{table}], got it outside all tables: move it there"
                )
    remedy = _nearest(name, KEYS) or _elsewhere(name) or "remove it"
    return InvalidInputError(f"{file}: tables must be among {', '.join(KEYS)}, got {name!r}: {remedy}")


def _unknown_key(table: str, name: str, file: object) -> InvalidInputError:
    own = KEYS[table]
    if name == "scheduler":
        return InvalidInputError(
            f"{file}: the scheduler must be named where the study is run, got one in [{table}]: remove it and, if you trust "
            "that cluster, whose answers can run code here, add ",
            Option("scheduler", "ADDRESS"),
        )
    remedy = _elsewhere(name) or _nearest(name, own) or "remove it"
    return InvalidInputError(f"{file}: keys of [{table}] must be among {', '.join(own)}, got {name!r}: {remedy}")


def _elsewhere(name: str) -> str:
    """The remedy that names the table of a key, "" for an unknown key."""
    return next((f"it belongs to [{table}], move it there" for table, keys in KEYS.items() if name in keys), "")


def _nearest(name: str, known: Mapping[str, object]) -> str:
    folded = name.casefold().replace("-", "_")
    close = [right for right in known if right == folded] or get_close_matches(folded, known, n=1, cutoff=0.6)
    close = close or [right for right in known if len(folded) > 2 and (right.startswith(folded) or folded.startswith(right))]
    return f"did you mean {close[0]!r}?" if close else ""


def as_key(option: Option) -> str:
    """An option in an error message, written as a key of a study file."""
    name = {"capacities": "capacity"}.get(option.name, option.name)
    return name if option.value is None else f"{name} = {value_text(option.value)}"


def shown(value: Any) -> str:
    """A short text for a TOML value in an error message."""
    kinds = ((dict, "a table"), (list, "a list"), (str, "a long text"))
    if isinstance(value, bool):
        return str(value).lower()
    if is_long(value):
        return "a very long number"
    try:
        text = repr(value)
    except ValueError:  # Python does not write numbers of thousands of digits
        text = " " * 61
    if isinstance(value, dict) or len(text) > 60:
        return next((name for kind, name in kinds if isinstance(value, kind)), text[:60])
    return text
