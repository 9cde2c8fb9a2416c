"""Cached code of kernels is never stale, and a missing folder costs time only."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import semibandits
from semibandits.kernels.machine import cache

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is kept without the compiler")

KERNEL = """
from semibandits.kernels.machine.tiers import kernel
{imports}

@kernel
def {name}(x):
    return {value}
"""
INNER, CHANGED = (KERNEL.format(imports="", name="inner", value=value) for value in ("x * x", "x + x"))
OUTER = KERNEL.format(imports="from semibandits.kernels.middle import middle", name="outer", value="middle(x)")
MIDDLE = KERNEL.format(imports="from semibandits.kernels import inner", name="middle", value="inner.inner(x) + 1.0")
RUN = """
from semibandits.kernels.outer import outer
print(outer(3.0), sum(outer.stats.cache_hits.values()))
"""
FORKS = """
import json, os, sys
import numba
numba.njit(lambda x: x * x + 1.0)(1.0)
for line in sys.stdin:
    folder, code, variables = json.loads(line)
    if os.fork() == 0:
        os.environ.update(variables)
        numba.core.config.reload_config()
        sys.path.insert(0, folder)
        exec(code)
        sys.exit()
    os.wait()
    print("ended", flush=True)
"""
"""A process that has compiled once, which takes most of the time of a new one, and runs code in copies of itself."""


@pytest.fixture(scope="module")
def forks():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_CACHE")}
    # Python takes bytecode of a file with the same time and size for its own, whatever the file says.
    environment |= {"SEMIBANDITS_TIER": "compiled", "PYTHONDONTWRITEBYTECODE": "1"}
    command, pipe = [sys.executable, "-W", "error", "-c", FORKS], subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def library(tmp_path):
    """A library with the cache of this one and three kernels, which call one another."""
    source, copy = Path(semibandits.__file__).parent, tmp_path / "semibandits"
    (copy / "kernels" / "machine").mkdir(parents=True)
    modules = ("__init__", "background", "cache", "conversion", "interrupts", "spending", "tiers")
    names = ("__init__", *(f"machine/{name}" for name in modules))
    for name in ("__init__.py", "__init__.pyi", "_lazy.py", "_version.py", *(f"kernels/{name}.py" for name in names)):
        shutil.copy(source / name, copy / name)
    for name, text in {"outer": OUTER, "middle": MIDDLE, "inner": INNER}.items():
        (copy / "kernels" / f"{name}.py").write_text(text)
    return copy


@pytest.fixture
def run(library, forks):
    """What code prints when a new process runs it."""

    def run(code=RUN, **variables):
        print(json.dumps([str(library.parent), code, variables]), file=forks.stdin, flush=True)
        return "".join(iter(forks.stdout.readline, "ended\n")).strip()

    return run


def test_a_change_behind_two_calls_is_seen_whatever_the_time_of_the_file(library, run):
    assert [run(), run()] == ["10.0 0", "10.0 1"]
    inner = library / "kernels" / "inner.py"
    before = inner.stat()
    inner.write_text(CHANGED)
    os.utime(inner, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [run(), run()] == ["7.0 0", "7.0 1"]


def test_other_times_of_files_and_other_kernels_change_nothing(library, run):
    run()
    for path in library.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    (library / "kernels" / "another.py").write_text(INNER)
    assert run() == "10.0 1"


def test_a_process_killed_between_two_files_leaves_no_stale_code(library, run):
    run()
    (library / "kernels" / "inner.py").write_text(CHANGED)
    killed = """
import os
from semibandits.kernels.machine import cache
whole = cache._Files._save_index
cache._Files._save_index = lambda *arguments: (whole(*arguments), os._exit(0))
before = cache._Files._save_data
cache._Files._save_data = lambda *arguments: (before(*arguments), os._exit(0))
"""
    run(killed + RUN)
    assert run().startswith("7.0")


def test_two_processes_that_write_at_once_mix_nothing_up(run):
    """After one process saves its code, another saves an index that contains another signature only."""
    both = f"""{RUN}
from semibandits.kernels.machine import cache
files = outer._cache._cache_file
known = files._load_index()
print(outer(3), len(known))
files._save_index(known)
print(outer(2j))
"""
    run(both)
    assert run(f"{RUN}print(outer(3), outer(2j))") == "10.0 1\n10.0 (-3+0j)"


def test_the_folder_of_the_environment_is_used(library, run, tmp_path):
    assert run(NUMBA_CACHE_DIR=str(tmp_path / "kept")) == "10.0 0"
    assert list((tmp_path / "kept").rglob("*.nbc"))
    assert not list(library.rglob("*.nbc"))


def test_without_a_folder_that_can_be_written_kernels_run_all_the_same(run, tmp_path):
    (tmp_path / "temporary").mkdir()
    refuse = f"""
import os
from numba.core import caching
before = caching._CacheLocator.ensure_cache_path
def refused(self):
    if not self.get_cache_path().startswith({str(tmp_path / "temporary")!r}):
        raise PermissionError("read-only")
    before(self)
caching._CacheLocator.ensure_cache_path = refused
"""
    assert run(refuse + RUN, TMPDIR=str(tmp_path / "temporary")) == "10.0 0"
    assert not list((tmp_path / "temporary").iterdir())


def test_the_digest_follows_every_import_of_a_kernel_by_a_kernel():
    for path in cache.FOLDER.rglob("*.py"):
        named = {line.split()[1] for line in path.read_text().splitlines() if line.startswith("from semibandits.kernels.")}
        homes = {cache.FOLDER.joinpath(*name.split(".")[2:]) for name in named}
        files = {home.with_suffix(".py") for home in homes if home.with_suffix(".py").is_file()}
        assert files <= cache._imported(path)
        assert not [line for line in path.read_text().splitlines() if line.startswith("import semibandits")]


WITH_RECORD = """
from typing import NamedTuple
from semibandits.kernels.machine.tiers import kernel

class {name}(NamedTuple):
    value: float

@kernel
def outer(x):
    return x.value + 1.0
"""


def test_kernels_that_were_kept_with_types_that_are_no_more_are_compiled_again(library, run):
    """After an upgrade that renamed a record, the cached index refers to the old name."""
    module = library / "kernels" / "outer.py"
    call = "from semibandits.kernels.outer import outer, {0}; print(outer({0}(3.0)), sum(outer.stats.cache_hits.values()))"
    for name, hits in (("Old", 0), ("Old", 1), ("New", 0), ("New", 1)):
        module.write_text(WITH_RECORD.format(name=name))
        assert run(call.format(name)) == f"4.0 {hits}"


def test_a_damaged_index_is_as_good_as_none(library, run):
    assert run() == "10.0 0"
    for index in library.rglob("*.nbi"):
        index.write_bytes(index.read_bytes()[:-20])
    assert run().startswith("10.0")
