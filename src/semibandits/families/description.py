"""Conversion of decision sets to and from plain JSON, and their fingerprints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.families.family import JSON
from semibandits.families.labels import LARGEST_PLAIN_INTEGER, without_addresses
from semibandits.families.registry import FAMILIES, family_of

MOST_STATED: Final = 2**21
"""Largest number of items in a description that states it without listing anything of each item."""
_DAMAGE: Final = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError, RecursionError)


def describe(decision_set: DecisionSet) -> JSON:
    """A decision set as plain JSON, for files and for :meth:`semibandits.client.RemoteLearner.replace`.

    Two sets that were built in the same way have the same description.

    Parameters
    ----------
    decision_set : DecisionSet
        A set of the library, over matroids of the library.

    Returns
    -------
    dict
        Its family, and what it was built from.

    Raises
    ------
    UnsupportedError
        If the set or its matroid is user-defined, or a label is not a string, integer, float, boolean, None, or a tuple of these.

    Examples
    --------
    >>> from semibandits.instances import describe
    >>> describe(sb.MSets(3, 1, items=["arts", "science", "sport"]))
    {'family': 'msets', 'd': 3, 'm': 1, 'items': ['arts', 'science', 'sport']}
    """
    family = family_of(decision_set)
    if family is None:
        raise UnsupportedError(
            f"{type(decision_set).__name__} cannot be described: it is not a built-in family, so pass the set itself"
        )
    return {"family": family.name, **family.write(decision_set)}


def rebuild(description: Mapping[str, Any], d: int | None = None) -> DecisionSet:
    """Rebuild a decision set from the output of :func:`describe`, also after a round trip through JSON, with the same items in
    the same order and the same answers.

    A description of another number of items than `d`, or without `d` of more than 2^21, is refused before memory is allocated.
    """
    try:
        _check_sizes(description, d)
        result = FAMILIES[description["family"]].read(description)
        unchanged = digest(describe(result)) == digest(dict(description))
    except InvalidInputError as error:
        raise InvalidInputError(f"the description of a decision set must be valid, got a damaged one: {error}") from error
    except _DAMAGE as error:
        raise InvalidInputError(
            f"the description of a decision set must be one that describe() wrote, got {type(error).__name__} ({error}) "
            "on reading it: pass it unchanged"
        ) from error
    if not unchanged:
        raise InvalidInputError(
            f"the description of a decision set must be one that describe() wrote, got one of {result!r}, whose description "
            "differs: pass it unchanged"
        )
    return result


def fingerprint(decision_set: DecisionSet) -> str:
    """Fingerprint of any decision set, also a user-defined one; equal sets have the same one in every process.

    SHA-256 in hexadecimal digits of the canonical JSON of its description. For a set without a description, of its class, d, m,
    its items as text, and the results of ``maximize`` for five fixed vectors of weights.
    """
    try:
        content = describe(decision_set)
    except UnsupportedError:
        d = int(decision_set.d)
        index = np.arange(d, dtype=np.int64)
        scattered = (index * 40_503 + 12_345) % 65_536 / 32_768.0 - 1.0
        positive = (index * 30_011 + 7) % 65_537 / 65_536.0
        # Weights with ties, with both signs, and two scattered ones; all are exact in floating point.
        weights = [np.zeros(d), np.ones(d), -np.ones(d), scattered, positive]
        content = {
            "class": type(decision_set).__qualname__,
            "d": d,
            "m": int(decision_set.m),
            "items": [without_addresses(repr(label)) for label in decision_set.items],
            "answers": [np.flatnonzero(decision_set.maximize(w)).tolist() for w in weights],
        }
    return digest(content)


def digest(content: object) -> str:
    """SHA-256 of plain JSON in canonical form, in hexadecimal digits. Keys are sorted, and whole floats count as integers, since
    some readers and writers of JSON do not tell them apart. Other content, also NaN and infinity, is a TypeError or ValueError.
    """
    text = json.dumps(_whole(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _check_sizes(description: Mapping[str, Any], d: int | None) -> None:
    """Check the numbers of items stated by a description and by the matroids in it; see `rebuild`."""
    claimed = [description["d"]] if "d" in description else []
    claimed += [description["shape"][1]] if "shape" in description else []
    for size in claimed:
        if d is not None and size != d:
            raise InvalidInputError(f"d must be the number of items, {d}, got {size!r}: pass it unchanged")
        if d is None and size > MOST_STATED:
            raise InvalidInputError(f"d must be at most {MOST_STATED:,}, got {size!r}: pass the set itself")
    for matroid in (description[key] for key in ("matroid", "m1", "m2") if key in description):
        if isinstance(matroid, Mapping):
            _check_sizes(matroid, d)


def _whole(value: Any) -> Any:
    """Plain JSON with whole floats as integers."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_PLAIN_INTEGER:
        return int(value)
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    return value
