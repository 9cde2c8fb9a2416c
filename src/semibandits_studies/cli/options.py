"""Options of commands: those of records, and others that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

import typer

from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.options import Key, UnexpectedValueError, keys_of
from semibandits_studies.cli.terminal import as_option

output_option: Final = partial(typer.Option, rich_help_panel="Output")
"""An option in the panel of output."""
MOST_DIGITS: Final = 100
"""Longer numbers are refused; they are never converted to integers."""

Problem: TypeAlias = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A built-in dataset or network, or a table (.csv, .xlsx, ...) or .json file.")
]
AsJson: TypeAlias = Annotated[bool, output_option("--json", help="Print one JSON object.")]
Extend: TypeAlias = Annotated[
    bool,
    output_option(
        "--extend", help="Continue the run in the folder up to a longer horizon: all replications are simulated again."
    ),
]
Progress: TypeAlias = Annotated[
    bool | None, output_option(help="Show progress on stderr; by default on a terminal, elsewhere once a minute.")
]
Plot: TypeAlias = Annotated[
    Path | None,
    output_option(metavar="FILE", help="File of the figure (.png, .pdf or .svg), instead of regret.png in the folder."),
]


def checked(record: type, name: str, text: str) -> Any:
    """The value of a field of a record, from a text; numbers may have the forms 1e6 and 1_000_000."""
    key, value = keys_of(record)[name], text.strip().casefold()
    plain: object = value
    with suppress(InvalidOperation):
        number = Decimal(value)
        if number.is_finite() and number.adjusted() <= MOST_DIGITS:
            plain = int(number) if number == int(number) else float(number)
    try:
        return key.kind.read(plain)
    except UnexpectedValueError:
        expected, example = (each.replace('"', "") for each in (key.kind.expected, key.example.partition(" = ")[2]))
        option = as_option(Option(name))
        raise InvalidInputError(f"{option} must be {expected}, got {text!r}: write for instance {option} {example}") from None


def option_of(record: type, name: str) -> Any:
    """The option of a command for a field of a record."""
    key = keys_of(record)[name]
    return typer.Option(as_option(Option(name)), *key.also, metavar=key.metavar, help=key.help, rich_help_panel=key.panel)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for each field of the records among its parameters.

    These are the fields with a help text, and of a record ``Annotated[RECORD, PANEL]`` only those in that panel.
    """
    parameters: list[inspect.Parameter] = []
    records: dict[str, tuple[type, dict[str, Key]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        annotation = parameter.annotation
        record, *panels = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
        if is_dataclass(record):
            assert isinstance(record, type)
            keys = {name: key for name, key in keys_of(record).items() if key.help and key.panel in (panels or [key.panel])}
            records[parameter.name] = record, keys
            parameters += [_parameter(record, name) for name in keys]
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    def run(**values: Any) -> None:
        for parameter, (record, keys) in records.items():
            given = {name: value for name in keys if (value := values.pop(name)) is not None}
            for name, value in given.items():
                if keys[name].is_checked:
                    given[name] = checked(record, name, value)
                elif isinstance(value, list):
                    given[name] = tuple(value)
            values[parameter] = record(**given)
        command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameter(record: type, name: str) -> inspect.Parameter:
    """The parameter of a command for a field, with a type that typer knows."""
    key, kind = keys_of(record)[name], get_type_hints(record)[name]
    default = next(field.default for field in fields(record) if field.name == name)
    if key.is_checked:
        kind, default = (str, f"{default:g}") if default is not None else (str | None, None)
    elif get_origin(kind) is Literal:
        kind = str
    elif default == ():
        kind, default = list[str] | None, None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=key.shown or default, annotation=Annotated[kind, option_of(record, name)]
    )
