"""Running studies: once, again, after a kill, and after a change."""

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from study_cases import ALONE, BOUND, FILES, STUDY, TABLE, names, no_work, run_again, run_text, state

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.studies import Output, read_study, run_study
from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.report import write_payload
from semibandits_studies.reporting.sources import read_results
from semibandits_studies.studies import run

SCRIPT = Path(__file__).parent / "killed_study.py"


def test_a_study_leaves_all_its_files(place):
    result = run_again()
    assert result.folder == Path("study-results")
    assert names("study-results") == FILES
    assert result.report == Path("study-results/report.html")
    assert not result.finished_before
    assert result.bound.value == pytest.approx(BOUND)
    kept = json.loads(Path("study-results/bound.json").read_text(encoding="utf-8"))
    assert kept["applies"] is True
    assert kept["asked"] == {"method": "auto", "gap": 1e-4, "time_limit": 60, "tie_tolerance": 1e-12}
    assert (kept["lower"], kept["value"]) == result.simulation.lower_bound_interval
    about = json.loads(Path("study-results/about.json").read_text(encoding="utf-8"))
    assert about == {"title": "table", "question": None, "origin": None, "provenance": None, "licence": None}
    own = sb.simulate(
        sb.MSets(4, 2),
        sb.GaussianRewards([1, 0.75, 0.5, 0.25], variance=0.5),
        [sb.CUCB(), sb.ThompsonSampling()],
        horizon=300,
        replications=4,
    )
    for policy in ("CUCB", "ThompsonSampling"):
        np.testing.assert_array_equal(result.simulation.regret[policy], own.regret[policy])
    assert result.simulation.lower_bound == pytest.approx(own.lower_bound, rel=1e-12)


def test_the_file_determines_the_run(place, monkeypatch):
    seen = {}

    def solve(*arguments, **options):
        seen.update(options)
        return sb.graves_lai(*arguments, **options)

    monkeypatch.setattr(run, "solve_bound", solve)
    bound = '[bound]\nmethod = "cycles"\ngap = 0.02\ntime_limit = 7\ntie_tolerance = 1e-9\n'
    result = run_text(STUDY + "seed = 5\ncheckpoints = [7, 300]\n" + bound)
    assert result.simulation.checkpoints.tolist() == [7, 300]
    own = sb.simulate(sb.MSets(4, 2), sb.GaussianRewards([1, 0.75, 0.5, 0.25]), sb.CUCB(), horizon=300, replications=4, seed=5)
    np.testing.assert_array_equal(result.simulation.regret["CUCB"][:, -1], own.regret["CUCB"][:, -1])
    said = {"method": "cycles", "gap": 0.02, "time_limit": 7, "throw": False, "tie_tolerance": 1e-9, "progress": None}
    said["features"] = None
    assert seen.pop("law") == sb.laws.Gaussian([0.5] * 4)
    assert seen == said
    run_text(STUDY + f'rewards = "bernoulli"\n[output]\nfolder = "clicks"\n{bound}')
    assert seen.pop("law") == sb.laws.Bernoulli()
    assert seen == said
    run_text(ALONE + '[output]\nfolder = "alone"\n')
    assert seen.pop("law") == sb.laws.Gaussian([0.5] * 4)
    assert seen == said | {"method": "auto", "gap": 1e-4, "time_limit": None, "throw": True, "tie_tolerance": 1e-12}


def test_a_finished_study_is_left_alone(place, monkeypatch):
    first = run_again()
    before = state("study-results")
    no_work(monkeypatch)
    for path in ("study.toml", "study-results/study.toml"):
        again = run_study(read_study(path))
        assert again.finished_before
        assert again.written == ()
        np.testing.assert_array_equal(again.simulation.regret["CUCB"], first.simulation.regret["CUCB"])
        assert again.bound.value == first.bound.value
        assert again.answer.seconds == first.answer.seconds
    assert state("study-results") == before


def test_it_is_read_with_other_versions_too(played, monkeypatch):
    monkeypatch.setattr("semibandits.simulation.run.versions", lambda: {"semibandits": "9.9.9"})
    no_work(monkeypatch)
    assert run_again().finished_before


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [name for name in FILES if name not in ("simulation.zip", "timings.json")])
def test_only_missing_files_are_written(played, monkeypatch, name):
    before = state("study-results")
    Path("study-results", name).unlink()
    no_work(monkeypatch)
    again = run_again()
    after = state("study-results")
    made = name not in ("bound.json", "specification.json")  # these would need work, and serve an unfinished run
    assert again.written == ((name,) if made else ())
    assert (name in after) == made
    if name in ("about.json", "instance.json", "study.toml", "summary.csv"):
        assert after[name][0] == before[name][0]
    assert {key: value for key, value in after.items() if key != name} == {
        key: value for key, value in before.items() if key != name
    }


def run_and_kill(when: str, after: int) -> None:
    """kill -9 the script once it waits for us, `after` times answered."""
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), "study.toml", when], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        for _ in range(after):
            assert process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
        assert process.stdout.readline()
        process.kill()
        assert process.wait() == -9


def test_a_killed_study_resumes_to_the_same_bytes(place, monkeypatch):
    whole = run_study(dataclasses.replace(read_study("study.toml"), output=Output(folder=Path("whole"))))
    run_and_kill("between", 2)
    assert len(list(Path("study-results/parts").glob("*.zip"))) == 3
    assert not Path("study-results/simulation.zip").exists()
    bound = state("study-results")["bound.json"]
    monkeypatch.setattr(run, "solve_bound", None)  # the bound is known
    played = []
    result = run_again(progress=lambda done, total: played.append(done))
    assert played == [4, 5, 6, 7, 8]
    assert not result.finished_before
    assert names("study-results") == FILES
    assert state("study-results")["bound.json"] == bound
    for name in ("simulation.zip", "instance.json", "about.json", "study.toml", "specification.json"):
        assert Path("study-results", name).read_bytes() == Path("whole", name).read_bytes()
    assert whole.bound.value == result.bound.value


def test_a_study_killed_before_anything_was_played_keeps_its_bound(place, monkeypatch):
    run_and_kill("before", 0)
    assert names("study-results") == ["bound.json"]
    before = state("study-results")["bound.json"]
    monkeypatch.setattr(run, "solve_bound", None)
    assert run_again().bound.value == pytest.approx(BOUND)
    assert state("study-results")["bound.json"] == before


CHANGES = {
    "horizon": ("horizon = 300", "horizon = 299", "horizon in study-results (horizon = 299, was 300)"),
    "replications": ("replications = 4", "replications = 3", "replications in study-results (replications = 3, was 4)"),
    "fewer policies": ('"CUCB", "thompson"', '"CUCB"', 'policies = ["CUCB"], was ["CUCB", "ThompsonSampling"]'),
    "more and a seed": ("replications = 4", "replications = 5\nseed = 7", "seed in study-results (seed = 7, was 0)"),
    "seed": ("horizon", "seed = 7\nhorizon", "seed in study-results (seed = 7, was 0)"),
    "policies": ('"thompson"', '"ts:scale=2"', 'was ["CUCB", "ThompsonSampling"]'),
    "rewards": ("horizon", 'rewards = "bernoulli"\nhorizon', 'rewards = "bernoulli", was "gaussian"'),
    "checkpoints": ("horizon", "checkpoints = [300]\nhorizon", "checkpoints = [300], was absent"),
    "gap": ("[problem]", "[bound]\ngap = 0.01\n[problem]", "gap in study-results (gap = 0.01, was 0.0001)"),
    "time": ("[problem]", "[bound]\ntime_limit = 5\n[problem]", "time_limit = 5.0, was 60.0"),
    "file": ("0.75", "0.8", "instance in study-results (table.csv has changed)"),
    "size": ("size = 2", "size = 1", "instance in study-results (table.csv has changed)"),
    "problem": ('file = "table.csv"\nsize = 2', 'network = "polska"\nfamily = "trees"', "got another network, family, file"),
    "no simulation": (STUDY[STUDY.index("[sim") :], "", "another simulation in study-results ([simulation] was present): choose"),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CHANGES)
@pytest.mark.parametrize("before", ["played", "begun"])
def test_a_changed_study_is_refused(place, made, case, before):
    shutil.copytree(made / before, "study-results")
    assert Path("study-results/parts").exists() == (before == "begun")
    kept = state("study-results")
    old, new, message = CHANGES[case]
    Path("table.csv").write_text(TABLE.replace(old, new), encoding="utf-8")
    for resume in (True, False):
        with pytest.raises(InvalidInputError) as error:
            run_text(STUDY.replace(old, new), resume=resume)
        assert message in str(error.value)
        assert str(error.value).endswith("choose another folder (folder='FOLDER'), or continue the run as it was started")
        assert state("study-results") == kept


@pytest.mark.parametrize(("old", "new", "message"), [
    ("horizon = 300", "horizon = 299", "got another horizon, checkpoints in study-results: choose another folder"),
    ("horizon = 300", "horizon = 301", "got one of 300 rounds in study-results and now 301: add extend=True to play"),
    ("gap = 0.0001", "gap = 0.01", "bound.json must contain the bound of this study, got another gap: choose another"),
    ('rewards = "gaussian"', 'rewards = "bernoulli"', "got another rewards"),
])  # fmt: skip
def test_the_study_in_the_folder_cannot_be_changed_either(played, old, new, message):
    kept = Path("study-results/study.toml")
    kept.write_text(kept.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInputError, match=message):
        run_study(read_study(kept))


def test_execution_and_output_may_change(played, monkeypatch):
    no_work(monkeypatch)
    text = STUDY + '[execution]\nworkers = "auto"\n[output]\nfigure = "new.pdf"\nreport = false\n'
    assert run_text(text).finished_before
    assert Path("study-results/new.pdf").read_bytes().startswith(b"%PDF")
    before = Path("study-results/new.pdf").stat().st_mtime_ns
    run_text(text)
    assert Path("study-results/new.pdf").stat().st_mtime_ns == before
    run_text(text, redraw=True)
    assert Path("study-results/new.pdf").stat().st_mtime_ns > before


REPORTED = {
    "a bound and a simulation": STUDY,
    "a bound alone": ALONE,
    "another law": STUDY + 'rewards = "bernoulli"\n',
    "late outcomes": STUDY + "delay = 5\n",
    "a dataset": '[problem]\ndataset = "germany50-routing"\n[bound]\ngap = 0.01\n',
    "replayed outcomes": '[problem]\ndataset = "flights-on-time"\n[simulation]\npolicies = ["GLADE"]\nhorizon = 100\n'
    'replications = 2\nrewards = "replay"\n',
}


@pytest.mark.parametrize("text", REPORTED.values(), ids=REPORTED)
def test_the_report_of_a_run_is_that_of_its_folder(place, text):
    """It is made from results in memory, not from the files."""
    result = run_text(text)
    made = result.report.read_bytes()
    write_payload(payload_of(read_results(result.folder)), Path("again.html"))
    assert Path("again.html").read_bytes() == made
    result.report.unlink()
    assert run_text(text).report.read_bytes() == made


def test_the_folder_repeats_the_run_without_the_file(played):
    Path("table.csv").unlink()
    Path("study.toml").unlink()
    study = read_study("study-results/study.toml")
    again = run_study(dataclasses.replace(study, output=dataclasses.replace(study.output, folder=Path("again"))))
    assert not again.finished_before
    with_seconds = {"bound.json", "report.html", "summary.csv", "timings.json"}  # docs/studies.md names them
    for name in set(FILES) - with_seconds:
        assert Path("again", name).read_bytes() == Path("study-results", name).read_bytes()
    one, other = (json.loads(Path(folder, "bound.json").read_text("utf-8")) for folder in ("again", "study-results"))
    assert one | {"stats": {}} == other | {"stats": {}}
    page = Path(__file__).parents[2].joinpath("docs", "studies.md").read_text(encoding="utf-8")
    same, seconds = page.split("### Which files have the same bytes")[1].split("### The bound")[0].split("The other files")
    assert {name for name in FILES if name in same} == set(FILES) - with_seconds
    assert {name for name in FILES if name in seconds} == with_seconds | {"simulation.zip"}  # whose bracket may differ


def test_options_of_files_are_inlined(place):
    Path("films.csv").write_text("item,theta,group\na,1,x\nb,0.5,x\nc,0.8,y\nd,0.1,y\n", encoding="utf-8")
    run_text('[problem]\nfile = "films.csv"\ncapacity = [1, "y=2"]\nvariance = 2\n', "films.toml")
    assert run_study(read_study("films-results/study.toml")).finished_before
    kept = json.loads(Path("films-results/instance.json").read_text(encoding="utf-8"))
    assert kept["matroid"]["capacities"] == {"x": 1, "y": 2}
    assert (kept["variance"], kept["name"]) == (2, "films")


def test_policies_start_with_the_means_of_the_problem(place):
    """As by `simulate` with this prior, and a folder remembers it."""
    text = ALONE + '[simulation]\npolicies = ["CUCB"]\nhorizon = 50\nreplications = 3\nprior_plays = 4\n'
    result = run_text(text + '[output]\nfolder = "known"\n').simulation
    theta = [1.0, 0.75, 0.5, 0.25]
    rewards = sb.GaussianRewards(theta, variance=0.5)
    twin = sb.simulate(sb.MSets(4, 2), rewards, sb.CUCB(), 50, 3, prior_means=theta, prior_plays=4, bound=False)
    assert result.regret["CUCB"].tolist() == twin.regret["CUCB"].tolist()
    assert run_study(read_study("known/study.toml")).finished_before
    known = "all policies know the true means before the first round, as if from 4 outcomes each"
    page = Path("known/report.html").read_text(encoding="utf-8")
    assert f"<dd>{known}</dd>" in page
    assert f". A{known[1:]}. The table" in page


def test_what_is_done_today_is_played_beside_the_policies(place):
    """By the names of the items; the report says what learning earns beside it, and a folder remembers it."""
    text = STUDY + 'today = ["w", "v"]\n'
    study = run_text(text + '[output]\nfolder = "compared"\n')
    result = study.simulation
    assert result.policies == ("CUCB", "ThompsonSampling", "today")
    assert result.regret["today"][:, -1] == pytest.approx(300 * 0.5)
    page = Path("compared/report.html").read_text(encoding="utf-8")
    assert "The policy today, which does not learn, lost 150" in page
    assert run_study(read_study("compared/study.toml")).finished_before
    with pytest.raises(InvalidInputError, match=r"named one by one, got 'w, v': write today = "):
        run_text(STUDY + 'today = ["w, v"]\n')
    with pytest.raises(InvalidInputError, match="item of today must be a known name, got 'z'"):
        run_text(STUDY + 'today = ["z"]\n')
