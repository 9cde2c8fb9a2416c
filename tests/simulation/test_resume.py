"""A killed run resumes without losing replications or changing a bit."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from killed_run import simulate
from small_runs import played, same, small, stopped

import semibandits as sb
from semibandits.simulation.parts import LOCK, PARTS, RESULT, TIMINGS, DamagedPartWarning


def run_and_kill(folder: Path, after: int) -> None:
    """Kill the script by SIGKILL after `after` finished replications."""
    command = [sys.executable, str(Path(__file__).parent / "killed_run.py"), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(after):
            assert process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
        assert process.stdout.readline()  # one more is stored, and the script waits
        with pytest.raises(sb.InvalidInputError, match="one process at a time"):
            simulate(str(folder), slow=False)
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
    simulate(str(disturbed), slow=False)
    assert (disturbed / RESULT).read_bytes() == (tmp_path / "undisturbed" / RESULT).read_bytes()
    assert not (disturbed / PARTS).exists()


DAMAGE = {
    "flipped": lambda content, other: bytes([content[0] ^ 1]) + content[1:],
    "altered": lambda content, other: content[:-300] + bytes([content[-300] ^ 1]) + content[-299:],
    "truncated": lambda content, other: content[: len(content) // 2],
    "empty": lambda content, other: b"",
    "foreign": lambda content, other: other,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_part_is_reported_kept_until_the_end_and_played_again(tmp_path, damage):
    small(tmp_path / "whole")
    foreign, victim, *_ = stopped(tmp_path / "run", 4)
    damaged = DAMAGE[damage](victim.read_bytes(), foreign.read_bytes())
    victim.write_bytes(damaged)
    done: list[int] = []

    def progress(k, total):
        done.append(k)
        assert victim.with_suffix(".damaged").read_bytes() == damaged

    with pytest.warns(DamagedPartWarning, match=victim.name):
        small(tmp_path / "run", resume=True, progress=progress)
    assert done == [4, 5, 6]
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "whole" / RESULT).read_bytes()
    assert not (tmp_path / "run" / PARTS).exists()


def test_a_finished_run_is_read_and_nothing_is_played(tmp_path):
    """Parts that a process left which died after it had written the result are removed."""
    first = small(tmp_path)
    before = (tmp_path / RESULT).stat().st_mtime_ns
    (tmp_path / PARTS).mkdir()
    (tmp_path / PARTS / "CUCB-00000000-000000.zip").write_bytes(b"")
    assert played(tmp_path, resume=True) == 0
    assert not (tmp_path / PARTS).exists()
    assert (tmp_path / RESULT).stat().st_mtime_ns == before
    for again in (small(tmp_path, resume=True), sb.load_simulation(tmp_path / RESULT)):
        assert same(first, again)


def test_a_folder_is_not_overwritten_or_mixed_up(tmp_path):
    small(tmp_path)
    description = tmp_path / "specification.json"
    with pytest.raises(sb.InvalidInputError, match="add resume=True to continue it"):
        small(tmp_path)
    for text, message in (("{", "must hold JSON"), ('{"versions": {}}', "must describe a simulation, got other content")):
        description.write_text(text)
        with pytest.raises(sb.InvalidInputError, match=message):
            small(tmp_path, resume=True)
    description.unlink()
    with pytest.raises(sb.InvalidInputError, match="new or hold an unfinished run"):
        small(tmp_path, resume=True)


def test_the_order_of_the_policies_does_not_matter_for_a_resume(tmp_path):
    stopped(tmp_path, 4)
    assert played(tmp_path, resume=True, policies="ESCB CUCB") == 2
    assert sb.load_simulation(tmp_path / RESULT).policies == ("ESCB", "CUCB")


def test_a_part_that_cannot_be_opened_is_an_error_and_stays(tmp_path, monkeypatch):
    parts = stopped(tmp_path, 2)

    def no_more_files(path, mode):
        if Path(path).suffix == ".zip":
            raise OSError(errno.EMFILE, "too many open files")
        return open(path, mode)

    with monkeypatch.context() as patch:
        patch.setattr("semibandits.formats.files.open", no_more_files, raising=False)
        with pytest.raises(sb.InvalidInputError, match="must be a readable file"):
            small(tmp_path, resume=True)
    assert all(part.exists() for part in parts)


def test_a_run_that_never_starts_leaves_the_folder_free(tmp_path):
    with pytest.raises(sb.InvalidInputError, match="scheduler must be an address"):
        small(tmp_path, scheduler=7)
    assert small(tmp_path).replications == 3
    with pytest.raises(sb.InvalidInputError, match="folder must be writable"):
        small(tmp_path / RESULT / "run")  # in a file


def test_other_versions_and_another_bound_are_not_mixed_in(tmp_path, monkeypatch):
    stopped(tmp_path / "unfinished", 2)
    small(tmp_path / "finished")
    with pytest.raises(sb.InvalidInputError, match="got another bound"):
        small(tmp_path / "unfinished", resume=True, bound=True)
    monkeypatch.setattr("semibandits.simulation.run.versions", lambda: {"semibandits": "9.9.9"})
    for name, more in (("unfinished", {}), ("finished", {"replications": 5})):
        with pytest.raises(sb.InvalidInputError, match="got another versions"):
            small(tmp_path / name, resume=True, **more)


@pytest.mark.parametrize("name", [LOCK, PARTS])
def test_links_that_lead_outside_the_folder_are_refused(tmp_path, name):
    precious, folder = tmp_path / "precious", tmp_path / "received"
    folder.mkdir()
    precious.mkdir() if name == PARTS else precious.write_text("precious")
    (folder / name).symlink_to(precious)
    with pytest.raises(sb.InvalidInputError, match=f"{name} must be the folder's own, got a symbolic link: remove"):
        small(folder, resume=True)
    assert precious.is_dir() or precious.read_text() == "precious"
    assert [path.name for path in folder.iterdir()] == [name]


def test_other_links_are_replaced_and_not_followed(tmp_path):
    """And a file that is linked as the lock keeps its content."""
    folder, links = tmp_path / "received", ("specification.json", TIMINGS, RESULT, ".specification.json.tmp", ".timings.json.tmp")
    folder.mkdir()
    for name in links:
        (folder / name).symlink_to(tmp_path / f"precious {name}")
    (tmp_path / "precious").write_text("precious")
    os.link(tmp_path / "precious", folder / LOCK)
    small(folder, resume=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious", "received"]
    assert (tmp_path / "precious").read_text() == "precious"


DAMAGED_TIMINGS = [
    '{"seconds": []}', '{"seconds": {"CUCB": 3}}', '{"seconds": {"CUCB": {"0": NaN}}}', "{}", "[]", "{",
    '{"seconds": {"CUCB": {"0": "1"}}}', '{"seconds": {"CUCB": {"0": 1e999}}}', "[" * 100_000,
]  # fmt: skip


def test_damaged_timings_are_an_error_before_anything_is_played(tmp_path):
    stopped(tmp_path, 4)
    for content in DAMAGED_TIMINGS:
        (tmp_path / TIMINGS).write_text(content)
        with pytest.raises(sb.InvalidInputError, match=r"timings.json must .* got .*: remove it, seconds are then unknown"):
            small(tmp_path, resume=True)
        assert len(list((tmp_path / PARTS).iterdir())) == 4
        assert (tmp_path / TIMINGS).read_text() == content
    (tmp_path / TIMINGS).unlink()
    small(tmp_path, resume=True)
