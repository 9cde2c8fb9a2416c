"""Policies by name."""

import json
import math
from dataclasses import fields

import pytest

from semibandits import AESCB, ESCB, OSSB, Radius, ThompsonSampling
from semibandits.laws import Bernoulli, Gamma, Gaussian, Mixed, Poisson
from semibandits.policies.radius import RADII
from semibandits.policies.registry import POLICIES, build, policy_from
from semibandits_studies.studies.policies import named_policies

OPTIONS = {
    "radius": [*RADII, Radius(loglog=2.0)],
    "rewards": ["bernoulli"],
    "horizon": [1, 10_000, "simulation"],
    "law": ["bernoulli", "poisson:cost", Gamma(2.0), Gaussian(2.0, upper=[1.0, math.inf]), Mixed([Poisson(), Bernoulli()])],
}


@pytest.mark.parametrize("cls", POLICIES)
@pytest.mark.parametrize("variance", [None, 0.25, (1.0, 2.5)])
def test_policies_are_built_from_their_specification(cls, variance):
    names = OPTIONS.keys() & {field.name for field in fields(cls)}
    for options in ({}, *({name: value} for name in names for value in OPTIONS[name])):
        policy = cls(variance=variance, **options)
        again = build(json.loads(json.dumps(policy.specification(), allow_nan=False)))
        assert again == policy
        assert type(again) is cls


def test_parameters_may_be_text():
    assert policy_from("ESCB", {"radius": "log-loglog"}) == ESCB(radius="log-loglog")
    assert policy_from("OSSB", {"gamma": "0.5", "variance": "2"}) == OSSB(gamma=0.5, variance=2.0)
    assert policy_from("AESCB", {"ratio": 0.5, "radius": {"log": 2.0}}) == AESCB(ratio=0.5, radius=Radius(log=2.0))
    assert policy_from("ThompsonSampling") == ThompsonSampling()
    assert policy_from("OSSB", {"rewards": "bernoulli"}) == OSSB(rewards="bernoulli")
    assert OSSB(rewards="bernoulli").specification() == {**OSSB().specification(), "rewards": "bernoulli"}
    named = {"OSSB(rewards=bernoulli, gamma=0.1)": OSSB(rewards="bernoulli", gamma=0.1)}
    assert named_policies(["ossb:rewards=bernoulli,gamma=0.1"]) == named


@pytest.mark.parametrize("cls", POLICIES)
def test_texts_of_policies_show_what_was_chosen(cls):
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(cls(variance=0.25)) == f"{cls.__name__}(variance=0.25)"
    if "radius" in {field.name for field in fields(cls)}:
        chosen = cls(radius="log-loglog")
        assert repr(chosen) == f"{cls.__name__}(radius={RADII['log-loglog']!r})"
        assert repr(cls(radius="log")) == f"{cls.__name__}()"
