"""Where numba keeps compiled kernels, and when what it keeps is stale.

numba takes what is kept for a function as long as the function's own file is as it was. But what is kept holds the kernels that
it calls, too. So here a kernel's stamp is a digest of its file and of all files of kernels that this one imports, directly or
not: neither an upgrade nor an image that alters the times of files can run old code. Where no folder can be written, kernels
are kept in a temporary one, as long as the process lives.
"""

from __future__ import annotations

import atexit
import glob
import hashlib
import pickle
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from numba.core import caching as numba_caching

FOLDER = Path(__file__).parent
caching: Any = numba_caching
"""numba has no types here, or others."""
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
    """A way of numba's to find a folder, with stamps of our own."""

    class Locator(base):  # type: ignore[misc]
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


class _Results(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [
        _of_kernels(base) for base in (*caching.CompileResultCacheImpl._locator_classes, _InTemporaryFolder)
    ]


class _Files(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Files whose names tell what is in them: processes that write at once, or are killed as they write, mix nothing up.

    numba numbers its files and writes the index first, which could then point at another signature's code, or at old code.
    """

    def save(self, key: Any, data: Any) -> None:
        name = f"{self._index_name[:-4]}.{hashlib.sha256(self._dump((self._source_stamp, key))).hexdigest()[:16]}.nbc"
        kept = self._load_index()
        if not kept:
            self._remove_stale()
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

    def _load_index(self) -> dict[Any, str]:
        """Return the index, or an empty one if the file is damaged or refers to types that no longer exist."""
        try:
            kept: dict[Any, str] = super()._load_index()
        except (
            ImportError,
            AttributeError,
            TypeError,
            ValueError,
            EOFError,
            IndexError,
            KeyError,
            pickle.UnpicklingError,
        ):
            return {}
        return kept

    def _remove_stale(self) -> None:
        """What an older version has left."""
        for path in Path(self._cache_path).glob(f"{glob.escape(self._index_name[:-4])}.*.nbc"):
            path.unlink(missing_ok=True)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """What is kept on disk of one kernel."""

    _impl_class = _Results
    _cache_file: Any

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        files = self._cache_file
        self._cache_file = _Files(files._cache_path, self._impl.filename_base, files._source_stamp)

    @property
    def exists(self) -> bool:
        """Whether anything is kept."""
        return Path(self._cache_file._index_path).exists()
