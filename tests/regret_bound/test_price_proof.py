"""The upper certificate of every law against all cycles and all decisions, by an independent program for each."""

from decimal import Decimal

import numpy as np
import pytest
from bernoulli_reference import exact_divergence, problem
from enumeration_reference import listed_cycles
from hypothesis import example, given, settings
from hypothesis import strategies as st
from law_cases import LAWS, SETS, drawn
from laws_reference import taken

import semibandits as sb
from semibandits.laws import bernoulli
from semibandits.regret_bound.certificates import price_proof
from semibandits.regret_bound.cuts.enumeration import information_over_list
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.circulation import CirculationSolver
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.result import ExplorationPlan

GAP = 1e-4
DIGITS = 1e-9
"""Accuracy of the reference."""


def solver_of(space, law, theta):
    return CirculationSolver(Problem(space, theta, law, 1e-12, GAP))


def listed_information(solver, items, decisions, rates):
    """F of all simple cycles that ask for anything, from their lists of items and the variance function alone."""
    graph = solver._graph
    cycles = listed_cycles(graph)
    inside = problem(decisions, items.theta)[0]
    contains = np.zeros((len(cycles), len(inside)), dtype=bool)
    for row, cycle in zip(contains, cycles, strict=True):
        row[[i for i in graph.entering[cycle] if i >= 0]] = True
    gaps = np.array([graph.costs[cycle].sum() for cycle in cycles])
    return information(taken(items, inside), contains[:, inside], gaps, rates[inside])


def information(items, contains, gaps, rates):
    """F of some sets of items; inf where their gap is out of reach."""
    some = contains.any(axis=1)
    contains, gaps = contains[some], gaps[some]
    reach, played = items.end - items.theta, rates > 0.0
    able = np.where(contains, reach, 0.0).sum(axis=1) > gaps * (1.0 + 1e-9)
    # Items that are not played rise to their limit first, since this costs nothing.
    left = gaps - np.where(contains & ~played, reach, 0.0).sum(axis=1)
    needs = able & (left > 0.0)
    raises, _ = items.raises(contains[needs] & played, left[needs], np.where(played, rates, 1.0))
    paid = np.where(able, 0.0, np.inf)
    paid[needs] = np.where(raises > 0.0, items.divergence(raises), 0.0) @ rates
    return paid


def drawn_plan(rng, space, decisions, theta):
    """Any rates: those of few decisions, of all, and of very different sizes."""
    gaps = (decisions @ theta).max() - decisions @ theta
    rows = decisions[gaps > 1e-9 * max(gaps.max(), 1e-9)]
    rates = np.exp(rng.normal(0.0, rng.choice([0.3, 3.0]), len(rows)))
    used = rng.random(len(rows)) < rng.choice([0.5, 1.0])
    return ExplorationPlan(rows[used], rates[used])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("name", LAWS)
@given(seed=st.integers(0, 10**6), aim=st.sampled_from([0.3, 0.99, 1.0, 1.00001, 1.1]))
@example(seed=277351, aim=0.3)
@example(seed=3928, aim=0.3)
@example(seed=859, aim=0.3)  # a gap of 32 where gamma rewards are convex up to 32, and an item that is never played
@settings(max_examples=4, deadline=None)
def test_the_bound_is_the_least_information_of_all_cycles(family, name, seed, aim):
    """At most that, whatever the rates, and near it; decisions have no less."""
    space, law, items = drawn(seed, family, name)
    decisions = space.enumerate(20_000)
    if not problem(decisions, items.theta)[0].any():
        return
    solver = solver_of(space, law, items.theta)
    costs = [solver._graph.costs[cycle].sum() for cycle in listed_cycles(solver._graph)]
    if (law.convex_to(items.theta) < np.minimum(law.reach(items.theta), max(costs, default=0.0))).any():
        return  # raises that are not convex are refused, or checked apart
    plan = drawn_plan(np.random.default_rng(seed), space, decisions, items.theta)
    least = listed_information(solver, items, decisions, plan.item_rates).min(initial=np.inf)
    if 1e-9 < least < np.inf:  # less comes from items that are never played
        plan = ExplorationPlan(plan.decisions, plan.rates * aim / least)
        least = aim
    proven, violated = solver._proved(plan)
    assert proven <= least * (1.0 + DIGITS) + 1e-9
    # How close is measured by the brackets of verification/brackets.py; here only that the search does not give up.
    assert proven >= min(least, 1.0 - 0.1 * GAP) * (1.0 - 1e-3) - 1e-9
    if not law.is_quadratic:
        met = solver._items.raises(violated, violated.sums(solver._graph.costs), solver._arc_rates(plan))
        assert (met.values < 1.0).all()
    if len(plan):
        inside, contains, gaps = problem(decisions, items.theta)
        rows = information(taken(items, inside), contains, gaps, plan.item_rates[inside])
        assert proven <= rows.min(initial=np.inf) * (1.0 + DIGITS) + 1e-9


@pytest.mark.parametrize("rounds_up", [True, False])
def test_bounds_hold_where_terms_are_far_larger_than_their_sum(rounds_up, monkeypatch):
    """One cycle with one item, which must rise close to 1: terms of its weight are up to a million times F(C).

    Conjugates are rounded up, which alone is enough. If they are not, the allowance for the rounding of weights must be.
    """
    if not rounds_up:
        monkeypatch.setattr(bernoulli, "LAST_DIGITS", 0.0)
    rng = np.random.default_rng(0)
    for n in [2, 5, 30] * 20:
        theta = np.full(n, rng.choice([0.3, 0.5, 0.9, 0.999]))
        rest = 1.0 - theta[0]
        left = rest * 10.0 ** rng.uniform(-8.0, -2.0)
        costs = rng.uniform(0.0, 0.05 * rest / n, n)
        costs[0] = rest - left - costs[1:].sum()
        gap = sum(map(Decimal, costs.tolist()))
        information = exact_divergence(theta[0], gap)
        rate = rng.uniform(0.25, 0.75) / float(information)
        items = ArcItems(sb.laws.Bernoulli(), theta, np.arange(n) == 0)
        proven, _ = price_proof.least_information(
            np.arange(n), np.roll(np.arange(n), -1), costs, np.full(n, float(gap)), items, np.full(n, rate), 1.0, np.inf
        )
        exact = Decimal(rate) * information
        assert Decimal(proven) <= exact
        assert proven >= float(exact) * (1.0 - 1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_searches_with_few_labels_at_first_prove_the_same(seed, monkeypatch):
    space, law, items = drawn(seed, "paths", "bernoulli")
    decisions = space.enumerate(20_000)
    plan = drawn_plan(np.random.default_rng(seed), space, decisions, items.theta)
    solver = CirculationSolver(Problem(space, items.theta, law, 1e-12, GAP, 20.0))
    least = listed_information(solver, items, decisions, plan.item_rates).min(initial=np.inf)
    plan = ExplorationPlan(plan.decisions, plan.rates * 0.99 / least)
    monkeypatch.setattr(price_proof, "FIRST_LABELS", 1)
    assert 0.98 <= solver._proved(plan)[0] <= 0.99 * (1.0 + DIGITS)


@given(
    theta=st.lists(st.floats(0.5, 2.0), min_size=2, max_size=2),
    gap=st.floats(0.2, 8.0),
    ratio=st.just(0.0) | st.floats(1e-3, 1.0),
    size=st.floats(0.1, 3.0),
)
@example(theta=[1.0, 1.0], gap=4.0, ratio=1.0, size=1.0)  # out of reach of the convex parts, which a raise of 1 ends
@example(theta=[1.0, 1.0], gap=2.0, ratio=0.0, size=1.0)
@settings(max_examples=60, deadline=None)
def test_raises_beyond_the_convex_part_are_not_forgotten(theta, gap, ratio, size):
    """Two gamma items that enter together: of all pairs of raises on a fine grid, none costs less than what is proved."""
    law, theta = sb.laws.Gamma(), np.array([*theta, 1.0])
    rates = size * np.array([1.0, ratio, 0.0])
    shares = np.linspace(0.0, 1.0, 4001)[:, None] * gap * np.array([1.0, -1.0]) + np.array([0.0, gap])
    exact = (law.divergence(theta[:2], np.maximum(shares, 0.0)) @ rates[:2]).min()
    items = ArcItems(law, theta, np.array([True, True, False]))
    proven, _ = price_proof.least_information(
        np.arange(3), np.array([1, 2, 0]), np.array([0.0, 0.0, gap]), np.full(3, gap), items, rates, 1.0, np.inf
    )
    assert proven <= exact * (1.0 + 1e-9) + 1e-12
    if gap <= theta[:2].min():  # all raises are in the convex parts
        assert proven >= min(exact, 1.0) * (1.0 - 1e-3)
    if rates[1] > 0.0:  # the same from the list of decisions
        space = sb.EnumeratedDecisions([[1, 0, 0], [0, 1, 1]])
        problem_of_pair = Problem(space, np.array([theta[:2].sum() + gap, *theta[:2]]), law, 1e-12, GAP)
        plan = ExplorationPlan(np.array([[0, 1, 0], [0, 0, 1]], dtype=bool), rates[:2])
        assert information_over_list(problem_of_pair, plan) <= exact * (1.0 + 1e-9)
