"""ESCB against its published index, over the list of all decisions."""

import math

import numpy as np
import pytest
from histories import asked, assert_best, play, random_statistics, situations
from hypothesis import example, given, settings

import semibandits as sb
from semibandits.decisions.paths import Paths
from semibandits.kernels.rules.actions import INDEX
from semibandits.kernels.rules.optimism import escb
from semibandits.policies import AESCB, ESCB, Radius


@pytest.mark.parametrize("radius", ["log", "log-loglog", Radius(log=0.5, loglog=3.0)])
@given(situation=situations())
@example(situation=("matchings", "negative", 180031245, False))  # searches take up to 24 maximisations
@settings(max_examples=40, deadline=None)
def test_it_plays_the_largest_index(radius, situation):
    policy = ESCB(radius=radius)
    for t, x, account, rows, _ in play(policy, situation):
        log, loglog = policy.radius.coefficients(int(rows.sum(axis=1).max()))
        f = log * math.log(t) + (loglog * math.log(math.log(t)) if t >= 3 else 0.0)
        means, bonuses = account.means, account.bonuses(f)
        scale = np.abs(means).sum() + math.sqrt(bonuses.sum())
        assert_best(x, rows @ means + np.sqrt(rows @ bonuses), rows, scale)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("t", [1, 2, 3, 1000])
def test_the_rule_writes_means_and_squared_bonuses(t, seed):
    stats, plays, means, variance = random_statistics(seed)
    action, weights, bonuses = asked(escb, t, [1.0, 2.0, 3.0], stats)
    f = 2.0 * math.log(t) + (3.0 * math.log(math.log(t)) if t >= 3 else 0.0)
    assert action == INDEX
    assert np.array_equal(weights, means)
    assert np.allclose(bonuses, 2 * variance * f / np.maximum(plays, 1), rtol=1e-13)


@pytest.mark.parametrize("kind", [ESCB, AESCB])
def test_every_search_is_decided_in_a_grid_of_3432_paths(kind):
    """A budget of 12 maximisations a round leaves 80 % of the searches undecided."""
    links = [((i, j), (i + a, j + 1 - a)) for i in range(8) for j in range(8) for a in (0, 1) if i + a < 8 and j + 1 - a < 8]
    grid = Paths(links, (0, 0), (7, 7))
    costs = np.random.default_rng(0).random(grid.d)
    result = sb.simulate(grid, sb.GaussianRewards(costs=costs, variance=0.25), [kind()], horizon=500, replications=2, seed=1)
    _, searches, _, undecided = result.summary()[0].calls
    assert searches > 450
    assert undecided == 0
