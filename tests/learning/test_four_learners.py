"""Learners in memory, in SQLite, in PostgreSQL and over HTTP return the same results, errors and states."""

import itertools
import math
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest

import semibandits as sb
from semibandits.client import Client
from serving import TOKEN, serving

SETS = {
    "text": lambda: sb.MSets(4, 2, items=["a", "b", "c", "d"]),
    "tuples": lambda: sb.Paths([("s", "x"), ("s", "y"), ("x", "y"), ("x", "t"), ("y", "t")], "s", "t"),
    "numbers": lambda: sb.MSets(5, 2, items=[7, 2.5, True, 10**15, 0]),
    "indices": lambda: sb.MSets(4, 2),
}
NAMES = map(str, itertools.count())
NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """URL of a database and a client of a service of its learners."""
    url = f"sqlite:///{tmp_path_factory.mktemp('service')}/served.db"
    sb.open_learner(url, name="first", decision_set=sb.MSets(2, 1), variance=1.0).close()
    with serving(url) as address, Client(address, token=TOKEN, retries=0) as client:
        yield url, client


@pytest.fixture(scope="module")
def databases(tmp_path_factory, postgres):
    return {"sqlite": f"sqlite:///{tmp_path_factory.mktemp('four')}/learners.db", "postgresql": postgres()}


class Four:
    """Four learners. A call is made on each, and the results must be equal."""

    def __init__(self, learners):
        self.learners, self.last = learners, None

    def __call__(self, method, *arguments, **named):
        """Call the method of each learner, compare results and states, and return the result or the name of the error class.

        A refused call changes no state.
        """
        learners = {name: one for name, one in self.learners.items() if name != "memory" or "key" not in named}
        results = {name: outcome(one, method, arguments, named) for name, one in learners.items()}
        shown = f"{method}({', '.join([*map(repr, arguments), *(f'{key}={value!r}' for key, value in named.items())])})"
        first = next(iter(results.values()))
        assert all(one == first for one in results.values()), f"{shown}: {results}"
        if "key" not in named:
            before, after = self.last, self.state()
            assert not isinstance(first, str) or after == before, shown
        return first

    def state(self):
        """Compare the states, and return one of them."""
        states = {name: one.state() for name, one in self.learners.items()}
        first = states["memory"]
        assert all(one == first for one in states.values())
        self.last = first
        return first


class Made:
    """An argument created separately for each learner, since a call may consume it."""

    def __init__(self, make, labels):
        self.make, self.labels = make, labels[:2]

    def __repr__(self):
        return repr(self.make(*self.labels))


def outcome(learner, method, arguments, named):
    named = {name: value.make(*value.labels) if isinstance(value, Made) else value for name, value in named.items()}
    try:
        found = getattr(learner, method)(*arguments, **named)
    except sb.SemibanditsError as error:
        return type(error).__name__
    if isinstance(found, float):
        return found
    rounds = found if isinstance(found, tuple) else (found,)
    if found is None:
        return None
    if method == "expire":
        return [getattr(one, "id", one) for one in rounds]
    return [(one.id, list(one.items), one.labels) for one in rounds]


@pytest.fixture(params=SETS)
def four(request, service, databases):
    """Four learners with the same decision set. Round 0 is closed; rounds 1 and 2 are open."""
    x, name = SETS[request.param](), next(NAMES)
    options = {"variance": 0.5, "seed": 3, "drift_error": None}
    with ExitStack() as opened:
        learners = {"memory": sb.Learner(x, sb.CUCB(), **options)}
        for kind, url in (databases | {"http": service[0]}).items():
            learners[kind] = sb.open_learner(url, name=name, decision_set=x, policy=sb.CUCB(), **options)
            opened.callback(learners[kind].close)
        learners["http"] = service[1].learner(name)
        calls = Four(learners)
        for _ in range(3):
            calls("ask")
        calls("tell", 0, [0.5, 1.0])
        yield calls


OUTCOMES = [
    None, {}, [], [None], [None, None], [NAN, NAN], [NAN, 1.0], [None, 1.0], [1.0], [1.0, 2.0, 3.0], [1, True], [True, False],
    [INF, 1.0], [-INF, 1.0], [1e301, 0.0], [10**400, 0], ["1", 2.0], ["a", "b"], "ab", b"ab", 1.0, 1, True, [[1.0, 2.0]],
    [1j, 0.0], [[1.0], [2.0]], np.array([1.0, 2.0]), np.array([NAN, 2.0]), np.array([[1.0, 2.0]]), pd.Series([1.0, 2.0]),
    np.ma.array([1.0, 2.0], mask=[True, False]), [1.0, np.ma.masked], np.ma.masked_all(2), (1.0, 2.0),
    np.float64(1.0), np.array(["1.0", "2.0"]), object(), range(2),
    np.array([1, 2], dtype=object), {1.0, 2.0}, [np.float32(1.0), np.int8(2)], [pd.NA, 1.0], {"unknown": 1.0}, {None: 1.0},
]  # fmt: skip
MADE = [
    lambda a, b: iter([1.0, 2.0]),
    lambda a, b: {a: 1.0, b: 2.0},
    lambda a, b: {b: 2.0, a: 1.0},
    lambda a, b: {a: 1.0},
    lambda a, b: {a: None, b: 2.0},
    lambda a, b: {a: NAN, b: NAN},
    lambda a, b: {a: None, b: None},
    lambda a, b: {a: INF, b: 1.0},
    lambda a, b: {a: "1", b: 1.0},
    lambda a, b: {a: True, b: 2.0},
    lambda a, b: {a: [1.0], b: 2.0},
    lambda a, b: {a: 1.0, b: 2.0, "other": 3.0},
    lambda a, b: {0: 1.0, 1: 2.0},
    lambda a, b: {str(a): 1.0, b: 2.0},
    lambda a, b: [(a, 1.0), (b, 2.0)],
    lambda a, b: [[a, 1.0], [a, 2.0]],
    lambda a, b: pd.Series([1.0, 2.0], index=pd.Index([a, b], tupleize_cols=False)),
    lambda a, b: pd.Series([1.0, None], index=pd.Index([a, b], tupleize_cols=False)),
]
"""Functions that create outcomes from the first two labels of a round."""
ROUNDS = [
    -1, 0, 3, 10**6, 2**60, 10**30, True, False, 1.0, 1.5, NAN, INF, "1", None, [1], np.int64(1), np.float64(1.0), np.bool_(True),
]  # fmt: skip
AVAILABLE = [
    None, [], {}, set(), "a", b"a", 1, True, 1.5, object(), [None], [NAN], ["unknown"], [0, 1], [1, 1, 1, 1], [0, 0, 0, 0],
    [True, True], [True] * 4, [True] * 5, [False] * 4, [1, 0, 1, 1, 1], np.ones(4, dtype=bool), np.ones(5, dtype=bool),
    np.ones(4), np.ones((2, 2), dtype=bool), {"a": True}, {"a": "yes", "b": "no", "c": "no", "d": "no"}, ["a", "b"],
    {"a", "c", "d"}, ("b", "b", "c"), dict.fromkeys("abcd", True) | {"a": False}, dict.fromkeys("abcd", 1) | {"a": 0},
    pd.Series([True, True, False, True], index=list("abcd")), pd.Series(["a", "b"]), pd.Index(["a", "b"]), np.array(["a", "b"]),
    [["s", "x"], ["x", "t"]], [("s", "x"), ("x", "t")], ["s", "x"], [7, 2.5], [7, 2.5, True], [7.0, 1, 0], [1e15, 7], [10**15, 0],
    [np.int64(7), np.float64(2.5)], [2**60], [0, 1, 2, 3], [1, 3], {("s", "x"): True}, pd.Series([1, 0], index=["x", "y"]),
]  # fmt: skip
COUNTS = [0, -1, 1, 2, True, False, 1.0, 1.5, NAN, "2", None, [1], np.int64(2), np.float64(2.0), 10**6 + 1, 10**30, 1000]
LIMITS = [0, -1, 1, 10**6, 10**30, True, False, 1.0, 1.5, NAN, INF, "1", [1], np.int64(1), np.float64(1.0), object()]


@pytest.mark.parametrize(("name", "partial"), [("rewards", False), ("rewards", True), ("costs", True)])
def test_outcomes(four, name, partial):
    for given in [*OUTCOMES, *MADE]:
        ((number, _, labels),) = four("ask")
        if four("tell", number, partial=partial, **{name: Made(given, labels) if callable(given) else given}) is not None:
            four("forget", number)


def test_rounds(four):
    for number in ROUNDS:
        four("tell", number, [1.0, 2.0])
        four("tell", number, {}, partial=True)
        four("forget", number)
    four("tell", 2)
    four("tell", 2, [1.0, 2.0], costs=[1.0, 2.0])


def test_many_outcomes(four):
    for given in (
        None,
        {},
        [],
        [1],
        "ab",
        1,
        [(1, [1.0, 2.0], 3)],
        {1: [1.0, 2.0], 3: [1.0, 2.0]},
        {1: [1.0]},
        [(1, [1.0, 2.0])] * 2,
    ):
        for name in ("outcomes", "costs"):
            four("tell_many", **{name: given})
    for number in ROUNDS:
        four("tell_many", [(number, [1.0, 2.0]), (2, [1.0, 2.0])])
        four("ask")
    four("tell_many", {3: [1.0, 2.0], 4: {}}, partial=True)


def test_available(four):
    for given in AVAILABLE:
        found = four("ask", given)
        if isinstance(found, list):
            four("forget", found[0][0])
        four("ask_many", 2, given)


def test_counts(four):
    for count in COUNTS:
        four("ask_many", count)


def test_limits(four):
    four("expire")
    four("expire", age=1, before=1)
    for limit in LIMITS:
        four("expire", age=limit)
        four("expire", before=limit)
        four("ask_many", 2)


WITHIN = [0, 0.5, 10, 1e300, -1.0, True, None, NAN, INF, "0.5", [0.5], np.float64(0.5), np.int64(1), object()]


def test_confidence(four):
    for _ in range(40):
        ((number, items, _),) = four("ask")
        four("tell", number, [float(i % 2) for i in items])
    for within in WITHIN:
        found = four("confidence", within)
        assert found == "InvalidInputError" or 0.0 <= found <= 1.0
        four("confidence", within, threshold="customary")
    for threshold in ("Proved", "", None, 1):
        assert four("confidence", threshold=threshold) == "InvalidInputError"


KEYS = ["k", "", "k k", "\n", "x" * 200, "x" * 201, 1, True, b"k", ["k"], object()]
HEADERLESS = [" ", "k ", "é"]
"""Keys that cannot be sent as HTTP headers."""


def test_keys(four):
    """Keys of the three learners that support them."""
    for key in KEYS:
        four("ask", key=key)
        four("ask", key=key)
        four("tell", 1, [1.0, 2.0], key=key)
    for key in HEADERLESS:
        with pytest.raises(sb.InvalidInputError, match="key must be a printable ASCII text"):
            four.learners["http"].ask(key=key)
    ((number, _, (a, b, *_)),) = four("ask", key="ask")
    for given in ([1.0, 2.0], {a: 1.0, b: 2.0}, {b: 2.0, a: 1.0}, [1.0, 2.5], [1.0], {}, [None, None], ["1", 2.0]):
        four("tell", number, given, key="tell")
        four("tell", number, given, partial=True, key="tell")
    four("tell", number, costs=[-1.0, -2.0], key="tell")
    four("tell", number + 1, [1.0, 2.0], key="tell")
    four("forget", number, key="tell")
    four("forget", 2, key="forget")
    four("forget", 2, key="forget")
    four("forget", 1, key="forget")
    four("ask_many", 2, key="many")
    four("ask_many", 2, key="many")
    four("ask_many", 3, key="many")
    four("ask", key="many")
    four("expire", age=1, key="expire")
    four("expire", age=1, key="expire")
    four("expire", age=2, key="expire")
    four("expire", before=1, key="expire")


@pytest.mark.parametrize(
    ("policy", "features", "context", "law"),
    [
        (sb.ThompsonSampling(), [[1.0, "x"], [2.0, "y"], [0.5, "x"], [3.0, None]], None, {"variance": 0.5}),
        (sb.ThompsonSampling(), [[1.0, "x"], [2.0, "y"], [0.5, "x"], [3.0, None]], {"on": ["web", "app"]}, {"variance": 0.5}),
        (sb.GLADE(), [[1.0], [2.0], [0.5], [3.0]], {"on": ["web", "app"], "hour": [0, 23]}, {"law": "bernoulli"}),
        (sb.GLADE(), "pooled", None, {"law": "bernoulli"}),
        (sb.CUCB(), "pooled", None, {"variance": 0.5}),
    ],
)
def test_learners_with_features_are_alike(service, databases, policy, features, context, law):
    x, name, rng = SETS["text"](), next(NAMES), np.random.default_rng(0)
    options = {"seed": 3, "drift_error": None, "features": features, "context": context, **law}
    with ExitStack() as opened:
        learners = {"memory": sb.Learner(x, policy, **options)}
        for kind, url in (databases | {"http": service[0]}).items():
            learners[kind] = sb.open_learner(url, name=name, decision_set=x, policy=policy, snapshot_every=7, **options)
            opened.callback(learners[kind].close)
        learners["http"] = service[1].learner(name)
        calls = Four(learners)
        for t in range(24):
            seen = {} if context is None else {"context": {"on": ["web", "app", "fax"][t % 3]}}
            if t % 4 == 1 and features != "pooled":
                seen["features"] = {"b": features[t % 3], "d": features[1]}
            number = calls("ask", available=["a", "b", "d"] if t % 5 == 4 else None, **seen)[0][0]
            rewards = rng.integers(0, 2, 2).tolist()
            if t % 3 != 2:  # others stay open
                calls("tell", number, [rewards[0], None] if t % 7 == 3 else rewards, partial=True)
        again = sb.Learner.from_state(calls.last)
        for kind, url in databases.items():
            learners[kind].close()
            learners[kind] = opened.enter_context(sb.open_learner(url, name=name))
        learners["again"] = again
        for _ in range(5):
            calls("ask", **seen)
        calls("ask", context={"place": "home"})  # refused alike
        calls("ask", features={"z": [1.0]})
        calls("ask", features={"a": ["long", 1.0, 2.0]})


def test_the_same_key_needs_the_same_features_of_the_round(databases):
    rows, name = [[1.0], [2.0], [0.5], [3.0]], next(NAMES)
    options = {"variance": 0.5, "features": rows, "context": {"on": ["web", "app"]}}
    with sb.open_learner(databases["sqlite"], name=name, decision_set=SETS["text"](), **options) as learner:
        first = learner.ask(key="visit", context={"on": "app"}, features={"a": [4.0]})
        assert learner.ask(key="visit", context={"on": "app"}, features={"a": [4.0]}).id == first.id
        for other in ({"context": {"on": "web"}, "features": {"a": [4.0]}}, {"context": {"on": "app"}}):
            with pytest.raises(sb.InvalidInputError, match="key"):
                learner.ask(key="visit", **other)
    with pytest.raises(sb.InvalidInputError, match="features must be that of the learner"):
        sb.open_learner(databases["sqlite"], name=name, variance=0.5, features=rows)
