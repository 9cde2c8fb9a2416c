"""The smallest gap, and the ranking behind it, against lists of all decisions."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import example_sets
import semibandits as sb
from example_sets import OnlyMaximizes
from semibandits.decisions.gaps import _ranked
from semibandits.errors import TooManyDecisionsError
from semibandits.families.registry import FAMILIES


class Listed(OnlyMaximizes):
    """A user's own set that lists its decisions."""

    def enumerate(self, limit=100_000):
        return self._inner.enumerate(limit)


def routes(rng):
    n = int(rng.integers(2, 6))
    graph = rng.choice([nx.MultiDiGraph, nx.MultiGraph])()
    graph.add_edges_from(rng.integers(0, n, (int(rng.integers(0, 3 * n)), 2)).tolist())
    graph.add_edge(0, n - 1)
    return sb.Routes(graph, 0, n - 1)


BUILDERS = {**example_sets.FAMILIES, "routes": routes, "own": lambda rng: Listed(example_sets.random_list(rng))}
NUMBERS = {
    "integers": lambda rng, d: rng.integers(-2, 3, d).astype(float),
    "reals": lambda rng, d: rng.normal(size=d),
    "zeros": lambda rng, d: np.where(rng.random(d) < 0.8, 0.0, rng.integers(-1, 2, d)),
    "negative": lambda rng, d: -rng.random(d),
    "tiny": lambda rng, d: 1e-250 * rng.integers(-3, 4, d),
    "huge": lambda rng, d: 1e200 * rng.normal(size=d),
    "largest": lambda rng, d: 1e300 * rng.normal(size=d),
    "subnormal": lambda rng, d: 5e-324 * rng.integers(0, 1_000, d),
    "twelve orders": lambda rng, d: 10.0 ** rng.uniform(-12, 0, d),
    # Differences of 1e-15 are ties, those of 1e-8 are not.
    "near-ties": lambda rng, d: rng.integers(0, 2, d) + 1e-15 * rng.integers(0, 2, d) + 1e-8 * rng.integers(0, 2, d),
}


def possible(decision_set, theta):
    """These mean rewards, or minus costs of this size, of which those above 1e100 count as 1e100."""
    return theta if decision_set.upper is None else -np.minimum(np.abs(theta), 1e100)


def gap_by_listing(decision_set, theta, tie_tolerance=1e-12):
    """Smallest gap above the tie tolerance, of exact sums of the items in which decisions differ from the best one."""
    rows = decision_set.enumerate()
    least = np.abs(theta[theta != 0]).min(initial=math.inf)
    theta = np.where(rows.all(axis=0) & (np.abs(theta) > 1e8 * least), 0.0, theta)  # a constant sets no scale
    best, sizes, m = rows[np.argmax([math.fsum(theta[row]) for row in rows])], np.abs(theta), decision_set.m
    gaps = [math.fsum([*theta[best & ~row], *-theta[row & ~best]]) for row in rows]
    ties = [tie_tolerance * m * sizes[best | row].max(initial=0.0) for row in rows]
    return min((gap for gap, tie in zip(gaps, ties, strict=True) if gap > tie), default=math.inf)


def test_every_family_has_a_builder():
    built = {type(build(np.random.default_rng(0))) for build in BUILDERS.values()}
    assert built == {family.cls for family in FAMILIES.values()} | {Listed}


@pytest.mark.parametrize("family", BUILDERS)
@settings(max_examples=120)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(sorted(NUMBERS)))
def test_the_smallest_gap_is_that_of_the_list(family, seed, kind):
    rng = np.random.default_rng(seed)
    decision_set = BUILDERS[family](rng)
    theta = possible(decision_set, NUMBERS[kind](rng, decision_set.d))
    expected = gap_by_listing(decision_set, theta)
    rounding = 1e-13 * decision_set.m * np.abs(theta).max()
    found = sb.smallest_gap(decision_set, theta)
    assert found == expected or abs(found - expected) <= rounding


@pytest.mark.parametrize("family", [family for family in BUILDERS if family != "routes"])  # which are ranked on their own
@settings(max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_ranking_lists_every_decision_once_by_decreasing_reward(family, seed):
    rng = np.random.default_rng(seed)
    decision_set = BUILDERS[family](rng)
    theta = rng.integers(-3, 4, decision_set.d).astype(float)
    ranked = np.array(list(itertools.islice(_ranked(decision_set, theta), 2_000)))
    rows = decision_set.enumerate()
    assert len(ranked) == len(rows)
    assert {row.tobytes() for row in ranked} == {row.tobytes() for row in rows}
    sums = ranked @ theta
    assert (np.diff(sums) <= 0).all()


def test_matroids_by_their_swaps():
    """The smallest positive gap of a basis is that of a swap, since a basis is reached from x* by disjoint swaps."""
    rng = np.random.default_rng(5)
    edges = [(i, j) for i in range(12) for j in range(i)]
    for theta in (rng.normal(size=66), rng.integers(0, 9, 66).astype(float)):
        decision_set = sb.SpanningTrees(edges)
        graph = decision_set.exchange_graph(theta)
        expected = graph.costs[graph.costs > 1e-9].min()
        assert sb.smallest_gap(decision_set, theta, most_ties=100_000) == pytest.approx(expected, rel=1e-12)


def test_long_paths_do_not_lose_small_differences():
    """Two arcs at each of 200 places, with rewards near 1,000 that differ by 1e-9: forcing must not round this away."""
    rng = np.random.default_rng(2)
    arcs = [(k, k + 1) for k in range(200) for _ in range(2)]
    theta = 1_000.0 + 1e-6 * rng.permutation(400)
    pairs = np.abs(theta[0::2] - theta[1::2])
    assert sb.smallest_gap(sb.Paths(arcs, 0, 200), theta) == pytest.approx(pairs.min(), rel=1e-9)


def test_ties_follow_the_tolerance():
    decision_set = sb.MSets(3, 1)
    theta = [1.0, 1.0 - 1e-9, 0.0]
    assert sb.smallest_gap(decision_set, theta) == pytest.approx(1e-9)
    assert sb.smallest_gap(decision_set, theta, tie_tolerance=1e-8) == 1.0
    assert sb.smallest_gap(decision_set, [1.0, 1.0, 1.0]) == math.inf


def test_too_many_ties_end_the_search():
    theta = np.append(np.zeros(5), -1.0)
    assert sb.smallest_gap(sb.MSets(6, 2), theta, most_ties=10) == 1.0
    with pytest.raises(TooManyDecisionsError):
        sb.smallest_gap(sb.MSets(6, 2), theta, most_ties=9)
