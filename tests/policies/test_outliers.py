"""One number out of scale, such as a cost of 1e8 for a timeout: the others must count as they did."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.policies.exploration import wanted, wanted_of_law

LINKS = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b"), ("s", "t")]
CASES = {
    "m-sets of 1": (sb.MSets(4, 1), [1.0, 1.5, 2.0, 2.5]),
    "m-sets": (sb.MSets(6, 2), [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
    "paths": (sb.Paths(LINKS, "s", "t"), [1.0, 1.5, 2.0, 2.0, 5.0, 4.0]),
    "routes": (sb.Routes(LINKS, "s", "t"), [1.0, 1.5, 2.0, 2.0, 0.8, 4.0]),
    "matchings": (sb.Matchings(list(itertools.product(range(2), range(3))), saturate="rows"), [1.0, 1.5, 3.0, 2.0, 1.0, 4.0]),
    "trees": (sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (1, 3)]), [1.0, 1.5, 2.0, 2.5, 3.0]),
}
SIZES = (1e7, 1e12, 1e100)
POLICIES = (sb.AESCB(), sb.ESCB(), sb.OSSB(), sb.GLADE(), sb.CUCB(), sb.ThompsonSampling())
# Learners warn of an outlier, as they should.
pytestmark = pytest.mark.filterwarnings("ignore::semibandits.errors.OutlierWarning")
every_case = pytest.mark.parametrize("case", CASES)


def without(x, item):
    """The decisions that do not contain an item."""
    rows = x.enumerate()
    return rows[~rows[:, item]]


def played(case, policy, size, seed=1, rounds=100):
    """Decisions of a learner whose last item has one outcome of this size, and the regret of each among the others."""
    x, costs = CASES[case]
    learner, rng = sb.Learner(x, policy, variance=0.25, seed=0), np.random.default_rng(seed)
    costs, told, decisions = np.array(costs), False, []
    for _ in range(rounds):
        asked = learner.ask()
        outcome = np.maximum(costs[asked.items] + 0.5 * rng.standard_normal(len(asked.items)), 0.01)
        at = asked.items == x.d - 1
        if at.any() and not told:
            outcome[at], told = size, True
        learner.tell(asked.id, costs=outcome)
        decisions.append(asked.decision)
    decisions, best = np.array(decisions), (without(x, x.d - 1) @ costs).min()
    assert told
    return decisions, decisions @ costs - best


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("case", "policy"),
    [(case, policy) for case in CASES for policy in POLICIES if (case, policy.name) != ("routes", "OSSB")],  # takes a minute
    ids=lambda value: getattr(value, "name", value),
)
def test_a_sentinel_of_any_size_leads_to_the_same_decisions(case, policy):
    """The larger it is, the less its item matters, and nothing else depends on it."""
    first, regret = played(case, policy, SIZES[0])
    assert np.mean(regret[50:] > 1e-9) < 0.25  # it was half of all rounds and more
    for size in SIZES[1:]:
        assert np.array_equal(played(case, policy, size)[0], first)


@every_case
@given(exponent=st.floats(7.0, 100.0), seed=st.integers(0, 1000))
@settings(max_examples=5, deadline=None)
def test_plans_do_not_depend_on_the_size_of_a_sentinel(case, exponent, seed):
    x, costs = CASES[case]
    rng = np.random.default_rng(seed)
    means = -np.array(costs) - 0.1 * rng.random(x.d)
    means[-1] = -(10.0**exponent)
    scales, variance = np.full(x.d, 0.1), np.full(x.d, 0.25)
    plan, expected = (wanted(x, theta, scales, variance, 1e-4) for theta in (means, np.append(means[:-1], -1e7)))
    assert plan.rates == pytest.approx(expected.rates, rel=1e-3, abs=1e-6)
    assert expected.rates[:-1].max() > 0.1
    assert plan.rates[-1] < 1e-6
    law = sb.laws.Gamma(4.0, cost=True)
    if x.upper is None:
        assert (wanted_of_law(x, law, means, np.full(x.d, 9.0), 1e-2).rates[1:-1] > 0.0).any()


@every_case
@given(exponent=st.floats(7.0, 100.0), seed=st.integers(0, 10**6), ratio=st.sampled_from([1.0, 0.7]))
@settings(max_examples=25, deadline=None)
def test_searches_see_what_is_small_beside_a_sentinel(case, exponent, seed, ratio):
    """Against the list of decisions; at 1e12 all others were equal for the search."""
    x, rng = CASES[case][0], np.random.default_rng(seed)
    rewards, bonuses = -1.0 - rng.random(x.d), rng.random(x.d)
    rewards[rng.integers(x.d)] = -(10.0**exponent)
    values = np.array([x.index_of(rewards, bonuses, row) for row in x.enumerate()])
    for y in (x.search_index(rewards, bonuses, ratio).decision, x.maximize_index(rewards, bonuses, ratio)):
        best, bonus = values.max(), np.sqrt(bonuses[y].sum())
        assert x.index_of(rewards, bonuses, y) >= best - (1.0 / ratio - 1.0) * bonus - 1e-6


@pytest.mark.parametrize("name", ["msets", "own"])
def test_rewards_of_ordinary_sizes_are_never_changed(name):
    x = sb.MSets(6, 2) if name == "msets" else sb.EnumeratedDecisions(sb.MSets(6, 2).enumerate())
    rng = np.random.default_rng(0)
    for _ in range(200):
        rewards = rng.normal(size=6) * 10.0 ** rng.uniform(-3, 3, 6)
        bonuses = 10.0 ** rng.uniform(-6, 6, 6)
        assert x._without_outliers(rewards, bonuses, 1.0) is rewards


def outliers(*outcomes, variance=0.25, **arguments):
    """Warnings of a learner on one item at a time that is told these costs."""
    learner = sb.Learner(sb.MSets(3, 1, items="abc"), variance=variance, seed=0, **arguments)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", sb.OutlierWarning)
        for cost in outcomes:
            learner.tell(learner.ask().id, costs=[cost], partial=True)
    return [str(each.message) for each in found]


def test_a_learner_warns_once_of_an_outcome_thousands_of_standard_deviations_away():
    (message,) = outliers(12.0, 15.0, 11.0, 1e8, 1e12)
    assert message == (
        "costs so far are at most 15 in size, got 1e+08 for 'c', which is 2e+08 standard deviations away: pass partial=True and "
        "leave out what was not measured, or make items unavailable in ask"
    )
    assert outliers(12.0, 15.0, 11.0, np.nan, 14.0, 1e4) == []  # thousands of deviations, but not of the usual size
    assert outliers(0.2, 0.1, 0.3, 500.0) == []  # the other way round
    assert outliers(12.0, 15.0, 11.0, 1e8, variance=1e12) == []
    assert len(outliers(12.0, 15.0, 11.0, 1e8, policy=sb.CUCB(variance=2.0), variance=1e12)) == 1
    assert outliers(12.0, 15.0, 11.0, 1e8, law="gamma:cost") == []  # whose variance depends on the mean
