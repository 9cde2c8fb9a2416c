"""Evidence and confidence against lists of all decisions, exact expectations, and what people ask for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom
from test_identification_time import FAMILIES

import semibandits as sb
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.identification.evidence import Evidence, Observed, _mixture, confidence_of
from semibandits.laws import Bernoulli, Gamma, Gaussian, Poisson

SEEDS = st.integers(0, 2**32 - 1)


def steps(n):
    return [((i, j), (i + a, j + b)) for i in range(n) for j in range(n) for a, b in ((0, 1), (1, 0)) if max(i + a, j + b) < n]


def drawn(seed, law):
    """A set, and what was observed of its items: plays over three orders, means with ties."""
    rng = np.random.default_rng(seed)
    decision_set = FAMILIES[seed % len(FAMILIES)](rng)
    d = decision_set.d
    plays = np.floor(10.0 ** (rng.uniform(1, 4, d) if rng.random() < 0.7 else np.full(d, rng.uniform(1, 5))))
    means = {"gaussian": rng.normal(size=d), "bernoulli": np.floor(rng.random(d) * plays) / plays}.get(
        law, rng.exponential(size=d)
    )
    if rng.random() < 0.2:
        means[rng.integers(d)] = means[rng.integers(d)]
    known = {"gaussian": Gaussian(10.0 ** rng.uniform(-2, 1, d)), "bernoulli": Bernoulli(), "poisson": Poisson()}[law]
    within = 0.0 if rng.random() < 0.5 else float(10 ** rng.uniform(-2, 0))
    return decision_set, Observed(means, plays, int(plays.sum()), known), within


def divergence(law, mean, other):
    """KL divergence for one item."""
    if isinstance(law, Gaussian):
        return (mean - other) ** 2 / 2.0
    if isinstance(law, Poisson):
        return other - mean + (mean * math.log(mean / other) if mean > 0.0 else 0.0)
    return sum(p * math.log(p / q) for p, q in ((mean, other), (1.0 - mean, 1.0 - other)) if p > 0.0)


def nearest(law, mean, plays, slope):
    """``min over theta of plays d(mean, theta) - slope theta`` by a bounded search, for one item."""
    low, high = (
        (1e-12, 1.0 - 1e-12) if isinstance(law, Bernoulli) else (1e-12, plays / max(plays - slope, 1e-9) * (mean + 1e-9) + 1.0)
    )
    found = minimize_scalar(
        lambda theta: plays * divergence(law, mean, theta) - slope * theta,
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(found.fun)


def listed_evidence(decision_set, best, observed, within, mixture, numbers, most):
    """The least evidence of all other decisions, apart from the logarithm of their number, by another way."""
    least, law = math.inf, observed.law
    for x in decision_set.enumerate():
        items = np.flatnonzero(x != best)
        if not 0 < len(items) <= most:
            continue
        signs = np.where(best[items], 1.0, -1.0)
        gap = math.fsum(signs * observed.means[items]) + within
        parts = []
        for weight, n, costs in zip(*mixture, strict=True):
            if isinstance(law, Gaussian):
                value = gap**2 / (2.0 * math.fsum(law.variance[items] / n[items])) if gap > 0.0 else -math.inf
            else:

                def dual(s, items=items, signs=signs, n=n):
                    # The infimum over means with ``sum of signs theta <= -within``.
                    return s * within + math.fsum(
                        nearest(law, observed.means[i], n[i], -s * sign) for i, sign in zip(items, signs, strict=True)
                    )

                limit = math.log(0.999 * min((n[i] for i in items), default=1.0)) if isinstance(law, Poisson) else 20.0
                value = (
                    -minimize_scalar(lambda z: -dual(math.exp(z)), bounds=(-12, limit), method="bounded").fun
                    if gap > 0
                    else -math.inf
                )
            parts.append(weight + value - math.fsum(costs[items]))
        enter, leave = numbers
        total = np.logaddexp.reduce(parts) - enter[np.count_nonzero(x & ~best)] - leave[np.count_nonzero(best & ~x)]
        least = min(least, total)
    return least


def compare(seed, law, threshold):
    """The evidence by the library and by the list."""
    decision_set, observed, within = drawn(seed, law)
    best = decision_set.maximize(observed.means)
    evidence = Evidence(decision_set, best, observed, sb.Stop(within=within, threshold=threshold))
    numbers, by_swaps = evidence._counts, within == 0.0 and isinstance(decision_set, MatroidDecisions)
    if by_swaps:
        swaps = math.log(max(decision_set.m * (decision_set.d - decision_set.m), 1))
        numbers = np.full(decision_set.m + 1, swaps if threshold == "proved" else numbers[0][0]), np.zeros(decision_set.m + 1)
    listed = listed_evidence(
        decision_set, best, observed, within, _mixture(observed, threshold == "proved"), numbers, 2 if by_swaps else math.inf
    )
    return evidence.least(), listed


@given(SEEDS, st.sampled_from(["proved", "customary"]))
@settings(max_examples=100)
def test_gaussian_evidence_is_that_of_the_list(seed, threshold):
    found, listed = compare(seed, "gaussian", threshold)
    assert found <= max(listed, 0.0) + 1e-9 * abs(listed)
    assert found >= min(listed, 1e9) - 2e-3 or listed <= 0.0


@given(SEEDS, st.sampled_from(["bernoulli", "poisson"]), st.sampled_from(["proved", "customary"]))
@settings(max_examples=8)
def test_evidence_of_laws_is_that_of_the_list(seed, law, threshold):
    found, listed = compare(seed, law, threshold)
    assert found <= max(listed, 0.0) + 1e-4 * abs(listed) + 1e-3
    assert found >= min(listed, 1e3) - 1e-3 * abs(listed) - 5e-2 or listed <= 0.0


@given(SEEDS)
@settings(max_examples=40)
def test_all_exchanges_together_count_once(seed):
    """Whatever decision is the best one, the inverse numbers of all exchanges add up to at most 1; both parts are concave."""
    decision_set, observed, _ = drawn(seed, "gaussian")
    enter, leave = Evidence(decision_set, decision_set.maximize(observed.means), observed, sb.Stop())._counts
    rows = decision_set.enumerate()
    for best in rows:
        others = rows[(rows != best).any(axis=1)]
        numbers = enter[(best & ~others).sum(axis=1)] + leave[(others & ~best).sum(axis=1)]
        assert np.exp(-numbers).sum() <= 1.0 + 1e-9
    for counts in (enter, leave):
        assert (np.diff(counts, 2) <= 1e-9).all()


@pytest.mark.parametrize("theta", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_evidence_of_one_item_has_mean_one_at_most(theta, n):
    """At the true mean, for all numbers of ones, in both directions together; Jeffreys' mixture has mean 1."""
    ones = np.arange(n + 1.0)
    observed = Observed(ones / n, np.full(n + 1, float(n)), n, Bernoulli())
    _, information, costs = _mixture(observed, True)
    information = information[0] * np.array([divergence(Bernoulli(), mean, theta) for mean in observed.means])
    assert float(binom.pmf(ones, n, theta) @ np.exp(information - costs[0])) == pytest.approx(1.0)


@pytest.mark.parametrize("n", [1, 5, 1_000, 10**7])
def test_evidence_of_one_gaussian_item_has_mean_one(n):
    law = Gaussian(1.0)
    weights, information, costs = _mixture(Observed(np.zeros(1), np.array([float(n)]), n, law), True)
    # E exp(a Z^2 / 2) = 1 / sqrt(1 - a), with Z standard normal, and a the information over the number of plays.
    means = np.exp(-costs[:, 0]) / np.sqrt(1.0 - information[:, 0] / n)
    assert np.exp(weights) @ means == pytest.approx(1.0)


@pytest.mark.parametrize("theta", [0.01, 1.0, 30.0])
def test_evidence_of_counts_has_mean_one_at_most_at_the_worst_time(theta):
    """Raises and falls of a Poisson item: the largest evidence of the first 200 plays, whenever it occurs."""
    plays = np.arange(1.0, 101.0)
    means = np.random.default_rng(0).poisson(theta, size=(10_000, len(plays))).cumsum(axis=1) / plays
    _, information, costs = _mixture(Observed(np.zeros(len(plays)), plays, 100, Poisson()), True)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergences = theta - means + np.where(means > 0.0, means * np.log(means / theta), 0.0)
    for direction in (means <= theta, means >= theta):
        for share, cost in zip(information, costs, strict=True):
            assert np.exp((share * np.where(direction, divergences, 0.0) - cost).max(axis=1)).mean() <= 1.0


def history(x, n, means, **options):
    shown = np.tile(np.arange(x.d), n)
    return sb.Learner.from_history(x, [x.items[i] for i in shown], np.tile(means, n), seed=0, **options)


def test_confidence_of_learners():
    x = sb.MSets(3, 1)
    assert sb.Learner(x, variance=1.0, seed=0).confidence() == 0.0
    assert sb.Learner(sb.MSets(2, 2), variance=1.0, seed=0).confidence() == 1.0
    few, many = (history(x, n, [0.9, 0.5, 0.1], variance=0.25).confidence() for n in (30, 300))
    assert 0.0 < few < many
    tied = history(x, 1_000, [0.9, 0.9, 0.1], variance=0.25)
    assert tied.confidence() == 0.0
    assert tied.confidence(within=0.3) > 0.99
    assert few < history(x, 30, [0.9, 0.5, 0.1], variance=0.25).confidence(threshold="customary")


def test_what_was_never_observed_does_not_count_as_known():
    x = sb.Paths([("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("b", "c"), ("s", "d")], "s", "t")
    learner = sb.Learner.from_history(x, [x.items[i] for i in range(4)] * 500, [0.9, 0.9, 0.1, 0.1] * 500, variance=0.25, seed=0)
    assert learner.confidence() > 0.99  # the last two are on no path
    partly = sb.Learner.from_history(x, [x.items[i] for i in range(3)] * 500, [0.9, 0.9, 0.1] * 500, variance=0.25, seed=0)
    assert partly.confidence() == 0.0


def test_roads_that_cannot_be_faster_need_no_drive():
    streets = [("s", "a"), ("a", "t"), ("s", "t"), ("t", "a")]
    x = sb.Routes(streets, "s", "t", least=[1.0, 1.0, 5.0, 1.0])
    learner = sb.Learner.from_history(x, [x.items[0], x.items[1]] * 400, [-1.5, -1.5] * 400, variance=0.25, seed=0)
    assert learner.confidence() > 0.99
    slower = sb.Learner.from_history(x, [x.items[0], x.items[1]] * 400, [-3.5, -3.5] * 400, variance=0.25, seed=0)
    assert slower.confidence() == 0.0


@pytest.mark.parametrize("out", [-1e12, 1e12])
def test_one_mean_out_of_scale(out):
    x = sb.Matchings([(f"r{i}", f"c{j}") for i in range(3) for j in range(3)])
    means = np.array([0.9, 0.1, 0.2, 0.1, 0.8, 0.1, 0.2, 0.1, 0.7])
    plain = Observed(means, np.full(9, 300.0), 900, Gaussian(0.25))
    scaled = plain._replace(means=np.where(np.arange(9) == (0 if out > 0 else 1), out, means))
    best = x.maximize(means)
    confidence = [confidence_of(x, best, one, sb.Stop()) for one in (plain, scaled)]
    assert confidence[1] >= confidence[0] - 1e-6


def other_divergence(law, mean, other):
    """That of gamma rewards, or of gamma costs, of shape 1."""
    ratio = mean / other
    return law.shape * (ratio - 1.0 - math.log(ratio))


@given(SEEDS, st.booleans())
@settings(max_examples=30)
def test_divergences_that_are_not_convex(seed, cost):
    """Gamma rewards that more than double, and costs: at the cheapest of many ways to close the gap of two matchings."""
    rng = np.random.default_rng(seed)
    x, law = sb.Matchings([(i, j) for i in range(2) for j in "ab"]), Gamma(float(rng.uniform(0.5, 4.0)), cost=cost)
    size, plays = rng.exponential(size=4) + 0.05, np.floor(10.0 ** rng.uniform(1, 3, 4))
    means = -size if cost else size
    observed, best = Observed(means, plays, 1, law), x.maximize(means)
    signs = np.where(best, -1.0, 1.0)
    gap, cheapest = float(-signs @ means), math.inf
    shares = np.vstack((np.eye(4), rng.dirichlet(np.full(4, 0.3), 300)))
    for share in shares:
        others = means + signs * share * gap
        if (others * means > 0.0).all():
            ways = [n * other_divergence(law, m, o) for n, m, o in zip(plays, means, others, strict=True)]
            cheapest = min(cheapest, math.fsum(ways))
    evidence = Evidence(x, best, observed, sb.Stop(threshold="customary")).least()
    assert evidence <= cheapest * (1.0 + 1e-9)
    assert evidence > 0.0
    if gap <= size.min():  # all ways are convex
        assert evidence >= 0.2 * cheapest
    assert Evidence(x, best, observed, sb.Stop()).least() <= evidence + 1.0  # the customary one pays for the rounds only


def test_half_lives_are_refused():
    with pytest.raises(sb.UnsupportedError, match="half_life"):
        sb.Learner(sb.MSets(2, 1), variance=1.0, seed=0, half_life=10.0).confidence()
