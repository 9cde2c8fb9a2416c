"""ESCB against its published index, over the list of all decisions."""

import math

import numpy as np
import pytest
from histories import assert_best, play, situations
from hypothesis import example, given, settings

import semibandits as sb
from semibandits.decisions.paths import Paths
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
