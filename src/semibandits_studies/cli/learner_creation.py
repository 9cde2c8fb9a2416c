"""``semibandits learner create``: a learner of a dataset or a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.families.description import describe, rebuild
from semibandits.inputs.options import option
from semibandits.instances import Instance, ProblemOptions
from semibandits.learning.learner import Learner
from semibandits.policies.registry import policy_from
from semibandits_server.database.entries import new_name
from semibandits_server.database.opening import new_backend, open_learner
from semibandits_studies.cli.terminal import print_json, print_line
from semibandits_studies.studies.policies import PolicyChoice
from semibandits_studies.studies.problems import find_problem, load_problem

_create: Final = partial(option, panel="Options of create")


@dataclass(frozen=True, kw_only=True)
class Creation:
    """Options of a new learner."""

    policy: str | None = _create(help="Policy, as in ESCB:radius=log; GLADE by default.", metavar="NAME")
    law: str | None = _create(help="Law of the rewards, as for bound.", metavar="LAW")
    seed: int | None = _create(help="Seed of the random numbers, 0 by default.", metavar="N")
    half_life: float | None = _create(help="Rounds after which an outcome counts half.", metavar="ROUNDS")
    defer_plans: bool = _create(help="Let the service solve plans in the background, not in ask.", default=False)
    prior_plays: int | None = _create(help="Use the means of PROBLEM as a prior worth N outcomes each.", metavar="N")


def create(url: str, name: str, problem: str, options: ProblemOptions, creation: Creation, *, as_json: bool) -> None:
    """Create a learner, unless there is one of this name, and print where it is."""
    new_name(name)
    instance = load_problem(find_problem(problem, options)).instance
    arguments = _arguments(instance, options, creation)
    Learner(**arguments)  # its errors, before the database is touched
    _check_new(url, name)
    with open_learner(url, name=name, **arguments) as learner:
        x, policy, shown = learner.decision_set, learner.policy, learner.url
    if as_json:
        print_json({"name": name, "url": shown, "decision_set": repr(x), "policy": repr(policy)})
        return
    print_line(f"Created {name} in {shown}: {x!r}, {type(policy).__name__}")
    print_line(f"Serve it: semibandits serve --storage {shown}")


def _arguments(instance: Instance, options: ProblemOptions, creation: Creation) -> dict[str, Any]:
    """Arguments of `open_learner`."""
    x = instance.decision_set
    if tuple(x.items) == tuple(range(x.d)) and instance.labels != tuple(map(str, x.items)):
        x = rebuild(describe(x) | {"items": list(instance.labels)}, x.d)  # with names instead of numbers
    arguments: dict[str, Any] = {"decision_set": x, "law": creation.law}
    if creation.policy is not None:
        choice = PolicyChoice.of(creation.policy)
        arguments["policy"] = policy_from(choice.name, choice.parameters)
    if creation.law is None or options.variance is not None:
        is_same = bool((instance.variance == instance.variance[0]).all())
        arguments["variance"] = float(instance.variance[0]) if is_same else np.array(instance.variance)
    if creation.prior_plays is not None:
        arguments |= {"prior_means": np.array(instance.theta), "prior_plays": creation.prior_plays}
    return arguments | {
        "seed": 0 if creation.seed is None else creation.seed,
        "half_life": creation.half_life,
        "defer_plans": creation.defer_plans,
    }


def _check_new(url: str, name: str) -> None:
    from semibandits_server.database import journal

    backend = new_backend(url)
    backend.prepare(create=True)
    names = backend.run(journal.names, reads=True)
    backend.close()
    if name in names:
        raise InvalidInputError(
            f"the name must be new in {backend.shown}, got {name!r}, which exists: choose another one, or see it with "
            "semibandits learner show"
        )
