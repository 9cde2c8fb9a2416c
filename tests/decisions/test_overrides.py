"""Simulations use methods overridden by a subclass: kernels only replace methods of the library."""

import itertools

import numpy as np
import pytest

import semibandits as sb
from semibandits.decisions.base import DecisionSet
from semibandits.families.registry import FAMILIES

BUILDERS = {
    sb.MSets: lambda cls: cls(3, 1),
    sb.MatroidBases: lambda cls: cls(sb.matroids.Partition([0, 0, 1], 1)),
    sb.SpanningTrees: lambda cls: cls([(0, 1), (1, 2), (0, 2)]),
    sb.Paths: lambda cls: cls([(0, 1), (1, 2), (0, 2)], 0, 2),
    sb.Routes: lambda cls: cls([(0, 1), (1, 2), (0, 2)], 0, 2),
    sb.Matchings: lambda cls: cls(list(itertools.product(range(2), range(2)))),
    sb.MatroidIntersection: lambda cls: cls(sb.matroids.Uniform(3, 1), sb.matroids.Uniform(3, 2)),
    sb.EnumeratedDecisions: lambda cls: cls([[1, 0, 0], [0, 1, 1]]),
}
every_family = pytest.mark.parametrize("family", BUILDERS, ids=lambda family: family.__name__)


def overriding(family, method):
    """Subclasses that override a method with an equivalent one, directly, by a mixin and by inheritance."""

    def same(self, *arguments):
        return getattr(family, method)(self, *arguments)

    yield type("Own", (family,), {method: same})
    yield type("Mixed", (type("Mixin", (), {method: same}), family), {})
    yield type("Below", (type("Own", (family,), {method: same}),), {})


def test_every_family_is_here():
    assert set(BUILDERS) == {family.cls for family in FAMILIES.values()}


@every_family
@pytest.mark.parametrize("method", ["maximize", "maximize_index", "_maximize_index"])
def test_kernels_do_not_answer_for_overridden_methods(family, method):
    for cls in overriding(family, method):
        decisions = BUILDERS[family](cls)
        assert decisions.compiled() is None
        assert decisions.restricted_to(np.arange(decisions.d)[1:]) is None


@every_family
def test_kernels_replace_methods_that_are_not_overridden(family):
    plain = type("Plain", (family,), {"colour": "red", "count": lambda self, limit=1: 7})
    for cls in (family, plain):
        assert BUILDERS[family](cls).compiled() is not None


@pytest.mark.parametrize("policy", [sb.CUCB(), sb.ESCB()], ids=["P_LM", "P_IM"])
def test_simulations_use_overridden_methods(policy):
    """Plays item 0 once each item was observed; the kernels would play item 2, which is clearly best."""

    class Stubborn(sb.MSets):
        def maximize(self, weights):
            return super().maximize(weights if set(np.asarray(weights).tolist()) <= {0.0, 1.0} else [1.0, 0.0, 0.0])

        def maximize_index(self, rewards, bonuses, ratio=1.0):
            return self.maximize([0.5, 0.0, 0.0])

    result = sb.simulate(Stubborn(3, 1), sb.BernoulliRewards([0.0, 0.0, 1.0]), policy, 100, 1, bound=False)
    assert result.plays[policy.name][0, -1].tolist() == [98, 1, 1]


def test_a_subclass_may_provide_kernels_for_its_methods():
    kernels = sb.MSets(3, 1).compiled()

    class Whole(sb.MSets):
        def maximize(self, weights):
            return super().maximize(weights)

        def _compiled(self):
            return kernels

    assert Whole(3, 1).compiled() is kernels
    assert DecisionSet.compiled in {base.__dict__.get("compiled") for base in Whole.__mro__}
