"""A database that loses its last transactions while a learner is open: its calls are refused, and its outcomes stay in memory."""

import shutil
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learner_cases import execute, new

from semibandits.errors import StorageError

MESSAGE = r"must contain the entry {} that this process has seen, got {}: the database lost .* learner\.in_memory\(\)"


def opened(url):
    return new(url, snapshot_every=5, timeout=2.0)


def played(learner, calls):
    """The learner after so many calls."""
    for _ in range(calls):
        if learner.open_rounds:
            learner.tell(learner.open_rounds[0].id, [0.5, 1.0])
        else:
            learner.ask()
    return learner


def lose(learner, after):
    """Delete what a replica has not received yet: all that followed an entry."""
    for table in ("journal", "snapshots"):
        execute(learner, f"DELETE FROM semibandits_{table} WHERE seq > :after", after=after)


def check_refused(learner, url, *, kept, known):
    """The learner refuses each call with the same message, has what it had, and writes nothing."""
    before = opened(url).state()
    message = MESSAGE.format(known, "(an earlier end|another entry)")
    for call in (learner.ask, lambda: learner.rounds, learner.prune, learner.state, lambda: learner.forget(0)):
        with pytest.raises(StorageError, match=message):
            call()
        assert learner.in_memory().state() == kept
    assert opened(url).state() == before
    again = played(opened(url), 3)
    assert again.state() == opened(url).state()
    with pytest.raises(StorageError, match=message):
        learner.ask()


@pytest.mark.parametrize("others", [3, 6])
def test_a_learner_does_not_go_on_after_a_failover(url, others):
    """Others may have gone on with as many or more calls than were lost."""
    learner = played(opened(url), 11)
    kept = learner.state()
    lose(learner, 8)
    played(opened(url), others)
    check_refused(learner, url, kept=kept, known=11)


@settings(max_examples=12)
@given(calls=st.integers(1, 12), lost=st.integers(1, 12), others=st.integers(0, 14), is_dropped=st.booleans())
def test_lost_calls_are_noticed_whatever_others_have_done(calls, lost, others, is_dropped):
    lost = min(lost, calls)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/learners.db"
        learner = played(opened(url), calls)
        kept = learner.state()
        lose(learner, calls - lost)
        played(opened(url), others)
        if is_dropped:
            learner._replica.drop()  # as after an error
        check_refused(learner, url, kept=kept, known=calls)


def test_an_outcome_whose_commit_failed_in_a_failover_is_kept(url, monkeypatch):
    learner = played(opened(url), 11)
    asked = learner.open_rounds[0]

    def fails(raw):
        raw.rollback()
        lose(opened(url), 8)
        raise learner._backend._engine.dialect.loaded_dbapi.OperationalError("the server is away")

    monkeypatch.setattr(learner._backend._engine.dialect, "do_commit", fails)
    with pytest.raises(StorageError):
        learner.tell(asked.id, [2.0, 3.0])
    monkeypatch.undo()
    with pytest.raises(StorageError, match=MESSAGE.format(11, "an earlier end")):
        learner.ask()
    assert learner.in_memory().plays.sum() == 12


def test_a_call_that_is_not_committed_is_not_expected_later(url, monkeypatch):
    learner = played(opened(url), 3)
    monkeypatch.setattr(learner._backend._engine.dialect, "do_commit", lambda raw: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        learner.forget(1)
    monkeypatch.undo()
    assert [one.id for one in learner.open_rounds] == [1]
    assert played(learner, 2).state() == opened(url).state()


def test_a_copy_that_is_restored_in_place(file_url, tmp_path):
    played(opened(file_url), 5).close()
    shutil.copy(tmp_path / "learners.db", tmp_path / "copy.db")
    learner = played(opened(file_url), 4)
    kept = learner.state()
    learner.close()
    shutil.copy(tmp_path / "copy.db", tmp_path / "learners.db")
    check_refused(learner, file_url, kept=kept, known=9)


def test_pruning_by_others_is_no_loss(url):
    for behind in range(4):
        learner, other = played(opened(url), 6), opened(url)
        played(other, behind).prune()
        assert learner.state() == other.state()
