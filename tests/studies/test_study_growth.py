"""A study that grows in its folder: the same files as a new study of that size, and one error that names the remedy."""

from pathlib import Path

import pytest
from study_cases import ALONE, FILES, STUDY, names, no_work, run_text, state

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.reporting.payload import payload_of
from semibandits.reporting.sources import read_results
from semibandits.studies import read_study, run, run_study

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


def compare_with_a_new_study(text):
    """The files in the folder have the bytes of a study that was run at once; others differ in seconds only."""
    before = {name: Path("study-results", name).read_bytes() for name in FILES}
    assert names("study-results") == FILES
    Path("fresh").mkdir()
    Path("fresh/table.csv").write_bytes(Path("table.csv").read_bytes())
    run_text(text, "fresh/study.toml")
    for name in set(FILES) - WITH_SECONDS:
        assert before[name] == Path("fresh/study-results", name).read_bytes(), name


def stop(after):
    def progress(done, total):
        if done >= after:
            raise ZeroDivisionError

    return progress


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", LARGER)
@pytest.mark.parametrize("finished", [True, False])
def test_only_what_is_missing_is_played(place, monkeypatch, case, finished):
    if finished:
        run_study(read_study("study.toml"))
    else:
        with pytest.raises(ZeroDivisionError):
            run_study(read_study("study.toml"), progress=stop(3))
    text, missing = larger(case)
    done = []
    with monkeypatch.context() as patched:
        patched.setattr(run, "solve_bound", None)  # the bound is kept
        result = run_text(text, progress=lambda finished, total: done.append(finished))
    assert len(done) == missing + (0 if finished else 5)
    assert not result.finished_before
    compare_with_a_new_study(text)
    assert payload_of(read_results(Path("study-results")))  # consistent files
    no_work(monkeypatch)
    assert run_text(text).finished_before


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", LONGER)
def test_a_longer_horizon_needs_an_option(place, monkeypatch, case):
    run_study(read_study("study.toml"))
    before = state("study-results")
    text, missing = larger(case)
    with pytest.raises(InvalidInputError, match=r"got one of 300 rounds in study-results and now \d+: add extend=True"):
        run_text(text)
    assert state("study-results") == before
    done = []
    result = run_text(text, extend=True, progress=lambda finished, total: done.append(finished))
    assert len(done) == missing
    assert not result.finished_before
    compare_with_a_new_study(text)
    no_work(monkeypatch)
    assert run_text(text).finished_before
    assert run_text(text, extend=True).finished_before


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", [*LARGER, *LONGER])
@pytest.mark.parametrize("after", [0, 5])
def test_an_interrupted_extension_keeps_the_results_and_continues(place, monkeypatch, case, after):
    run_study(read_study("study.toml"))
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
    compare_with_a_new_study(text)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", [*LARGER, *LONGER])
def test_without_resume_the_first_error_names_the_remedy(place, case):
    run_study(read_study("study.toml"))
    text, _ = larger(case)
    with pytest.raises(InvalidInputError) as error:
        run_text(text, resume=False)
    assert f"add {'extend' if case in LONGER else 'resume'}=True" in str(error.value)
    run_text(text, resume=False, extend=case in LONGER) if case in LONGER else run_text(text)
    compare_with_a_new_study(text)


def test_without_resume_another_study_is_refused_at_once(place):
    run_study(read_study("study.toml"))
    with pytest.raises(InvalidInputError, match=r"got another seed in study-results .*: choose another folder"):
        run_text(STUDY + "seed = 3\n", resume=False)


def test_the_study_in_the_folder_may_be_extended(place):
    run_study(read_study("study.toml"))
    kept = Path("study-results/study.toml")
    kept.write_text(kept.read_text(encoding="utf-8").replace("replications = 4", "replications = 6"), encoding="utf-8")
    assert run_study(read_study(kept)).simulation.replications == 6
    text, _ = larger("replications")
    compare_with_a_new_study(text)


def test_a_simulation_does_not_extend_a_bound(place):
    run_text(ALONE)
    with pytest.raises(InvalidInputError, match="got another simulation in study-results"):
        run_text(STUDY, extend=True)


def test_a_result_without_its_description_is_not_extended(place):
    run_study(read_study("study.toml"))
    Path("study-results/specification.json").unlink()
    assert run_study(read_study("study.toml")).finished_before
    before = state("study-results")
    with pytest.raises(InvalidInputError, match=r"add extend=True"):
        run_text(larger("horizon")[0])
    with pytest.raises(InvalidInputError, match=r"simulation.zip but no specification.json: choose another folder"):
        run_text(larger("horizon")[0], extend=True)
    assert state("study-results") == before
