"""A small decision set of each family, with ties among equal items; policies of every kind; learners in a database."""

import copy
import hashlib
import json

import numpy as np
from sqlalchemy import text as sql

import semibandits as sb
from example_sets import largest_matchings
from semibandits.families.description import digest


class Pairs(sb.DecisionSet):
    """Neighbours on a line: a user's own set."""

    d, m = 5, 2

    def maximize(self, weights):
        w = np.asarray(weights, dtype=np.float64)
        best = int(np.argmax(w[:-1] + w[1:]))
        x = np.zeros(self.d, dtype=bool)
        x[best : best + 2] = True
        return x

    def enumerate(self, limit=100_000):
        return np.array([[i in (j, j + 1) for i in range(self.d)] for j in range(self.d - 1)])


class Fixed(sb.Policy, sb.Agent):
    """A user's own policy and its agents, which play one decision."""

    def __init__(self, *decision):
        self.decision = np.array(decision, dtype=bool)

    def start(self, decision_set, variance):
        return type(self)(*self.decision)

    def choose(self, rng):
        return self.decision

    def observe(self, items, rewards):
        pass


def pairs_of(n_rows, n_columns):
    return [(f"r{i}", f"c{j}") for i in range(n_rows) for j in range(n_columns)]


SETS = {
    "paths": lambda: sb.Paths([("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("b", "t"), ("b", "x")], "s", "t"),
    "routes": lambda: sb.Routes(
        [("s", "a"), ("s", "b"), ("a", "b"), ("b", "a"), ("a", "t"), ("b", "t"), ("b", "t")], "s", "t", 0.25
    ),
    "trees": lambda: sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0), (3, 3)]),
    "msets": lambda: sb.MSets(6, 2),
    "matchings": lambda: sb.Matchings(pairs_of(3, 3)),
    "largest matchings": lambda: largest_matchings("r", "c"),
    "matroid": lambda: sb.MatroidBases(sb.matroids.Partition("aabbbc", {"a": 1, "b": 2, "c": 0})),
    "intersection": lambda: sb.MatroidIntersection(sb.matroids.Partition("aabbcc", 1), sb.matroids.Partition("xyzxyz", 1)),
    "enumerated": lambda: sb.EnumeratedDecisions([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0]], items="abcd"),
    "own": Pairs,
}
POLICIES = {
    "AESCB": sb.AESCB(ratio=0.9),
    "CUCB": sb.CUCB(radius="kveton"),
    "ESCB": sb.ESCB(radius="log-loglog"),
    "GLADE": sb.GLADE(),
    "Identify": sb.Identify(forced=0.5),
    "OSSB": sb.OSSB(),
    "ThompsonSampling": sb.ThompsonSampling(scale=0.5),
}


def means_of(decision_set):
    """Means with a tie, a zero and a negative one."""
    theta = np.linspace(-0.2, 1.0, decision_set.d)
    theta[1::3] = 0.5
    theta[-1] = 0.0
    return theta if decision_set.upper is None else decision_set.upper - np.abs(theta)


def text(learner):
    """The state of a learner as JSON."""
    return json.dumps(learner.state(), sort_keys=True, allow_nan=False)


def restored(learner):
    """A learner of the same state, which went through JSON."""
    own = {"decision_set": learner.decision_set} if isinstance(learner.decision_set, Pairs) else {}
    return sb.Learner.from_state(json.loads(text(learner)), **own)


MISSING = object()


def put(outer, path, value):
    """Replace or remove (by MISSING) one part of plain JSON, if it is still there."""
    key, *inner = path
    if not (isinstance(outer, dict) and key in outer) and not (isinstance(outer, list) and key in range(len(outer))):
        return
    if inner:
        put(outer[key], inner, value)
    elif value is MISSING:
        del outer[key]
    else:
        outer[key] = copy.deepcopy(value)


def sealed(state):
    """With the checksum of its content: damage is also found in the content."""
    content = {name: part for name, part in state.items() if name != "checksum"}
    return {**content, "checksum": digest(content)}


def play_alike(learners, rounds, rewards, available=None):
    """Ask learners for rounds of the same items, and tell them the same rewards, a function of the items."""
    for _ in range(rounds):
        asked = [learner.ask(some) for learner, some in zip(learners, available or [None] * len(learners), strict=True)]
        assert len({(one.id, one.labels) for one in asked}) == 1
        told = rewards(asked[0].items)
        for learner, one in zip(learners, asked, strict=True):
            learner.tell(one.id, told)


def play(learner, rounds, rewards, available=None):
    """The same for one learner, which is returned."""
    play_alike([learner], rounds, rewards, [available])
    return learner


def summed(parts):
    """Lines of an export with the right checksum."""
    lines = [json.dumps(part) for part in parts]
    return [*lines, json.dumps({"checksum": hashlib.sha256("\n".join(lines).encode()).hexdigest()})]


OPTIONS = {"variance": 0.5, "seed": 3, "drift_error": 0.01}


def opened(url, name="one", **options):
    """The learner of that name in a database."""
    return sb.open_learner(url, name=name, **options)


def new(url, name="one", **options):
    """The same, which is created if necessary."""
    return opened(url, name, **{"decision_set": sb.MSets(6, 2), "policy": sb.CUCB(), **OPTIONS, **options})


def execute(learner, statement, **values):
    """Carry out a statement of SQL on the database of a learner."""
    learner._backend.run(lambda connection: connection.execute(sql(statement), values))
