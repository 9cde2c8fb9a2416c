"""Commands that are interrupted: what is kept, what the message says of it, and that they continue to the same bytes."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_cases import ALONE, SHORT, STUDY, TABLE, interrupt, interrupt_after, names

from semibandits.simulation import executors

SIMULATE, STUDIED = [*SHORT, "--output", "kept"], ["run", "study.toml", "--output", "kept"]
AGAIN = {"simulate": [*SIMULATE, "--resume"], "run": STUDIED, "run of the folder": ["run", "kept/study.toml"]}


@pytest.mark.parametrize(("command", "again", "words"), [
    (SIMULATE, "simulate", "run the same command with --resume"),
    (SIMULATE, "run of the folder", "run the same command with --resume"),
    (STUDIED, "run", "run the same command again"),
])  # fmt: skip
def test_an_interrupted_run_is_resumed_to_the_same_bytes(study, monkeypatch, finished, command, again, words):
    run = study()
    with monkeypatch.context() as patched:
        interrupt_after(patched, 3)
        code, out, err = run(command)
    assert (code, out) == (130, "")
    assert err == f"Error: interrupted: 3 of 8 replications are finished and kept in kept; to continue, {words}\n"
    assert len(list(Path("kept/parts").iterdir())) == 3
    assert not Path("kept/summary.csv").exists()
    assert run([*AGAIN[again], "--workers", 2] if again == "run" else AGAIN[again])[0] == 0
    assert Path("kept/simulation.zip").read_bytes() == (finished / "results/simulation.zip").read_bytes()
    timings = json.loads(Path("kept/timings.json").read_text(encoding="utf-8"))["seconds"]
    assert [len(own) for own in timings.values()] == [4, 4]
    out = run.output(AGAIN[again])
    assert "Finished before: nothing was solved or played again, nothing was written." in out


@pytest.mark.parametrize(("command", "words"), [
    (SIMULATE, "--resume writes its table and figure"), (STUDIED, "the same command writes its table and figure"),
])  # fmt: skip
def test_interruptions_at_other_times(study, monkeypatch, command, words):
    run = study()
    with monkeypatch.context() as patched:
        patched.setattr("semibandits.simulation.run.run", interrupt)
        assert run(command) == (130, "", "Error: interrupted before the first replication was finished, nothing written\n")
        assert names() == ["study.toml", "table.csv"]
        Path("kept").mkdir()  # which is the user's, and stays
        run(command)
        assert names("kept") == []
        without = "Error: interrupted, nothing written: --output FOLDER keeps finished replications\n"
        assert run(SHORT) == (130, "", without)
    with monkeypatch.context() as patched:
        patched.setattr("semibandits_studies.studies.run.write_regret_figure", interrupt)
        assert run(command) == (130, "", f"Error: interrupted: kept has the result; {words}\n")
        assert run([*SHORT, "--plot", "p.png"])[2] == "Error: interrupted, nothing written\n"
    assert Path("kept/simulation.zip").exists()
    assert run(AGAIN[command[0]])[0] == 0
    assert Path("kept/regret.png").exists()


def test_interruptions_of_a_bound(study, monkeypatch):
    run = study(ALONE)
    with monkeypatch.context() as patched:
        patched.setattr("semibandits_studies.studies.run.solve_bound", interrupt)
        assert run(["run", "study.toml"]) == (130, "", "Error: interrupted, nothing written\n")
    assert not Path("study-results").exists()
    with monkeypatch.context() as patched:
        patched.setattr("semibandits_studies.reporting.report.write_payload", interrupt)
        code, _, err = run(["run", "study.toml"])
    assert (code, err) == (130, "Error: interrupted: study-results has the bound; the same command writes the rest\n")
    out = run.output(["run", "study.toml"])
    assert "nothing was solved or played again, written now: report.html." in out


def test_damaged_replications_are_played_again_with_a_warning(run, monkeypatch):
    with monkeypatch.context() as patched:
        interrupt_after(patched, 3)
        run(SIMULATE, TABLE)
    part = min(Path("kept/parts").iterdir())
    part.write_bytes(part.read_bytes()[:-100])
    monkeypatch.setattr("warnings.filters", [("default", None, Warning, None, 0)])  # as outside of tests
    code, _, err = run([*SIMULATE, "--resume"])
    assert code == 0
    assert err.startswith(f"Warning: {part}")
    assert err.endswith("the replication is played again\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize("swallowed", ["lost", "taken for a fault"])
def test_an_interruption_that_compilation_swallows_is_not_lost(run, monkeypatch, swallowed):
    def choose(*_):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        if swallowed != "lost":
            raise RuntimeError("no compiled object yet")
        return own(*_)

    own = executors.replicate
    monkeypatch.setattr(executors, "replicate", choose)
    before = signal.getsignal(signal.SIGINT)
    code, out, err = run(SIMULATE, TABLE)
    assert (code, out) == (130, "")
    assert ("1 of 8 replications are finished" if swallowed == "lost" else "nothing written") in err
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_in_a_process(tmp_path):
    """A study far longer than the test, interrupted once it reports a finished replication."""
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY.replace("replications = 4", "replications = 30_000"), encoding="utf-8")
    words = [Path(sys.executable).with_name("semibandits"), "run", "study.toml", "--progress"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while "replications, " not in (line := process.stderr.readline()):
                assert line, "the program has ended before a replication was finished"
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out) == (130, "")
    assert "of 60,000 replications are finished and kept in study-results; to continue, run the same command again" in err
    assert "Traceback" not in err
    assert list((tmp_path / "study-results" / "parts").glob("*.zip"))
    assert (tmp_path / "study-results" / "study.toml").exists()
