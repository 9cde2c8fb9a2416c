"""Benchmarks of the Graves-Lai solver; docs/benchmarks.md explains the columns.

make bench          matchings and grids compared with one cold conic solve, small matchings with a modelling tool,
                    every method and every law on the same instances, budgeted maximisation and HiGHS; first results with
                    nothing compiled; rounds of policies, their parts and plain Python; two workers and one
make bench-large    the same, then every family up to 50,000 or a million items, a file with 10,208 arcs, and a road
                    network with 34,249
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from budgeted import run_budgeted
from direct import run_direct
from first_answer import run_first_answers
from large import run_file, run_sizes
from laws import run_laws
from methods import run_methods
from reporting import Report
from rounds import run_plain, run_rounds, run_whole, run_workers
from routes import run_routes
from scaling import FAMILIES, run_family
from semibandits.compilation import compile_kernels

Section = Callable[[Report, argparse.Namespace], None]
SECTIONS: dict[str, Section] = {
    **{
        family.name: lambda report, options, family=family: run_family(report, family, options.seeds, options.repetitions)
        for family in FAMILIES
    },
    "direct": lambda report, options: run_direct(report, options.seeds, options.repetitions),
    "methods": lambda report, _: run_methods(report),
    "laws": lambda report, options: run_laws(report, options.seeds),
    "budgeted": lambda report, options: run_budgeted(report, options.seeds),
    "first": lambda report, _: run_first_answers(report),
    "rounds": lambda report, _: run_rounds(report),
    "whole": lambda report, _: run_whole(report),
    "plain": lambda report, _: run_plain(report),
    "workers": lambda report, _: run_workers(report),
    "sizes": lambda report, _: run_sizes(report),
    "file": lambda report, options: run_file(report, options.seeds),
    "routes": lambda report, _: run_routes(report),
}
LARGE = ("sizes", "file", "routes")


def main() -> None:
    """Run the requested sections, in order."""
    options = _options()
    sections = options.only or [name for name in SECTIONS if name not in LARGE or options.large]
    start = time.perf_counter()
    report = Report(options.json)
    report.machine()
    report.doing("compiling")
    compile_kernels()
    report.done()
    for name, run in SECTIONS.items():
        if name in sections:
            run(report, options)
    report.line(f"{time.perf_counter() - start:.0f} s in total")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--large", action="store_true", help="also run the large instances (minutes)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--seeds", type=_positive, default=3, metavar="N", help="instances of each size (3)")
    parser.add_argument(
        "--repetitions", type=_positive, metavar="N", help="runs of each instance (3 to 15, more for shorter ones)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write each row as a JSON object, one per line")
    return parser.parse_args()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


if __name__ == "__main__":
    main()
