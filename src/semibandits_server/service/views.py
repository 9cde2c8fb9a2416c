"""What the service shows of a learner. Each view is one consistent reading of the database."""

from __future__ import annotations

import numpy as np

from semibandits.families.texts import decision_text
from semibandits.formats.text import shortened
from semibandits.laws import plain as plain_laws
from semibandits.learning.learner import Learner
from semibandits.learning.reading import LONGEST_FACT, best_so_far, coefficients_of
from semibandits.learning.round import Round
from semibandits.policies.rules import LawPolicy
from semibandits_server.service.answers import number
from semibandits_server.service.catalogue import Served
from semibandits_server.wire import (
    Band,
    Best,
    Coefficient,
    Coefficients,
    Drift,
    DriftCheck,
    Estimates,
    ItemEstimate,
    ListedLearner,
    Nouns,
    OpenCounts,
    OpenRound,
    OpenRounds,
    Summary,
)  # fmt: skip


def counts(served: Served) -> ListedLearner:
    """Name, time of creation, and numbers of calls, rounds and open rounds."""
    learner = served.learner
    return learner._read(
        lambda one: ListedLearner(learner.name, served.created, learner._replica.seq, one.rounds, len(one.open_rounds))
    )


def summary(served: Served) -> Summary:
    """The learner, its open rounds by age, its best decision so far, and its drift check."""
    learner, names, labels, texts = served.learner, served.names, served.items.plain, served.names.labels
    x, policy, ages = learner.decision_set, learner.policy, learner.ages()
    law = policy.known_law if isinstance(policy, LawPolicy) else None

    def work(one: Learner) -> Summary:
        best = best_so_far(one)
        return Summary(
            name=learner.name,
            created=served.created,
            decision_set=repr(x),
            family=names.family or "own",
            policy=repr(policy),
            law=None if law is None else plain_laws.text(law),
            items=x.d,
            largest_decision=x.m,
            calls=learner._replica.seq,
            rounds=one.rounds,
            open=_open(one.open_rounds, one.rounds, ages),
            best=Best(
                served.items.at(np.flatnonzero(best.decision)),
                decision_text(names, best.decision),
                number(best.value),
                best.is_cost,
                best.unknown,
            ),
            nouns=Nouns(**names.nouns._asdict()),
            half_life=one.half_life,
            drift=DriftCheck(
                one.drift_error,
                tuple(
                    Drift(labels[found.item], texts[found.item], found.round, number(found.before), number(found.after))
                    for found in one.drifts
                ),
            ),
            prior=None if one._progress.prior is None else float(one._progress.prior.plays.sum()),
            features=None if one._design is None else shortened(one._design.text, LONGEST_FACT),
        )

    return learner._read(work)


def estimates(served: Served, error: float) -> Estimates:
    """Plays, mean and interval of each item, and what is expected of it."""

    def work(one: Learner) -> tuple[ItemEstimate, ...]:
        found = one.estimates(error)
        prior = one._progress.prior
        before = (None, None) if prior is None else (np.where(prior.plays > 0, prior.means, np.nan), prior.plays)
        others = (found.shrunk, found.shrunk_sd, *before)
        filled = [np.full(len(found.means), np.nan) if each is None else each for each in others]
        columns = (found.plays, found.open, found.means, found.lower, found.upper, one.best(), *filled)
        return tuple(
            ItemEstimate(label, text, plays, n_open, number(mean), number(low), number(high), in_best, *map(number, further))
            for label, text, plays, n_open, mean, low, high, in_best, *further in zip(
                served.items.plain, served.names.labels, *(column.tolist() for column in columns), strict=True
            )
        )

    return Estimates(error, served.learner._read(work))


def coefficients(served: Served) -> Coefficients:
    """The effects of the features."""
    rows = zip(*served.learner._read(coefficients_of), strict=True)
    return Coefficients(tuple(Coefficient(name, number(mean), number(sd)) for name, mean, sd in rows))


def open_rounds(served: Served, limit: int, after: int | None) -> OpenRounds:
    """A page of the open rounds, oldest first."""
    ages = served.learner.ages()

    def work(one: Learner) -> OpenRounds:
        later = [asked for asked in one.open_rounds if after is None or asked.id > after]
        shown = tuple(
            OpenRound(asked.id, served.items.at(asked.items), one.rounds - 1 - asked.id, ages.get(asked.id))
            for asked in later[:limit]
        )
        return OpenRounds(shown, shown[-1].id if len(later) > limit else None)

    return served.learner._read(work)


def _open(rounds: tuple[Round, ...], n_asked: int, seconds: dict[int, float | None]) -> OpenCounts:
    """Number of open rounds, in all and by age: 0 to 9 rounds, 10 to 99, ..."""
    ages = np.array([n_asked - 1 - asked.id for asked in rounds], dtype=np.int64)
    oldest = int(ages.max(initial=0))
    bins = [(0, 9)]
    while bins[-1][1] < oldest:
        bins.append((bins[-1][1] + 1, 10 * bins[-1][1] + 9))
    return OpenCounts(
        len(rounds),
        oldest if len(rounds) else None,
        seconds.get(rounds[0].id) if rounds else None,
        tuple(Band(low, high, int(((ages >= low) & (ages <= high)).sum())) for low, high in bins),
    )
