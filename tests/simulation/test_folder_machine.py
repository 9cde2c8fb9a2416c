"""Any sequence of runs in one folder: they grow, stop, die while a file is written, and find damaged parts."""

import os
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from small_runs import POLICIES, small

import semibandits as sb
from semibandits.simulation.parts import PARTS, RESULT, DamagedPartWarning

HORIZONS = (20, 50, 120)
MEMORY = Path("/dev/shm")


class Killed(BaseException):
    """The process ends here."""


def new_folder():
    return Path(tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None))


def run(folder, size, **more):
    policies, replications, horizon = size
    return small(folder, " ".join([*POLICIES][:policies]), horizon=HORIZONS[horizon], replications=replications, **more)


@cache
def undisturbed(size):
    """Bytes of the result of a run in a new folder."""
    folder = new_folder()
    run(folder, size)
    content = (folder / RESULT).read_bytes()
    shutil.rmtree(folder)
    return content


class Machine(RuleBasedStateMachine):
    """One folder; `size` is that of the latest run, `complete` that of the result in the folder."""

    @initialize()
    def start(self):
        self.folder, self.size, self.complete, self.is_damaged = new_folder(), (1, 1, 0), None, False

    def grown(self, data):
        """The size of the next run, none of it smaller."""
        limits = (len(POLICIES), 4, len(HORIZONS) - 1)
        return tuple(data.draw(st.integers(least, min(least + 1, most))) for least, most in zip(self.size, limits, strict=True))

    def resumed(self, size, **more):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if self.is_damaged else "error", DamagedPartWarning)
            return run(self.folder, size, resume=True, extend=True, **more)

    @rule(data=st.data())
    def finish(self, data):
        self.size = self.grown(data)
        self.resumed(self.size)
        self.complete, self.is_damaged = self.size, False
        assert not (self.folder / PARTS).exists()

    @rule(data=st.data(), after=st.integers(1, 5))
    def stop(self, data, after):
        size, seen = self.grown(data), []

        def progress(done, total):
            seen.append(done)
            if len(seen) == after and done < total:
                raise Killed

        self.size = size
        try:
            self.resumed(size, progress=progress)
        except Killed:
            return
        self.complete, self.is_damaged = size, False

    @rule(data=st.data(), after=st.integers(0, 8), is_late=st.booleans())
    def die_while_a_file_is_written(self, data, after, is_late):
        """The process ends before or after a rename."""
        self.size, left, replace = self.grown(data), [after], os.replace

        def dying(source, target):
            left[0] -= 1
            if left[0] >= 0:
                return replace(source, target)
            if is_late:
                replace(source, target)
            raise Killed

        try:
            with mock.patch("semibandits.formats.files.os.replace", dying):
                self.resumed(self.size)
        except Killed:
            content = (self.folder / RESULT).read_bytes() if (self.folder / RESULT).exists() else None
            if content == undisturbed(self.size):
                self.complete = self.size
            return
        self.complete, self.is_damaged = self.size, False

    @precondition(lambda self: (self.folder / PARTS).exists() and any((self.folder / PARTS).glob("*.zip")))
    @rule(data=st.data(), cut=st.booleans())
    def damage_a_part(self, data, cut):
        part = data.draw(st.sampled_from(sorted((self.folder / PARTS).glob("*.zip"))))
        content = bytearray(part.read_bytes())
        place = data.draw(st.integers(0, max(len(content) - 1, 0)))
        if cut:
            del content[place:]
        elif content:
            content[place] ^= 1
        part.write_bytes(content)
        self.is_damaged = True

    @rule()
    def another_seed_is_refused(self):
        if self.complete is not None:
            before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            with pytest.raises(sb.InvalidInputError):
                self.resumed(self.size, seed=3)
            assert {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()} == before

    @invariant()
    def the_result_is_that_of_an_undisturbed_run(self):
        if not hasattr(self, "folder"):
            return
        path = self.folder / RESULT
        assert path.exists() == (self.complete is not None)
        if self.complete is not None:
            assert path.read_bytes() == undisturbed(self.complete)
            assert sb.load_simulation(path).horizon == HORIZONS[self.complete[2]]
        assert not list(self.folder.rglob(".*.part"))

    def teardown(self):
        if hasattr(self, "folder"):
            self.resumed(self.size)
            assert (self.folder / RESULT).read_bytes() == undisturbed(self.size)
            shutil.rmtree(self.folder)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=6, stateful_step_count=12, deadline=None)
