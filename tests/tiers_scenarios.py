"""Results that must have the same bits in all tiers of kernels, as lines of text; run as a script in its own process.

python tests/tiers_scenarios.py STEP SEED

Of all scenarios, every STEP-th is run, in three tiers: first as Python; then each kernel goes over to compiled code at a random
call, and calls from outside are broken off and begun again at random moments; in the end all kernels are compiled.
"""

import hashlib
import random
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain, islice, product
from unittest import mock

import numpy as np

import semibandits as sb
from example_sets import largest_matchings
from semibandits.kernels.graphs.assignment import Bipartite, heaviest_matching_with_duals
from semibandits.kernels.machine import tiers
from semibandits.matroids import Graphic, Laminar, Linear, Partition, Transversal, Uniform
from semibandits.policies.registry import POLICIES

EDGES = [(u, v) for v in range(5) for u in range(v)]
HORIZON = 20
INSTANCES = 48
SWITCH, BREAK = 0.02, 0.0005
GAUSSIAN, BERNOULLI = ("auto", "columns", "cycles", "glpg"), ("auto", "cycles")


@contextmanager
def switching(seed):
    """Choose tiers at random."""
    chance = random.Random(seed)

    def check_deadline():
        if chance.random() < BREAK:
            raise tiers._Overdue
        tiers._thread.deadline = 0.0

    choice = {"_should_look": lambda kernel: False, "_pays": lambda kernel, arguments: chance.random() < SWITCH}
    # Only kernels with some time spent get past the quick path of a call.
    choice["spent"] = property(lambda kernel: 1e9, lambda kernel, seconds: None)
    prices = {"SECONDS_A_KERNEL": -1e9, "LEAST_PRICE": -1e9}  # every poll is past its deadline
    tier = mock.patch.multiple(tiers.Kernel, create=True, **choice)
    with tier, mock.patch.multiple(tiers, _check_deadline=check_deadline, **prices):
        yield


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
    yield "matchings most", largest_matchings()
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

    def simulated(*arguments, **options):
        result = sb.simulate(*arguments, HORIZON, 1, **options)
        return digest(result.regret["it"], result.reward["it"], result.plays["it"], result.calls["it"])

    def learnt(space, policy, outcomes, two):
        learner, told = sb.Learner(space, policy, variance=0.25, seed=2), []
        for row in outcomes:
            asked = learner.ask()
            learner.tell(asked.id, (row[asked.items] < 0.2).astype(float) if two else row[asked.items])
            told.append(asked.decision)
        return digest(*told)

    rng = np.random.default_rng(1)
    for i, (name, space) in enumerate(families()):
        for j, law in enumerate(laws(space.d, rng)):
            for policy in POLICIES[(i + j) % 4 :: 4]:
                late = {} if rng.random() < 0.7 else {"delay": int(rng.integers(1, 9)), "loss": 0.1}
                options = {"seed": int(rng.integers(100)), **late}
                yield (
                    f"{name}, {type(law).__name__}, {policy.__name__}",
                    partial(simulated, space, law, {"it": policy()}, **options),
                )
        for policy, two in product((sb.GLADE(), sb.ThompsonSampling(), sb.OSSB()), (False, True)):
            outcomes = rng.random((HORIZON, space.d))
            yield f"{name}, learner {type(policy).__name__}, {two}", partial(learnt, space, policy, outcomes, two)
    out_of_scale = sb.GaussianRewards([-1.0, -1.5, -2.0, -2.5, -3.0, -1e13], variance=0.25)
    for policy in (sb.AESCB(), sb.ESCB(), sb.GLADE(), sb.OSSB()):
        yield f"out of scale, {type(policy).__name__}", partial(simulated, sb.MSets(6, 2), out_of_scale, {"it": policy}, seed=3)


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

    def matched(*arguments):
        found, stuck = heaviest_matching_with_duals(*arguments)
        return digest(*found, stuck)

    rng = np.random.default_rng(4)
    for n, others, entries in product((12, 40), (40, 55), (3, 30)):
        pairs = np.unique([(r, rng.integers(others)) for r in range(n) for _ in range(entries)], axis=0)
        ptr = np.searchsorted(pairs[:, 0], np.arange(n + 1))
        for k, optional in product(range(4), (False, True)):
            weights = means(len(pairs), rng) - (0.5 if k % 2 else 0.0)
            graph = Bipartite(ptr, pairs[:, 1].copy(), others, optional)
            yield f"{n}, {others}, {entries}, {k}, {optional}", partial(matched, weights, graph)


def bounds():
    """All methods on random instances of all families."""
    rng = np.random.default_rng(3)
    spaces = list(families())
    for k in range(INSTANCES):
        name, space = spaces[k % len(spaces)]
        theta, variance = means(space.d, rng), rng.random(space.d) + 0.2
        yield f"{k}, {name}, gaussian", partial(answers, space, theta, GAUSSIAN, variance=variance)
        yield f"{k}, {name}, bernoulli", partial(answers, space, theta, BERNOULLI, rewards="bernoulli")
        yield f"{k}, {name}, decisions", partial(decisions, space, rng.normal(size=space.d), variance)


def answers(space, theta, methods, **options):
    """Brackets and plans of these methods, each once."""
    found = {}
    for method in methods:
        if method in found:  # "auto" chose it
            continue
        try:
            result = sb.graves_lai(space, theta, method=method, gap=0.6 if method == "glpg" else 1e-4, **options)
            found[result.method] = f"{result.lower.hex()} {result.value.hex()} {digest(result.plan.rates)}"
        except sb.SemibanditsError as error:
            found[method] = f"{type(error).__name__}: {error}"
    return found


def decisions(space, weights, variance):
    """The best decision, and that of the largest index."""
    return digest(space.maximize(weights), space.maximize_index(weights, variance, 0.8))


def everything():
    """All scenarios, as pairs of a name and a function that runs one."""
    return chain(rounds(), matchings(), bounds())


if __name__ == "__main__":
    step, seed = map(int, sys.argv[1:])
    for tier, context in ((tiers.PYTHON, nullcontext()), (tiers.AUTOMATIC, switching(seed)), (tiers.COMPILED, nullcontext())):
        tiers._tier = tier
        with context:
            for name, run in islice(everything(), 0, None, step):
                print(f"{name}: {run()}")
