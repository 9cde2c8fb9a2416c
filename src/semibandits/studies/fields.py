"""The tables and keys of a study file: how each value is read, its valid values, and an example."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, get_args

from semibandits.errors import InvalidInputError, Option
from semibandits.laws import law_from
from semibandits.regret_bound.solve import Method
from semibandits.simulation.checkpoints import LONGEST_HORIZON
from semibandits.simulation.lateness import Geometric
from semibandits.studies.policies import PolicyChoice, named_policies
from semibandits.studies.rewards import REPLAY, REWARDS
from semibandits.studies.toml import value_text

ALL_CORES: Final = "auto"
MOST_WORKERS: Final = 10_000
MOST_REPLICATIONS: Final = 10**6
_LONG: Final = 10**101
"""Integers of this size are refused, as on the command line; they are never converted to text."""


class UnexpectedValueError(Exception):
    """An invalid value; the message is the remedy, "" for the example of the key."""


@dataclass(frozen=True)
class Key:
    """A key: the function that reads its value, a description of valid values, and an example."""

    read: Callable[[Any], Any]
    expected: str
    example: str


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise UnexpectedValueError
    return value


def _path(value: Any) -> str:
    name = _text(value)
    if "\0" in name:
        raise UnexpectedValueError("names of files have no zero byte, drop it")
    try:
        Path(name).expanduser()
    except RuntimeError:
        raise UnexpectedValueError(f"~ starts the name of a home folder, and there is no such folder; write './{name}'") from None
    return name


def _label(value: Any) -> str:
    """A node; integers need no quotes."""
    if _is_long(value):
        raise UnexpectedValueError
    return str(value) if _is_whole(value) else _text(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_long(value: object) -> bool:
    return isinstance(value, int) and abs(value) >= _LONG


def _whole(least: int, largest: int = _LONG - 1) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 2e4
        if not _is_whole(value) or not least <= value <= largest:
            raise UnexpectedValueError
        return int(value)

    return read


def _number(fits: Callable[[float], bool]) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UnexpectedValueError
        try:
            number = float(value)
        except OverflowError:
            raise UnexpectedValueError from None
        if not fits(number):
            raise UnexpectedValueError
        return number

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnexpectedValueError
    return value


def _name_among(*names: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        folded = value.casefold() if isinstance(value, str) else value
        if folded not in names:
            close = get_close_matches(str(folded), names, n=1, cutoff=0.5)
            raise UnexpectedValueError(f"did you mean {close[0]!r}?" if close else "")
        return str(folded)

    return read


def _law(value: Any) -> str:
    try:
        law_from(value)
    except InvalidInputError as error:
        raise UnexpectedValueError(str(error)) from error
    return str(value).casefold()


def _rewards(value: Any) -> str:
    name = value.partition(":")[0].strip() if isinstance(value, str) else value
    return _law(value) if _name_among(*REWARDS)(name) != REPLAY else REPLAY


def _list(read_entry: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or not value:
            raise UnexpectedValueError
        return tuple(read_entry(entry) for entry in value)

    return read


def _capacity(value: Any) -> tuple[str, ...]:
    return tuple(_label(entry) for entry in (value if isinstance(value, list) and value else [value]))


def _columns(value: Any) -> tuple[str, ...]:
    """Columns by role, from a table or from a list of texts ROLE=COLUMN."""
    if isinstance(value, dict) and value:
        return tuple(f"{role}={_label(name)}" for role, name in value.items())
    columns: tuple[str, ...] = _list(_text)(value)
    return columns


def _workers(value: Any) -> int:
    return -1 if value == ALL_CORES or (_is_whole(value) and value == -1) else _whole(1, MOST_WORKERS)(value)


def _delay(value: Any) -> int | str:
    return str(Geometric.of(value)) if isinstance(value, str) else _whole(0, LONGEST_HORIZON)(value)


def _policies(value: Any) -> tuple[PolicyChoice, ...]:
    choices: tuple[PolicyChoice, ...] = _list(_policy)(value)
    named_policies(choices)
    return choices


def _policy(value: Any) -> PolicyChoice:
    """A policy from its text, or from a table with its name and parameters."""
    if not isinstance(value, dict):
        return PolicyChoice.of(_text(value))
    named = PolicyChoice.of(_text(value.get("name")))
    return replace(
        named, parameters={**named.parameters, **{key: _parameter(each) for key, each in value.items() if key != "name"}}
    )


def _parameter(value: Any) -> str | float:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float) or _is_long(value):
        raise UnexpectedValueError
    return value.strip() if isinstance(value, str) else value


def _figure(value: Any) -> str | bool:
    return value if isinstance(value, bool) else _path(value)


_TEXT = "a text in quotes"
_PATH = "a path in quotes, relative to the study file"

KEYS: Final[Mapping[str, Mapping[str, Key]]] = {
    "problem": {
        "dataset": Key(_text, "the name of a built-in dataset, in quotes", 'dataset = "germany50-routing"'),
        "network": Key(_text, "the name of a built-in network, in quotes", 'network = "germany50"'),
        "file": Key(_path, _PATH, 'file = "roads.csv"'),
        "family": Key(_text, _TEXT, 'family = "trees"'),
        "source": Key(_label, _TEXT, 'source = "Saarbruecken"'),
        "target": Key(_label, _TEXT, 'target = "Greifswald"'),
        "undirected": Key(_truth, "true or false", "undirected = true"),
        "size": Key(_whole(0), "a whole number of at least 0", "size = 10"),
        "saturate": Key(_name_among("both", "rows", "columns", "none"), "both, rows, columns or none", 'saturate = "rows"'),
        "capacity": Key(_capacity, "a number, a text, or a list of these", 'capacity = [2, "drama=3"]'),
        "variance": Key(_number(lambda v: 0 < v < math.inf), "a positive number", "variance = 0.5"),
        "minimize": Key(_truth, "true or false", "minimize = true"),
        "columns": Key(
            _columns, "names of columns by role, in braces, or a list of texts", 'columns = {theta = "click_rate"}'
        ),
        "title": Key(_text, _TEXT, 'title = "Front page"'),
        "unit": Key(_text, _TEXT, 'unit = "clicks"'),
        "question": Key(_text, _TEXT, 'question = "Which articles belong on the front page?"'),
    },
    "simulation": {
        "policies": Key(
            _policies, "a list of policies, each a text, or a table with the key name", 'policies = ["CUCB", "OSSB:gamma=0.1"]'
        ),
        "rewards": Key(_rewards, f"one of {', '.join(REWARDS)}", 'rewards = "gaussian"'),
        "horizon": Key(_whole(1, LONGEST_HORIZON), "a whole number from 1 to 2**53", "horizon = 20000"),
        "replications": Key(
            _whole(1, MOST_REPLICATIONS), f"a whole number from 1 to {MOST_REPLICATIONS:,}", "replications = 100"
        ),
        "seed": Key(_whole(0), "a whole number of at least 0", "seed = 0"),
        "delay": Key(_delay, 'a number of rounds of at least 0, or "geometric:MEAN"', "delay = 100"),
        "loss": Key(_number(lambda v: 0 <= v < 1), "a number from 0 to below 1", "loss = 0.1"),
        "checkpoints": Key(_list(_whole(1)), "a list of rounds, the last one the horizon", "checkpoints = [100, 1000]"),
    },
    "bound": {
        "law": Key(_law, "a law such as gaussian, bernoulli, poisson:cost", 'law = "bernoulli"'),
        "method": Key(_name_among(*get_args(Method)), f"one of {', '.join(get_args(Method))}", 'method = "auto"'),
        "gap": Key(_number(lambda v: 0 < v < 1), "a number between 0 and 1", "gap = 1e-4"),
        "time_limit": Key(_number(lambda v: v > 0), "a positive number of seconds, or inf", "time_limit = 60"),
        "tie_tolerance": Key(_number(lambda v: 0 <= v < 1e-3), "a number from 0 to 1e-3", "tie_tolerance = 1e-12"),
    },
    "execution": {
        "workers": Key(_workers, f'a number from 1 to {MOST_WORKERS:,}, or "{ALL_CORES}"', f'workers = "{ALL_CORES}"'),
    },
    "output": {
        "folder": Key(_path, _PATH, 'folder = "results"'),
        "figure": Key(_figure, "true, false, or the name of a file in quotes", 'figure = "regret.pdf"'),
        "report": Key(_truth, "true or false", "report = true"),
    },
}  # fmt: skip
"""All tables of a study file with their keys."""


def read_tables(content: Mapping[str, Any], file: object) -> dict[str, dict[str, Any]]:
    """The validated values of all keys.

    Raises
    ------
    InvalidInputError
        If a table or key is unknown, and the message names the nearest valid one, or a value is invalid.
    """
    tables: dict[str, dict[str, Any]] = {}
    for name, values in content.items():
        if name not in KEYS:
            raise _unknown_table(name, values, file)
        check_table(name, values, file)
        tables[name] = {key: _value(name, key, value, file) for key, value in values.items()}
    return tables


def check_table(name: str, values: object, file: object) -> None:
    """Raise an error if a value is not a table.

    Raises
    ------
    InvalidInputError
        If it is not a table.
    """
    if not isinstance(values, dict):
        raise InvalidInputError(
            f"{file}: {name} must be a table, got {shown(values)}: write [{name}] on a line of its own, and its keys below it"
        )


def _value(table: str, name: str, value: Any, file: object) -> Any:
    if name not in KEYS[table]:
        raise _unknown_key(table, name, file)
    key = KEYS[table][name]
    try:
        return key.read(value)
    except UnexpectedValueError as error:
        remedy = str(error) or f"write for instance {key.example}"
        raise InvalidInputError(f"{file}: {name} in [{table}] must be {key.expected}, got {shown(value)}: {remedy}") from None
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
    if _is_long(value):
        return "a very long number"
    try:
        text = repr(value)
    except ValueError:  # Python does not write numbers of thousands of digits
        text = " " * 61
    if isinstance(value, dict) or len(text) > 60:
        return next((name for kind, name in kinds if isinstance(value, kind)), text[:60])
    return text
