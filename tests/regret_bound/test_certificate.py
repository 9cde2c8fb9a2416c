"""The certificates against lists of cycles, paths and decisions."""

import itertools

import numpy as np
import pytest
from bound_checks import exchange_graph
from enumeration_reference import least_costs, listed_cycles, reference
from hypothesis import given
from hypothesis import strategies as st

from example_sets import grid, largest_matchings, matching
from semibandits import InvalidInputError, Paths
from semibandits.kernels.machine.tiers import seconds
from semibandits.laws import Gaussian
from semibandits.regret_bound.certificates import lower as lower_certificate
from semibandits.regret_bound.certificates import worst_cycle as worst_cycle_module
from semibandits.regret_bound.certificates.lower import ItemGraph, check_costs, check_items
from semibandits.regret_bound.certificates.worst_cycle import worst_ratio
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.cycles import Cycles

LABELS = 1_000_000


def arc_information(graph, information):
    return np.where(graph.entering >= 0, information[graph.entering], 0.0)


def listed_ratio(graph, information):
    u = arc_information(graph, information)
    cycles = [cycle for cycle in listed_cycles(graph) if u[cycle].sum() > 0]
    return max((u[cycle].sum() / graph.costs[cycle].sum() ** 2 for cycle in cycles), default=0.0)


def suboptimal(graph, tolerance=0.0):
    """Items on some cycle, all of whose cycles cost more than the tolerance."""
    gaps = least_costs(listed_cycles(graph), graph.costs)
    items = np.zeros(len(graph.decision), dtype=bool)
    items[graph.entering[(graph.entering >= 0) & np.isfinite(gaps) & (gaps > tolerance)]] = True
    return items


COSTS = [
    st.integers(0, 3).map(float),  # ties and zeros
    st.floats(0.01, 3.0),
    st.sampled_from([0.0, 1e-6, 1e-3, 1.0, 1.5]),  # gaps of many sizes
]


@st.composite
def exchange_graphs(draw):
    n = draw(st.integers(1, 5))
    costs = draw(st.sampled_from(COSTS))
    node = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(node, node, costs, st.integers(0, 3).map(bool)), min_size=1, max_size=12))
    return exchange_graph(n, arcs)


@st.composite
def weighted_graphs(draw):
    """A graph and the information of its items, which is 0 outside I; some information is close to tight."""
    graph = draw(exchange_graphs())
    a = graph.n_arcs
    u = np.array(draw(st.lists(st.floats(0.05, 2.0), min_size=a, max_size=a)))
    if draw(st.booleans()):
        u *= graph.costs**2
    return graph, np.where(suboptimal(graph), u, 0.0)


@given(weighted_graphs(), st.sampled_from([1e-9, 1e-3, 0.5]))
def test_worst_ratio_is_that_of_the_listed_cycles(instance, margin):
    """Thresholds above it are certified, those below exceeded."""
    graph, information = instance
    truth, u = listed_ratio(graph, information), arc_information(graph, information)
    for at_least in (0.0, truth * (1 - margin), truth * (1 + margin)):
        found = worst_ratio(graph, information, at_least=at_least, max_labels=LABELS)
        assert found.complete
        if at_least >= truth:
            assert (found.ratio, found.cycle) == (at_least, None)
            continue
        cycle = found.cycle
        assert found.ratio == pytest.approx(truth, rel=1e-12, abs=0.0)
        np.testing.assert_array_equal(graph.heads[cycle], np.roll(graph.tails[cycle], -1))
        assert len(set(graph.tails[cycle])) == len(cycle)
        assert u[cycle].sum() == pytest.approx(truth * graph.costs[cycle].sum() ** 2, rel=1e-12)


@st.composite
def path_instances(draw):
    """Paths in a random acyclic graph with parallel arcs, weights of any sign, and ties."""
    n = draw(st.integers(2, 5))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1])
    arcs = [(0, n - 1), *draw(st.lists(pairs, min_size=1, max_size=9))]
    values = draw(st.sampled_from([st.integers(-2, 2).map(float), st.floats(-1.0, 1.0).map(lambda x: round(x, 3))]))
    theta = np.array(draw(st.lists(values, min_size=len(arcs), max_size=len(arcs))))
    u = np.array(draw(st.lists(st.floats(0.1, 2.0), min_size=len(arcs), max_size=len(arcs))))
    return Paths(arcs, 0, n - 1), theta, u


@given(path_instances())
def test_worst_ratio_on_a_hub_is_that_of_the_listed_paths(instance):
    decision_set, theta, u = instance
    graph = decision_set.exchange_graph(theta)
    decisions = decision_set.enumerate()
    gaps = (decisions @ theta).max() - decisions @ theta
    optimal = gaps <= 1e-9
    information = np.where(decisions.any(axis=0) & ~decisions[optimal].any(axis=0), u, 0.0)
    truth = ((decisions[~optimal] @ information) / gaps[~optimal] ** 2).max(initial=0.0)
    found = worst_ratio(graph, information, at_least=0.0, max_labels=LABELS)
    assert found.complete
    assert found.ratio == pytest.approx(truth, rel=1e-9, abs=0.0)


def tightened(graph, information, rounds):
    """Information scaled down on one worst cycle after the other, until many cycles have a ratio close to 1.

    A search that drops a walk too early stops seeing cycles on which much is left: the truth then differs most.
    """
    information = information.copy()
    for _ in range(rounds):
        found = worst_ratio(graph, information, at_least=1.0, max_labels=LABELS)
        if found.cycle is None:
            break
        items = graph.entering[found.cycle]
        information[items[items >= 0]] /= found.ratio
    return information


@pytest.mark.parametrize("seed", range(4))
def test_worst_ratio_on_a_grid_with_many_tight_paths(seed):
    rng = np.random.default_rng(seed)
    decision_set = grid(7)
    theta = -rng.random(decision_set.d) - 0.1
    decisions, x = decision_set.enumerate(), decision_set.maximize(theta)
    decisions = decisions[(decisions & ~x).any(axis=1)]
    gaps = x @ theta - decisions @ theta
    graph = decision_set.exchange_graph(theta)
    information = np.where(x, 0.0, rng.random(decision_set.d))
    for rounds in (0, 30, 1000):
        information = tightened(graph, information, rounds)
        found = worst_ratio(graph, information, at_least=0.0, max_labels=10_000)
        assert found.complete
        assert found.ratio == pytest.approx((decisions @ information / gaps**2).max(), rel=1e-10)
    assert found.ratio < 1.0 + 1e-9


def complete_graph(n, rng, power=1):
    """All arcs between n nodes, and information of their items."""
    pairs = itertools.permutations(range(n), 2)
    costs = rng.random(n * (n - 1)) ** power
    return exchange_graph(n, [(*pair, cost, True) for pair, cost in zip(pairs, costs, strict=True)]), rng.random(len(costs))


@pytest.mark.parametrize("seed", range(4))
def test_worst_ratio_on_complete_graphs_with_many_tight_cycles(seed):
    graph, information = complete_graph(6, np.random.default_rng(seed), power=2)
    for rounds in (0, 30, 1000):
        information = tightened(graph, information, rounds)
        found = worst_ratio(graph, information, at_least=0.0, max_labels=10_000)
        assert found.ratio == pytest.approx(listed_ratio(graph, information), rel=1e-12)
    assert found.ratio < 1.0 + 1e-9


def test_incomplete_searches_are_reported():
    graph, information = complete_graph(12, np.random.default_rng(0))
    full = worst_ratio(graph, information, at_least=0.0, max_labels=LABELS)
    assert full.complete
    assert full.labels <= 320  # 364 if walks that cost more for the same information were kept
    for labels, deadline in ((0, np.inf), (1, np.inf), (full.labels // 2, np.inf), (LABELS, seconds() - 1.0)):
        found = worst_ratio(graph, information, at_least=0.0, max_labels=labels, deadline=deadline)
        assert (found.complete, found.ratio) == (False, np.inf)


@pytest.mark.parametrize("seed", range(4))
def test_a_search_that_outgrows_its_first_arrays(seed):
    """Rings of pairs of arcs, on which no walk may be dropped."""
    k, rng = 12, np.random.default_rng(seed)
    more = 0.5 ** np.arange(k)
    costs = np.stack((np.ones(k), 1.0 + more), axis=1).ravel()
    information = np.stack((np.ones(k), 1.0 + more * rng.uniform(1.8, 2.6, k)), axis=1).ravel()
    graph = exchange_graph(k, [(v // 2, (v // 2 + 1) % k, costs[v], True) for v in range(2 * k)])
    found = worst_ratio(graph, information, at_least=0.0, max_labels=LABELS)
    assert found.complete
    assert found.labels > 2 * 1024
    walks = 2 * np.arange(k) + np.array(list(itertools.product((0, 1), repeat=k)))
    ratios = information[walks].sum(axis=1) / costs[walks].sum(axis=1) ** 2
    assert found.ratio == pytest.approx(ratios.max(), rel=1e-12)
    assert sorted(found.cycle.tolist()) == sorted(walks[ratios.argmax()].tolist())


def test_repeated_attempts_reach_the_same_end(monkeypatch):
    graph, information = complete_graph(12, np.random.default_rng(1))
    full = worst_ratio(graph, information, at_least=0.0, max_labels=LABELS)
    monkeypatch.setattr(worst_cycle_module, "FIRST_LABELS", 2)
    again = worst_ratio(graph, information, at_least=0.0, max_labels=LABELS, deadline=seconds() + 60.0)
    assert again.complete
    assert again.ratio == pytest.approx(full.ratio, rel=1e-14)


def test_items_on_free_cycles_are_refused():
    graph = exchange_graph(2, [(0, 1, 0.0, True), (1, 0, 0.0, False), (0, 1, 1.0, True)])
    with pytest.raises(InvalidInputError, match="item 0: such an item is in an optimal decision"):
        worst_ratio(graph, np.array([1.0, 0.0, 1.0]), at_least=1.0, max_labels=LABELS)
    found = worst_ratio(graph, np.array([0.0, 0.0, 3.0]), at_least=1.0, max_labels=LABELS)
    assert found.ratio == 3.0
    np.testing.assert_array_equal(np.sort(found.cycle), [1, 2])


def test_a_graph_without_arcs_has_no_cycle():
    graph, none = exchange_graph(1, []), np.zeros(0)
    found = worst_ratio(graph, none, at_least=1.0, max_labels=LABELS)
    assert (found.ratio, found.cycle, found.complete) == (1.0, None, True)
    assert lower_bound(graph, none, np.zeros(0, dtype=bool), Cycles.empty(), none, none) == 0.0


def lower_bound(graph, v, items, cycles, raises, mu, **options):
    """The bound from Gaussian items of these doubled variances, on the graph with its hub as one node."""
    merged = graph.merged_hub
    entering = np.maximum(graph.entering, 0)
    live = (graph.entering >= 0) & (items[entering] if len(items) else False)
    law = Gaussian(np.where(v > 0.0, v, 1.0) / 2.0) if len(v) else Gaussian()
    gaps = [graph.costs[cycle].sum() for cycle in listed_cycles(graph) if live[cycle].any()]
    items_on_arcs = ArcItems.of(law, np.zeros(len(v)), graph.entering, live)
    with_items = ItemGraph(
        graph.n_nodes, merged[graph.tails], merged[graph.heads], graph.costs, items_on_arcs, min(gaps, default=1.0)
    )
    return lower_certificate.lower_bound(with_items, cycles, raises, mu, **options).value


def even(graph, cycles):
    """Raises that share the gap of each cycle evenly among its arcs."""
    lengths = np.diff(cycles.ptr)
    return (cycles.sums(graph.costs) / lengths)[cycles.rows]


def joined(cycles):
    arcs = [np.array(cycle, dtype=np.int64) for cycle in cycles]
    return Cycles(np.cumsum([0] + [len(cycle) for cycle in cycles]), np.concatenate(arcs))


SETS = (lambda: matching(3), lambda: matching(3, saturate="none"), lambda: grid(3), largest_matchings)


@given(st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_no_multipliers_and_raises_prove_more_than_the_value(number, seed):
    """Reals and integers with ties; `test_masters.py` has multipliers that prove nearly the value."""
    decision_set, rng = SETS[number](), np.random.default_rng(seed)
    d = decision_set.d
    theta, v = rng.random(d) if seed % 2 else rng.integers(0, 3, d).astype(float), rng.uniform(0.2, 20.0, d)
    graph = decision_set.exchange_graph(theta)
    check_costs(graph, theta)
    items = suboptimal(graph, 1e-9)
    counted = (graph.entering >= 0) & items[graph.entering]
    cycles = [cycle for cycle in listed_cycles(graph) if counted[cycle].any()]
    if not cycles:
        return
    truth, family = reference(decision_set.enumerate(), theta, v / 2.0), joined(cycles)
    rates = rng.exponential(1.0, graph.n_arcs)
    u = np.where(counted, v[graph.entering] / rates, 0.0)
    cheapest = u[family.arcs] * (family.sums(graph.costs) / family.sums(u))[family.rows]
    for noise in (0.0, 0.1, 10.0):
        raises = cheapest * rng.exponential(1.0, len(cheapest)) ** noise + noise * rng.random(len(cheapest))
        mu = rng.exponential(1.0, len(cycles)) + noise * rng.normal(size=len(cycles))
        for quick in (False, True):
            assert lower_bound(graph, v, items, family, raises, mu, quick=quick) <= truth.upper * (1 + 1e-9)


def test_scale_and_sign_of_multipliers_do_not_matter():
    graph = exchange_graph(2, [(0, 1, 1.0, True), (1, 0, 2.0, True), (1, 1, 0.5, True)])
    v, items, cycles = np.array([1.0, 2.0, 3.0]), np.ones(3, dtype=bool), joined([[0, 1], [2]])
    raises = np.array([1.0, 2.0, 0.5])
    bound = lower_bound(graph, v, items, cycles, raises, np.array([1.0, 0.5]))
    assert bound > 0
    assert lower_bound(graph, v, items, cycles, raises, np.array([1e-3, 5e-4])) == pytest.approx(bound, rel=1e-9)
    alone = lower_bound(graph, v, items, joined([[0, 1]]), raises[:2], np.array([1.0]))
    # Raises of 1 and 2 cost 1/1 and 4/2 nats a play, 3 in all, where the cycle costs 3.
    assert alone == pytest.approx(1.0, rel=1e-11)
    fewer = np.array([True, False, True])
    # The item of the first arc has to rise by the whole gap, for 9 nats a play.
    assert lower_bound(graph, v, fewer, joined([[0, 1]]), raises[:2], np.ones(1)) == pytest.approx(1 / 3, rel=1e-11)
    assert lower_bound(graph, v, items, cycles, raises, np.array([1.0, -1.0])) == pytest.approx(alone, rel=1e-11)
    assert lower_bound(graph, v, items, cycles, raises, np.zeros(2)) == 0.0


def test_raises_that_fall_short_are_stretched():
    graph = exchange_graph(2, [(0, 1, 1.0, True), (1, 0, 2.0, True)])
    v, items, cycles = np.array([1.0, 2.0]), np.ones(2, dtype=bool), joined([[0, 1]])
    whole = lower_bound(graph, v, items, cycles, np.array([1.0, 2.0]), np.ones(1))
    assert lower_bound(graph, v, items, cycles, np.array([0.5, 1.0]), np.ones(1)) == pytest.approx(whole, rel=1e-12)
    assert lower_bound(graph, v, items, cycles, np.zeros(2), np.ones(1)) == 0.0


def test_a_far_too_large_multiplier_is_lowered_alone():
    """Multipliers are lowered one by one, so that a far too large one does not scale the others down."""
    graph = exchange_graph(3, [(0, 1, 1.0, True), (1, 0, 1.0, True), (0, 2, 1.0, True), (2, 0, 1.0, True)])
    v, items, cycles = np.full(4, 1.0), np.ones(4, dtype=bool), joined([[0, 1], [2, 3]])
    raises, mu = np.ones(4), np.array([1.0, 100.0])
    assert lower_bound(graph, v, items, cycles, raises, mu) == pytest.approx(2.0, rel=1e-6)
    assert lower_bound(graph, v, items, cycles, raises, mu, quick=True) == pytest.approx(1.01, rel=1e-6)


def test_walks_that_are_open_prove_nothing():
    graph = exchange_graph(3, [(0, 1, 1.0, True), (1, 0, 1.0, True), (1, 2, 1.0, True)], hub=(0, 2))
    v, items = np.ones(3), np.ones(3, dtype=bool)

    def lower(*cycles):
        family = joined(cycles)
        return lower_bound(graph, v, items, family, even(graph, family), np.ones(len(cycles)))

    assert lower([0, 1]) > 0
    assert lower([0, 1], [0]) == 0.0
    assert lower([0, 2]) > 0  # closed by the hub


@pytest.mark.parametrize(
    ("costs", "theta", "wrong"),
    [
        ([1.0, 1.0], [-1.0, -1.0], [-1.0, -0.9]),
        ([1e12, 1e-3], [-1e12, -1.1e-3], [-1e12, -1e4]),  # sums of rewards of 1e12 have no digits below 1e-4
    ],
)
def test_costs_are_those_of_theta_up_to_rounding(costs, theta, wrong):
    graph = exchange_graph(3, [(0, 1, costs[0], True), (1, 0, costs[1], True), (1, 2, 1.0, True)], hub=(0, 2))
    check_costs(graph, np.array([*theta, -1.0]))
    with pytest.raises(InvalidInputError, match=rf"costs must be the reduced costs of theta, .* on arc 1, got {costs[1]}"):
        check_costs(graph, np.array([*wrong, -1.0]))


def test_an_item_may_enter_once():
    check_items(np.array([0, 1, -1, -1]))
