"""Studies of the bound alone, of other rewards than Gaussian ones, and how their bound is kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from study_cases import ALONE, BOUND, FILES, STUDY, names, no_work, run_text, state

import semibandits as sb
from semibandits.errors import InvalidInputError, SolverError
from semibandits.instances import instance_from_description
from semibandits.studies import (
    ProblemChoice,
    Study,
    read_study,
    run,
    run_study,
)
from semibandits.studies.bound_file import as_result, gaussian_twin, kept_bound

# The bound alone ------------------------------------------------------------------------------------------------------


def test_the_bound_alone(place, monkeypatch):
    result = run_text(ALONE)
    assert result.simulation is None
    assert result.bound.value == pytest.approx(BOUND)
    assert names("study-results") == ["about.json", "bound.json", "instance.json", "report.html", "study.toml"]
    assert "[simulation]" not in Path("study-results/study.toml").read_text(encoding="utf-8")
    before = state("study-results")
    no_work(monkeypatch)
    again = run_study(read_study("study-results/study.toml"))
    assert (again.finished_before, again.written) == (True, ())
    assert again.bound.value == result.bound.value
    assert state("study-results") == before
    with pytest.raises(InvalidInputError, match=r"got another gap in study-results \(gap = 0.5, was 0.0001\)"):
        run_text(ALONE + "[bound]\ngap = 0.5\n")
    with pytest.raises(InvalidInputError, match=r"another simulation in .*\[simulation\] was absent"):
        run_text(STUDY)


def test_the_plan_is_drawn_where_it_is_wanted(place):
    run_text(ALONE + '[output]\nfigure = "plan.svg"\nreport = false\n')
    assert Path("plan.svg").read_bytes().startswith(b"<?xml")
    assert names("study-results") == ["about.json", "bound.json", "instance.json", "study.toml"]


def test_a_gap_that_is_not_reached_leaves_nothing(place, monkeypatch):
    def fail(*_, **options):
        assert options["throw"]
        raise SolverError("not in time")

    monkeypatch.setattr(run, "graves_lai", fail)
    with pytest.raises(SolverError):
        run_text(ALONE)
    assert not Path("study-results").exists()


# Other rewards --------------------------------------------------------------------------------------------------------


def test_bernoulli_rewards_have_the_bound_of_their_gaussian_twin(place):
    result = run_text(STUDY.replace("horizon", 'rewards = "bernoulli"\nhorizon'))
    assert result.simulation.lower_bound is None
    assert result.bound.value == pytest.approx(BOUND / 2)  # variance 1/4, half of 1/2
    kept = json.loads(Path("study-results/bound.json").read_text(encoding="utf-8"))
    assert kept["applies"] is False
    assert json.loads(Path("study-results/specification.json").read_text(encoding="utf-8"))["bound"] is False
    assert set(kept["instance"]["variance"]) == {0.25}
    assert "variance" not in json.loads(Path("study-results/instance.json").read_text(encoding="utf-8"))
    assert run_study(read_study("study-results/study.toml")).finished_before


REPLAY = (
    '[problem]\ndataset = "logged"\n'
    '[simulation]\npolicies = ["CUCB"]\nrewards = "replay"\nhorizon = 100\nreplications = 2\n'
)


def test_outcomes_are_replayed(place, logged):
    result = run_text(REPLAY)
    own = sb.simulate(logged.decision_set, logged.replay(), sb.CUCB(), horizon=100, replications=2)
    np.testing.assert_array_equal(result.simulation.regret["CUCB"], own.regret["CUCB"])
    assert result.simulation.lower_bound is None
    kept = json.loads(Path("study-results/bound.json").read_text(encoding="utf-8"))
    assert kept["applies"] is False
    twin = sb.graves_lai(logged.decision_set, logged.theta, logged.variance)
    assert kept["value"] == pytest.approx(twin.value)
    about = json.loads(Path("study-results/about.json").read_text(encoding="utf-8"))
    assert about == {
        "title": "Logged things",
        "question": "Which one?",
        "origin": "measured",
        "provenance": "made up",
        "licence": "none",
    }
    assert 'dataset = "logged"' in Path("study-results/study.toml").read_text(encoding="utf-8")
    assert names("study-results") == FILES
    assert run_study(read_study("study-results/study.toml")).finished_before


def test_policies_may_be_told_another_variance(place, logged):
    result = run_text(REPLAY.replace("[simulation]", "variance = 9\n[simulation]"))
    own = sb.simulate(logged.decision_set, logged.replay(variance=9.0), sb.CUCB(), horizon=100, replications=2)
    np.testing.assert_array_equal(result.simulation.regret["CUCB"], own.regret["CUCB"])


@pytest.mark.parametrize("problem", ['dataset = "told"', 'file = "table.csv"\nsize = 2'])
def test_what_has_no_outcomes_names_what_has(place, logged, problem):
    with pytest.raises(InvalidInputError) as error:
        run_text(REPLAY.replace('dataset = "logged"', problem))
    got = "told" if "told" in problem else "table"
    assert str(error.value) == (
        f"study.toml, [simulation]: replay must have observed outcomes to draw from, got {got}, which has none: choose logged"
    )
    assert not Path("study-results").exists()


def test_a_method_that_does_not_exist_for_the_problem_is_an_error(place):
    Path("roads.csv").write_text("tail,head,theta\na,b,1\na,b,2\n", encoding="utf-8")
    text = '[problem]\nfile = "roads.csv"\nsource = "a"\ntarget = "b"\n[bound]\nmethod = "closed-form"\n'
    for more in ("", "[simulation]\nhorizon = 9\nreplications = 1\n"):
        with pytest.raises(sb.UnsupportedError, match="the closed form holds for matroid bases"):
            run_text(text + more)
        assert not Path("study-results").exists()


# The bound, written and read ------------------------------------------------------------------------------------------

INSTANCES = {
    "msets": {"family": "msets", "size": 2, "theta": [1, 0.75, 0.5, 0.25]},
    "paths": {
        "family": "paths", "source": "a", "target": "d", "edges": [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"], ["a", "d"]],
        "theta": [1, 1, 0.5, 0.5, 0.25],
    },
    "matchings": {
        "family": "matchings", "edges": [[i, j] for i in range(3) for j in "xyz"],
        "theta": [0.9, 0.1, 0.3, 0.2, 0.8, 0.4, 0.1, 0.5, 0.7],
    },
    "all optimal": {"family": "msets", "size": 1, "theta": [1, 1]},
}  # fmt: skip


@pytest.mark.parametrize("name", INSTANCES)
def test_a_bound_is_read_as_it_was_solved(name):
    instance = instance_from_description(INSTANCES[name])
    solved = sb.graves_lai(instance.decision_set, instance.theta, instance.variance)
    study = Study(problem=ProblemChoice(network="none"))
    twin = gaussian_twin(instance, sb.GaussianRewards(instance.theta, variance=instance.variance))
    assert twin is instance
    payload = json.loads(json.dumps(kept_bound(study, twin, solved, applies=True)))
    read = as_result(payload, twin, Path("bound.json"))
    for key in ("value", "lower", "gap", "status", "method"):
        assert getattr(read, key) == getattr(solved, key)
    for key in ("optimal_decision", "suboptimal_items", "theta", "variance"):
        np.testing.assert_array_equal(getattr(read, key), getattr(solved, key))
    np.testing.assert_allclose(read.rates, solved.rates, rtol=1e-14)

    def plan(result):
        return {tuple(decision): rate for decision, rate in zip(result.plan.decisions, result.plan.rates, strict=True)}

    assert plan(read) == plan(solved)
