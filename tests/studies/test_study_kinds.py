"""Studies of the bound alone and of non-Gaussian rewards, and storage of their bound."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from study_cases import ALONE, BERNOULLI_BOUND, BOUND, FILES, STUDY, names, no_work, run_text, state

import semibandits as sb
from semibandits.errors import InvalidInputError, SolverError
from semibandits.instances import instance_from_description
from semibandits.studies import Output, ProblemChoice, Study, read_study, run_study
from semibandits_studies.studies import run
from semibandits_studies.studies.bound_file import as_result, gaussian_twin, kept_bound
from semibandits_studies.studies.task import Task


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
    for extend in (False, True):
        with pytest.raises(InvalidInputError, match=r"another simulation in .*\[simulation\] was absent"):
            run_text(STUDY, extend=extend)


@pytest.mark.parametrize(("text", "figure", "files"), [
    (STUDY, "false", [name for name in FILES if name not in ("report.html", "regret.png")]),
    (ALONE, "'plan.svg'", ["about.json", "bound.json", "instance.json", "plan.svg", "study.toml"]),
])  # fmt: skip
def test_reports_and_figures_are_made_where_they_are_wanted(place, text, figure, files):
    run_text(text + f"[output]\nreport = false\nfigure = {figure}\n")
    assert names("study-results") == files
    assert all(path.read_bytes().startswith(b"<?xml") for path in Path("study-results").glob("*.svg"))


def test_the_law_is_kept_with_the_study(place):
    result = run_text(ALONE + '[bound]\nlaw = "bernoulli"\n')
    kept = Path("study-results/study.toml")
    text = kept.read_text(encoding="utf-8")
    again = run_study(replace(read_study(kept), output=Output(folder=Path("again"), report=False)))
    assert again.bound.value == result.bound.value == pytest.approx(BERNOULLI_BOUND)
    for before in (text, text.replace('law = "bernoulli"\n', "")):  # 1.0.0 kept the law in bound.json only
        kept.write_text(before, encoding="utf-8")
        assert run_text(ALONE + '[bound]\nlaw = "bernoulli"\n').finished_before
        with pytest.raises(InvalidInputError, match="another law"):
            run_text(ALONE)


def test_a_gap_that_is_not_reached_leaves_nothing(place, monkeypatch):
    def fail(*_, **options):
        assert options["throw"]
        raise SolverError("not in time")

    monkeypatch.setattr(run, "solve_bound", fail)
    with pytest.raises(SolverError):
        run_text(ALONE)
    assert not Path("study-results").exists()


BERNOULLI = STUDY.replace("horizon", 'rewards = "bernoulli"\nhorizon')


def read(name):
    return json.loads(Path("study-results", name).read_text(encoding="utf-8"))


def test_bernoulli_rewards_have_a_bound_of_their_own(place, monkeypatch):
    result = run_text(BERNOULLI)
    assert BERNOULLI_BOUND < 0.9 * BOUND / 2  # that of Gaussian rewards of the variance that policies are told, 1/4
    assert result.bound.value == pytest.approx(BERNOULLI_BOUND)
    assert result.simulation.lower_bound == result.bound.lower == pytest.approx(BERNOULLI_BOUND)
    assert result.bound.rewards == "bernoulli"
    np.testing.assert_array_equal(result.simulation.rates, result.bound.rates)
    kept = read("bound.json")
    assert (kept["applies"], kept["rewards"], read("specification.json")["bound"]) == (True, "bernoulli", True)
    assert set(kept["instance"]["variance"]) == {0.25}
    assert "variance" not in read("instance.json")
    assert names("study-results") == FILES
    assert f"{BERNOULLI_BOUND:.6g}"[:5] in Path("study-results/report.html").read_text(encoding="utf-8")
    before = state("study-results")
    no_work(monkeypatch)
    again = run_study(read_study("study-results/study.toml"))
    assert (again.finished_before, again.written) == (True, ())
    assert (again.bound.rewards, again.bound.value) == ("bernoulli", result.bound.value)
    assert state("study-results") == before


@pytest.mark.parametrize(
    ("means", "value"),
    [
        ((1, 1, 0.5, 0), 0.0),  # nothing is better than what always pays
        ((1, 0.5, 0.5, 0), 0.5 / math.log(2)),  # the item that never pays asks for ln T / d(0, 1/2); the others tie
        ((0, 0, 0, 0), 0.0),
    ],
)
def test_means_of_0_and_1(place, means, value):
    rows = "".join(f"{item},{mean}\n" for item, mean in zip("uvwx", means, strict=True))
    Path("table.csv").write_text(f"item,theta\n{rows}", encoding="utf-8")
    result = run_text(BERNOULLI)
    assert result.bound.value == pytest.approx(value)
    assert result.simulation.lower_bound == pytest.approx(value)
    assert read("bound.json")["applies"] is True
    assert run_study(read_study("study-results/study.toml")).finished_before


def test_a_bernoulli_bound_that_is_not_found_is_left_out(place, monkeypatch):
    def fail(*_, **options):
        assert options["law"] == sb.laws.Bernoulli()
        raise SolverError("not in time")

    monkeypatch.setattr(run, "solve_bound", fail)
    result = run_text(BERNOULLI)
    assert result.bound is None
    assert result.simulation.lower_bound is None
    assert "bound.json" not in names("study-results")
    assert "semibandits bound --rewards bernoulli computes it" in Path("study-results/report.html").read_text(encoding="utf-8")


def test_a_bound_of_another_law_is_kept_as_one_that_does_not_apply(place):
    """As folders of earlier versions hold it for Bernoulli rewards."""
    run_text(BERNOULLI)
    task = Task(read_study("study.toml"), False)
    gaussian = sb.graves_lai(task.twin.decision_set, task.twin.theta, task.twin.variance)
    assert not task.is_bounded_by(gaussian)
    path = Path("study-results/bound.json")
    path.write_text(json.dumps(kept_bound(task.study, task.twin, gaussian, applies=False)), encoding="utf-8")
    again = run_study(task.study)
    assert again.finished_before
    assert again.bound.value == pytest.approx(BOUND / 2)
    assert again.bound.rewards == "gaussian"
    assert again.simulation.lower_bound == pytest.approx(BERNOULLI_BOUND)


REPLAY = '[problem]\ndataset = "logged"\n[simulation]\npolicies = ["CUCB"]\nrewards = "replay"\nhorizon = 100\nreplications = 2\n'


def test_outcomes_are_replayed(place, logged):
    result = run_text(REPLAY)
    own = sb.simulate(logged.decision_set, logged.replay(), sb.CUCB(), horizon=100, replications=2)
    np.testing.assert_array_equal(result.simulation.regret["CUCB"], own.regret["CUCB"])
    assert result.simulation.lower_bound is None
    kept = read("bound.json")
    assert kept["applies"] is False
    twin = sb.graves_lai(logged.decision_set, logged.theta, logged.variance)
    assert kept["value"] == pytest.approx(twin.value)
    texts = {"origin": "measured", "provenance": "made up", "licence": "none"}
    assert read("about.json") == {"title": "Logged things", "question": "Which one?"} | texts
    assert 'dataset = "logged"' in Path("study-results/study.toml").read_text(encoding="utf-8")
    assert names("study-results") == FILES
    assert run_study(read_study("study-results/study.toml")).finished_before


def test_policies_may_have_another_variance(place, logged):
    result = run_text(REPLAY.replace("[simulation]", "variance = 9\n[simulation]"))
    own = sb.simulate(logged.decision_set, logged.replay(variance=9.0), sb.CUCB(), horizon=100, replications=2)
    np.testing.assert_array_equal(result.simulation.regret["CUCB"], own.regret["CUCB"])


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
    read = as_result(payload, study, twin, Path("bound.json"))
    for key in ("value", "lower", "gap", "status", "method"):
        assert getattr(read, key) == getattr(solved, key)
    for key in ("optimal_decision", "suboptimal_items", "theta", "variance"):
        np.testing.assert_array_equal(getattr(read, key), getattr(solved, key))
    np.testing.assert_allclose(read.rates, solved.rates, rtol=1e-14)

    def plan(result):
        return {tuple(decision): rate for decision, rate in zip(result.plan.decisions, result.plan.rates, strict=True)}

    assert plan(read) == plan(solved)


@pytest.mark.parametrize(
    ("law", "model"),
    [
        ("poisson", sb.PoissonRewards([3.0, 2.0, 1.0, 0.5])),
        ("gamma:shape=4", sb.GammaRewards([3.0, 2.0, 1.0, 0.5], shape=4.0)),
        ("gaussian:upper=3", sb.GaussianRewards([3.0, 2.0, 1.0, 0.5], variance=[0.5] * 4, upper=3.0)),
    ],
)
def test_other_laws(place, law, model):
    """The study plays what `simulate` plays, keeps the bound of the law, and finds both again."""
    Path("table.csv").write_text("item,theta\nu,3\nv,2\nw,1\nx,0.5\n", encoding="utf-8")
    played = f'[simulation]\npolicies = ["GLADE", "thompson"]\nrewards = "{law}"\nhorizon = 300\nreplications = 3\nseed = 4\n'
    result = run_text(ALONE + played)
    policies = {"GLADE": sb.GLADE(), "ThompsonSampling": sb.ThompsonSampling()}
    own = sb.simulate(sb.MSets(4, 2), model, policies, 300, 3, seed=4)
    for name in policies:
        np.testing.assert_array_equal(result.simulation.regret[name][:, -1], own.regret[name][:, -1])
    assert result.simulation.law == own.law == model.law
    assert result.simulation.lower_bound == pytest.approx(own.lower_bound)
    assert result.bound.law == model.law
    assert read("bound.json")["law"]["name"] == law.partition(":")[0]
    assert run_study(read_study("study-results/study.toml")).finished_before
    alone = run_text(ALONE + f'[bound]\nlaw = "{law}"\n[output]\nfolder = "alone"\n')
    assert alone.bound.value == pytest.approx(result.bound.value)
