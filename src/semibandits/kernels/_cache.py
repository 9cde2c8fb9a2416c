"""Where numba keeps compiled kernels, and when what it keeps is stale.

numba takes what is kept for a function as long as the function's own file is as it was. But what is kept holds the kernels that
it calls, too. So here a kernel's stamp is a digest of its file and of all files of kernels that this one imports, directly or
not: neither an upgrade nor an image that alters the times of files can run old code. Where no folder can be written, kernels
are kept in a temporary one, as long as the process lives.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching

FOLDER = Path(__file__).parent
_PACKAGE = re.escape(__package__)
_IMPORT = re.compile(rf"^\s*from {_PACKAGE}([\w.]*) import (\([^)]*\)|[^\n(]*)", re.MULTILINE)


@cache
def digest(file: Path) -> str:
    """Of the sources that the kernels of this file are compiled from."""
    files, found = [file], {file}
    while files:
        for path in _imported(files.pop()) - found:
            found.add(path)
            files.append(path)
    content = hashlib.sha256()
    for path in sorted(found):
        content.update(hashlib.sha256(path.read_bytes()).digest())
    return content.hexdigest()


@cache
def _imported(file: Path) -> frozenset[Path]:
    """Files of kernels that this one imports, as modules or names of modules."""
    paths = set()
    for module, names in _IMPORT.findall(file.read_text(encoding="utf-8")):
        home = FOLDER.joinpath(*module.split(".")[1:])
        paths.add(home.with_suffix(".py"))
        paths.update(home / f"{name}.py" for name in re.findall(r"\w+", names))
    return frozenset(path for path in paths if path.is_file())


def _of_kernels(base: Any) -> Any:
    """A way of numba's to find a folder, for kernels of this package alone."""

    class Locator(base):  # type: ignore[misc]
        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            path = Path(py_file)
            return super().from_function(py_func, py_file) if FOLDER in path.parents and path.is_file() else None

        def get_source_stamp(self) -> str:
            return digest(Path(self._py_file))

    return Locator


_UserWide: Any = getattr(caching, "UserWideCacheLocator", None) or getattr(caching, "_UserWideCacheLocator")  # noqa: B009


class _InTemporaryFolder(_UserWide):  # type: ignore[misc]
    """The last way, where nothing else can be written to."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = _temporary_folder()


@cache
def _temporary_folder() -> str:
    folder = tempfile.mkdtemp(prefix="semibandits-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def install() -> None:
    """Have numba look for the folders of kernels here."""
    known = caching.CacheImpl._locator_classes
    known[:0] = [_of_kernels(base) for base in (*known, _InTemporaryFolder)]


install()
