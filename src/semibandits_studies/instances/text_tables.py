"""Tables in text files: encodings and separators."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits.formats import files as _files
from semibandits_studies.instances.files import empty_file
from semibandits_studies.instances.network_files import as_tabs
from semibandits_studies.instances.sheets import Cell, Sheet, check_size

SEPARATORS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What may separate cells, the most usual first."""
SAMPLE: Final = 100
"""Number of rows that determine the separator."""
SAMPLED_CHARACTERS: Final = 2**20
LONGEST_LINE: Final = 2**24
OTHER_FORMATS: Final = (
    (b"PK\x03\x04", "an Excel file or another archive", "name it .xlsx, or save the table as .csv"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", "name it .xls, or save the table as .csv"),
    (b"PAR1", "a Parquet file", "name it .parquet"),
    (b"%PDF", "a PDF document", "save the table as .csv"),
    (b"\x1f\x8b", "a compressed file", "unpack it first"),
)
"""First bytes of files that are not text, what they are, and the remedy."""
_NOT_UTF8: Final = "The file is not in UTF-8 and was read as Windows-1252: check letters with accents."
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_EXCEL_SEPARATOR: Final = re.compile(r'"?sep=(.)"?[ ,;\t|]*', re.IGNORECASE)
"""The first line of some files that Excel has written."""


def read_text_table(path: str | os.PathLike[str], recognised: Callable[[list[str]], int]) -> Sheet:
    """Read a table in text: UTF-8, UTF-16 or Windows-1252; commas, semicolons, tabs or bars between cells.

    `recognised` counts the known names of columns in a row; the separator is the one that shows most of them.
    """
    text, notes = _decoded(path)
    stated = _EXCEL_SEPARATOR.fullmatch(text[: text.find("\n")]) if "\n" in text[:20] else None
    if stated is not None and (stated[1].isalnum() or stated[1] in '" '):
        stated = None
    if stated is None:
        text, more = as_tabs(text, path, recognised)
        notes += more
    separator = _separator(text, recognised) if stated is None else stated[1]
    rows: list[tuple[int, list[Cell]]] = []
    count = 0
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    try:
        for row in reader:
            cells: list[Cell] = [cell.strip() for cell in row]
            if any(cells) and (stated is None or reader.line_num > 1):
                rows.append((reader.line_num, cells))
                count += len(cells)
                check_size(path, count)
    except csv.Error as error:
        raise InvalidInputError(f"{path} must be a CSV file, got {error} on line {reader.line_num}: correct that line") from error
    return Sheet(str(path), rows, notes, separator=SEPARATORS.get(separator, repr(separator)))


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Content of a file of limited size, which must not be empty."""
    content = _files.read_bytes(path)
    if not content.strip():
        raise empty_file(path)
    return content


def _decoded(path: str | os.PathLike[str]) -> tuple[str, tuple[str, ...]]:
    """The text of a file with line feeds at the ends of lines, and a note if its encoding was guessed."""
    content = read_bytes(path)
    notes: tuple[str, ...] = ()
    for start, kind, remedy in OTHER_FORMATS:
        if content.startswith(start):
            raise InvalidInputError(f"{path} must be a table in text, got {kind}: {remedy}")
    encoding = _encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        try:
            text, notes = content.decode("cp1252"), (_NOT_UTF8,)
        except UnicodeDecodeError:
            text = "\0"
        if _CONTROLS.search(text):
            raise InvalidInputError(
                f"{path} must be text in UTF-8, got a byte that is not at position {error.start}: save it as UTF-8"
            ) from error
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise empty_file(path)
    if any(len(line) > LONGEST_LINE for line in io.StringIO(text)):
        raise InvalidInputError(f"{path} must have lines of at most {LONGEST_LINE:,} characters, got a longer one: split it")
    return text, notes


def _encoding(content: bytes) -> str:
    """UTF-16 if the file starts with its mark, or every other byte of its start is zero; UTF-8 otherwise."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = content[:200]
    for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        if len(start) > 3 and start[first::2].count(0) > len(start) // 4 and not start[1 - first :: 2].count(0):
            return encoding
    return "utf-8"


def _separator(text: str, recognised: Callable[[list[str]], int]) -> str:
    """The separator that shows most names of known columns, then the most rows of one width, and then the widest."""

    def fit(separator: str) -> tuple[int, int, int]:
        rows: list[list[str]] = []
        reader = csv.reader(io.StringIO(text[:SAMPLED_CHARACTERS]), delimiter=separator, strict=True)
        with suppress(csv.Error):  # the rows before the first that cannot be read
            for row in reader:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    rows.append(cells)
                if len(rows) == SAMPLE:
                    break
        widths = Counter(len(row) for row in rows if len(row) > 1)
        names = max((recognised(row) for row in rows), default=0)
        return names, *max(((count, width) for width, count in widths.items()), default=(0, 0))

    return max(SEPARATORS, key=fit)
