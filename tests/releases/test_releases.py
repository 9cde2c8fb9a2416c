"""Everything that an earlier release wrote can be read: the promise of docs/reference/stability.md.

`keep.py` wrote the files. Choices after a restart may differ between versions; what was learnt may not.
"""

import json
import shutil
from pathlib import Path

import pytest
from keep import facts_of, means_of, played, signatures

import semibandits as sb
from semibandits.studies import read_study, run_study
from semibandits_studies.studies import run

RELEASES = sorted(path for path in Path(__file__).parent.iterdir() if (path / "learners.json").exists())
CASES = [(path, name) for path in RELEASES for name in json.loads((path / "learners.json").read_text("utf-8"))]
BOUNDS = [(path, name) for path in RELEASES for name in json.loads((path / "bounds.json").read_text("utf-8"))]

HOOKS = {"covers_at"}
"""Methods by which rules of this library talk to their agent, on no page of the reference, that are gone."""


def named(case):
    return f"{case[0].name}-{case[1]}"


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.name)
def test_names_and_parameters_are_kept_with_their_defaults(path):
    """Parameters may be added, and a parameter that had no default may have one."""
    kept, now = json.loads((path / "names.json").read_text("utf-8")), dict(signatures())
    kept = {name: parameters for name, parameters in kept.items() if name.rpartition(".")[2] not in HOOKS}
    assert [name for name in kept if name not in now] == []
    changed = {}
    for name, parameters in kept.items():
        for parameter, (kind, default) in (parameters or {}).items():
            new_kind, new_default = (now[name] or {}).get(parameter, (None, None))
            if new_kind != kind or default not in (None, new_default):
                changed[name, parameter] = (kind, default), (new_kind, new_default)
    assert changed == {}


def test_this_release_is_among_them():
    assert sb.__version__ in {path.name for path in RELEASES}


def check_learner(learner, facts):
    """It knows what it knew, and goes on."""
    assert facts_of(learner) == facts
    rounds = learner.rounds
    played(learner, means_of(learner.decision_set), rounds=6)
    assert learner.rounds == rounds + 6


@pytest.mark.parametrize("case", CASES, ids=named)
def test_learners_know_what_they_knew_and_go_on(case):
    path, name = case
    kept = json.loads((path / "learners.json").read_text("utf-8"))[name]
    check_learner(sb.Learner.from_state(kept["state"]), kept["facts"])


@pytest.mark.parametrize("case", BOUNDS, ids=named)
def test_bounds_are_the_same_and_still_certified(case):
    path, name = case
    kept = json.loads((path / "bounds.json").read_text("utf-8"))[name]
    bound = sb.GravesLaiResult.from_json(kept)
    assert (bound.lower, bound.value) == (kept["lower"], kept["value"])
    assert bound.to_json() == kept
    again = sb.graves_lai(bound.decision_set, bound.theta, law=bound.law)
    assert max(again.lower, bound.lower) <= min(again.value, bound.value) * (1 + 1e-9)


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.name)
def test_a_database_is_opened_and_written(path, tmp_path):
    shutil.copy(path / "learners.db", tmp_path)
    with sb.open_learner(f"sqlite:///{tmp_path / 'learners.db'}", name="films") as learner:
        check_learner(learner, json.loads((path / "database.json").read_text("utf-8")))


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.name)
def test_a_finished_study_is_not_run_again(path, tmp_path, monkeypatch):
    for name in ("solve_bound", "play"):
        monkeypatch.setattr(run, name, lambda *_, **__: pytest.fail("this was done before"))
    shutil.copytree(path, tmp_path, dirs_exist_ok=True)
    result = run_study(read_study(tmp_path / "study.toml"))
    assert result.finished_before
    simulation = sb.load_simulation(tmp_path / "results" / "simulation.zip")
    assert (simulation.horizon, simulation.replications) == (300, 4)
    assert "CUCB" in str(simulation.summary()[0])
