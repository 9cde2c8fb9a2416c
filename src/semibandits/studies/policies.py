"""Policies as they are written on a command line and in a study: ``NAME:key=value,key=value``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from semibandits._fields import unknown_name
from semibandits.errors import InvalidInputError
from semibandits.policies.base import Policy
from semibandits.policies.radius import RADII
from semibandits.policies.registry import POLICIES, policy_from

SHORT_NAMES: Final = {"thompson": "ThompsonSampling", "ts": "ThompsonSampling"}
_EXAMPLE: Final = "ESCB:radius=log-loglog"


def named_policies(texts: Sequence[str]) -> dict[str, Policy]:
    """Policies by the names they have in results; all of the library for none.

    Raises
    ------
    InvalidInputError
        If a text is of another form, names no policy or parameter, has a value that is refused, or comes twice.
    """
    named: dict[str, Policy] = {}
    for text in full_texts(texts):
        name, parameters = _split(text)
        said = ", ".join(f"{key}={value}" for key, value in parameters.items())
        shown = f"{name}({said})" if said else name
        if shown in named:
            raise InvalidInputError(
                f"policies must differ, got {shown} twice: give each once, or with another parameter, as in {_EXAMPLE}"
            )
        named[shown] = policy_from(name, parameters)
    return named


def full_texts(texts: Sequence[str]) -> list[str]:
    """The same policies with their full names and without blanks: all of the library for none."""
    full = []
    for text in texts or [policy.__name__ for policy in POLICIES]:
        name, parameters = _split(text)
        said = ",".join(f"{key}={value}" for key, value in parameters.items())
        full.append(f"{name}:{said}" if said else name)
    return full


def _split(text: str) -> tuple[str, dict[str, object]]:
    """Name and parameters of a policy."""
    typed, colon, rest = (part.strip() for part in text.partition(":"))
    folded = {policy.__name__.casefold(): policy.__name__ for policy in POLICIES} | SHORT_NAMES
    return folded.get(typed.casefold(), typed), _parameters(text, rest) if colon else {}


def _parameters(text: str, rest: str) -> dict[str, object]:
    parameters: dict[str, object] = {}
    for pair in rest.split(","):
        key, sign, value = (part.strip() for part in pair.partition("="))
        if not (key and sign and value):
            raise InvalidInputError(
                f"a policy must be written NAME:key=value,key=value, got {text!r}: write for instance {_EXAMPLE}"
            )
        if key == "horizon":
            raise InvalidInputError(
                f"the horizon must be the same for all policies, got {text!r}: use --horizon, and simulate slow "
                "policies on their own"
            )
        if key == "radius" and value not in RADII:
            raise unknown_name("radius", value, RADII)
        if key in parameters:
            raise InvalidInputError(f"parameters must be given once, got {key} twice in {text!r}: drop one")
        parameters[key] = value
    return parameters
