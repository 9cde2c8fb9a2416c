"""Results that must have the same bits in all tiers of kernels, as lines of text; run as a script in its own process.

python tests/tiers_scenarios.py rounds|bounds MODE [SEED]

MODE is ``python`` or ``compiled``, or ``switching``: then kernels begin as Python, each goes over to compiled code at a random
call, and calls from outside are broken off and begun again at random moments.
"""

import hashlib
import random
import sys
from itertools import product

import numpy as np

import semibandits as sb
from semibandits.kernels import tiers
from semibandits.kernels.assignment import Bipartite, heaviest_matching_with_duals
from semibandits.matroids import Graphic, Laminar, Linear, Partition, Transversal, Uniform
from semibandits.policies.registry import POLICIES

EDGES = [(u, v) for v in range(5) for u in range(v)]
HORIZON = 20
INSTANCES = 48
SWITCH, BREAK = 0.02, 0.0005
GAUSSIAN, BERNOULLI = ("auto", "columns", "cycles", "glpg"), ("auto", "cycles")


def switching(seed):
    """Choose tiers at random."""
    chance = random.Random(seed)
    tiers.Kernel._should_look = lambda kernel: False
    tiers.Kernel._pays = lambda kernel, arguments: chance.random() < SWITCH
    # Only kernels with some time spent get past the quick path of a call.
    tiers.Kernel.spent = property(lambda kernel: 1e9, lambda kernel, seconds: None)

    def check_deadline():
        if chance.random() < BREAK:
            raise tiers._Overdue
        tiers._thread.deadline = 0.0

    tiers._check_deadline = check_deadline
    tiers.SECONDS_A_KERNEL = tiers.LEAST_PRICE = -1e9  # every poll is past its deadline


def digest(*arrays):
    """Digest of the bits."""
    content = hashlib.sha256()
    for array in arrays:
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:16]


def families():
    """Decision sets of every kind."""
    rng = np.random.default_rng(0)
    quotas = Partition([0, 0, 1, 1, 2, 2, 0], 1)
    pairs = [(i, j) for i in range(3) for j in range(3)]
    yield "paths", sb.Paths(EDGES, 0, 4)
    yield "trees", sb.SpanningTrees(EDGES)
    yield "msets", sb.MSets(9, 3)
    yield "listed", sb.EnumeratedDecisions(np.unique(rng.random((12, 7)) < 0.4, axis=0))
    for saturate in ("both", "rows", "columns", "none"):
        yield f"matchings {saturate}", sb.Matchings(pairs[1:], saturate=saturate)
    for matroid in (
        Uniform(6, 3), quotas, Laminar([[0, 1], [0, 1, 2], [3, 4]], 1, d=6), Graphic(EDGES),
        Transversal([[0], [0, 1], [1], [2], [0, 2]]), Linear(rng.normal(size=(3, 7))), Linear(np.eye(3, 5), field=2),
    ):  # fmt: skip
        yield f"bases {type(matroid).__name__}", sb.MatroidBases(matroid)
    for matroid in (Uniform(7, 3), Linear(rng.normal(size=(3, 7))), Partition([0, 1, 2, 0, 1, 2, 0], 1)):
        yield f"common {type(matroid).__name__}", sb.MatroidIntersection(quotas, matroid)


def laws(d, rng):
    """Reward models of all laws with kernels, with means in (0, 1)."""
    theta = rng.random(d)
    yield sb.GaussianRewards(theta)
    yield sb.GaussianRewards(theta, variance=rng.random(d) + 0.1)
    yield sb.BernoulliRewards(np.round(theta, 1) * 0.98 + 0.01)
    yield sb.BoundedRewards(theta)
    mixing = rng.normal(size=(d, d))
    yield sb.CorrelatedGaussianRewards(theta, mixing @ mixing.T / d)
    yield sb.ReplayedRewards(rng.random((50, d)).round(1))
    yield sb.ReplayedRewards([rng.random(rng.integers(2, 9)) for _ in range(d)])


def rounds():
    """All pairs of policies, families and laws, in a quarter of the triples, and learners with rewards 0 and 1."""
    rng = np.random.default_rng(1)
    for i, (name, space) in enumerate(families()):
        for j, law in enumerate(laws(space.d, rng)):
            for policy in POLICIES[(i + j) % 4 :: 4]:
                late = {} if rng.random() < 0.7 else {"delay": int(rng.integers(1, 9)), "loss": 0.1}
                result = sb.simulate(space, law, {"it": policy()}, HORIZON, 1, seed=int(rng.integers(100)), **late)
                kept = digest(result.regret["it"], result.reward["it"], result.plays["it"], result.calls["it"])
                yield f"{name}, {type(law).__name__}, {policy.__name__}: {kept}"
        for policy, two in product((sb.GLADE(), sb.ThompsonSampling(), sb.OSSB()), (False, True)):
            learner = sb.Learner(space, policy, variance=0.25, seed=2)
            told = []
            for _ in range(HORIZON):
                asked = learner.ask()
                outcome = rng.random(len(asked.items))
                learner.tell(asked.id, (outcome < 0.2).astype(float) if two else outcome)
                told.append(asked.decision)
            yield f"{name}, learner {type(policy).__name__}, {two}: {digest(*told)}"
    out_of_scale = sb.GaussianRewards([-1.0, -1.5, -2.0, -2.5, -3.0, -1e13], variance=0.25)
    for policy in (sb.AESCB(), sb.ESCB(), sb.GLADE(), sb.OSSB()):
        result = sb.simulate(sb.MSets(6, 2), out_of_scale, {"it": policy}, HORIZON, 1, seed=3)
        yield f"out of scale, {type(policy).__name__}: {digest(result.regret['it'], result.calls['it'])}"


def means(d, rng):
    """Weights of several kinds: arbitrary, with ties, with near ties, near 0."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.random(d)
    if kind == 1:
        return rng.integers(1, 4, d) / 4.0
    if kind == 2:
        return 0.5 + 1e-6 * rng.random(d)
    return rng.random(d) * 0.05 + 0.001


def matchings():
    """Heaviest matchings and their duals on graphs with dozens of nodes, with few entries per node and with many."""
    rng = np.random.default_rng(4)
    for n, others, entries in product((12, 40), (40, 55), (3, 30)):
        pairs = np.unique([(r, rng.integers(others)) for r in range(n) for _ in range(entries)], axis=0)
        ptr = np.searchsorted(pairs[:, 0], np.arange(n + 1))
        for k, optional in product(range(4), (False, True)):
            weights = means(len(pairs), rng) - (0.5 if k % 2 else 0.0)
            graph = Bipartite(ptr, pairs[:, 1].copy(), others, optional)
            matched, stuck = heaviest_matching_with_duals(weights, graph)
            yield f"{n}, {others}, {entries}, {k}, {optional}: {digest(*matched, stuck)}"


def bounds():
    """All methods on random instances of all families."""
    yield from matchings()
    rng = np.random.default_rng(3)
    spaces = list(families())
    for k in range(INSTANCES):
        name, space = spaces[k % len(spaces)]
        theta, variance = means(space.d, rng), rng.random(space.d) + 0.2
        for rewards, methods in (("gaussian", GAUSSIAN), ("bernoulli", BERNOULLI)):
            used = ""
            for method in methods:
                if method == used:  # "auto" chose it
                    continue
                options = {"variance": variance} if rewards == "gaussian" else {"rewards": rewards}
                try:
                    found = sb.graves_lai(space, theta, method=method, gap=0.6 if method == "glpg" else 1e-4, **options)
                    used = used or found.method
                    answer = f"{found.lower.hex()} {found.value.hex()} {digest(found.plan.rates)}"
                except sb.SemibanditsError as error:
                    answer = f"{type(error).__name__}: {error}"
                yield f"{k}, {name}, {rewards}, {method}: {answer}"
        weights = rng.normal(size=space.d)
        decisions = space.maximize(weights), space.maximize_index(weights, variance, 0.8)
        yield f"{k}, {name}, decisions: {digest(*decisions)}"


if __name__ == "__main__":
    what, mode, *seed = sys.argv[1:]
    if mode == "switching":
        switching(int(seed[0]))
    for line in {"rounds": rounds, "bounds": bounds}[what]():
        print(line)
