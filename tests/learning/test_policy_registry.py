"""Policies by name."""

import json
from dataclasses import fields

import pytest

from semibandits import AESCB, ESCB, OSSB, Radius, ThompsonSampling
from semibandits.policies.radius import RADII
from semibandits.policies.registry import POLICIES, build, policy_from


@pytest.mark.parametrize("cls", POLICIES)
@pytest.mark.parametrize("variance", [None, 0.25, (1.0, 2.5)])
def test_policies_are_built_from_their_specification(cls, variance):
    radii = [*RADII, Radius(loglog=2.0)] if "radius" in {field.name for field in fields(cls)} else [None]
    for radius in radii:
        policy = cls(variance=variance, **({} if radius is None else {"radius": radius}))
        again = build(json.loads(json.dumps(policy.specification(), allow_nan=False)))
        assert again == policy
        assert type(again) is cls


def test_parameters_may_be_text():
    assert policy_from("ESCB", {"radius": "log-loglog"}) == ESCB(radius="log-loglog")
    assert policy_from("OSSB", {"gamma": "0.5", "variance": "2"}) == OSSB(gamma=0.5, variance=2.0)
    assert policy_from("AESCB", {"ratio": 0.5, "radius": {"log": 2.0}}) == AESCB(ratio=0.5, radius=Radius(log=2.0))
    assert policy_from("ThompsonSampling") == ThompsonSampling()


@pytest.mark.parametrize("cls", POLICIES)
def test_texts_of_policies_show_what_was_chosen(cls):
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(cls(variance=0.25)) == f"{cls.__name__}(variance=0.25)"
    if "radius" in {field.name for field in fields(cls)}:
        chosen = cls(radius="log-loglog")
        assert repr(chosen) == f"{cls.__name__}(radius={RADII['log-loglog']!r})"
        assert repr(cls(radius="log")) == f"{cls.__name__}()"
