"""All families of decision sets run one suite; broken sets show that the suite detects errors."""

import importlib
import inspect
import pkgutil
from dataclasses import replace

import numpy as np
import pytest

import semibandits as sb
from example_sets import OnlyMaximizes
from family_examples import EXAMPLES
from semibandits.decisions.available import AvailableDecisions
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.families.family import Guarantee
from semibandits.families.registry import FAMILIES
from semibandits.testing import check_decision_set

CASES = [(family, name) for family in EXAMPLES for name in EXAMPLES[family]]


@pytest.mark.parametrize(("family", "name"), CASES)
def test_conformance(family, name):
    check_decision_set(EXAMPLES[family][name](), limit=600, trials=12)


def concrete_families():
    """All concrete subclasses of DecisionSet in semibandits.decisions, except what is left of a set of any family."""
    for module in pkgutil.iter_modules(importlib.import_module("semibandits.decisions").__path__, "semibandits.decisions."):
        importlib.import_module(module.name)

    def below(kind):
        return {kind}.union(*map(below, kind.__subclasses__()))

    ours = {kind for kind in below(sb.DecisionSet) if kind.__module__.startswith("semibandits.decisions.")}
    return {kind for kind in ours if not inspect.isabstract(kind)} - {AvailableDecisions}


def test_registry_is_complete():
    classes = [family.cls for family in FAMILIES.values()]
    assert len(set(classes)) == len(classes)
    assert set(classes) == concrete_families()
    assert all(getattr(sb, cls.__name__) is cls for cls in classes)
    assert set(FAMILIES) == set(EXAMPLES), "each family has examples in tests/family_examples.py"


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_records_are_right(family):
    examples = [build() for build in EXAMPLES[family.name].values()]
    assert all(type(example) is family.cls for example in examples)
    assert all(type(example) is family.cls for example in family.examples())
    guarantee = family.guarantees.graves_lai
    assert (guarantee == Guarantee.CLOSED_FORM) == issubclass(family.cls, MatroidDecisions)
    assert [has_exchange_graph(example) for example in examples] == [family.has_exchange_graph] * len(examples)
    is_hard = family.cls is sb.Routes  # counting simple paths is #P-complete (Valiant 1979)
    assert is_hard or any(map(counts_without_listing, examples))


def has_exchange_graph(decision_set):
    try:
        decision_set.exchange_graph(np.zeros(decision_set.d))
    except UnsupportedError:
        return False
    return True


def counts_without_listing(decision_set):
    try:
        return decision_set.count(limit=1) > 1
    except TooManyDecisionsError:
        return False


class Wrapped(sb.DecisionSet):
    """A user-defined decision set that delegates to matchings; the sets below break one requirement each."""

    def __init__(self):
        self.inner = sb.Matchings([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2)], saturate="none")

    d = property(lambda self: self.inner.d)
    m = property(lambda self: self.inner.m)
    items = property(lambda self: self.inner.items)

    def maximize(self, weights):
        return self.inner.maximize(weights)

    def _contains(self, x):
        return x in self.inner

    def count(self, limit=1_000_000):
        return self.inner.count(limit)

    def enumerate(self, limit=100_000):
        return self.inner.enumerate(limit)

    def exchange_graph(self, weights):
        return self.inner.exchange_graph(weights)

    def indexed(self, rewards, bonuses, ratio):
        """maximize_index for bonuses of any sign."""
        return sb.DecisionSet.maximize_index(self, rewards, np.maximum(bonuses, 0.0), ratio)


@pytest.mark.parametrize("build", [lambda: Wrapped(), lambda: OnlyMaximizes(sb.MSets(4, 2))], ids=["all", "maximize alone"])
def test_a_valid_user_defined_set_passes(build):
    check_decision_set(build())


def broken(**overrides):
    """A set that breaks a requirement; pickling makes it valid, so that checks after pickling are reached."""
    return type("Broken", (Wrapped,), {"__reduce__": lambda self: (Wrapped, ()), **overrides})()


def changes_every_seventh_answer(self, weights):
    self.calls = getattr(self, "calls", 0) + 1
    return self.inner.maximize(weights if self.calls % 7 else -np.asarray(weights, dtype=float))


def adds_to_its_argument(self, weights):
    x = self.inner.maximize(weights)
    if isinstance(weights, np.ndarray) and weights.flags.writeable:
        weights[0] += 1
    return x


def returns_its_own_array(self, weights):
    known = vars(self).setdefault("known", {})
    return known.setdefault(np.asarray(weights, dtype=float).tobytes(), self.inner.maximize(weights))


def accepts_anything(self, weights):
    try:
        return self.inner.maximize(weights)
    except ValueError:
        return np.zeros(5, dtype=bool)


def never_empty(self, weights):
    x = self.inner.maximize(weights)
    return x if x.any() else ~x


def drops_the_first(self, limit=100_000):
    return self.inner.enumerate(limit + 1)[1:]


def ignores_the_budget(self, rewards, budgets, at_least, ratio):
    return None if budgets[self.maximize(budgets)].sum() < at_least else self.maximize(rewards)


def never_infeasible(self, rewards, budgets, at_least, ratio):
    x = sb.DecisionSet._maximize_budgeted(self, rewards, budgets, at_least, ratio)
    return self.maximize(budgets) if x is None else x


def only_meets_the_budget(self, rewards, budgets, at_least, ratio):
    x = self.maximize(budgets)
    return None if budgets[x].sum() < at_least else x


def lists_the_first_twice(self, limit=100_000):
    rows = self.inner.enumerate(limit)
    return np.vstack((rows, rows[:1]))


BROKEN_SETS = [
    ("d must be an int >= 1, got 5.0", {"d": 5.0}),
    ("m must be an int in 0 .. d = 5, got 6", {"m": 6}),
    ("m must be the size of the largest decision, got m = 3, but maximize", {"m": 3}),
    ("m must be the size of the largest decision, got m = 1, but maximize", {"m": 1}),
    ("items must be a tuple", {"items": ["a", "b", "c", "d", "e"]}),
    ("items must be a tuple of d = 5 labels", {"items": ("a", "b")}),
    ("items must be hashable", {"items": ([], 1, 2, 3, 4)}),
    ("items must be distinct", {"items": ("a", "a", 1, 2, 3)}),
    ("must return a bool array", {"maximize": lambda self, w: self.inner.maximize(w).astype(int)}),
    ("must return a bool array", {"maximize": lambda self, w: np.append(self.inner.maximize(w), False)}),
    ("must return a decision, got", {"maximize": never_empty}),
    ("must return a best decision", {"maximize": lambda self, w: self.inner.maximize(np.floor(np.asarray(w, float)))}),
    ("must not change its argument", {"maximize": adds_to_its_argument}),
    ("must break ties the same way", {"maximize": changes_every_seventh_answer}),
    ("must break ties the same way", {"maximize": returns_its_own_array}),
    ("must raise InvalidInputError for weights array", {"maximize": accepts_anything}),
    ("membership of .* must agree with enumerate", {"_contains": lambda self, x: True}),
    ("every row of enumerate must be in the set", {"_contains": lambda self, x: x in self.inner and x.any()}),
    ("it is not a 0/1 vector", {"__contains__": lambda self, x: np.shape(x) == (6,) or x in self.inner}),
    ("must be found as list", {"__contains__": lambda self, x: isinstance(x, np.ndarray) and x in self.inner}),
    ("list every decision once", {"enumerate": lists_the_first_twice}),
    ("shape \\(n, d = 5\\)", {"enumerate": lambda self, limit=0: self.inner.enumerate().T}),
    ("must not return more than limit", {"enumerate": lambda self, limit=0: self.inner.enumerate(), "limit": 2}),
    ("must raise TooManyDecisionsError", {"enumerate": lambda self, limit=0: self.inner.enumerate()}),
    ("count must be the number of decisions", {"enumerate": drops_the_first}),
    ("membership of .* must agree", {"enumerate": drops_the_first, "count": lambda self, limit=0: self.inner.count() - 1}),
    ("count must be the number of decisions 10, got 11", {"count": lambda self, limit=0: self.inner.count() + 1}),
    ("maximize_budgeted must meet the budget", {"_maximize_budgeted": ignores_the_budget}),
    ("maximize_budgeted must reach ratio", {"_maximize_budgeted": only_meets_the_budget}),
    ("must raise Infeasible", {"_maximize_budgeted": never_infeasible}),
    ("maximize_index must reach", {"_maximize_index": lambda self, a, c, ratio: self.maximize(a)}),
    ("maximize_index must return a decision", {"_maximize_index": lambda self, a, c, ratio: np.ones(5, dtype=bool)}),
    ("of a front must have reward", {"_budget_front": lambda self, a, c: self.maximize(c)[np.newaxis]}),
    ("by maximize_index for bonuses < 0", {"maximize_index": lambda self, a, c, ratio=1.0: self.indexed(a, c, ratio)}),
    ("read-only, got a writeable rows", {"rows": np.arange(3)}),
    ("d must survive pickling, got 6", {"__reduce__": lambda self: (sb.MSets, (6, 2))}),
    ("items must survive pickling", {"__reduce__": lambda self: (sb.MSets, (5, 2))}),
]


def with_arcs(graph, k):
    """The graph with the arcs `k` only, possibly repeated."""
    return replace(graph, **{name: getattr(graph, name)[k] for name in ("tails", "heads", "costs", "entering", "leaving")})


def shifted_potential(graph):
    """Potentials for which the formula of the costs holds and a cost is negative."""
    shift = 100.0 * (np.arange(graph.n_nodes) == 0)
    costs = graph.costs + shift[graph.tails] - shift[graph.heads]
    return replace(graph, potentials=graph.potentials + shift, costs=costs)


def one_member_enters(graph):
    """An item of x* enters on the first arc."""
    entering = graph.entering.copy()
    entering[np.flatnonzero(entering >= 0)[0]] = np.flatnonzero(graph.decision)[0]
    return replace(graph, entering=entering)


def writeable(graph):
    graph.costs.setflags(write=True)
    return graph


BROKEN_GRAPHS = [
    ("x\\* must be maximize", lambda g: replace(g, decision=~g.decision)),
    ("tails must be an array of int64", lambda g: replace(g, tails=g.tails.astype(np.int32))),
    ("costs must be an array of float64 and shape", lambda g: replace(g, costs=np.append(g.costs, 0.0))),
    ("potentials must be an array of", lambda g: replace(g, potentials=g.potentials[:-1])),
    ("read-only, got a writeable costs", writeable),
    ("heads must lie in 0", lambda g: replace(g, heads=g.heads + 1)),
    ("entering must lie in -1 .. 4", lambda g: replace(g, entering=g.entering - 1)),
    ("hub must hold distinct nodes", lambda g: replace(g, hub=np.zeros(2, dtype=np.int64))),
    ("enter on at most one arc, got several", lambda g: with_arcs(g, np.tile(np.arange(g.n_arcs), 2))),
    ("items of x\\* must never enter", one_member_enters),
    ("only items of x\\* may leave", lambda g: replace(g, leaving=g.entering)),
    ("costs must be finite", lambda g: replace(g, costs=g.costs + np.inf)),
    ("reduced costs must be >= 0", shifted_potential),
    ("costs must be theta", lambda g: replace(g, costs=g.costs + 1e-9)),
    ("item . enters must cost the gap", lambda g: with_arcs(g, np.arange(1, g.n_arcs))),
    ("item . leaves must cost the gap", lambda g: with_arcs(g, np.flatnonzero(g.entering >= 0))),
]


def with_graph(change):
    return {"exchange_graph": lambda self, weights: change(self.inner.exchange_graph(weights))}


@pytest.mark.parametrize(
    ("message", "overrides"), BROKEN_SETS + [(message, with_graph(change)) for message, change in BROKEN_GRAPHS]
)
def test_the_suite_finds_a_broken_set_or_exchange_graph(message, overrides):
    overrides = dict(overrides)
    limit = overrides.pop("limit", 5_000)
    with pytest.raises(AssertionError, match=message):
        check_decision_set(broken(**overrides), limit=limit, trials=8)
