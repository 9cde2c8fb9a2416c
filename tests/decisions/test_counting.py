"""Counting formulas of intersections against lists."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.decisions._counting import count_common, count_within_quotas
from semibandits.errors import TooManyDecisionsError
from semibandits.matroids import Graphic, Partition


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1))
def test_arborescences_are_counted_as_they_are_listed(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    spokes = [(int(rng.integers(v)), v) for v in range(1, n)]  # so that every node occurs
    arcs = spokes + rng.integers(0, n, (rng.integers(0, 9), 2)).tolist()

    def reaches_all(chosen):
        graph = nx.MultiDiGraph([(0, 0), *chosen])
        return sorted(v for _, v in chosen) == list(range(1, n)) and len(nx.descendants(graph, 0)) == n - 1

    listed = sum(map(reaches_all, itertools.combinations([tuple(arc) for arc in arcs], n - 1)))
    assert listed >= 1
    graphic, heads = Graphic(arcs), Partition([v for _, v in arcs], dict.fromkeys(range(n), 1))
    rooted = Graphic([arc for arc in arcs if arc[1] != 0])
    into = Partition([v for _, v in arcs if v != 0], 1)
    assert count_common(rooted, into, n - 1) == count_common(into, rooted, n - 1) == listed
    if rooted.d < graphic.d:  # an arc into the root: there is no formula
        assert count_common(graphic, heads, n - 1) is None


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1))
def test_quotas_are_counted_as_they_are_listed(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 10))
    first, second = rng.integers(0, 4, d).tolist(), rng.integers(0, 3, d).tolist()
    quotas = [{group: int(rng.integers(0, 4)) for group in range(4)} for _ in range(2)]
    size = int(rng.integers(0, d + 1))

    def allowed(chosen):
        return all(
            sum(groups[i] == group for i in chosen) <= quota[group]
            for groups, quota in zip((first, second), quotas, strict=True)
            for group in range(4)
        )

    listed = sum(map(allowed, itertools.combinations(range(d), size)))
    one, other = Partition(first, quotas[0]), Partition(second, quotas[1])
    assert count_within_quotas(one, other, size) == count_within_quotas(other, one, size) == listed
    assert count_common(one, other, size) == listed


def test_a_formula_is_used_where_it_holds_and_only_there():
    arcs = [("r", "a"), ("r", "b"), ("a", "b"), ("b", "a"), ("b", "c"), ("a", "c")]
    graphic, heads = Graphic(arcs), Partition([v for _, v in arcs], 1)
    colours = Partition([0, 0, 1, 1, 2, 2], {0: 1, 1: 2, 2: 1})
    two_into_c = Partition([v for _, v in arcs], {"a": 1, "b": 1, "c": 2})
    tails = Partition([u for u, _ in arcs], 1)
    for m1, m2, has_formula in (
        (graphic, heads, True), (heads, colours, True), (graphic, colours, False), (graphic, two_into_c, False),
        (graphic, tails, False), (graphic, graphic, False),
    ):  # fmt: skip
        for pair in ((m1, m2), (m2, m1)):
            common = sb.MatroidIntersection(*pair)
            assert common.count() == len(common.enumerate())
            assert (count_common(*pair, common.m) is not None) == has_formula
    assert sb.MatroidIntersection(graphic, heads, size=2).count() == len(
        sb.MatroidIntersection(graphic, heads, size=2).enumerate()
    )
    with pytest.raises(TooManyDecisionsError):
        sb.MatroidIntersection(graphic, colours).count(1)


def test_quotas_with_too_many_groups_are_listed():
    many = Partition(range(40), 1)
    assert count_common(many, many, 3) is None
    assert sb.MatroidIntersection(many, many, size=2).count() == 40 * 39 // 2
