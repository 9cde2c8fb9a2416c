"""Excel files whose parts are counted before openpyxl builds trees of them: a few kilobytes may unpack to gigabytes."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any, Final
from xml.parsers import expat

from semibandits.errors import InvalidInputError
from semibandits.formats.json import MOST_CHARACTERS
from semibandits_studies.instances.sheets import MOST_CELLS, too_large

STRINGS: Final = "shared strings"
SHEETS: Final = "sheets"
TREES: Final = "other parts"
MOST: Final = {STRINGS: 2**21, SHEETS: 8 * MOST_CELLS, TREES: 2**18}
"""Largest number of elements by the way they are read: a tree takes about a kilobyte for each."""
MOST_IN_ROW: Final = 2**18
"""Largest number of elements of a row or string, which are read as trees; a row has up to 2^14 cells of two or more elements."""
MOST_ROWS: Final = 2**20
"""Number of rows of a sheet of Excel."""
LONGEST_TAG: Final = 2**20
_CHUNK: Final = 2**16


class XlsxParts(zipfile.ZipFile):
    """An Excel file that counts the elements of a part before it opens it.

    It is refused if its parts are too large by the sizes that the archive states, beyond which zipfile does not read. A part is
    refused, when it is opened, if it has too many elements, was opened too often, or defines entities of XML, which may expand.
    """

    def __init__(self, content: bytes, path: object) -> None:
        super().__init__(io.BytesIO(content))
        self._path = path
        self._counts: dict[str, int] = {}
        self._spent: Counter[str] = Counter()
        self.kind = SHEETS
        """What is opened as a stream."""
        if sum(info.file_size for info in self.infolist()) > MOST_CHARACTERS:
            raise too_large(path)

    def open(self, name: Any, *arguments: Any, **options: Any) -> IO[bytes]:
        """A part that is read as a stream."""
        return self._opened(name, self.kind, *arguments, **options)

    def read(self, name: Any, *arguments: Any) -> bytes:
        """A part that is read as a tree."""
        with self._opened(name, TREES, "r", *arguments) as part:
            return part.read()

    def _opened(self, name: str, kind: str, *arguments: Any, **options: Any) -> IO[bytes]:
        if name not in self._counts:
            with super().open(name) as part:
                self._counts[name] = self._count(part, MOST[kind])
        self._spent[kind] += self._counts[name]
        if self._spent[kind] > MOST[kind]:
            raise too_large(self._path)
        return super().open(name, *arguments, **options)

    def _count(self, part: IO[bytes], most: int) -> int:
        """The number of elements of a part."""
        depth = elements = rows = in_row = 0

        def start(tag: str, attributes: Mapping[str, str]) -> None:
            nonlocal depth, elements, rows, in_row
            depth, elements, in_row = depth + 1, elements + 1, in_row + 1
            is_row = depth == 3 and tag.rpartition(":")[2] == "row"
            rows += is_row
            if is_row or depth == 2:
                in_row = 0
            last = int(attributes.get("r", 0)) if is_row else 0
            if elements > most or in_row > MOST_IN_ROW or max(rows, last) > MOST_ROWS:
                raise too_large(self._path)

        def end(_: str) -> None:
            nonlocal depth
            depth -= 1

        def refuse(*_: object) -> None:
            raise InvalidInputError(f"{self._path} must be an Excel file without entities, got some: save it again, or as .csv")

        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, refuse
        fed = 0
        while chunk := part.read(_CHUNK):
            parser.Parse(chunk)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > LONGEST_TAG:
                raise too_large(self._path)
        parser.Parse(b"", True)
        return elements


def load_workbook(content: bytes, path: object) -> Any:
    """The workbook of openpyxl, whose sheets are streams of rows; refused if it is too large, see `XlsxParts`."""
    from openpyxl.reader.excel import ExcelReader

    class Reader(ExcelReader):  # type: ignore[misc]
        def read_strings(self) -> None:
            self.archive.kind = STRINGS
            super().read_strings()
            self.archive.kind = SHEETS

        def read_chartsheet(self, sheet: object, rel: object) -> None:
            """Nothing: it has no cells."""

    reader = Reader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    reader.archive.close()
    reader.archive = XlsxParts(content, path)
    reader.read()
    return reader.wb
