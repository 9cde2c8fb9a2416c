"""Small decision sets of every family for P_IM, and the compiled search with the arguments of kernels."""

import numpy as np

import semibandits as sb
from example_sets import largest_matchings
from semibandits.decisions.compiled import INDEX, pointer
from semibandits.kernels.search import single_swaps as swap_bound
from semibandits.kernels.search.problem import IndexProblem
from semibandits.matroids import Graphic, Laminar, Linear, Partition, Transversal, Uniform

RNG = np.random.default_rng(0)


def complete(n: int) -> list[tuple[int, int]]:
    return [(u, v) for v in range(n) for u in range(v)]


def paths(n):
    """Paths right and up through an n x n grid, and a detour."""
    right = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
    up = [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]
    return sb.Paths([*right, *up, ((0, 0), (1, 1)), ((1, 0), (3, 3))], (0, 0), (n - 1, n - 1))


SETS = {
    "one item, one decision": sb.MatroidBases(Uniform(1, 1)),
    "one empty decision": sb.MatroidBases(Uniform(3, 0)),
    "all items": sb.MatroidBases(Uniform(4, 4)),
    "a bridge": sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)]),
    "trees": sb.SpanningTrees(complete(5)),
    "uniform": sb.MatroidBases(Uniform(8, 3)),
    "partition": sb.MatroidBases(Partition([i % 3 for i in range(9)], {0: 1, 1: 2, 2: 1})),
    "laminar": sb.MatroidBases(Laminar([[0, 1], [0, 1, 2, 3], [4, 5]], [1, 2, 1], d=7)),
    "forests of two components": sb.MatroidBases(Graphic([*complete(4), (4, 5), (5, 4), (4, 5)])),
    "transversal": sb.MatroidBases(Transversal([[0], [0, 1], [1, 2], [2], [0, 2], [], [3], [3, 0]])),
    "binary": sb.MatroidBases(Linear(RNG.integers(0, 2, (4, 8)), field=2)),
    "real": sb.MatroidBases(Linear(RNG.normal(size=(3, 7)))),
    "matchings": sb.MatroidIntersection(Partition([i // 4 for i in range(16)], 1), Partition([i % 4 for i in range(16)], 1)),
    "perfect matchings": sb.Matchings([(r, c) for r in range(4) for c in range(4)], saturate="both"),
    "all rows matched": sb.Matchings([*((r, c) for r in range(3) for c in range(5)), (0, 0), (2, 1)], saturate="rows"),
    "any matching": sb.Matchings([(r, c) for r in range(3) for c in range(4)], saturate="none"),
    "largest matchings": largest_matchings(),
    "m-sets": sb.MSets(9, 4),
    "paths": paths(4),
    "coloured forests": sb.MatroidIntersection(Graphic(complete(5)), Partition([i % 4 for i in range(10)], 1)),
}


def searched(decisions, rewards, bonuses, ratio, x, most, report, share=1.0, hint=0.0, guess=None):
    oracle, guess = decisions.compiled(), x if guess is None else guess
    problem = IndexProblem(rewards, bonuses, ratio, share, hint, guess, oracle.m, most)
    return oracle.index(oracle.family, oracle.data, problem, x, report)


ALL = {name: decisions.enumerate() for name, decisions in SETS.items()}


MATROIDS = [name for name, decisions in SETS.items() if decisions.compiled().index is pointer(swap_bound.bases_search, INDEX)]
