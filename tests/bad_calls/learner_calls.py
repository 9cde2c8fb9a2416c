"""Learners whose arguments are refused, and calls of a learner."""

import numpy as np

from semibandits.decisions.msets import MSets
from semibandits.learning import Learner
from semibandits.policies.cucb import CUCB


def learner(decision_set=MSets(3, 1), policy=CUCB(), *, variance=1.0, seed=0):  # noqa: B008 (never changed)
    return Learner(decision_set, policy, variance=variance, seed=seed)


CALLS = [
    (lambda: learner([1, 2]), "must .* got"),
    (lambda: learner(policy=CUCB), "must .* got"),
    (lambda: learner(variance=0.0), "must .* got"),
    (lambda: learner(variance=[1.0, 1.0]), "must .* got"),
    (lambda: learner(seed=None), "must .* got"),
    (lambda: learner(seed=True), "must .* got"),
    (lambda: learner(seed=-1), "must .* got"),
    (lambda: learner(seed=1.0), "must .* got"),
    (lambda: learner(seed=np.random.Generator(np.random.MT19937(0))), "must .* got"),
    (lambda: learner().tell(learner().ask(), [1.0]), r"pass round\.id"),
]  # fmt: skip
