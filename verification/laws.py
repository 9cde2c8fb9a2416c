"""C(theta) of every law compared with an independent program over all decisions.

    python verification/laws.py

draws small instances of each family and law (ties, near-ties, zeros; mixes), solves them by `graves_lai`, and by linear programs
with cuts over all decisions that share no code with the library: laws are given by their variance functions only, divergences by
quadrature (tests/regret_bound/laws_reference.py). It prints one row per law and
family; docs/laws.md has the sums. This takes three quarters of an hour on
one core, most of it for the linear programs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "regret_bound"))
from law_cases import LAWS, SETS, drawn
from laws_reference import bracket, least_of_all

import semibandits as sb
from semibandits.errors import UnsupportedError

CLOSE = 1e-5
"""Relative error of the reference."""


def main() -> None:
    """Solve by both methods, and print one row per law and family."""
    options = _options()
    print("| law | family | instances | refused | largest gap | brackets apart | plans short |")
    print(f"|{'---|' * 7}")
    failed = 0
    for name in LAWS:
        for family in SETS:
            solved, refused, widest, apart, short = 0, 0, 0.0, 0, 0
            seed = options.seed
            while solved < options.instances and refused < 9 * options.instances:
                space, law, items = drawn(seed, family, name)
                seed += 1
                try:
                    result = sb.graves_lai(space, items.theta, law=law, throw=False)
                except UnsupportedError:
                    refused += 1
                    continue
                solved += 1
                decisions = space.enumerate(20_000)
                lower, upper = bracket(items, decisions)
                widest = max(widest, result.gap)
                apart += result.lower > upper * (1.0 + CLOSE) or lower > result.value * (1.0 + CLOSE)
                short += least_of_all(items, decisions, result.rates) < 1.0 - CLOSE
            failed += apart + short + (widest > 1e-4)
            print(f"| {name} | {family} | {solved} | {refused} | {widest:.1e} | {apart} | {short} |", flush=True)
    sys.exit(int(failed > 0))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=100, help="instances of each law and family")
    parser.add_argument("--seed", type=int, default=1_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
