"""Tables in files with types: Excel, Parquet, and lines of JSON."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from importlib import import_module
from typing import Any, Final

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.formats.json import strict_json
from semibandits.inputs.fields import kind_of
from semibandits_studies.instances.files import read_text
from semibandits_studies.instances.parquet_pages import flat_columns, is_expanded
from semibandits_studies.instances.sheets import Cell, Sheet, check_size, listed
from semibandits_studies.instances.text_tables import read_bytes
from semibandits_studies.instances.xlsx_parts import load_workbook

_DATES: Final = (date, datetime, time, timedelta)


def read_json_lines(path: str | os.PathLike[str]) -> Sheet:
    """Read a table with one JSON object per line; the columns are the keys of all objects."""
    columns: dict[str, int] = {}
    records: list[tuple[int, Mapping[str, Any]]] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = strict_json(line)
        except ValueError as error:
            raise InvalidInputError(
                f"{path} must have one JSON object on each line, got {error} in line {number}: correct it there"
            ) from error
        if not isinstance(record, dict):
            raise InvalidInputError(
                f"{path} must have one JSON object on each line, got {kind_of(record)} on line {number}: "
                'write {"item": "a", "theta": 1}'
            )
        for key in record:
            columns.setdefault(key, len(columns))
        records.append((number, record))
        check_size(path, len(records) * len(columns))
    rows: list[tuple[int, list[Cell]]] = [(0, list(columns))]
    rows += [(number, [_cell(record.get(key)) for key in columns]) for number, record in records]
    return Sheet(str(path), rows, has_titles=False)


def read_xlsx(path: str | os.PathLike[str]) -> Sheet:
    """Read the first sheet of an Excel file that is not empty."""
    _package("openpyxl", path)
    content = read_bytes(path)
    sheets: dict[str, list[tuple[int, list[Cell]]]] = {}
    cells = 0
    with _foreign_errors(path, "an Excel file"):
        book = load_workbook(content, path)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # the file may claim any size
            rows = sheets[sheet.title] = []
            for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
                cells += max(1, len(values))  # rows without cells follow from the number of a later row
                check_size(path, cells)
                row = [_cell(value) for value in values]
                if any(cell != "" for cell in row):
                    rows.append((number, row))
        book.close()
    return _first_sheet(path, sheets)


def read_xls(path: str | os.PathLike[str]) -> Sheet:
    """Read the first sheet of an Excel file of versions up to 2003 that is not empty."""
    xlrd = _package("xlrd", path)
    content = read_bytes(path)

    def value(cell: Any) -> Cell:
        if cell.ctype == xlrd.XL_CELL_ERROR:  # whose value is a number
            return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
        return _cell(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value)

    with _foreign_errors(path, "an Excel file"), open(os.devnull, "w", encoding="utf-8") as log:
        # rows with the cells that are there: others would be as long as the longest one
        book = xlrd.open_workbook(file_contents=content, logfile=log, on_demand=True, ragged_rows=True)
        sheets, cells = {}, 0
        for name in book.sheet_names():
            sheet = book.sheet_by_name(name)
            cells += sheet.nrows + sum(map(sheet.row_len, range(sheet.nrows)))
            check_size(path, cells)
            rows = [(r + 1, [value(cell) for cell in sheet.row(r)]) for r in range(sheet.nrows)]
            sheets[name] = [(r, row) for r, row in rows if any(cell != "" for cell in row)]
            book.unload_sheet(name)
    return _first_sheet(path, sheets)


def read_parquet(path: str | os.PathLike[str]) -> Sheet:
    """Read a Parquet file. Its texts are kept once each, since a thousand bytes may repeat one of them for gigabytes."""
    parquet, pyarrow = _package("pyarrow.parquet", path), _package("pyarrow", path)
    content = read_bytes(path)
    with _foreign_errors(path, "a Parquet file"):
        with parquet.ParquetFile(pyarrow.BufferReader(content)) as file:
            names = flat_columns(path, content, file)
        with parquet.ParquetFile(pyarrow.BufferReader(content), read_dictionary=names) as file:
            kept = [name for name in names if not is_expanded(file, name)]
            others = [name for name in file.schema_arrow.names if name not in kept]
            table = file.read(None if not others else kept)
        columns = [_values(column) for column in table.columns]
    rows: list[tuple[int, list[Cell]]] = [(0, list(map(str, table.column_names)))]
    rows += [(r, list(row)) for r, row in enumerate(zip(*columns, strict=True), 1)]
    notes = (f"Columns of lists, records and other types are not read: {listed(others)}.",) if others else ()
    return Sheet(str(path), rows, notes, has_titles=False)


def _values(column: Any) -> list[Cell]:
    """The cells of a column of pyarrow."""
    if not hasattr(column.type, "index_type"):
        return [_cell(value) for value in column.to_pylist()]
    if column.num_chunks > 1:
        column = column.unify_dictionaries()  # one object a text, not one for each group of rows
    texts = [_cell(value) for value in column.chunk(0).dictionary.to_pylist()] if column.num_chunks else []
    return ["" if k is None else texts[k] for chunk in column.chunks for k in chunk.indices.to_pylist()]


READERS: Final[Mapping[str, Callable[[str | os.PathLike[str]], Sheet]]] = {
    ".xlsx": read_xlsx,
    ".xlsm": read_xlsx,
    ".xls": read_xls,
    ".parquet": read_parquet,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
}
"""Readers by the ending of the file."""


def _first_sheet(path: object, sheets: Mapping[str, Sequence[tuple[int, list[Cell]]]]) -> Sheet:
    filled = [name for name, rows in sheets.items() if rows]
    rows = sheets[filled[0]] if filled else []
    others = f"Only the sheet {filled[0]!r} is read, the first of {len(filled)}." if len(filled) > 1 else ""
    return Sheet(str(path), rows, (others,) if others else ())


def _cell(value: Any) -> Cell:
    """A value as a cell: nothing and NaN are empty, truth values and dates are texts."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (bool, *_DATES)):
        return str(value)
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        return value.strip()
    try:
        return float(value)  # a decimal
    except (TypeError, ValueError, OverflowError):
        return kind_of(value)


def _package(name: str, path: str | os.PathLike[str]) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise SemibanditsError(
            f"{path} needs {package}, which is not installed: run pip install {package}, or save the table as .csv"
        ) from error


@contextmanager
def _foreign_errors(path: object, kind: str) -> Iterator[None]:
    """Turn whatever a package raises on a damaged file into one error; its warnings are not ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (SemibanditsError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error.__cause__, InvalidInputError):  # openpyxl wraps it
            raise error.__cause__ from None
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise InvalidInputError(
            f"{path} must be {kind}, got a damaged or other one ({reason}): save it again, or as .csv"
        ) from error
