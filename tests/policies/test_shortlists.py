"""Realistic shortlists: hundreds of articles, quotas, and clicks of 0 and 1. Long version: verification/shortlists.py."""

import re
from pathlib import Path

import numpy as np
import pytest

import semibandits as sb
from marks import later
from semibandits.kernels import rounds
from semibandits.simulation.run import simulate
from verification_scripts import script

SHORTLISTS = script("shortlists")
SLACK = 12
"""A sweep within a search is not broken off."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["laminar", "partition", "intersection", "m-sets"])
@pytest.mark.parametrize("equal", [False, True], ids=["Beta", "equal"])
@pytest.mark.parametrize(
    "policy", [sb.GLADE(), *later(sb.GLADE(rewards="gaussian")), sb.ESCB()], ids=["own law", "GLADE", "ESCB"]
)
def test_no_question_takes_more_than_its_budget(kind, equal, policy):
    """All articles tie at first. A search for which of them enter would not end in this universe."""
    decisions, theta = SHORTLISTS.shortlist(kind, 300, equal=equal)
    environment = sb.BernoulliRewards(theta)
    agent = policy.for_rewards(environment.family).start(decisions, environment.variance)
    rng, drawn = np.random.default_rng(0), np.random.default_rng(1)
    counters = agent.player.counters
    for _ in range(400):
        before = counters.copy()
        most = 4 * (rounds.budget(counters, decisions.d) + SLACK)  # GLADE asks at most four questions a round
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, environment.draw(items, drawn))
        allowed = rounds.MOST_CALLS + SLACK if isinstance(policy, sb.ESCB) else most
        assert counters[rounds.SEARCHED] - before[rounds.SEARCHED] <= allowed
    assert counters[rounds.INDEX_CALLS] > 200
    if isinstance(policy, sb.GLADE):
        assert counters[rounds.UNDECIDED] <= 0.03 * counters[rounds.INDEX_CALLS]


@pytest.mark.parametrize("kind", ["laminar", "intersection"])
@pytest.mark.parametrize("equal", [False, True], ids=["Beta", "equal"])
@pytest.mark.parametrize("model", ["counts", "counts as costs", "times as costs"])
def test_no_question_takes_more_than_its_budget_with_other_laws(kind, equal, model):
    """Most counts are 0, which is where the divergence of a count has a kink."""
    decisions, theta = SHORTLISTS.shortlist(kind, 300, equal=equal)
    environment = {
        "counts": sb.PoissonRewards(theta),
        "counts as costs": sb.PoissonRewards(-theta, cost=True),
        "times as costs": sb.GammaRewards(-1.0 - theta, cost=True),
    }[model]
    agent = sb.GLADE().for_law(environment.told_law).start(decisions, environment.variance)
    rng, drawn = np.random.default_rng(0), np.random.default_rng(1)
    counters = agent.player.counters
    for _ in range(250):
        before, allowed = (
            counters.copy(),
            6 * (rounds.budget(counters, decisions.d) + SLACK),
        )  # at most six questions a round
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, environment.draw(items, drawn))
        assert counters[rounds.SEARCHED] - before[rounds.SEARCHED] <= allowed
    assert counters[rounds.INDEX_CALLS] > 80


def test_the_example_of_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs" / "policies" / "large.md").read_text(encoding="utf-8")
    exec(compile(re.search(r"```python\n(.*?)```", page, flags=re.DOTALL).group(1), "large.md", "exec"), {})
    value, bound = map(float, re.match(r"([\d.]+) <= largest index <= ([\d.]+) after", capsys.readouterr().out).groups())
    assert value <= bound


@pytest.mark.parametrize("kind", later("laminar", "intersection"))
def test_glade_loses_less_than_thompson_sampling(kind):
    """Seeded; 16 runs of 2,000 rounds: the means differ by more than five standard errors of their difference.

    Thompson sampling has Beta posteriors.
    """
    decisions, theta = SHORTLISTS.shortlist(kind, 120, equal=False)
    result = simulate(decisions, sb.BernoulliRewards(theta), [sb.GLADE(), sb.ThompsonSampling()], 2_000, 16, seed=5, bound=None)
    glade, thompson = (result.regret[name][:, -1] for name in ("GLADE", "ThompsonSampling"))
    error = np.hypot(glade.std(ddof=1), thompson.std(ddof=1)) / np.sqrt(16)
    assert glade.mean() + 5 * error < thompson.mean()
