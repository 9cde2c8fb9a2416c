"""Instances for comparing a new policy with Thompson sampling, drawn before anything was tuned.

One half ("tune") is for tuning, the other ("held") only for reporting. Both have the same strata, drawn with different
seeds; a real dataset is in one half only. The instances do not depend on results of policies. Each instance has its
own generator, seeded by its half and name, so that adding one does not change the others. Real datasets need the
packages topohub and recbole (docs/datasets.md).

This module defines the instances. panel_sets.py and stars.py contain their building blocks; panel_manifest.py lists them, and
checks that they are unchanged.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from panel_sets import (
    Bandit,
    Vector,
    colourful,
    cycle_with_chords,
    detours,
    grid,
    laminar,
    layers,
    listed,
    matchings,
    near_tie,
    random_trees,
    sparse_matchings,
    ties,
    transversal,
    trees,
    two_partitions,
    unequal,
    uniform,
)
from stars import drawn_chain, drawn_listed_star, drawn_side_roads, listed_star

import semibandits as sb

Half: TypeAlias = Literal["tune", "held"]

HALVES: Final[tuple[Half, Half]] = ("tune", "held")
SEED: Final = 20_261_122
LONG_HORIZON: Final = 1_000_000
SHORT_HORIZON: Final = 100_000
"""Rounds. The long one is for instances on which Thompson sampling takes at most 0.6 microseconds a round, for all stars
(matchings: 1.5), and for one instance at least of each kind: 4 x 4 matchings, two partitions. Times of the others: matchings
0.8 to 1.3, intersections 3 to 4; large ones 0.6 (m-sets), 0.9 (paths), 4 (trees), 3 and 6 (matchings), 25 (intersection);
real ones 0.4 to 5, the multicast 19."""
KINDS: Final = {
    sb.MSets: "msets", sb.SpanningTrees: "trees", sb.MatroidBases: "matroid", sb.Paths: "paths", sb.Matchings: "matchings",
    sb.MatroidIntersection: "intersection", sb.EnumeratedDecisions: "list",
}  # fmt: skip
REAL: Final = (
    "germany50-routing", "janos-us-ca-routing", "polska-backbone", "nobel-germany-backbone", "germany50-backbone", "power-grid",
    "films-shortlist", "flights-by-hour", "occupations-genres", "films-two-a-genre", "nobel-us-multicast",
)  # fmt: skip
"""Datasets of at most 200 items, without the multicast of germany50, which takes 0.5 milliseconds a round."""
REAL_A_HALF: Final = 5


@dataclass(frozen=True, eq=False)
class Instance:
    """Decisions, mean rewards and variances, and the number of rounds of the comparison; arrays are read-only.

    The name is unique and ends with the half; the kind is the family, and the trait the property that is tested.
    """

    name: str
    kind: str
    trait: str
    decision_set: sb.DecisionSet
    theta: Vector
    variance: float | Vector
    horizon: int

    def __post_init__(self) -> None:
        for array in (self.theta, self.variance):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)


@dataclass(frozen=True)
class Entry:
    """An instance that is not drawn yet: `draw` takes its generator."""

    name: str
    trait: str
    horizon: int
    draw: Callable[[np.random.Generator], Bandit]


def panel(half: Half) -> list[Instance]:
    """Instances of one half, the same ones every time."""
    return [drawn(entry, half) for entry in entries(half)]


def drawn(entry: Entry, half: Half) -> Instance:
    """The instance of an entry; `half` and the name seed it."""
    name = f"{entry.name}-{half}"
    decision_set, theta, variance = entry.draw(np.random.default_rng([SEED, zlib.crc32(name.encode())]))
    return Instance(name, KINDS[type(decision_set)], entry.trait, decision_set, theta, variance, entry.horizon)


def star() -> Instance:
    """The star of 19 items: C(theta) = 7.2, and 18 if its nine cheap alternatives are played one at a time."""
    return Instance("star", "list", "informative", *listed_star(9, 0.5, 1.8), LONG_HORIZON)


def entries(half: Half) -> list[Entry]:
    """The entries of a half."""
    return [*_small(), *_large(), *_real(half)]


def _small() -> list[Entry]:
    return [
        Entry("msets-2-of-8", "uniform", LONG_HORIZON, lambda rng: uniform(rng, sb.MSets(8, 2))),
        Entry("msets-5-of-20", "uniform", LONG_HORIZON, lambda rng: uniform(rng, sb.MSets(20, 5))),
        Entry("trees-k5", "uniform", LONG_HORIZON, lambda rng: uniform(rng, trees(5))),
        Entry("trees-k7", "uniform", LONG_HORIZON, lambda rng: uniform(rng, trees(7))),
        Entry("laminar-12", "uniform", LONG_HORIZON, lambda rng: uniform(rng, laminar())),
        Entry("transversal-16", "uniform", SHORT_HORIZON, lambda rng: uniform(rng, transversal(rng, 16, 6))),
        Entry("grid-4", "uniform", LONG_HORIZON, lambda rng: uniform(rng, grid(4))),
        Entry("layers-4-by-4", "uniform", LONG_HORIZON, lambda rng: uniform(rng, layers(rng, 4, 4))),
        Entry("matchings-4", "uniform", LONG_HORIZON, lambda rng: uniform(rng, matchings(4))),
        Entry("matchings-5", "uniform", SHORT_HORIZON, lambda rng: uniform(rng, matchings(5))),
        Entry("matchings-sparse", "uniform", SHORT_HORIZON, lambda rng: uniform(rng, sparse_matchings(rng, 7, 0.4))),
        Entry("partitions-16", "uniform", LONG_HORIZON, lambda rng: uniform(rng, two_partitions(rng, 16, (5, 7)))),
        Entry("colourful-k6", "uniform", SHORT_HORIZON, lambda rng: uniform(rng, colourful(rng, 6, 6))),
        Entry("list-20", "uniform", LONG_HORIZON, lambda rng: uniform(rng, listed(rng, 12, 20))),
        Entry("near-tie-msets", "near-tie", LONG_HORIZON, lambda rng: near_tie(rng, sb.MSets(12, 3))),
        Entry("near-tie-grid-4", "near-tie", LONG_HORIZON, lambda rng: near_tie(rng, grid(4))),
        Entry("near-tie-matchings-5", "near-tie", SHORT_HORIZON, lambda rng: near_tie(rng, matchings(5))),
        Entry("ties-trees-k6", "ties", LONG_HORIZON, lambda rng: ties(rng, trees(6))),
        Entry("ties-grid-5", "ties", LONG_HORIZON, lambda rng: ties(rng, grid(5))),
        Entry("ties-matchings-5", "ties", SHORT_HORIZON, lambda rng: ties(rng, matchings(5))),
        Entry("long-matchings", "long-cycle", SHORT_HORIZON, lambda rng: uniform(rng, cycle_with_chords(rng))),
        Entry("long-detours", "long-cycle", LONG_HORIZON, lambda rng: uniform(rng, detours(rng))),
        Entry("star-list", "informative", LONG_HORIZON, drawn_listed_star),
        Entry("star-paths", "informative", LONG_HORIZON, drawn_side_roads),
        Entry("star-matchings", "informative", LONG_HORIZON, drawn_chain),
        Entry("variance-msets", "variance", LONG_HORIZON, lambda rng: unequal(rng, sb.MSets(12, 4))),
        Entry("variance-grid-4", "variance", LONG_HORIZON, lambda rng: unequal(rng, grid(4))),
        Entry("variance-matchings-5", "variance", SHORT_HORIZON, lambda rng: unequal(rng, matchings(5))),
    ]


def _large() -> list[Entry]:
    return [
        Entry("large-msets", "large", SHORT_HORIZON, lambda rng: uniform(rng, sb.MSets(100, 10))),
        Entry("large-trees", "large", SHORT_HORIZON, lambda rng: uniform(rng, random_trees(rng, 40, 100))),
        Entry("large-grid-8", "large", SHORT_HORIZON, lambda rng: uniform(rng, grid(8))),
        Entry("large-matchings-10", "large", SHORT_HORIZON, lambda rng: uniform(rng, matchings(10))),
        Entry("large-matchings-14", "large", SHORT_HORIZON, lambda rng: uniform(rng, matchings(14))),
        Entry("large-partitions", "large", SHORT_HORIZON, lambda rng: uniform(rng, two_partitions(rng, 100, (10, 15)))),
    ]


def _real(half: Half) -> Iterator[Entry]:
    order = [REAL[k] for k in np.random.default_rng(SEED).permutation(len(REAL))]
    for name in order[HALVES.index(half) :: 2][:REAL_A_HALF]:

        def load(_: np.random.Generator, name: str = name) -> Bandit:
            dataset = sb.datasets.load(name)
            return dataset.decision_set, dataset.theta, dataset.variance

        yield Entry(f"real-{name}", "real", SHORT_HORIZON, load)
