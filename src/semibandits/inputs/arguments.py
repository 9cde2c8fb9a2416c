"""Helpful errors for keyword arguments that a function does not have, and whole numbers given as floats."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MEANT: Final[Mapping[str, tuple[str, ...]]] = {
    "variance": ("sigma", "std", "sd", "stddev", "scale"),
    "theta": ("weights", "weight", "means", "mean", "mu"),
    "costs": ("cost", "minutes", "lengths", "length", "prices"),
    "n_jobs": ("workers", "n_workers", "jobs", "processes"),
    "horizon": ("T", "rounds", "n_rounds", "steps"),
    "replications": ("runs", "n_runs", "reps", "repeats", "repetitions", "trials"),
    "seed": ("rng", "random_state", "random_seed"),
    "gap": ("tol", "tolerance", "rtol", "precision", "epsilon"),
    "time_limit": ("timeout", "time", "seconds"),
    "law": ("distribution", "family", "noise"),
    "source": ("start", "origin", "src"),
    "target": ("end", "goal", "destination", "dest", "sink"),
    "d": ("n", "n_items"),
    "m": ("k", "size"),
}
"""What common names of arguments mean here, for functions that have this parameter."""

ELSEWHERE: Final[Mapping[str, str]] = {
    "gamma": "it is a parameter of policies, as in sb.OSSB(gamma=0.1)",
    "radius": "it is a parameter of policies, as in sb.CUCB(radius='log')",
    **dict.fromkeys(
        ("weight", "weights", "theta", "costs"), "means belong to graves_lai or to a reward model, as theta=... or costs=..."
    ),
    "size": "a limit on the number of items in all is one of sb.matroids.quotas(groups, capacities, size)",
    **dict.fromkeys(("variance", "sigma", "std"), "rewards have a variance, as in sb.GaussianRewards(theta, variance=1.0)"),
}
"""Arguments of other functions."""


def hinted(function: Callable[P, T]) -> Callable[P, T]:
    """Name the argument that was probably meant, if a call of the function has an unknown keyword argument.

    The signature and the documentation of the function stay as they are.
    """
    parameters = frozenset(inspect.signature(function).parameters)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in parameters:
                own, hint = function.__qualname__.removesuffix(".__init__"), _hint(name, parameters)
                raise TypeError(f"{own}() got an unexpected keyword argument {name!r}{hint and f': {hint}'}")
        return function(*args, **kwargs)

    return called


def _hint(name: str, parameters: frozenset[str]) -> str:
    for parameter, names in MEANT.items():
        if name in names and parameter in parameters:
            meant = f"{parameter}=..."
            if parameter == "variance":
                meant = f"variance={name}**2"
            elif parameter == "theta" and "costs" in parameters:
                meant = "theta=... for rewards or costs=... for costs"
            return f"did you mean {meant}?"
    close = get_close_matches(name, sorted(parameters - {"self"}), n=1, cutoff=0.7)
    return f"did you mean {close[0]}=...?" if close else ELSEWHERE.get(name, "")


def whole(value: T) -> T | int:
    """A float with an integer value, such as 1e3, as an int; everything else unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
