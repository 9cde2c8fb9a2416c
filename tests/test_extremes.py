"""Near-ties, tiny and huge numbers: all families against exact fractions and full enumeration."""

from __future__ import annotations

import warnings
from fractions import Fraction

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
NUMBERS = {
    **{f"near-ties 1e-{p}": lambda rng, d, p=p: rng.integers(0, 3, d) + 10.0**-p * rng.integers(0, 3, d) for p in range(3, 14)},
    **{f"1e{p}": lambda rng, d, p=p: rng.normal(size=d) * 10.0**p for p in (-300, -150, 49, 99, 150, 300)},
    "subnormal": lambda rng, d: 5e-324 * rng.integers(0, 1_000, d),
    "twelve orders": lambda rng, d: 10.0 ** rng.uniform(-12, 0, d),
}  # fmt: skip


def drawn(family, kind, seed):
    decision_set = SETS[family]
    theta = np.asarray(NUMBERS[kind](np.random.default_rng(seed), decision_set.d), dtype=np.float64)
    return decision_set, -abs(theta) if family == "routes" else theta


def exact(theta, x):
    return sum((Fraction(float(theta[i])) for i in np.flatnonzero(x)), Fraction(0))


@by_family
@pytest.mark.parametrize("kind", NUMBERS)
def test_the_best_decision_and_the_smallest_gap_are_those_of_fractions(family, kind):
    for seed in range(2):
        decision_set, theta = drawn(family, kind, seed)
        if family == "routes" and abs(theta).max() > 1e100:
            with pytest.raises(sb.InvalidInputError, match=r"at least -1e\+100"):
                decision_set.maximize(theta)
            continue
        totals = [exact(theta, x) for x in decision_set.enumerate()]
        tie = Fraction(1e-12) * decision_set.m * Fraction(float(abs(theta).max()))
        assert max(totals) - exact(theta, decision_set.maximize(theta)) <= tie / 10
        gaps = [float(gap) for gap in (max(totals) - total for total in totals) if gap > tie]
        expected = min(gaps, default=np.inf)
        assert sb.smallest_gap(decision_set, theta) == pytest.approx(expected, rel=1e-9, abs=2 * float(tie))


@by_family
@pytest.mark.parametrize("kind", [kind for kind in NUMBERS if not kind.endswith(("e99", "e150", "e300"))])
def test_the_largest_index_is_that_of_the_list(family, kind):
    for seed in range(2):
        decision_set, theta = drawn(family, kind, seed)
        bonuses = abs(theta[::-1]) * abs(theta).max()
        x = decision_set.maximize_index(theta, bonuses)
        best = max(decision_set.index_of(theta, bonuses, row) for row in decision_set.enumerate())
        assert best - decision_set.index_of(theta, bonuses, x) <= 1e-11 * (abs(theta).max() + np.sqrt(bonuses.max()))


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
