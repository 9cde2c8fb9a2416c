"""Instances on which a new policy is compared with Thompson sampling, drawn before anything was tuned.

    python verification/panel.py            list them
    python verification/panel.py --write    write panel.json, the list that is kept
    python verification/panel.py --check    whether panel.json is still true

One half ("tune") is for tuning, the other ("held") only for reporting. Both have the same strata, drawn with different
seeds; a real dataset is in one half only. Nothing about an instance depends on what policies make of it. Each instance has a
generator of its own, seeded by its half and name, so that adding one leaves the others as they are. Real datasets need the
packages topohub and recbole (docs/datasets.md).
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import semibandits as sb
from semibandits.decisions.description import fingerprint
from semibandits.instances.files import write_whole

Half: TypeAlias = Literal["tune", "held"]
Vector: TypeAlias = NDArray[np.float64]
Problem: TypeAlias = tuple[sb.DecisionSet, Vector, "float | Vector"]

HALVES: Final[tuple[Half, Half]] = ("tune", "held")
SEED: Final = 20_261_122
VARIANCE: Final = 0.5
LONG, SHORT = 1_000_000, 100_000
MANIFEST: Final = Path(__file__).with_name("panel.json")
"""What is kept of the instances: not their numbers, which the seeds give, but what tells whether they are the same."""
KINDS: Final = {
    sb.MSets: "msets", sb.SpanningTrees: "trees", sb.MatroidBases: "matroid", sb.Paths: "paths", sb.Matchings: "matchings",
    sb.MatroidIntersection: "intersection", sb.EnumeratedDecisions: "list",
}  # fmt: skip
REAL: Final = (
    "germany50-routing", "janos-us-ca-routing", "polska-backbone", "nobel-germany-backbone", "germany50-backbone", "power-grid",
    "films-shortlist", "flights-by-hour", "occupations-genres", "films-two-a-genre", "nobel-us-multicast",
)  # fmt: skip
"""Datasets of at most 200 items, without the multicast of germany50: 0.5 milliseconds a round are too many."""
REAL_A_HALF: Final = 5


@dataclass(frozen=True, eq=False)
class Instance:
    """Decisions, mean rewards and variances, and for how many rounds policies are compared; arrays are read-only.

    Attributes
    ----------
    name : str
        Unique; ends with the half.
    kind : str
        The family of decision sets.
    trait : str
        What makes it worth having: "uniform", "near-tie", "ties", "long-cycle", "informative", "variance", "large", "real".
    decision_set : DecisionSet
        The set X of decisions.
    theta : ndarray of float, shape (d,)
        Mean reward of each item.
    variance : float or ndarray of float, shape (d,)
        Variance of the Gaussian reward of each item.
    horizon : int
        Rounds.
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
    """An instance that has not been drawn yet: `draw` takes the generator that belongs to it."""

    name: str
    trait: str
    horizon: int
    draw: Callable[[np.random.Generator], Problem]


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
    return Instance("star", "list", "informative", *listed_star(9, 0.5, 1.8), LONG)


def entries(half: Half) -> list[Entry]:
    """What is in a half."""
    # LONG where Thompson sampling takes at most 0.6 microseconds a round, and in all stars (matchings: 1.5). Elsewhere: matchings
    # 0.8 to 1.3, intersections 3 to 4; large ones 0.6 (m-sets), 0.9 (paths), 4 (trees), 3 and 6 (matchings), 25 (intersection);
    # real ones 0.4 to 5, the multicast 19.
    uniform = [
        Entry("msets-2-of-8", "uniform", LONG, lambda rng: _uniform(rng, sb.MSets(8, 2))),
        Entry("msets-5-of-20", "uniform", LONG, lambda rng: _uniform(rng, sb.MSets(20, 5))),
        Entry("trees-k5", "uniform", LONG, lambda rng: _uniform(rng, _trees(5))),
        Entry("trees-k7", "uniform", LONG, lambda rng: _uniform(rng, _trees(7))),
        Entry("laminar-12", "uniform", LONG, lambda rng: _uniform(rng, _laminar())),
        Entry("transversal-16", "uniform", SHORT, lambda rng: _uniform(rng, _transversal(rng, 16, 6))),
        Entry("grid-4", "uniform", LONG, lambda rng: _uniform(rng, _grid(4))),
        Entry("layers-4-by-4", "uniform", LONG, lambda rng: _uniform(rng, _layers(rng, 4, 4))),
        Entry("matchings-4", "uniform", SHORT, lambda rng: _uniform(rng, _complete(4))),
        Entry("matchings-5", "uniform", SHORT, lambda rng: _uniform(rng, _complete(5))),
        Entry("matchings-sparse", "uniform", SHORT, lambda rng: _uniform(rng, _sparse(rng, 7, 0.4))),
        Entry("partitions-16", "uniform", SHORT, lambda rng: _uniform(rng, _two_partitions(rng, 16, (5, 7)))),
        Entry("colourful-k6", "uniform", SHORT, lambda rng: _uniform(rng, _colourful(rng, 6, 6))),
        Entry("list-20", "uniform", LONG, lambda rng: _uniform(rng, _listed(rng, 12, 20))),
    ]
    near_ties = [
        Entry("near-tie-msets", "near-tie", LONG, lambda rng: _near_tie(rng, sb.MSets(12, 3))),
        Entry("near-tie-grid-4", "near-tie", LONG, lambda rng: _near_tie(rng, _grid(4))),
        Entry("near-tie-matchings-5", "near-tie", SHORT, lambda rng: _near_tie(rng, _complete(5))),
    ]
    ties = [
        Entry("ties-trees-k6", "ties", LONG, lambda rng: _ties(rng, _trees(6))),
        Entry("ties-grid-5", "ties", LONG, lambda rng: _ties(rng, _grid(5))),
        Entry("ties-matchings-5", "ties", SHORT, lambda rng: _ties(rng, _complete(5))),
    ]
    long_cycles = [
        Entry("long-matchings", "long-cycle", SHORT, lambda rng: _uniform(rng, _bipartite_cycle(rng))),
        Entry("long-detours", "long-cycle", LONG, lambda rng: _uniform(rng, _detours(rng))),
    ]
    informative = [
        Entry("star-list", "informative", LONG, lambda rng: listed_star(*_star_parameters(rng))),
        Entry("star-paths", "informative", LONG, _drawn_side_roads),
        Entry("star-matchings", "informative", LONG, _drawn_chain),
    ]
    variances = [
        Entry("variance-msets", "variance", LONG, lambda rng: _unequal(rng, sb.MSets(12, 4))),
        Entry("variance-grid-4", "variance", LONG, lambda rng: _unequal(rng, _grid(4))),
        Entry("variance-matchings-5", "variance", SHORT, lambda rng: _unequal(rng, _complete(5))),
    ]
    return [*uniform, *near_ties, *ties, *long_cycles, *informative, *variances, *_large(), *_real(half)]


def _large() -> list[Entry]:
    return [
        Entry("large-msets", "large", SHORT, lambda rng: _uniform(rng, sb.MSets(100, 10))),
        Entry("large-trees", "large", SHORT, lambda rng: _uniform(rng, _random_trees(rng, 40, 100))),
        Entry("large-grid-8", "large", SHORT, lambda rng: _uniform(rng, _grid(8))),
        Entry("large-matchings-10", "large", SHORT, lambda rng: _uniform(rng, _complete(10))),
        Entry("large-matchings-14", "large", SHORT, lambda rng: _uniform(rng, _complete(14))),
        Entry("large-partitions", "large", SHORT, lambda rng: _uniform(rng, _two_partitions(rng, 100, (10, 15)))),
    ]


def _real(half: Half) -> Iterator[Entry]:
    order = [REAL[k] for k in np.random.default_rng(SEED).permutation(len(REAL))]
    for name in order[HALVES.index(half) :: 2][:REAL_A_HALF]:

        def load(_: np.random.Generator, name: str = name) -> Problem:
            dataset = sb.datasets.load(name)
            return dataset.decision_set, dataset.theta, dataset.variance

        yield Entry(f"real-{name}", "real", SHORT, load)


# -- means and variances ---------------------------------------------------------------------------------------------


def _uniform(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Problem:
    return decision_set, _means(rng, decision_set), VARIANCE


def _means(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Vector:
    """Uniform on (0, 1); costs on paths."""
    return _sign(decision_set) * rng.random(decision_set.d)


def _sign(decision_set: sb.DecisionSet) -> int:
    return -1 if isinstance(decision_set, sb.Paths) else 1


def _unequal(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Problem:
    return decision_set, _means(rng, decision_set), rng.uniform(0.1, 1, decision_set.d)


def _ties(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Problem:
    """Means among five values, drawn until at least four decisions are optimal."""
    decisions = decision_set.enumerate()
    while True:
        theta = _sign(decision_set) * rng.integers(0, 5, decision_set.d) / 4.0
        rewards = decisions @ theta
        if np.count_nonzero(rewards == rewards.max()) >= 4:
            return decision_set, theta, VARIANCE


def _near_tie(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Problem:
    """Uniform means, but one item that only the second best decision has is raised until the gap is small."""
    decisions = decision_set.enumerate()
    while True:
        theta = _means(rng, decision_set)
        rewards = decisions @ theta
        second, best = np.argsort(rewards)[-2:]
        raised = theta.copy()
        raised[rng.choice(np.flatnonzero(decisions[second] & ~decisions[best]))] += (
            rewards[best] - rewards[second] - rng.uniform(0.01, 0.03)
        )
        if (raised >= theta).all() and np.abs(raised - _sign(decision_set) / 2).max() < 0.5:
            return decision_set, raised, VARIANCE


# -- decision sets ---------------------------------------------------------------------------------------------------


def _trees(n: int) -> sb.SpanningTrees:
    return sb.SpanningTrees(nx.complete_graph(n))


def _random_trees(rng: np.random.Generator, n: int, n_edges: int) -> sb.SpanningTrees:
    """Trees of a graph drawn uniformly among the connected ones."""
    pairs = list(itertools.combinations(range(n), 2))
    while True:
        graph: nx.Graph[int] = nx.Graph([pairs[k] for k in np.sort(rng.choice(len(pairs), n_edges, replace=False))])
        if len(graph) == n and nx.is_connected(graph):
            return sb.SpanningTrees(list(graph.edges))


def _laminar() -> sb.MatroidBases:
    return sb.MatroidBases(sb.matroids.Laminar([range(4), range(4, 8), range(8, 12), range(8)], [2, 2, 1, 3]))


def _transversal(rng: np.random.Generator, d: int, places: int) -> sb.MatroidBases:
    """Each item may serve one to three of the places."""
    return sb.MatroidBases(
        sb.matroids.Transversal([rng.choice(places, rng.integers(1, 4), replace=False).tolist() for _ in range(d)])
    )


def _grid(n: int) -> sb.Paths:
    """Arcs right, down and diagonally, between opposite corners of n times n nodes."""
    arcs = [
        ((r, c), (r + down, c + right))
        for r, c, (down, right) in itertools.product(range(n), range(n), ((0, 1), (1, 0), (1, 1)))
        if r + down < n and c + right < n
    ]
    return sb.Paths(arcs, (0, 0), (n - 1, n - 1))


def _layers(rng: np.random.Generator, n_layers: int, width: int) -> sb.Paths:
    """All first nodes are left from the source, two or three arcs go from each node to the next layer."""
    arcs: list[tuple[object, object]] = [("s", (0, j)) for j in range(width)]
    for layer, j in itertools.product(range(n_layers - 1), range(width)):
        heads = np.sort(rng.choice(width, rng.integers(2, 4), replace=False))
        arcs += [((layer, j), (layer + 1, int(head))) for head in heads]
    return sb.Paths([*arcs, *(((n_layers - 1, j), "t") for j in range(width))], "s", "t")


def _detours(rng: np.random.Generator) -> sb.Paths:
    """Two stages of three chains of 5 to 7 arcs each, and two chains of 11 past both: every way out is long."""
    arcs: list[tuple[object, object]] = []
    for tail, head, lengths in (
        ("s", "u", rng.integers(5, 8, 3)),
        ("u", "t", rng.integers(5, 8, 3)),
        ("s", "t", (11, 11)),
    ):
        for number, length in enumerate(lengths):
            nodes = [tail, *((tail, head, number, k) for k in range(1, length)), head]
            arcs += itertools.pairwise(nodes)
    return sb.Paths(arcs, "s", "t")


def _complete(n: int) -> sb.Matchings:
    return sb.Matchings(list(itertools.product(range(n), range(n))))


def _sparse(rng: np.random.Generator, n: int, density: float) -> sb.Matchings:
    """Matchings of any size in a random bipartite graph."""
    return sb.Matchings([pair for pair in itertools.product(range(n), range(n)) if rng.random() < density], "none")


def _bipartite_cycle(rng: np.random.Generator) -> sb.Matchings:
    """Perfect matchings of one cycle of 12 to 16 nodes with three chords."""
    n = int(rng.integers(6, 9))
    cycle = [(i, (i + k) % n) for i in range(n) for k in (0, 1)]
    others = [(i, (i + k) % n) for i in range(n) for k in range(2, n)]
    return sb.Matchings([*cycle, *(others[k] for k in np.sort(rng.choice(len(others), 3, replace=False)))])


def _two_partitions(rng: np.random.Generator, d: int, sizes: tuple[int, int]) -> sb.MatroidIntersection:
    """At most two items of each group, in two partitions drawn at random into groups of at most these sizes."""
    first, second = (sb.matroids.Partition((rng.permutation(d) % -(-d // size)).tolist(), 2) for size in sizes)
    return sb.MatroidIntersection(first, second)


def _colourful(rng: np.random.Generator, n: int, colours: int) -> sb.MatroidIntersection:
    """Largest forests of a complete graph whose edges all differ in colour."""
    edges = list(itertools.combinations(range(n), 2))
    colour = (rng.permutation(len(edges)) % colours).tolist()
    return sb.MatroidIntersection(sb.matroids.Graphic(edges), sb.matroids.Partition(colour, 1))


def _listed(rng: np.random.Generator, d: int, n: int) -> sb.EnumeratedDecisions:
    """Different decisions of 3 to 6 items."""
    rows: dict[bytes, NDArray[np.bool_]] = {}
    while len(rows) < n:
        row = np.zeros(d, dtype=np.bool_)
        row[rng.choice(d, rng.integers(3, 7), replace=False)] = True
        rows.setdefault(row.tobytes(), row)
    return sb.EnumeratedDecisions(np.array(list(rows.values())))


# -- stars: one expensive decision says more than many cheap ones ----------------------------------------------------


def listed_star(k: int, single: float, joint: float) -> Problem:
    """A star: k decisions of gap `single`, each with an item of its own, and one of gap `joint` with all k of these items.

    The optimal decision has a first item and b_1 .. b_k; single i is {all b but b_i, a_i}; the joint one is {a_1 .. a_k}. With
    variance 1/2 each a_i must be played 1/single² times per ln T. That costs k/single by singles and joint/single² by the joint
    decision. The joint one is never the most plausible alternative if joint² / k > single². So the loss of playing
    what is most plausible is k single / joint, up to √k.
    """
    rows = np.zeros((k + 2, 2 * k + 1), dtype=np.bool_)
    rows[:-1, 1 : k + 1] = True
    rows[0, 0] = True
    for i in range(1, k + 1):
        rows[i, i], rows[i, k + i] = False, True
    rows[-1, k + 1 :] = True
    b = (joint - single) / (k - 1)
    return sb.EnumeratedDecisions(rows), np.concatenate([[single - b], np.full(k, b), np.zeros(k)]), VARIANCE


def _star_parameters(rng: np.random.Generator) -> tuple[int, float, float]:
    """Parameters of a star in which the joint decision is 10 to 30 % too expensive to be the most plausible."""
    k, single = int(rng.integers(6, 13)), rng.uniform(0.3, 0.6)
    return k, single, rng.uniform(1.1, 1.3) * math.sqrt(k) * single


def chain(leaving: Vector, entering: Vector) -> Problem:
    """A star of matchings: any matching of a path whose edges are y_0, z_1, y_1, ..., z_k, y_k in turn.

    The optimal matching has all y; each alternating path z_j .. z_l takes out y_{j-1} .. y_l. With y = e and z = e - g its gap
    is e + (l - j + 1) g: the first cost e is paid once, however long it is. Only what enters is explored, so the shortest
    paths are about one item each. Two items are less plausible than one if (e + 2g)² / 2 > (e + g)², that is g > e/√2, and more
    items are even less so. Then singles cost k/(e + g) per ln T, and the whole path (e + kg)/(e + g)²: the ratio is
    k(e + g)/(e + kg), 2.09 for k = 9 and below 1 + √2. With g < e/√2 pairs or more are played, and less is lost.
    """
    k = len(entering)
    theta = np.empty(2 * k + 1)
    theta[::2], theta[1::2] = leaving, entering
    edges = [(i // 2 + i % 2, i // 2) for i in range(2 * k + 1)]
    return sb.Matchings(edges, "none"), theta, VARIANCE


def _drawn_chain(rng: np.random.Generator) -> Problem:
    e, g = _steps(rng)
    k = int(rng.integers(8, 12))
    return chain(np.full(k + 1, e), e - g * rng.uniform(1, 1.02, k))


def side_roads(entrance: float, toll: float, main: Vector, side: Vector, known: float) -> Problem:
    """A star of paths: a toll road s -> t, or a free one, which has an entrance and k sections with a main and a side road each.

    Items: the toll road, the entrance, the main roads, the side roads; all means are costs. Let e be what the free road costs
    more with main roads alone, and g what a side road costs more than its main road: s side roads have the gap e + s g, and e is
    paid once, as in :func:`chain`. There is one difference: to reach one side road, the other main roads are driven, and so they
    have to be explored as well. Whoever tries side roads one at a time explores them by the way; whoever tries all side
    roads at once pays for it, with equal variances as much as is gained: the ratio is then about 1. So entrance and main roads
    are well known, with a variance `known` far below 1/2: for k = 9 and g = 0.72 e the ratio is 1.95, 1.83, 1.71, 1.60 and 1.28
    where `known` is 0.0005, 0.002, 0.005, 0.01 and 0.05.
    """
    k = len(main)
    sections = [(j, j + 1) for j in range(k)]
    arcs = [("s", k), ("s", 0), *sections, *sections]
    theta = -np.concatenate([[toll, entrance], main, side])
    variance = np.concatenate([np.full(k + 2, known), np.full(k, VARIANCE)])
    return sb.Paths(arcs, "s", k), theta, variance


def _drawn_side_roads(rng: np.random.Generator) -> Problem:
    e, g = _steps(rng)
    k = int(rng.integers(9, 12))
    main, entrance = rng.uniform(0.05, 0.2, k), rng.uniform(0.2, 0.5)
    toll = entrance + main.sum() - e
    return side_roads(entrance, toll, main, main + g * rng.uniform(1, 1.02, k), rng.uniform(0.0003, 0.0008))


def _steps(rng: np.random.Generator) -> tuple[float, float]:
    """What an alternative of a chain costs once, and for each of its items."""
    single, ratio = rng.uniform(0.4, 0.6), rng.uniform(0.72, 0.78)
    return single / (1 + ratio), single * ratio / (1 + ratio)


def one_at_a_time(instance: Instance, step: float = 0.002) -> float:
    """Cost per ln T of playing, again and again, the most plausible alternative, where theta is known.

    An alternative x is the less plausible the larger Δ² / Σ 2σ_i²/n_i over its items outside the optimal decision; it is played
    until all these values are 1. C(theta) is the least that any way to get there costs. No policy is simulated.

    Parameters
    ----------
    instance : Instance
        With one optimal decision, and few enough decisions to be listed.
    step : float
        A play of x adds this share of what x alone would need; > 0.
    """
    decisions = instance.decision_set.enumerate(limit=1_000_000)
    rewards = decisions @ instance.theta
    entering = decisions & ~decisions[rewards.argmax()]
    order = np.argsort(-rewards)  # of the same entering items the cheapest comes first
    kinds, first = np.unique(entering[order], axis=0, return_index=True)
    gaps = rewards.max() - rewards[order][first]
    kinds, gaps = kinds[gaps > 1e-9].astype(np.float64), gaps[gaps > 1e-9]
    kinds, gaps = kinds[kinds.any(axis=1)], gaps[kinds.any(axis=1)]
    spread = 2 * np.broadcast_to(instance.variance, instance.theta.shape)
    counts, cost = np.full(len(spread), 1e-9), 0.0
    while True:
        certainty = gaps**2 / (kinds @ (spread / counts))
        x = int(certainty.argmin())
        if certainty[x] >= 1:
            return cost
        plays = step * float(kinds[x] @ spread) / gaps[x] ** 2
        counts += plays * kinds[x]
        cost += plays * gaps[x]


# -- the list that is kept -------------------------------------------------------------------------------------------


def described(instance: Instance) -> dict[str, Any]:
    """What panel.json says of an instance."""
    x, bound = instance.decision_set, sb.graves_lai(instance.decision_set, instance.theta, instance.variance)
    gap = sb.smallest_gap(x, instance.theta, most_ties=10_000)
    variance = np.broadcast_to(instance.variance, instance.theta.shape)
    return {
        "name": instance.name,
        "kind": instance.kind,
        "trait": instance.trait,
        "horizon": instance.horizon,
        "d": x.d,
        "m": x.m,
        "decisions": _count(x),
        "C": _short(bound.value),
        "smallest_gap": _short(gap) if math.isfinite(gap) else None,
        "rounds_of_a_million": _short(bound.plan.rates.sum() * math.log(LONG), 3),
        "one_at_a_time_over_C": _short(one_at_a_time(instance) / bound.value, 3)
        if instance.trait == "informative"
        else None,
        "decision_set_fingerprint": fingerprint(x),
        "theta_sha256": _hash(instance.theta),
        "variance_sha256": _hash(variance),
    }


def _count(decision_set: sb.DecisionSet) -> int | float | None:
    """Number of decisions, six digits of it above 10^15; None if there are too many to count."""
    try:
        n = decision_set.count(limit=100_000)
    except (sb.TooManyDecisionsError, sb.UnsupportedError):
        return None
    return n if n < 10**15 else _short(n)


def _short(number: float, digits: int = 6) -> float:
    return float(f"{number:.{digits}g}")


def _hash(numbers: Iterable[float]) -> str:
    """SHA-256 of the numbers with twelve decimals, which no rounding of other machines reaches."""
    return hashlib.sha256(",".join(f"{number:.12f}" for number in numbers).encode()).hexdigest()


TOLERANCES: Final = {
    "C": 3e-4, "smallest_gap": 1e-5, "decisions": 1e-5, "rounds_of_a_million": 0.05, "one_at_a_time_over_C": 0.01,
}  # fmt: skip
"""Relative. C is known to 1e-4, and the plan that attains it is not unique."""


def differences(kept: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What is wrong in an entry of panel.json, a sentence each."""
    wrong = []
    for key in dict.fromkeys([*kept, *found]):
        a, b = kept.get(key), found.get(key)
        if isinstance(a, int | float) and isinstance(b, int | float):
            same = math.isclose(a, b, rel_tol=TOLERANCES.get(key, 0), abs_tol=0)
        else:
            same = a == b
        if not same:
            wrong.append(f"{found['name']}: {key} is {b!r}, panel.json says {a!r}")
    return wrong


def main() -> int:
    """List, write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="write panel.json")
    action.add_argument("--check", action="store_true", help="compare with panel.json, and fail if it differs")
    options = parser.parse_args()
    found = [described(instance) for instance in [star(), *panel("tune"), *panel("held")]]
    if options.write:
        write_whole(MANIFEST, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode())
    if not options.check:
        for row in found:
            print(f"{row['name']:34} d {row['d']:4}  C {row['C']:<10g} rounds {row['rounds_of_a_million']:<10g}")
        return 0
    kept = {row["name"]: row for row in json.loads(MANIFEST.read_text(encoding="utf-8"))}
    wrong = [f"{name} is in panel.json only" for name in kept.keys() - {row["name"] for row in found}]
    for row in found:
        wrong += differences(kept[row["name"]], row) if row["name"] in kept else [f"{row['name']} is not in panel.json"]
    print("\n".join(wrong) or f"{len(found)} instances are as panel.json says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
