"""Compact descriptions against P_LM and listing: equal optima in every direction, and every decision is a point."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import semibandits as sb
from example_sets import random_list, random_tree_set
from semibandits.decisions.polytopes import polytope


def some_paths(rng):
    n = int(rng.integers(3, 7))
    arcs = [(i, i + 1) for i in range(n - 1)] + [p for p in itertools.combinations(range(n), 2) if rng.random() < 0.5]
    return sb.Paths([*arcs, (n, 0), (1, n + 1)], 0, n - 1)  # two arcs lie on no path


def some_matchings(rng):
    saturate = ("both", "rows", "columns", "none", "most")[rng.integers(5)]
    rows, columns = {"both": (3, 3), "rows": (2, 4), "columns": (4, 2), "none": (3, 4), "most": (3, 4)}[saturate]
    pairs = [(i, j) for i in range(rows) for j in range(columns) if i == j or i + 2 == j or rng.random() < 0.6]
    pairs += [(i, i - 2) for i in range(2, rows) if (i, i - 2) not in pairs and i - 2 < columns]
    if saturate == "most":
        pairs = [*((r, c) for r, c in pairs if r > 1 or c == 0), (4, 0), (5, 1)]
    return sb.Matchings([*pairs, pairs[0]], saturate=saturate)


def some_msets(rng):
    d = int(rng.integers(1, 7))
    m = int(rng.integers(0, d + 1))
    return sb.MSets(d, m) if rng.random() < 0.5 else sb.MatroidBases(sb.matroids.Uniform(d, m))


def some_quotas(rng, d=None):
    d = int(rng.integers(2, 8)) if d is None else d
    if rng.random() < 0.5:
        capacities = dict(enumerate(rng.integers(0, 3, 3).tolist()))
        return sb.MatroidBases(sb.matroids.Partition(rng.integers(0, 3, d).tolist(), capacities))
    cut = int(rng.integers(1, d))
    sets = [range(cut), range(cut // 2), range(cut, d)] if cut > 1 else [range(d)]
    return sb.MatroidBases(sb.matroids.Laminar(sets, rng.integers(0, 4, len(sets)).tolist(), d=d))


def some_common_quotas(rng):
    d = int(rng.integers(3, 8))
    return sb.MatroidIntersection(some_quotas(rng, d).matroid, some_quotas(rng, d).matroid)


FAMILIES = (some_paths, some_matchings, random_tree_set, some_msets, random_list, some_quotas, some_common_quotas)


def solved(hull, objective, bounds=(None, None)):
    constraints = {"A_ub": hull.inequalities, "b_ub": hull.limits, "A_eq": hull.equalities, "b_eq": hull.totals}
    return linprog(np.append(objective, np.zeros(hull.auxiliaries)), **constraints, bounds=bounds)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1))
def test_linear_programs_reach_the_heaviest_decision(seed):
    rng = np.random.default_rng(seed)
    decision_set = FAMILIES[seed % len(FAMILIES)](rng)
    hull = polytope(decision_set)
    weights = rng.normal(size=decision_set.d) if rng.random() < 0.5 else rng.integers(-2, 3, decision_set.d).astype(float)
    answer = solved(hull, -weights)
    assert answer.status == 0
    assert -answer.fun == pytest.approx(weights @ decision_set.maximize(weights), abs=1e-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_decisions_are_points_and_other_sets_are_not(family):
    rng = np.random.default_rng(7)
    decision_set = family(rng)
    hull = polytope(decision_set)
    known = {x.tobytes() for x in decision_set.enumerate()}
    for x in (*decision_set.enumerate()[:40], *(rng.random((60, decision_set.d)) < 0.5)):
        fixed = [(v, v) for v in x] + [(None, None)] * hull.auxiliaries
        assert (solved(hull, np.zeros(hull.d), fixed).status == 0) == (x.tobytes() in known)


def test_trees_need_auxiliaries_and_the_others_of_the_paper_do_not():
    assert polytope(sb.SpanningTrees(nx.complete_graph(4))).auxiliaries == 4 * (2 * 6 - 3)
    assert polytope(sb.MSets(5, 2)).auxiliaries == 0
    assert polytope(sb.Paths([(0, 1), (0, 1)], 0, 1)).auxiliaries == 0
