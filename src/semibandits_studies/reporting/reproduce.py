"""Ways to reproduce results: study file, command line, Python. Only exact reproductions are listed."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any, Final

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.laws import Gamma, Law, Poisson
from semibandits.laws.plain import KINDS, text, title
from semibandits.policies.base import Policy
from semibandits.policies.radius import RADII, Radius
from semibandits.policies.registry import build
from semibandits.simulation.checkpoints import log_spaced
from semibandits.simulation.results import SimulationResult, recorded
from semibandits_studies.reporting.formatting import stop_of
from semibandits_studies.reporting.report_data import ReportData

MOST_NUMBERS: Final = 12
"""Longer lists of parameters are not written out."""
_HEAD: Final = "import semibandits as sb\n"
_READ: Final = 'from semibandits.instances import read_json\n\ninstance = read_json("instance.json")\n'


def reproduction(data: ReportData) -> list[dict[str, str]]:
    """Ways to reproduce the results, each with its label and code."""
    ways: list[tuple[str, str]] = []
    has_instance = data.structure is not None and bool(data.structure.description)
    if data.study:
        ways += [("Shell, in the folder of the results", "semibandits run study.toml --output again"), ("study.toml", data.study)]
    if data.simulation is not None:
        ways += _simulation(data, data.simulation, has_instance=has_instance)
    elif has_instance:
        solve = "sb.graves_lai(instance.decision_set, instance.theta, instance.variance)"
        command = "semibandits bound instance.json"
        if data.bound is not None and data.bound.rewards != "gaussian":
            called = data.bound.rewards
            solve = f"sb.graves_lai(instance.decision_set, instance.theta, law=sb.laws.law_from({called!r}))"
            command += f" --rewards {called}"
        ways.append(("Shell, with the instance in instance.json", command))
        ways.append(("Python, with the instance in instance.json", f"{_HEAD}{_READ}bound = {solve}\n"))
    return [{"label": label, "code": code} for label, code in ways]


def _simulation(data: ReportData, result: SimulationResult, *, has_instance: bool) -> list[tuple[str, str]]:
    known, policies = recorded(result, "specification"), _policies(result)
    seed = known.get("seed")
    if policies is None or not isinstance(seed, int):
        return []
    law = _rewards(result)
    options: dict[str, Any] = {"horizon": result.horizon, "replications": result.replications, "seed": seed}
    options |= {key: known[key] for key in ("delay", "loss") if key in known}
    stop = stop_of(known)
    if isinstance(options.get("delay"), dict) or "prior" in known or (stop is None and "stop" in known):
        return []  # a distribution, or the digest of many observed delays; or what commands and instances do not have
    features = known.get("features")
    if isinstance(features, dict) and (
        law is None or data.structure is None or "features" not in (data.structure.description or {})
    ):
        return []
    stopping = {} if stop is None else {"stop-at": stop.confidence, "stop-within": stop.within, "stop-threshold": stop.threshold}
    stopping |= {} if features is None else {"features": features if isinstance(features, str) else "instance.json"}
    usual = np.array_equal(result.checkpoints, log_spaced(result.horizon))
    ways = []
    if has_instance and law is not None:
        has_options = usual and not isinstance(options.get("delay"), list)
        command = _command(law[0], options | stopping, policies) if has_options else None
        if command is not None and not data.study:
            ways.append(("Shell, with the instance in instance.json", command))
        head, what = f"{_HEAD}{_READ}rewards = {law[1]}\n", "instance.decision_set, rewards"
        label = "Python, with the instance in instance.json"
    else:
        head, what = _HEAD, "decision_set, rewards"
        label = "Python, with the decision set and the rewards that were played"
    named = "".join(f"    {name!r}: {expression(policy)},\n" for name, policy in policies.items())
    if not usual:
        options["checkpoints"] = result.checkpoints.tolist()
    arguments = "".join(f", {key}={value!r}" for key, value in options.items())
    arguments += "" if stop is None else f", stop_at=sb.{stop!r}"
    arguments += "" if features is None else f", features={repr(features) if isinstance(features, str) else 'instance.features'}"
    code = f"{head}policies = {{\n{named}}}\nresult = sb.simulate({what}, policies{arguments})\n"
    return [*ways, (label, code)]


def _rewards(result: SimulationResult) -> tuple[str, str] | None:
    """Rewards whose law follows from an instance, on the command line and in Python; None for other rewards."""
    name, law = recorded(result, "specification", "rewards").get("name"), result.law
    cost = ", cost=True" if isinstance(law, Poisson | Gamma) and law.cost else ""
    shape = law.shape if isinstance(law, Gamma) else None
    arguments = {
        "GaussianRewards": ", variance=instance.variance", "BernoulliRewards": "", "PoissonRewards": cost,
        "GammaRewards": f", shape={shape!r}{cost}",
    }  # fmt: skip
    if law is None or name not in arguments or (name == "GaussianRewards" and not law.is_quadratic):
        return None
    return title(law), f"sb.{name}(instance.theta{arguments[name]})"


def _policies(result: SimulationResult) -> dict[str, Policy] | None:
    """The simulated policies; None if one is not from the library, not fully recorded, or too long to write out."""
    known = recorded(result, "specification", "policies")
    try:
        policies = {name: build(known[name]) for name in result.policies}
    except (InvalidInputError, KeyError, TypeError):
        return None
    parameters = (value for policy in policies.values() for value in changed(policy).values())
    return None if any(isinstance(value, tuple) and len(value) > MOST_NUMBERS for value in parameters) else policies


def changed(policy: Policy) -> dict[str, Any]:
    """Parameters of a policy of the library that are not at their defaults."""
    usual, names = type(policy)(), [field.name for field in fields(policy)]  # type: ignore[arg-type]
    return {name: getattr(policy, name) for name in names if getattr(policy, name) != getattr(usual, name)}


def expression(policy: Policy) -> str:
    """A policy as a Python expression."""
    arguments = ", ".join(f"{name}={_written(value)}" for name, value in changed(policy).items())
    return f"sb.{type(policy).__name__}({arguments})"


def _written(value: object) -> str:
    if not isinstance(value, Law | Radius):
        return repr(value)
    called = _called(value)
    if called is not None:
        return repr(called)
    return f"sb.laws.{value!r}" if isinstance(value, Law) else f"sb.{value!r}"


def _called(value: object) -> str | None:
    """A parameter on the command line; None for a law with numbers for single items, and a radius without a name."""
    if isinstance(value, Radius):
        return next((name for name, known in RADII.items() if known == value), None)
    word = text(value) if isinstance(value, Law) else str(value)
    return None if isinstance(value, Law) and word.partition(":")[0] not in KINDS else word


def _command(law: str, options: dict[str, Any], policies: dict[str, Policy]) -> str | None:
    """The command line; None if it cannot express the names or parameters of the policies."""
    words = ["semibandits", "simulate", "instance.json"]
    if law != "gaussian":
        words += ["--rewards", law]
    words += [word for key, value in options.items() for word in (f"--{key}", str(value))]
    for name, policy in policies.items():
        values = {}
        for key, value in changed(policy).items():
            word = _called(value)
            if word is None or "," in word:
                return None
            values[key] = word
        parameters = ",".join(f"{key}={value}" for key, value in values.items())
        kind = type(policy).__name__
        if name not in (kind, f"{kind}({parameters.replace(',', ', ')})"):
            return None
        words += ["--policy", f"{kind}:{parameters}" if parameters else kind]
    return shlex.join(words)
