"""Tiny and huge numbers, and many ties: bounds and learners of all families; `decisions/test_gaps.py` has gaps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import semibandits as sb
from semibandits import matroids

DAG = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (0, 3), (1, 4)]
SETS = {
    "paths": sb.Paths(DAG, 0, 4),
    "routes": sb.Routes([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 0, 3, directed=False),
    "trees": sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (1, 3), (0, 3)]),
    "msets": sb.MSets(6, 2),
    "matchings": sb.Matchings([(i, j) for i in range(3) for j in range(3)]),
    "any matchings": sb.Matchings([(i, j) for i in range(2) for j in range(3)], saturate="none"),
    "laminar": sb.MatroidBases(matroids.Laminar([[0, 1, 2], [0, 1]], [2, 1], d=6)),
    "linear": sb.MatroidBases(matroids.Linear([[1, 0, 1, 1, 2], [0, 1, 1, 0, 1.5]])),
    "intersection": sb.MatroidIntersection(matroids.Partition([0, 0, 1, 1, 2, 2], 1), matroids.Partition([0, 1, 2, 0, 1, 2], 1)),
    "list": sb.EnumeratedDecisions(np.unique(np.random.default_rng(3).random((12, 6)) < 0.5, axis=0)),
}
by_family = pytest.mark.parametrize("family", SETS)


@by_family
def test_the_bound_is_proportional_to_rewards_of_any_size(family):
    """C(theta) is proportional to 1 / theta. Values outside the range of floats raise one clear error."""
    decision_set = SETS[family]
    theta = -np.random.default_rng(1).random(decision_set.d)
    bounds, refused = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for power in (0, -90, -150, -300, 90, 150, 300):
            try:
                bounds[power] = sb.graves_lai(decision_set, theta * 10.0**power, throw=False)
            except sb.InvalidInputError as error:
                refused[power] = str(error)
    assert {0, -90, 90} <= set(bounds)
    assert all("scale" in message or "another unit" in message for message in refused.values())
    for power, bound in bounds.items():
        assert 0.0 <= bound.lower <= bound.value
        assert bound.lower * 10.0**power <= bounds[0].value * (1 + 1e-6)
        assert bound.value * 10.0**power >= bounds[0].lower * (1 - 1e-6)


@by_family
@pytest.mark.parametrize("policy", [sb.GLADE(), sb.ThompsonSampling(), sb.CUCB(), sb.OSSB(), sb.AESCB()], ids=type)
def test_learners_survive_rewards_of_any_size(family, policy):
    decision_set, rng = SETS[family], np.random.default_rng(2)
    for scale in (5e-324, 1e-150, 1e100):
        for variance in (0.5, 10.0 ** rng.uniform(-6, 6, decision_set.d)):
            learner = sb.Learner(decision_set, policy, variance=variance, seed=1)
            for _ in range(6):
                asked = learner.ask()
                assert asked.decision in decision_set
                learner.tell(asked.id, costs=scale * rng.random(len(asked.items)))
            totals = decision_set.enumerate() @ learner.means
            assert learner.means @ learner.best() == pytest.approx(totals.max(), rel=1e-9)


@pytest.mark.parametrize("policy", [sb.GLADE(), sb.ThompsonSampling(), sb.CUCB(), sb.AESCB()], ids=type)
def test_a_hundred_thousand_items_that_tie(policy):
    for decision_set in (sb.MSets(100_000, 10), sb.MatroidBases(matroids.quotas(np.arange(100_000) % 100, 2, 20))):
        learner = sb.Learner(decision_set, policy, variance=0.25, seed=0, prior_means=0.5, prior_plays=3)
        for number in range(2):
            asked = learner.ask()
            learner.tell(asked.id, [float(number % 2)] * len(asked.items))
        assert learner.best() in decision_set
