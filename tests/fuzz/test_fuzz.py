"""verification/fuzz.py: 300 hostile inputs over the readers, in this process; the suite itself detects failures."""

import json
import random
import resource
import signal
from pathlib import Path

import pytest

from verification_scripts import VERIFICATION, script

fuzz, inputs, readers, commands = map(script, ("fuzz", "fuzz_inputs", "fuzz_readers", "fuzz_commands"))

CASES, SEED = 300, 0


@pytest.fixture
def limited(tmp_path, monkeypatch):
    """A folder, settings and limits as in the processes of verification/fuzz.py, which take two seconds each to start."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands.server, "run", commands.server.run)  # which one of the readers replaces
    monkeypatch.setenv("COLUMNS", "2000")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    before, memory = signal.getsignal(signal.SIGALRM), resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + fuzz.MEMORY, memory[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, memory)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", [name for name, (_, share) in readers.READERS.items() if share])
def test_hostile_inputs_get_a_right_answer_or_one_clear_error(name, limited):
    make, share = readers.READERS[name]
    tally, reader = fuzz.Tally(), make()
    reader.prepare()
    for number in range(round(CASES * share)):
        tally.add(number, *fuzz.judged(reader, readers.case_of(reader, name, SEED, number), fuzz.SECONDS))
    assert not tally.failures, f"python verification/fuzz.py --only {name} --case {tally.failures[0][0]}"
    assert tally.counts[readers.RIGHT] > 0
    assert tally.counts[readers.REFUSED] > tally.counts.total() / 20


def test_all_cases_are_spread_over_the_readers():
    assert sum(share for _, share in readers.READERS.values()) == pytest.approx(1)


@pytest.mark.verify
def test_whatever_goes_wrong_is_found(monkeypatch):
    """The first seven cases of this seed are one of each kind; the process is started again after that which dies."""
    monkeypatch.syspath_prepend(VERIFICATION)  # for the process
    seed, kinds = 51, readers.Broken()
    wanted = [readers.case_of(kinds, "broken", seed, number).arguments["kind"] for number in range(7)]
    assert sorted(wanted) == sorted(readers.Broken.KINDS)
    assert wanted[-1] != "dies"
    tally = fuzz.run("broken", 0, 7, seed=seed, seconds=0.5)
    assert tally.counts.total() == 7
    signs = {
        "traceback": "ZeroDivisionError",
        "memory": "MemoryError",
        "hangs": "more than 0.5 seconds",
        "dies": "exit code -11",
        "prints": r"control characters on stdout: ['\x9b']",
    }
    why = dict(tally.failures)
    for number, kind in enumerate(wanted):
        assert (kind in signs) == (number in why)
        assert signs.get(kind, "") in why.get(number, "")


def test_a_case_is_a_function_of_reader_seed_and_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("csv", "json", "study", "names"):
        cases = []
        for _ in range(2):
            reader = readers.READERS[name][0]()
            reader.prepare()
            cases.append([readers.case_of(reader, name, 5, number) for number in range(20)])
        assert cases[0] == cases[1]
        assert cases[0] != [readers.case_of(reader, name, 6, number) for number in range(20)]


def test_documents_are_changed_and_stay_documents():
    document = {"a": [1, 2, {"b": "x"}], "c": None}
    texts = {inputs.json_text(inputs.mutated_value(random.Random(k), document)) for k in range(200)}
    assert len(texts) > 150
    assert json.loads(inputs.json_text({"a": inputs.Raw("1e5"), "b": [inputs.Raw("[1]")]})) == {"a": 1e5, "b": [[1]]}
    assert document == {"a": [1, 2, {"b": "x"}], "c": None}
