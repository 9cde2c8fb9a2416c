"""Counting with a limited amount of work: exact if it suffices, else a lower bound, and never much more work."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from family_examples import EXAMPLES
from semibandits import TooManyDecisionsError, matroids
from semibandits.decisions import matchings as matchings_module
from semibandits.kernels.matroids.determinants import determinant_modulo
from semibandits.matroids import _matrix_tree
from semibandits.matroids.counts import DecisionCount
from semibandits_studies.reporting.formatting import COUNT_WORK, LARGEST_COUNT, count_decisions

RNG = np.random.default_rng(0)
COMPLETE = [(i, j) for i in range(3) for j in range(4)]
SMALL = {
    **{f"{family}, {name}": build for family in EXAMPLES for name, build in EXAMPLES[family].items() if "too many" not in name},
    "loops": lambda: sb.MatroidBases(matroids.Transversal([[], [0], []])),
    "incomplete": lambda: sb.Matchings(COMPLETE[1:], "none"),
    "parallel, as many": lambda: sb.Matchings([*COMPLETE[1:], (1, 1)], "rows"),
}


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=30)
@given(work=st.integers(0, 10**6))
def test_counts_and_bounds_are_true_for_any_work(name, work):
    decisions = SMALL[name]()
    n = decisions.count()
    exact, more_than = decisions.count_within(work)
    assert exact in (None, n)
    assert more_than is None or (exact is None and 0 < more_than < n)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 3), (2, 5), (5, 2)])
@pytest.mark.parametrize("saturate", ["both", "rows", "columns", "none"])
def test_matchings_of_complete_graphs_have_a_formula(rows, columns, saturate):
    if {"both": rows != columns, "rows": rows > columns, "columns": rows < columns}.get(saturate, False):
        return
    decisions = sb.Matchings([(i, j) for i in range(rows) for j in range(columns)], saturate)
    assert decisions.count() == len(decisions.enumerate())
    assert decisions.count_within(0) == DecisionCount(decisions.count())


def test_large_complete_graphs_are_counted():
    assert sb.Matchings([(i, j) for i in range(40) for j in range(40)]).count(1) == math.factorial(40)


class Counting(matroids.Matroid):
    """A matroid without a formula that counts its calls."""

    def __init__(self, inner):
        self.inner, self.calls = inner, 0

    d = property(lambda self: self.inner.d)

    def is_independent(self, indices):
        return self.inner.is_independent(indices)

    def greedy(self, order):
        self.calls += 1
        return self.inner.greedy(order)

    def exchanges(self, members):
        self.calls += 1
        return self.inner.exchanges(members)


@pytest.mark.parametrize("work", [0, 10**5, 10**6, 10**7])
def test_matroids_without_a_formula_are_called_within_the_work(work):
    matroid = Counting(matroids.Uniform(24, 12))
    decisions = sb.MatroidBases(matroid)
    matroid.calls = 0
    exact, more_than = decisions.count_within(work)
    assert matroid.calls <= 2 + 2 * work / matroid.exchange_steps
    assert exact is None
    assert more_than == (None if work == 0 else max(12 * 12, more_than))
    assert more_than is None or more_than < math.comb(24, 12)


def test_intersections_call_their_matroids_within_the_work():
    first, second = Counting(matroids.Uniform(30, 15)), Counting(matroids.Partition([k // 2 for k in range(30)], 1))
    decisions = sb.MatroidIntersection(first, second)
    first.calls = second.calls = 0
    assert decisions.count_within(100) == DecisionCount(None)
    assert (first.calls, second.calls) == (1, 1)  # for their ranks
    for work in (50_000, 500_000):
        first.calls = second.calls = 0
        exact, more_than = decisions.count_within(work)
        assert first.calls + second.calls <= 2 * work / first.exchange_steps
        assert exact is None
        assert 15 <= more_than < 2**15


LARGE = {
    "reals": matroids.Linear(RNG.normal(size=(50, 200))),
    "binary": matroids.Linear(RNG.integers(0, 2, (50, 200)), field=2),
    "transversal": matroids.Transversal([RNG.choice(400, 3).tolist() for _ in range(2000)]),
}


@pytest.mark.parametrize("matroid", LARGE.values(), ids=LARGE)
def test_large_matroids_are_not_listed(matroid, monkeypatch):
    monkeypatch.setattr("semibandits.matroids.base.list_bases", None)
    exact, more_than = count_decisions(sb.MatroidBases(matroid))
    assert exact is None
    assert more_than > 1000


def test_determinants_stop_at_the_limit_of_work(monkeypatch):
    primes = []

    def one_prime(matrix, prime, most):
        primes.append(most)
        return determinant_modulo(matrix, prime, most)

    monkeypatch.setattr(_matrix_tree, "determinant_modulo", one_prime)
    trees = sb.SpanningTrees(nx.grid_2d_graph(12, 12))
    assert trees.count_within(COUNT_WORK).exact == trees.count()
    primes.clear()
    exact, more_than = trees.count_within(300_000)
    assert exact is None
    assert len(primes) == 1
    assert sum(primes) <= 300_000
    assert more_than >= trees.d - trees.m
    primes.clear()
    assert sb.SpanningTrees(nx.path_graph(5_000)).count_within(COUNT_WORK).exact is None  # a matrix of 25 million entries
    assert primes == []


def test_no_dynamic_programming_over_too_many_subsets(monkeypatch):
    decisions = sb.Matchings([(i, j) for i in range(18) for j in range(18) if i + j])
    monkeypatch.setattr(matchings_module, "count_matchings", None)
    assert decisions.count_within(10**7).more_than == 100


@pytest.mark.parametrize(
    "build",
    [
        lambda: sb.MSets(20_000, 10_000),
        lambda: sb.MatroidBases(matroids.Partition([k % 2 for k in range(40_000)], 8_000)),
        lambda: sb.Paths([(k, k + 1) for k in range(15_000) for _ in range(2)], 0, 15_000),
    ],
    ids=["m-sets", "partition", "paths"],
)
def test_numbers_with_too_many_digits_are_not_computed(build):
    decisions = build()
    assert count_decisions(decisions) == DecisionCount(None, LARGEST_COUNT)
    assert decisions.count() > 10**4_300
    with pytest.raises(TooManyDecisionsError, match=r"got (more|at least 10\^)"):
        decisions.enumerate(10)


def test_formulas_that_take_too_long_are_not_used():
    assert sb.MSets(10**6, 500_000).count_within(COUNT_WORK) == DecisionCount(None)
    pairs = matroids.Partition([k // 2 for k in range(200_000)], 1)
    assert pairs.count_within(COUNT_WORK) == DecisionCount(None)
    nested = matroids.Laminar([range(20_000), range(10_000)], [9_000, 4_000], d=30_000)
    assert nested.count_within(COUNT_WORK) == DecisionCount(None)


class Own(sb.DecisionSet):
    """A user-defined decision set."""

    d, m = 4, 1

    def maximize(self, weights):
        return np.arange(4) == int(np.argmax(weights))


def test_user_defined_sets():
    assert count_decisions(Own()) == DecisionCount(None)
    limits = []

    class Listing(Own):
        def enumerate(self, limit=100_000):
            limits.append(limit)
            return np.eye(4, dtype=bool)

    assert count_decisions(Listing()) == DecisionCount(4)
    assert limits == [10_000]
