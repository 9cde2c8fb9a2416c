"""How to run it again: the listed commands and code give the same numbers."""

import dataclasses

import numpy as np
import pytest
from report_cases import case, command

import semibandits as sb
from semibandits.instances import instance_from_description, write_json
from semibandits.policies.registry import POLICIES
from semibandits_studies.reporting.report import report_data
from semibandits_studies.reporting.reproduce import expression, reproduction

INSTANCE = {"family": "msets", "size": 2, "theta": [0.9, 0.7, 0.5, 0.3], "variance": 0.25}


@pytest.fixture
def instance(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = instance_from_description(INSTANCE)
    write_json(made, "instance.json")
    return made


def ways(simulation=None, bound=None, instance=None):
    """Code by the first word of its label."""
    return {way["label"].split(",")[0]: way["code"] for way in reproduction(report_data(simulation, bound, instance, None))}


def names_after(code):
    """Names that Python code has set."""
    names = {}
    exec(code, names)
    return names


def simulated(instance, policies, rewards=None, **options):
    rewards = rewards or sb.GaussianRewards(instance.theta, variance=instance.variance)
    return sb.simulate(instance.decision_set, rewards, policies, horizon=60, replications=2, seed=3, **options)


def assert_same_regret(one, two):
    assert one.policies == two.policies
    assert all(np.array_equal(one.regret[policy], two.regret[policy]) for policy in one.policies)


LAWS = [
    sb.GaussianRewards(INSTANCE["theta"], variance=0.25),
    sb.BernoulliRewards(INSTANCE["theta"]),
    sb.PoissonRewards(INSTANCE["theta"]),
    sb.GammaRewards(INSTANCE["theta"], shape=2.0),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rewards", LAWS)
def test_a_simulation_is_played_again(instance, rewards):
    policies = {"ESCB(radius=log-loglog)": sb.ESCB(radius="log-loglog"), "AESCB(ratio=0.9)": sb.AESCB(ratio=0.9)}
    result = simulated(instance, policies, rewards)
    told = ways(simulation=result, instance=instance)
    command(told["Shell"] + " --output run")
    for played in (names_after(told["Python"])["result"], sb.load_simulation("run/simulation.zip")):
        assert_same_regret(played, result)


def test_stops_are_repeated_and_priors_have_no_command(instance):
    stop = sb.Stop(0.6, within=0.1, threshold="customary")
    result = simulated(instance, sb.CUCB(), stop_at=stop)
    told = ways(simulation=result, instance=instance)
    command(told["Shell"] + " --output run")
    for played in (names_after(told["Python"])["result"], sb.load_simulation("run/simulation.zip")):
        assert np.array_equal(played.stops["CUCB"], result.stops["CUCB"])
    assert ways(simulation=simulated(instance, sb.CUCB(), prior_means=0.5, prior_plays=2), instance=instance) == {}


@pytest.mark.parametrize("features", ["pooled", "minutes"])
def test_features_are_repeated(instance, features):
    minutes = [float(i) ** 2 for i in range(instance.decision_set.d)]
    with_them = dataclasses.replace(instance, description={**instance.description, "features": {"minutes": minutes}})
    write_json(with_them, "instance.json")
    result = simulated(instance, sb.GLADE(), features=features if features == "pooled" else minutes)
    told = ways(simulation=result, instance=with_them)
    command(told["Shell"] + " --output run")
    for played in (names_after(told["Python"])["result"], sb.load_simulation("run/simulation.zip")):
        assert_same_regret(played, result)
    assert (ways(simulation=result, instance=instance) == {}) == (features == "minutes")


def test_names_and_checkpoints_of_ones_own(instance):
    policies = {"mine": sb.AESCB(ratio=0.9), "other": sb.CUCB(radius=sb.Radius(log=2.0), variance=1.0)}
    result = simulated(instance, policies, checkpoints=[5, 60])
    told = ways(simulation=result, instance=instance)
    assert "Shell" not in told  # the command line knows neither such names nor such checkpoints
    played = names_after(told["Python"])["result"]
    assert played.checkpoints.tolist() == [5, 60]
    assert_same_regret(played, result)


@pytest.mark.parametrize("law", ["gaussian", "bernoulli", "poisson", "gaussian:variance=3,upper=2"])
def test_a_bound_is_found_again(instance, law):
    options = {"variance": instance.variance} if law == "gaussian" else {"law": sb.laws.law_from(law)}
    bound = sb.graves_lai(instance.decision_set, instance.theta, **options)
    told = ways(bound=bound, instance=instance)
    assert names_after(told["Python"])["bound"].value == bound.value
    assert (f"--rewards {law}" in told["Shell"]) == (law != "gaussian")
    command(told["Shell"])


@pytest.mark.parametrize("has_file", [False, True])
def test_python_needs_the_decisions_without_a_file_and_rewards_that_follow_from_no_file(instance, has_file):
    """Means with a known bound are not written to instance.json."""
    if has_file:
        decisions, rewards = instance.decision_set, sb.GaussianRewards(instance.theta, variance=0.25, upper=1.0)
        result = simulated(instance, sb.CUCB(), rewards)
        told = ways(simulation=result, instance=instance)
    else:
        decisions, rewards, bound, result = case("laminar")
        told = ways(simulation=result, bound=bound)
    assert list(told) == ["Python"]
    names = {"decision_set": decisions, "rewards": rewards}
    exec(told["Python"], names)
    assert_same_regret(names["result"], result)


CHANGED = {
    "features": False,
    "radius": "kveton",
    "levels": 16.0,
    "remembered": 7,
    "rewards": "bernoulli",
    "law": "gamma:shape=2,cost",
    "horizon": 7,
}


@pytest.mark.parametrize("kind", POLICIES)
def test_policies_are_written_as_they_are_built(kind):
    assert eval(expression(kind()), {"sb": sb}) == kind()
    for field in dataclasses.fields(kind):
        changed = kind(**{field.name: CHANGED.get(field.name, 0.5)})
        assert eval(expression(changed), {"sb": sb}) == changed


class Own(sb.Policy):
    """A policy that nobody else has."""

    def start(self, decision_set, variance):
        return sb.CUCB().start(decision_set, variance)


def test_no_command_for_user_defined_policies(instance):
    assert ways(simulation=simulated(instance, Own()), instance=instance) == {}
