"""Bernoulli information: digits of the divergence, the cheapest raises of a cycle, and the search for the worst cycle."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from bernoulli_reference import divergence as plain_divergence
from bernoulli_reference import exact_divergence, least_information, rise_at
from hypothesis import example, given
from hypothesis import strategies as st

from cycle_lists import all_cycles
from semibandits.kernels.bernoulli import conjugate, divergence, tilt
from semibandits.laws import Bernoulli
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Block, Digraph
from semibandits.regret_bound.cycles.price_search import search_prices
from semibandits.regret_bound.raises import cheapest_raises

MEANS = st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 1e-12, 1e-3, 0.5, 0.999, 1.0]))


@pytest.mark.parametrize("theta", [0.0, 1e-15, 1e-6, 0.2, 0.5, 0.97, 1.0 - 1e-9])
@pytest.mark.parametrize("share", [1e-14, 1e-9, 1e-5, 0.01, 0.09, 0.11, 0.6, 0.999])
def test_divergence_keeps_its_digits(theta, share):
    rise = share * (1.0 - theta)
    assert divergence(theta, rise) == pytest.approx(float(exact_divergence(theta, Decimal(rise))), rel=4e-15)


@given(MEANS, st.floats(-12, 12))
def test_tilt_solves_its_equation(theta, exponent):
    price = 10.0**exponent
    rise, slope, d = tilt(theta, price)
    assert 0.0 <= rise <= 1.0 - theta
    assert rise == pytest.approx(rise_at(theta, price), rel=1e-9, abs=1e-15)
    assert slope >= 0.0
    if 1.0 - theta - rise > 1e-7 and theta > 0.0 and rise > 1e-3:  # else the plain formulas lose their digits
        assert d == pytest.approx(plain_divergence(theta, theta + rise), rel=1e-6, abs=1e-9)
        ahead, behind = tilt(theta, price * (1 + 1e-6))[0], tilt(theta, price * (1 - 1e-6))[0]
        assert slope == pytest.approx((ahead - behind) / (2e-6 * price), rel=1e-4, abs=1e-9 / price)


@given(st.one_of(st.floats(1e-15, 1.0), st.sampled_from([0.0, 1.0 - 1e-12])), st.floats(-3, 3), st.floats(-12, 12))
@example(1.0 - 1e-9, 0.0, 3.0)
@example(0.5, 0.0, 10.0)
def test_the_conjugate_is_rounded_up(theta, log_rate, log_ratio):
    """Against 80 digits: a sum of lower bounds on s cost - psi(s) must stay one, however large the price."""
    rate = 10.0**log_rate
    price = 10.0**log_ratio * rate
    with localcontext() as context:
        context.prec = 80
        p, s, w = Decimal(theta), Decimal(price), Decimal(rate)
        half = 1 - s / w * (1 - 2 * p)
        rise = ((half * half + 4 * (s / w) ** 2 * p * (1 - p)).sqrt() - half) / (2 * s / w) if p < 1 else Decimal(0)
        exact = s * rise - w * exact_divergence(theta, rise) - Decimal("1e-70") if p < 1 else Decimal(0)
        assert exact <= Decimal(conjugate(theta, rate, price)) <= exact + (s + w) * rise * Decimal("1e-13") + Decimal("1e-69")


def raised(theta, rates, gap):
    """Value, raises and divergences of one set."""
    rows = np.zeros(len(theta), dtype=np.int64)
    found = cheapest_raises(Bernoulli(), np.array(theta), np.array(rates), rows, np.arange(len(theta)), np.array([gap]))
    return found.values[0], found.raises, found.divergences


@pytest.mark.parametrize("gap", [1e-3, 1e-8, 1e-15, 1e-18, 1e-25])
@pytest.mark.parametrize("rates", [(1.0, 1.0), (1.0, 1.0 + 1e-9), (1.0, 3.0)])
def test_raises_of_means_of_0_meet_the_gap(gap, rates):
    """At the price where they begin to rise, next to w for d(0, e) = -log(1 - e), prices have no digits for small gaps."""
    rates = np.array(rates)
    value, raises, divergences = raised(np.zeros(2), rates, gap)
    assert raises.sum() == pytest.approx(gap, rel=1e-12)
    expected = least_information(np.zeros(2), rates, gap) if gap > 1e-6 else gap
    assert rates @ divergences == pytest.approx(expected, rel=1e-8)
    assert value <= expected * (1.0 + 1e-8)


def test_cycles_out_of_reach_and_unplayed_items():
    def value(theta, rates, gap):
        return raised(theta, rates, gap)[0]

    assert value([0.5, 0.75], [1.0, 1.0], 0.75) == math.inf
    assert value([0.5, 0.75], [1.0, 0.0], 0.2) == 0.0
    # The item that is not played takes all that it can, the other one the rest.
    assert value([0.5, 0.75], [2.0, 0.0], 0.5) == pytest.approx(2.0 * divergence(0.5, 0.25))


def random_graph(rng, n, density, hub):
    pairs = [(i, j) for i, j in itertools.permutations(range(n), 2) if rng.random() < density and (not hub or i < j)]
    if hub:
        pairs = [(i, j % n) for i, j in [*pairs, *((i, n) for i in range(1, n))]]
    tails, heads = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    return tails, heads


def searchable(rng, n, hub):
    while True:
        tails, heads = random_graph(rng, n, 0.8, hub)
        if len(tails) == 0 or not all_cycles(n, tails, heads):
            continue
        costs = np.round(rng.random(len(tails)), int(rng.integers(1, 5))) + 1e-3
        digraph, _ = Digraph.build(n, tails, heads, costs)
        gaps, _ = digraph.cheapest_cycles(np.zeros(len(tails), dtype=bool))
        theta = np.where(rng.random(len(tails)) < 0.85, np.round(rng.random(len(tails)), int(rng.integers(1, 5))), 1.0)
        if (theta < 1.0).any() and np.isfinite(gaps[theta < 1.0]).all():
            items = ArcItems(Bernoulli(), theta, theta < 1.0)
            arcs, nodes = np.arange(len(costs)), np.arange(n)
            return Block(digraph, items, items.twice_variance(gaps), gaps, Cycles.empty(), arcs, nodes)


@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans(), st.floats(0.2, 3.0), st.booleans())
@example(510510, 3, False, 2.0, False)
def test_search_against_all_cycles(seed, n, hub, level, idle):
    """Cycles found are violated by the stated amount; if some cycle is violated by a quarter, one is found."""
    rng = np.random.default_rng(seed)
    block = searchable(rng, n, hub)
    tails, heads, costs, raising = block.graph.tails, block.graph.heads, block.graph.costs, block.informative
    rates = np.exp(rng.normal(size=len(costs))) * 3.0
    if idle:
        rates[rng.integers(len(rates))] = 0.0
    values = {
        frozenset(c): least_information(block.items.theta[c][raising[c]], rates[c][raising[c]], costs[c].sum())
        for c in map(np.array, all_cycles(n, tails, heads))
    }
    found = search_prices(block, rates, 1.0 / level)
    assert (min(values.values()) < 0.8 * level) <= (len(found.cycles) > 0)
    for k, ratio in enumerate(found.ratios):
        assert 1.0 / ratio == pytest.approx(values[frozenset(found.cycles[k])], rel=1e-6, abs=1e-12)
        assert 1.0 / ratio < level


def test_the_furthest_raise_costs_the_level():
    items = ArcItems(Bernoulli(), np.array([0.3, 0.3, 1.0]), np.array([True, True, False]))
    first, second, third = items.caps(np.array([2.0, 0.0, 1.0]), np.array([0.01, 0.01, 1.0]), 0.5)
    assert 2.0 * divergence(0.3, first) == pytest.approx(0.5)
    assert second == 0.7
    assert third == 0.0
