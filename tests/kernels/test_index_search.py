"""P_IM by compiled branch and bound against enumeration."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import ALL, MATROIDS, SETS, searched

import semibandits as sb
from semibandits.decisions._matroid_oracles import intersection_oracle
from semibandits.kernels.oracles.pointers import KNOWN, Basis, Swaps
from semibandits.kernels.search import single_swaps as swap_bound
from semibandits.kernels.search.branch_and_bound import NO_LIMIT, REPORT
from semibandits.kernels.search.grid import best_selection
from semibandits.kernels.search.problem import FAILED, SOLVED, STOPPED, IndexProblem
from semibandits.matroids import Uniform
from strategies import vectors


def check(name, rewards, bonuses, ratio):
    decisions = SETS[name]
    x = np.zeros(decisions.d, dtype=np.bool_)
    assert searched(decisions, rewards.copy(), bonuses.copy(), ratio, x, NO_LIMIT, np.zeros(REPORT)) == SOLVED
    assert np.array_equal(x, decisions.compiled().search_index(rewards, bonuses, ratio).decision)
    listed = ALL[name]
    assert (listed == x).all(axis=1).any()
    largest = (listed @ rewards + np.sqrt(listed @ bonuses)).max()
    size = max(1e-300, np.abs(rewards).max() + np.sqrt(bonuses.max()))
    assert largest <= rewards[x].sum() + np.sqrt(bonuses[x].sum()) / ratio + 1e-11 * size * (decisions.m + 1)
    return x


REWARDS = st.one_of(st.sampled_from([-1.0, 0.0, 0.0, 1.0, 2.0]), st.floats(-3, 3))
BONUSES = st.one_of(st.sampled_from([0.0, 0.0, 1.0, 1.0, 4.0]), st.floats(0, 3), st.floats(-8, 8).map(lambda e: 10.0**e))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SETS)
@given(data=st.data(), ratio=st.sampled_from([1.0, 1.0, 0.9, 0.5, 0.1]))
@settings(max_examples=40)
def test_no_decision_has_a_larger_index(name, data, ratio):
    d = SETS[name].d
    check(name, data.draw(vectors(d, REWARDS)), data.draw(vectors(d, BONUSES)), ratio)


def problems(name, rng):
    """Rewards and bonuses in the middle of a run, of very different size, with ties, and with near ties of indices."""
    d = SETS[name].d
    theta, counts = rng.random(d), np.exp(rng.uniform(0.0, np.log(1e4), d))
    yield theta + rng.normal(size=d) * np.sqrt(0.5 / counts), np.log(counts.sum()) / counts
    for reward, bonus in ((1.0, 1e-30), (1e-30, 1.0), (1.0, 1e30), (0.0, 1.0), (1e30, 1e60)):
        yield reward * rng.normal(size=d), bonus * rng.random(d)
    for _ in range(3):
        yield rng.choice([0.0, 0.0, 0.5, 1.0], d), rng.choice([0.0, 0.3, 0.3, 1.0], d)
    # Bonuses in steps of 1 / n, equal ones among them; bringing in an item for one of middling reward and bonus changes the
    # index of x by less than a thousandth.
    for variance in (np.full(d, 0.5), np.exp(rng.normal(size=d))):
        for most in (1, 3, 200):
            bonuses = 2 * variance * np.log(500.0) / rng.choice([1, 2, 3, most], d).clip(max=most)
            x = ALL[name][rng.integers(len(ALL[name]))]
            c = bonuses[x].sum()
            rewards = np.where(x, 1.0, 1.0 - np.sqrt(c + bonuses) + np.sqrt(c)) + 1e-3 * rng.normal(size=d)
            yield rewards, bonuses
            yield np.ceil(rewards * 50), bonuses * 2500


@pytest.mark.parametrize("name", SETS)
def test_rounds_of_real_runs_and_numbers_of_any_size(name):
    decisions, rng = SETS[name], np.random.default_rng(0)
    for _ in range(4):
        for rewards, bonuses in problems(name, rng):
            for ratio in (1.0, 0.7):
                check(name, rewards, bonuses, ratio)
    rewards = rng.integers(-2, 3, decisions.d).astype(np.float64)
    assert np.array_equal(check(name, rewards, np.zeros(decisions.d), 1.0), decisions.maximize(rewards))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [name for name in SETS if SETS[name].m > 0])
def test_all_indices_nearly_equal(name):
    """ESCB keeps the indices of the decisions that it plays close together, where the Lagrangian bounds are weakest."""
    decisions = SETS[name]
    rng = np.random.default_rng(1)
    theta, counts, sums = rng.random(decisions.d), np.full(decisions.d, 1e-3), np.zeros(decisions.d)
    for t in range(1, 300):
        x = check(name, sums / counts, np.log(t + 1) / counts, 1.0)
        counts[x] += 1
        sums[x] += theta[x] + 0.5 * rng.normal(size=np.count_nonzero(x))


def equalised(rng, oracle, rounds):
    """Rewards and bonuses of a run that plays decisions of largest index, which come with them, with unequal variances."""
    d = oracle.d
    theta, variance = 0.7 + 0.2 * rng.random(d), 0.02 + 0.2 * rng.random(d)
    counts, sums = np.ones(d), theta + np.sqrt(variance) * rng.normal(size=d)
    for t in range(d, d + rounds):
        rewards, bonuses = sums / counts, 2 * variance * np.log(t) / counts
        x = oracle.search_index(rewards, bonuses).decision
        yield rewards, bonuses, x
        counts[x] += 1
        sums[x] += theta[x] + np.sqrt(variance[x]) * rng.normal(size=np.count_nonzero(x))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="hundreds of searches over dozens of items")
def test_larger_runs_against_another_search():
    """7 of 60 items: the labels of paths in a grid find the same value."""
    decisions = sb.MSets(60, 7)
    for rewards, bonuses, x in equalised(np.random.default_rng(5), decisions.compiled(), 150):
        y = best_selection(rewards, bonuses, 7, 0.0, True, 0.0, (1.0, 1.0, 1.0), 5_000_000)[0]
        assert x in decisions
        expected = rewards[y].sum() + np.sqrt(bonuses[y].sum())
        assert rewards[x].sum() + np.sqrt(bonuses[x].sum()) == pytest.approx(expected, abs=1e-10)


def test_a_search_that_takes_long_is_handed_on():
    """Anticorrelated rewards and bonuses leave many decisions open: one part is not enough."""
    decisions, rng, answers = SETS["m-sets"], np.random.default_rng(6), []
    for _ in range(20):
        bonuses = rng.random(decisions.d)
        rewards = 1e-3 * rng.random(decisions.d) - 0.3 * bonuses
        answers.append(searched(decisions, rewards, bonuses, 1.0, np.zeros(decisions.d, dtype=np.bool_), 1, np.zeros(REPORT)))
        check("m-sets", rewards, bonuses, 1.0)
    assert STOPPED in answers


@pytest.mark.parametrize("bonus", [0.0, 1.0])
def test_a_failure_of_the_linear_oracle_is_passed_on(bonus):
    oracle = intersection_oracle(Uniform(3, 1), Uniform(3, 1), 2)  # no two items
    x = np.empty(3, dtype=np.bool_)
    bonuses, report = np.full(3, bonus), np.zeros(REPORT)
    problem = IndexProblem(np.ones(3), bonuses, 1.0, 1.0, 0.0, x, 2, NO_LIMIT)
    assert oracle.index(oracle.family, oracle.data, problem, x, report) == FAILED


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", MATROIDS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20)
def test_gaps_and_gains_bound_every_basis(name, seed):
    """Twin of the swaps, and the inequality that they imply, checked on all bases that agree with the forced items."""
    decisions, oracle = SETS[name], SETS[name].compiled()
    rng = np.random.default_rng(seed)
    rewards, bonuses = rng.integers(-3, 4, decisions.d) * 1.0, rng.integers(0, 4, decisions.d) * 1.0
    seen = ALL[name][rng.integers(len(ALL[name]))]
    forced = np.where(rng.random(decisions.d) < 0.3, np.where(seen, 1, -1), 0)
    part = ALL[name][~(ALL[name] != (forced > 0))[:, forced != 0].any(axis=1)]
    x = part[np.argmax(part @ rewards)].copy()
    a, c = rewards[x].sum(), bonuses[x].sum()
    gaps, gains, best = swaps = Swaps(np.empty(decisions.d), np.empty(decisions.d), np.empty(2, dtype=np.int64))
    assert oracle.family.swaps(oracle.data, Basis(x, forced, rewards, bonuses, a, c, 1.0), swaps) == KNOWN
    entering, leaving = best.tolist()
    for y in part:
        new = y & ~x
        assert rewards[y].sum() <= a - gaps[new].sum() + 1e-12
        assert bonuses[y].sum() <= c + gains[new].sum() + 1e-12
    singles = part[np.count_nonzero(part & ~x, axis=1) == 1]
    if len(singles) == 0:
        assert (entering, leaving) == (-1, -1)
    else:
        y = x.copy()
        y[entering], y[leaving] = True, False
        assert (part == y).all(axis=1).any()
        best = (singles @ rewards + np.sqrt(singles @ bonuses)).max()
        assert rewards[y].sum() + np.sqrt(bonuses[y].sum()) == pytest.approx(best, abs=1e-12)


@given(st.integers(0, 9), st.integers(0, 10_000))
@settings(max_examples=150)
def test_a_proof_by_swaps_is_one(d, seed):
    rng = np.random.default_rng(seed)
    gaps, gains = rng.random(d), 2 * rng.random(d) * rng.integers(0, 2, d)
    gaps[rng.random(d) < 0.2] = np.inf
    a, c = rng.normal(), rng.random() * rng.integers(0, 2)
    sets = np.array([[k >> i & 1 for i in range(d)] for k in range(2**d)], dtype=bool)
    values = np.array([a - gaps[s].sum() + np.sqrt(c + gains[s].sum()) for s in sets])
    several = sets.sum(axis=1) != 1
    largest = values[several].max()
    assert not swap_bound.all_sets_lose(gaps, gains, a, c, largest - 1e-9)
    assert swap_bound.all_sets_lose(gaps, gains, a, c, largest + 1e-9)
