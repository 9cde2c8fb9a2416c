"""Parts of the search for P_IM against enumeration: classes, sums of bonuses, exchange cycles, budgets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import ALL, MATROIDS, SETS, searched

import semibandits as sb
from example_sets import OnlyMaximizes
from semibandits.kernels.search.branch_and_bound import BOUND, NO_LIMIT, REPORT, SPENT
from semibandits.kernels.search.classes import write_classes
from semibandits.kernels.search.problem import SOLVED, STOPPED
from semibandits.kernels.search.sums import allowance, attainable_sums
from semibandits.matroids import Laminar, Partition, Transversal

SLACK = 12
"""Oracle calls that a search may make beyond its budget, since a sweep is completed."""


def search(name, rewards, bonuses, *, most=NO_LIMIT, base=None, guess=None, hint=0.0):
    """Answer, report and status; with a base, the search is for a decision that gains over it."""
    decisions = SETS[name]
    x = np.zeros(decisions.d, dtype=np.bool_) if base is None else base.copy()
    guess = x.copy() if guess is None else guess
    report, share = np.zeros(REPORT), 1.0 if base is None else 0.9
    status = searched(decisions, rewards.copy(), bonuses.copy(), 1.0, x, most, report, share, hint, guess)
    return x, report, status


@pytest.mark.parametrize("name", SETS)
def test_items_of_one_role_may_be_exchanged_in_every_decision(name):
    roles, rows = SETS[name].compiled().data[7], ALL[name]
    if len(roles) == 0:
        assert name in ("real", "paths") or isinstance(SETS[name], sb.Matchings)
        return
    known = {row.tobytes() for row in rows}
    for i, j in itertools.combinations(range(rows.shape[1]), 2):
        if roles[i] == roles[j]:
            exchanged = rows.copy()
            exchanged[:, [i, j]] = rows[:, [j, i]]
            assert {row.tobytes() for row in exchanged} == known


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 30))
@settings(max_examples=50)
def test_classes_are_items_of_equal_role_reward_and_bonus(seed, d):
    rng = np.random.default_rng(seed)
    roles, rewards, bonuses = rng.integers(0, 3, d), rng.choice([0.0, 0.0, 0.5, 1.0], d), rng.choice([0.0, 0.3, 1.0], d)
    order, place, start = (np.zeros(d, dtype=np.int64) for _ in range(3))
    write_classes(roles, rewards, bonuses, order, place, start)
    assert sorted(order.tolist()) == list(range(d))
    assert np.array_equal(order[place], np.arange(d))
    key = [(roles[i], rewards[i], bonuses[i]) for i in range(d)]
    for i, j in itertools.product(range(d), repeat=2):
        assert (key[i] == key[j]) == (start[i] == start[j])
        if key[i] == key[j] and i < j:
            assert place[i] < place[j]
    assert all(order[start[i]] == min(j for j in range(d) if key[j] == key[i]) for i in range(d))


def shortlist(kind, d, seed):
    """Articles in about ten categories, at most two of each and eight in all; clicks of 0 and 1 after some rounds."""
    rng = np.random.default_rng(seed)
    groups, sources = rng.integers(0, 10, d), rng.integers(0, 6, d)
    members = [np.flatnonzero(groups == k) for k in range(10)]
    sets = {
        "laminar": lambda: sb.MatroidBases(Laminar([*members, range(d)], [2] * 10 + [8])),
        "partition": lambda: sb.MatroidBases(Partition(groups.tolist(), 1)),
        "m-sets": lambda: sb.MSets(d, 8),
        "intersection": lambda: sb.MatroidIntersection(Partition(groups.tolist(), 2), Partition(sources.tolist(), 3), size=8),
        "transversal": lambda: sb.MatroidBases(Transversal([[int(g), int(g + 1) % 10] for g in groups])),
    }
    plays = rng.choice([1, 1, 1, 2], d)
    means = rng.binomial(plays, 0.05) / plays
    return sets[kind](), means, 2 * 0.25 * np.log(50.0) / plays


@pytest.mark.parametrize("kind", ["laminar", "partition", "m-sets", "intersection", "transversal"])
@pytest.mark.parametrize("seed", range(3))
def test_hundreds_of_ties_take_few_questions(kind, seed):
    """Branching on the items of a class, not on their number, would visit astronomically many parts."""
    decisions, rewards, bonuses = shortlist(kind, 300, seed)
    answer = decisions.search_index(rewards, bonuses, most=3_000)
    assert answer.is_proven
    assert answer.calls < 3_000
    assert answer.decision in decisions


@given(seed=st.integers(0, 2**32 - 1), n_values=st.integers(1, 4), m=st.integers(0, 5))
@settings(max_examples=60)
def test_attainable_sums_are_all_sums(seed, n_values, m):
    rng = np.random.default_rng(seed)
    bonuses = rng.choice([0.0, *rng.uniform(0.1, 1.0, n_values)], 7)
    sums = attainable_sums(bonuses, m)
    if len(np.unique(bonuses[bonuses > 0])) > 3:
        assert len(sums) == 0
        return
    expected = [bonuses[list(items)].sum() for k in range(m + 1) for items in itertools.combinations(range(7), k)]
    assert np.diff(sums).min(initial=0.0) >= 0
    assert all(np.abs(sums - value).min() < 1e-12 for value in expected)
    assert all(np.abs(np.array(expected) - value).min() < 1e-12 for value in sums)
    for slope in (0.1, 0.6, 1.0, 5.0):
        largest = max(np.sqrt(value) - slope * value for value in expected)
        assert largest <= allowance(sums, slope) <= max(largest, 0.0) + 1e-12
        assert allowance(np.zeros(0), slope) == 0.25 / slope


@pytest.mark.parametrize("name", [name for name in MATROIDS if SETS[name].m])
@given(seed=st.integers(0, 2**32 - 1), bonus=st.sampled_from([0.01, 0.3, 2.0]))
@settings(max_examples=25)
def test_one_value_of_bonuses_leaves_no_gap_over_bases(name, seed, bonus):
    """Fenchel duality of concave sequences: the bound of a search that is stopped early is the maximum already."""
    rng = np.random.default_rng(seed)
    d = SETS[name].d
    rewards, bonuses = rng.choice([0.0, 0.25, 0.5, rng.random()], d), bonus * rng.integers(0, 2, d)
    largest = (ALL[name] @ rewards + np.sqrt(ALL[name] @ bonuses)).max()
    _, report, status = search(name, rewards, bonuses, most=SLACK)
    assert largest <= report[BOUND] + 1e-9
    if status == STOPPED:
        assert report[BOUND] == pytest.approx(largest, abs=1e-9)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("scale", [0.02, 0.2, 2.0])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_a_gain_is_found_if_there_is_one(name, scale, seed):
    """Means, and bonuses outside a decision of largest mean."""
    rng, rows, d = np.random.default_rng(seed), ALL[name], SETS[name].d
    rewards = rng.choice([0.0, 0.5, 1.0], d) if seed % 2 else rng.random(d)
    base = rows[np.argmax(rows @ rewards)].copy()
    bonuses = np.where(base, 0.0, scale * rng.random(d) * rng.integers(0, 2, d))
    values = rows @ rewards + np.sqrt(rows @ bonuses)
    floor = rewards[base].sum()
    guess = rows[rng.integers(len(rows))].copy()
    for hint in (0.0, float(rng.uniform(0.1, 5.0))):
        x, report, status = search(name, rewards, bonuses, base=base, guess=guess, hint=hint)
        assert status == SOLVED
        assert (rows == x).all(axis=1).any()
        value = rewards[x].sum() + np.sqrt(bonuses[x].sum())
        if values.max() > floor + 1e-9:
            assert value > floor
        else:
            assert value >= floor - 1e-9
        assert report[BOUND] >= value - 1e-9


@pytest.mark.parametrize("name", ["perfect matchings", "all rows matched", "any matching", "paths"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_each_cycle_of_an_exchange_leads_to_a_decision(name, seed):
    decisions, oracle = SETS[name], SETS[name].compiled()
    rng, rows = np.random.default_rng(seed), ALL[name]
    x, y = rows[rng.integers(len(rows))], rows[rng.integers(len(rows))]
    number = np.full(len(x), -1, dtype=np.int64)
    n = oracle.family.cycles(oracle.data, x, y, number)
    assert np.array_equal(number >= 0, x != y)
    assert set(number[number >= 0].tolist()) == set(range(n))
    for chosen in itertools.product([False, True], repeat=min(n, 4)):
        z = x.copy()
        for k in np.flatnonzero(chosen):
            z[number == k] = y[number == k]
        assert z in decisions


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("most", [1, 3, 10])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_a_budget_is_kept_and_the_bound_holds(name, most, seed):
    rng, d = np.random.default_rng(seed), SETS[name].d
    rewards, bonuses = rng.random(d), rng.random(d) * 10.0 ** rng.integers(-2, 2)
    x, report, status = search(name, rewards, bonuses, most=most)
    value = rewards[x].sum() + np.sqrt(bonuses[x].sum())
    largest = (ALL[name] @ rewards + np.sqrt(ALL[name] @ bonuses)).max()
    assert status in (SOLVED, STOPPED)
    assert value <= largest + 1e-9 <= report[BOUND] + 2e-9
    assert report[SPENT] <= most + SLACK
    if status == SOLVED:
        assert value == pytest.approx(largest, abs=1e-9)


@pytest.mark.parametrize("decisions", [sb.MSets(9, 3), OnlyMaximizes(sb.MSets(9, 3))], ids=["own", "user's"])
@pytest.mark.parametrize("scale", [1.0, 1e-60, 1e49])
@pytest.mark.parametrize("ratio", [1.0, 0.8])
def test_search_index_answers_with_a_bound(decisions, scale, ratio):
    rows, rng = sb.MSets(9, 3).enumerate(), np.random.default_rng(4)
    for most in (1, 4, 1_000):
        rewards, bonuses = scale * rng.random(9), scale**2 * rng.random(9)
        found = decisions.search_index(rewards, bonuses, ratio, most=most)
        largest = (rows @ rewards + np.sqrt(rows @ bonuses)).max()
        assert (rows == found.decision).all(axis=1).any()
        root = np.sqrt(bonuses[found.decision].sum())
        assert found.value == pytest.approx(rewards[found.decision].sum() + root, rel=1e-12)
        assert largest <= found.bound * (1 + 1e-9)
        assert found.value <= found.bound
        if found.is_proven:
            assert largest <= (found.value + root * (1 / ratio - 1)) * (1 + 1e-9)
        assert found.is_proven or most < 1_000
