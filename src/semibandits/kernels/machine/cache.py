"""Cache of compiled kernels on disk.

numba uses cached code as long as the file of the function is unchanged, but this code also contains the kernels that the function
calls. Here the stamp of a kernel is a digest of its file and of all kernel files that this one imports, directly or indirectly:
neither an upgrade nor a disk image with other file times can run old code. If no folder is writable, kernels are cached in a
temporary one until the process ends.
"""

from __future__ import annotations

import atexit
import glob
import hashlib
import logging
import os
import pickle
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from numba.core import caching as numba_caching

FOLDER = Path(__file__).parents[1]
"""The folder of the package of kernels."""
TEMPORARY = "SEMIBANDITS_TEMPORARY_CACHE"
"""Environment variable by which a child process gets the temporary folder of its parent."""
log = logging.getLogger(__name__)
caching: Any = numba_caching
"""Untyped, since types of numba differ between versions."""
_failed: list[OSError] = []
"""The first error of writing to the cache, which is the only one that users hear of."""
_PACKAGE = re.escape(__package__.rpartition(".")[0])
_IMPORT = re.compile(rf"^\s*from {_PACKAGE}([\w.]*) import (\([^)]*\)|[^\n(]*)", re.MULTILINE)


@cache
def digest(file: Path) -> str:
    """Digest of the sources that the kernels of this file are compiled from."""
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
    """Kernel files that this one imports, as modules or as names from packages."""
    paths = set()
    for module, names in _IMPORT.findall(file.read_text(encoding="utf-8")):
        home = FOLDER.joinpath(*module.split(".")[1:])
        paths.add(home.with_suffix(".py"))
        paths.update(home / f"{name}.py" for name in re.findall(r"\w+", names))
    return frozenset(path for path in paths if path.is_file())


def _with_digest(base: Any) -> Any:
    """Subclass of a locator of numba, which finds a cache folder, with digests as stamps."""

    class Locator(base):  # type: ignore[misc]
        def get_source_stamp(self) -> str:
            return digest(Path(self._py_file))

    return Locator


_UserWide: Any = getattr(caching, "UserWideCacheLocator", None) or getattr(caching, "_UserWideCacheLocator")  # noqa: B009


class _InTemporaryFolder(_UserWide):  # type: ignore[misc]
    """Locator for the case that no other folder is writable."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = _temporary_folder()


@cache
def _temporary_folder() -> str:
    if TEMPORARY in os.environ:
        return os.environ[TEMPORARY]
    folder = tempfile.mkdtemp(prefix="semibandits-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class _Results(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [
        *map(_with_digest, () if TEMPORARY in os.environ else caching.CompileResultCacheImpl._locator_classes),
        _with_digest(_InTemporaryFolder),
    ]


class _Files(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Cache files named by a digest of their stamp and signature, safe for processes that write concurrently or are killed.

    numba numbers its files and writes the index first, so that the index could point to code of another signature, or to old
    code.
    """

    def save(self, key: Any, data: Any) -> None:
        try:
            self._save(key, data)
        except OSError as error:  # the disk is full, say
            if not _failed:
                _failed.append(error)
                log.warning("compiled kernels are not kept for other processes: %s", error)

    def _save(self, key: Any, data: Any) -> None:
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
        except (ImportError, AttributeError, TypeError, ValueError, EOFError, IndexError, KeyError, pickle.UnpicklingError):
            return {}
        return kept

    def _remove_stale(self) -> None:
        """Delete the files of older versions."""
        for path in Path(self._cache_path).glob(f"{glob.escape(self._index_name[:-4])}.*.nbc"):
            path.unlink(missing_ok=True)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """Compiled code of one kernel on disk."""

    _impl_class = _Results
    _cache_file: Any

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        files = self._cache_file
        self._cache_file = _Files(files._cache_path, self._impl.filename_base, files._source_stamp)

    @property
    def exists(self) -> bool:
        """Whether any code of the kernel is on disk."""
        return Path(self._cache_file._index_path).exists()


def shared_folder() -> dict[str, str]:
    """Environment variables by which a child process has the same cache."""
    return {TEMPORARY: _temporary_folder()} if _temporary_folder.cache_info().currsize else {}


@cache
def kernel_folder() -> Path:
    """The folder of compiled kernels, which other files about them share."""
    return Path(KernelCache(digest.__wrapped__).cache_path)
