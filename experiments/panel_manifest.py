"""The stored list of the panel, panel.json, and a check that the instances still agree with it.

    python experiments/panel_manifest.py            list the instances
    python experiments/panel_manifest.py --write    write panel.json
    python experiments/panel_manifest.py --check    check that panel.json is still correct

Real datasets need the packages topohub and recbole (docs/datasets.md).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from panel import Instance, panel, star
from stars import one_at_a_time

import semibandits as sb
from semibandits.families.description import fingerprint
from semibandits.formats.files import write_whole

MANIFEST: Final = Path(__file__).with_name("panel.json")
"""The stored list: not the numbers of the instances, which the seeds determine, but data that identify them."""
TOLERANCES: Final = {
    "C": 3e-4, "smallest_gap": 1e-5, "decisions": 1e-5, "rounds_of_a_million": 0.05, "one_at_a_time_over_C": 0.01,
}  # fmt: skip
"""Relative tolerances. C is known to 1e-4, and the plan that attains it is not unique."""


def described(instance: Instance) -> dict[str, Any]:
    """The entry of an instance in panel.json."""
    x, theta, variance = instance.decision_set, instance.theta, instance.variance
    bound = sb.graves_lai(x, theta, variance)
    gap = sb.smallest_gap(x, theta, most_ties=10_000)
    return {
        "name": instance.name,
        "kind": instance.kind,
        "trait": instance.trait,
        "horizon": instance.horizon,
        "d": x.d,
        "m": x.m,
        "decisions": _count(x),
        "C": _short(bound.value),
        "smallest_gap": _short(gap) if math.isfinite(gap) else None,
        "rounds_of_a_million": _short(bound.plan.rates.sum() * math.log(1_000_000), 3),
        "one_at_a_time_over_C": _short(one_at_a_time(x, theta, variance) / bound.value, 3)
        if instance.trait == "informative"
        else None,
        "decision_set_fingerprint": fingerprint(x),
        "theta_sha256": _hash(theta),
        "variance_sha256": _hash(np.broadcast_to(variance, theta.shape)),
    }


def _count(decision_set: sb.DecisionSet) -> int | float | None:
    """Number of decisions, rounded to six digits above 10^15; None if there are too many to count."""
    try:
        n = decision_set.count(limit=100_000)
    except (sb.TooManyDecisionsError, sb.UnsupportedError):
        return None
    return n if n < 10**15 else _short(n)


def _short(number: float, digits: int = 6) -> float:
    return float(f"{number:.{digits}g}")


def _hash(numbers: Iterable[float]) -> str:
    """SHA-256 of the numbers with twelve decimals, so that rounding differences between machines do not matter."""
    return hashlib.sha256(",".join(f"{number:.12f}" for number in numbers).encode()).hexdigest()


def differences(kept: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Differences from an entry of panel.json, one sentence each."""
    wrong = []
    for key in dict.fromkeys([*kept, *found]):
        a, b = kept.get(key), found.get(key)
        if isinstance(a, int | float) and isinstance(b, int | float):
            same = math.isclose(a, b, rel_tol=TOLERANCES.get(key, 0), abs_tol=0)
        else:
            same = a == b
        if not same:
            wrong.append(f"{found['name']}: {key} is {b!r}, panel.json has {a!r}")
    return wrong


def main() -> int:
    """List, write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="write panel.json")
    action.add_argument("--check", action="store_true", help="compare with panel.json, and fail if it differs")
    options = parser.parse_args()
    found = [described(instance) for instance in [star(), *panel("tune"), *panel("held")]]
    if options.write:
        write_whole(MANIFEST, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode())
    if not options.check:
        for row in found:
            print(f"{row['name']:34} d {row['d']:4}  C {row['C']:<10g} rounds {row['rounds_of_a_million']:<10g}")
        return 0
    kept = {row["name"]: row for row in json.loads(MANIFEST.read_text(encoding="utf-8"))}
    wrong = [f"{name} is in panel.json only" for name in kept.keys() - {row["name"] for row in found}]
    for row in found:
        wrong += differences(kept[row["name"]], row) if row["name"] in kept else [f"{row['name']} is not in panel.json"]
    print("\n".join(wrong) or f"{len(found)} instances agree with panel.json")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
