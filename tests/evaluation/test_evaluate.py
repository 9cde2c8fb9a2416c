"""Estimates of what other choices would have earned, against plain formulas, exact expectations and drawn problems."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import semibandits as sb
from verification_scripts import script

OFFLINE = script("offline")

NAMES = ("doubly_robust", "self_normalised", "ips", "direct")


def frame(seed, *, n_rounds=40, d=6, m=3):
    """Rounds with sets of random sizes, rewards and probabilities."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"r{number}", f"i{item}", rng.normal(2.0), rng.uniform(0.05, 1.0))
        for number in range(n_rounds)
        for item in rng.choice(d, rng.integers(1, m + 1), replace=False)
    ]
    return pd.DataFrame(rows, columns=["round", "item", "reward", "probability"])


def plain(log, shares):
    """The four estimates, by pandas."""
    n = log["round"].nunique()
    w = log["item"].map(shares).fillna(0.0) / log["probability"]
    means = log.groupby("item")["reward"].mean()
    direct = sum(share * means.get(item, 0.0) for item, share in shares.items())
    known = sum(share for item, share in shares.items() if item in means.index)
    weighed = (w * log["reward"]).sum()
    return {
        "direct": direct,
        "ips": weighed / n,
        "self_normalised": known * weighed / w.sum(),
        "doubly_robust": direct + (w * (log["reward"] - log["item"].map(means))).sum() / n,
    }


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=60)
def test_estimates_are_those_of_plain_formulas(seed, size):
    """Also with the rows in another order, by a mask, and with probabilities of the choices."""
    log, rng = frame(seed), np.random.default_rng(seed)
    labels = sorted(log["item"].unique())
    chosen = list(rng.choice(labels, min(size, len(labels)), replace=False))
    found = sb.evaluate(log, chosen)
    expected = plain(log, dict.fromkeys(chosen, 1.0))
    for name in NAMES:
        assert found.estimates[name].value == pytest.approx(expected[name], rel=1e-10, abs=1e-10)
    assert found.logged.value == pytest.approx(log.groupby("round")["reward"].sum().mean(), rel=1e-12)
    assert found.value == found.estimates["doubly_robust"].value
    mixed = log.sample(frac=1.0, random_state=seed)
    for name in NAMES:
        assert sb.evaluate(mixed, chosen).estimates[name].value == pytest.approx(expected[name], rel=1e-9, abs=1e-9)
    shares = {label: float(rng.uniform(0.1, 1.0)) for label in chosen}
    by_share = sb.evaluate(log, shares).estimates
    for name, value in plain(log, shares).items():
        assert by_share[name].value == pytest.approx(value, rel=1e-10, abs=1e-10)
    whole = sb.MSets(6, len(chosen), items=[f"i{i}" for i in range(6)])
    by_mask = sb.evaluate(log, [label in chosen for label in whole.items], decision_set=whole)
    assert by_mask.estimates["ips"].value == pytest.approx(expected["ips"], rel=1e-10, abs=1e-10)


def test_a_rule_is_evaluated_in_each_of_its_rounds():
    """Against weights by hand, and a rule that is the same in all rounds against the decision."""
    log = frame(3)
    same = sb.evaluate(log, lambda number: ["i1", "i4"])
    for name, estimate in sb.evaluate(log, ["i1", "i4"]).estimates.items():
        assert same.estimates[name] == pytest.approx(estimate, rel=1e-12)

    def rule(number):
        return ["i0", "i5"] if int(number[1:]) % 2 else ["i2"]

    w = np.array([item in rule(number) for number, item in zip(log["round"], log["item"], strict=True)]) / log["probability"]
    assert sb.evaluate(log, rule).estimates["ips"].value == pytest.approx((w * log["reward"]).sum() / 40, rel=1e-12)


def test_expectations_are_exact():
    """All logs of two rounds with one of three items each and rewards 0 and 1, weighted by their probabilities: "ips" and the
    self-normalised numerator have the right mean, and with rewards that depend on the item only so has "doubly_robust".
    """
    p, theta = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.9, 0.5])
    mean = {"ips": 0.0, "logged": 0.0}
    for items in itertools.product(range(3), repeat=2):
        for rewards in itertools.product((0.0, 1.0), repeat=2):
            chance = np.prod([p[i] * (theta[i] if y else 1.0 - theta[i]) for i, y in zip(items, rewards, strict=True)])
            log = {"round": [0, 1], "item": list(items), "reward": list(rewards), "probability": p[list(items)]}
            found = sb.evaluate(log, {1: 0.25, 2: 0.75})
            mean["ips"] += chance * found.estimates["ips"].value
            mean["logged"] += chance * found.logged.value
    assert mean["ips"] == pytest.approx(0.25 * 0.9 + 0.75 * 0.5, rel=1e-12)
    assert mean["logged"] == pytest.approx(p @ theta, rel=1e-12)


def test_intervals_of_a_mean_are_those_of_student():
    """With at most 50 rounds, the jackknife of a mean is the classical standard error."""
    rewards = np.random.default_rng(0).normal(5.0, 2.0, 30)
    found = sb.evaluate({"round": range(30), "item": ["a"] * 30, "reward": rewards, "probability": [1.0] * 30}, ["a"])
    low, high = stats.t.interval(0.95, 29, loc=rewards.mean(), scale=stats.sem(rewards))
    for estimate in (found.logged, *found.estimates.values()):
        assert estimate == pytest.approx((rewards.mean(), low, high), rel=1e-9)
    assert found.lift == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


@pytest.mark.long
def test_intervals_cover_the_truth_on_200_drawn_problems():
    """At least 90 % of intervals for 95 % hold the truth, of the value and of the lift; a binomial with 0.95 has fewer than 180
    of 200 with probability 0.002. The means of the items alone, which the old choice confounds, do worse than the weights.
    """
    covered = dict.fromkeys((*NAMES, "lift"), 0)
    errors = {name: [] for name in NAMES}
    for seed in range(200):
        log, chosen, value, before = OFFLINE.drawn_log(seed, 300)
        found = sb.evaluate(log, chosen)
        for name in NAMES:
            covered[name] += found.estimates[name].low <= value <= found.estimates[name].high
            errors[name].append(found.estimates[name].value - value)
        covered["lift"] += found.lift.low <= value / before - 1.0 <= found.lift.high
        assert found.support == 1.0
    for name in ("doubly_robust", "self_normalised", "ips", "lift"):
        assert 180 <= covered[name] <= 200, (name, covered)
    assert covered["direct"] < covered["doubly_robust"]
    for name in ("doubly_robust", "ips"):  # without bias: the mean error is within four standard errors
        assert abs(np.mean(errors[name])) < 4.0 * np.std(errors[name]) / np.sqrt(200), name
    assert np.mean(errors["direct"]) > 4.0 * np.std(errors["direct"]) / np.sqrt(200)


def test_what_the_logs_cannot_support_is_said():
    """Items that are never shown count 0; those that could not be chosen in most rounds have a small weight."""
    log = frame(5)
    found = sb.evaluate(log, ["i1", "i2", "new", "i3"])
    assert found.support == pytest.approx(0.75)
    assert found.unsupported == ("new",)
    lost = "25.0% of the plays have no support: the logs never show 1 of the items (first: 'new'). They count 0"
    assert f"{lost}, so that the true reward is at least this." in found.notes
    assert "at least" in str(found)
    assert found.value == pytest.approx(sb.evaluate(log, ["i1", "i2", "i3"]).value, rel=1e-12)
    rng = np.random.default_rng(0)
    rounds = np.arange(2_000)
    sure = {"round": rounds, "item": np.where(rounds % 4, "b", "a"), "reward": rng.random(2_000), "probability": np.ones(2_000)}
    only = sb.evaluate(sure, ["a"])
    assert only.weight.value == pytest.approx(0.25)
    assert any(note.startswith("Only 25.0% of the plays have support in their round") for note in only.notes)
    wrong = sb.evaluate(sure | {"probability": np.full(2_000, 0.1)}, ["a"])
    assert any(
        note.startswith("The probabilities do not fit the plays: the weights have the mean 2.5, not 1.") for note in wrong.notes
    )
    few = sb.evaluate({"round": [0, 1, 2], "item": ["a", "b", "a"], "reward": [1, 0, 1], "probability": [0.5] * 3}, ["a"])
    assert few.plays == pytest.approx(2.0)
    assert any("have 2 plays of these items" in note for note in few.notes)


def test_logs_without_probabilities_use_the_means_of_the_items():
    """And say what that takes for granted."""
    log = frame(1).drop(columns="probability")
    found = sb.evaluate(log, ["i0", "i1"])
    assert found.method == "direct"
    assert list(found.estimates) == ["direct"]
    assert found.weight is None
    assert "The logs have no probabilities" in found.notes[-1]
    assert found.value == pytest.approx(log.groupby("item")["reward"].mean()[["i0", "i1"]].sum(), rel=1e-12)


def test_plays_without_rounds_are_compared_by_play():
    """A log of single plays: the value of a decision is the mean of its items."""
    log = {"item": list("aabbbc"), "reward": [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]}
    found = sb.evaluate(log, ["a", "b"], round=None)
    assert found.value == pytest.approx((1 / 2 + 2 / 3) / 2, rel=1e-12)
    assert found.logged.value == pytest.approx(0.5)
    assert sb.evaluate(log, ["a", "b"]).value == found.value  # the column is not there


def test_rounds_with_a_missing_outcome_are_left_out():
    """A reward that is NaN or None is not 0."""
    log = frame(2)
    kept = log[~log["round"].isin(["r3", "r7"])]
    log.loc[log["round"] == "r3", "reward"] = np.nan
    log.loc[log.index[log["round"] == "r7"][0], "reward"] = np.nan
    found, expected = sb.evaluate(log, ["i1"]), sb.evaluate(kept, ["i1"])
    assert found.estimates == expected.estimates
    assert found.notes[0] == "2 rounds are left out, since an outcome is missing."


def test_costs_and_minus_costs_are_said_as_costs():
    """A column of costs, and minus costs as learners store them."""
    log = frame(4)
    log["reward"] = log["reward"].abs() + 1.0
    in_costs = sb.evaluate(log.rename(columns={"reward": "minutes"}), ["i0", "i1"], cost="minutes")
    assert str(in_costs).startswith("Would have cost ")
    stored = sb.evaluate(log.assign(reward=-log["reward"]), ["i0", "i1"])
    assert stored.in_costs
    assert stored.estimates == in_costs.estimates
    missing = sb.evaluate(log.rename(columns={"reward": "minutes"}), ["i0", "new"], cost="minutes")
    assert missing.lift is None  # an item that counts 0 would look cheap


def with_positions(seed, n_rounds, theta, factors):
    """Rounds in which items are at random positions, which multiply their rates."""
    rng = np.random.default_rng(seed)
    log = {name: [] for name in ("round", "item", "reward", "probability", "place")}
    for number in range(n_rounds):
        for place, item in enumerate(rng.choice(len(theta), len(factors), replace=False)):
            row = (number, int(item), float(rng.random() < theta[item] * factors[place]), len(factors) / len(theta), place)
            for name, value in zip(log, row, strict=True):
                log[name].append(value)
    return log


def test_factors_of_positions_are_found():
    """Exact on rewards without noise, whatever the positions of an item; given factors do the same."""
    theta, factors = np.array([0.2, 0.4, 0.1, 0.8]), np.array([1.0, 0.5, 0.25])
    rng = np.random.default_rng(0)
    rows = [(t, int(i), theta[i] * factors[k], 0.75, k) for t in range(60) for k, i in enumerate(rng.permutation(4)[:3])]
    log = pd.DataFrame(rows, columns=["round", "item", "reward", "probability", "place"])
    expected = theta[[1, 3]].sum() * factors.mean()  # at positions as those of the logs
    estimated = sb.evaluate(log, [1, 3], position="place")
    assert estimated.estimates["direct"].value == pytest.approx(expected, rel=1e-9)
    given_factors = sb.evaluate(log, [1, 3], position="place", examination={0: 4.0, 1: 2.0, 2: 1.0})
    assert given_factors.estimates["doubly_robust"].value == pytest.approx(estimated.estimates["doubly_robust"].value, rel=1e-9)
    assert sb.evaluate(log, [1, 3]).estimates["direct"].value != pytest.approx(expected, rel=1e-3)


@pytest.mark.long
def test_intervals_with_positions_cover_the_truth():
    """As above, on 100 drawn logs: fewer than 88 with probability 0.002. Old choices that favour items by position, too."""
    theta, factors = np.array([0.2, 0.4, 0.1, 0.5, 0.3]), np.array([1.0, 0.6, 0.3])
    covered = 0
    for seed in range(100):
        found = sb.evaluate(with_positions(seed, 400, theta, factors), [1, 2], position="place")
        covered += found.low <= theta[[1, 2]].sum() * factors.mean() <= found.high
    assert covered >= 88


def drawn_rounds(seed, theta, n_rounds, m):
    rng = np.random.default_rng(seed)
    plays = [
        (t, int(i), float(rng.random() < theta[i])) for t in range(n_rounds) for i in rng.choice(len(theta), m, replace=False)
    ]
    return pd.DataFrame(plays, columns=["round", "item", "reward"])


def test_a_replayed_learner_takes_the_next_outcome_of_each_item():
    """By hand: queues of the log, until one is empty; the learner that is passed does not change."""
    theta, whole = np.linspace(0.1, 0.6, 6), sb.MSets(6, 2)
    log = drawn_rounds(0, theta, 100, 2)
    learner = sb.Learner.from_history(whole, log["item"], log["reward"], law="bernoulli", seed=1)
    before = learner.state()
    found = sb.evaluate(log, learner)
    assert learner.state() == before
    twin, queues = sb.Learner.from_state(before), {i: list(part) for i, part in log.groupby("item")["reward"]}
    totals = []
    while True:
        asked = twin.ask()
        if any(not queues[i] for i in asked.items):
            break
        totals.append([queues[i].pop(0) for i in asked.items])
        twin.tell(asked.id, totals[-1])
    assert found.rounds == len(totals)
    assert found.value == pytest.approx(np.sum(totals) / len(totals), rel=1e-12)
    assert found.notes[-1].startswith(f"The replay ended after {len(totals)} rounds: all ")
    assert sb.evaluate(log, learner, horizon=7).rounds == 7
    assert found.plays == 2 * len(totals)
    few = log[(log["item"] > 2) | (log["round"] < 5)]
    without = sb.evaluate(few, learner, least=20)
    assert without.unsupported == (0, 1, 2)
    assert "3 items were left out, which the logs show less than 20 times (first: 0)." in without.notes
    by_play = sb.evaluate(log, learner, round=None)
    assert str(by_play).startswith(f"Would have earned {found.value / 2:.4g} a play (")


@pytest.mark.long
def test_replays_have_the_mean_of_simulations():
    """200 logs, also of a system that prefers items in some rounds: the mean is within four standard errors of a simulation."""
    theta, whole, horizon = np.linspace(0.1, 0.6, 6), sb.MSets(6, 2), 40
    policy = sb.ThompsonSampling()
    environment = sb.BernoulliRewards(theta)
    simulated = sb.simulate(whole, environment, policy, horizon=horizon, replications=1_000, seed=1).regret["ThompsonSampling"]
    truth = theta[4:].sum() - simulated[:, -1] / horizon
    values = []
    for seed in range(200):
        log = drawn_rounds(seed, theta, 400, 2)
        if seed % 2:  # the rate at which rows are kept depends on the round; the probabilities know it
            rng = np.random.default_rng(seed)
            rate = np.where(log["round"] % 2, 0.4, 1.0)
            log = log.assign(probability=rate / 3.0)[rng.random(len(log)) < rate]
        values.append(sb.evaluate(log, policy, decision_set=whole, law="bernoulli", seed=seed, horizon=horizon).value)
    error = np.hypot(np.std(values) / np.sqrt(200), np.std(truth) / np.sqrt(1_000))
    assert abs(np.mean(values) - truth.mean()) < 4.0 * error


def test_items_that_are_never_shown_are_left_out_of_a_replay():
    """They would have no outcome."""
    whole = sb.MSets(4, 2, items=["a", "b", "c", "new"])
    log = {"round": [0, 0, 1, 1, 2, 2], "item": list("abbcca"), "reward": [1, 0, 1, 0, 1, 1]}
    found = sb.evaluate(log, sb.CUCB(), decision_set=whole, law="bernoulli")
    assert found.unsupported == ("new",)
    assert "1 item was left out, which the logs never show (first: 'new')." in found.notes
    assert found.rounds == 2


def test_logs_of_a_learner_in_a_database(tmp_path):
    """Its log has the outcomes, the probabilities and the labels of all its rounds, and is evaluated as it is."""
    whole, rng = sb.MSets(4, 2, items=["a", "b", "c", "d"]), np.random.default_rng(0)
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    options = {"decision_set": whole, "policy": sb.ThompsonSampling(), "law": "bernoulli", "probability_draws": 30}
    with sb.open_learner(url, name="shop", **options) as learner:
        told = []
        for _ in range(40):
            asked = learner.ask()
            outcome = (rng.random(2) < 0.5).astype(float)
            learner.tell(asked.id, outcome)
            told += zip([asked.id] * 2, asked.labels, outcome, asked.probabilities, strict=True)
        late, lost = learner.ask_many(2)
        learner.tell(late.id, {late.labels[0]: 1.0}, partial=True)
        log = learner.log()
    assert list(log.columns) == ["round", "item", "reward", "probability", "asked"]
    assert [tuple(row[:4]) for row in log.itertuples(index=False)][:80] == told
    assert log["reward"].isna().tolist() == [False] * 80 + [False, True, True, True]
    assert log["probability"].tolist()[80:] == [*late.probabilities, *lost.probabilities]
    assert log["asked"].notna().all()
    found = sb.evaluate(log, ["a", "b"])
    assert found.rounds == 40
    assert found.notes[0] == "2 rounds are left out, since an outcome is missing."


def test_frames_and_texts():
    """What people see."""
    log = frame(0)
    found = sb.evaluate(log, ["i0", "i1"])
    table = found.to_frame()
    assert table["estimator"].tolist() == ["logged", "direct", "ips", "self_normalised", "doubly_robust"]
    assert table["value"][4] == found.value
    assert (found.low, found.high) == (table["low"][4], table["high"][4])
    more = replace(found, lift=sb.ValueEstimate(0.04, 0.01, 0.07), notes=())
    assert ": 4 % more (1 to 7 %).\nEstimator: doubly robust, 95% intervals, 40 rounds." in str(more)
    less = replace(found, lift=sb.ValueEstimate(-0.3, -0.55, 0.02), notes=())
    assert ": 30 % less (55 % less to 2 % more)." in str(less)
    assert ": 30 % less (5 to 55 %)." in str(replace(less, lift=sb.ValueEstimate(-0.3, -0.55, -0.05)))
    short = replace(less, support=0.9, limit="at least")
    assert "earned at least " in str(short)
    assert ": at most 30 % less (" in str(short)
    assert "0.4 % more (0.1 to 0.7 %)" in str(replace(found, lift=sb.ValueEstimate(0.004, 0.001, 0.007)))


def test_items_of_few_outcomes_are_named():
    """Their intervals are too narrow, even if other items have many outcomes."""
    log = pd.DataFrame({"item": ["a"] * 500 + ["b"] * 3 + ["c"] * 29, "reward": [1.0, 0.0] * 266})
    (note,) = (one for one in sb.evaluate(log, ["a", "b", "c"]).notes if "narrow" in one)
    assert note == "Intervals are too narrow for 2 items with fewer than 30 outcomes in the logs (fewest: 3 of 'b')."
    assert not any("narrow" in one for one in sb.evaluate(log, ["a"]).notes)


@pytest.mark.parametrize(
    ("told", "limit", "text"),
    [
        ({"reward": "reward"}, "at least", "cost at least "),
        ({"reward": "noisy"}, "at most", "earned at most −"),
        ({"cost": "minutes"}, "at least", "cost at least "),
        ({"reward": "mixed"}, "", "earned −"),
    ],
)
def test_limits_of_costs(told, limit, text):
    """Unsupported pairs count 0, the best possible cost, so that the estimate bounds the cost from below."""
    log = pd.DataFrame({"round": np.repeat(range(20), 2), "item": ["a", "b"] * 20, "minutes": [30.0, 40.0] * 20})
    log = log.assign(reward=-log["minutes"], noisy=[1.0, *[-30.0] * 39], mixed=[-30.0, 1.0] * 20, probability=1.0)
    found = sb.evaluate(log, ["a", "new"], **told)
    assert found.limit == limit
    assert f"Would have {text}" in str(found)
    assert found.lift is None
