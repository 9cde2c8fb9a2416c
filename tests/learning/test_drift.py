"""The drift check: its statistic, rates of false reports, delays, and everything that must leave its state alone."""

import json
import logging

import numpy as np
import pytest
from learner_cases import play_alike, restored

import semibandits as sb
from semibandits.laws import Bernoulli, Gamma, Gaussian, Mixed, Poisson
from semibandits.learning import drift
from semibandits.learning.drift import SMALLEST, DriftCheck, log_tail

DRAWS = {
    "gaussian": (Gaussian(1.0), lambda rng, size: rng.normal(0.3, 1.0, size)),
    "bounded": (Gaussian(0.25), lambda rng, size: rng.beta(0.2, 0.2, size)),
    "bernoulli": (Bernoulli(), lambda rng, size: (rng.random(size) < 0.1).astype(float)),
    "poisson": (Poisson(), lambda rng, size: rng.poisson(0.4, size).astype(float)),
    "gamma": (Gamma(), lambda rng, size: rng.exponential(2.0, size)),
}


def observed(check, rewards):
    """Round of the first report of each item, inf if there is none; rewards of shape (rounds, d)."""
    d = rewards.shape[1]
    labels, items, first = tuple(range(d)), np.arange(d), np.full(d, np.inf)
    for t, row in enumerate(rewards):
        check.reserve(items)
        check.observe(items, row, labels, t)
    for report in check.found:
        first[report.item] = min(first[report.item], report.round)
    return first


def test_the_tail_is_that_of_the_sum_of_two_bounds():
    rng = np.random.default_rng(0)
    sums = 2 * np.log(2) + rng.gamma(2.0, size=200_000)
    for x in (2.0, 4.0, 8.0):
        assert np.exp(log_tail(x)) == pytest.approx((sums >= x).mean(), abs=4e-3)


@pytest.mark.parametrize("name", DRAWS)
def test_the_tail_bounds_the_statistic(name):
    """Of 20,000 statistics with equal means, at most the tail exceeds x; 5 standard deviations allowed."""
    law, draw = DRAWS[name]
    rng, d = np.random.default_rng(1), 20_000
    check = DriftCheck(law, d, 0.5)
    for earlier, block in ((16, 16), (48, 16), (32, 64)):
        before, after = draw(rng, (earlier, d)).mean(axis=0), draw(rng, (block, d)).mean(axis=0)
        found = check._statistic(np.arange(d), before, after, np.full(d, float(earlier)), float(block))
        for x in (2.0, 4.0, 7.0):
            most = np.exp(log_tail(x))
            assert (found >= x).mean() <= most + 5.0 * np.sqrt(most / d)


@pytest.mark.verify
@pytest.mark.parametrize("name", DRAWS)
def test_reports_without_drift_are_rarer_than_their_error(name):
    """1,000 items with an error of 0.3 each, over 600 rewards.

    If it were exact, 300 would be reported in the mean, and more than 350 with probability below 1e-3.
    """
    law, draw = DRAWS[name]
    d = 1_000
    check = DriftCheck(law, d, 0.9)
    check._logs = np.log(2.0 * 0.3)
    first = observed(check, draw(np.random.default_rng(2), (600, d)))
    assert np.isfinite(first).sum() <= 350


@pytest.mark.parametrize("change", [0.5, 1.0, 2.0, 4.0])
def test_a_change_is_found_soon(change):
    """The median delay of 200 items, in units of ``2 ln(1 / alpha)`` per information of a reward, or a shortest block."""
    d, alpha = 200, 1e-3
    check = DriftCheck(Gaussian(1.0), d, alpha * d)
    rewards = np.random.default_rng(3).normal(0.0, 1.0, (2_500, d))
    rewards[1_000:] += change
    delays = observed(check, rewards) - 1_000
    assert (delays >= 0).all()
    assert np.median(delays) <= max(4.0 * 2.0 * np.log(1.0 / alpha) / (change**2 / 2.0), 2 * SMALLEST)


def test_the_statistic_of_laws_is_that_of_their_logarithms():
    m1, m2, n1, n2 = 0.2, 0.6, 30.0, 16.0
    p = (n1 * m1 + n2 * m2) / (n1 + n2)

    def kl(a, b):
        return a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))

    check = DriftCheck(Mixed([Poisson(), Bernoulli()]), 2, 0.1)
    for before, after, many, few in ((m1, m2, n1, n2), (m2, m1, n2, n1)):
        found = check._statistic(np.array([1]), np.array([before]), np.array([after]), np.array([many]), few)
        assert found[0] == pytest.approx(n1 * kl(m1, p) + n2 * kl(m2, p), rel=1e-12)


@pytest.mark.parametrize("name", ["bernoulli", "poisson", "gamma"])
def test_the_fast_bound_is_no_smaller_than_the_statistic(name):
    law, rng = DRAWS[name][0], np.random.default_rng(4)
    check = DriftCheck(law, 1, 0.1)
    for before, after in rng.uniform(0.02, 0.98, (300, 2)):
        exact = float(check._statistic(*(np.array([v]) for v in (0, before, after, 48.0)), 16.0)[0])
        for shift in (-1e-9, 1e-9):
            assert check._is_drift(0, before, after, 48.0, 16.0, log_tail(exact) + shift) is (shift > 0.0)


SET = sb.MSets(4, 2, items="abcd")


def jump(learner, rounds=48):
    """Tell outcomes of the same two items, of which the mean of the second jumps after 32 rounds."""
    for t in range(rounds):
        learner.tell(learner.ask(["a", "b"]).id, [0.1, 5.0 if t >= 32 else 0.2])
    return learner


def jumping():
    """A learner one outcome before the report, with an open round."""
    learner = jump(sb.Learner(SET, sb.CUCB(), variance=0.01, seed=0, drift_error=0.05), 47)
    learner.ask(["a", "b"])
    return learner


def test_a_report_names_the_item_and_is_logged(caplog):
    learner = jumping()
    assert learner.drifts == ()
    with caplog.at_level(logging.WARNING, logger="semibandits.learning"):
        learner.tell(47, {"a": 0.1, "b": 5.0})
    (found,) = learner.drifts
    assert (found.item, found.label, found.round) == (1, "b", 47)
    assert (found.before, found.after) == pytest.approx((0.2, 5.0))
    assert [record.getMessage() for record in caplog.records] == [
        "the mean reward of 'b' has changed from 0.2 to 5, as observed in round 47"
    ]
    assert learner.drift_error == 0.05
    before = learner.state()
    assert restored(learner).state() == before
    assert restored(learner).drifts == learner.drifts


def test_decisions_do_not_depend_on_it():
    rng = np.random.default_rng(5)
    learners = [sb.Learner(sb.MSets(5, 2), variance=0.2, seed=1, **options) for options in ({}, {"drift_error": 0.9})]
    for mean, rounds in ((0.0, 81), (2.0, 69)):
        play_alike(learners, rounds, lambda items: rng.normal(mean, 0.1, 2))  # noqa: B023 (called at once)
    plain, checked = (learner.state() for learner in learners)
    assert learners[1].drifts
    assert plain["agent"] == checked["agent"]
    assert (plain["version"], checked["version"]) == (1, 2)


def test_lost_outcomes_are_not_observed():
    learner = jumping()
    learner.tell(47, {"a": 0.1}, partial=True)
    assert learner.drifts == ()
    assert learner.state()["drift"]["plays"] == [48.0, 47.0, 0.0, 0.0]


def test_items_keep_their_test_when_the_set_is_replaced():
    learner = jumping()
    renewed, _ = learner.replace(sb.MSets(3, 2, items="xba"))
    renewed.tell(47, {"a": 0.1, "b": 5.0})
    (found,) = renewed.drifts
    assert (found.item, found.label, found.round) == (1, "b", 47)
    again, _ = renewed.replace(sb.MSets(3, 2, items="bay"))
    assert [(one.item, one.label) for one in again.drifts] == [(0, "b")]
    gone, _ = renewed.replace(sb.MSets(3, 2, items="acy"))
    assert gone.drifts == ()


def test_old_reports_are_dropped(monkeypatch):
    monkeypatch.setattr(drift, "MOST_KEPT", 3)
    check = DriftCheck(Gaussian(1e-4), 1, 0.1)
    observed(check, np.repeat(np.arange(20.0) % 2, 32)[:, None])
    assert check.count > 3
    assert len(check.found) == 3
    again = DriftCheck(Gaussian(1e-4), 1, 0.1)
    again.restore(json.loads(json.dumps(check.state())), (0,))
    assert again.state() == check.state()


def test_learners_in_a_database_replay_it_and_log_it_once(url, caplog):
    arguments = {"name": "one", "decision_set": SET, "policy": sb.CUCB(), "variance": 0.01}
    with caplog.at_level(logging.WARNING, logger="semibandits.learning"):
        with sb.open_learner(url, **arguments, drift_error=0.05) as learner:
            (found,) = jump(learner).drifts
            before = learner.state()
        with sb.open_learner(url, name="one") as again:
            assert again.drifts == (found,)
            assert again.drift_error == 0.05
            assert again.state() == before
    assert len(caplog.records) == 1
    with (
        sb.open_learner(url, **{**arguments, "name": "two"}) as usual,
        sb.open_learner(url, **{**arguments, "name": "three"}, drift_error=None) as none,
    ):
        assert (usual.drift_error, none.drift_error, none.drifts) == (0.01, None, ())
