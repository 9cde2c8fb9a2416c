"""A run that is killed goes on where it was, without losing or changing one bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from killed_run import simulate

import semibandits as sb
from semibandits.simulation.parts import PARTS, RESULT, TIMINGS, DamagedPartWarning

SCRIPT = Path(__file__).parent / "killed_run.py"


def run_and_kill(folder: Path, after: int) -> None:
    """kill -9 the script once it has told of `after` finished replications."""
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
def test_a_damaged_part_is_named_and_played_again(tmp_path, damage):
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


def test_a_folder_is_not_overwritten_or_mixed_up(tmp_path):
    small(tmp_path)
    with pytest.raises(sb.InvalidInputError, match="pass resume=True"):
        small(tmp_path)
    with pytest.raises(sb.InvalidInputError, match="got another horizon, checkpoints"):
        small(tmp_path, resume=True, horizon=60)
    (tmp_path / "specification.json").write_text("{")
    with pytest.raises(sb.InvalidInputError, match="readable JSON"):
        small(tmp_path, resume=True)
    (tmp_path / "specification.json").unlink()
    with pytest.raises(sb.InvalidInputError, match="new or hold an unfinished run"):
        small(tmp_path, resume=True)


def test_timings_go_to_a_file_of_their_own(tmp_path):
    interrupted(tmp_path, 4)
    small(tmp_path, resume=True)
    seconds = json.loads((tmp_path / TIMINGS).read_text())["seconds"]
    assert {policy: sorted(own) for policy, own in seconds.items()} == {p: ["0", "1", "2"] for p in ("CUCB", "ESCB")}
    assert all(value >= 0 for own in seconds.values() for value in own.values())


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(sb.InvalidInputError, match="folder must be writable"):
        small(tmp_path / "file" / "run")
