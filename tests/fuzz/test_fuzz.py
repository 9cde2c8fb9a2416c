"""verification/fuzz.py: the first hostile inputs of each reader, and that the script detects failures."""

import json
import random

import pytest

from verification_scripts import script

fuzz, inputs, readers = script("fuzz"), script("fuzz_inputs"), script("fuzz_readers")

SEED, CASES = 0, 40
FEW = {"tables", "export", "database", "logs", "answers", "options", "names"}
"""Readers of which a case takes long."""


@pytest.mark.filterwarnings("ignore:Glyph")  # no font has all characters
@pytest.mark.parametrize("name", readers.READERS)
def test_hostile_inputs_get_a_right_answer_or_one_clear_error(name, tmp_path, monkeypatch):
    """In this process; `make verify` has processes of its own with limits of time and memory, and thousands of cases."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(readers.server, "run", readers.server.run)  # which one of them replaces
    reader = readers.READERS[name][0]()
    reader.prepare()
    cases = [readers.case_of(reader, name, SEED, number) for number in range(4 if name in FEW else CASES)]
    found = []
    for case in cases:
        readers.write_files(case, tmp_path)
        found.append(reader.judge(case))
    assert set(found) <= {readers.RIGHT, readers.REFUSED}
    assert name in FEW or min(found.count(readers.RIGHT), found.count(readers.REFUSED)) > 0


def test_all_cases_are_spread_over_the_readers():
    assert sum(share for _, share in readers.READERS.values()) == pytest.approx(1)


def test_whatever_goes_wrong_is_found():
    """The first eight cases of this seed are of every kind that there is."""
    seed, kinds = 64, readers.Broken()
    wanted = [readers.case_of(kinds, "broken", seed, number).arguments["kind"] for number in range(8)]
    assert set(wanted) == set(readers.Broken.KINDS)
    tally = fuzz.run("broken", 0, 8, seed=seed, seconds=0.5)
    assert tally.counts.total() == 8
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
        assert json.dumps([readers.shown_case(case) for case in cases[0]], default=str)


def test_documents_are_changed_and_stay_documents():
    document = {"a": [1, 2, {"b": "x"}], "c": None}
    texts = {inputs.json_text(inputs.mutated_value(random.Random(k), document)) for k in range(200)}
    assert len(texts) > 150
    assert json.loads(inputs.json_text({"a": inputs.Raw("1e5"), "b": [inputs.Raw("[1]")]})) == {"a": 1e5, "b": [[1]]}
    assert document == {"a": [1, 2, {"b": "x"}], "c": None}
