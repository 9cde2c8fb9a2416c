"""The file of a database is removed, rotated, replaced or restored under an open learner: no call returns that is not stored."""

import os
import shutil
import sqlite3

import pytest
from learner_cases import new

from semibandits.errors import StorageError

FILE = "learners.db"


def opened(folder):
    return new(f"sqlite:///{folder}/{FILE}", timeout=2.0)


def replace(folder):
    shutil.copy(folder / FILE, folder / "copy")
    os.replace(folder / "copy", folder / FILE)


ACCIDENTS = {
    "removed": ("learners.db", "no such", lambda folder: (folder / FILE).unlink()),
    "rotated": ("learners.db", "no such", lambda folder: (folder / FILE).rename(folder / "learners.db.1")),
    "replaced": ("learners.db", "another", replace),
    "log removed": ("learners.db-wal", "no such", lambda folder: (folder / f"{FILE}-wal").unlink()),
    "index removed": ("learners.db-shm", "no such", lambda folder: (folder / f"{FILE}-shm").unlink()),
}


@pytest.mark.parametrize("name", ACCIDENTS)
def test_calls_after_an_accident_are_refused(tmp_path, name):
    file, got, accident = ACCIDENTS[name]
    learner = opened(tmp_path)
    asked = learner.ask()
    accident(tmp_path)
    for call in (lambda: learner.tell(asked.id, [1.0, 2.0]), learner.ask, lambda: learner.rounds):
        with pytest.raises(StorageError, match=rf"{file} must stay in its place .*, got {got} file: .* open the learner again"):
            call()
    assert learner.in_memory().rounds == 1


@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_during_a_call_is_no_success(tmp_path, name, monkeypatch):
    learner, other = opened(tmp_path), opened(tmp_path)
    other.ask()
    commit = learner._backend._engine.dialect.do_commit

    def commit_late(raw):
        ACCIDENTS[name][2](tmp_path)
        commit(raw)

    monkeypatch.setattr(learner._backend._engine.dialect, "do_commit", commit_late)
    with pytest.raises(StorageError, match="must stay in its place"):
        learner.ask()


def test_a_new_connection_creates_no_file_in_place_of_a_removed_one(tmp_path):
    learner = opened(tmp_path)
    learner.ask()
    learner.close()
    (tmp_path / FILE).unlink()
    with pytest.raises(StorageError, match="got no such file"):
        learner.ask()
    assert not (tmp_path / FILE).exists()


def test_a_file_that_is_put_back_is_used_again(tmp_path):
    learner = opened(tmp_path)
    learner.ask()
    (tmp_path / FILE).rename(tmp_path / "away")
    with pytest.raises(StorageError, match="got no such file"):
        learner.ask()
    (tmp_path / "away").rename(tmp_path / FILE)
    assert learner.ask().id == 1
    assert learner.state() == opened(tmp_path).state()


def test_what_others_do_to_their_files_is_no_accident(tmp_path, monkeypatch):
    """Others open, close, compact and copy the database; the working directory changes; all connections are closed between."""
    learner = opened(tmp_path)
    monkeypatch.chdir("/")
    for _ in range(3):
        learner.tell(learner.ask().id, [1.0, 0.0])
        other = opened(tmp_path)
        other.tell(other.ask().id, [1.0, 0.0])
        other.close()
        learner.close()  # the last connection: the log is deleted
        assert not (tmp_path / f"{FILE}-wal").exists()
        raw = sqlite3.connect(tmp_path / FILE)
        raw.execute("VACUUM")
        learner.ask()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        learner.forget(learner.open_rounds[0].id)
        raw.close()
    assert learner.state() == opened(tmp_path).state()
