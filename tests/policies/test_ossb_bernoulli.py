"""OSSB with plans for rewards of 0 or 1: its plans against plain computation, and runs."""

import dataclasses
import math
from unittest import mock

import numpy as np
import pytest
import small_sets
from hypothesis import given
from hypothesis import strategies as st
from small_sets import break_solver, listed, listed_from, pairs, regrets_of, run

import semibandits as sb
from semibandits.errors import UnsupportedError
from semibandits.kernels.rules.statistics import MEANS, PLAYS, SCALES
from semibandits.kernels.rules.tracking import BLOCKS, EXPLOITED, PLANNED
from semibandits.policies import exploration
from semibandits.policies.exploration import GUARD, LOWEST, resolved_by, wanted, wanted_of_law
from semibandits.policies.ossb import MOVEMENT
from semibandits.regret_bound.result import Status

OSSB = sb.OSSB
POLICY = OSSB(rewards="bernoulli")
GAP = 0.02
LAW = sb.laws.Bernoulli()
SETS = {name: small_sets.SETS[name] for name in ("msets", "trees", "matchings", "paths", "list", "own")}


def regrets(decision_set, theta, horizon, replications, policy=POLICY):
    return regrets_of(decision_set, sb.BernoulliRewards(theta), horizon, replications, policy, seed=2)


def divergence(p, q):
    """At most what it is: where q is 1 but for rounding, 1 - q has no digits."""
    return sum(a * math.log(a / max(b, 1e-17)) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


def least_information(theta, rates, gap):
    """min sum of w d(theta, theta + e) over raises e that add up to the gap: raises at a common price, by bisection."""

    def raises(price):
        found = []
        for p, w in zip(theta, rates, strict=True):
            r = price / w  # at the best rise, w e = price (p + e)(1 - p - e)
            half = 1 - r * (1 - 2 * p)
            found.append((math.sqrt(half * half + 4 * r * r * p * (1 - p)) - half) / (2 * r))
        return found

    if sum(1 - p for p in theta) <= gap:
        return math.inf
    low, high = 1e-9, 1e9
    for _ in range(200):
        price = math.sqrt(low * high)
        low, high = (price, high) if sum(raises(price)) < gap else (low, price)
    return sum(w * divergence(p, p + e) for p, w, e in zip(theta, rates, raises(low), strict=True))


def lowered_means(rows, means, plays, m):
    """The probabilities that the plan is made at, by listing the decisions."""
    margin = 1 / (2 * (max(plays) + 1))
    inside = np.clip(means, margin, 1 - margin)
    values = rows @ inside
    best = rows[np.argmax(values)]
    lowered = inside.copy()
    for i in np.flatnonzero(rows.any(axis=0) & ~best):
        smooth = (means[i] * plays[i] + 0.5) / (plays[i] + 1)
        scale = 2 * smooth * (1 - smooth) / max(plays[i], 1)
        gap = values.max() - values[rows[:, i]].max()
        lowered[i] = max(inside[i] - (math.sqrt(gap**2 + GUARD * scale / m) - gap), LOWEST * inside[i])
    return lowered, best


def check_feasible(rows, theta, plan):
    """Each decision is told from the best one: whatever makes it as good costs 1 at least."""
    values = rows @ theta
    inside = ~rows[values >= values.max() - 1e-9].any(axis=0)
    assert not plan.rates[~inside].any()
    told = 0
    for x, value in zip(rows, values, strict=True):
        held = x & inside
        if held.any() and (1 - theta[held]).sum() > values.max() - value + 1e-9:  # else it is out of reach
            told += 1
            with_plays = held & (plan.rates > 0)
            free = (1 - theta[held & ~with_plays]).sum()
            assert free < values.max() - value
            assert least_information(theta[held], np.maximum(plan.rates[held], 1e-12), values.max() - value) > 1 - 1e-6
    return told


def history(rng, d, kind):
    """Means and counts of rewards of 0 and 1."""
    plays = rng.integers(1, 40, d)
    if kind == "rare":
        return np.where(rng.random(d) < 0.7, 0.0, 1.0), np.ones(d)
    theta = rng.choice([0.02, 0.5, 0.97], d) if kind == "extreme" else rng.random(d)
    return rng.binomial(plays, theta) / plays, plays.astype(float)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("failing", [False, True])
@pytest.mark.parametrize("kind", ["any", "extreme", "rare"])
def test_plan_is_feasible_at_guarded_means(name, failing, kind, monkeypatch):
    if failing:
        break_solver(monkeypatch)
    decision_set, rng = SETS[name](), np.random.default_rng(3)
    rows, told = listed(decision_set), 0
    for _ in range(4):
        means, plays = history(rng, decision_set.d, kind)
        plan = wanted_of_law(decision_set, LAW, means, plays, GAP)
        lowered, best = lowered_means(listed_from(plan, rows), means, plays, decision_set.m)
        inside = LAW.estimates(means, plays)
        assert np.array_equal(best, plan.optimal) or abs(inside[best].sum() - inside[plan.optimal].sum()) < 1e-12
        told += check_feasible(rows, lowered, plan)
    assert told > 0


@pytest.mark.parametrize("name", ["matchings", "paths", "list"])
def test_a_solve_that_stalls_counts_if_its_plan_is_the_cheaper_one(name, monkeypatch):
    decision_set = SETS[name]()
    means, plays = history(np.random.default_rng(3), decision_set.d, "any")
    solved = wanted_of_law(decision_set, LAW, means, plays, GAP)

    def stalls(*arguments, **options):
        result = sb.graves_lai(*arguments, **options)
        plan = dataclasses.replace(result.plan, rates=factor * result.plan.rates)
        return dataclasses.replace(result, plan=plan, value=factor * result.value, lower=0.0, status=Status.STALLED)

    solver = mock.Mock(side_effect=stalls)
    monkeypatch.setattr(exploration, "solve_bound", solver)
    for factor in (1.1, 1e6):
        plan = wanted_of_law(decision_set, LAW, means, plays, GAP)
        if factor < 2:
            assert np.allclose(plan.rates, factor * solved.rates)
    assert plan.rates.max() < 1e4 * solved.rates.max()
    lowered, _ = lowered_means(listed(decision_set), means, plays, decision_set.m)
    assert check_feasible(listed(decision_set), lowered, plan) > 0
    assert solver.call_count == 2


@pytest.mark.parametrize("name", ["msets", "trees", "matchings", "paths", "list"])
def test_plan_has_the_minimal_cost(name):
    """The cost is C(theta) found by listing all decisions, up to the requested gap."""
    decision_set, rng = SETS[name](), np.random.default_rng(5)
    rows = listed(decision_set)
    for _ in range(3):
        means, plays = history(rng, decision_set.d, "any")
        plan = wanted_of_law(decision_set, LAW, means, plays, GAP)
        lowered, _ = lowered_means(rows, means, plays, decision_set.m)
        least = sb.graves_lai(decision_set, lowered, rewards="bernoulli", method="enumeration", gap=1e-3).lower
        cheapest = sb.graves_lai(decision_set, lowered, rewards="bernoulli", gap=GAP)
        assert cheapest.value <= least / (1 - GAP) * (1 + 1e-9)
        assert np.allclose(plan.rates, np.where(cheapest.suboptimal_items, cheapest.rates, 0.0))


def test_plans_of_decisions_that_cannot_be_listed_are_simple():
    """Each item at 1/d(theta_i, theta_i + D_i/m), by the best decision that has it."""
    decision_set = pairs(5)
    with pytest.raises(UnsupportedError):
        sb.graves_lai(decision_set, np.full(5, 0.5), rewards="bernoulli")
    means, plays = np.array([0.7, 0.6, 0.3, 0.2, 0.4]), np.full(5, 1000.0)
    plan = wanted_of_law(decision_set, LAW, means, plays, GAP)
    lowered, best = lowered_means(listed(decision_set), means, plays, 2)
    rows = listed(decision_set)
    values = rows @ lowered
    assert plan.optimal.tolist() == best.tolist() == [True, True, False, False, False]
    for i in (2, 3, 4):
        share = (values.max() - values[rows[:, i]].max()) / 2
        lowest = 1 / divergence(lowered[i], lowered[i] + share)
        # Where two items of a decision are lowered, its gap is larger than that of the item that is told.
        assert lowest * (1 - 1e-9) <= plan.rates[i] <= 1.2 * lowest


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), min_size=1, max_size=8))
def test_probabilities_are_inside_and_in_order(counts):
    plays = np.array([n for n, _ in counts], dtype=float)
    means = np.array([round(share * n) / n if n else 0.0 for n, share in counts])
    inside = LAW.estimates(means, plays)
    assert ((inside > 0) & (inside < 1)).all()
    order = np.argsort(means)
    assert (np.diff(inside[order]) >= 0).all()
    assert (np.abs(inside - means) <= 0.5 / (plays.max() + 1) + 1e-15).all()
    smooth = np.array([(mean * n + 0.5) / (n + 1) for mean, n in zip(means, plays, strict=True)])
    assert LAW.estimated_variance(means, plays) == pytest.approx(smooth * (1 - smooth))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "law"), [*((name, "gaussian") for name in small_sets.SETS), *((name, "bernoulli") for name in SETS)]
)
def test_memory_of_a_plan(name, law):
    decision_set = small_sets.SETS[name]()
    theta = np.random.default_rng(1).uniform(0.05, 0.6, decision_set.d)
    rewards = sb.BernoulliRewards(theta) if law == "bernoulli" else sb.GaussianRewards(theta)
    variance = np.broadcast_to(rewards.variance, theta.shape)
    agent, decisions = run(decision_set, rewards, 150, policy=OSSB(rewards=law))
    agent.replan()
    player = agent.player
    inverses, references, tolerances, counts = player.memory.reshape(BLOCKS, decision_set.d)
    means, plays = player.stats[MEANS], player.stats[PLAYS]
    if law == "bernoulli":
        plan, expected = wanted_of_law(decision_set, LAW, means, plays, GAP), LAW.estimates(means, plays)
        resolved = resolved_by(LAW, expected, plan.rates)
    else:
        plan, expected = wanted(decision_set, means, player.stats[SCALES], variance, GAP), means
        with np.errstate(divide="ignore"):
            resolved = np.sqrt(2.0 * variance / plan.rates)
    asked = plan.rates > 0
    assert agent.calls[2] > 2
    assert player.marks[EXPLOITED] == 0
    assert all(x in decision_set for x in (*decisions, *player.rows))
    assert np.array_equal(references, expected)
    assert np.array_equal(counts, plays)
    assert np.array_equal(np.isfinite(inverses), asked)
    assert inverses[asked] == pytest.approx(1 / plan.rates[asked])
    assert len(player.rows) == player.marks[PLANNED] + 1
    assert player.rows[:-1][:, asked].any(axis=0).all()
    assert not asked[player.rows[-1]].any()
    if law == "gaussian" or (asked | plan.optimal).all():
        assert tolerances == pytest.approx(MOVEMENT * np.where(asked, resolved, resolved.min()))


def test_without_need_of_plays_means_are_still_watched():
    """One item against three that are worth more than it can be: nothing to explore, yet the means of the three count."""
    decision_set = sb.EnumeratedDecisions([[1, 1, 1, 0], [0, 0, 0, 1]])
    agent = POLICY.start(decision_set, 0.25)
    for items, rewards in (([0, 1, 2], [1, 1, 0]), ([3], [0])) * 10:
        agent.observe(np.array(items), np.array(rewards, dtype=float))
    agent.replan()
    inverses, _, tolerances, _ = agent.player.memory.reshape(BLOCKS, 4)
    assert np.isinf(inverses).all()
    assert (tolerances <= MOVEMENT * np.sqrt(0.25 / 10)).all()


@pytest.mark.verify
def test_it_explores_less_than_the_gaussian_plan_with_a_proxy():
    """Rates are 1/d(0.1, 0.15) = 92 and 2 (1/4) / 0.05^2 = 200: counts in proportion, both means over 12 runs (+- 6 %)."""
    theta, horizon = [0.15, 0.1, 0.1, 0.1], 100_000
    own, gaussian = (
        regrets(sb.MSets(4, 1), theta, horizon, 12, policy)[1].plays["OSSB"][:, -1, 1:].mean()
        for policy in (POLICY, OSSB(rewards="gaussian"))
    )
    predicted = (2 * 0.25 / 0.05**2) * divergence(0.1, 0.15)
    assert 2.1 < predicted < 2.3
    assert 0.75 * predicted < gaussian / own < 1.25 * predicted
    assert own == pytest.approx(math.log(horizon) / divergence(0.1, 0.15), rel=0.2)


@pytest.mark.verify
def test_items_that_failed_at_first_are_explored():
    """Plans at (sum + 1/2) / (n + 1) took items with no success in a few trials for best: a run of linear regret, 1,602, here."""
    regret, result = regrets(sb.MSets(6, 2), [0.02, 0.05, 0.05, 0.05, 0.1, 0.2], 20_000, 20)
    assert regret.max() < 500
    assert regret.mean() < 1.5 * result.lower_bound * math.log(20_000)
    assert result.calls["OSSB"][:, -1, 2].max() < 60


@pytest.mark.verify
def test_items_out_of_reach_come_back_within():
    """Three items that seem worth more than 1: without care for their means four of these runs have linear regret, 1,000."""
    decision_set = sb.EnumeratedDecisions([[1, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]])
    regret, result = regrets(decision_set, [0.3, 0.3, 0.3, 0.95, 0.2], 20_000, 12)
    assert regret.max() < 900
    assert regret.mean() < 1.5 * result.lower_bound * math.log(20_000)


@pytest.mark.parametrize("theta", [[0.0, 0.0, 0.2], [1.0, 1.0, 0.2], [0.3, 0.3, 0.3]])
def test_ties_and_sure_rewards(theta):
    """Nothing is stuck among items that never pay; C(theta) is 0 where one always does, or all are the same."""
    regret, result = regrets(sb.MSets(3, 1), theta, 20_000, 8)
    assert regret.max() < (1e-9 if theta[0] == theta[2] else 60)
    assert result.calls["OSSB"][:, -1, 2].max() < 100
