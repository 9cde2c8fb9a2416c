"""Two-criteria matchings of medium size, against HiGHS and a list; `decisions/test_budgeted_matchings.py` has small ones."""

import itertools

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from semibandits.kernels.assignment import Bipartite, heaviest_matching
from semibandits.kernels.budgeted_matching import Goal, best_matching


def highs(a, c, n, at_least):
    rows, columns = np.divmod(np.arange(n * n), n)
    ends = np.vstack([rows == k for k in range(n)] + [columns == k for k in range(n)]).astype(float)
    constraints = [LinearConstraint(ends, 1, 1), LinearConstraint(c[np.newaxis], at_least, np.inf)]
    whole = {"integrality": np.ones(n * n), "bounds": Bounds(0, 1)}
    return -milp(-a, constraints=constraints, **whole, options={"mip_rel_gap": 0.0}).fun


@pytest.mark.parametrize("kind", ["real", "integer", "opposed"])
@pytest.mark.parametrize("seed", range(4))
def test_larger_instances_against_highs(kind, seed):
    rng = np.random.default_rng(seed)
    n = 12
    a, c = rng.random(n * n), rng.random(n * n)
    if kind == "integer":
        a, c = np.floor(20 * a), np.floor(20 * c)
    if kind == "opposed":
        a = 1 - c + 0.3 * a
    ptr, others = np.arange(n + 1) * n, np.tile(np.arange(n), n)
    free, tight = (heaviest_matching(w, Bipartite(ptr, others, n, False))[0] for w in (a, c))
    at_least = 0.4 * c[free].sum() + 0.6 * c[tight].sum()
    entry, value, bound, work = best_matching(a, c, Bipartite(ptr, others, n, False), Goal(False, at_least, 0.0))
    assert (entry // n == np.arange(n)).all()
    assert sorted(others[entry]) == list(range(n))
    assert c[entry].sum() >= at_least
    assert a[entry].sum() == pytest.approx(value, abs=1e-11)
    assert value == pytest.approx(highs(a, c, n, at_least), abs=1e-5)
    assert value <= bound <= value + 1e-9
    assert work[0] >= 3


def test_a_deep_search_grows_its_arrays():
    # Every matching has the same weight at the best multiplier, so that only listing all of them proves the answer.
    rng = np.random.default_rng(3)
    n = 6
    c = rng.random(n * n)
    ptr, others = np.arange(n + 1) * n, np.tile(np.arange(n), n)
    sums = np.array([c[ptr[:-1] + x].sum() for x in itertools.permutations(range(n))])
    at_least = np.median(sums) + 1e-7
    _, value, _, work = best_matching(-c, c, Bipartite(ptr, others, n, False), Goal(False, at_least, 0.0))
    assert -value == pytest.approx(sums[sums >= at_least].min(), abs=1e-13)
    assert work[1] > 0
