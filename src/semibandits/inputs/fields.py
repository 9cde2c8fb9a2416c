"""Reading JSON objects key by key, with one clear error for each missing, invalid or unknown key."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits.formats.json import MOST_DIGITS

_REQUIRED: Final = object()
_LONG: Final = 10**MOST_DIGITS


class Fields:
    """The keys of one JSON object, each to be taken once; `where` is the name of the object in errors."""

    def __init__(self, values: object, where: str) -> None:
        if not isinstance(values, Mapping):
            raise InvalidInputError(f"{where} must be a JSON object, got {kind_of(values)}: write {{...}} around its keys")
        self._left = dict(values)
        self._known: list[str] = []
        self._where = where

    def take(self, key: str, default: object = _REQUIRED) -> object:
        """Value of `key`; without a default the key is required."""
        self._known.append(key)
        if key in self._left:
            return self._left.pop(key)
        if default is _REQUIRED:
            raise InvalidInputError(f"{self._where} must have the key {key!r}, {self.instead(key)}")
        return default

    def instead(self, *missing: str) -> str:
        """End of the error for missing keys: a key that is similar to one of them."""
        for key in missing:
            close = get_close_matches(key, map(str, self._left), n=1, cutoff=0.7)
            if close:
                return f"got {close[0]!r}: did you mean {key!r}?"
        return f"got none: add {'it' if len(missing) == 1 else 'one'}"

    def text(self, key: str, default: object = _REQUIRED) -> str:
        """Value of `key` as a string."""
        value = self.take(key, default)
        if not isinstance(value, str):
            raise InvalidInputError(f"{key} must be a string, got {kind_of(value)}: put it in quotes")
        return value

    def count(self, key: str, default: object = _REQUIRED) -> int | None:
        """Value of `key` as an integer, or None if that is the default."""
        value = self.take(key, default)
        if value is None and default is None:
            return None
        return _integer(value, key)

    def sequence(self, key: str) -> list[object]:
        """Value of `key` as a list."""
        return as_list(self.take(key), key)

    def pairs(self, key: str) -> list[tuple[Hashable, Hashable]]:
        """Value of `key` as a list of pairs of labels."""
        result = []
        for position, value in enumerate(self.sequence(key)):
            pair = as_list(value, f"{key}[{position}]")
            if len(pair) != 2:
                raise InvalidInputError(f"{key}[{position}] must be a pair, got {len(pair)} entries: write its two ends only")
            result.append((as_label(pair[0], f"{key}[{position}]"), as_label(pair[1], f"{key}[{position}]")))
        return result

    def finish(self) -> None:
        """Raise an error if a key was never taken."""
        for key in self._left:
            close = get_close_matches(str(key), self._known, n=1)
            remedy = f"did you mean {close[0]!r}?" if close else "remove it"
            raise InvalidInputError(
                f"{self._where} must only have the keys {', '.join(dict.fromkeys(self._known))}, got {key!r}: {remedy}"
            )


def as_list(value: object, name: str) -> list[object]:
    """`value` as a list."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidInputError(f"{name} must be a list, got {kind_of(value)}: write [...] around its entries")
    return list(value)


def as_label(value: object, name: str) -> Hashable:
    """`value` as a label: a string or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInputError(f"{name} must be a string or a whole number, got {shown(value)}: put names in quotes")
    if isinstance(value, int) and abs(value) >= _LONG:
        raise InvalidInputError(f"{name} must have at most {MOST_DIGITS} digits, got more: call it something shorter")
    return value


def as_numbers(value: object, name: str) -> list[float]:
    """`value` as a list of numbers, not texts or truth values."""
    entries = as_list(value, name)
    for position, entry in enumerate(entries):
        if isinstance(entry, bool) or not isinstance(entry, int | float):
            raise InvalidInputError(f"{name}[{position}] must be a number, got {shown(entry)}: write numbers without quotes")
    return entries  # type: ignore[return-value]  # checked entry by entry


def as_integers(value: object, name: str) -> list[int]:
    """`value` as a list of integers."""
    return [_integer(entry, f"{name}[{position}]") for position, entry in enumerate(as_list(value, name))]


def _integer(value: object, name: str) -> int:
    """`value` as an integer, not a truth value."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError(f"{name} must be an integer, got {shown(value)}: write a whole number")
    return value


def unknown_name(what: str, got: object, known: Iterable[object]) -> InvalidInputError:
    """Error for a name that is not `known`; it suggests the closest names, or lists the known ones."""
    names = [str(name) for name in known]
    close = get_close_matches(str(got), names, n=3, cutoff=0.5)
    if close:
        remedy = f"did you mean {' or '.join(close)}?"
    else:
        remedy = f"choose from {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
    return InvalidInputError(f"{what} must be a known name, got {shown(got)}: {remedy}")


def nearest(name: object, known: Iterable[str], remedy: str = "pass one of these") -> str:
    """End of an error message: the most similar name, or the remedy if there is none."""
    folded = {right.casefold(): right for right in known}
    text = str(name).casefold()
    close = get_close_matches(text, folded, n=1, cutoff=0.5)
    close = close or [right for right in folded if text and (right.startswith(text) or text.startswith(right))]
    return f": did you mean {folded[close[0]]!r}?" if close else f": {remedy}"


def kind_of(value: object) -> str:
    """Kind of a JSON value, in words."""
    if value is None:
        return "null"
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "a truth value"),
        ((int, float), "a number"),
        (str, "a string"),
        (Mapping, "an object"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "a list")


def shown(value: object) -> str:
    """A JSON value for an error message; long values by their kind."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, deeply nested lists
        return kind_of(value)
    return text if len(text) <= 40 else kind_of(value)
