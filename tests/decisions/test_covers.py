"""Covers against a plain reference that asks P_LM once per cover and keeps dense rows."""

import itertools

import numpy as np
import pytest

import semibandits as sb
from example_sets import OnlyMaximizes, partitions, random_dag, random_edges
from family_examples import EXAMPLES
from optimization import decision_families
from semibandits.decisions.covers import covers_of
from semibandits.kernels.lists import base_of, changes_of, no_lists, on_common_base, write_row

Laminar, Partition = sb.matroids.Laminar, sb.matroids.Partition


def reference(decision_set):
    """Covers as boolean rows, and the first cover of each item."""
    d = decision_set.d
    cover, rows = np.full(d, -1), []
    while True:
        x = decision_set.maximize((cover < 0).astype(float))
        fresh = x & (cover < 0)
        if not fresh.any():
            return np.array(rows, dtype=bool).reshape(len(rows), d), cover
        cover[fresh] = len(rows)
        rows.append(x)


def dense(lists, d):
    rows = np.ones((lists[0], d), dtype=bool)
    for k, row in enumerate(rows):
        write_row(lists, k, row)
    return rows


def check(decision_set):
    oracle = decision_set.compiled()
    covers, cover = covers_of(decision_set, (oracle or decision_set).maximize)
    rows, first = reference(decision_set)
    assert np.array_equal(dense(covers, decision_set.d), rows)
    assert np.array_equal(cover, first)
    base = 2 * rows.sum(axis=0) > len(rows)
    assert base_of(covers).tolist() == np.flatnonzero(base).tolist()
    for k, row in enumerate(rows):
        assert sorted(changes_of(covers, k)) == np.flatnonzero(row != base).tolist()  # each item once


def nested(rng):
    """A random laminar matroid: random disjoint or nested sets, with random capacities, some items in none of them."""
    d = int(rng.integers(1, 40))
    order, sets, ranges = rng.permutation(d), {}, [(0, d)]
    while ranges and len(sets) < 12:
        low, high = ranges.pop(int(rng.integers(len(ranges))))
        if high > low and rng.random() < 0.7:
            sets[tuple(sorted(order[low:high].tolist()))] = None
        if high - low > 1:
            cut = int(rng.integers(low + 1, high))
            ranges += [(low, cut), (cut, high)]
    return sb.MatroidBases(Laminar([*map(list, sets)], [int(rng.integers(0, 6)) for _ in sets], d=d))


def quotas(rng):
    d, groups = int(rng.integers(1, 50)), int(rng.integers(1, 8))
    labels = rng.integers(0, groups, d).tolist()
    capacities = {g: int(rng.integers(0, 5)) for g in labels}
    largest = Partition(labels, capacities).rank
    size = None if rng.random() < 0.3 else int(rng.integers(0, largest + 1))
    return sb.MatroidBases(sb.matroids.quotas(labels, capacities, size))


def msets(rng):
    d = int(rng.integers(1, 60))
    return sb.MSets(d, int(rng.integers(0, d + 1)))


def matching(rng):
    saturate = ["both", "rows", "none"][int(rng.integers(3))]
    n = int(rng.integers(2, 6))
    return sb.Matchings(random_edges(rng, n, n), saturate=saturate)


RANDOM = {
    "msets": msets,
    "quotas": quotas,
    "nested": nested,
    "own matroid": lambda rng: OnlyMaximizes(quotas(rng)),
    "paths": random_dag,
    "matchings": matching,
    "partitions": lambda rng: partitions(int(rng.integers(2, 16)), 4, rng=rng),
    **decision_families.FAMILIES,
}


@pytest.mark.parametrize("kind", RANDOM)
def test_covers_of_random_sets(kind):
    rng = np.random.default_rng(sum(map(ord, kind)))
    for _ in range(150 if kind in ("msets", "quotas", "nested") else 40):
        check(RANDOM[kind](rng))


@pytest.mark.parametrize(("family", "name"), [(f, name) for f, sets in EXAMPLES.items() for name in sets])
def test_covers_of_every_example(family, name):
    check(EXAMPLES[family][name]())


def test_covers_with_a_common_part_take_memory_for_the_rest_only():
    """One group has 500 items more than its capacity, the other contributes the same 1,000 items to nearly every cover."""
    decision_set = sb.MatroidBases(Partition([0] * 1_500 + [1] * 500, {0: 1_000, 1: 1}))
    covers, _ = covers_of(decision_set, decision_set.maximize)
    assert np.array_equal(dense(covers, 2_000), reference(decision_set)[0])
    assert covers[0] == 500
    assert len(covers) - covers[1] < 2 * 500 + 2 * 1_000


def test_a_base_of_all_rows():
    lists = on_common_base(4, np.array([0, 2, 2, 2]), np.array([3, 1]))
    assert dense(lists, 4).tolist() == [[False, True, False, True]] * 3
    assert base_of(lists).tolist() == [1, 3]
    assert lists[1] == len(lists)


def test_no_rows():
    lists = on_common_base(3, np.array([0]), np.empty(0, dtype=np.int64))
    assert lists.tolist() == no_lists().tolist()


def test_covers_of_all_small_partitions():
    for sizes in itertools.product(range(1, 5), repeat=3):
        for capacities in itertools.product(range(4), repeat=3):
            labels = [g for g, size in enumerate(sizes) for _ in range(size)]
            check(sb.MatroidBases(Partition(labels[::-1], dict(enumerate(capacities)))))
