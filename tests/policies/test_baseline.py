"""What is done today: fixed, ruled and logged decisions, by kernels as in Python."""

import numpy as np
import pytest

import semibandits as sb

ARTICLES = sb.MSets(6, 3, items=list("abcdef"))
CLICKS = sb.BernoulliRewards(np.linspace(0.1, 0.6, 6))
FIRST, SECOND = np.arange(6) < 3, np.arange(6) >= 3


@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize(
    ("choice", "rule"),
    [
        (["a", "b", "c"], lambda number: FIRST),
        (SECOND, lambda number: SECOND),
        ([["a", "b", "c"], ["d", "e", "f"]], lambda number: SECOND if number % 2 else FIRST),
        (np.array([SECOND, FIRST, FIRST]), lambda number: FIRST if number % 3 else SECOND),
        (lambda number: ["a", "b", "c"] if number < 100 else SECOND, lambda number: FIRST if number < 100 else SECOND),
    ],
)
def test_decisions_are_played_in_turn(choice, rule, delay):
    """With the regret that they have, and with the same bits as a function in Python."""
    policies = {"today": sb.Baseline(choice), "again": sb.Baseline(rule)}
    result = sb.simulate(ARTICLES, CLICKS, policies, 300, 2, seed=1, delay=delay, bound=False)
    for record in (result.regret, result.reward, result.plays, result.optimal):
        assert np.array_equal(record["today"], record["again"])
    decisions = np.array([rule(number) for number in range(300)])
    assert result.plays["today"][0, -1].tolist() == decisions.sum(axis=0).tolist()
    assert result.regret["today"][1, -1] == pytest.approx(300 * 1.5 - (decisions @ CLICKS.theta).sum(), rel=1e-12)
    assert result.calls["today"].sum() == 0


def test_sets_without_kernels_and_pairs():
    """Labels that are pairs are those of one decision, or of several."""
    listed = sb.EnumeratedDecisions(np.array([[True, False], [False, True]]))
    result = sb.simulate(listed, sb.GaussianRewards([1.0, 2.0]), sb.Baseline([0]), 20, 1, bound=False)
    assert result.regret["Baseline"][0, -1] == pytest.approx(20.0)
    pairs = sb.Matchings([(a, b) for a in "ab" for b in "xy"])
    one, other = [("a", "x"), ("b", "y")], [("a", "y"), ("b", "x")]
    for choice, plays in ((one, [10, 0, 0, 10]), ([one, other], [5, 5, 5, 5])):
        result = sb.simulate(pairs, sb.GaussianRewards([1.0, 2.0, 3.0, 4.0]), sb.Baseline(choice), 10, 1, bound=False)
        assert result.plays["Baseline"][0, -1].tolist() == plays


def test_a_learner_plays_it_with_what_is_available():
    """As many of its items as possible; it goes on from its state."""
    today = sb.Baseline([["a", "b", "c"], ["d", "e", "f"]], name="today")
    learner = sb.Learner(ARTICLES, today, law="bernoulli", seed=0)
    assert learner.ask().labels == ("a", "b", "c")
    partly = learner.ask(available=["b", "d", "e", "c"])
    assert {"d", "e"} < set(partly.labels)
    again = sb.Learner.from_state(learner.state(), policy=today)
    assert again.ask().labels == learner.ask().labels == ("a", "b", "c")
    assert partly.probabilities is None


def test_results_know_the_policy_and_how_near_it_is():
    """A folder with another choice is another simulation; `within` by hand."""
    today = sb.Baseline(["d", "e", "f"], name="today")
    near = sb.Baseline(["c", "e", "f"], name="near")
    result = sb.simulate(ARTICLES, CLICKS, [today, near], 200, 2, bound=False)
    assert result.best_mean == pytest.approx(1.5)
    assert result.within() == {"today": 1, "near": None}  # 0.1 of 1.5 is 6.7 %
    assert result.within(0.07) == {"today": 1, "near": 1}
    assert [row.within for row in result.summary()] == [1, None]
    assert today.specification() != sb.Baseline(["a", "e", "f"], name="today").specification()
    assert today.specification() == sb.Baseline(["d", "e", "f"], name="today").specification()


def test_within_is_the_round_after_the_last_checkpoint_that_is_worse():
    """For a rule that becomes right in round 50."""
    rule = sb.Baseline(lambda number: FIRST if number < 50 else SECOND)
    result = sb.simulate(ARTICLES, CLICKS, rule, 200, 1, bound=False, checkpoints=[10, 50, 100, 200])
    assert result.within()["Baseline"] == 51
    late = sb.Baseline(lambda number: FIRST if number < 190 else SECOND)
    assert sb.simulate(ARTICLES, CLICKS, late, 200, 1, bound=False).within()["Baseline"] is None


def test_it_is_compared_with_policies_that_know_a_prior_or_features():
    """It looks at neither, and its record is the same."""
    today = sb.Baseline(["a", "b", "c"], name="today")
    alone = sb.simulate(ARTICLES, CLICKS, today, 100, 2, seed=3, bound=False)
    for known in (
        {"prior_means": 0.3, "prior_plays": 20},
        {"features": "pooled"},
        {"prior_means": 0.3, "prior_plays": 5, "delay": 3},
    ):
        result = sb.simulate(ARTICLES, CLICKS, [today, sb.GLADE()], 100, 2, seed=3, bound=False, **known)
        assert result.regret["today"].tolist() == alone.regret["today"].tolist()
        assert result.plays["today"].tolist() == alone.plays["today"].tolist()
