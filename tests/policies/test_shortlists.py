"""Realistic shortlists: hundreds of articles, quotas, and clicks of 0 and 1. Long version: experiments/shortlists.py."""

import itertools
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


CASES = [
    *itertools.product(["laminar", "partition", "intersection", "m-sets"], ["own law", "Gaussian law"], [False, True]),
    *itertools.product(["laminar", "intersection"], ["counts", "counts as costs", "times as costs"], [False, True]),
    *itertools.product(["laminar", "partition", "intersection", "m-sets"], ["ESCB"], [True]),
]
"""Kinds of shortlists, what is played, and whether all articles are the same."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("kind", "case", "equal"), CASES)
def test_no_question_takes_more_than_its_budget(kind, case, equal):
    """All articles tie at first, and most counts are 0, which is where the divergence of a count has a kink. A search for which
    articles enter would not end in this universe."""
    decisions, theta = SHORTLISTS.shortlist(kind, 300, equal=equal)
    environment = {
        "counts": lambda: sb.PoissonRewards(theta),
        "counts as costs": lambda: sb.PoissonRewards(-theta, cost=True),
        "times as costs": lambda: sb.GammaRewards(-1.0 - theta, cost=True),
    }.get(case, lambda: sb.BernoulliRewards(theta))()
    policy = {"ESCB": sb.ESCB(), "Gaussian law": sb.GLADE(rewards="gaussian")}.get(case, sb.GLADE())
    agent = policy.for_law(environment.told_law).start(decisions, environment.variance)
    questions = 4 if isinstance(environment, sb.BernoulliRewards) else 6  # of GLADE in a round, at most
    rng, drawn = np.random.default_rng(0), np.random.default_rng(1)
    counters = agent.player.counters
    for _ in range(250):
        before = counters.copy()
        budget = rounds.MOST_CALLS if case == "ESCB" else rounds.budget(counters, decisions.d)
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, environment.draw(items, drawn))
        assert counters[rounds.SEARCHED] - before[rounds.SEARCHED] <= (1 if case == "ESCB" else questions) * (budget + SLACK)
    assert counters[rounds.INDEX_CALLS] > 80
    if questions == 4 and case != "ESCB":
        assert counters[rounds.UNDECIDED] <= 0.03 * counters[rounds.INDEX_CALLS]


def test_the_example_of_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs" / "policies" / "large.md").read_text(encoding="utf-8")
    exec(compile(re.search(r"```python\n(.*?)```", page, flags=re.DOTALL).group(1), "large.md", "exec"), {})
    value, bound = map(float, re.match(r"([\d.]+) <= largest index <= ([\d.]+) after", capsys.readouterr().out).groups())
    assert value <= bound


@pytest.mark.parametrize("kind", later("laminar", "intersection"))
def test_glade_loses_less_than_thompson_sampling(kind):
    """Seeded; 16 runs of 1,000 rounds: the means differ by more than five standard errors of their difference.

    Thompson sampling has Beta posteriors.
    """
    decisions, theta = SHORTLISTS.shortlist(kind, 120, equal=False)
    result = simulate(decisions, sb.BernoulliRewards(theta), [sb.GLADE(), sb.ThompsonSampling()], 1_000, 16, seed=5, bound=None)
    glade, thompson = (result.regret[name][:, -1] for name in ("GLADE", "ThompsonSampling"))
    error = np.hypot(glade.std(ddof=1), thompson.std(ddof=1)) / np.sqrt(16)
    assert glade.mean() + 5 * error < thompson.mean()
