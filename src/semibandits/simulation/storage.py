"""Files of arrays with a JSON header: a zip archive of ``simulation.json`` and .npy arrays, written in one step.

The format, version 1 (docs/simulation-file.md describes it for other readers):

- The archive is not compressed. Its first entry is ``simulation.json``, followed by one entry ``<name>.npy`` per
  array, in alphabetical order. Time stamps and permissions are constant: equal contents give equal bytes.
- ``simulation.json`` is strict JSON in ASCII with sorted keys: ``format`` and ``version`` of the file; ``header``,
  whose ``kind`` is the kind of content; ``arrays``, with dtype, shape and SHA-256 of the whole entry for each array.
- Arrays are little-endian booleans, integers or floats in C order, in NumPy's format, without pickles. NaN and
  infinity are allowed in arrays only.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import struct
import zipfile
from collections.abc import Mapping
from typing import IO, Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from semibandits._files import read_bytes, writing
from semibandits._json import strict_json
from semibandits.errors import InvalidInputError

FORMAT: Final = "semibandits simulation"
VERSION: Final = 1
DESCRIPTION: Final = "simulation.json"
MOST_BYTES: Final = 2**34
"""Largest size of a file, which is read into the memory."""

_ARRAY_NAME: Final = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*")
_NPY: Final = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>\|b1|\|[iu]1|<[iu][248]|<f[248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>(?:\d{1,18}, )*\d{0,18},?)\), \} *\n",
    re.DOTALL,
)
"""Beginning of an .npy entry. NumPy's reader evaluates the header as Python and allocates the array before it reads the data."""
_STAMP: Final = (1980, 1, 1, 0, 0, 0)
_DAMAGE: Final = (
    zipfile.BadZipFile, EOFError, RuntimeError, ValueError, OverflowError, struct.error, KeyError,
)  # fmt: skip
"""Errors of zipfile, json and numpy for damaged content in memory.

BadZipFile, EOFError, struct.error and OverflowError: wrong or truncated headers. KeyError: an entry missing in the directory.
ValueError: invalid JSON or an impossible shape. RuntimeError: entries marked as encrypted, and by its subclasses a format that
zipfile does not support (NotImplementedError) and JSON nested too deeply (RecursionError). Nothing is decompressed, since
compressed entries are refused before they are read. OSError is not included: if the disk cannot be read, the file may be intact.
"""

AnyArray = NDArray[Any]


def write_archive(path: str | os.PathLike[str], header: Mapping[str, object], arrays: Mapping[str, AnyArray]) -> None:
    """Write a header and arrays to one file, in one step.

    The path holds the old file or the complete new one at any time, also after a crash. Equal contents give equal bytes.

    Parameters
    ----------
    path : path
        The file; its folder must exist. An existing file is replaced.
    header : mapping
        Plain JSON. ``header["kind"]`` is the kind of content, which `read_archive` checks.
    arrays : mapping from str to ndarray
        Boolean, integer or float arrays. Names are letters, digits, ``_`` and ``-``, in parts joined by ``/``.

    Raises
    ------
    InvalidInputError
        If the header is not plain JSON or has no kind, a name or dtype of an array is not allowed, or the file cannot
        be written.
    """
    content = plain_json(header, "header")
    assert isinstance(content, dict)
    if not isinstance(content.get("kind"), str):
        raise InvalidInputError(f"header['kind'] must be a string, got {content.get('kind')!r}: name the kind of content")
    stored = {name: _storable(name, arrays[name]) for name in sorted(arrays)}
    about = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": _digest(array)} for name, array in stored.items()
    }
    description = {"format": FORMAT, "version": VERSION, "header": content, "arrays": about}
    text = json.dumps(description, allow_nan=False, sort_keys=True, indent=1).encode("ascii") + b"\n"
    with writing(path) as file:
        _write_entries(file, text, stored)


def read_archive(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Read a file that `write_archive` wrote, and validate all of it.

    Parameters
    ----------
    path : path
        The file.
    kind : str
        Required ``kind`` of its header.

    Returns
    -------
    header : dict
        Plain JSON, equal to the header that was written.
    arrays : dict from str to ndarray
        The arrays, read-only and in C order, with the dtypes that were written.

    Raises
    ------
    InvalidInputError
        If the file is missing, of another format or kind, of a newer version, truncated, or altered.
    """
    return _read_content(read_bytes(path, most=MOST_BYTES), path, kind)


def plain_json(value: object, where: str) -> Any:
    """A lossless copy of a value as plain JSON, with lists for sequences and dicts for mappings.

    Parameters
    ----------
    value : object
        None, booleans, integers, finite floats, strings, and lists, tuples and mappings of these. Keys are strings.
    where : str
        Name of the value in errors.

    Raises
    ------
    InvalidInputError
        If the value contains anything else; the message names the place.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, list | tuple):
        return [plain_json(entry, f"{where}[{position}]") for position, entry in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInputError(f"{where} must have strings as keys, got {key!r}: write it as a string")
        return {str(key): plain_json(entry, f"{where}[{key!r}]") for key, entry in value.items()}
    raise InvalidInputError(
        f"{where} must be plain JSON, got {value!r} of type {type(value).__name__}: "
        "use None, booleans, integers, finite floats, strings, lists and dicts; put numbers that are not finite in arrays"
    )


def _storable(name: str, values: AnyArray) -> AnyArray:
    """The array in C order and little-endian; InvalidInputError if it cannot be stored."""
    if not isinstance(name, str) or not _ARRAY_NAME.fullmatch(name):
        raise InvalidInputError(
            f"names of arrays must be letters, digits, '_' and '-' in parts joined by '/', got {name!r}: rename it"
        )
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise InvalidInputError(
            f"array {name!r} must hold booleans, integers or floats of at most 8 bytes, got {array.dtype}: convert it"
        )
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


class _Hash:
    """A writable file that computes a hash."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def write(self, data: bytes, /) -> int:
        self.sha256.update(data)
        return len(data)


def _digest(array: AnyArray) -> str:
    sink = _Hash()
    np.lib.format.write_array(sink, array, version=(1, 0), allow_pickle=False)
    return sink.sha256.hexdigest()


def _write_entries(file: IO[bytes], description: bytes, arrays: Mapping[str, AnyArray]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(_entry(DESCRIPTION, len(description)), "w") as entry:
            entry.write(description)
        for name, array in arrays.items():
            with archive.open(_entry(f"{name}.npy", array.nbytes + 1024), "w") as entry:
                np.lib.format.write_array(entry, array, version=(1, 0), allow_pickle=False)


def _entry(name: str, size: int) -> zipfile.ZipInfo:
    """A zip entry whose bytes depend on its name and content only, not on the clock or the operating system."""
    info = zipfile.ZipInfo(name, _STAMP)
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    info.file_size = size  # tells zipfile whether it needs 64 bit sizes
    return info


def _read_content(content: bytes, path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGE as error:
        if content.startswith(b"PK"):
            _refuse_damage(path, f"no complete zip archive ({error})", error)
        _refuse(path, "another format", error)
    with archive:
        entries = archive.infolist()
        if not any(entry.filename == DESCRIPTION for entry in entries):
            _refuse(path, f"a zip archive without {DESCRIPTION}")
        if sum(entry.file_size for entry in entries) > len(content) or any(entry.compress_type for entry in entries):
            _refuse_damage(path, "entries that are compressed or larger than the file")
        header, about = _read_description(archive, path, kind)
        names = [entry.filename for entry in entries]
        expected = [DESCRIPTION, *(f"{name}.npy" for name in about)]
        if sorted(names) != sorted(expected):
            unexpected = sorted(set(names) ^ set(expected)) or sorted({name for name in names if names.count(name) > 1})
            _refuse_damage(path, f"missing, added or doubled entries: {', '.join(unexpected)}")
        return header, {name: _read_array(archive, name, about[name], path) for name in about}


def _read_description(archive: zipfile.ZipFile, path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header, and dtype, shape and SHA-256 of each array."""
    content = _read_entry(archive, DESCRIPTION, path)
    try:
        description = strict_json(content)
    except _DAMAGE as error:
        _refuse_damage(path, f"an unreadable {DESCRIPTION} ({error})", error)
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        _refuse(path, f"a {DESCRIPTION} of another format")
    version = description.get("version")
    if type(version) is int and version > VERSION:
        raise InvalidInputError(
            f"{path} must be of format version {VERSION} or older, got version {version}: "
            "read it with a newer version of semibandits"
        )
    header, about = description.get("header"), description.get("arrays")
    if type(version) is not int or version != VERSION or not isinstance(header, dict) or not isinstance(about, dict):
        _refuse_damage(path, f"a {DESCRIPTION} with version {version!r} that lacks its parts")
    if header.get("kind") != kind:
        raise InvalidInputError(f"{path} must hold a {kind}, got a {header.get('kind')}: pass another file")
    return header, about


def _read_array(archive: zipfile.ZipFile, name: str, about: object, path: str | os.PathLike[str]) -> AnyArray:
    content = _read_entry(archive, f"{name}.npy", path)
    if not isinstance(about, dict) or hashlib.sha256(content).hexdigest() != about.get("sha256"):
        _refuse_damage(path, f"array {name!r} with another SHA-256 than in {DESCRIPTION}")
    match = _NPY.match(content)
    if match is None:
        _refuse_damage(path, f"array {name!r} with a header that is not NumPy's for plain numbers in C order")
    dtype, shape = match["dtype"].decode(), [int(size) for size in re.findall(rb"\d+", match["shape"])]
    if dtype != about.get("dtype") or shape != about.get("shape"):
        stated = f"{about.get('dtype')} of shape {about.get('shape')} in {DESCRIPTION}"
        _refuse_damage(path, f"array {name!r} as {dtype} of shape {tuple(shape)}, but {stated}")
    start = 10 + int.from_bytes(content[8:10], "little")
    needed, found = math.prod(shape) * np.dtype(dtype).itemsize, len(content) - start
    if match.end() != start or needed != found:
        _refuse_damage(path, f"array {name!r} with {max(found, 0)} bytes, but its shape needs {needed}")
    try:
        array = np.frombuffer(content, dtype, offset=start).reshape(shape).copy()
    except _DAMAGE as error:  # a shape with a zero beside impossible sizes, or with too many axes
        _refuse_damage(path, f"array {name!r} of an impossible shape ({error})", error)
    array.setflags(write=False)
    return array


def _read_entry(archive: zipfile.ZipFile, name: str, path: str | os.PathLike[str]) -> bytes:
    try:
        return archive.read(name)
    except _DAMAGE as error:
        _refuse_damage(path, f"an unreadable entry {name} ({error})", error)


def _refuse(path: str | os.PathLike[str], got: str, cause: Exception | None = None) -> NoReturn:
    raise InvalidInputError(f"{path} must be a file that semibandits saved a simulation to, got {got}: check the path") from cause


def _refuse_damage(path: str | os.PathLike[str], got: str, cause: Exception | None = None) -> NoReturn:
    raise InvalidInputError(
        f"{path} must be an intact simulation file, got {got}: it is truncated or was altered, restore it or simulate again"
    ) from cause
