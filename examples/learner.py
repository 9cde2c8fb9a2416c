"""Ask and tell: a courier learns the fastest way across town, with late outcomes and a restart half-way."""

from __future__ import annotations

import json

import numpy as np

import semibandits as sb

STREETS = [
    ("depot", "bridge"), ("depot", "tunnel"), ("bridge", "market"), ("bridge", "park"), ("tunnel", "park"),
    ("tunnel", "harbour"), ("market", "clinic"), ("park", "clinic"), ("harbour", "clinic"),
]  # fmt: skip
MINUTES = np.array([6.0, 4.0, 5.0, 7.0, 6.0, 9.0, 8.0, 5.0, 4.0])
SPREAD = 1.5
"""Standard deviation of the time on a street."""


def main(trips: int = 400) -> None:
    town = np.random.default_rng(1)  # the streets, hidden from the learner
    learner = sb.Learner(sb.Paths(STREETS, "depot", "clinic"), sb.ESCB(), variance=SPREAD**2, seed=0)
    under_way: list[tuple[int, list[float]]] = []
    for trip in range(trips):
        asked = learner.ask()
        under_way.append((asked.id, [town.normal(MINUTES[i], SPREAD) for i in asked.items]))
        if len(under_way) == 4:  # outcomes of four trips at once, the last one first
            learner.tell_many(costs=reversed(under_way))
            under_way = []
        if trip == trips // 2:
            learner = sb.Learner.from_state(json.loads(json.dumps(learner.state())))  # restart from the saved state
    for asked in learner.open_rounds:
        learner.forget(asked.id)

    paths = learner.decision_set
    assert isinstance(paths, sb.Paths)
    print(f"after {learner.rounds} trips: {' -> '.join(map(str, paths.walk(learner.best())))}")
    for (tail, head), plays, mean, minutes in zip(paths.items, learner.plays, learner.costs, MINUTES, strict=True):
        print(f"{tail:>8} -> {head:<8}{plays:5d} trips, {mean:5.2f} minutes (true mean {minutes:.0f})")


if __name__ == "__main__":
    main()
