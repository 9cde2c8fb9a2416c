"""Arguments of `simulate`, and that its results depend on the specification and the seed alone."""

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
from small_runs import StopHereError, same

import semibandits as sb
from example_sets import OnlyMaximizes
from semibandits.decisions.compiled import INDEX, pointer
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.search.problem import FAILED
from semibandits.simulation.specification import Specification

X = sb.MSets(6, 2)
THETA = np.array([0.9, 0.8, 0.5, 0.4, 0.3, 0.1])
REWARDS = sb.GaussianRewards(THETA, variance=0.5)
POLICIES = [sb.CUCB(), sb.ThompsonSampling()]


@pytest.mark.parametrize("late", [{}, {"delay": [0, 0, 3, 1, 17, 150], "loss": 0.2}], ids=["at once", "late"])
def test_a_replication_depends_on_the_seed_and_its_number_alone(late):
    """Not on other policies, replications or checkpoints, or a longer horizon; nor on workers: see test_executors.py."""

    def run(policies=POLICIES, horizon=100, replications=3, seed=4, **more):
        return sb.simulate(X, REWARDS, policies, horizon, replications, seed, bound=False, **late, **more)

    first = run()
    assert same(first, run())
    assert not same(first, run(seed=5))
    for policy in POLICIES:
        every = run(policy, 160, replications=2, checkpoints=np.arange(1, 161))
        for name in ("regret", "reward", "plays", "calls"):
            mine, other = (getattr(result, name)[policy.name] for result in (first, every))
            assert np.array_equal(mine[:2], other[:, first.checkpoints - 1])


def test_rewards_of_the_user_are_played_in_python():
    def sampler(items, rng):
        return THETA[items] + np.sqrt(0.5) * np.array([rng.standard_normal() for _ in items])

    own = sb.SampledRewards(THETA, sampler, variance=0.5)
    result = sb.simulate(X, own, sb.CUCB(), horizon=80, replications=2)
    assert same(result, sb.simulate(X, REWARDS, sb.CUCB(), horizon=80, replications=2))
    assert result.lower_bound is None


def test_the_bound_is_certified_and_only_given_where_it_holds():
    def simulated(rewards=REWARDS, **options):
        return sb.simulate(X, rewards, sb.CUCB(), horizon=10, replications=1, **options)

    exact, coins = sb.graves_lai(X, THETA, variance=0.5), sb.BernoulliRewards(THETA)
    for rewards, own in ((REWARDS, exact), (coins, sb.graves_lai(X, THETA, rewards="bernoulli"))):
        result = simulated(rewards)
        assert result.lower_bound == own.lower
        assert result.lower_bound_interval == (own.lower, own.value)
        assert np.array_equal(result.rates, own.rates)
    # The same means and variance, but another law.
    assert simulated(coins, bound=sb.graves_lai(X, THETA, variance=0.25)).lower_bound is None
    assert simulated(bound=False).lower_bound is None
    assert simulated(bound=exact).lower_bound == exact.lower


def test_progress_is_reported_and_a_bar_goes_to_the_error_stream(capsys, monkeypatch):
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr("semibandits.simulation.progress.sys.stderr.isatty", lambda: True)
    for progress in (lambda done, total: seen.append((done, total)), True):
        sb.simulate(X, REWARDS, POLICIES, horizon=5, replications=3, progress=progress)
    assert seen == [(k, 6) for k in range(1, 7)]
    streams = capsys.readouterr()
    assert "6/6" in streams.err
    assert streams.out == ""


def test_provenance_describes_the_simulation():
    result = sb.simulate(X, REWARDS, {"a": sb.CUCB(radius="kveton")}, horizon=12, replications=2, seed=9)
    told = result.provenance["specification"]
    assert [told[name] for name in ("horizon", "replications", "seed")] == [12, 2, 9]
    assert told["policies"]["a"]["radius"]["log"] == 3.0
    assert told["decision_set"]["type"] == "MSets"
    assert result.provenance["versions"]["semibandits"] == sb.__version__


def test_numpy_integers_are_fine(tmp_path):
    space, checkpoints = OnlyMaximizes(X), np.array([3, 5, 10], dtype=np.uint8)
    space.d, space.m = np.int64(6), np.int64(2)
    result = sb.simulate(space, REWARDS, sb.CUCB(), horizon=10, replications=1, checkpoints=checkpoints, folder=tmp_path)
    assert result.provenance["specification"]["decision_set"]["m"] == 2
    assert result.checkpoints.tolist() == [3, 5, 10]


@pytest.mark.parametrize("policy", [sb.CUCB(), sb.ESCB(), sb.AESCB(), sb.OSSB(), sb.GLADE()], ids=lambda policy: policy.name)
def test_extreme_units_do_not_change_the_decisions(policy):
    plain, *others = (
        sb.simulate(X, sb.GaussianRewards(c * THETA, variance=0.5 * c**2), {"it": policy}, 60, 1, bound=False).plays["it"]
        for c in (1.0, 2.0**-162, 2.0**-20, 2.0**60, 2.0**162)
    )
    assert all(np.array_equal(plain, other) for other in others)


@kernel
def _finds_nothing(family, data, problem, x, report):
    return FAILED


def test_an_oracle_that_fails_is_an_error_and_changes_nothing():
    agent = sb.ESCB().start(X, 0.5)
    rng = np.random.default_rng(0)
    for _ in range(5):
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, np.zeros(2))
    working = agent.oracle
    agent.oracle = replace(working, index=pointer(_finds_nothing, INDEX))
    before = json.dumps(agent.state())
    with pytest.raises(sb.SolverError, match="found no decision in round 6"):
        agent.choose(rng)
    agent.oracle = working
    assert json.loads(before)["plays"] == agent.state()["plays"]
    assert agent.choose(rng) in X


def test_a_replication_can_be_interrupted():
    def hear(number, frame):
        raise StopHereError

    def play(horizon, seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        sb.simulate(X, REWARDS, sb.CUCB(), horizon=horizon, replications=1, checkpoints=[horizon], bound=False)

    before = signal.signal(signal.SIGALRM, hear)
    try:
        play(100, 0.0)
        with pytest.raises(StopHereError):
            play(10**12, 0.5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_seeds_are_those_of_numpys_spawning():
    specification = Specification.of(X, REWARDS, POLICIES, horizon=3, replications=5, seed=11)
    children = np.random.SeedSequence(11).spawn(5)
    for replication, child in enumerate(children):
        for mine, theirs in zip(specification.seeds(replication), child.spawn(2), strict=True):
            assert mine.generate_state(4).tolist() == theirs.generate_state(4).tolist()
