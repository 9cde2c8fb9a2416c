"""What the service shows of a learner, as plain JSON. Each view is one consistent reading of the database."""

from __future__ import annotations

import numpy as np

from semibandits.families.texts import decision_text
from semibandits.laws import plain as plain_laws
from semibandits.learning.learner import Learner
from semibandits.learning.round import Round
from semibandits.policies.rules import LawPolicy
from semibandits.service.answers import JSON, number
from semibandits.service.catalogue import Served


def counts(served: Served) -> JSON:
    """Name, time of creation, and numbers of calls, rounds and open rounds."""
    learner = served.learner

    def work(one: Learner) -> JSON:
        return {
            "name": learner.name,
            "created": served.created,
            "calls": learner._replica.seq,
            "rounds": one.rounds,
            "open": len(one.open_rounds),
        }

    return learner._read(work)


def summary(served: Served) -> JSON:
    """The learner, its open rounds by age, its best decision so far, and its drift check."""
    learner, names = served.learner, served.names
    x, policy = learner.decision_set, learner.policy
    law = policy.known_law if isinstance(policy, LawPolicy) else None
    ages = served.learner.ages()

    def work(one: Learner) -> JSON:
        best, means = one.best(), one.means
        return {
            "calls": learner._replica.seq,
            "rounds": one.rounds,
            "open": _open(one.open_rounds, one.rounds, ages),
            "best": {
                "items": [served.items.plain[i] for i in np.flatnonzero(best)],
                "text": decision_text(names, best),
                "value": number(means[best].sum()),
                "is_cost": bool((means <= 0).all() and means.any()),
            },
            "half_life": one.half_life,
            "drift": _drift(served, one),
        }

    return {
        "name": learner.name,
        "created": served.created,
        "decision_set": repr(x),
        "family": names.family or "own",
        "policy": repr(policy),
        "law": None if law is None else plain_laws.text(law),
        "items": x.d,
        "largest_decision": x.m,
        "nouns": names.nouns._asdict(),
        **learner._read(work),
    }


def estimates(served: Served, error: float) -> JSON:
    """Plays, mean and interval of each item."""
    labels = served.items.plain

    def work(one: Learner) -> list[JSON]:
        found, best = one.estimates(error), one.best()
        columns = {"mean": found.means, "lower": found.lower, "upper": found.upper}
        return [
            {
                "item": labels[i],
                "text": served.names.labels[i],
                "plays": int(found.plays[i]),
                "open": int(found.open[i]),
                **{name: number(column[i]) for name, column in columns.items()},
                "in_best": bool(best[i]),
            }
            for i in range(len(labels))
        ]

    return {"error": error, "items": served.learner._read(work)}


def open_rounds(served: Served, limit: int, after: int | None) -> JSON:
    """A page of the open rounds, oldest first."""
    ages = served.learner.ages()

    def work(one: Learner) -> JSON:
        later = [asked for asked in one.open_rounds if after is None or asked.id > after]
        shown = [
            {
                "round": asked.id,
                "items": [served.items.plain[i] for i in asked.items.tolist()],
                "age": one.rounds - 1 - asked.id,
                "seconds": ages.get(asked.id),
            }
            for asked in later[:limit]
        ]
        return {"rounds": shown, "next": shown[-1]["round"] if len(later) > limit else None}

    return served.learner._read(work)


def round_of(served: Served, asked: Round) -> JSON:
    """A round to carry out."""
    indices = asked.items.tolist()
    return {"round": asked.id, "items": [served.items.plain[i] for i in indices], "indices": indices}


def _open(rounds: tuple[Round, ...], n_asked: int, seconds: dict[int, float | None]) -> JSON:
    """Number of open rounds, in all and by age: 0 to 9 rounds, 10 to 99, ..."""
    ages = np.array([n_asked - 1 - asked.id for asked in rounds], dtype=np.int64)
    oldest = int(ages.max(initial=0))
    bins = [(0, 9)]
    while bins[-1][1] < oldest:
        bins.append((bins[-1][1] + 1, 10 * bins[-1][1] + 9))
    return {
        "count": len(rounds),
        "oldest_age": oldest if len(rounds) else None,
        "oldest_seconds": seconds.get(rounds[0].id) if rounds else None,
        "by_age": [{"from": low, "to": high, "count": int(((ages >= low) & (ages <= high)).sum())} for low, high in bins],
    }


def _drift(served: Served, one: Learner) -> JSON:
    return {
        "error": one.drift_error,
        "found": [
            {
                "item": served.items.plain[drift.item],
                "text": served.names.labels[drift.item],
                "round": drift.round,
                "before": number(drift.before),
                "after": number(drift.after),
            }
            for drift in one.drifts
        ],
    }
