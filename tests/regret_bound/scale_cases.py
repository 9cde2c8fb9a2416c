"""Small decision sets of every family with one to three costs that are out of scale."""

import networkx as nx
import numpy as np
from exact_reference import exact_gaps, solved

import semibandits as sb
from example_sets import OnlyMaximizes, partitions, random_dag, random_edges

VARIANCE = 0.25
ROUNDING = 1e-6
OUT_OF_SCALE = 1e10
"""Beside larger costs in the best decision, gaps of some hundredths tie."""


def _msets(rng):
    return sb.MSets(int(rng.integers(3, 8)), int(rng.integers(1, 4)))


def _matchings(rng):
    n, saturate = int(rng.integers(2, 5)), ("both", "rows", "columns", "none")[rng.integers(4)]
    return sb.Matchings(random_edges(rng, n, n), saturate=saturate)


def _routes(rng):
    if rng.random() < 0.5:
        return sb.Routes(nx.grid_2d_graph(3, int(rng.integers(2, 4))).to_directed(), (0, 0), (2, 1))
    streets = ["home a", "home b", "a work", "b work", "a b", "b a", "home work"]
    return sb.Routes([tuple(street.split()) for street in streets], "home", "work")


SETS = {
    "m-sets": _msets,
    "trees": lambda rng: sb.SpanningTrees(nx.complete_graph(int(rng.integers(3, 6)))),
    "matroid": lambda rng: sb.MatroidBases(sb.matroids.Laminar([{0, 1, 2, 3, 4}, {0, 1}, {2, 3}], [3, 1, 2], d=6)),
    "paths": random_dag,
    "matchings": _matchings,
    "intersections": lambda rng: partitions(int(rng.integers(4, 10)), 3, rng=rng),
    "routes": _routes,
    "maximize only": lambda rng: OnlyMaximizes(sb.MSets(6, 2) if rng.random() < 0.5 else random_dag(rng)),
}


def drawn(seed, name):
    """A set, the list of its decisions, and costs: real, integers or tenths, of which one to three are 10^3 to 10^15 as large."""
    rng = np.random.default_rng([seed, list(SETS).index(name)])
    decision_set = SETS[name](rng)
    decisions, d = getattr(decision_set, "_inner", decision_set).enumerate(), decision_set.d
    kind = rng.integers(3)
    costs = (rng.uniform(1.0, 10.0, d), rng.integers(1, 10, d).astype(float), rng.integers(1, 100, d) / 10.0)[kind]
    large = rng.choice(d, min(d, int(rng.integers(1, 4))), replace=False)
    powers = rng.uniform(3, 15, len(large))
    costs[large] *= 10.0 ** (powers if kind == 0 else np.round(powers))
    return decision_set, decisions, costs


def check(decision_set, decisions, costs, method="auto"):
    """The result, whose bracket must contain C(theta) of exact ties, except for those of `tie`."""
    end = np.full(len(costs), np.inf) if decision_set.upper is None else decision_set.upper
    truth = solved(decisions, -costs, np.full(len(costs), VARIANCE), end, tie(decisions, costs))
    found = sb.graves_lai(decision_set, costs=costs, variance=VARIANCE, method=method, throw=False, time_limit=60)
    assert found.lower <= truth.upper * (1.0 + ROUNDING)
    assert found.value >= truth.lower * (1.0 - ROUNDING)
    assert (found.status == "optimal") == (found.gap <= 1e-4)
    return found


def tie(decisions, costs):
    """Gaps up to this tie: 0, unless the best decision needs one of several items that are out of scale."""
    best = decisions[np.argmin(exact_gaps(decisions, -costs))]
    needed = np.abs(costs[best & ~decisions.all(axis=0)]).max(initial=0.0)
    return 1e-12 * int(decisions.sum(axis=1).max()) * needed if needed >= OUT_OF_SCALE else 0.0


def least_gap(decisions, costs):
    """Smallest gap of decisions that do not tie; inf if there are none."""
    gaps = exact_gaps(decisions, -costs)
    return gaps[gaps > tie(decisions, costs)].min(initial=np.inf)
