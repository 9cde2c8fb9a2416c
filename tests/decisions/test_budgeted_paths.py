"""P_BLM and P_IM over thousands of paths, limits and steps; small sets are in `tests/optimization`."""

import numpy as np
import pytest

from semibandits.decisions import paths
from semibandits.decisions.paths import Paths
from semibandits.errors import SolverError
from semibandits.kernels.search.labels import best_path


def medium(seed, d=60, n=14):
    """A random network with thousands of paths."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, n, (d, 2)), axis=1)
    arcs = [(u, v) for u, v in pairs.tolist() if 0 < v - u < 5] + [(v, v + 1) for v in range(n - 1)]
    return Paths(arcs, 0, n - 1), rng


def test_arrays_may_be_read_only_and_strided():
    decision_set = Paths([(0, 1), (0, 1), (1, 2), (1, 2)], 0, 2)
    numbers = np.arange(8.0)
    numbers.setflags(write=False)
    x = decision_set.maximize_budgeted(numbers[::2], numbers[::-2], 8.0)
    assert numbers[::2] @ x == 6.0
    assert decision_set.maximize_index(numbers[::2], numbers[::2]).tolist() == [False, True, False, True]
    assert len(decision_set.budget_front(numbers[::2], numbers[::-2])) == 3


def test_the_smallest_ratios_are_accepted():
    decision_set = Paths([(0, 1), (0, 1)], 0, 1)
    for ratio in (5e-324, 1e-300, 1e-7):
        assert decision_set.maximize_budgeted([1.0, 2.0], [2.0, 1.0], 1.5, ratio).tolist() == [True, False]
        assert decision_set.maximize_index([1.0, 2.0], [0.0, 0.0], ratio).tolist() == [False, True]


def test_too_many_labels_are_an_error(monkeypatch):
    decision_set, rng = medium(3)
    rewards, budgets = rng.random(decision_set.d), rng.random(decision_set.d)
    at_least = float(np.quantile(decision_set.enumerate() @ budgets, 0.99))
    monkeypatch.setattr(paths, "MAX_LABELS", 2)
    with pytest.raises(SolverError, match=r"limited to 2 labels .* maximize_budgeted"):
        decision_set.budget_front(rewards, budgets)
    with pytest.raises(SolverError, match=r"limited to 2 labels .* pass a ratio such as 0.99"):
        decision_set.maximize_budgeted(rewards, budgets, at_least)


@pytest.mark.parametrize("ratio", [0.5, 0.9, 1.0])
def test_steps_multiply_to_the_ratio_along_a_longest_path(monkeypatch, ratio):
    """A larger step would void the guarantee, but rarely changes the result."""
    decision_set, rng = medium(1)
    rewards, budgets = rng.random((2, decision_set.d))
    seen = []
    monkeypatch.setattr(paths, "best_path", lambda *arguments: seen.append(arguments) or best_path(*arguments))
    decision_set.maximize_budgeted(rewards, budgets, 0.0, ratio)
    decision_set.maximize_index(rewards, budgets, ratio)
    (*_, thinned, enough, _, _), (_, bonuses, *_, thinned_too, all_of_it, _, _) = seen
    (reward_step, untouched), (untouched_too, bonus_step) = thinned, thinned_too
    assert reward_step**-decision_set.m == pytest.approx(ratio, rel=1e-12)
    assert bonus_step**-decision_set.m == pytest.approx(ratio**2, rel=1e-12)
    assert bonuses == pytest.approx(budgets / ratio**2, rel=1e-12)
    assert (untouched, untouched_too, enough, all_of_it) == (1.0, 1.0, ratio, 1.0)
