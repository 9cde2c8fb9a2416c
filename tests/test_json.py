"""Strict JSON: valid texts are read as by Python, and hostile ones are refused by one error, in any file."""

import json
import re
from pathlib import Path

import pytest

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.formats.json import MOST_DEPTH, MOST_DIGITS, strict_json
from semibandits.instances import instance_from_description, read_json
from semibandits_studies.reporting.sources import read_results

SOURCES = Path(sb.__file__).parents[1]
NESTED = "[" * MOST_DEPTH + "]" * MOST_DEPTH
DEEP = "[" * 100_000 + "]" * 100_000


HOSTILE = {
    "nan": ('{"theta": [NaN]}', "NaN, which is not a number in JSON"),
    "infinity": ('{"theta": [-Infinity]}', "-Infinity, which is not a number in JSON"),
    "too large for a float": ('{"theta": [1e400]}', "1e400, which is too large for a float"),
    "10^400": ('{"theta": [1' + "0" * 400 + "]}", "an integer of 401 digits, which are more than 300"),
    "5,000 digits": ('{"theta": [' + "7" * 5000 + "]}", "an integer of 5,000 digits"),
    "nested beyond Python's stack": ('{"theta": ' + DEEP + "}", "lists or objects more than 100 deep"),
    "nested beyond other walks": ('{"theta": ' + NESTED + "}", "lists or objects more than 100 deep"),
    "a key twice": ('{"theta": [1], "theta": [2]}', "the key 'theta' twice in one object"),
    "no JSON": ('{"theta": [1,,2]}', "Expecting value on line 1, column 14"),
}


@pytest.mark.parametrize(("text", "message"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_and_files_are_refused_by_one_error(text, message, tmp_path):
    for given in (text, text.encode()):
        with pytest.raises(ValueError, match=message):
            strict_json(given)
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    for read in (read_json, read_results):
        with pytest.raises(InvalidInputError, match=f"file.json must hold JSON, got .*{message}"):
            read(path)


def test_valid_texts_are_read_as_by_python():
    values = [NESTED, "9" * MOST_DIGITS, "-1.5e308", '"\\ud83d\\ude00"', "[[], {}, null, true, 0, -0.0]"]
    for text in (*values, json.dumps({"a": values, "b": {"a": values}})):
        assert strict_json(text) == json.loads(text)
    assert strict_json(b"\xef\xbb\xbf[1]") == [1]
    assert strict_json('"\\ud800"') == "\ud800"  # labels in states of learners may be any string


def test_long_messages_are_cut_in_the_middle():
    with pytest.raises(InvalidInputError, match=r"(?s)^the instance must only have the keys .* \.\.\. a+': remove it$") as caught:
        instance_from_description({"family": "msets", "theta": [1.0], "size": 1, "a" * 100_000: 1})
    assert len(str(caught.value)) < 2_100


def test_nothing_else_reads_json_that_comes_from_outside():
    """Allowed are tables of the package, texts that json.dumps writes on the same line, and the folder of compiled kernels."""
    core = (
        "formats/json.py",
        "learning/storage.py",
        "testing/policies.py",
        "simulation/specification.py",
        "kernels/machine/spending.py",
    )
    allowed = {**{f"semibandits/{name}": 1 for name in core}, "semibandits_studies/studies/changes.py": 1}
    allowed |= {"semibandits_studies/studies/bound_file.py": 1}
    found = {}
    for path in sorted(SOURCES.glob("semibandits*/**/*.py")):
        name = path.relative_to(SOURCES).as_posix()
        count = len(re.findall(r"json\.loads?\(", path.read_text(encoding="utf-8")))
        if count and not name.startswith("semibandits_studies/datasets/"):
            found[name] = count
    assert found == dict.fromkeys(allowed, 1)
