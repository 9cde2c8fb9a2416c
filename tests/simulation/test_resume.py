"""A killed run resumes without losing replications or changing a bit."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from killed_run import simulate

import semibandits as sb
from semibandits.simulation.parts import LOCK, PARTS, RESULT, TIMINGS, DamagedPartWarning

SCRIPT = Path(__file__).parent / "killed_run.py"


def run_and_kill(folder: Path, after: int) -> None:
    """Kill the script by SIGKILL after `after` finished replications."""
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(after):
            assert process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
        assert process.stdout.readline()  # one more is stored, and the script waits
        process.kill()
        assert process.wait() == -9


def test_killed_twice_and_resumed_gives_the_same_file(tmp_path):
    simulate(str(tmp_path / "undisturbed"), slow=False)
    disturbed = tmp_path / "disturbed"
    run_and_kill(disturbed, 2)
    assert len(list((disturbed / PARTS).glob("*.zip"))) == 3
    assert not (disturbed / RESULT).exists()
    run_and_kill(disturbed, 4)
    assert len(list((disturbed / PARTS).glob("*.zip"))) == 8
    simulate(str(disturbed), slow=False, n_jobs=2)
    assert (disturbed / RESULT).read_bytes() == (tmp_path / "undisturbed" / RESULT).read_bytes()
    assert not (disturbed / PARTS).exists()


def interrupted(folder: Path, after: int) -> list[Path]:
    """A run that stopped after some replications: the stored ones."""

    class StopHereError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == after:
            raise StopHereError

    with pytest.raises(StopHereError):
        small(folder, progress=stop)
    return sorted((folder / PARTS).glob("*.zip"))


def small(folder: Path, **more) -> sb.SimulationResult:
    arguments = {"horizon": 50, "replications": 3, "seed": 2, "folder": folder} | more
    return sb.simulate(sb.MSets(4, 2), sb.GaussianRewards([0.1, 0.2, 0.5, 0.6]), [sb.CUCB(), sb.ESCB()], **arguments)


@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "foreign"])
def test_a_damaged_part_is_reported_and_played_again(tmp_path, damage):
    whole = small(tmp_path / "whole")
    parts = interrupted(tmp_path / "run", 4)
    victim = parts[1]
    content = bytearray(victim.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "truncate":
        content = content[: len(content) // 2]
    elif damage == "empty":
        content = bytearray()
    else:
        content = bytearray(parts[0].read_bytes())
    victim.write_bytes(bytes(content))
    done: list[int] = []
    with pytest.warns(DamagedPartWarning, match=victim.name):
        result = small(tmp_path / "run", resume=True, progress=lambda k, total: done.append(k))
    assert done == [4, 5, 6]
    for policy in whole.policies:
        assert np.array_equal(whole.regret[policy], result.regret[policy])
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "whole" / RESULT).read_bytes()


def test_a_finished_run_is_read_and_nothing_is_played(tmp_path):
    first = small(tmp_path)
    before = (tmp_path / RESULT).stat().st_mtime_ns
    calls: list[int] = []
    second = small(tmp_path, resume=True, progress=lambda done, total: calls.append(done))
    assert calls == []
    assert (tmp_path / RESULT).stat().st_mtime_ns == before
    assert np.array_equal(first.regret["CUCB"], second.regret["CUCB"])
    assert np.array_equal(sb.load_simulation(tmp_path / RESULT).regret["CUCB"], first.regret["CUCB"])


def test_parts_left_beside_a_finished_result_are_removed(tmp_path):
    """A process may die after it has written the result, and before it has removed the parts."""
    small(tmp_path / "run")
    (tmp_path / "run" / PARTS).mkdir()
    (tmp_path / "run" / PARTS / "CUCB-00000000-000000.zip").write_bytes(b"")
    small(tmp_path / "run", resume=True)
    assert not (tmp_path / "run" / PARTS).exists()


def test_a_folder_is_not_overwritten_or_mixed_up(tmp_path):
    small(tmp_path)
    with pytest.raises(sb.InvalidInputError, match="add resume=True to continue it"):
        small(tmp_path)
    with pytest.raises(sb.InvalidInputError, match="got another horizon, checkpoints"):
        small(tmp_path, resume=True, horizon=40)
    (tmp_path / "specification.json").write_text("{")
    with pytest.raises(sb.InvalidInputError, match="readable JSON"):
        small(tmp_path, resume=True)
    (tmp_path / "specification.json").write_text('{"versions": {}}')
    with pytest.raises(sb.InvalidInputError, match="must describe a simulation, got other content"):
        small(tmp_path, resume=True)
    (tmp_path / "specification.json").unlink()
    with pytest.raises(sb.InvalidInputError, match="new or hold an unfinished run"):
        small(tmp_path, resume=True)


def test_the_order_of_the_policies_does_not_matter_for_a_resume(tmp_path):
    interrupted(tmp_path, 4)
    played: list[int] = []
    result = sb.simulate(
        sb.MSets(4, 2),
        sb.GaussianRewards([0.1, 0.2, 0.5, 0.6]),
        [sb.ESCB(), sb.CUCB()],
        horizon=50,
        replications=3,
        seed=2,
        folder=tmp_path,
        resume=True,
        progress=lambda done, total: played.append(done),
    )
    assert played == [5, 6]
    assert result.policies == ("ESCB", "CUCB")


def test_a_part_that_cannot_be_opened_is_an_error_and_stays(tmp_path, monkeypatch):
    parts = interrupted(tmp_path, 2)

    def no_more_files(path, mode):
        if Path(path).suffix == ".zip":
            raise OSError(errno.EMFILE, "too many open files")
        return open(path, mode)

    with monkeypatch.context() as patch:
        patch.setattr("semibandits._files.open", no_more_files, raising=False)
        with pytest.raises(sb.InvalidInputError, match="must be a readable file"):
            small(tmp_path, resume=True)
    assert all(part.exists() for part in parts)


def test_a_damaged_part_is_kept_until_the_end(tmp_path):
    victim = interrupted(tmp_path, 2)[0]
    victim.write_bytes(b"")
    aside = victim.with_suffix(".damaged")

    class StopAtOnceError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert aside.exists()
        raise StopAtOnceError

    with pytest.warns(DamagedPartWarning), pytest.raises(StopAtOnceError):
        small(tmp_path, resume=True, progress=stop)
    assert aside.read_bytes() == b""
    small(tmp_path, resume=True)
    assert not (tmp_path / PARTS).exists()


def test_a_folder_belongs_to_one_process(tmp_path):
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        with pytest.raises(sb.InvalidInputError, match="one process at a time"):
            simulate(str(tmp_path), slow=False)
        process.kill()
    simulate(str(tmp_path), slow=False)


def test_a_run_that_never_starts_leaves_the_folder_free(tmp_path):
    with pytest.raises(sb.InvalidInputError, match="scheduler must be an address"):
        small(tmp_path, scheduler=7)
    assert small(tmp_path).replications == 3


def test_other_versions_and_another_bound_are_not_mixed_in(tmp_path, monkeypatch):
    interrupted(tmp_path, 2)
    with pytest.raises(sb.InvalidInputError, match="got another bound"):
        small(tmp_path, resume=True, bound=False)
    monkeypatch.setattr("semibandits.simulation.run.versions", lambda: {"semibandits": "9.9.9"})
    with pytest.raises(sb.InvalidInputError, match="got another versions"):
        small(tmp_path, resume=True)


@pytest.mark.parametrize("name", [LOCK, PARTS])
def test_links_that_lead_outside_the_folder_are_refused(tmp_path, name):
    precious = tmp_path / "precious"
    if name == PARTS:
        precious.mkdir()
    else:
        precious.write_text("precious")
    folder = tmp_path / "received"
    folder.mkdir()
    (folder / name).symlink_to(precious)
    with pytest.raises(sb.InvalidInputError, match=f"{name} must be the folder's own, got a symbolic link: remove"):
        small(folder, resume=True)
    assert precious.is_dir() or precious.read_text() == "precious"
    assert [path.name for path in folder.iterdir()] == [name]


@pytest.mark.parametrize("name", ["specification.json", TIMINGS, RESULT, ".specification.json.tmp", ".timings.json.tmp"])
def test_other_links_are_replaced_and_not_followed(tmp_path, name):
    elsewhere = tmp_path / "precious"
    folder = tmp_path / "received"
    folder.mkdir()
    (folder / name).symlink_to(elsewhere)
    small(folder, resume=True)
    assert not elsewhere.exists()


def test_a_file_linked_as_the_lock_keeps_its_content(tmp_path):
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "received").mkdir()
    os.link(tmp_path / "precious", tmp_path / "received" / LOCK)
    small(tmp_path / "received")
    assert (tmp_path / "precious").read_text() == "precious"


def test_timings_are_in_a_separate_file(tmp_path):
    interrupted(tmp_path, 4)
    small(tmp_path, resume=True)
    seconds = json.loads((tmp_path / TIMINGS).read_text())["seconds"]
    assert {policy: sorted(own) for policy, own in seconds.items()} == {p: ["0", "1", "2"] for p in ("CUCB", "ESCB")}
    assert all(value >= 0 for own in seconds.values() for value in own.values())


@pytest.mark.parametrize(
    "content",
    ['{"seconds": []}', '{"seconds": {"CUCB": 3}}', '{"seconds": {"CUCB": {"0": NaN}}}', "{}", "[]", "{",
     '{"seconds": {"CUCB": {"0": "1"}}}', '{"seconds": {"CUCB": {"0": 1e999}}}', "[" * 100_000],
)  # fmt: skip
def test_damaged_timings_are_an_error_before_anything_is_played(tmp_path, content):
    interrupted(tmp_path, 4)
    (tmp_path / TIMINGS).write_text(content)
    with pytest.raises(sb.InvalidInputError, match=r"timings.json must .* got .*: remove it, seconds are then unknown"):
        small(tmp_path, resume=True)
    assert len(list((tmp_path / PARTS).iterdir())) == 4
    assert (tmp_path / TIMINGS).read_text() == content
    (tmp_path / TIMINGS).unlink()
    small(tmp_path, resume=True)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(sb.InvalidInputError, match="folder must be writable"):
        small(tmp_path / "file" / "run")
