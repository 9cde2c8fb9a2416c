"""Conformance checks of exchange graphs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import UnsupportedError
from semibandits.testing._require import require

LARGEST_GRAPH = 300
"""Largest number of nodes for which cheapest cycles are compared with decisions."""


def check_exchange_graph(
    decision_set: DecisionSet, weights: FloatArray, best: Callable[[FloatArray], BoolArray], tolerance: float
) -> None:
    """Check the exchange graph at `weights`, if the set has one; `best` returns a decision of largest weight."""
    try:
        graph = decision_set.exchange_graph(weights)
    except UnsupportedError:
        return
    x = decision_set.maximize(weights)
    require(np.array_equal(graph.decision, x), f"x* must be maximize(weights) = {x}, got {graph.decision} for {weights}")
    _check_arrays(graph)
    _check_costs(graph, weights, tolerance)
    if graph.n_nodes <= LARGEST_GRAPH:
        _check_cycles(graph, weights, best, tolerance)


def _check_arrays(graph: ExchangeGraph) -> None:
    d, n, a = len(graph.decision), graph.n_nodes, graph.n_arcs
    kinds = {
        "decision": (np.bool_, (d,)),
        "tails": (np.int64, (a,)),
        "heads": (np.int64, (a,)),
        "costs": (np.float64, (a,)),
        "entering": (np.int64, (a,)),
        "leaving": (np.int64, (a,)),
        "potentials": (np.float64, (n,)),
        "hub": (np.int64, graph.hub.shape),
    }
    for name, (dtype, shape) in kinds.items():
        array = getattr(graph, name)
        require(
            array.dtype == dtype and array.shape == shape,
            f"{name} must be an array of {np.dtype(dtype)} and shape {shape}, got {array.dtype} and {array.shape}",
        )
        require(not array.flags.writeable, f"arrays of an exchange graph must be read-only, got a writeable {name}")
    for name, lowest, number in (("tails", 0, n), ("heads", 0, n), ("hub", 0, n), ("entering", -1, d), ("leaving", -1, d)):
        array = getattr(graph, name)
        inside = (array >= lowest) & (array < number)
        require(inside.all(), f"{name} must lie in {lowest} .. {number - 1}, got {array[~inside]}")
    require(len(set(graph.hub.tolist())) == len(graph.hub), f"hub must hold distinct nodes, got {graph.hub}")
    entering, times = np.unique(graph.entering[graph.entering >= 0], return_counts=True)
    leaving = graph.leaving[graph.leaving >= 0]
    require((times <= 1).all(), f"an item must enter on at most one arc, got several for {entering[times > 1]}")
    members = entering[graph.decision[entering]]
    require(not len(members), f"items of x* must never enter, got {members}")
    others = leaving[~graph.decision[leaving]]
    require(not len(others), f"only items of x* may leave, got {others}")


def _check_costs(graph: ExchangeGraph, weights: FloatArray, tolerance: float) -> None:
    require(np.isfinite(graph.costs).all(), f"costs must be finite, got {graph.costs}")
    require((graph.costs >= 0).all(), f"reduced costs must be >= 0, got {graph.costs.min(initial=0.0)} for {weights}")
    theta = np.append(weights, 0.0)  # item -1 has weight 0
    pi = graph.potentials
    formula = theta[graph.leaving] - theta[graph.entering] + pi[graph.tails] - pi[graph.heads]
    error = np.abs(formula - graph.costs)
    if (error > tolerance).any():
        k = int(np.argmax(error))
        raise AssertionError(
            "costs must be theta[leaving] - theta[entering] + potentials[tail] - potentials[head], "
            f"got {graph.costs[k]} instead of {formula[k]} on arc {k} for weights {weights}"
        )


def _check_cycles(graph: ExchangeGraph, weights: FloatArray, best: Callable[[FloatArray], BoolArray], tolerance: float) -> None:
    """The cheapest cycle on which an item leaves (enters) costs the gap of the best decision without (with) that item.

    Theory T1: if the weight of an item is raised by more than this, x* is no longer optimal.
    """
    through = _cheapest_cycles(graph)
    value = float(weights @ graph.decision)
    factor = 4.0 * (len(weights) + 1)  # a change of a weight by this times the largest weight outweighs all other items
    push = factor * float(np.abs(weights).max()) or 1.0
    for i, inside in enumerate(graph.decision.tolist()):
        pushed = weights.copy()
        pushed[i] += -push if inside else push
        changed = best(pushed)
        gap = value - float(weights @ changed) if changed[i] != inside else np.inf
        cycle = float(through[(graph.leaving if inside else graph.entering) == i].min(initial=np.inf))
        if not (abs(gap - cycle) <= factor * tolerance if np.isfinite(gap) else gap == cycle):
            raise AssertionError(
                f"the cheapest cycle on which item {i} {'leaves' if inside else 'enters'} must cost the gap {gap} of the "
                f"best decision {'without' if inside else 'with'} it, got {cycle} for weights {weights}"
            )


def _cheapest_cycles(graph: ExchangeGraph) -> FloatArray:
    """Cost of the cheapest cycle through each arc, inf if there is none, by the Floyd-Warshall algorithm."""
    distance = np.full((graph.n_nodes, graph.n_nodes), np.inf)
    np.fill_diagonal(distance, 0.0)
    np.minimum.at(distance, (graph.tails, graph.heads), graph.costs)
    for v in range(graph.n_nodes):
        distance = np.minimum(distance, distance[:, v, np.newaxis] + distance[v])
    return np.asarray(graph.costs + distance[graph.heads, graph.tails])
