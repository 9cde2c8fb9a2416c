"""Random matroids of every kind, each with a definition of independence that shares no code with it."""

from fractions import Fraction
from itertools import combinations, product

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from semibandits import MatroidIntersection, matroids


def draw_uniform(draw, d):
    m = draw(st.integers(0, d))
    return matroids.Uniform(d, m), lambda s: len(s) <= m


def draw_partition(draw, d):
    groups = draw(st.lists(st.sampled_from("abc"), min_size=d, max_size=d))
    capacities = draw(st.one_of(st.integers(0, 3), st.fixed_dictionaries(dict.fromkeys("abc", st.integers(0, 3)))))

    def independent(s):
        chosen = [groups[i] for i in s]
        return all(chosen.count(g) <= (capacities[g] if isinstance(capacities, dict) else capacities) for g in chosen)

    return matroids.Partition(groups, capacities), independent


def draw_laminar(draw, d):
    order = draw(st.permutations(range(d)))
    sets = []

    def split(low, high):
        if high > low and draw(st.booleans()) and set(order[low:high]) not in map(set, sets):
            sets.append(order[low:high])
        if high > low + 1:
            middle = draw(st.integers(low + 1, high - 1))
            split(low, middle)
            split(middle, high)

    split(0, d)
    sets = draw(st.permutations(sets))
    capacities = draw(st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)))
    return matroids.Laminar(sets, capacities, d=d), lambda s: all(
        len(set(s) & set(part)) <= most for part, most in zip(sets, capacities, strict=True)
    )


def draw_graphic(draw, d):
    edges = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=d, max_size=d))

    def independent(s):
        graph = nx.MultiGraph([edges[i] for i in s])
        return graph.number_of_nodes() == 0 or nx.is_forest(graph)

    return matroids.Graphic(edges), independent


def draw_transversal(draw, d):
    sets = draw(st.lists(st.lists(st.sampled_from("pqrs"), max_size=3), min_size=d, max_size=d))

    def independent(s):
        return any(len(set(places)) == len(s) for places in product(*(sets[i] for i in s)))

    return matroids.Transversal(sets), independent


def draw_real(draw, d):
    r = draw(st.integers(0, 4))
    columns = draw(st.lists(st.lists(st.integers(-2, 2), min_size=r, max_size=r), min_size=d, max_size=d))
    scale = draw(st.sampled_from([1.0, 1e-150, 1e150]))
    return matroids.Linear(
        scale * np.array(columns, dtype=float).reshape(d, r).T
    ), lambda s: exact_rank([columns[i] for i in s]) == len(s)


def exact_rank(rows):
    rows = [[Fraction(x) for x in row] for row in rows]
    rank = 0
    while any(any(row) for row in rows):
        pivot = next(row for row in rows if any(row))
        c = next(c for c, x in enumerate(pivot) if x)
        rows = [[x - row[c] / pivot[c] * y for x, y in zip(row, pivot, strict=True)] for row in rows]
        rank += 1
    return rank


def draw_binary(draw, d):
    r = draw(st.sampled_from([0, 1, 2, 3, 4, 70]))
    columns = [draw(st.integers(0, 2**r - 1 if r < 70 else 7)) << (66 if r == 70 else 0) for _ in range(d)]
    matrix = np.array([[c >> bit & 1 for c in columns] for bit in range(r)]).reshape(r, d)

    def independent(s):
        sums = [0]
        for i in s:
            sums += [x ^ columns[i] for x in sums]
        return 0 not in sums[1:]

    return matroids.Linear(matrix, field=2), independent


def draw_oracle(draw, d):
    graphic, independent = draw_graphic(draw, d)
    return matroids.Oracle(d, graphic.is_independent), independent


KINDS = {
    "uniform": draw_uniform, "partition": draw_partition, "laminar": draw_laminar, "graphic": draw_graphic,
    "transversal": draw_transversal, "real": draw_real, "binary": draw_binary, "oracle": draw_oracle,
}  # fmt: skip
"""Functions of ``draw`` and the number of items; a definition tells of a tuple of items whether it is independent."""


@st.composite
def defined_matroids(draw, kind, least=0):
    """A matroid of at most five items and its definition."""
    return KINDS[kind](draw, draw(st.integers(least, 5)))


@st.composite
def defined_intersections(draw, first=None):
    """An intersection of two matroids, of the largest size or of another one, and the rows of all its decisions."""
    d = draw(st.integers(1, 6))
    kinds = [first or draw(st.sampled_from(sorted(KINDS))), draw(st.sampled_from(sorted(KINDS)))]
    both = [KINDS[kind](draw, d)[0] for kind in (kinds if draw(st.booleans()) else kinds[::-1])]

    def is_common(chosen):
        return all(matroid.is_independent(np.array(chosen, dtype=np.int64)) for matroid in both)

    common = [chosen for size in range(d + 1) for chosen in combinations(range(d), size) if is_common(chosen)]
    size = draw(st.sampled_from([None, *sorted({len(chosen) for chosen in common})]))
    m = max(map(len, common)) if size is None else size
    rows = [np.isin(np.arange(d), chosen) for chosen in common if len(chosen) == m]
    return MatroidIntersection(*both, size=size), np.array(rows)
