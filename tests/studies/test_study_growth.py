"""A study that grows in its folder: the same files as a new study of that size, and one error that names the remedy."""

import shutil
from functools import cache
from pathlib import Path

import pytest
from study_cases import FILES, STUDY, TABLE, names, no_work, run_again, run_text, state, stop

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.studies import read_study, run_study
from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.sources import read_results
from semibandits_studies.studies import run

WITH_SECONDS = {"bound.json", "report.html", "summary.csv", "timings.json"}
"""Files whose bytes differ from run to run, see docs/studies.md."""
LARGER = {
    "replications": ("replications = 4", "replications = 6", 4),
    "a policy": ('"thompson"]', '"thompson", "ESCB"]', 4),
    "a policy, first": ('["CUCB"', '["ESCB:radius=log-loglog", "CUCB"', 4),
}
LONGER = {
    "horizon": ("horizon = 300", "horizon = 1000", 8),
    "horizon and checkpoints": ("horizon = 300", "horizon = 301\ncheckpoints = [{}, 301]", 8),
    "horizon and replications": ("horizon = 300\nreplications = 4", "horizon = 500\nreplications = 5", 10),
}


def larger(case):
    old, new, missing = (LARGER | LONGER)[case]
    points = sb.simulation.checkpoints.log_spaced(300)[:-1].tolist()
    return STUDY.replace(old, new.format(", ".join(map(str, points)))), missing


@pytest.fixture(scope="module")
def new_study(tmp_path_factory):
    """The files of a study that is run at once, by its text."""

    @cache
    def files(text):
        folder = tmp_path_factory.mktemp("new")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setattr("matplotlib.figure.Figure.draw", lambda figure, renderer: None)
            (folder / "table.csv").write_text(TABLE, encoding="utf-8")
            run_text(text)
        return {name: Path(folder, "study-results", name).read_bytes() for name in FILES}

    return files


def assert_same(new):
    """The files in the folder have the bytes of the new study; others differ in seconds only."""
    assert names("study-results") == FILES
    for name in set(FILES) - WITH_SECONDS:
        assert Path("study-results", name).read_bytes() == new[name], name


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", LARGER)
@pytest.mark.parametrize("before", ["played", "begun"])
def test_only_what_is_missing_is_played(place, made, monkeypatch, new_study, case, before):
    shutil.copytree(made / before, "study-results")
    text, missing = larger(case)
    done = []
    with monkeypatch.context() as patched:
        patched.setattr(run, "solve_bound", None)  # the bound is kept
        result = run_text(text, progress=lambda finished, total: done.append(finished))
    assert len(done) == missing + (5 if before == "begun" else 0)
    assert not result.finished_before
    assert_same(new_study(text))
    assert payload_of(read_results(Path("study-results")))  # consistent files
    no_work(monkeypatch)
    assert run_text(text).finished_before


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", LONGER)
def test_a_longer_horizon_needs_an_option(played, monkeypatch, new_study, case):
    before = state("study-results")
    text, missing = larger(case)
    with pytest.raises(InvalidInputError, match=r"got one of 300 rounds in study-results and now \d+: add extend=True"):
        run_text(text)
    assert state("study-results") == before
    done = []
    result = run_text(text, extend=True, progress=lambda finished, total: done.append(finished))
    assert len(done) == missing
    assert not result.finished_before
    assert_same(new_study(text))
    no_work(monkeypatch)
    assert run_text(text).finished_before
    assert run_text(text, extend=True).finished_before


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", [*LARGER, *LONGER])
@pytest.mark.parametrize("after", [0, 5])
def test_an_interrupted_extension_keeps_the_results_and_continues(played, monkeypatch, new_study, case, after):
    kept = Path("study-results/simulation.zip").read_bytes()
    text, _ = larger(case)
    with monkeypatch.context() as patched:
        if after == 0:  # before the first replication is finished
            patched.setattr("semibandits.simulation.run.run", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            run_text(text, extend=True, progress=stop(after))
    assert Path("study-results/simulation.zip").read_bytes() == kept
    assert Path("study-results/report.html").exists()
    run_text(text, extend=after == 0 and case in LONGER)
    assert_same(new_study(text))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", [*LARGER, *LONGER])
def test_without_resume_the_first_error_names_the_remedy(played, case):
    with pytest.raises(InvalidInputError) as error:
        run_text(larger(case)[0], resume=False)
    assert f"add {'extend' if case in LONGER else 'resume'}=True" in str(error.value)


def test_a_longer_horizon_needs_no_resume(played, new_study):
    text, _ = larger("horizon")
    run_text(text, resume=False, extend=True)
    assert_same(new_study(text))


def test_the_study_in_the_folder_may_be_extended(played, new_study):
    kept = played / "study.toml"
    kept.write_text(kept.read_text(encoding="utf-8").replace("replications = 4", "replications = 6"), encoding="utf-8")
    assert run_study(read_study(kept)).simulation.replications == 6
    assert_same(new_study(larger("replications")[0]))


def test_a_result_without_its_description_is_not_extended(played):
    (played / "specification.json").unlink()
    assert run_again().finished_before
    before = state(played)
    with pytest.raises(InvalidInputError, match=r"add extend=True"):
        run_text(larger("horizon")[0])
    with pytest.raises(InvalidInputError, match=r"simulation.zip but no specification.json: choose another folder"):
        run_text(larger("horizon")[0], extend=True)
    assert state(played) == before
