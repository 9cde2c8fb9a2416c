"""Decision sets as plain JSON, from which they are built again, and fingerprints that tell them apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.families.family import JSON
from semibandits.families.labels import LARGEST_PLAIN_INTEGER, without_addresses
from semibandits.families.registry import FAMILIES, family_of

_DAMAGE: Final = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError, RecursionError)


def describe(decision_set: DecisionSet) -> JSON:
    """A decision set of the library as plain JSON.

    Parameters
    ----------
    decision_set : DecisionSet
        Of one of the built-in families, over built-in matroids, whose labels are strings, integers, floats, booleans, None, or
        tuples of these.

    Returns
    -------
    dict
        What :func:`rebuild` takes. Two sets that were built in the same way have the same description.

    Raises
    ------
    UnsupportedError
        If the set is one of a user's own, rests on a matroid that is, or has other labels; the message says which.
    """
    family = family_of(decision_set)
    if family is None:
        raise UnsupportedError(
            f"{type(decision_set).__name__} cannot be described: it is no family of the library, so pass the set itself"
        )
    return {"family": family.name, **family.write(decision_set)}


def rebuild(description: Mapping[str, Any], d: int | None = None) -> DecisionSet:
    """The decision set of a description: the same items in the same order, the same answers.

    Parameters
    ----------
    description : mapping
        From :func:`describe`, maybe written to JSON and read again.
    d : int, optional
        Number of items that it must have. Then a description that only claims to have more is refused before memory is taken.

    Raises
    ------
    InvalidInputError
        If it is no such description.
    """
    try:
        if d is not None:
            _check_sizes(description, d)
        result = FAMILIES[description["family"]].read(description)
        unchanged = digest(describe(result)) == digest(dict(description))
    except InvalidInputError as error:
        raise InvalidInputError(
            f"the description of a decision set must describe one, got a damaged one: {error}"
        ) from error
    except _DAMAGE as error:
        raise InvalidInputError(
            f"the description of a decision set must be one that describe() wrote, got {type(error).__name__} ({error}) "
            "when reading it: pass it unchanged"
        ) from error
    if not unchanged:
        raise InvalidInputError(
            f"the description of a decision set must be one that describe() wrote, got one that leads to {result!r}, which has "
            "another: pass it unchanged"
        )
    return result


def fingerprint(decision_set: DecisionSet) -> str:
    """A digest that equal decision sets share, in any process.

    Parameters
    ----------
    decision_set : DecisionSet
        Any, also one of your own.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits: of the canonical JSON of its description; for a set that has none, of what can be
        checked: its class, d, m, its items as text, and what ``maximize`` answers to five fixed vectors of weights.
    """
    try:
        content = describe(decision_set)
    except UnsupportedError:
        content = {
            "class": type(decision_set).__qualname__,
            "d": int(decision_set.d),
            "m": int(decision_set.m),
            "items": [without_addresses(repr(label)) for label in decision_set.items],
            "answers": [np.flatnonzero(decision_set.maximize(w)).tolist() for w in _probes(decision_set.d)],
        }
    return digest(content)


def digest(content: object) -> str:
    """SHA-256 of plain JSON in canonical form, in hexadecimal digits.

    Keys are sorted, and whole floats count as integers, since some readers and writers of JSON do not tell them apart.

    Raises
    ------
    TypeError, ValueError
        If `content` is no plain JSON, or holds NaN or infinity.
    """
    text = json.dumps(_whole(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _check_sizes(description: Mapping[str, Any], d: int) -> None:
    """Compare the numbers of items that a description states, for itself and the matroids in it, with the right one."""
    claimed = [description["d"]] if "d" in description else []
    claimed += [description["shape"][1]] if "shape" in description else []
    for size in claimed:
        if size != d:
            raise InvalidInputError(f"d must be the number of items, {d}, got {size!r}: pass it unchanged")
    for matroid in (description[key] for key in ("matroid", "m1", "m2") if key in description):
        if isinstance(matroid, Mapping):
            _check_sizes(matroid, d)


def _probes(d: int) -> list[FloatArray]:
    """Vectors of weights: ties, both signs, and two scattered ones, exact in any arithmetic."""
    index = np.arange(d, dtype=np.int64)
    scattered = (index * 40_503 + 12_345) % 65_536 / 32_768.0 - 1.0
    positive = (index * 30_011 + 7) % 65_537 / 65_536.0
    return [np.zeros(d), np.ones(d), -np.ones(d), scattered, positive]


def _whole(value: Any) -> Any:
    """Plain JSON with whole floats as integers."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_PLAIN_INTEGER:
        return int(value)
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    return value
