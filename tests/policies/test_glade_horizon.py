"""GLADE with a known horizon."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.kernels.rules.levels import time_of_levels, write_levels
from semibandits.kernels.rules.statistics import COUNTS, ROWS
from semibandits.testing import check_policy
from semibandits_studies.studies.policies import named_policies

CLICKS, ITEMS = sb.BernoulliRewards([0.2, 0.3, 0.4, 0.5, 0.6, 0.62]), sb.MSets(6, 2)


@given(
    horizon=st.integers(1, 10**6),
    past=st.floats(0.0, 2.0),
    plays=st.lists(st.integers(0, 10**6), min_size=1),
    rivals=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_levels_are_those_of_the_definition(horizon, past, plays, rivals):
    t = max(1, round(past * horizon))
    time = t if t > horizon else min(t, horizon - t)
    assert time_of_levels(float(t), float(horizon)) == pytest.approx(time, rel=1e-12)
    assert time_of_levels(float(t), 0.0) == t
    stats, best, found = np.zeros((ROWS, len(plays))), np.zeros(len(plays), dtype=np.bool_), np.full(len(plays), np.nan)
    stats[COUNTS] = plays
    write_levels(time_of_levels(float(t), float(horizon)), 0.5, float(rivals), 1e9, stats, best, found)
    if time == 0:
        assert (found == 0).all()
    elif not rivals:
        expected = [max(math.log(time / max(n, 1)) - 0.5, 0.0) for n in plays]
        assert found == pytest.approx(expected, abs=1e-9)


def test_the_horizon_of_a_simulation_is_its_number_of_rounds(tmp_path):
    def played(horizon, rounds=300, replications=2, **options):
        policies = {"own": sb.GLADE(horizon=horizon), "plain": sb.GLADE()}
        return sb.simulate(ITEMS, CLICKS, policies, rounds, replications, 1, bound=False, **options)

    word = played("simulation", folder=tmp_path / "run")
    assert word.provenance["specification"]["policies"]["own"]["horizon"] == 300
    assert "horizon" not in word.provenance["specification"]["policies"]["plain"]
    number = played(300)
    assert (word.plays["own"] == number.plays["own"]).all()
    assert (word.plays["own"] != word.plays["plain"]).any()
    far = played(600)
    assert (far.plays["own"] == far.plays["plain"]).all()
    more = played("simulation", replications=3, n_jobs=2, folder=tmp_path / "run", resume=True)
    assert (more.plays["own"] == played(300, replications=3).plays["own"]).all()
    with pytest.raises(sb.InvalidInputError, match="same simulation, got another policies"):
        played("simulation", rounds=400, folder=tmp_path / "run", extend=True)  # other decisions from the first round on
    assert played(300, rounds=400, folder=tmp_path / "number").horizon == 400


def test_texts_choose_the_horizon():
    texts = ["GLADE:horizon=simulation", "glade:horizon=1e4", "GLADE"]
    named = named_policies(texts)
    assert list(named.values()) == [sb.GLADE(horizon="simulation"), sb.GLADE(horizon=10_000), sb.GLADE()]
    assert repr(sb.GLADE(horizon=1e4)) == "GLADE(horizon=10000)"


def learner_with(policy, **options):
    return sb.Learner(ITEMS, policy, variance=1.0, seed=0, **options)


def played(learner, number, seed, available=None):
    """Decisions of further rounds, and after each of them the number of searches."""
    rng, decisions, searches = np.random.default_rng(seed), [], []
    for _ in range(number):
        asked = learner.ask() if available is None else learner.ask(available(rng))
        learner.tell(asked.id, rng.normal(0.1 * asked.items, 1.0))
        decisions.append(asked.items.tolist())
        searches.append(learner._agent.calls[1])
    return decisions, searches


def continued(learner, policy):
    """A learner with the same state of the agent and another policy."""
    again = learner_with(policy)
    again._agent.restore(json.loads(json.dumps(learner.state()["agent"])))
    return again


@pytest.mark.parametrize("moment", [150, 260])
def test_a_learner_continues_from_its_state(moment):
    policy = sb.GLADE(horizon=200)
    learner = learner_with(policy)
    played(learner, moment, 0)
    again = sb.Learner.from_state(json.loads(json.dumps(learner.state())))
    assert again.policy == policy
    assert played(again, 100, 1) == played(learner, 100, 1)


def test_a_state_without_a_horizon_gets_one():
    """States of earlier versions have no horizon; their rounds count."""
    learner = learner_with(sb.GLADE())
    played(learner, 150, 0)
    again = continued(learner, sb.GLADE(horizon=200, recheck=0.0))
    searches = played(again, 60, 1)[1]
    assert searches[49] == searches[48] < searches[-1]


@pytest.mark.parametrize("recheck", [0.1, 1e9])
def test_after_the_horizon_the_rule_is_the_one_without(recheck):
    learner = learner_with(sb.GLADE(horizon=200, recheck=recheck))
    played(learner, 200, 0)
    for other in (sb.GLADE(recheck=recheck), sb.GLADE(horizon=1, recheck=recheck)):
        again = continued(learner, other)
        assert played(again, 100, 1) == played(continued(learner, learner.policy), 100, 1)
    before = learner._agent.calls[1]
    assert played(learner, 1 + 200 // 50, 1)[1][-1] > before  # it searches once the repetitions end


@pytest.mark.parametrize("options", [{}, {"half_life": 20.0}])
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_nothing_is_explored_at_the_end(options, share):
    """Without repetitions and waiting, GLADE searches in most rounds; T counts all rounds, whatever was available or has aged."""
    learner = learner_with(sb.GLADE(horizon=200, patience=0.0, recheck=0.0), **options)
    available = None if share == 1.0 else lambda rng: np.arange(6) < (6 if rng.random() < 0.5 else 4)
    searches = played(learner, 220, 3, available)[1]
    assert searches[100] - searches[90] == 10
    assert searches[199] == searches[196]
    assert searches[219] - searches[200] > 15


def test_a_learner_needs_a_number():
    with pytest.raises(
        sb.InvalidInputError, match="must be a number of rounds outside simulations, got 'simulation': pass the number"
    ):
        learner_with(sb.GLADE(horizon="simulation"))


@pytest.mark.parametrize("horizon", [1, 20, 10_000])
def test_it_conforms(horizon):
    check_policy(sb.GLADE(horizon=horizon), ITEMS)
