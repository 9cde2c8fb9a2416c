"""Fields of records of options: how study files and the command line read them, and how study files write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

_LONG: Final = 10**101
"""Integers of this size are refused; they are never converted to text."""


class UnexpectedValueError(Exception):
    """An invalid value; the message is the remedy, "" for the example of the key."""


@dataclass(frozen=True)
class Kind:
    """A kind of values: how a value of a study file is read, a description of valid values, and how one is written."""

    read: Callable[[Any], Any]
    expected: str
    write: Callable[[Any], Any] = lambda value: value


def read_text(value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise UnexpectedValueError
    return value


def read_path(value: Any) -> str:
    """The name of a file or folder."""
    name = read_text(value)
    if "\0" in name:
        raise UnexpectedValueError("names of files have no zero byte, drop it")
    try:
        Path(name).expanduser()
    except RuntimeError:
        raise UnexpectedValueError(f"~ starts the name of a home folder, and there is no such folder; write './{name}'") from None
    return name


def is_whole(value: object) -> bool:
    """Whether a value is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_long(value: object) -> bool:
    """Whether a value is an integer that is too long to be shown."""
    return isinstance(value, int) and abs(value) >= _LONG


def _label(value: Any) -> str:
    """A node; integers need no quotes."""
    if is_long(value):
        raise UnexpectedValueError
    return str(value) if is_whole(value) else read_text(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnexpectedValueError
    return value


def _capacities(value: Any) -> tuple[str, ...]:
    return tuple(_label(entry) for entry in (value if isinstance(value, list) and value else [value]))


def _columns(value: Any) -> tuple[str, ...]:
    """Columns by role, from a table or from a list of texts ROLE=COLUMN."""
    if isinstance(value, dict) and value:
        return tuple(f"{role}={_label(name)}" for role, name in value.items())
    return read_list(read_text, value)


def read_list(read_entry: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    """The entries of a list that is not empty."""
    if not isinstance(value, list) or not value:
        raise UnexpectedValueError
    return tuple(read_entry(entry) for entry in value)


TEXT: Final = Kind(read_text, "a text in quotes")
PATH: Final = Kind(read_path, "a path in quotes, relative to the study file", str)
LABEL: Final = Kind(_label, "a text in quotes")
TRUTH: Final = Kind(_truth, "true or false")
CAPACITIES: Final = Kind(_capacities, "a number, a text, or a list of these", list)
COLUMNS: Final = Kind(_columns, "names of columns by role, in braces, or a list of texts", list)


def whole(least: int, largest: int = _LONG - 1) -> Kind:
    """Whole numbers from `least` to `largest`."""

    def read(value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 2e4
        if not is_whole(value) or not least <= value <= largest:
            raise UnexpectedValueError
        return int(value)

    return Kind(read, f"a whole number {f'of at least {least}' if largest == _LONG - 1 else f'from {least} to {largest:,}'}")


def number(fits: Callable[[float], bool], expected: str) -> Kind:
    """Numbers that fit."""

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

    return Kind(read, expected, float)


def read_name(names: tuple[str, ...], value: Any) -> str:
    """One of several names, in any case."""
    folded = value.casefold() if isinstance(value, str) else value
    if folded not in names:
        close = get_close_matches(str(folded), names, n=1, cutoff=0.5)
        raise UnexpectedValueError(f"did you mean {close[0]!r}?" if close else "")
    return str(folded)


@dataclass(frozen=True)
class Key:
    """A field of a record: a key of study files if it has an example, and an option of commands if it has a help text."""

    kind: Kind = TEXT
    example: str = ""  # a line of a study file, `name = value`
    # Of the option: its help text, the panel that it is shown in, the name of its value, and its other names.
    help: str = ""
    panel: str = ""
    metavar: str | None = None
    also: tuple[str, ...] = ()
    # Whether the option is a text that is read and checked as in study files; the library checks the others.
    is_checked: bool = False
    shown: object = None  # the default that commands show and pass, if it is not that of the field

    @property
    def name(self) -> str:
        """Name of the key in study files."""
        return self.example.partition(" ")[0]


def option(*arguments: Any, default: Any = None, **more: Any) -> Any:
    """A field of a record with its default and the arguments of its `Key`."""
    return field(default=default, metadata={"key": Key(*arguments, **more)})


def keys_of(record: Any) -> dict[str, Key]:
    """The keys of a record by field."""
    return {each.name: each.metadata["key"] for each in fields(record) if "key" in each.metadata}


def written(record: Any) -> dict[str, Any]:
    """A record as a table of a study file, without the fields that are None."""
    values = {key: getattr(record, name) for name, key in keys_of(record).items() if key.example}
    return {key.name: key.kind.write(value) for key, value in values.items() if value is not None}
