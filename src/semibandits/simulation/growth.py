"""Whether a simulation extends one that was run before."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from semibandits.errors import InvalidInputError, Option

OTHER_FOLDER: Final = ("choose another folder (", Option("folder", "FOLDER"), "), or continue the run as it was started")
"""Remedy where the folder contains another simulation or study."""


class Growth(IntEnum):
    """How a simulation extends an earlier one; replications depend on the horizon, and not on their number or other policies."""

    NONE = 0
    """It does not: the two are the same."""
    MORE = 1
    """More replications or policies: the finished replications remain valid."""
    LONGER = 2
    """A longer horizon: all replications are played again, and agree with the earlier ones up to its horizon."""


def growth(before: Mapping[str, Any], now: Mapping[str, Any]) -> Growth | None:
    """How one simulation extends another, by their `Specification.description`; None if they are different simulations."""
    changed = set(differences(before, now))
    if not changed:
        return Growth.NONE
    try:
        fits = (
            changed <= {"policies", "replications", "horizon", "checkpoints"}
            and before["replications"] <= now["replications"]
            and before["horizon"] <= now["horizon"]
            and all(now["policies"].get(name) == policy for name, policy in before["policies"].items())
            and ("checkpoints" not in changed or "horizon" in changed)
            and set(before["checkpoints"][:-1]) <= set(now["checkpoints"])  # the last checkpoint is the horizon
        )
    except (TypeError, KeyError, AttributeError, IndexError):  # an edited file
        return None
    if not fits:
        return None
    return Growth.LONGER if "horizon" in changed else Growth.MORE


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Names of the entries that differ."""
    return [name for name in dict.fromkeys([*now, *before]) if before.get(name) != now.get(name)]


def other_simulation(names: list[str], place: object) -> InvalidInputError:
    """The error for a folder whose simulation has other entries of these names."""
    got = f"another {', '.join(names)} in {place}"
    return InvalidInputError(f"folder must contain a run of the same simulation, got {got}: ", *OTHER_FOLDER)


def check_growth(before: Mapping[str, Any], now: Mapping[str, Any], place: object, *, extend: bool) -> Growth:
    """How a simulation extends that in a folder; an error unless the folder may continue with it.

    `before` and `now` are their descriptions; `place` is the folder. `extend` allows a longer horizon, up to which all
    replications are played again.
    """
    grown = growth(before, now)
    if grown is None:
        raise other_simulation(differences(before, now), place)
    if grown is Growth.LONGER and not extend:
        raise InvalidInputError(
            f"folder must contain a run of the same horizon, got one of {before['horizon']} rounds in {place} and now "
            f"{now['horizon']}: add ",
            Option("extend", True),
            " to play all replications again up to the longer horizon (the earlier result is kept until the new one is "
            "complete), or choose another folder (",
            Option("folder", "FOLDER"),
            ")",
        )
    return grown
