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
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from semibandits.errors import InvalidInputError
from semibandits.formats.files import read_bytes, writing
from semibandits.formats.json import strict_json

FORMAT: Final = "semibandits simulation"
VERSION: Final = 1
DESCRIPTION: Final = "simulation.json"
MOST_BYTES: Final = 2**34
"""Largest size of a file, which is read into the memory."""

_ARRAY_NAME: Final = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*")
_DTYPE: Final = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]")
_STAMP: Final = (1980, 1, 1, 0, 0, 0)
_DAMAGE: Final = (
    zipfile.BadZipFile, EOFError, RuntimeError, ValueError, OverflowError, struct.error, KeyError, TypeError,
)  # fmt: skip
"""Errors for damaged content in memory: of zipfile and NumPy, of JSON, and of parts that are missing or of another type.

RuntimeError includes entries marked as encrypted or of a format that zipfile does not support. Nothing is decompressed, since
compressed entries are refused before they are read. OSError is not included: if the disk cannot be read, the file may be intact.
"""

AnyArray = NDArray[Any]


def write_archive(path: str | os.PathLike[str], header: Mapping[str, object], arrays: Mapping[str, AnyArray]) -> None:
    """Write a header and arrays to one file, in one step.

    The path holds the old file or the complete new one at any time, also after a crash; its folder must exist. Equal contents
    give equal bytes. The header is plain JSON, and its ``kind`` is what `read_archive` checks. Arrays are boolean, integer or
    float; their names are letters, digits, ``_`` and ``-``, in parts joined by ``/``.
    """
    content = plain_json(header, "header")
    if not isinstance(content.get("kind"), str):
        raise InvalidInputError(f"header['kind'] must be a string, got {content.get('kind')!r}: name the kind of content")
    about, entries = {}, {}
    for name in sorted(arrays):
        array, buffer = _storable(name, arrays[name]), io.BytesIO()
        np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
        entry = entries[f"{name}.npy"] = buffer.getvalue()
        about[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": hashlib.sha256(entry).hexdigest()}
    description = {"format": FORMAT, "version": VERSION, "header": content, "arrays": about}
    text = json.dumps(description, allow_nan=False, sort_keys=True, indent=1).encode("ascii") + b"\n"
    with writing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, entry in {DESCRIPTION: text, **entries}.items():
            info = zipfile.ZipInfo(name, _STAMP)  # equal bytes at any time, on any operating system
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            archive.writestr(info, entry)


def read_archive(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Read the header and the arrays of a file that `write_archive` wrote, and validate all of it.

    The header equals the one written; its ``kind`` must be `kind`. The arrays are read-only and in C order, with the dtypes
    written.
    """
    content = read_bytes(path, most=MOST_BYTES)
    if not content.startswith(b"PK"):
        raise _foreign(path, "another format")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read_entries(archive, len(content), path, kind)
    except InvalidInputError:
        raise
    except _DAMAGE as error:
        raise damaged(path, error) from error


def damaged(path: str | os.PathLike[str], error: Exception) -> InvalidInputError:
    """The error for a file with damaged content, which another error has found."""
    got = {KeyError: f"no {error}", TypeError: f"a part of another type ({error})"}.get(type(error), error)
    return InvalidInputError(
        f"{path} must be an intact simulation file, got {got}: it is truncated or was altered, restore it or simulate again"
    )


def plain_json(value: object, where: str) -> Any:
    """A lossless copy of a value as plain JSON, with lists for sequences and dicts for mappings.

    The value consists of None, booleans, integers, finite floats, strings, and lists, tuples and mappings of these with strings
    as keys. An error for anything else names the place, which begins with `where`.
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


def _read_entries(
    archive: zipfile.ZipFile, size: int, path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Header and arrays of an archive of this size; damage raises one of `_DAMAGE`."""
    entries, names = archive.infolist(), Counter(archive.namelist())
    if DESCRIPTION not in names:
        raise _foreign(path, f"a zip archive without {DESCRIPTION}")
    if sum(entry.file_size for entry in entries) > size or any(entry.compress_type for entry in entries):
        raise ValueError("entries that are compressed or larger than the file")
    description = strict_json(archive.read(DESCRIPTION))
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise _foreign(path, f"a {DESCRIPTION} of another format")
    version = description["version"]
    if type(version) is int and version > VERSION:
        raise InvalidInputError(
            f"{path} must be of format version {VERSION} or older, got version {version}: "
            "read it with a newer version of semibandits"
        )
    if type(version) is not int or version != VERSION:
        raise ValueError(f"a {DESCRIPTION} with version {version!r}")
    header, about = description["header"], description["arrays"]
    if header["kind"] != kind:
        raise InvalidInputError(f"{path} must hold a {kind}, got a {header['kind']}: pass another file")
    expected = Counter([DESCRIPTION, *(f"{name}.npy" for name in about)])
    if names != expected:
        raise ValueError(f"missing, added or doubled entries: {', '.join((names - expected) + (expected - names))}")
    return header, {name: _array(name, archive.read(f"{name}.npy"), about[name]) for name in about}


def _array(name: str, content: bytes, about: dict[str, Any]) -> AnyArray:
    """The array of an entry, whose header must be that of NumPy for the dtype and shape in `about`; it is not evaluated."""
    if hashlib.sha256(content).hexdigest() != about["sha256"]:
        raise ValueError(f"array {name!r} with another SHA-256 than in {DESCRIPTION}")
    dtype, shape = about["dtype"], tuple(about["shape"])
    start = 10 + int.from_bytes(content[8:10], "little")
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    if not _DTYPE.fullmatch(dtype) or content[:8] != b"\x93NUMPY\x01\x00" or content[10:start].rstrip(b" \n") != header:
        raise ValueError(f"array {name!r} whose header is not that of {dtype} of shape {shape}, which is in {DESCRIPTION}")
    needed, found = math.prod(shape) * np.dtype(dtype).itemsize, len(content) - start
    if needed != found:
        raise ValueError(f"array {name!r} with {found} bytes, but its shape needs {needed}")
    array = np.frombuffer(content, dtype, offset=start).reshape(shape).copy()
    array.setflags(write=False)
    return array


def _foreign(path: str | os.PathLike[str], got: str) -> InvalidInputError:
    return InvalidInputError(f"{path} must be a file that semibandits saved a simulation to, got {got}: check the path")
