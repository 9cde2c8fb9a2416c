"""The oracle of matroid intersections against ``X.maximize``."""

from itertools import product

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_calls import answer

import semibandits as sb
from semibandits.decisions._matroid_oracles import intersection_oracle
from semibandits.decisions.compiled import pointer
from semibandits.kernels.oracles.exchanges import exchanges
from semibandits.kernels.oracles.intersection import intersection_linear
from semibandits.kernels.oracles.kinds import PARTITION
from semibandits.kernels.oracles.partitions import partitions_linear
from semibandits.kernels.oracles.pointers import LINEAR
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.matroids import Graphic, Laminar, Linear, Oracle, Partition, Transversal, Uniform
from semibandits.matroids._compiled import packed

D = 7
MATROIDS = {
    "uniform": Uniform(D, 3),
    "partition": Partition([0, 0, 1, 1, 2, 2, 3], {0: 1, 1: 2, 2: 1, 3: 0}),
    "laminar": Laminar([[0, 1], [0, 1, 2, 3], [4]], [1, 2, 1], d=D),
    "graphic": Graphic([(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 3), (0, 3)]),
    "transversal": Transversal([[0], [0, 1], [1, 2], [2], [0, 2], [], [3]]),
    "binary": Linear(np.random.default_rng(3).integers(0, 2, (4, D)), field=2),
}
PAIRS = list(product(MATROIDS, MATROIDS))
TIES = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 1.0 + 2.0**-50, 2.0])
WEIGHTS = st.lists(st.one_of(TIES, st.floats(-1e6, 1e6)), min_size=D, max_size=D).map(np.array)


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
@given(data=st.data())
@settings(max_examples=15)
def test_the_oracle_decides_as_maximize_does(pair, data):
    m1, m2 = (MATROIDS[name] for name in pair)
    largest = sb.MatroidIntersection(m1, m2).m
    decisions = sb.MatroidIntersection(m1, m2, data.draw(st.integers(0, largest), label="size"))
    weights = data.draw(WEIGHTS)
    oracle = intersection_oracle(m1, m2, decisions.m)
    assert np.array_equal(answer(oracle.family.linear, oracle.data, weights), decisions.maximize(weights))


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
@pytest.mark.parametrize("seed", range(5))
def test_it_decides_as_maximize_does_on_many_items(seed, scale):
    rng = np.random.default_rng(seed)
    decisions = sb.MatroidIntersection(
        Partition(rng.integers(0, 9, 60).tolist(), 1), Graphic([(u, v) for v in range(12) for u in range(v)][:60])
    )
    oracle = intersection_oracle(decisions.m1, decisions.m2, decisions.m)
    for weights in (rng.normal(size=60), rng.integers(-1, 2, 60).astype(np.float64), np.zeros(60)):
        assert np.array_equal(answer(oracle.family.linear, oracle.data, scale * weights), decisions.maximize(scale * weights))


def test_groups_lead_along_the_paths_of_the_general_oracle():
    """Two partitions: bit for bit the same decision, and the same sizes are out of reach.

    Most weights are small integers: equal costs along different items, and along paths of different lengths.
    """
    assert intersection_oracle(*[MATROIDS["partition"]] * 2, 1).family.linear is pointer(partitions_linear, LINEAR)
    rng, nothing, answers = np.random.default_rng(7), np.empty(0, dtype=np.int64), set()
    for k in range(100 if numba.config.DISABLE_JIT else 4_000):
        d, n1, n2 = rng.integers(15 if k % 4 else 1, 40), *rng.integers(3, 12, 2)
        groups = (rng.integers(0, n1, d), rng.integers(0, n2, d))
        capacities = (rng.integers(k % 4 > 0, 4, n1), rng.integers(1, 4, n2))
        parts = [np.array(part, dtype=np.int64) for pair in zip(groups, capacities, strict=True) for part in pair]
        size = np.array([PARTITION, PARTITION, rng.integers(2, 14) if k % 4 else rng.integers(0, 5)])
        data = (size, parts[0], parts[1], nothing, parts[2], parts[3], nothing, nothing)
        weights = rng.integers(-1, 3, d).astype(np.float64) if k % 8 else rng.normal(size=d).round(k % 3)
        x, y = np.zeros((2, d), dtype=np.bool_)
        status = partitions_linear(data, weights, x)
        assert status == intersection_linear(data, weights, y)
        assert np.array_equal(x, y)
        answers.add(status)
    assert answers == {ANSWERED, UNANSWERED}


@pytest.mark.parametrize("name", MATROIDS)
@given(seed=st.integers(0, 10_000), size=st.integers(0, 4))
@settings(max_examples=30)
def test_exchanges_are_those_of_the_matroid(name, seed, size):
    matroid = MATROIDS[name]
    order = np.random.default_rng(seed).permutation(D)
    members = np.flatnonzero(matroid.greedy(order[:size]))
    kind, arrays = packed(matroid)
    for found, expected in zip(exchanges(kind, *arrays, D, members), matroid.exchanges(members), strict=True):
        assert np.array_equal(found, expected)


def test_a_size_out_of_reach_fails():
    m1, m2 = Uniform(D, 2), MATROIDS["partition"]
    oracle = intersection_oracle(m1, m2, 3)
    answer(oracle.family.linear, oracle.data, np.ones(D), expected=UNANSWERED)


def test_sets_that_need_python_are_not_compiled():
    real, oracle = Linear(np.eye(D)), Oracle(D, lambda indices: len(indices) <= 2)
    for other in (real, oracle):
        assert intersection_oracle(other, MATROIDS["uniform"], 1) is None
        assert intersection_oracle(MATROIDS["uniform"], other, 1) is None
