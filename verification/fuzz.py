"""Hostile inputs to all readers: each must give a correct result or one clear error.

    python verification/fuzz.py [--cases 100000] [--only READER] [--seed 0] [--jobs 1] [--keep FOLDER]

Inputs are valid documents with changed bytes or values, and names of every kind. A case is a function of reader, seed and
number. It runs in a process with 4 GB of address space, for at most 10 seconds. Failures are a crash, too much memory or time, a
traceback, an exit code that is not in docs/cli.md, a control character in the output, and an object that fails its
own checks or differs after it is written and read. The table has one line per reader; failing inputs are kept, one
file each, and `--only READER --case NUMBER` repeats one of them. The exit code is 1 if there are any.

Run ``semibandits compile`` before: compilation counts as time. `fuzz_inputs.py` generates inputs, `fuzz_readers.py`
checks the results.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

MEMORY = 4 * 2**30
SECONDS = 10.0
START_SECONDS = 300.0
"""Seconds for a process to start and to write its valid documents."""
CHUNK = 5_000
"""Largest number of cases per process."""
FAILED = "failed"


@dataclass
class Tally:
    """Outcomes of the cases of a reader: their counts, and the failures with their reasons."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, outcome: str, why: str) -> None:
        """Count one case."""
        self.counts[outcome] += 1
        if outcome == FAILED:
            self.failures.append((number, why))


class _Late(BaseException):
    """Time-out of a case; a BaseException, so that no error handler catches it."""


def work(name: str, seed: int, first: int, last: int, seconds: float) -> None:
    """Run cases `first` to `last` - 1 of one reader in this process, and write a line before and after each."""
    import resource

    for key, value in {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "COLUMNS": "2000"}.items():
        os.environ[key] = value
    os.environ.pop("FORCE_COLOR", None)
    import fuzz_readers as readers

    def late(number: int, frame: FrameType | None) -> None:
        raise _Late

    lines = os.fdopen(os.dup(1), "w", buffering=1)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    reader = {**readers.READERS, **readers.TESTED}[name][0]()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        reader.prepare()
        prepared = set(os.listdir())
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGALRM, late)
        for number in range(first, last):
            print(json.dumps({"begins": number}), file=lines)
            case = readers.case_of(reader, name, seed, number)
            readers.write_files(case, Path())
            outcome, why = _judged(reader, case, seconds)
            print(json.dumps({"ends": number, "outcome": outcome, "why": why}), file=lines)
            for made in set(os.listdir()) - prepared:
                shutil.rmtree(made) if os.path.isdir(made) else os.unlink(made)
        os.chdir("/")


def _judged(reader: Any, case: Any, seconds: float) -> tuple[str, str]:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return reader.judge(case), ""
    except _Late:
        return FAILED, f"more than {seconds:g} seconds"
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return FAILED, f"{type(error).__name__}: {str(error)[:300]} ({Path(where.filename).name}:{where.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run(name: str, first: int, last: int, *, seed: int, seconds: float = SECONDS) -> Tally:
    """Run cases `first` to `last` - 1 of one reader in a process that is restarted when it dies."""
    tally = Tally()
    while first < last:
        begun = -1
        for line in _lines(["--work", name, str(seed), str(first), str(last), str(seconds)], seconds):
            if "begins" in line:
                begun = line["begins"]
            elif "ends" in line:
                tally.add(line["ends"], line["outcome"], line["why"])
                first, begun = line["ends"] + 1, -1
            else:
                if begun < 0:
                    raise SystemExit(f"{name}: the process did not start: {line['died']}")
                tally.add(begun, FAILED, line["died"])
                first = begun + 1
    return tally


def _lines(arguments: Sequence[str], seconds: float) -> Iterator[dict[str, Any]]:
    """Lines that a process writes, and a final one with the reason if it died."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        assert process.stdout is not None
        rest, limit = b"", START_SECONDS
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while ready.select(limit):
                content = os.read(process.stdout.fileno(), 65_536)
                if not content:
                    break
                *lines, rest = (rest + content).split(b"\n")
                yield from map(json.loads, lines)
                limit = 3 * seconds + 20
            else:
                process.kill()
                yield {"died": f"no output for {limit:g} seconds"}
                return
        if process.wait():
            errors.seek(0)
            yield {"died": f"exit code {process.returncode}: {errors.read()[-500:].decode(errors='replace')}"}


def _counts(cases: int, only: str | None) -> dict[str, int]:
    import fuzz_readers as readers

    if only is not None:
        return {only: cases}
    return {name: round(cases * share) for name, (_, share) in readers.READERS.items()}


def _keep(folder: Path, name: str, seed: int, failures: Sequence[tuple[int, str]]) -> None:
    """Write the failing inputs, one file each; they are generated again, as the process may have died."""
    import fuzz_readers as readers

    with tempfile.TemporaryDirectory() as place:
        before, kept = os.getcwd(), folder.resolve()
        os.chdir(place)
        try:
            reader = readers.READERS[name][0]()
            reader.prepare()
            for number, why in failures:
                content = {"why": why, **readers.shown_case(readers.case_of(reader, name, seed, number))}
                (kept / f"{name}-{seed}-{number}.json").write_text(json.dumps(content, indent=1, default=str), encoding="utf-8")
        finally:
            os.chdir(before)


def main() -> int:
    """Run the requested cases, print the table, and keep the failing inputs."""
    import fuzz_readers as readers

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--only", choices=readers.READERS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run only this case of --only")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    asked = parser.parse_args()
    if asked.case is not None and asked.only is None:
        parser.error("--case needs --only READER")
    tallies = {name: Tally() for name in _counts(0, asked.only)}
    if asked.case is not None:
        chunks = [(asked.only, asked.case, asked.case + 1)]
    else:
        chunks = [
            (name, first, min(first + CHUNK, count))
            for name, count in _counts(asked.cases, asked.only).items()
            for first in range(0, count, CHUNK)
        ]
    with ThreadPoolExecutor(asked.jobs) as pool:
        results = pool.map(lambda chunk: (chunk[0], run(*chunk, seed=asked.seed)), chunks)
        for name, part in results:
            tallies[name].counts += part.counts
            tallies[name].failures += part.failures
    print(f"{'reader':<10}{'cases':>10}{'right':>10}{'refused':>10}{'failed':>10}")
    for name, tally in tallies.items():
        row = [tally.counts.total(), *(tally.counts[outcome] for outcome in (readers.RIGHT, readers.REFUSED, FAILED))]
        print(f"{name:<10}" + "".join(f"{count:>10,}" for count in row))
    for name, tally in tallies.items():
        if tally.failures:
            asked.keep.mkdir(parents=True, exist_ok=True)
            _keep(asked.keep, name, asked.seed, tally.failures)
            for number, why in tally.failures[:20]:
                print(f"{name} {number}: {why}")
    return int(any(tally.failures for tally in tallies.values()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], *map(int, sys.argv[3:6]), float(sys.argv[6]))
    else:
        sys.exit(main())
