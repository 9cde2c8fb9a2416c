"""Hostile inputs from a random generator: valid documents with invalid bytes or values, and names of every kind."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import random
import re
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Raw:
    """A value given by its text, for texts without a Python value and values without a text."""

    text: str


NUMBERS: list[Any] = [
    Raw("NaN"), Raw("nan"), Raw("-Infinity"), Raw("inf"), Raw("1e400"), Raw("-1e400"), Raw("1" + "0" * 400), Raw("9" * 5000),
    Raw("0x10"), Raw("1_0"), Raw("01"), Raw("-0.0"), Raw("1e-400"),
    -1, 0, 1, 2, 3, -0.5, 0.5, 5e-324, 1e-300, 1e300, -1.7e308, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64,
    10**12, 10**18, 10**30, 10**290,
]  # fmt: skip
NESTED: list[Any] = [
    Raw("[" * depth + "]" * depth) for depth in (50, 99, 101, 200, 900, 100_000)
] + [Raw('{"a":' * depth + "1" + "}" * depth) for depth in (50, 99, 101, 900, 50_000)]  # fmt: skip
SHAPES: list[Any] = [None, True, False, [], {}, [[]], [{}], "", [None], {"": None}, [0] * 1000, [[1, 2]] * 300, {"a": {"b": [1]}}]
NAMES = [
    "", " ", "\t", "a b", "a,b", 'a"b', "a;b", "a'b", "a/b", "a\\b", "..", "-", "--all", "=1+1", "@x", "+1", "0",
    "1e5", "nan", "None", "[bold]a[/bold]", "[/]", "[red", "[link=http://x]a[/link]", "[", "]", "\\[a]", ":smile:",
    ":bomb:", "$a_b$", "$\\frac$", "$", "a_b^c", "%s", "{0}", "{}", "<b>a</b>", "</script><script>x()</script>",
    "<!--", "-->", "]]>", "&amp;", "&", "a → b", "a – b", "ü", "ß", "İ", "日本語", "\u0301", "e\u0301", "👩‍👩‍👧",
    "\U0010ffff", "\ufeff", "\ufffe", "\u00a0", "\u2028", "\u2029", "\u200b", "\u202eabc", "\u2066a\u2069", "\u061c",
    "\x00", "a\x00b", "\x07", "\x08\x08", "\x1b[31ma\x1b[0m", "\x1b]0;t\x07", "\x1b[2J", "\x7f", "\x85", "\x9b31m",
    "\x90", "\r", "a\rb", "\n", "a\nb", "a\r\nb", "\x0b", "\x0c", "\ud800", "\udc80", "a\udfffb", "a" * 300,
    "a" * 5000, "ab " * 500, "日" * 200, "\u0301" * 100, "__proto__", "constructor", "toString", "NUL", "C:\\a", "~",
    "~root", "$HOME", "`id`", "\x1b", "a:b", "a=b", "group=1", "p:1", "#", "# a",
]  # fmt: skip
BYTES = [
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\x1b[31m", b"\r", b"\n", b"\r\n",
    b"\n\n", b",", b",,", b'"', b'""', b"'", b"[", b"]", b"{", b"}", b":", b"=", b"#", b"\\", b"\\u0000", b"\\ud800",
    b"NaN", b"1e400", b"-", b"9" * 400, b"9" * 5000, b"[" * 3000, b" " * 100, b"\t", b"null", b"true", b"PK\x03\x04",
    b"a" * 200_000,
]  # fmt: skip


def mutated_bytes(rng: random.Random, content: bytes) -> bytes:
    """Content with one to four mutations: bits, bytes and ranges changed, duplicated, moved or removed."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        start, stop = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        near = min(len(data), start + rng.choice((1, 2, 8, 64)))
        match rng.randrange(8):
            case 0 if start < len(data):
                data[start] ^= 1 << rng.randrange(8)
            case 1 if start < len(data):
                data[start] = rng.randrange(256)
            case 2:
                del data[start:]
            case 3:
                del data[start:near]
            case 4:
                data[start:start] = data[start:near]
            case 5:
                data[start:start] = data[start:stop]
            case 6:
                data[start:start] = rng.choice(BYTES)
            case 7:
                data[start:near] = rng.choice(BYTES)
    return bytes(data)


def name(rng: random.Random) -> str:
    """A name of some kind, sometimes of two kinds at once."""
    return rng.choice(NAMES) + (rng.choice(NAMES) if rng.random() < 0.3 else "")


def word(text: str) -> str:
    """A text that can be part of a command line or the name of a file: valid, without zero bytes."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def unexpected_value(rng: random.Random, near: Any = None) -> Any:
    """An unexpected value; sometimes one that is almost `near`."""
    kind = rng.randrange(7)
    if kind == 0 and isinstance(near, int | float) and not isinstance(near, bool):
        return rng.choice([-near, near + 1, near * 1.0, near * 10, str(near), near + 0.5])
    if kind == 1 and isinstance(near, list):
        return rng.choice([near[:-1], near + near[:1], near * 2, list(reversed(near)), near * 100, dict.fromkeys(map(str, near))])
    if kind == 2 and isinstance(near, str):
        return near + name(rng)
    if kind == 3 and rng.random() < 0.3:
        return rng.choice(NESTED)
    return rng.choice([rng.choice(NUMBERS), rng.choice(NUMBERS), name(rng), copy.deepcopy(rng.choice(SHAPES))])


def mutated_value(rng: random.Random, value: Any) -> Any:
    """A document with one to three of its values, keys or entries changed, duplicated, added or removed."""
    result = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(result))
        if not places:
            return unexpected_value(rng, result)
        outer, key = rng.choice(places)
        match rng.randrange(6):
            case 0:
                del outer[key]
            case 1 if isinstance(outer, list):
                outer.insert(key, copy.deepcopy(outer[rng.randrange(len(outer))]))
            case 1:
                outer[name(rng)] = copy.deepcopy(outer[key])
            case 2:
                other, place = rng.choice(places)
                outer[key] = copy.deepcopy(other[place])
            case _:
                outer[key] = unexpected_value(rng, outer[key])
    return result


def _places(value: Any) -> Any:
    """All positions in a document; of long lists the first twenty."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield value, key
            yield from _places(inner)
    elif isinstance(value, list):
        for position, inner in enumerate(value[:20]):
            yield value, position
            yield from _places(inner)


def json_text(value: Any, *, ascii_only: bool = True) -> str:
    """A document as JSON, with raw parts unchanged; surrogates are escaped."""
    raws: list[str] = []

    def marked(part: Any) -> Any:
        if isinstance(part, Raw):
            raws.append(part.text)
            return f"@RAW{len(raws) - 1}@"
        if isinstance(part, dict):
            return {key: marked(inner) for key, inner in part.items()}
        return [marked(inner) for inner in part] if isinstance(part, list | tuple) else part

    text = json.dumps(marked(value), ensure_ascii=ascii_only, indent=1)
    return re.sub(r'"@RAW(\d+)@"', lambda found: raws[int(found[1])], text)


def toml_text(tables: Any) -> str:
    """Tables as TOML, whatever their content, also if they are not tables."""
    if not isinstance(tables, dict):
        return _toml(tables)
    lines = [f"{_key(key)} = {_toml(value)}" for key, value in tables.items() if not isinstance(value, dict)]
    for key, table in tables.items():
        if isinstance(table, dict):
            lines += [f"[{_key(key)}]", *(f"{_key(inner)} = {_toml(value)}" for inner, value in table.items())]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _toml(value: Any) -> str:
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_toml(inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else '""' if value is None else repr(value)


def as_bytes(text: str) -> bytes:
    """Text as UTF-8, where lone surrogates become invalid bytes."""
    return text.encode("utf-8", errors="surrogatepass")


def damaged(rng: random.Random, file: str, content: bytes, share: float = 0.3) -> bytes:
    """A file with changed bytes, or with changed values in all but this share of cases if its format has values."""
    change = FORMATS.get(Path(file).suffix)
    return mutated_bytes(rng, content) if change is None or rng.random() < share else change(rng, content)


def _mutated_json(rng: random.Random, content: bytes) -> bytes:
    return as_bytes(json_text(mutated_value(rng, json.loads(content)), ascii_only=rng.random() < 0.5))


def _mutated_toml(rng: random.Random, content: bytes) -> bytes:
    return as_bytes(toml_text(mutated_value(rng, tomllib.loads(content.decode()))))


def _mutated_archive(rng: random.Random, content: bytes) -> bytes:
    """An archive with changed entries and mostly corrected checksums."""
    entries = unzipped(content)
    description = json.loads(entries.pop("simulation.json"))
    if rng.random() < 0.7 and entries:
        changed = rng.choice(sorted(entries))
        entries[changed] = _mutated_array(rng, entries[changed])
        about = description["arrays"][changed.removesuffix(".npy")]
        with contextlib.suppress(Exception):
            array = np.lib.format.read_array(io.BytesIO(entries[changed]), allow_pickle=False)
            about.update(dtype=array.dtype.str, shape=list(array.shape))
        if rng.random() < 0.9:
            about["sha256"] = hashlib.sha256(entries[changed]).hexdigest()
    if rng.random() < 0.5:
        description = mutated_value(rng, description)
    if rng.random() < 0.05 and entries:
        entries[word(name(rng)) or "x"] = entries[rng.choice(sorted(entries))]
    entries = {"simulation.json": as_bytes(json_text(description)), **entries}
    return zipped(entries, rng.choice([zipfile.ZIP_STORED] * 9 + [zipfile.ZIP_DEFLATED]))


def _mutated_array(rng: random.Random, entry: bytes) -> bytes:
    array = np.lib.format.read_array(io.BytesIO(entry), allow_pickle=False).copy()
    match rng.randrange(5):
        case 0:
            return mutated_bytes(rng, entry)
        case 1:
            shape = rng.choice(["(10000000000,)", "(-1,)", "()", "(0,)", "(1, 99999999999999999999)", "(2,) + (3,)"])
            return re.sub(rb"'shape': \([^)]*\)", b"'shape': " + shape.encode(), entry)
        case 2:
            array = array.astype(rng.choice(["<f4", "<i4", ">f8", "?", "<c16", "<U3", "<u8"]))
        case 3:
            array = rng.choice([array.T, array[:0], array[..., :1], array[None], np.concatenate((array, array))])
        case _ if array.size:
            odd = np.array(rng.choice([np.nan, np.inf, -1.0, 0.0, 1e300, -1e300, 2.0**62]))
            with np.errstate(all="ignore"):
                array.ravel()[rng.randrange(array.size)] = odd.astype(array.dtype)
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return file.getvalue()


FORMATS = {".json": _mutated_json, ".toml": _mutated_toml, ".zip": _mutated_archive}
"""How values of a file are changed, by the end of its name."""


def unzipped(content: bytes) -> dict[str, bytes]:
    """The entries of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


def zipped(entries: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of these entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for entry, content in entries.items():
            archive.writestr(zipfile.ZipInfo(entry), content, compression)
    return file.getvalue()
