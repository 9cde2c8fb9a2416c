"""Stored bounds are verified: bounds of a solver pass, invalid ones are refused."""

from dataclasses import replace

import numpy as np
import pytest
from bound_checks import means, variances

import semibandits as sb
from example_sets import FAMILIES
from semibandits.regret_bound import ExplorationPlan
from semibandits.regret_bound.certificates.recheck import check_kept

SEEDS = range(4)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", ["real", "integer", "close"])
def test_bounds_of_the_solver_pass(family, kind):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        decision_set = FAMILIES[family](rng)
        theta = means(rng, decision_set.d, kind)
        check_kept(sb.graves_lai(decision_set, theta, variances(rng, decision_set.d, "odd"), throw=False))
        check_kept(sb.graves_lai(decision_set, theta, method="enumeration", throw=False))


@pytest.mark.parametrize("family", FAMILIES)
def test_bernoulli_bounds_of_the_solver_pass(family):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        decision_set = FAMILIES[family](rng)
        theta = rng.choice([rng.random(), 0.5, 1.0, 0.0], decision_set.d) if seed % 2 else rng.random(decision_set.d)
        check_kept(sb.graves_lai(decision_set, theta, rewards="bernoulli", throw=False))


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_units_do_not_matter(scale):
    check_kept(sb.graves_lai(PATHS, scale * THETA, scale**1.5))


@pytest.mark.parametrize("method", ["columns", "glpg"])
def test_other_methods_pass_with_the_gap_they_reached(method):
    check_kept(sb.graves_lai(PATHS, THETA, method=method, gap=0.05))
    check_kept(sb.graves_lai(sb.EnumeratedDecisions(PATHS.enumerate()), THETA, method=method, gap=0.05))


PATHS = sb.Paths([("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d"), ("b", "c")], "a", "d")
THETA = np.array([0.9, 0.8, 0.5, 0.4, 0.3, 0.2])
SETS = {"paths": PATHS, "msets": sb.MSets(6, 2), "list": sb.EnumeratedDecisions(PATHS.enumerate())}


@pytest.fixture(params=[(name, law) for name in SETS for law in ("gaussian", "bernoulli")], ids="-".join)
def solved(request):
    name, law = request.param
    return sb.graves_lai(SETS[name], THETA, rewards=law)


def with_plan(result, decisions, rates, factor=1.0):
    return replace(result, plan=ExplorationPlan(decisions, rates), value=factor * result.value, lower=factor * result.lower)


def refuse(result, message):
    with pytest.raises(sb.InvalidInputError, match=message):
        check_kept(result)


def test_invalid_brackets_are_refused(solved):
    refuse(replace(solved, lower=2 * solved.value), "lower must be from 0 to value = ")
    refuse(replace(solved, lower=-1.0), "lower must be from 0 to value = ")
    refuse(replace(solved, lower=float("nan")), "lower must be from 0 to value = ")
    refuse(replace(solved, lower=10 * solved.lower, value=10 * solved.value), "lower must be at most C|the cost of the plan")
    refuse(replace(solved, value=10 * solved.value), "value must be the cost of the plan")


def test_invalid_plans_are_refused(solved):
    decisions, rates = solved.plan.decisions, solved.plan.rates
    everything = np.ones_like(decisions)
    refuse(with_plan(solved, everything, rates), r"plan\[0\] must be a decision of the decision set, got another")
    refuse(with_plan(solved, decisions, -rates), "rates must be finite and above 0")
    refuse(with_plan(solved, decisions, np.where(np.arange(len(rates)), rates, np.inf)), "rates must be finite and above 0")


def test_plans_that_do_not_explore_enough_are_refused(solved):
    decisions, rates = solved.plan.decisions, solved.plan.rates
    refuse(with_plan(solved, decisions, 0.9 * rates, 0.9), "the plan must explore enough, but is only proved to explore 0.[89]")
    empty = ExplorationPlan(decisions[:0], rates[:0])
    refuse(replace(solved, plan=empty, value=0.0, lower=0.0), "the plan must explore enough")
    rest = ExplorationPlan(decisions[1:], rates[1:])
    gaps = THETA[solved.optimal_decision].sum() - rest.decisions @ THETA
    refuse(replace(solved, plan=rest, value=float(gaps @ rest.rates), lower=0.0), "the plan must explore enough")


def test_plans_that_explore_far_too_much_do_not_raise_the_lower_bound(solved):
    refuse(with_plan(solved, solved.plan.decisions, 10 * solved.plan.rates, 10.0), "lower must be at most C")


def test_invalid_optimal_decisions_are_refused(solved):
    refuse(replace(solved, optimal_decision=~solved.optimal_decision), "the optimal decision must be|worse by")
    refuse(replace(solved, optimal_decision=solved.plan.decisions[0]), "the optimal decision must be optimal, but its reward is")


def test_lower_bounds_of_matroid_bases_are_compared_with_the_closed_form():
    result = sb.graves_lai(SETS["msets"], THETA)
    plan = ExplorationPlan(result.plan.decisions, result.plan.rates * np.linspace(1, 3, len(result.plan)))
    gaps = THETA[result.optimal_decision].sum() - plan.decisions @ THETA
    value = float(plan.rates @ gaps)
    check_kept(replace(result, plan=plan, value=value))
    refuse(replace(result, plan=plan, value=value, lower=value), "lower must be at most C")
