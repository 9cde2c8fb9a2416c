"""The file format: round trips, equal bytes for equal contents, and damaged files."""

import hashlib
import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

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


def alter_description(path, change):
    """Replace the JSON in the archive by a changed one; the zip file stays valid."""
    entries = entries_of(path)
    description = json.loads(entries[storage.DESCRIPTION])
    change(description)
    rewrite(path, entries | {storage.DESCRIPTION: json.dumps(description)})


def refused(path, words, kind="part"):
    with pytest.raises(InvalidInputError, match=words) as caught:
        read_archive(path, kind=kind)
    assert str(path) in str(caught.value)


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=array.dtype == object)
    return buffer.getvalue()


def npy_with(header):
    """An .npy file of two bytes with that header."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\x01\x00"


def forge(path, content, **about):
    """Replace the mask in the archive by another one, with a correct checksum."""

    def change(description):
        description["arrays"]["mask"].update(about, sha256=hashlib.sha256(content).hexdigest())

    write_archive(path, HEADER, ARRAYS)
    rewrite(path, entries_of(path) | {"mask.npy": content})
    alter_description(path, change)


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
    one, two = tmp_path / "one", tmp_path / "two"
    write_archive(one, HEADER, {"x": array})
    write_archive(two, HEADER, {"x": np.asfortranarray(array).astype(">f8")})
    assert one.read_bytes() == two.read_bytes()


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
    assert description["format"] == "semibandits simulation"
    assert description["version"] == 1
    assert description["header"] == HEADER
    assert description["arrays"]["plays/0"]["shape"] == [2, 3, 4]
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


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(InvalidInputError, match="must be writable"):
        write_archive(tmp_path / "none" / "run.sim", HEADER, ARRAYS)


@pytest.mark.parametrize("position", [0, 1, 57, 100, -1])
def test_a_byte_flipped_in_an_array(path, position):
    """Once with the zip checksum unchanged, once with that corrected, so that only the SHA-256 detects the change."""
    content = npy(ARRAYS["plays/0"])
    whole = path.read_bytes()
    start = whole.index(content)
    at = start + position % len(content)
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    refused(path, "plays/0.*truncated or was altered")
    flipped = bytearray(content)
    flipped[position] ^= 1
    write_archive(path, HEADER, ARRAYS)
    rewrite(path, entries_of(path) | {"plays/0.npy": bytes(flipped)})
    refused(path, "'plays/0' with another SHA-256")


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


def test_every_truncation(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        refused(path, "truncated or was altered" if length >= 2 else "another format")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"{}", b"\x89PNG\r\n\x1a\n"])
def test_files_of_other_formats(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    refused(path, "another format")


def test_other_zip_archives(path):
    rewrite(path, {"notes.txt": "hello"})
    refused(path, "a zip archive without simulation.json")
    rewrite(path, {"simulation.json": '{"format": "other"}'})
    refused(path, "of another format")
    rewrite(path, {"simulation.json": "[1]"})
    refused(path, "of another format")
    rewrite(path, {"simulation.json": "\xff{"})
    refused(path, "an unreadable simulation.json")


def test_missing_files_and_folders(tmp_path):
    refused(tmp_path / "none", "must be a readable file")
    refused(tmp_path, "must be a readable file")
    refused(tmp_path / "a\0b", "must be a readable file")


def test_devices_are_not_read():
    refused(Path("/dev/zero"), "must be a readable file, got a folder, pipe or device")


def test_newer_versions(path):
    alter_description(path, lambda description: description.update(version=2))
    refused(path, "format version 1 or older, got version 2: read it with a newer version of semibandits")


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 0, 1000000000000000000000), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }",
        "(" * 5_000,
        "",
    ],
)
def test_forged_headers_of_arrays_take_no_memory(path, header):
    text = header.encode() + b"\n"
    forged = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)
    content = entries_of(path)
    description = json.loads(content["simulation.json"])
    description["arrays"]["plays/0"]["sha256"] = hashlib.sha256(forged).hexdigest()
    tracemalloc.start()
    rewrite(path, content | {"plays/0.npy": forged, "simulation.json": json.dumps(description)})
    refused(path, "array 'plays/0'")
    assert tracemalloc.get_traced_memory()[1] < 10**8
    tracemalloc.stop()


@pytest.mark.parametrize("version", [0, -1, "1", 1.5, None, True])
def test_invalid_versions(path, version):
    alter_description(path, lambda description: description.update(version=version))
    refused(path, "with version")


def test_another_kind(path):
    refused(path, "must hold a simulation result, got a part", kind="simulation result")


def test_missing_added_and_doubled_arrays(path):
    entries = entries_of(path)
    rewrite(path, {name: content for name, content in entries.items() if name != "mask.npy"})
    refused(path, "missing, added or doubled entries: mask.npy")
    rewrite(path, entries | {"more.npy": npy(np.zeros(2))})
    refused(path, "missing, added or doubled entries: more.npy")
    rewrite(path, entries)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("mask.npy", entries["mask.npy"])
    refused(path, "missing, added or doubled entries: mask.npy")


@pytest.mark.parametrize("change", [{"shape": [6, 4]}, {"shape": [24]}, {"dtype": "<i4"}, {"shape": None}])
def test_shapes_and_types_other_than_described(path, change):
    alter_description(path, lambda description: description["arrays"]["plays/0"].update(change))
    refused(path, "array 'plays/0' as <i8 of shape")


def test_descriptions_that_lack_parts(path):
    for part in ("header", "arrays"):
        write_archive(path, HEADER, ARRAYS)
        alter_description(path, lambda description, part=part: description.pop(part))
        refused(path, "lacks its parts")
    write_archive(path, HEADER, ARRAYS)
    alter_description(path, lambda description: description["arrays"]["mask"].pop("sha256"))
    refused(path, "'mask' with another SHA-256")


def test_nan_in_the_json(path):
    entries = entries_of(path)
    altered = entries["simulation.json"].replace(b"2.5", b"NaN")
    assert altered != entries["simulation.json"]
    rewrite(path, entries | {"simulation.json": altered})
    refused(path, "NaN, which is not a number in JSON")


def test_compressed_entries(path):
    rewrite(path, entries_of(path), zipfile.ZIP_DEFLATED)
    refused(path, "compressed")


def test_pickles_are_never_loaded(path):
    """An array of objects with a correct checksum."""
    forge(path, npy(np.array([{"a": 1}], dtype=object)))
    refused(path, "array 'mask' with a header that is not NumPy's for plain numbers")


@pytest.mark.parametrize("text", ["((((", "(" * 9000, "", "{[]: 1}", "{'descr': (), 'fortran_order': False, 'shape': (2,), }"])
def test_headers_are_not_evaluated(path, text):
    forge(path, npy_with(text))
    refused(path, "array 'mask' with a header that is not NumPy's for plain numbers")


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((10**12,), "array 'mask' with 2 bytes, but its shape needs 1000000000000"),
        ((10**17, 10**17), f"array 'mask' with 2 bytes, but its shape needs {10**34}"),
        ((1,), "array 'mask' with 2 bytes, but its shape needs 1"),
        ((1, 2) * 50, "array 'mask' with 2 bytes, but its shape needs"),
        ((2,) + (1,) * 99, "array 'mask' of an impossible shape"),
    ],
)
def test_arrays_are_not_allocated_before_their_size_is_checked(path, shape, words):
    forge(path, npy_with(f"{{'descr': '|b1', 'fortran_order': False, 'shape': {shape!r}, }}"), shape=list(shape))
    refused(path, words)


def test_headers_with_a_wrong_length(path):
    content = npy(ARRAYS["mask"])
    for length in (0, 1, 65535):
        forge(path, content[:8] + length.to_bytes(2, "little") + content[10:])
        refused(path, "array 'mask' with [0-9]+ bytes, but its shape needs 2")


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), np.int64(3), b"x", {1: 2}, {"a": [{"b": {2, 3}}]}, np.zeros(2), 1j]
)
def test_headers_that_are_not_plain_json(tmp_path, value):
    with pytest.raises(InvalidInputError, match=r"header\['bad'\]"):
        write_archive(tmp_path / "run", {"kind": "part", "bad": value}, {})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("header", [{}, {"kind": 3}])
def test_headers_without_a_kind(tmp_path, header):
    with pytest.raises(InvalidInputError, match="kind"):
        write_archive(tmp_path / "run", header, {})


@pytest.mark.parametrize("name", ["", "/a", "a/", "../a", "a//b", "a.b", "θ", "a b", 3])
def test_names_of_arrays(tmp_path, name):
    with pytest.raises(InvalidInputError, match="names of arrays"):
        write_archive(tmp_path / "run", HEADER, {name: np.zeros(1)})


@pytest.mark.parametrize("array", [np.array(["x"]), np.zeros(2, dtype=complex), np.array([None]), np.zeros(1, "M8[s]")])
def test_types_of_arrays(tmp_path, array):
    with pytest.raises(InvalidInputError, match="array 'x' must hold booleans, integers or floats"):
        write_archive(tmp_path / "run", HEADER, {"x": array})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(json_values)
def test_any_plain_json_survives(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "json.sim"
    write_archive(path, {"kind": "part", "value": value}, {})
    back = read_archive(path, kind="part")[0]["value"]
    assert json.dumps(back, sort_keys=True) == json.dumps(value, sort_keys=True)


def test_plain_json_copies_and_turns_tuples_into_lists():
    value = {"a": (1, [2])}
    copy = plain_json(value, "value")
    assert copy == {"a": [1, [2]]}
    value["a"][1].append(3)
    assert copy == {"a": [1, [2]]}
