"""Laws as text and as plain JSON, for command lines, study files and result files."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import nearest
from semibandits.laws.base import Law
from semibandits.laws.bernoulli import Bernoulli
from semibandits.laws.gamma import Gamma
from semibandits.laws.gaussian import Gaussian
from semibandits.laws.mixed import Mixed
from semibandits.laws.poisson import Poisson

KINDS: Final[dict[str, type[Law]]] = {law.__name__.lower(): law for law in (Gaussian, Bernoulli, Poisson, Gamma)}
"""Built-in laws by name, except `Mixed`. They are frozen dataclasses whose parameters all have defaults."""
_MIXED: Final = "mixed"


def law_from(value: object) -> Law:
    """Convert a description to a law.

    Parameters
    ----------
    value : Law, str or mapping
        A law, which is returned; text with a name and, after a colon, parameters, where ``key`` means ``key=true``:
        ``"poisson"``, ``"gamma:shape=2,cost"``, ``"gaussian:upper=0"``; or output of `plain`:
        ``{"name": "gamma", "shape": 2.0}``.

    Returns
    -------
    Law
        One of those in :mod:`semibandits.laws`, or the law that was given.

    Raises
    ------
    InvalidInputError
        If there is no such law, or a parameter is invalid.

    Examples
    --------
    >>> sb.laws.law_from("gamma:shape=2,cost")
    Gamma(shape=2.0, cost=True)
    >>> sb.laws.law_from({"name": "poisson", "cost": True})
    Poisson(cost=True)
    >>> sb.laws.law_from("poison")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: the law must be one of gaussian, bernoulli, poisson, gamma, got 'poison': ...
    """
    if isinstance(value, Law):
        return value
    if isinstance(value, str):
        value = _parts(value.casefold())
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise InvalidInputError(
            f"a law must be a name, a mapping with a name, or a Law, got {value!r}: pass for instance 'poisson'"
        )
    name = value["name"].casefold()
    parameters = {str(key): one for key, one in value.items() if key != "name"}
    if name == _MIXED:
        return _mixture(parameters)
    if name not in KINDS:
        raise InvalidInputError(f"the law must be one of {', '.join(KINDS)}, got {value['name']!r}{nearest(name, KINDS)}")
    known = {field.name: field.default for field in fields(KINDS[name])}
    for key, one in parameters.items():
        if key not in known:
            expected = f"be among {', '.join(known)}" if known else "be left out"
            raise InvalidInputError(f"parameters of {name} must {expected}, got {key!r}: leave it out")
        if isinstance(known[key], bool) != isinstance(one, bool):
            wanted = "true or false" if isinstance(known[key], bool) else f"a number, as in {key}=2"
            raise InvalidInputError(f"{key} must be {wanted}, got {one!r}: pass one")
    return KINDS[name](**parameters)


def plain(law: Law) -> dict[str, Any] | None:
    """A law as plain JSON, which `law_from` converts back to an equal law; None for user-defined laws."""
    if isinstance(law, Mixed):
        kinds = [plain(kind) for kind in law.kinds]
        return None if None in kinds else {"name": _MIXED, "kinds": kinds, "which": law.which.tolist()}
    if type(law) not in KINDS.values():
        return None
    return {"name": law.name} | {field.name: _number(getattr(law, field.name)) for field in fields(law)}


def text(law: Law) -> str:
    """A law as text for `law_from`; its `repr` if it is user-defined or has a parameter value per item."""
    known = plain(law)
    if known is None or isinstance(law, Mixed) or any(isinstance(one, list) for one in known.values()):
        return repr(law)
    default = {field.name: field.default for field in fields(law)}
    parts = [
        key if one is True else f"{key}={_short(one)}"
        for key, one in known.items()
        if key != "name" and one != _number(default[key])
    ]
    return law.name + (":" + ",".join(parts) if parts else "")


def title(law: Law) -> str:
    """Name of a law in results: its text, or "gaussian" if the variances determine it."""
    return "gaussian" if law.is_quadratic else text(law)


def words(called: str) -> str:
    """Description in English of the law with this title."""
    try:
        law = law_from(called)
    except InvalidInputError:
        return f"independent rewards of the law {called}"
    match law:
        case Gaussian():
            return "independent Gaussian rewards" + ("" if law.is_quadratic else " with a known bound on their means")
        case Bernoulli():
            return "independent rewards of 0 or 1"
        case Poisson():
            return "independent Poisson counts" + (", as costs" if law.cost else "")
        case Gamma():
            return f"independent gamma-distributed {'costs' if law.cost else 'rewards'} of shape {law.shape:g}"
        case Mixed():
            return "independent rewards, each item of its own law"
    return f"independent rewards of the law {called}"


def _short(number: float | str) -> str:
    """Shortest text of a number with all its digits."""
    return f"{number:g}" if not isinstance(number, str) and float(f"{number:g}") == number else str(number)


def _parts(written: str) -> dict[str, Any]:
    """``name:key=value,key`` as a mapping."""
    name, _, rest = written.partition(":")
    parts: dict[str, Any] = {"name": name.strip()}
    for part in filter(None, (one.strip() for one in rest.split(","))):
        key, equals, number = (one.strip() for one in part.partition("="))
        parts[key] = _value(key, number) if equals else True
    return parts


def _value(key: str, number: str) -> float | bool:
    if number.casefold() in ("true", "false"):
        return number.casefold() == "true"
    try:
        return float(number)
    except ValueError as error:
        raise InvalidInputError(f"{key} must be a number, got {number!r}: write for instance {key}=0.5") from error


def _mixture(parameters: Mapping[str, Any]) -> Mixed:
    """A `Mixed` from its distinct laws and the index of the law of each item."""
    kinds, which = parameters.get("kinds"), parameters.get("which")
    if set(parameters) != {"kinds", "which"} or not isinstance(kinds, list) or not isinstance(which, list):
        raise InvalidInputError(f"a mixed law must have kinds and which, two lists, got {dict(parameters)!r}: pass both")
    laws = [law_from(kind) for kind in kinds]
    if not all(type(k) is int and 0 <= k < len(laws) for k in which):
        raise InvalidInputError(
            f"which must hold indices into kinds, 0 to {len(laws) - 1}, got {reprlib.repr(which)}: pass one per item"
        )
    return Mixed([laws[k] for k in which])


def _number(value: Any) -> Any:
    """Numbers and lists of numbers as plain JSON, with infinite bounds as text."""
    if isinstance(value, bool):
        return value
    array: FloatArray = np.asarray(value, dtype=np.float64)
    listed = array.tolist()
    if array.ndim == 0:
        return listed if np.isfinite(listed) else str(listed)
    return [one if np.isfinite(one) else str(one) for one in listed]
