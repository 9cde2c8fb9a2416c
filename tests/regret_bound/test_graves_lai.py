"""`graves_lai` against full enumeration, family by family."""

import numpy as np
import pytest
from bound_checks import GAP, check, means, variances

import semibandits as sb
from example_sets import FAMILIES


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["real", "integer", "ties", "near-ties"])
@pytest.mark.parametrize("spread", ["plain", "varied"])
@pytest.mark.parametrize("family", FAMILIES)
def test_bracket_and_plan(family, kind, spread):
    # 4 kinds x 2 spreads x 6 instances = 48 a family.
    index = list(FAMILIES).index(family)
    for trial in range(6):
        rng = np.random.default_rng([index, trial, len(kind), len(spread)])
        decision_set = FAMILIES[family](rng)
        theta = means(rng, decision_set.d, kind)
        check(decision_set, theta, variances(rng, decision_set.d, spread))


@pytest.mark.parametrize("n", range(2, 31))
def test_identity_matchings(n):
    theta = np.where(np.eye(n, dtype=bool), 2.0, 1.0).ravel()
    s = sb.graves_lai(sb.Matchings([(i, j) for i in range(n) for j in range(n)]), theta)
    assert s.lower <= n * (n - 1) / 2 * (1 + 1e-12)
    assert s.value >= n * (n - 1) / 2 * (1 - 1e-12)
    assert s.gap <= GAP


def test_items_that_no_decision_contains_have_rate_zero():
    s = sb.graves_lai(sb.Paths([(0, 1), (0, 2), (1, 3), (2, 3), (1, 9)], 0, 3), [1.0, 0.5, 0.0, 0.0, 7.0])
    assert s.rates[4] == 0.0
    assert not s.suboptimal_items[4]
    assert s.value == pytest.approx(4.0, rel=GAP)  # one detour of two new items: w = 2 / gap^2 each, cost 2 / gap


def test_results_do_not_share_memory_with_the_input():
    theta = np.array([2.0, 1.0, 0.0])
    s = sb.graves_lai(sb.MSets(3, 1), theta)
    theta[:] = 9.0
    assert s.theta.tolist() == [2.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        s.plan.rates[0] = 1.0
