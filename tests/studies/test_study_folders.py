"""Errors if a problem or a folder does not fit a study, and protection of other files."""

import dataclasses
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from study_cases import BOUND, FILES, STUDY, TABLE, names, no_work, run_again, run_text, state, stop

import semibandits as sb
from semibandits.errors import InvalidInputError, SolverError
from semibandits.studies import BoundOptions, Output, SimulationOptions, Study, find_problem, read_study, run_study
from semibandits_studies.studies import run


def test_other_files_are_not_overwritten(place):
    run_text(STUDY + '[output]\nfolder = "."\n')
    assert Path("study.toml").read_text(encoding="utf-8").startswith(STUDY)
    assert sorted(names(".")) == sorted([*FILES, "table.csv"])
    before = state(".")
    assert run_again().finished_before
    assert state(".") == before


def test_an_instance_file_that_is_the_problem_is_unchanged(place):
    text = '{"family": "msets", "size": 1, "theta": [1, 0.5]}'
    Path("instance.json").write_text(text, encoding="utf-8")
    run_text('[problem]\nfile = "instance.json"\n[output]\nfolder = "."\n')
    assert Path("instance.json").read_text(encoding="utf-8") == text
    assert run_again().finished_before


def test_without_resume_another_study_is_named_at_once(alone):
    (alone / "study.toml").write_text('[problem]\nnetwork = "polska"\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"must be without a study, got study.toml in it: choose another folder"):
        run_again(resume=False)


@pytest.mark.parametrize(("text", "message"), [
    ("problem = 3\n", "study.toml: problem must be a table, got 3: write"),
    ("[[problem]]\nfile = 'a'\n", r"study.toml: problem must be a table, got \[\{'file': 'a'\}\]: write"),
    ("[problem]\nfile = 2020-01-01\n", r"another file.*was datetime.date\(2020, 1, 1\)"),
    ("[problem]\nfile = [2020-01-01]\n", r"another file.*was \[datetime.date\(2020, 1, 1\)\]"),
    ("[problem]\nfile = {a = 1}\n", "another file.*was a table"),
    (f"[problem]\nfile = 0x{'f' * 5000}\n", "another file.*was a very long number"),
])  # fmt: skip
def test_foreign_files_in_the_folder_are_refused(alone, text, message):
    Path("study-results/study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=message):
        run_again()


@pytest.mark.parametrize(("name", "content", "message"), [
    *(("timings.json", f'{{"seconds": {seconds}}}', "timings.json must .*: remove it, seconds are then unknown")
      for seconds in ("[]", '{"CUCB": 3}', '{"CUCB": {"0": NaN}}')),
    ("bound.json", "{", "bound.json must hold JSON, got .*: remove it, or choose"),
    ("instance.json", "", "study-results/instance.json is damaged"),
])  # fmt: skip
def test_files_that_became_unreadable(played, name, content, message):
    Path("study-results", name).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=message):
        run_again()
    if name == "timings.json":
        Path("study-results", name).unlink()
        assert run_again().finished_before


@pytest.mark.parametrize("name", ["about.json", "report.html", "summary.csv", "regret.png", "timings.json"])
@pytest.mark.parametrize("resume", [True, False])
def test_files_of_the_user_are_not_lost(place, name, resume):
    Path("study.toml").write_text(STUDY + '[output]\nfolder = "."\n', encoding="utf-8")
    Path(name).write_text("mine", encoding="utf-8")
    study = read_study("study.toml")
    with pytest.raises(InvalidInputError, match=f"must be without {name} before a study starts, got files that no study"):
        run_study(study, resume=resume)
    assert Path(name).read_text(encoding="utf-8") == "mine"
    assert names(".") == sorted([name, "study.toml", "table.csv"])
    Path(name).unlink()
    run_study(study, resume=resume)
    assert run_study(study).finished_before


@pytest.mark.parametrize("removed", [("study.toml",), ("bound.json",), ("study.toml", "about.json", "report.html")])
def test_a_bound_resumes_without_some_of_its_files(alone, removed):
    for name in removed:
        Path("study-results", name).unlink()
    again = run_again()
    assert set(removed) <= set(again.written)


def test_a_result_that_was_removed_is_played_again(played):
    path = Path("study-results/simulation.zip")
    before = path.read_bytes()
    path.unlink()
    assert not run_again().finished_before
    assert path.read_bytes() == before


@pytest.mark.parametrize("key", ["plan", "value", "lower", "status", "optimal", "suboptimal_items", "stats"])
@pytest.mark.parametrize("value", [None, "odd"])
def test_a_damaged_bound_is_an_error(alone, key, value):
    if key == "value" and value is None:
        return  # a bound without a plan
    path = Path("study-results/bound.json")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {key: value}), encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"bound.json must contain a bound as it was written, got a damaged one"):
        run_again()


FORGED = {
    "lower above value": (("lower", 12.0), None, "lower must be from 0 to value = 6"),
    "ten times the bracket": (("lower", 60.0), ("value", 60.0), "lower must be at most C"),
    "ten times the value": (("value", 60.0), None, "value must be the cost of the plan, 6, got 60"),
    "no decision": (("plan", 0, "indices", [0, 1, 2]), None, r"plan\[0\] must be a decision"),
    "a negative rate": (("plan", 0, "rate", -1.0), None, "a rate above 0"),
    "too small a rate": (("plan", 0, "rate", 0.001), ("rates", [16, 0, 0.001, 4]), "value must be the cost of the plan"),
    "an index between two": (("plan", 0, "indices", 0, 0.7), None, r"plan\[0\]\[0\] must be an integer, got 0.7"),
    "a huge index": (("plan", 0, "indices", 0, 10**30), None, "distinct item numbers from 0 to 3"),
    "another optimal decision": (("optimal", "indices", [2, 3]), None, "must be optimal, but its reward is 1 below"),
    "not a number": (("value", math.nan), None, "NaN, which is not a number in JSON"),
    "infinity": (("lower", math.inf), None, "Infinity, which is not a number in JSON"),
    "seconds in words": (("stats", {"seconds": "long"}), None, r"stats\[0\] must be a number, got 'long'"),
    "seconds without end": (("stats", {"seconds": 10**400}), None, "an integer of 401 digits"),
    "a rate without end": (("plan", 0, "rate", 10**400), None, "an integer of 401 digits"),
}


@pytest.mark.parametrize("case", FORGED)
@pytest.mark.parametrize("study", ["alone", "played"])
def test_a_forged_bound_is_neither_certified_nor_simulated_with(request, study, case):
    *changes, message = FORGED[case]
    folder = request.getfixturevalue(study)
    forged = json.loads((folder / "bound.json").read_text(encoding="utf-8"))
    for *way, key, value in filter(None, changes):
        inner = forged
        for step in way:
            inner = inner[step]
        inner[key] = value
    (folder / "bound.json").write_text(json.dumps(forged), encoding="utf-8")
    (folder / "simulation.zip").unlink(missing_ok=True)
    before = state(folder)
    with pytest.raises(InvalidInputError, match=f"bound.json must .*{message}.*: remove it, or choose another folder"):
        run_again()
    assert state(folder) == before


def test_a_number_above_all_floats_is_none(alone):
    path = Path("study-results/bound.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub('"rate": [0-9.]+', '"rate": 1e999', text, count=1), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="1e999, which is too large for a float"):
        run_again()


def test_a_run_of_plain_python_is_completed(place, monkeypatch):
    sb.simulate(
        sb.MSets(4, 2),
        sb.GaussianRewards([1, 0.75, 0.5, 0.25], variance=np.full(4, 0.5)),
        [sb.CUCB(), sb.ThompsonSampling()],
        horizon=300,
        replications=4,
        folder="study-results",
    )
    no_work(monkeypatch)
    result = run_again()
    assert result.finished_before
    assert set(result.written) == {"about.json", "instance.json", "regret.png", "report.html", "study.toml", "summary.csv"}
    assert result.simulation.lower_bound == pytest.approx(BOUND)


def test_a_full_disk_at_the_first_replication_leaves_the_folder_free(place, monkeypatch):
    def full(path, *_):
        raise InvalidInputError(f"{path} must be writable, got No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("semibandits.simulation.parts.write_archive", full)
        with pytest.raises(InvalidInputError, match="No space left"):
            run_again()
    assert names(".") == ["study.toml", "table.csv"]
    run_again()
    assert names("study-results") == FILES


@pytest.mark.parametrize("name", [".lock", "parts"])
def test_links_in_the_folder_are_refused_before_anything_is_solved(place, monkeypatch, name):
    monkeypatch.setattr(run, "solve_bound", None)
    Path("study-results").mkdir()
    Path("study-results", name).symlink_to(place / "table.csv")
    with pytest.raises(InvalidInputError, match=f"{name} must be the folder's own, got a symbolic link"):
        run_again()
    assert names("study-results") == [name]
    assert Path("table.csv").read_text(encoding="utf-8") == TABLE


def test_a_bound_that_was_not_found_is_not_sought_again(place, monkeypatch):
    def fail(*_, **__):
        raise SolverError("not in time")

    with monkeypatch.context() as patched:
        patched.setattr(run, "solve_bound", fail)
        with pytest.raises(ZeroDivisionError):
            run_again(progress=stop(3))
    monkeypatch.setattr(run, "solve_bound", None)
    result = run_again()
    assert (result.bound, result.simulation.lower_bound) == (None, None)
    assert names("study-results") == [name for name in FILES if name != "bound.json"]


def test_without_a_folder_nothing_is_kept(place):
    study = dataclasses.replace(read_study("study.toml"), output=Output())
    for rewards in ("gaussian", "bernoulli"):
        result = run_study(dataclasses.replace(study, simulation=dataclasses.replace(study.simulation, rewards=rewards)))
        assert (result.folder, result.report, result.written) == (None, None, ())
        assert result.simulation.lower_bound == result.bound.lower
        assert result.bound.rewards == rewards
    alone = run_study(dataclasses.replace(study, simulation=None))
    assert alone.bound.value == pytest.approx(BOUND)
    assert names(".") == ["study.toml", "table.csv"]


def test_studies_are_built_in_python_too(place):
    study = Study(
        problem=find_problem("polska", sb.studies.ProblemOptions(family="trees")),
        simulation=SimulationOptions(policies=("CUCB",), horizon=50, replications=2),
        bound=BoundOptions(gap=1e-3),
        output=Output(folder=Path("out"), report=False),
    )
    result = run_study(study)
    assert result.simulation.policies == ("CUCB",)
    assert read_study("out/study.toml").simulation == study.simulation
    about = json.loads(Path("out/about.json").read_text(encoding="utf-8"))
    assert (about["origin"], about["title"]) == ("modelled", "polska, spanning trees")
    assert "SNDlib" in about["provenance"]


def test_a_file_without_a_name_keeps_that_of_the_file(place):
    Path("shortlist.json").write_text('{"family": "msets", "size": 1, "theta": [1, 0.5]}', encoding="utf-8")
    run_text('[problem]\nfile = "shortlist.json"\n')
    again = run_study(read_study("study-results/study.toml"))
    assert again.finished_before
    assert again.problem.instance.name == "shortlist"
