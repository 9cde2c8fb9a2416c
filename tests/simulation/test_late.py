"""Delayed and lost outcomes: when they are observed; that kernels and Python agree, is checked for each policy in its suite."""

import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from small_runs import same, small, stopped

import semibandits as sb
from semibandits.kernels import late
from semibandits.kernels.rules import statistics
from semibandits.kernels.rules.statistics import enter, fresh_statistics, observe_open
from semibandits.simulation.lateness import BLOCK, Lateness
from semibandits.simulation.specification import Specification

X = sb.MSets(6, 2)
THETA = np.array([0.9, 0.8, 0.5, 0.4, 0.3, 0.1])
REWARDS = sb.GaussianRewards(THETA, variance=0.5)
POLICIES = [sb.CUCB(), sb.ESCB(), sb.ThompsonSampling(), sb.GLADE(), sb.OSSB()]
OBSERVED = [0, 0, 3, 1, 17, 150]
LATE = {"delay": OBSERVED, "loss": 0.2}


class Recorder(sb.Policy, sb.Agent):
    """Plays the items of its round and records when it observed what."""

    def start(self, decision_set, variance):
        self.told, self.t = [], 0
        return self

    def choose(self, rng):
        self.t += 1
        return np.arange(6) == self.t % 6

    def observe(self, items, rewards):
        self.told.append((self.t, int(items[0]), False))

    def forget(self, items):
        self.told.append((self.t, int(items[0]), True))


def recorded(delay: object, loss: float = 0.0, horizon: int = 40, n_policies: int = 1):
    policies = {str(k): Recorder() for k in range(n_policies)}
    sb.simulate(sb.MSets(6, 1), REWARDS, policies, horizon, 1, delay=delay, loss=loss, bound=False)
    return [policy.told for policy in policies.values()]


@pytest.mark.parametrize("delay", [1, 5, 39])
def test_outcomes_are_observed_before_the_round_after_their_delay(delay):
    """`t` is the last round chosen: the outcome of round s is observed after s + delay choices."""
    assert recorded(delay) == [[(s + delay, s % 6, False) for s in range(1, 40 - delay)]]


def test_outcomes_due_together_are_observed_in_the_order_of_their_rounds_and_never_after_the_horizon():
    lateness = Lateness.of(OBSERVED, 0.3)
    seed = Specification.of(X, REWARDS, sb.CUCB(), horizon=1, replications=1, seed=0).late_seed(0)
    delays, lost = lateness.draw(np.random.default_rng(seed))
    due = sorted((s + int(delays[s - 1]), s, bool(lost[s - 1])) for s in range(1, 41))
    expected = [(t, s % 6, is_lost) for t, s, is_lost in due if t < 40]
    assert len({t for t, _, _ in expected}) < len(expected) < 40
    assert recorded(OBSERVED, 0.3, n_policies=2) == [expected, expected]  # all policies meet the same delays


def test_zero_delay_and_zero_loss_are_the_defaults():
    plain = sb.simulate(X, REWARDS, POLICIES, 100, 2, bound=False)
    again = sb.simulate(X, REWARDS, POLICIES, 100, 2, bound=False, delay=0, loss=0.0)
    assert same(plain, again)
    assert again.provenance == plain.provenance
    assert "delay" not in plain.provenance["specification"]
    assert same(plain, sb.simulate(X, REWARDS, POLICIES, 100, 2, bound=False, delay=[0]))  # through the queue, without delay


def test_a_run_with_delays_is_resumed(tmp_path):
    """With other delays it is another simulation: see test_extend.py."""
    stopped(tmp_path, 4, **LATE)
    resumed = small(tmp_path, resume=True, **LATE)
    assert same(resumed, small(None, **LATE))
    assert resumed.provenance["specification"]["delay"] == OBSERVED
    assert resumed.provenance["specification"]["loss"] == 0.2


def test_the_share_of_losses_and_the_mean_delay_are_as_requested():
    lateness = Lateness.of("geometric:20", 0.25)
    rng = np.random.default_rng(0)
    blocks = [lateness.draw(rng) for _ in range(50)]
    delays, lost = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    n = 50 * BLOCK
    assert delays.min() == 0
    assert abs(delays.mean() - 20.0) < 5 * np.sqrt(20 * 21 / n)  # five standard errors: 6e-7
    assert abs(lost.mean() - 0.25) < 5 * np.sqrt(0.25 * 0.75 / n)
    drawn = Lateness.of([2, 2, 5], 0)
    assert set(drawn.draw(rng)[0].tolist()) == {2, 5}


@pytest.mark.parametrize(
    ("delay", "described"),
    [
        (100, 100), ([1, 2], [1, 2]), ("geometric:100", "geometric:100"), ("Geometric: 2.5", "geometric:2.5"),
        (scipy.stats.geom(0.5, loc=-1), {"distribution": "geom", "args": [0.5], "loc": -1}),
    ],
)  # fmt: skip
def test_descriptions_of_delays(delay, described):
    assert Lateness.of(delay, 0.5).described() == {"delay": described, "loss": 0.5}


def test_many_observed_delays_are_described_by_a_digest():
    first, same_again, other = (Lateness.of([*range(500), k], 0.0).described() for k in (1, 1, 2))
    assert first == same_again != other
    assert first["delay"]["observed"] == 501


@given(st.data())
def test_statistics_match_observed_and_open_rounds(data):
    """Reference: counts and means by hand, in any order of opening, telling and forgetting."""
    d = data.draw(st.integers(1, 5))
    variance = np.linspace(0.2, 1.5, d)
    stats = fresh_statistics(variance)
    sums, plays, opened = np.zeros(d), np.zeros(d), []
    for step in range(data.draw(st.integers(1, 25))):
        action = data.draw(st.sampled_from(["open", "tell", "forget"])) if opened else "open"
        if action == "open":
            items = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=d, max_size=d)))
            enter(stats, 2.0 * variance, items, len(items), 1.0)
            opened.append(items)
            continue
        items = opened.pop(data.draw(st.integers(0, len(opened) - 1)))
        if action == "forget":
            enter(stats, 2.0 * variance, items, len(items), -1.0)
            continue
        outcomes = np.arange(len(items)) - step / 8.0
        fresh = int((plays[items] == 0).sum())
        assert observe_open(stats, 2.0 * variance, items, len(items), outcomes) == fresh
        sums[items] += outcomes
        plays[items] += 1
    counts = plays + sum((np.bincount(items, minlength=d) for items in opened), np.zeros(d))
    means, scales = sums / np.maximum(plays, 1), 2.0 * variance / np.maximum(counts, 1)
    expected = {"PLAYS": plays, "COUNTS": counts, "MEANS": means, "SCALES": scales, "ROOTS": np.sqrt(scales)}
    for name, row in expected.items():
        assert np.array_equal(stats[getattr(statistics, name)], row), name


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_the_queue_gives_rounds_in_order(delays, random):
    """Reference: sorting. The queue grows as needed."""
    queue = late.queue(1, 3, 2)._replace(delays=np.array(delays), losses=np.array([d % 5 == 4 for d in delays]))
    stats, items = fresh_statistics(np.ones(3)), np.array([0, 2])
    waiting, t = [], 0
    for t, delay in enumerate(delays, 1):
        if late.is_full(queue):
            queue = late.widened(queue)
        assert not late.needs_supply(queue)
        late.postpone(queue, stats, np.full(3, 2.0), t, items, 1 + t % 2, np.array([float(t), -1.0]))
        waiting.append((t + delay, t))
        if random.random() < 0.5:
            while waiting and min(waiting)[0] <= t:
                assert queue.rounds[late.first_out(queue), late.ASKED] == min(waiting)[1]
                waiting.remove(min(waiting))
    assert late.needs_supply(queue)
    assert queue.played.tolist() == [len(delays), 0, sum(t % 2 for t in range(1, len(delays) + 1))]
    while waiting:
        assert queue.rounds[late.first_out(queue), late.ASKED] == min(waiting)[1]
        waiting.remove(min(waiting))
    assert queue.counts[late.OPEN] == 0
    assert sorted(queue.heap) == list(range(len(queue.heap)))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["rewards", "costs"])
def test_blind_rounds_are_spread_over_all_items(policy, sign):
    rewards = sb.GaussianRewards(10.0 * sign + THETA, variance=0.5)
    result = sb.simulate(X, rewards, policy, 90, 3, delay=1000, bound=False)
    assert (result.plays[policy.name][:, -1] == 30).all()


@pytest.mark.verify
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_late_outcomes_cost_little_more_than_the_blind_rounds(policy):
    """No lock-in: the mean regret of 10 runs is at most 1.3 times that without delay, plus that of the blind rounds."""
    arguments = {"horizon": 3000, "replications": 10, "bound": False, "checkpoints": [100, 3000]}
    plain = sb.simulate(X, REWARDS, policy, **arguments).regret[policy.name].mean(axis=0)
    delayed = sb.simulate(X, REWARDS, policy, delay=100, **arguments).regret[policy.name].mean(axis=0)
    assert delayed[1] <= 1.3 * plain[1] + delayed[0]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_learner_with_delays_plays_the_same_as_a_simulation(policy):
    """Also if it is saved and restored in the middle, with open rounds."""
    horizon = 150
    specification = Specification.of(X, REWARDS, policy, horizon=1, replications=1, seed=3)
    delays, lost = Lateness.of(**LATE).draw(np.random.default_rng(specification.late_seed(0)))
    rewards, own = (np.random.default_rng(seed) for seed in specification.seeds(0))
    learner = sb.Learner(X, policy, variance=0.5, seed=own)
    plays, waiting = np.zeros((horizon, 6)), []
    for t in range(horizon):
        for _, s, outcome in sorted(w for w in waiting if w[0] <= t):
            if lost[s]:
                learner.forget(s)
            else:
                learner.tell(s, outcome)
        waiting = [w for w in waiting if w[0] > t]
        asked = learner.ask()
        plays[t:, asked.items] += 1
        waiting.append((t + 1 + int(delays[t]), t, REWARDS.draw(asked.items, rewards).tolist()))
        if t == 80:
            assert len(learner.open_rounds) > 10
            learner = sb.Learner.from_state(json.loads(json.dumps(learner.state())))
    result = sb.simulate(X, REWARDS, policy, horizon, 1, 3, checkpoints=np.arange(1, horizon + 1), bound=False, **LATE)
    assert np.array_equal(result.plays[policy.name][0], plays)
