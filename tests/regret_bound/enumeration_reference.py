"""C(theta) by listing every decision: a bracket from one scaled cone program, independent of the library's own methods.

Stated in the item rates w = s * phi and their inverses: minimise the cost of the rates subject to one row per decision.
Both ends of the bracket are checked here: the upper by evaluating every row at the rates, the lower by weak duality.
"""

import itertools
from dataclasses import dataclass

import clarabel
import networkx as nx
import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Reference:
    lower: float
    upper: float
    suboptimal: np.ndarray  # (d,) bool
    gaps: np.ndarray  # (n,)
    value = property(lambda self: self.upper)


def reference(decisions, theta, variance, tie_tolerance=1e-12, gaps=None) -> Reference:
    """The bracket, from the gaps of decisions, which are computed from theta unless given."""
    x = decisions.astype(float)
    gaps = (x @ theta).max() - x @ theta if gaps is None else gaps
    tie = tie_tolerance * x.sum(axis=1).max() * np.abs(theta).max(initial=0.0)
    optimal = gaps <= tie
    suboptimal = (x.max(axis=0) > 0) & ~(x[optimal].max(axis=0) > 0)
    if not suboptimal.any():
        return Reference(0.0, 0.0, suboptimal, gaps)
    rows = ~optimal & x[:, suboptimal].any(axis=1)
    s, delta, v = x[rows][:, suboptimal], gaps[rows], 2.0 * variance[suboptimal]
    # Of decisions with the same suboptimal items only the cheapest matters.
    order = np.argsort(delta, kind="stable")
    _, first = np.unique(s[order], axis=0, return_index=True)
    s, delta = s[order][first], delta[order][first]
    best_lower, best_upper = 0.0, np.inf
    for accuracy in (1e-8, 1e-9, 1e-7):
        lower, upper = _bracket(s, delta, v, accuracy)
        best_lower, best_upper = max(best_lower, lower), min(best_upper, upper)
        if best_upper - best_lower <= 1e-7 * best_upper:
            break
    return Reference(best_lower, best_upper, suboptimal, gaps)


def _bracket(s: np.ndarray, delta: np.ndarray, v: np.ndarray, accuracy: float) -> tuple[float, float]:
    n, k = s.shape
    item_gap = np.where(s > 0, delta[:, None], np.inf).min(axis=0)
    # Variables: beta (n) with rate = beta * unit / delta, z (k) with v / w = item_gap^2 * z.
    base = v / item_gap**2
    unit = (base * item_gap).sum()
    to_phi = (s.T / delta) * unit / base[:, None]  # phi = to_phi @ beta, w = base * phi
    rows, columns, values, bounds = [], [], [], []

    def put(block, row, column):
        block = sparse.coo_array(block)
        rows.append(block.row + row)
        columns.append(block.col + column)
        values.append(block.data)

    put(-np.eye(n), 0, 0)
    put(s * item_gap**2 / delta[:, None] ** 2, n, n)
    bounds += [np.zeros(n), np.ones(n)]
    for i in range(k):  # |(2, phi - z)| <= phi + z
        put(-to_phi[[i]], 2 * n + 3 * i, 0)
        put(-np.ones((1, 1)), 2 * n + 3 * i, n + i)
        put(-to_phi[[i]], 2 * n + 3 * i + 2, 0)
        put(np.ones((1, 1)), 2 * n + 3 * i + 2, n + i)
        bounds.append(np.array([0.0, 2.0, 0.0]))
    matrix = sparse.csc_matrix(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(2 * n + 3 * k, n + k)
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    cones = [clarabel.NonnegativeConeT(2 * n)] + [clarabel.SecondOrderConeT(3)] * k
    objective = np.concatenate((np.ones(n), np.zeros(k)))
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix((n + k, n + k)), objective, matrix, np.concatenate(bounds), cones, settings
    ).solve()
    rates = np.maximum(np.array(solution.x)[:n], 0.0) * unit / delta
    w = s.T @ rates
    upper = np.inf
    if (w > 0).all():
        upper = ((s @ (v / w)) / delta**2).max() * (rates @ delta)
    dual = np.array(solution.z)
    mu = np.maximum(dual[n : 2 * n], 0.0) / delta**2
    y = mu @ s
    # phi appears in the first and third row of its cone: what these duals say an item's rate is worth.
    cone = dual[2 * n :].reshape(k, 3)
    prices = np.maximum(cone[:, 0] + cone[:, 2], 0.0) * unit / base
    prices /= max((s @ prices / delta).max(), 1e-300)
    lower = np.sqrt(v * y * prices).sum() ** 2 / (mu @ delta**2)
    return float(np.nan_to_num(lower)), float(upper)


def hub_merged(graph):
    """Numbers of nodes, with the hub as one node."""
    merged = np.arange(graph.n_nodes)
    merged[graph.hub] = graph.hub[0] if len(graph.hub) else 0
    return merged


def simple_cycles(tails, heads):
    """Simple cycles as lists of arcs, parallel arcs and self-loops included."""
    between = {}
    for arc, pair in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        between.setdefault(pair, []).append(arc)
    for nodes in nx.simple_cycles(nx.DiGraph(between.keys())):
        steps = zip(nodes, nodes[1:] + nodes[:1], strict=True)
        yield from (list(arcs) for arcs in itertools.product(*(between[step] for step in steps)))


def listed_cycles(graph):
    """All simple cycles, the hub as one node."""
    merged = hub_merged(graph)
    return list(simple_cycles(merged[graph.tails], merged[graph.heads]))


def least_costs(cycles, costs):
    """Of the cycles through each arc; inf if there are none."""
    least = np.full(len(costs), np.inf)
    for cycle in cycles:
        least[cycle] = np.minimum(least[cycle], costs[cycle].sum())
    return least
