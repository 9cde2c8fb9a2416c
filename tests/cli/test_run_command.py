"""``semibandits run``, and behaviour shared with ``semibandits simulate``."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_cases import ALONE, SHORT, STUDY

from semibandits import datasets, graves_lai, load_simulation
from semibandits_studies.studies import run as studies_run


def files(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path(folder).iterdir()}


def test_a_study_is_run_once(study):
    run = study()
    out = run.output(["run", "study.toml"])
    assert out.startswith("table\n")
    assert "4 replications of 300 rounds, seed 0, in " in out
    assert "Finished before" not in out
    assert out.splitlines()[-1] == "Report: study-results/report.html"
    assert max(len(line) for line in out.splitlines()) <= 80
    again = run.output(["run", "study.toml"])
    assert again.splitlines()[-2:] == [
        "Finished before: nothing was solved or played again, nothing was written.",
        "Report: study-results/report.html",
    ]
    Path("study-results/summary.csv").unlink()
    assert "played again, written now: summary.csv.\n" in run(["run", "study.toml"])[1]


def test_simulate_and_run_are_one(study):
    run = study()
    assert run(["run", "study.toml", "--output", "a"])[0] == 0
    out = run.output([*SHORT, "--output", "b"])
    assert out.splitlines()[-1] == "Report: b/report.html"
    a, b = files("a"), files("b")
    assert set(a) == set(b)
    # Others hold times of this run.
    for name in ("simulation.zip", "specification.json", "study.toml", "instance.json", "about.json", "regret.png"):
        assert a[name][0] == b[name][0]
    bounds = [json.loads(each["bound.json"][0]) for each in (a, b)]
    for bound in bounds:
        bound.pop("stats")
    assert bounds[0] == bounds[1]


def test_the_bound_alone_is_printed_as_by_bound(study):
    run = study(ALONE)
    own = run(["bound", "table.csv", "--size", 2, "--variance", 0.5])[1]
    out = run.output(["run", "study.toml"])

    def timeless(text):
        return [line for line in text.splitlines() if not line.startswith("Method")]

    assert timeless(out)[:-1] == timeless(own)
    assert out.splitlines()[-1] == "Report: study-results/report.html"
    one = run.json(["run", "study.toml"])
    other = run.json(["bound", "table.csv", "--size", 2, "--variance", 0.5])
    for each in (one, other):
        each.pop("stats")
    assert one == other
    assert json.loads(Path("study-results/bound.json").read_text(encoding="utf-8")).items() >= one.items()


def test_json_agrees_for_a_run_and_its_folder(study):
    run = study()
    one, other = (run.json(["run", "study.toml"]) for _ in range(2))
    assert one.pop("elapsed") > 0
    assert other.pop("elapsed") is None
    assert one == other
    assert one["folder"] == "study-results"


def test_options_override_the_file(study, monkeypatch):
    seen = {}
    own = studies_run.play

    def play(*arguments, **options):
        seen.update(options)
        return own(*arguments, **options | {"n_jobs": 1, "scheduler": None})

    monkeypatch.setattr(studies_run, "play", play)
    run = study(STUDY + '[execution]\nworkers = 3\n[output]\nfolder = "said"\nfigure = "said.pdf"\n')
    assert run(["run", "study.toml"])[0] == 0
    assert seen["n_jobs"] == 3
    assert Path("said/report.html").exists()
    assert Path("said/said.pdf").exists()
    options = ["--output", "other", "--workers", "auto", "--scheduler", "tcp://host:8786", "--plot", "other.svg"]
    assert run(["run", "study.toml", *options])[0] == 0
    assert (seen["n_jobs"], seen["scheduler"]) == (-1, "tcp://host:8786")
    assert Path("other/report.html").exists()
    assert Path("other.svg").read_bytes().startswith(b"<?xml")
    assert not Path("other/regret.png").exists()
    before = Path("other.svg").stat().st_mtime_ns
    assert run(["run", "study.toml", *options])[0] == 0
    assert Path("other.svg").stat().st_mtime_ns > before  # it was asked for


def test_a_bound_below_a_file_is_refused_before_it_is_solved(study, monkeypatch):
    monkeypatch.setattr(studies_run, "solve_bound", None)
    err = study(ALONE).error(["run", "study.toml", "--output", "table.csv/x"])
    assert "folder must be writable, got Not a directory" in err


def test_a_folder_that_is_removed_while_it_is_used(study, monkeypatch):
    def play(*_, **__):
        raise FileNotFoundError(2, "No such file or directory", "study-results/parts")

    monkeypatch.setattr(studies_run, "play", play)
    assert study().error(["run", "study.toml"]) == (
        "Error: files must stay in place and the disk must have room, got No such file or directory for "
        "study-results/parts: try again\n"
    )


def test_output_that_cannot_be_written(study, monkeypatch):
    run = study(ALONE)
    message = "Error: files must stay in place and the disk must have room, got Bad file descriptor"
    for words in (["run", "study.toml"], ["run", "study.toml", "--json"], ["datasets"]):
        with monkeypatch.context() as patched, os.fdopen(os.open("table.csv", os.O_RDONLY), "w") as read_only:
            patched.setattr(sys, "stdout", read_only)  # as on a full disk, each attempt to write fails
            code, _, err = run(words)
        assert (code, err.count("\n")) == (2, 1)
        assert err.startswith(message)


def test_output_that_cannot_be_written_by_a_process(study):
    """Nor does the end of the process try it again."""
    study(ALONE)
    command = [sys.executable, "-c", "from semibandits_studies.cli import main; main()", "datasets"]
    with open("table.csv", encoding="utf-8") as read_only:
        done = subprocess.run(command, stdout=read_only, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("Error: files must stay in place and the disk must have room, got Bad file descriptor")


@pytest.mark.parametrize("command", [["run", "study.toml"], [*SHORT, "--output", "study-results"]])
def test_one_error_leads_to_a_longer_run(study, command):
    run = study()
    assert run(command)[0] == 0
    before = files("study-results")
    Path("study.toml").write_text(STUDY.replace("horizon = 300", "horizon = 1e3"), encoding="utf-8")
    longer = shlex.join("1000" if word == 300 else str(word) for word in command)
    assert run.error(shlex.split(longer)) == (
        "Error: folder must contain a run of the same horizon, got one of 300 rounds in study-results and now 1000: add "
        "--extend to play all replications again up to the longer horizon (the earlier result is kept until the new one is "
        f"complete), or choose another folder (--output FOLDER); the command is: semibandits {longer} --extend\n"
    )
    assert files("study-results") == before
    assert "1,000 rounds" in run.output(shlex.split(f"{longer} --extend"))
    assert load_simulation("study-results/simulation.zip").checkpoints[-1] == 1000


def test_no_report(study):
    run = study()
    out = run.output([*SHORT, "--output", "a", "--no-report"])
    assert "Report" not in out
    assert not Path("a/report.html").exists()
    out = run.output([*SHORT, "--output", "a", "--resume"])
    assert out.splitlines()[-1] == "Report: a/report.html"


def test_progress_of_both_kinds(study):
    run = study()
    lines = run(["run", "study.toml", "--progress"])[2].splitlines()
    assert lines[-1].startswith("8 of 8 replications, ")
    assert run(["run", "study.toml", "--output", "x", "--no-progress"])[2] == ""
    assert run([*SHORT, "--progress"])[2].startswith("computing C(θ)")
    Path("paths.toml").write_text('[problem]\nnetwork = "germany50"\nsource = "Aachen"\ntarget = "Berlin"\n', encoding="utf-8")
    code, _, err = run(["run", "paths.toml", "--progress"])
    assert code == 0
    assert err.startswith("round 1, ")


def test_datasets_go_wherever_networks_do(run):
    dataset = datasets.load("power-grid")
    answer = run.json(["bound", "power-grid"])
    assert answer["value"] == pytest.approx(graves_lai(dataset.decision_set, dataset.theta, dataset.variance).value)
    assert answer["name"] == dataset.instance.name
    assert set(run.json(["bound", "power-grid", "--variance", 2])["instance"]["variance"]) == {2}


def test_simulations_that_replay(run):
    out = run.output(["simulate", "flights-on-time", "--rewards", "replay", "-p", "CUCB", "-T", 90, "-n", 2, "-o", "a"])
    said = " ".join(out.split())
    assert "observed outcomes, resampled for each item; policies receive the variance 0.25" in said
    assert "no bound is known for these rewards" in said
    assert load_simulation("a/simulation.zip").lower_bound is None
    assert json.loads(Path("a/bound.json").read_text(encoding="utf-8"))["applies"] is False
    assert max(len(line) for line in out.splitlines()) <= 80
