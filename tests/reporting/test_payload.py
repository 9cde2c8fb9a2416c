"""The payload of the report: complete, typed, and equal to the results."""

import math
from dataclasses import replace

import numpy as np
import pytest
from payload_schema import payload_for as payload
from report_cases import DECISIONS, POLICIES, case

from semibandits import CUCB, OSSB, BernoulliRewards, MSets, Radius, graves_lai, simulate
from semibandits.families.registry import FAMILIES


def test_every_family_has_a_case():
    assert {type(build()) for build in DECISIONS.values()} == {family.cls for family in FAMILIES.values()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", DECISIONS)
@pytest.mark.parametrize("parts", ["both", "bound", "simulation", "decisions and simulation"])
def test_the_payload_is_complete_for_every_family(name, parts):
    decisions, rewards, bound, result = case(name)
    has_bound = parts in ("both", "bound")
    given = {"bound": bound} if has_bound else {"decision_set": decisions} if parts != "simulation" else {}
    made = payload(**given, simulation=None if parts == "bound" else result)
    assert (made["simulation"] is None) == (parts == "bound")
    assert made["bound"]["lower"] == bound.lower
    assert (made["drawing"] is None) == (parts == "simulation")
    assert (made["plan"] is None) == (not has_bound)
    items = made["items"]
    assert items["theta"] == rewards.theta.tolist()  # short lists of means stand in the result itself
    assert items["optimal"] == (None if parts == "simulation" else bound.optimal_decision.tolist())
    assert items["suboptimal"] == bound.suboptimal_items.tolist()


@pytest.mark.parametrize("name", DECISIONS)
def test_the_numbers_are_those_of_the_results(name):
    decisions, rewards, bound, result = case(name)
    made = payload(result, bound)
    assert made["bound"]["value"] == bound.value
    assert made["bound"]["gap"] == bound.gap
    shown = made["simulation"]
    assert (shown["horizon"], shown["replications"], shown["seed"]) == (200, 2, 5)
    assert shown["checkpoints"] == result.checkpoints.tolist()
    assert [policy["name"] for policy in shown["policies"]] == list(POLICIES)
    for policy, row in zip(shown["policies"], result.summary(), strict=True):
        curve = result.regret[row.policy].mean(axis=0)
        assert policy["mean"] == pytest.approx(curve.tolist(), rel=1e-12)
        for end in ("lower", "upper"):
            assert policy[end] == getattr(result.bands(row.policy), end).tolist()
        for name in ("regret", "regret_ratio", "slope", "slope_ratio"):
            assert policy[name] == getattr(row, name)
        for name in ("regret_interval", "slope_interval"):
            assert policy[name] == list(getattr(row, name))
        assert row.regret_ratio == pytest.approx(row.regret / (bound.lower * math.log(200)))
        assert tuple(policy["calls"].values()) == row.calls
    layers = {layer["key"]: layer["values"] for layer in made["layers"]}
    assert layers["plan"] == bound.rates.tolist()
    assert layers["theta"] == rewards.theta.tolist()
    for policy in POLICIES:
        plays = result.plays[policy][:, -1].mean(axis=0)
        assert layers[f"policy:{policy}"] == pytest.approx(plays.tolist(), rel=1e-12)
    assert list(layers) == ["plan", *(f"policy:{policy}" for policy in POLICIES), "theta"]
    plan = made["plan"]
    total = np.zeros(decisions.d)
    for row in plan["rows"]:
        chosen = np.zeros(decisions.d, dtype=bool)
        chosen[row["items"]] = True
        assert chosen in decisions
        total += row["rate"] * chosen
        assert row["gap"] == pytest.approx(rewards.theta @ (bound.optimal_decision * 1.0 - chosen), abs=1e-12)
        assert row["share"] == pytest.approx(row["rate"] * row["gap"] / bound.value)
    assert plan["more"] == 0
    assert total == pytest.approx(bound.rates)
    assert sum(row["share"] for row in plan["rows"]) == pytest.approx(1, abs=1e-6)


def test_a_plan_of_many_decisions_is_cut_and_the_others_are_counted():
    bound = graves_lai(MSets(140, 3), np.linspace(0, 1, 140), 0.5)
    plan = payload(bound=bound)["plan"]
    assert len(bound.plan) > 100
    assert len(plan["rows"]) == 100
    assert plan["more"] == len(bound.plan) - 100
    assert plan["rows"][0]["rate"] == bound.plan.rates.max()


def test_a_bound_does_not_apply_to_other_rewards():
    decisions, rewards, bound, _ = case("msets")
    result = simulate(decisions, BernoulliRewards(rewards.theta), CUCB(), horizon=50, replications=2, bound=False)
    made = payload(result, bound)
    assert made["bound"]["applies"] is False
    assert made["simulation"]["policies"][0]["regret_ratio"] is made["simulation"]["policies"][0]["slope_ratio"] is None
    assert made["simulation"]["rewards"] == "independent rewards of 0 or 1"
    alone = payload(result)
    assert alone["bound"] is alone["items"]["optimal"] is None
    assert payload(result, decision_set=decisions)["items"]["optimal"] == decisions.maximize(rewards.theta).tolist()


def test_one_replication_has_no_bands_and_one_round_no_ratio():
    decisions, rewards, bound, _ = case("trees")
    result = simulate(decisions, rewards, CUCB(), horizon=50, replications=1, bound=bound)
    policy = payload(result, bound)["simulation"]["policies"][0]
    assert policy["lower"] is policy["upper"] is policy["regret_interval"] is policy["slope_interval"] is None
    assert policy["mean"] == result.regret["CUCB"][0].tolist()
    result = simulate(decisions, rewards, CUCB(), horizon=1, replications=2, bound=bound)
    policy = payload(result, bound)["simulation"]["policies"][0]
    assert policy["regret_ratio"] is policy["slope"] is policy["slope_ratio"] is None


def test_a_bound_without_plan():
    decisions, _, bound, _ = case("enumerated")
    made = payload(bound=replace(bound, value=math.inf))
    assert made["bound"]["value"] is made["bound"]["gap"] is made["plan"] is made["items"]["suboptimal"] is None
    assert "≤ C(θ)" in made["bound"]["text"]
    assert "infinite" not in made["bound"]["text"]
    assert "No plan" in made["answers"][2]["text"]
    assert decisions.d == len(made["items"]["labels"])


def test_parameters_are_shown_by_name():
    decisions, rewards, bound, _ = case("msets")
    policies = {"a": CUCB(radius="kveton"), "b": CUCB(radius=Radius(log=2.0)), "c": OSSB(gamma=0.5, variance=1.0)}
    result = simulate(decisions, rewards, policies, horizon=20, replications=2, bound=bound)
    assert [policy["parameters"] for policy in payload(result)["simulation"]["policies"]] == [
        "radius=kveton", "radius=(log=2, loglog=0, loglog_per_item=0)", "gamma=0.5, variance=1"  # those not at their defaults
    ]  # fmt: skip
