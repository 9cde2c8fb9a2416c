"""Policies by name."""

import inspect
import json
from dataclasses import fields

import pytest

import semibandits.policies
from semibandits.errors import InvalidInputError
from semibandits.policies.aescb import AESCB
from semibandits.policies.base import Policy
from semibandits.policies.cucb import CUCB
from semibandits.policies.escb import ESCB
from semibandits.policies.ossb import OSSB
from semibandits.policies.radius import RADII, Radius
from semibandits.policies.registry import POLICIES, build, policy_from
from semibandits.policies.thompson import ThompsonSampling


def test_the_list_is_complete():
    values = [getattr(semibandits.policies, name) for name in semibandits.policies.__all__]
    public = [value for value in values if inspect.isclass(value)]
    assert {cls for cls in public if issubclass(cls, Policy) and not inspect.isabstract(cls)} == set(POLICIES)


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


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("escb", {}, "did you mean 'ESCB'"),
        ("thompson", {}, "did you mean 'ThompsonSampling'"),
        ("OSB", {}, "did you mean 'OSSB'"),
        ("qqqq", {}, "pass one of these"),
        (None, {}, "must be one of AESCB, CUCB"),
        ("OSSB", {"gama": 1}, "did you mean 'gamma'"),
        ("CUCB", {"zzz": 1}, "pass one of these"),
        ("OSSB", {"gamma": "much"}, "gamma must be a number"),
        ("OSSB", {"gamma": "nan"}, "gamma must be a finite number"),
        ("CUCB", {"radius": "loglog"}, "radius must be one of"),
        ("CUCB", {"radius": {"lg": 1.0}}, "did you mean 'log'"),
        ("CUCB", {"variance": "x"}, "variance must be a number"),
        ("CUCB", {"variance": "-1"}, "variance must be positive"),
        ("ThompsonSampling", {"scale": None}, "scale must be a finite number"),
    ],
)
def test_wrong_names_and_values_are_refused(name, parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        policy_from(name, parameters)


@pytest.mark.parametrize(
    "specification",
    [
        {},
        [],
        {"name": 3},
        {"name": "CUCB"},
        {**CUCB().specification(), "scale": 1.0},
        {**CUCB().specification(), "radius": "log"},
    ],
)
def test_only_whole_specifications_are_built(specification):
    with pytest.raises(InvalidInputError):
        build(specification)


@pytest.mark.parametrize("cls", POLICIES)
def test_texts_of_policies_show_what_was_chosen(cls):
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(cls(variance=0.25)) == f"{cls.__name__}(variance=0.25)"
    if "radius" in {field.name for field in fields(cls)}:
        chosen = cls(radius="log-loglog")
        assert repr(chosen) == f"{cls.__name__}(radius={RADII['log-loglog']!r})"
        assert repr(cls(radius="log")) == f"{cls.__name__}()"
