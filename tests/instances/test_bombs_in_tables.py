"""Tables of a few kilobytes that unpack to gigabytes are refused before they take memory; usual ones are read as before."""

import io
import resource
import sys
import tempfile
import zipfile
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
import xlwt
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from marks import later
from semibandits.errors import InvalidInputError
from semibandits.instances import ProblemOptions, read_table
from semibandits_studies.instances.parquet_pages import DELTA_STRINGS, UNPACKED, encodings, page_headers
from semibandits_studies.instances.typed_tables import read_parquet, read_xls, read_xlsx

ONE = ProblemOptions(size=1)
SHEET, STYLES, TYPES, STRINGS = (
    "xl/worksheets/sheet1.xml", "xl/styles.xml", "[Content_Types].xml", "xl/sharedStrings.xml",
)  # fmt: skip
PLAIN = {"use_dictionary": False, "write_statistics": False}  # which take seconds to write
TOO_LARGE = "must have at most 5,000,000 cells and .* bytes unpacked, got more: remove columns or items"


def excel(path, **parts):
    """A workbook in which the end of a part is replaced: (name, end, new end)."""
    book = openpyxl.Workbook()
    for row in (("item", "theta"), ("a", 1), ("b", 2)):
        book.active.append(row)
    book.create_chartsheet("chart")
    content = io.BytesIO()
    book.save(content)
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name in old.namelist():
            text = old.read(name)
            for changed, end, replacement in parts.values():
                assert changed != name or end in text
                text = text.replace(end, replacement, 1) if changed == name else text
            new.writestr(name, text)


def strings(path, text):
    """A workbook with a table of shared strings."""
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    own = b'<Override PartName="/xl/sharedStrings.xml" ContentType="' + kind + b'"/></Types>'
    excel(path, types=(TYPES, b"</Types>", own))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        archive.writestr(STRINGS, b'<sst xmlns="' + space + b'">' + text + b"</sst>")


def table(path, item, **options):
    parquet.write_table(pa.table({"item": item, "theta": [1.0] * len(item)}), path, **options)


def repeated(value, kind=None, rows=10**5):
    """A column of many times one value, which is written once."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value], kind))


def old_excel(path):
    """Sheets whose last cell is set, which xlrd fills up to it."""
    book = xlwt.Workbook()
    for k in range(3):
        sheet = book.add_sheet(f"s{k}")
        for row, column, value in ((0, 0, "item"), (0, 1, "theta"), (1, 0, "a"), (1, 1, 1), (65535, 255, "x")):
            sheet.write(row, column, value)
    book.save(str(path))


BOMBS = {
    "fixed.parquet": lambda path: table(path, repeated(bytes(2000), pa.binary(2000))),
    "the last row.xlsx": lambda path: excel(path, a=(SHEET, b'<row r="3"', b'<row r="99999999999"')),
    "rows.xlsx": lambda path: excel(path, a=(SHEET, b"</sheetData>", b"<row/>" * 2**21 + b"</sheetData>")),
    "cells.xlsx": lambda path: excel(path, a=(SHEET, b"</sheetData>", b"<row>" + b"<c/>" * 10**6 + b"</row></sheetData>")),
    "columns.xlsx": lambda path: excel(path, a=(SHEET, b"</sheetData>", b'<row><c r="ZZZ1"/></row>' * 10**5 + b"</sheetData>")),
    "other elements.xlsx": lambda path: excel(path, a=(SHEET, b"</sheetData>", b"<x/>" * 10**6 + b"</sheetData>")),
    "attributes.xlsx": lambda path: excel(path, a=(SHEET, b"</sheetData>", b"<row " + b" " * 10**8 + b"/></sheetData>")),
    "styles.xlsx": lambda path: excel(path, a=(STYLES, b"</cellXfs>", b'<xf numFmtId="0"/>' * 10**6 + b"</cellXfs>")),
    "types.xlsx": lambda path: excel(path, a=(TYPES, b"</Types>", b"<Default/>" * 10**6 + b"</Types>")),
    "strings.xlsx": lambda path: strings(path, b"<si/>" * 4 * 10**6),
    "runs.xlsx": lambda path: strings(path, b"<si>" + b"<r/>" * 10**6 + b"</si>"),
    "bytes.xlsx": lambda path: strings(path, b" " * 2**28),
    "text.parquet": lambda path: table(path, ["x" * 7 * 10**7] * 2, compression="zstd", **PLAIN),
    "rows.parquet": lambda path: table(path, pa.nulls(10**7, pa.int8())),
}  # fmt: skip


@contextmanager
def little_memory():
    """What is done meanwhile takes less than 300 MB: the bombs took 2.3 to 10 GB."""

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    pa.default_memory_pool().release_unused()
    with suppress(OSError):  # Linux then forgets an earlier peak, which would hide ours
        Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    yield
    assert peak() - before < 3 * 10**8


COSTLY = ("rows.xlsx", "columns.xlsx", "other elements.xlsx", "strings.xlsx", "bytes.xlsx")


@pytest.mark.parametrize("name", [*(name for name in BOMBS if name not in COSTLY), *later(*COSTLY)])
def test_bombs_are_refused_and_take_no_memory(tmp_path, name):
    BOMBS[name](tmp_path / name)
    with little_memory(), pytest.raises(InvalidInputError, match=TOO_LARGE):
        read_table(tmp_path / name, ONE)


def test_long_lists_beside_the_columns_take_no_memory(tmp_path):
    lists = pa.ListArray.from_arrays([0, 5 * 10**7, 5 * 10**7], pa.nulls(5 * 10**7, pa.int8()))
    parquet.write_table(pa.table({"item": ["a", "b"], "theta": [1, 2], "l": lists}), tmp_path / "a.parquet", **PLAIN)
    with little_memory():
        assert read_parquet(tmp_path / "a.parquet").rows[1:] == [(1, ["a", 1]), (2, ["b", 2])]


def test_a_text_for_each_row_by_one_text_is_kept_once(tmp_path):
    table(tmp_path / "a.parquet", repeated("x" * 50_000))
    with little_memory():
        sheet = read_parquet(tmp_path / "a.parquet")  # 5 GB otherwise
    assert len({id(row[0]) for _, row in sheet.rows[1:]}) == 1
    table(tmp_path / "a.parquet", repeated("x" * 50_000, rows=2))
    with pytest.raises(InvalidInputError, match=r"must have distinct names, got 'x{40}\.\.\.' on lines 1 and 2"):
        read_table(tmp_path / "a.parquet", ONE)
    table(tmp_path / "b.parquet", ["x" * 10**5] * 10, use_dictionary=False, column_encoding={"item": "DELTA_BYTE_ARRAY"})
    with pytest.raises(InvalidInputError, match=r"got the encoding DELTA_BYTE_ARRAY in 'item': save it with another encoding"):
        read_parquet(tmp_path / "b.parquet")


def test_entities_are_refused(tmp_path):
    head = b'<!DOCTYPE a [<!ENTITY b "' + b"x" * 1000 + b'">]><styleSheet'
    excel(tmp_path / "a.xlsx", a=(STYLES, b"<styleSheet", head))
    with pytest.raises(InvalidInputError, match=r"a.xlsx must be an Excel file without entities, got some"):
        read_table(tmp_path / "a.xlsx", ONE)


# Usual files ----------------------------------------------------------------------------------------------------------


def test_excel_files_with_other_parts(tmp_path):
    excel(tmp_path / "a.xlsx")  # with a sheet of a chart
    assert [row for _, row in read_xlsx(tmp_path / "a.xlsx").rows] == [["item", "theta"], ["a", 1], ["b", 2]]
    text = b"<si><t>item</t></si><si><r><t>the</t></r><r><t>ta</t></r></si>"
    strings(tmp_path / "b.xlsx", text)
    content = {name: zipfile.ZipFile(tmp_path / "b.xlsx").read(name) for name in zipfile.ZipFile(tmp_path / "b.xlsx").namelist()}
    row = b'<row r="9"><c r="B9" t="s"><v>0</v></c><c r="D9" t="s"><v>1</v></c></row></sheetData>'
    content[SHEET] = content[SHEET].replace(b"</sheetData>", row)
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    assert read_xlsx(tmp_path / "b.xlsx").rows[-1] == (9, ["", "item", "", "theta"])


def test_rows_of_old_excel_files_have_their_own_length(tmp_path):
    old_excel(tmp_path / "a.xls")
    with little_memory():
        sheet = read_xls(tmp_path / "a.xls")
    assert [row for _, row in sheet.rows[:2]] == [["item", "theta"], ["a", 1]]
    assert sheet.rows[2] == (65536, [""] * 255 + ["x"])
    assert sheet.notes == ("Only the sheet 's0' is read, the first of 3.",)


COLUMNS = {
    "texts": pa.array(["a", None, "b", "a"]),
    "long": pa.array(["a", None, "b", "a"], pa.large_string()),
    "kept.once": pa.array(["a", None, "b", "a"]).dictionary_encode(),
    "numbers": pa.array([1, None, 3, 2**40]),
    "floats": pa.array([1.5, None, float("nan"), 2.0]),
    "truth": pa.array([True, None, False, True]),
    "decimals": pa.array([1, None, 3, 4], pa.decimal128(9, 2)),
    "days": pa.array([0, None, 1, 2], pa.date32()),
    "nothing": pa.nulls(4),
    "records": pa.array([{"x": 1}, None, {"x": 2}, None]),
    "kept": pa.array([[1], None, [], [2]]),
}
RIGHT = {
    "texts": ["a", "", "b", "a"], "long": ["a", "", "b", "a"], "kept.once": ["a", "", "b", "a"], "numbers": [1, "", 3, 2**40],
    "floats": [1.5, "", "", 2.0], "truth": ["True", "", "False", "True"], "decimals": [1.0, "", 3.0, 4.0],
    "days": ["1970-01-01", "", "1970-01-02", "1970-01-03"], "nothing": [""] * 4,
}  # fmt: skip


@settings(max_examples=60)
@given(
    names=st.permutations(list(COLUMNS)).flatmap(lambda names: st.integers(1, len(names)).map(lambda n: names[:n])),
    version=st.sampled_from(["1.0", "2.0"]),
    compression=st.sampled_from(["none", "snappy", "gzip", "zstd", "lz4"]),
    use_dictionary=st.booleans(),
    row_group_size=st.integers(1, 4),
    store_schema=st.booleans(),
)
def test_parquet_files_are_read_as_they_were_written(names, version, row_group_size, **options):
    written = pa.table({name: COLUMNS[name] for name in names})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        parquet.write_table(written, path, data_page_version=version, row_group_size=row_group_size, **options)
        content, about = path.read_bytes(), parquet.read_metadata(path)
        chunks = [about.row_group(r).column(k) for r in range(about.num_row_groups) for k in range(about.num_columns)]
        for chunk in chunks:
            start = chunk.dictionary_page_offset or chunk.data_page_offset
            headers = list(page_headers(content, start, chunk.total_compressed_size))
            assert len(headers) == 1 + chunk.has_dictionary_page
            assert all(len(encodings(header)) == 1 and DELTA_STRINGS not in encodings(header) for header in headers)
            unpacked = chunk.total_uncompressed_size - sum(header[UNPACKED] for header in headers)
            assert 0 < unpacked < 200 * len(headers)  # the headers themselves
        flat = [name for name in names if name in RIGHT]
        if flat:
            sheet = read_parquet(path)
            assert [row for _, row in sheet.rows] == [flat, *map(list, zip(*(RIGHT[name] for name in flat), strict=True))]
            assert bool(sheet.notes) == (len(flat) < len(names))


@settings(max_examples=300)
@given(position=st.integers(0, 10**4), byte=st.integers(0, 255))
def test_damaged_parquet_files_give_one_error(position, byte):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        table(path, ["a", "b", None], compression="zstd")
        content = bytearray(path.read_bytes())
        content[position % len(content)] = byte
        path.write_bytes(content)
        try:
            read_parquet(path)
        except InvalidInputError as error:
            assert "a.parquet must " in str(error)  # noqa: PT017
