"""The demo of `make demo` in Python: how much delay does routing through Germany lose while it learns?"""

from __future__ import annotations

import math

import semibandits as sb
from semibandits import datasets


def main() -> None:
    instance = datasets.network("germany50").delay_dag("Saarbruecken", "Greifswald")
    paths = instance.decision_set
    assert isinstance(paths, sb.Paths)
    bound = sb.graves_lai(paths, instance.theta, instance.variance)

    print(f"{paths.count():,} paths; the best: {' -> '.join(map(str, paths.walk(bound.optimal_decision)))}")
    print(f"{bound.lower:.3f} <= C(theta) <= {bound.value:.3f} ms per ln T")
    for horizon in (10**5, 10**6):
        print(f"over {horizon:>9,} packets at least {bound.lower * math.log(horizon):,.0f} ms of extra delay")
    print("explore, in plays per ln T:")
    for decision, rate in list(zip(bound.plan.decisions, bound.plan.rates, strict=True))[:5]:
        print(f"{rate:9.1f}  {' -> '.join(map(str, paths.walk(decision)))}")


if __name__ == "__main__":
    main()
