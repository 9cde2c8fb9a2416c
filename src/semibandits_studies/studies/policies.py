"""The policies of a study, and their text form ``NAME:key=value,key=value``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.fields import unknown_name
from semibandits.policies.base import Policy
from semibandits.policies.glade import GLADE
from semibandits.policies.radius import RADII
from semibandits.policies.registry import POLICIES, REGRET_POLICIES, policy_from

_NAMES: Final = {policy.__name__.casefold(): policy.__name__ for policy in POLICIES} | dict.fromkeys(
    ("thompson", "ts"), "ThompsonSampling"
)
_EXAMPLE: Final = "ESCB:radius=log-loglog"


@dataclass(frozen=True)
class PolicyChoice:
    """A policy of the library by name and parameters. Its `str` is the text form that :meth:`of` reads.

    Refused are a parameter ``horizon``, except of GLADE, an unknown radius, and a text that cannot be part of the text form.
    """

    name: str  # of its class in any case, or "thompson" or "ts"
    # Keyword arguments of the class; text may stand for a number.
    parameters: Mapping[str, str | float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _NAMES.get(self.name.casefold(), self.name))
        for key, value in self.parameters.items():
            if isinstance(value, str) and (not value or value != value.strip() or "," in value):
                raise _malformed(self)
            if key == "horizon" and self.name != GLADE.__name__:
                raise InvalidInputError(
                    f"the horizon must be the same for all policies, got {str(self)!r}: use ",
                    Option("horizon"),
                    ", and simulate slow policies on their own",
                )
            if key == "radius" and value not in RADII:
                raise unknown_name("radius", value, RADII)

    @classmethod
    def of(cls, text: str | PolicyChoice) -> PolicyChoice:
        """The choice that a text describes; other choices are returned unchanged."""
        if isinstance(text, PolicyChoice):
            return text
        if not isinstance(text, str):
            raise InvalidInputError(
                f"policies of studies must be texts, as in {_EXAMPLE}, got {text!r}: pass Policy objects to semibandits.simulate"
            )
        name, colon, rest = text.partition(":")
        parameters: dict[str, str | float] = {}
        for pair in rest.split(",") if colon else ():
            key, _, value = (part.strip() for part in pair.partition("="))
            if not (key and value):
                raise _malformed(text)
            if key in parameters:
                raise InvalidInputError(f"parameters must be given once, got {key} twice in {text!r}: drop one")
            parameters[key] = value
        return cls(name.strip(), parameters)

    def __str__(self) -> str:
        pairs = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name}:{pairs}" if pairs else self.name

    @property
    def label(self) -> str:
        """Name in results, ``NAME(key=value, key=value)``."""
        pairs = ", ".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name}({pairs})" if pairs else self.name


ALL_POLICIES: Final = tuple(PolicyChoice(policy.__name__) for policy in REGRET_POLICIES)
WITHOUT_PLANS: Final = tuple(PolicyChoice(policy.__name__) for policy in REGRET_POLICIES if not policy().plans)


def named_policies(choices: Iterable[PolicyChoice | str]) -> dict[str, Policy]:
    """Policies by their names in results; no two may be the same."""
    named: dict[str, Policy] = {}
    for choice in map(PolicyChoice.of, choices):
        if choice.label in named:
            raise InvalidInputError(
                f"policies must differ, got {choice.label} twice: give each once, or with another parameter, as in {_EXAMPLE}"
            )
        named[choice.label] = policy_from(choice.name, choice.parameters)
    return named


def _malformed(policy: object) -> InvalidInputError:
    return InvalidInputError(
        f"a policy must be written NAME:key=value,key=value, got {str(policy)!r}: write for instance {_EXAMPLE}"
    )
