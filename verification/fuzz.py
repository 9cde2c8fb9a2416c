"""Hostile inputs to all readers: each must give a correct result or one clear error.

    python verification/fuzz.py [--cases 100000] [--only READER] [--seed 0] [--jobs 1]
    python verification/fuzz.py --only READER --seed 0 --case NUMBER --keep FOLDER

Inputs are valid documents with changed bytes or values, and names of every kind. A case is a function of reader, seed and
number. It runs in a process with 4 GB of address space, for at most 10 seconds. Failures are a crash, too much memory or time, a
traceback, an exit code that is not in docs/cli.md, a control character in the output, and an object that fails its
own checks or differs after it is written and read. The table has one line per reader, and the failures follow; the second
command repeats one of them, and keeps its files. The exit code is 1 if there are any.

Run ``semibandits compile`` before: compilation counts as time. `fuzz_inputs.py` generates inputs, `fuzz_readers.py` lists the
readers, and `fuzz_judging.py` judges what they return.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
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


def judged(reader: Any, case: Any, seconds: float) -> tuple[str, str]:
    """Outcome of a case whose files are written to the current folder, and the reason of a failure; new files are removed."""

    def late(number: int, frame: FrameType | None) -> None:
        raise _Late

    prepared = set(os.listdir())
    case.write_files()
    signal.signal(signal.SIGALRM, late)
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
        for made in set(os.listdir()) - prepared:
            shutil.rmtree(made) if os.path.isdir(made) else os.unlink(made)


def work(results: Connection, name: str, seed: int, first: int, last: int, seconds: float) -> None:
    """Run cases `first` to `last` - 1 of one reader in this process; send None once they can begin, and then their outcomes."""
    import resource

    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "COLUMNS": "2000"}
    os.environ.pop("FORCE_COLOR", None)
    import fuzz_readers as readers

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    reader = readers.READERS[name][0]()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        reader.prepare()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        results.send(None)
        for number in range(first, last):
            results.send(judged(reader, readers.case_of(reader, name, seed, number), seconds))
        os.chdir("/")


def run(name: str, first: int, last: int, *, seed: int, seconds: float = SECONDS) -> Tally:
    """Run cases `first` to `last` - 1 of one reader in a process that is restarted when it dies."""
    tally, context = Tally(), multiprocessing.get_context("spawn")
    while first < last:
        results, others = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(others, name, seed, first, last, seconds))
        process.start()
        others.close()
        limit, has_begun, why = START_SECONDS, False, ""
        with suppress(EOFError):
            while first < last and not why:
                if not results.poll(limit):
                    process.kill()
                    why = f"no output for {limit:g} seconds"
                elif outcome := results.recv():
                    tally.add(first, *outcome)
                    first += 1
                else:
                    has_begun, limit = True, 3 * seconds + 20
        process.join()
        if first < last:
            why = why or f"exit code {process.exitcode}"
            if not has_begun:
                raise SystemExit(f"{name}: the process did not start: {why}")
            tally.add(first, FAILED, why)
            first += 1
    return tally


def main() -> int:
    """Run the requested cases, and print the table and the failures."""
    import fuzz_readers as readers

    shares = {name: share for name, (_, share) in readers.READERS.items() if share}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--only", choices=shares)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run only this case of --only")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a new folder for the files of --case, which then does not run")
    asked = parser.parse_args()
    if (asked.case is not None and asked.only is None) or (asked.keep and asked.case is None):
        parser.error("--case needs --only READER, and --keep needs --case")
    if asked.keep:
        asked.keep.mkdir(parents=True)
        os.chdir(asked.keep)
        reader = readers.READERS[asked.only][0]()
        reader.prepare()
        case = readers.case_of(reader, asked.only, asked.seed, asked.case)
        case.write_files()
        print(f"{asked.keep}: {', '.join(case.files)}; arguments {case.arguments!r}")
        return 0
    if asked.case is not None:
        chunks = [(asked.only, asked.case, asked.case + 1)]
    else:
        counts = {asked.only: asked.cases} if asked.only else {name: round(asked.cases * share) for name, share in shares.items()}
        chunks = [(name, first, min(first + CHUNK, count)) for name, count in counts.items() for first in range(0, count, CHUNK)]
    tallies = {name: Tally() for name, _, _ in chunks}
    with ThreadPoolExecutor(asked.jobs) as pool:
        for (name, _, _), part in zip(chunks, pool.map(lambda chunk: run(*chunk, seed=asked.seed), chunks), strict=True):
            tallies[name].counts += part.counts
            tallies[name].failures += part.failures
    print(f"{'reader':<10}{'cases':>10}{'right':>10}{'refused':>10}{'failed':>10}")
    for name, tally in tallies.items():
        row = [tally.counts.total(), *(tally.counts[outcome] for outcome in (readers.RIGHT, readers.REFUSED, FAILED))]
        print(f"{name:<10}" + "".join(f"{count:>10,}" for count in row))
    for name, tally in tallies.items():
        for number, why in tally.failures[:20]:
            print(f"{name} {number}: {why}")
    return int(any(tally.failures for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
