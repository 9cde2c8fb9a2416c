"""Greedy oracles against ``X.maximize``, and packed matroids."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.decisions._matroid_oracles import matroid_oracle
from semibandits.kernels.oracles import kinds
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.matroids import Graphic, Laminar, Linear, Oracle, Partition, Transversal, Uniform
from semibandits.matroids._compiled import packed

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
EDGES_OF_A_CLIQUE = [(u, v) for v in range(9) for u in range(v)]


def weights_of(d: int) -> st.SearchStrategy[np.ndarray]:
    ties = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 1.0 + 2.0**-52, 2.0])
    return st.lists(st.one_of(ties, st.floats(-1e9, 1e9)), min_size=d, max_size=d).map(np.array)


def answer(linear, data, weights) -> np.ndarray:
    """The oracle's decision, written over garbage."""
    answers = []
    for call in (linear, through(linear)):
        for before in (np.zeros, np.ones):
            x = before(len(weights), dtype=np.bool_)
            assert call(data, weights.copy(), x) == ANSWERED
            answers.append(x)
    assert all(np.array_equal(x, answers[0]) for x in answers)
    return answers[0]


def linear_of(matroid):
    oracle = matroid_oracle(matroid, sb.MatroidBases(matroid).m)
    return oracle.family.linear, oracle.data


def through(pointer):
    """A call of the pointer from compiled code."""
    return lambda data, weights, x: relay(pointer, data, weights, x)


@numba.njit
def relay(pointer, data, weights, x):
    return pointer(data, weights, x)


@pytest.mark.parametrize("name", MATROIDS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_oracle_decides_as_maximize_does(name, data):
    matroid = MATROIDS[name]
    weights = data.draw(weights_of(matroid.d))
    x = answer(*linear_of(matroid), weights)
    assert np.array_equal(x, sb.MatroidBases(matroid).maximize(weights))


@given(weights=weights_of(len(EDGES_OF_A_CLIQUE)))
@settings(max_examples=60, deadline=None)
def test_the_oracle_of_trees_decides_as_maximize_does(weights):
    trees = sb.SpanningTrees(EDGES_OF_A_CLIQUE)
    assert np.array_equal(answer(*linear_of(trees.matroid), weights), trees.maximize(weights))


@pytest.mark.parametrize("name", MATROIDS)
def test_data_are_eight_arrays_of_their_own(name):
    matroid = MATROIDS[name]
    _, data = linear_of(matroid)
    again = linear_of(matroid)[1]
    assert len(data) == 8
    for array, other in zip(data, again, strict=True):
        assert array.dtype == np.int64
        assert array.ndim == 1
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert not np.shares_memory(array, other) or array.size == 0


def test_every_kind_has_its_number():
    found = {packed(matroid)[0] for matroid in MATROIDS.values()}
    assert found == {value for name, value in vars(kinds).items() if name.isupper()}


def test_oracle_matroids_stay_in_python():
    matroid = Oracle(4, lambda indices: len(indices) <= 2)
    assert packed(matroid) is None
    assert matroid_oracle(matroid, 2) is None
