"""Statistics of experiments/compare.py against closed forms and second computations; its rows and page on artificial regret."""

import argparse
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import semibandits as sb
from verification_scripts import script

ratios, results, pages, compare, cost = map(
    script, ("statistics_of_ratios", "compare_results", "compare_page", "compare", "cost")
)
Instance = script("panel").Instance

OLD, NEW = results.OLD, results.NEW


@given(st.integers(0, 10**6), st.integers(3, 40), st.floats(0.3, 3.0), st.sampled_from([0.5, 0.9, 0.95]))
@settings(max_examples=100, deadline=None)
def test_ends_of_a_ratio_are_where_the_paired_test_turns(seed, n, ratio, level):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    b = 10 + common
    a = ratio * b + rng.normal(size=n)
    found = ratios.paired_ratio(a, b, level)
    assert found.value == pytest.approx(a.mean() / b.mean(), rel=1e-12)
    assert found.lower < found.value < found.upper
    for end in (found.lower, found.upper):
        assert stats.ttest_1samp(a - end * b, 0.0).pvalue == pytest.approx(1 - level, rel=1e-5)


def test_an_exact_multiple_has_an_interval_of_no_width_and_a_denominator_that_may_be_zero_leaves_the_ratio_open():
    b = np.array([3.0, 4.0, 5.0, 6.0])
    assert ratios.paired_ratio(3 * b, b) == pytest.approx((3.0, 3.0, 3.0), abs=1e-6)
    assert ratios.paired_ratio([1.0, 2.0, 3.0], [-1.0, 0.5, 1.0]) == (pytest.approx(12.0), -math.inf, math.inf)


def test_intervals_of_ratios_cover():
    """4,000 samples of 25 pairs with ratio 0.8; the interval of 90 % holds exactly for normal pairs. A share is off by more than
    4 standard errors with probability 6e-5, and the seed is fixed.
    """
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(4000):
        b = 10 + 3 * rng.normal(size=25)
        found = ratios.paired_ratio(0.8 * b + rng.normal(size=25), b, 0.9)
        covered += found.lower <= 0.8 <= found.upper
    assert abs(covered / 4000 - 0.9) < 4 * math.sqrt(0.9 * 0.1 / 4000)


@pytest.mark.parametrize("seed", range(5))
def test_one_sided_tests_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.exponential(2.0, 30), rng.exponential(2.0, 30)
    above = stats.ttest_1samp(a - 1.05 * b, 0.0, alternative="greater").pvalue
    assert ratios.p_ratio_above(a, b, 1.05) == pytest.approx(above, rel=1e-10)
    assert ratios.p_ratio_below(a, b, 1.05) == pytest.approx(1 - above, rel=1e-10)
    assert ratios.p_above(a, 1.5) == pytest.approx(stats.ttest_1samp(a, 1.5, alternative="greater").pvalue, rel=1e-10)


def test_constant_samples():
    assert ratios.p_above([2.0, 2.0, 2.0], 1.0) == 0.0
    assert ratios.p_above([2.0, 2.0, 2.0], 2.0) == 1.0
    assert ratios.p_above([0.7] * 7, 0.7) == 1.0  # though their mean is rounded


def test_mean_interval_is_that_of_scipy():
    x = np.array([1.0, 4.0, 2.0, 8.0])
    ends = stats.t.interval(0.95, 3, x.mean(), stats.sem(x))
    assert ratios.mean_interval(x) == pytest.approx((3.75, *ends), rel=1e-12)


def test_holm_by_hand():
    assert ratios.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert ratios.holm([0.6, 0.7]) == pytest.approx([1.0, 1.0])


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12), st.floats(0.001, 0.5))
@settings(deadline=None)
def test_holm_rejects_step_by_step(p, alpha):
    """The textbook: compare the smallest p-value with alpha / k, the next with alpha / (k - 1), until one is larger."""
    order, rejected = sorted(range(len(p)), key=p.__getitem__), set()
    for step, i in enumerate(order):
        if p[i] * (len(p) - step) > alpha:
            break
        rejected.add(i)
    assert {i for i, adjusted in enumerate(ratios.holm(p)) if adjusted <= alpha} == rejected


def test_geometric_mean_of_one_instance_has_the_width_of_its_ratio():
    rng = np.random.default_rng(1)
    b = 10 + rng.normal(size=4000)
    a = 0.8 * b + rng.normal(size=4000)
    assert ratios.geometric_mean([(a, b)]) == pytest.approx(ratios.paired_ratio(a, b), rel=2e-4)


def test_geometric_means_of_inverse_ratios_and_of_the_same_samples_twice():
    a, b = 10 + np.random.default_rng(2).normal(size=(2, 50))
    assert ratios.geometric_mean([(a, b), (b, a)]) == pytest.approx((1.0, 1.0, 1.0), abs=1e-12)
    assert ratios.geometric_mean([(a, b)] * 4) == pytest.approx(ratios.geometric_mean([(a, b)]), rel=1e-12)


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_intervals_of_geometric_means_cover(shared):
    """2,000 panels of 6 instances, 40 or 80 replications each, the noise of a replication shared by all instances in part.

    The interval of 90 % holds for large samples; 0.02 are 3 standard errors of the share, and the seed is fixed.
    """
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(2000):
        common = rng.normal(size=80)
        pairs = []
        for j in range(6):
            n = 40 if j % 2 else 80
            noise = shared * common[:n] + math.sqrt(1 - shared**2) * rng.normal(size=n)
            pairs.append((0.8 * (10 + noise), 10 + rng.normal(size=n)))
        found = ratios.geometric_mean(pairs, 0.9)
        covered += found.lower <= 0.8 <= found.upper
    assert abs(covered / 2000 - 0.9) < 0.02


def test_largest_over_mean():
    assert ratios.largest_over_mean([1.0, 1.0, 4.0]) == 2.0
    assert math.isnan(ratios.largest_over_mean([0.0, 0.0]))


ROUNDS = np.array([1, 10, 100, 1000, 3162, 10_000])


def outcome(slope, name="made-up-held", n=30, c=10.0, noise=0.1, seed=0, plan_rate=5.0):
    """Regret 10 ln T of Thompson sampling and slope ln T of GLADE, each times a factor near 1 per replication."""
    rng = np.random.default_rng(seed)
    regret = {policy: s * np.log(ROUNDS) * (1 + noise * rng.standard_normal((n, 1))) for policy, s in ((OLD, 10.0), (NEW, slope))}
    instance = Instance(name, "msets", "uniform", sb.MSets(4, 2), np.zeros(4), 0.5, 10_000)
    return results.Outcome(instance, (c, c), plan_rate, ROUNDS, regret)


def test_numbers_of_a_row():
    found = outcome(8.0, noise=1e-9)
    assert found.rounds == (1000, 10_000)
    assert found.ratios[1000].value == pytest.approx(0.8, rel=1e-6)
    assert found.slope(OLD).value == pytest.approx(10.0, rel=1e-6)
    assert found.slope_ratio(NEW).value == pytest.approx(0.8, rel=1e-6)
    assert found.largest_over_mean(NEW) == pytest.approx(1.0, rel=1e-6)
    assert set(found.tests) == {1000, 10_000, results.SLOPE}


@pytest.mark.parametrize(
    ("slope", "c", "close"), [(8.0, 10.0, ()), (10.4, 10.0, (OLD, NEW)), (8.0, 7.3, (NEW,)), (10.4, 20.0, (OLD, NEW))]
)
def test_only_the_policies_whose_results_are_close_are_played_on(slope, c, close):
    assert outcome(slope, c=c).close == close


def test_only_worse_results_are_rejected():
    tests = results.all_tests([outcome(8.0, "good"), outcome(13.0, "bad", seed=1), outcome(10.5, "limit", seed=2)])
    assert len(tests) == 9
    assert {test.name for test in tests if test.p_worse <= 0.05} == {"bad"}
    assert sum(test.p_worse <= 0.05 for test in tests) == 3
    assert {test.name for test in tests if test.p_not_worse <= 0.05} == {"good"}


@pytest.mark.parametrize(("plan_rate", "share"), [(5.0, 5 * math.log(10_000) / 10_000), (2000.0, 1.842)])
def test_late_results(plan_rate, share):
    found = outcome(8.0, plan_rate=plan_rate)
    assert found.plan_share == pytest.approx(share, rel=1e-3)
    assert found.is_late == (share < 0.01)


def test_without_a_bound_the_slope_is_not_tested():
    found = outcome(8.0, c=0.0)
    assert results.SLOPE not in found.tests
    assert math.isnan(found.slope_ratio(NEW).value)


def test_all_rejections_were_close():
    """The second look therefore does not increase the error probability of the tests of "worse"."""
    for slope in np.linspace(9, 14, 26):
        found = outcome(slope, seed=int(10 * slope))
        assert found.close or min(worse for worse, _ in found.tests.values()) > 0.05


def options(**changes):
    plain = {"half": "held", "horizon": None, "only": None, "replications": 30, "most": 30, "seed": 7, "write": True}
    return argparse.Namespace(**(plain | changes))


def page(outcomes, folder, **changes):
    """The page, and the cost of a round where a test has written it into the folder."""
    return pages.page(outcomes, options(**changes), folder / "cost.json", "abc1234")


def test_the_page_agrees_with_the_numbers(tmp_path):
    good = [outcome(8.0, f"good-{k}-held", seed=k) for k in range(3)]
    text = page(good, tmp_path)
    command = "python experiments/compare.py FOLDER --replications 30 --most 30 --seed 7 --write"
    for part in ("**None is rejected.**", "| 10³ | 3 | 0.8", command, *map(pages.row, good)):
        assert part in text
    assert "part of the comparison" not in text
    assert "## Cost" not in text
    worse = page([*good, outcome(13.0, "bad-held", seed=9)], tmp_path)
    assert "**3 of 12 rejected: bad at 10³" in worse
    assert "None is rejected" not in worse
    assert "(bad) |" in worse


def test_a_partial_page_is_marked_and_shows_the_cost_of_its_half(tmp_path):
    measured = {"half": "tune", "instances": [{"instance": "a", "rounds": 10**6, OLD: 0.5, NEW: 0.6}]}
    (tmp_path / "cost.json").write_text(json.dumps(measured), encoding="utf-8")
    part = page([outcome(8.0)], tmp_path, only=["made-up-held"], horizon=10_000, write=False)
    assert "part of the comparison only" in part
    assert "1.20 times" not in part
    assert "1.20 times" in page([outcome(8.0)], tmp_path, half="tune", write=False)


def test_a_page_with_the_star(tmp_path):
    alone = page([outcome(8.0, "star", c=7.2)], tmp_path, only=["star"], write=False)
    assert "The slope of GLADE is 0.8" in alone
    assert "## Summary" not in alone
    lines = page([outcome(8.0), outcome(9.0, "star")], tmp_path).split("\n")
    assert all(len(line) <= 130 and line == line.rstrip() for line in lines if not line.startswith("|"))


TINY = Instance("tiny-tune", "msets", "uniform", sb.MSets(4, 2), np.array([0.9, 0.6, 0.5, 0.1]), 0.5, 1000)


def compared(folder, replications, most):
    told = options(workers=1, progress=False, folder=folder, seed=3, replications=replications, most=most)
    return compare.compared(TINY, told)


def test_close_results_are_played_on_and_the_first_replications_stay(tmp_path):
    first, more, again = (compared(tmp_path, 2, most) for most in (2, 5, 5))
    assert first.close == (OLD, NEW)
    assert (first.replications, more.replications) == (2, 5)
    for policy in (OLD, NEW):
        assert np.array_equal(more.regret[policy][:2], first.regret[policy])
        assert np.array_equal(more.regret[policy], again.regret[policy])
        assert len(np.unique(more.regret[policy][:, -1])) == 5


def test_both_policies_meet_the_same_rewards(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "POLICIES", {OLD: sb.CUCB(), NEW: sb.CUCB()})
    found = compared(tmp_path, 3, 3)
    assert np.array_equal(found.regret[OLD], found.regret[NEW])
    assert found.ratios[1000] == pytest.approx((1.0, 1.0, 1.0))


def test_cost_of_a_round():
    row = cost.measured(TINY, 2000)
    assert (row["instance"], row["rounds"]) == ("tiny", 2000)
    assert row[OLD] > 0 < row[NEW]


def test_rounds_between_checkpoints():
    assert outcome(8.0).at(OLD, 100) == pytest.approx(outcome(8.0).regret[OLD][:, 2])
    with pytest.raises(ValueError, match="checkpoints must contain round 5000"):
        outcome(8.0).at(OLD, 5000)
