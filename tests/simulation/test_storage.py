"""The file format: round trips, equal bytes for equal contents, and damaged files."""

import hashlib
import io
import json
import os
import re
import tracemalloc
import zipfile
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.errors import InvalidInputError
from semibandits.simulation import storage
from semibandits.simulation.storage import plain_json, read_archive, write_archive

HEADER = {"kind": "part", "name": "OSSB(γ=0.1)", "seed": 2**90, "nothing": None, "deep": {"list": [1, 2.5, True, "x"]}}
ARRAYS = {
    "regret": np.array([[0.0, 0.1, np.nan], [np.inf, -0.0, 5e-324]]),
    "plays/0": np.arange(24).reshape(2, 3, 4),
    "mask": np.array([True, False]),
    "empty": np.zeros((0, 3), dtype=np.float32),
    "scalar": np.array(7, dtype=np.uint16),
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "run.sim"
    write_archive(file, HEADER, ARRAYS)
    return file


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def rewrite(path, entries, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def redescribed(change):
    """A function that changes the JSON in an archive; the zip file stays valid."""

    def damage(path):
        entries = entries_of(path)
        description = json.loads(entries[storage.DESCRIPTION])
        change(description)
        rewrite(path, entries | {storage.DESCRIPTION: json.dumps(description)})

    return damage


def refused(path, words, kind="part"):
    with pytest.raises(InvalidInputError, match=words) as caught:
        read_archive(path, kind=kind)
    assert str(path) in str(caught.value)


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=array.dtype == object)
    return buffer.getvalue()


def test_files_round_trip(path):
    header, arrays = read_archive(path, kind="part")
    assert header == HEADER
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()  # also -0.0, and the bits of nan
        assert not arrays[name].flags.writeable


def test_arrays_of_any_layout_become_c_ordered_and_little_endian(tmp_path):
    array = np.arange(6.0).reshape(2, 3)
    write_archive(tmp_path / "one", HEADER, {"x": array})
    write_archive(tmp_path / "two", HEADER, {"x": np.asfortranarray(array).astype(">f8")})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_equal_contents_give_equal_bytes_in_any_order(path, tmp_path):
    again = tmp_path / "again.sim"
    write_archive(again, dict(reversed(HEADER.items())), dict(reversed(ARRAYS.items())))
    assert again.read_bytes() == path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["simulation.json", *(f"{name}.npy" for name in sorted(ARRAYS))]
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


def test_the_file_has_the_documented_format(path):
    """The promise of docs/simulation-file.md: numpy, json and zipfile alone can read a file."""
    with zipfile.ZipFile(path) as archive:
        description = json.loads(archive.read("simulation.json"))
    assert description["arrays"].pop("plays/0")["shape"] == [2, 3, 4]
    assert description | {"arrays": {}} == {"format": "semibandits simulation", "version": 1, "header": HEADER, "arrays": {}}
    with np.load(path, allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["plays/0"], ARRAYS["plays/0"])


def test_the_file_has_the_usual_permissions_and_nothing_else_is_left(path):
    assert os.listdir(path.parent) == [path.name]
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


def test_an_interrupted_write_leaves_the_old_file_and_no_other(path, monkeypatch):
    before = path.read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_archive(path, HEADER, {})
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_a_byte_changed_anywhere_is_refused_or_harmless(tmp_path_factory, data):
    """Time stamps and the like have no checksum; if the file is read, its content must be unchanged."""
    path = tmp_path_factory.getbasetemp() / "flipped.sim"
    write_archive(path, HEADER, ARRAYS)
    whole = bytearray(path.read_bytes())
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole)
    try:
        header, arrays = read_archive(path, kind="part")
    except InvalidInputError as error:
        assert str(path) in str(error)  # noqa: PT017 (either outcome is right)
    else:
        assert header == HEADER
        assert {name: array.tobytes() for name, array in arrays.items()} == {n: a.tobytes() for n, a in ARRAYS.items()}


def array_said(name, **about):
    return redescribed(lambda description: description["arrays"][name].update(about))


def version(number):
    return redescribed(lambda description: description.update(version=number))


def without(path, name):
    rewrite(path, {own: content for own, content in entries_of(path).items() if own != name})


def with_entry(path, name, content):
    rewrite(path, entries_of(path) | {name: content})


def flipped(path, position):
    """A byte of an array is another one, and the zip checksum is that of the new content."""
    content = bytearray(npy(ARRAYS["plays/0"]))
    content[position] ^= 1
    with_entry(path, "plays/0.npy", bytes(content))


def nested(path, depth):
    description = entries_of(path)[storage.DESCRIPTION]
    with_entry(path, storage.DESCRIPTION, description.replace(b"null", b"[" * depth + b"]" * depth))


def double(path):
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("mask.npy", archive.read("mask.npy"))


ENTRIES, SHAPE = "missing, added or doubled entries:", "array 'plays/0' whose header is not that of"
NEWER = "format version 1 or older, got version 2: read it with a newer version of semibandits"
DAMAGE = [
    (lambda path: rewrite(path, {"notes.txt": "hello"}), "a zip archive without simulation.json"),
    (lambda path: rewrite(path, {"simulation.json": '{"format": "other"}'}), "of another format"),
    (lambda path: rewrite(path, {"simulation.json": "[1]"}), "of another format"),
    (
        lambda path: rewrite(path, {"simulation.json": "\xff{"}),
        "must be an intact simulation file, got Expecting value on line 1",
    ),
    (lambda path: rewrite(path, entries_of(path), zipfile.ZIP_DEFLATED), "compressed"),
    (lambda path: without(path, "mask.npy"), f"{ENTRIES} mask.npy"),
    (lambda path: with_entry(path, "more.npy", npy(np.zeros(2))), f"{ENTRIES} more.npy"),
    (double, f"{ENTRIES} mask.npy"),
    (version(2), NEWER),
    *((version(number), "with version") for number in (0, "1", 1.5, None, True)),
    *((array_said("plays/0", shape=shape), SHAPE) for shape in ([6, 4], [24])),
    (array_said("plays/0", shape=None), "got a part of another type"),
    (array_said("plays/0", dtype="<i4"), SHAPE),
    (array_said("mask", sha256=None), "'mask' with another SHA-256"),
    *((partial(flipped, position=at), "'plays/0' with another SHA-256") for at in (0, 1, 57, 100, -1)),
    (redescribed(lambda description: description["arrays"]["mask"].pop("sha256")), "got no 'sha256'"),
    *((redescribed(lambda description, part=part: description.pop(part)), f"got no '{part}'") for part in ("header", "arrays")),
    (redescribed(lambda description: description["header"].update(seed=np.nan)), "NaN, which is not a number in JSON"),
    *((partial(nested, depth=depth), "lists or objects more than 100 deep") for depth in (600, 50_000)),
    (redescribed(lambda description: description["header"].update(kind="result")), "must hold a part, got a result"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGE)
def test_damaged_archives(path, damage, words):
    damage(path)
    refused(path, words)


def header_of(shape, descr="'|b1'", order=False):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape!r}, }}"


PLAIN, BYTES = (r"array 'mask' whose header is not that of \|b1 of shape", "array 'mask' with 2 bytes, but its shape needs")
FORGED = [
    (header_of((10**12,)), f"{BYTES} 1000000000000"),
    (header_of((10**17, 10**17)), f"{BYTES} {10**34}"),
    (header_of((1,)), f"{BYTES} 1"),
    (header_of((1, 2) * 50), BYTES),
    (header_of((2,) + (1,) * 99), "maximum supported dimension"),
    *(
        (header, "array 'mask'")
        for header in (header_of((10**12, 0, 10**21)), header_of((-1,)), header_of((1,), "'|O'"), header_of((1, 2), order=True))
    ),
    *((header, PLAIN) for header in (header_of((2,), "()"), "((((", "(" * 9000, "", "{[]: 1}")),
]


def forge(path, content, shape=(2,)):
    """Replace the mask in the archive by another one, with a correct checksum."""
    with_entry(path, "mask.npy", content)
    array_said("mask", shape=list(shape), sha256=hashlib.sha256(content).hexdigest())(path)


@pytest.mark.parametrize(("header", "words"), FORGED)
def test_forged_headers_are_not_evaluated_and_take_no_memory(path, header, words):
    """Of an array of two bytes."""
    text = header.encode() + b"\n"
    shape = re.findall(r"-?\d+", header.partition("'shape'")[2])
    tracemalloc.start()
    forge(path, b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\x01\x00", map(int, shape))
    refused(path, words)
    assert tracemalloc.get_traced_memory()[1] < 10**8
    tracemalloc.stop()


def test_pickles_and_headers_with_a_wrong_length(path):
    forge(path, npy(np.array([{"a": 1}], dtype=object)))
    refused(path, PLAIN)
    content = npy(ARRAYS["mask"])
    for length in (0, 1, 65535):
        forge(path, content[:8] + length.to_bytes(2, "little") + content[10:])
        refused(path, PLAIN)


def test_refused_contents_leave_no_file(tmp_path):
    for header, arrays in (({"kind": "part", "bad": b"x"}, {}), ({"kind": "part"}, {"x": np.array(["x"])})):
        with pytest.raises(InvalidInputError):
            write_archive(tmp_path / "run", header, arrays)
    assert os.listdir(tmp_path) == []


def test_every_truncation(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        refused(path, "truncated or was altered" if length >= 2 else "another format")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(json_values)
def test_any_plain_json_survives(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "json.sim"
    write_archive(path, {"kind": "part", "value": value}, {})
    back = read_archive(path, kind="part")[0]["value"]
    assert json.dumps(back, sort_keys=True) == json.dumps(value, sort_keys=True)


def test_plain_json_copies_and_turns_tuples_into_lists():
    value = {"a": (1, [2])}
    copy = plain_json(value, "value")
    value["a"][1].append(3)
    assert copy == {"a": [1, [2]]}
