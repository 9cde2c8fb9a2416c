"""The search for plausible detours, against the list of all routes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import street_grid
from marks import later
from semibandits.kernels.search.branch_and_bound import BOUND, REPORT, SPENT
from semibandits.kernels.search.detours import plausible_route
from semibandits.kernels.search.problem import SOLVED, STOPPED, IndexProblem
from semibandits.kernels.search.route_raises import road_network
from strategies import routes


def search(x, costs, bonuses, *, hint=0.0, guess=None, budget=10_000):
    """Status, route and report of a search around the best route at these costs, on which no item has a bonus."""
    base = x.maximize(-costs)
    bonuses = np.where(base, 0.0, bonuses)
    network = road_network(x.compiled().data, x.d)
    problem = IndexProblem(-costs, bonuses, 1.0, 0.9, hint, base if guess is None else guess, x.m, budget)
    found, report = base.copy(), np.zeros(REPORT)
    status = plausible_route(network, costs, problem, found, report)
    return status, found, report, base, bonuses


def gains(x, costs, bonuses, base, rows):
    """By how much the raises of each route exceed its gap to the base."""
    values = [raised(costs - x.least, bonuses, row) - costs[row].sum() for row in rows]
    return np.array(values) + costs[base].sum()


def raised(limits, bonuses, row):
    """The largest sum of raises, by bisection on the level to which they are raised."""
    items = np.flatnonzero(row & (bonuses > 0.0))

    def squares(level):
        return (np.minimum(limits[items], level * bonuses[items]) ** 2 / bonuses[items]).sum()

    low, high = 0.0, 1e6
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if squares(middle) <= 1.0 else (low, middle)
    return np.minimum(limits[items], low * bonuses[items]).sum()


@given(routes(), st.data())
@settings(max_examples=150)
def test_a_route_is_found_if_and_only_if_one_is_plausible(case, data):
    x, costs = case
    values = st.sampled_from((0.0, 0.01, 0.3, 1.0, 4.0)) if data.draw(st.booleans()) else st.floats(0.0, 4.0)
    bonuses = np.array(data.draw(st.lists(values, min_size=x.d, max_size=x.d)))
    rows = x.enumerate()
    guess = rows[data.draw(st.integers(0, len(rows) - 1))] if data.draw(st.booleans()) else None
    hint = data.draw(st.sampled_from((0.0, 0.1, 3.0)))
    status, found, report, base, bonuses = search(x, costs, bonuses, hint=hint, guess=guess)
    all_gains = gains(x, costs, bonuses, base, rows)
    best, tolerance = all_gains.max(), 1e-9 * (1.0 + costs[base].sum())
    assert status == SOLVED
    assert found in x
    own = gains(x, costs, bonuses, base, [found])[0]
    if best > tolerance:
        assert own > 0.0
    if (found != base).any():
        assert own > -tolerance
    else:
        assert best <= tolerance
        assert report[BOUND] <= tolerance - costs[base].sum()


@given(routes(most_nodes=8, most_edges=24), st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_near_ties_of_plausibility(case, seed):
    """Bonuses at which the most plausible route is plausible by a factor of 1 + 1e-7, or not by as much."""
    x, costs = case
    rng = np.random.default_rng(seed)
    base = x.maximize(-costs)
    bonuses = np.where(base, 0.0, rng.uniform(0.0, 2.0, x.d))
    rows = x.enumerate()
    others = [row for row in rows if (row != base).any() and costs[row].sum() > costs[base].sum() + 1e-6]
    scales = [scale for row in others if (scale := least_scale(x, costs, bonuses, base, row)) < 1e6]
    if not scales:
        return
    for factor, expected in ((1.0 + 1e-7, True), (1.0 - 1e-7, False)):
        status, found, _, _, scaled = search(x, costs, min(scales) * factor * bonuses)
        assert status == SOLVED
        plausible = gains(x, costs, scaled, base, rows).max() > 1e-9 * (1.0 + costs[base].sum())
        assert (found != base).any() == expected or plausible != expected


def least_scale(x, costs, bonuses, base, row):
    """The factor of the bonuses above which a route is plausible; infinite if there is none."""
    low, high = 0.0, 1e7
    if gains(x, costs, high * bonuses, base, [row])[0] <= 0.0:
        return np.inf
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if gains(x, costs, middle * bonuses, base, [row])[0] > 0.0 else (middle, high)
    return high


def test_many_detours_of_equal_cost_are_decided_quickly():
    """A street of 60 blocks: each has two detours that are nearly plausible, and 3^60 routes combine them."""
    links = []
    for block in range(60):
        detours = [[(block, (block, side)), ((block, side), block + 1)] for side in ("left", "right")]
        links += [(block, block + 1), *detours[0], *detours[1]]
    x, costs = sb.Routes(links, 0, 60), np.tile([1.0, 0.65, 0.65, 0.65, 0.65], 60)
    direct = x.maximize(-costs)
    status, found, report, _, _ = search(x, costs, np.full(x.d, 0.99 * 0.3**2 / 2), budget=400)
    assert status == SOLVED
    assert (found == direct).all()
    assert report[SPENT] <= 5
    status, found, _, base, bonuses = search(x, costs, np.full(x.d, 1.01 * 0.3**2 / 2), budget=400)
    assert status == SOLVED
    assert gains(x, costs, bonuses, base, [found])[0] > 0.0


def test_the_budget_is_heard():
    x, costs = street_grid(12, 12, "separate", np.random.default_rng(0), spread="wide")
    bonuses = np.random.default_rng(1).uniform(0.0, 1.0, x.d) ** 4
    for scale in np.geomspace(1e-3, 10.0, 30):
        status, found, report, base, _ = search(x, costs, scale * bonuses, budget=3)
        assert report[SPENT] <= 4
        assert status == SOLVED or (found == base).all()
        assert status in (SOLVED, STOPPED)


@pytest.mark.parametrize("seed", later(0, 1, 2))
def test_glade_decides_every_search_in_a_city(seed):
    x, costs = street_grid(30, 30, "separate", np.random.default_rng(seed), least=0.75)
    rewards = sb.GaussianRewards(-costs, variance=(0.3 * costs) ** 2)
    result = sb.simulate(x, rewards, sb.GLADE(), horizon=1_000, replications=2, seed=seed, bound=False)
    assert result.calls["GLADE"][:, -1, 3].max() <= 5  # undecided searches
