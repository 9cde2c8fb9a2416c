"""Labels of two criteria on acyclic networks, against the list of all paths.

`optimization/test_budgeted_and_index.py` has the best path within a budget and that of largest index on small networks, at all
ratios.
"""

from functools import cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.graphs.dag import ArcGroups, paths_by_rank
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.search.labels import Completions, Goal, Thinning, best_path, merged_fronts, pareto_paths
from strategies import FEW, MIXED, REAL, ends_of, items_of, ordered_networks, with_vectors

PLENTY = 1_000_000
TOLERANCE = 1e-10
number = MIXED | st.integers(-2, 2).map(lambda k: 1.0 + 1e-9 * k)
positive = FEW | REAL.map(abs)


class Network:
    """Arcs grouped both ways and all paths of a network in topological order."""

    def __init__(self, n, arcs):
        tails, heads = ends_of(arcs)
        self.d, self.arcs, self.n = len(arcs), arcs, n
        self.into, self.out_of = grouped(n, heads, tails), grouped(n, tails, heads)

    @cached_property
    def paths(self):
        onward = [0] * (self.n - 1) + [1]
        for v in range(self.n - 2, -1, -1):
            onward[v] = sum(onward[head] for tail, head in self.arcs if tail == v)
        return paths_by_rank(self.d, onward[0], *self.out_of)

    def best(self, rewards, budgets, need=0.0, *, root, steps=(1.0, 1.0), enough=1.0, limit=PLENTY):
        slack_a, slack_c = (4e-15 * self.n * np.abs(values).max() for values in (rewards, budgets))
        goal = Goal(need, root, 0.0, slack_a, slack_c)
        return best_path(rewards, budgets, goal, self.into, self.out_of, Thinning(*steps), enough, -np.inf, limit)

    def is_path(self, x):
        return bool((self.paths == x).all(axis=1).any())


def grouped(n, own, other):
    ptr, items = incidence(n, own)
    return ArcGroups(ptr, other[items], items)


def problems(first=number, second=number):
    """A network and two vectors."""
    return with_vectors(ordered_networks(7, 14).map(lambda some: Network(*some)), first, second, size=items_of)


def knapsack(seed, stages=11):
    """A chain with two arcs a stage, one for the reward and one for a budget of nearly the same size: large fronts."""
    rng = np.random.default_rng(seed)
    network = Network(stages + 1, [(v, v + 1) for v in range(stages) for _ in range(2)])
    sizes = 1.0 + rng.random(stages)
    rewards, budgets = np.zeros(2 * stages), np.zeros(2 * stages)
    rewards[::2], budgets[1::2] = sizes, sizes * (1.0 + 0.1 * rng.random(stages))
    return network, rewards, budgets


@pytest.mark.parametrize("ratio", [0.5, 0.9])
@pytest.mark.parametrize("share", [0.1, 0.37, 0.9])
def test_thin_fronts_stay_small_where_whole_ones_do_not(ratio, share):
    """Each stage gives 2^k to the reward or to the budget: 2^30 paths, none of which beats another."""
    stages = 30
    network, rewards, budgets = knapsack(0, stages)
    rewards[::2] = budgets[1::2] = 2.0 ** np.arange(stages)
    assert pareto_paths(rewards, budgets, network.into, PLENTY)[1] == -1
    total = 2.0**stages - 1
    need = np.ceil(share * total)
    # The search may not end at the first good path.
    x, labels = network.best(rewards, budgets, need, root=False, steps=(ratio ** (-1 / stages), 1.0), enough=np.inf)
    assert 0 < labels <= stages * (2 + stages * np.log(total) / np.log(1 / ratio))
    assert budgets @ x >= need
    assert ratio * (total - need) <= rewards @ x <= total - need


def test_front_where_rounding_makes_rewards_equal():
    """1 + 2^-52 and 1 are the same on top of 1024; only the path of larger budget stays."""
    network = Network(3, [(0, 1), (0, 1), (1, 2)])
    rewards, budgets = np.array([1.0 + 2.0**-52, 1.0, 1024.0]), np.array([0.0, 1.0, 0.0])
    rows, _ = pareto_paths(rewards, budgets, network.into, PLENTY)
    assert rows.tolist() == [[False, True, True]]


def test_limits_are_reported_and_respected():
    network, rewards, budgets = knapsack(0)
    need = 0.47 * budgets.sum()
    x, needed = network.best(rewards, budgets, need, root=False)
    assert needed > 0
    same, labels = network.best(rewards, budgets, need, root=False, limit=needed)
    assert labels == needed
    assert np.array_equal(x, same)
    nothing, labels = network.best(rewards, budgets, need, root=False, limit=needed - 1)
    assert labels == -1
    assert not nothing.any()
    rows, needed = pareto_paths(rewards, budgets, network.into, PLENTY)
    assert pareto_paths(rewards, budgets, network.into, needed)[1] == needed
    assert pareto_paths(rewards, budgets, network.into, needed - 1)[1] == -1
    assert len(rows) > 100


def test_extreme_multipliers_lose_nothing():
    """Budgets that differ in their last bits: multipliers near 2^50, whose rounding must not drop a better path."""
    network = Network(7, [(v, v + 1) for v in range(6) for _ in range(3)])
    for seed in range(300):
        rng = np.random.default_rng(seed)
        rewards, budgets = rng.integers(0, 1024, 18) / 1024, 1.0 + rng.integers(-3, 4, 18) * 2.0**-49  # sums are exact
        all_budgets = network.paths @ budgets
        need = float(rng.choice(all_budgets))
        x, _ = network.best(rewards, budgets, need, root=False)
        assert budgets @ x >= need
        assert rewards @ x == (network.paths[all_budgets >= need] @ rewards).max()


@pytest.mark.parametrize("seed", range(6))
def test_many_paths_nearly_as_good_as_the_best(seed):
    """Budgets opposed to rewards, 2^15 paths near one line: bounds that are slightly too tight lose the best path."""
    network, rewards, budgets = knapsack(seed, 15)
    budgets[1::2] = rewards[::2]
    all_rewards, all_budgets = network.paths @ rewards, network.paths @ budgets
    for need in np.quantile(all_budgets, [0.2, 0.5, 0.8]):
        x, _ = network.best(rewards, budgets, need, root=False)
        assert budgets @ x >= need
        assert rewards @ x == pytest.approx(all_rewards[all_budgets >= need].max(), abs=TOLERANCE)
    for scale in (1.0, 10.0, 100.0):
        tilted = rewards / np.sqrt(scale)  # the root is as steep as the line where half the budget is taken
        x, _ = network.best(tilted, scale * budgets, root=True)
        best = (network.paths @ tilted + np.sqrt(scale * all_budgets)).max()
        assert tilted @ x + np.sqrt(scale * (budgets @ x)) == pytest.approx(best, abs=TOLERANCE)


@settings(max_examples=150)
@given(problems(first=positive, second=positive), st.sampled_from([(1.0, 1.0), (1.25, 1.0), (2.0, 1.0), (1.0, 1.5)]))
def test_thin_fronts_stand_for_all_paths(problem, steps):
    network, rewards, budgets = problem
    no_rows, nothing = np.zeros((0, 1)), np.zeros(0)
    no_bounds = Completions(no_rows, no_rows, np.zeros((0, 1), dtype=np.int64), nothing, nothing)
    goal = Goal(-np.inf, False, 0.0, 0.0, 0.0)
    found = merged_fronts(rewards, budgets, goal, network.into, no_bounds, -np.inf, Thinning(*steps), PLENTY)
    pairs = found.pairs[found.first : found.labels]
    for path in network.paths:
        loss = np.array(steps) ** path.sum()
        stands = (pairs[:, 0] * loss[0] >= rewards @ path - 1e-12) & (pairs[:, 1] * loss[1] >= budgets @ path - 1e-12)
        assert stands.any()
