"""Brackets of C(theta) with one to three costs 10^3 to 10^15 times as large as the others, against exact sums over all decisions.

    python verification/out_of_scale.py [--draws N] [--first SEED]

Draws N sets of each family of tests/regret_bound/scale_cases.py. Prints what is wrong, and how many brackets reached their gap.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "regret_bound"))
from scale_cases import SETS, check, drawn

from semibandits.errors import InvalidInputError


def main() -> int:
    """Check all draws; the number of wrong brackets, at most 1, is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=375)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    tally: Counter[str] = Counter()
    for name in SETS:
        for seed in range(options.first, options.first + options.draws):
            for method in ("auto", "enumeration") if name != "maximize only" else ("auto",):
                tally[outcome(name, seed, method)] += 1
    print(", ".join(f"{count:,} {what}" for what, count in sorted(tally.items())))
    return min(tally["wrong"], 1)


def outcome(name: str, seed: int, method: str) -> str:
    """How one bracket turned out."""
    try:
        return str(check(*drawn(seed, name), method).status)
    except AssertionError as error:
        print(f"{name} {seed} {method}: {error}", flush=True)
        return "wrong"
    except InvalidInputError as error:
        print(f"{name} {seed} {method}: {error}", flush=True)
        return "refused"


if __name__ == "__main__":
    sys.exit(main())
