"""Policies of the library by name, and their construction from plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import nearest
from semibandits.laws import law_from
from semibandits.policies.aescb import AESCB
from semibandits.policies.base import Policy
from semibandits.policies.cucb import CUCB
from semibandits.policies.escb import ESCB
from semibandits.policies.glade import GLADE
from semibandits.policies.identify import Identify
from semibandits.policies.ossb import OSSB
from semibandits.policies.radius import Radius
from semibandits.policies.rules import RulePolicy
from semibandits.policies.thompson import ThompsonSampling

POLICIES: Final[tuple[type[RulePolicy], ...]] = (AESCB, CUCB, ESCB, GLADE, Identify, OSSB, ThompsonSampling)
"""All policies, sorted by name. A test checks that the list is complete."""
REGRET_POLICIES: Final = tuple(policy for policy in POLICIES if policy is not Identify)
"""Those that minimise regret."""
_BY_NAME: Final = {policy.__name__: policy for policy in POLICIES}


def policy_from(name: str, parameters: Mapping[str, object] | None = None) -> Policy:
    """A policy of the library from the name of its class, for instance ``"ESCB"``, and its keyword arguments. Numbers and
    booleans may be given as text; a radius may be a mapping of the coefficients of :class:`Radius`, and a law its name or a value
    that :func:`semibandits.laws.law_from` accepts.
    """
    if name not in _BY_NAME:
        raise InvalidInputError(f"the policy must be one of {', '.join(_BY_NAME)}, got {name!r}{nearest(name, _BY_NAME)}")
    policy = _BY_NAME[name]
    own_first = sorted(fields(policy), key=lambda field: field.name in ("variance", "features"))
    defaults = {field.name: field.default for field in own_first}
    values: dict[str, Any] = {}
    for key, value in ({} if parameters is None else parameters).items():
        if key not in defaults:
            raise InvalidInputError(
                f"parameters of {name} must be among {', '.join(defaults)}, got {key!r}{nearest(key, defaults)}"
            )
        values[key] = _value(key, value, defaults[key])
    return policy(**values)


def build(specification: Mapping[str, Any]) -> Policy:
    """The policy of the library with this ``specification()``: its name and all its parameters, as plain JSON."""
    if not isinstance(specification, Mapping) or not isinstance(specification.get("name"), str):
        raise InvalidInputError(
            f"the specification of a policy must be a mapping with its name, got {specification!r}: pass it unchanged"
        )
    parameters = {key: value for key, value in specification.items() if key != "name"}
    policy = policy_from(specification["name"], parameters)
    if policy.specification() != dict(specification):
        raise InvalidInputError(
            f"the specification of a policy must give all its parameters, {policy.specification()}, got {dict(specification)}: "
            "pass it unchanged, to the version of the library that wrote it"
        )
    return policy


def _value(name: str, value: object, default: object) -> object:
    """A parameter in the form that its class accepts."""
    if name == "law":
        return None if value is None else law_from(value)
    if isinstance(default, str | Radius):
        return _radius(value) if isinstance(value, Mapping) else value
    if not isinstance(value, str):
        return value
    if isinstance(default, bool):
        if value.casefold() in ("true", "false"):
            return value.casefold() == "true"
        raise InvalidInputError(f"{name} must be true or false, got {value!r}: pass one of them")
    try:
        number = float(value)
    except ValueError as error:
        if name == "horizon":  # "simulation", or an error of the class
            return value
        raise InvalidInputError(
            f"{name} must be a number, got {value!r}: pass for instance {name}={0.5 if default is None else default}"
        ) from error
    return int(number) if isinstance(default, int) and number.is_integer() else number


def _radius(coefficients: Mapping[Any, Any]) -> Radius:
    known = [field.name for field in fields(Radius)]
    for key in coefficients:
        if key not in known:
            raise InvalidInputError(f"a radius has {', '.join(known)}, got {key!r}{nearest(key, known)}")
    return Radius(**coefficients)
