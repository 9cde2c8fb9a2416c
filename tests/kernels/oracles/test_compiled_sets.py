"""Compiled decision sets agree with their Python methods, whatever the previous content of x."""

import itertools

import networkx as nx
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_calls import answer

import semibandits as sb
from example_sets import largest_matchings
from semibandits.decisions.compiled import compiled_oracle, pointer
from semibandits.errors import SolverError
from semibandits.kernels.oracles import kinds
from semibandits.kernels.oracles.pointers import PARTS
from semibandits.kernels.search.problem import FAILED
from semibandits.matroids import Graphic, Laminar, Linear, Oracle, Partition, Transversal, Uniform
from semibandits.matroids._compiled import packed
from strategies import MIXED, WHOLE, vectors

GRID = [((r, c), (r + a, c + b)) for r in range(3) for c in range(3) for a, b in ((0, 1), (1, 0)) if max(r + a, c + b) < 3]
RNG = np.random.default_rng(0)
MATROIDS = {
    "uniform": Uniform(9, 4),
    "uniform, none": Uniform(3, 0),
    "uniform, one item": Uniform(1, 1),
    "partition": Partition(["a", "b", "a", "c", "b", "a", "c", "d"], {"a": 2, "b": 1, "c": 2, "d": 0}),
    "laminar": Laminar([[0, 1], [0, 1, 2, 3], [4, 5], []], [1, 2, 0, 3], d=8),
    "graphic": Graphic([(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 3), (0, 1), (4, 5), (5, 4)]),
    "transversal": Transversal([[0], [0, 1], [1, 2], [2], [0, 2], [], [3], [3, 0]]),
    "binary": Linear(RNG.integers(0, 2, (4, 9)), field=2),
    "binary, many rows": Linear(RNG.integers(0, 2, (70, 5)), field=2),
    "binary, no rows": Linear(np.zeros((0, 3)), field=2),
    "real": Linear(RNG.normal(size=(3, 7))),
    "real, dependent": Linear([[1, 2, 0, 0, 1, 3], [0, 0, 0, 1, 1, 3], [0, 0, 0, 0, 0, 0]]),
}
SETS = {
    "2 of 6": sb.MSets(6, 2),
    "0 of 3": sb.MSets(3, 0),
    "all of 4": sb.MSets(4, 4),
    "1 of 1": sb.MSets(1, 1),
    "paths": sb.Paths([*GRID, ((0, 0), (0, 1)), ((2, 2), (9, 9))], (0, 0), (2, 2)),
    "routes": sb.Routes([*GRID, *(arc[::-1] for arc in GRID)], (0, 0), (2, 2), 0.5),
    "streets": sb.Routes(GRID, (0, 0), (2, 2), directed=False),
    "trees": sb.SpanningTrees(nx.complete_graph(5)),
    "perfect": sb.Matchings(list(itertools.product(range(3), range(3)))),
    "rows": sb.Matchings(list(itertools.product(range(2), range(3))), saturate="rows"),
    "columns": sb.Matchings(list(itertools.product(range(3), range(2))), saturate="columns"),
    "any matching": sb.Matchings([(0, 0), (0, 1), (1, 1), (2, 1), (0, 0)], saturate="none"),
    "largest matchings": largest_matchings(),
    "intersection": sb.MatroidIntersection(Partition([0, 0, 1, 1, 2, 2], 1), Partition([0, 1, 0, 1, 0, 1], 2)),
    "list": sb.EnumeratedDecisions([[0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]]),
    "the empty decision": sb.EnumeratedDecisions([[0, 0]]),
    **{name: sb.MatroidBases(matroid) for name, matroid in MATROIDS.items()},
}


@numba.njit
def _fails(data, weights, x):
    return 0


@numba.njit
def _fails_at_index(family, data, problem, x, report):
    return FAILED


TIES = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1.0, 1.0 + 2.0**-52])


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=40)
@given(data=st.data())
def test_the_oracle_decides_as_maximize_does(name, data):
    d = SETS[name].d
    numbers = data.draw(st.sampled_from([TIES, WHOLE, MIXED, st.floats(-100.0, 100.0)]))
    weights, guess = data.draw(vectors(d, numbers)), data.draw(vectors(d, st.booleans())).astype(np.bool_)
    oracle, expected = SETS[name].compiled(), SETS[name].maximize(weights)
    assert np.array_equal(answer(oracle.family.linear, oracle.data, weights, befores=(guess, expected)), expected)
    assert np.array_equal(oracle.maximize(weights), expected)


def test_every_family_is_here_and_user_sets_are_not_compiled():
    from semibandits.families.registry import FAMILIES

    assert {type(decision_set) for decision_set in SETS.values()} == {family.cls for family in FAMILIES.values()}

    class Own(sb.DecisionSet):
        d, m = 2, 1

        def maximize(self, weights):
            return np.array([True, False])

    assert Own().compiled() is None
    assert sb.MatroidBases(Oracle(3, lambda indices: len(indices) <= 1)).compiled() is None
    kinds_of_matroids = {value for name, value in vars(kinds).items() if name.isupper()}
    assert {packed(matroid)[0] for matroid in MATROIDS.values()} == kinds_of_matroids


def test_the_data_are_eight_arrays_that_kernels_take_as_they_are():
    for name, decision_set in SETS.items():
        data, again = decision_set.compiled().data, decision_set.compiled().data
        assert len(data) == PARTS
        for array, other in zip(data, again, strict=True):
            assert array.dtype == np.int64
            assert array.flags.c_contiguous
            assert array.flags.writeable
            assert name not in MATROIDS or array.size == 0 or not np.shares_memory(array, other)


@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaWarning")
def test_a_kernel_that_gives_up_is_an_error():
    oracle = compiled_oracle((), 2, 1, _fails, index=_fails_at_index)
    with pytest.raises(SolverError, match="scale them down"):
        oracle.maximize(np.zeros(2))
    with pytest.raises(SolverError, match="rewards and bonuses must be at most 1e100"):
        oracle.search_index(np.zeros(2), np.zeros(2))


def test_pointers_are_made_once():
    from semibandits.kernels.oracles.greedy import uniform_linear
    from semibandits.kernels.oracles.pointers import LINEAR

    assert pointer(uniform_linear, LINEAR) is pointer(uniform_linear, LINEAR)
