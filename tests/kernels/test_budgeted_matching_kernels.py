"""Two-criteria matchings, against enumeration in plain Python and HiGHS."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from semibandits.kernels.assignment import Bipartite, heaviest_matching, heaviest_matching_with_duals
from semibandits.kernels.budgeted_matching import Goal, best_matching


@st.composite
def instances(draw):
    """Entries of the leading nodes, some parallel, whether nodes may stay free, and two numbers per entry."""
    n, n_others = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n_others - 1))
    pairs = sorted(draw(st.lists(pair, min_size=1, max_size=12)), key=lambda entry: entry[0])
    ptr = np.searchsorted([r for r, _ in pairs], np.arange(n + 1))
    number = draw(
        st.sampled_from([st.integers(-3, 3), st.floats(-1, 1), st.sampled_from([0.3, 0.3 + 1e-9, -0.3, 0.0]), st.just(2.0)])
    )
    vector = st.lists(number, min_size=len(pairs), max_size=len(pairs))
    a, c = np.array(draw(vector), dtype=np.float64), np.array(draw(vector), dtype=np.float64)
    return a, c, ptr, np.array([c for _, c in pairs]), n_others, draw(st.booleans())


def twin_matchings(ptr, others, optional, row=0, taken=frozenset()):
    """All matchings as lists of entries."""
    if row == len(ptr) - 1:
        return [[]]
    found = twin_matchings(ptr, others, optional, row + 1, taken) if optional else []
    for k in range(ptr[row], ptr[row + 1]):
        if others[k] not in taken:
            found += [[k, *rest] for rest in twin_matchings(ptr, others, optional, row + 1, taken | {others[k]})]
    return found


def check_matching(entry, ptr, others, optional):
    chosen = entry[entry >= 0]
    assert len(set(others[chosen].tolist())) == len(chosen)
    assert optional or len(chosen) == len(entry)
    assert all(ptr[r] <= k < ptr[r + 1] for r, k in enumerate(entry) if k >= 0)
    return chosen


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances(), st.data())
def test_largest_reward_within_a_budget(instance, data):
    a, c, ptr, others, n_others, optional = instance
    matchings = twin_matchings(ptr, others, optional)
    assume(matchings)
    sums = [(sum(a[k] for k in matching), sum(c[k] for k in matching)) for matching in matchings]
    at_least = data.draw(st.sampled_from(sums))[1] + data.draw(st.sampled_from([-1e-11, -1e-11, 0.1, -0.1]))
    expected = max((reward for reward, budget in sums if budget >= at_least), default=-math.inf)
    step = data.draw(st.sampled_from([0.0, 1.0])) if (a == np.floor(a)).all() else 0.0
    entry, value, bound, _ = best_matching(a, c, Bipartite(ptr, others, n_others, optional), Goal(False, at_least, step))
    assert value == pytest.approx(expected, abs=1e-11)
    assert bound >= expected - 1e-11
    if expected > -math.inf:
        chosen = check_matching(entry, ptr, others, optional)
        assert a[chosen].sum() == pytest.approx(expected, abs=1e-11)
        assert c[chosen].sum() >= at_least - 1e-14


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances())
def test_largest_reward_plus_root(instance):
    a, c, ptr, others, n_others, optional = instance
    c = np.abs(c)
    matchings = twin_matchings(ptr, others, optional)
    assume(matchings)
    expected = max(sum(a[k] for k in x) + math.sqrt(sum(c[k] for k in x)) for x in matchings)
    entry, value, bound, _ = best_matching(a, c, Bipartite(ptr, others, n_others, optional), Goal(True, 0.0, 0.0))
    chosen = check_matching(entry, ptr, others, optional)
    assert a[chosen].sum() + math.sqrt(c[chosen].sum()) == pytest.approx(expected, abs=1e-10)
    assert value == pytest.approx(expected, abs=1e-10)
    assert bound >= expected - 1e-10


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances())
def test_duals_prove_the_heaviest_matching(instance):
    weights, _, ptr, others, n_others, optional = instance
    (entry, mate, u, v), stuck = heaviest_matching_with_duals(weights, Bipartite(ptr, others, n_others, optional))
    assume(len(stuck) == 0)
    reduced = -weights - np.repeat(u, np.diff(ptr)) - v[others]
    chosen = check_matching(entry, ptr, others, optional)
    assert reduced.min() >= -1e-13
    assert np.abs(reduced[chosen]).max(initial=0.0) <= 1e-13
    assert (v <= 0).all()
    assert (v[mate < 0] == 0).all()
    assert all(mate[others[k]] == r for r, k in enumerate(entry) if k >= 0)
    if optional:
        assert u.max() <= 1e-13
        assert np.abs(u[entry < 0]).max(initial=0.0) <= 1e-13


def highs(a, c, n, at_least):
    rows, columns = np.divmod(np.arange(n * n), n)
    ends = np.vstack([rows == k for k in range(n)] + [columns == k for k in range(n)]).astype(float)
    constraints = [LinearConstraint(ends, 1, 1), LinearConstraint(c[np.newaxis], at_least, np.inf)]
    options = {"mip_rel_gap": 0.0}
    solved = milp(-a, constraints=constraints, integrality=np.ones(n * n), bounds=Bounds(0, 1), options=options)
    return -solved.fun


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
    check_matching(entry, ptr, others, False)
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
    sums = np.array([c[x].sum() for x in twin_matchings(ptr, others, False)])
    at_least = np.median(sums) + 1e-7
    _, value, _, work = best_matching(-c, c, Bipartite(ptr, others, n, False), Goal(False, at_least, 0.0))
    assert -value == pytest.approx(sums[sums >= at_least].min(), abs=1e-13)
    assert work[1] > 0
