"""Sizes of Parquet files before they are unpacked, from the headers of their pages: the metadata of a file may be forged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semibandits.errors import InvalidInputError
from semibandits_studies.instances.sheets import MOST_CELLS, too_large

MOST_UNPACKED: Final = 2**27
"""Largest number of bytes, of which pyarrow and Python take four copies for a while."""
UNPACKED, PACKED = 2, 3
"""Fields of a page header: numbers of bytes."""
ENCODINGS: Final = {5: 2, 7: 2, 8: 4}
"""Field with the encoding, by the field with the header of its kind: data pages, dictionaries, data pages of version 2."""
DELTA_STRINGS: Final = 7
"""The encoding in which a text repeats the beginning of the one before: its size cannot be known before."""
MOST_DEPTH: Final = 4


def flat_columns(path: object, content: bytes, file: Any) -> list[str]:
    """The columns without lists and records of a file that pyarrow has opened; a damaged page raises ValueError.

    Too many rows are refused, as are columns that take too much memory, whatever the metadata say.
    """
    about, names = file.metadata, file.schema_arrow.names
    groups = [about.row_group(k) for k in range(about.num_row_groups)]
    rows = max(about.num_rows, sum(group.num_rows for group in groups))
    leaves = [about.schema.column(k) for k in range(about.num_columns)]
    nested = [leaf.path for leaf in leaves if leaf.max_repetition_level or leaf.path not in names]
    flat = [
        k
        for k, leaf in enumerate(leaves)
        if leaf.path not in nested and not any(path.startswith(f"{leaf.path}.") for path in nested)
    ]
    size = sum(rows * max(0, leaves[k].length) for k in flat)
    if rows * about.num_columns > MOST_CELLS or size > MOST_UNPACKED:
        raise too_large(path, MOST_UNPACKED)
    for group in groups:
        for k in flat:
            chunk = group.column(k)
            starts = (chunk.dictionary_page_offset, chunk.data_page_offset)
            for header in page_headers(content, min(filter(None, starts)), chunk.total_compressed_size):
                size += header[UNPACKED]
                if size > MOST_UNPACKED:
                    raise too_large(path, MOST_UNPACKED)
                if DELTA_STRINGS in encodings(header):
                    raise InvalidInputError(
                        f"{path} must have texts that stand alone, got the encoding DELTA_BYTE_ARRAY in {leaves[k].name[:40]!r}: "
                        "save it with another encoding, or as .csv"
                    )
    return [leaves[k].path for k in flat]


def is_expanded(file: Any, name: str) -> bool:
    """Whether pyarrow repeats the values of a column of texts or bytes, since it keeps other types as a dictionary only."""
    physical = {column.path: column.physical_type for column in map(file.schema.column, range(file.metadata.num_columns))}
    return physical[name] == "BYTE_ARRAY" and not hasattr(file.schema_arrow.field(name).type, "index_type")


def page_headers(content: bytes, start: int, size: int) -> Iterator[Mapping[int, Any]]:
    """The header of each page of a column chunk as its fields by number; ValueError if one is not as the format requires."""
    if start < 0:
        raise ValueError("a page before the file")
    at, end = start, start + size
    while at < end:
        header, at = _structure(content, at, MOST_DEPTH)
        packed = header.get(PACKED)
        if not isinstance(packed, int) or packed < 0 or not isinstance(header.get(UNPACKED), int):
            raise ValueError("a page without a size")
        yield header
        at += packed


def encodings(header: Mapping[int, Any]) -> list[Any]:
    """The encodings that a page header states."""
    return [header[kind].get(field) for kind, field in ENCODINGS.items() if isinstance(header.get(kind), dict)]


def _structure(content: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """A structure in Thrift's compact protocol at a position, and the position after it."""
    fields: dict[int, Any] = {}
    number = 0
    while kind := _byte(content, at):
        at += 1
        if kind >> 4:
            number += kind >> 4
        else:
            number, at = _integer(content, at)
        match kind & 15:
            case 1 | 2:  # true, false
                fields[number] = kind & 15 == 1
            case 3:  # a byte
                at += 1
            case 4 | 5 | 6:
                fields[number], at = _integer(content, at)
            case 7:  # a float
                at += 8
            case 8:  # bytes
                length, at = _natural(content, at)
                at += length
            case 12 if depth:
                fields[number], at = _structure(content, at, depth - 1)
            case _:
                raise ValueError("a page with another header")
    return fields, at + 1


def _byte(content: bytes, at: int) -> int:
    if at >= len(content):
        raise ValueError("a page header that does not end")
    return content[at]


def _natural(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        part = _byte(content, at)
        value, at = value | (part & 127) << shift, at + 1
        if part < 128:
            return value, at
    raise ValueError("a number without end in a page header")


def _integer(content: bytes, at: int) -> tuple[int, int]:
    value, at = _natural(content, at)
    return value >> 1 ^ -(value & 1), at
