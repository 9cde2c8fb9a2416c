"""Logs of another system as observed rewards."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.costs import negated
from semibandits.inputs.fields import nearest
from semibandits.inputs.labelled import MOST_COMPARED, paired, refuse_rounded
from semibandits.inputs.outcomes import Outcome, as_numbers, whole_number
from semibandits.inputs.pandas_objects import has_index
from semibandits.inputs.validation import check_shape
from semibandits.laws import Law
from semibandits.laws.checks import check_possible
from semibandits.policies.history import History

MOST_ROUNDS: Final = 2**53
LEAST_REPEATED: Final = 10
"""Number of repeated rewards from which a variance is estimated; its standard error is then 45 %."""
UNKNOWN, AMBIGUOUS = -1, -2
"""Places of labels that the decision set does not have, or has several times."""

LoggedRound: TypeAlias = Mapping[Hashable, float] | tuple[Iterable[Any], Outcome]
"""Rewards of one round by label, or its items and their rewards."""


def history_of(
    decision_set: DecisionSet,
    items: Iterable[Any],
    rewards: Any,
    *,
    rounds: int | None,
    ignore_unknown: bool,
    law: Law | None,
    in_costs: bool,
) -> History:
    """Observations of single items; for the parameters see :meth:`semibandits.Learner.from_history`."""
    labels = _listed(items, "items")
    values = as_numbers(paired(rewards, items if has_index(items) else labels, "rewards"))
    check_shape(values, (len(labels),), "(n,)", "rewards", "pass two sequences of equal length, one reward per entry of items")
    places = _places(decision_set, labels, ignore_unknown, "index {}".format)
    values = _checked_rewards(values, labels, "index {}".format, places, law, in_costs=in_costs)
    plays, sums = _counted(places, values, decision_set.d)
    # The smallest number of rounds with these plays, if a round plays at most m items, each of them once.
    least = max(int(plays.max(initial=0.0)), math.ceil(int(plays.sum()) / max(decision_set.m, 1)))
    if rounds is None:
        return History(plays, sums, least, places, values)
    remedy = f"these observations need at least {least} rounds; leave it out if the number is unknown"
    return History(plays, sums, whole_number(rounds, "rounds", least=least, most=MOST_ROUNDS, remedy=remedy), places, values)


def history_of_rounds(
    decision_set: DecisionSet,
    outcomes: Iterable[LoggedRound] | Mapping[Any, LoggedRound],
    *,
    ignore_unknown: bool,
    law: Law | None,
    in_costs: bool,
) -> History:
    """Observations by round; for the parameters see :meth:`semibandits.Learner.from_rounds`."""
    labels: list[Any] = []
    parts: list[FloatArray] = []
    logged = outcomes.values() if isinstance(outcomes, Mapping) else outcomes
    if not isinstance(logged, Iterable):
        raise InvalidInputError(f"rounds must be a sequence or a mapping, got {outcomes!r}: pass one entry per round")
    for number, outcome in enumerate(logged):
        own, values = _of_one_round(outcome, number)
        labels.extend(own)
        parts.append(values)
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    values = np.concatenate([np.zeros(0), *parts])
    numbers = np.repeat(np.arange(len(parts)), sizes)
    starts = np.cumsum(sizes) - sizes

    def where(index: int) -> str:
        number = int(numbers[index])
        return f"index {index - int(starts[number])} of round {number}"

    places = _places(decision_set, labels, ignore_unknown, where)
    values = _checked_rewards(values, labels, where, places, law, in_costs=in_costs)
    _check_rounds(places, numbers, labels, where, decision_set.m)
    return History(*_counted(places, values, decision_set.d), len(parts), places, values)


def estimated_variance(history: History) -> float:
    """The variance of a reward about the mean of its item, pooled over the items (the within-group mean square).

    Refused with fewer than `LEAST_REPEATED` rewards beyond the first of each item, and if repeated rewards are all equal.
    """
    assert history.items is not None
    assert history.rewards is not None
    known = history.items != UNKNOWN
    items, rewards = history.items[known], history.rewards[known]
    deviations = rewards - (history.sums / np.maximum(history.plays, 1.0))[items]
    repeated = len(items) - int((history.plays > 0).sum())
    squares = float(np.square(deviations).sum())
    if repeated < LEAST_REPEATED or squares == 0.0:
        got = f"{repeated} repeated outcomes" if repeated < LEAST_REPEATED else "repeated outcomes that are all equal"
        raise InvalidInputError(
            f"variance must be given, got None and {got} of items, where {LEAST_REPEATED} that differ would tell it: pass the "
            "square of how far one outcome usually is from the mean of its item, or law='bernoulli' for rewards 0 and 1"
        )
    return squares / repeated


def _of_one_round(outcome: Any, number: int) -> tuple[list[Any], FloatArray]:
    if isinstance(outcome, Mapping):
        own, rewards = list(outcome), list(outcome.values())
    elif has_index(outcome):
        own, rewards = list(outcome.index), outcome.to_numpy()
    elif isinstance(outcome, tuple | list) and len(outcome) == 2:
        own = _listed(outcome[0], f"items of round {number}")
        rewards = paired(outcome[1], outcome[0] if has_index(outcome[0]) else own, f"rewards of round {number}")
    else:
        raise InvalidInputError(
            f"each round must be a mapping from items to rewards or a pair (items, rewards), got {outcome!r} as round {number}: "
            "pass single observations to from_history"
        )
    values = as_numbers(rewards)
    check_shape(values, (len(own),), "(k,)", f"rewards of round {number}", "pass two sequences of equal length, one per item")
    return own, values


def _listed(items: Any, name: str) -> list[Any]:
    """The items as a list, rows of an array and lists as tuples."""
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise InvalidInputError(f"{name} must be a sequence of labels or indices, got {items!r}: pass one per reward")
    plain = items.tolist() if isinstance(items, np.ndarray) else items
    return [tuple(item) if isinstance(item, list) else item for item in plain]


def _places(decision_set: DecisionSet, labels: list[Any], ignore_unknown: bool, where: Callable[[int], str]) -> IntArray:
    """Index of each item, ``UNKNOWN`` where the decision set has none and this is allowed."""
    known = _index_by_label(decision_set)
    try:
        places = np.fromiter((known.get(label, UNKNOWN) for label in labels), dtype=np.int64, count=len(labels))
        unknown = np.flatnonzero(places == UNKNOWN)
        kinds = len({labels[k] for k in unknown.tolist()})
        for label in set(labels):
            refuse_rounded(label, "items")
    except TypeError as error:
        raise InvalidInputError(f"items must be labels or indices, got something else: {error}") from error
    if unknown.size and not ignore_unknown:
        first = int(unknown[0])
        raise InvalidInputError(
            f"items must be labels or indices of the decision set, such as {next(iter(known), None)!r}, got {kinds} unknown in "
            f"{len(unknown)} of {len(labels)} observations (first: {labels[first]!r} at {where(first)})"
            + _unknown_remedy(labels[first], known)
        )
    ambiguous = np.flatnonzero(places == AMBIGUOUS)
    if ambiguous.size:
        first = int(ambiguous[0])
        same = [index for index, own in enumerate(decision_set.items) if own == labels[first]]
        raise InvalidInputError(
            f"labels must belong to one item, got {labels[first]!r} at {where(first)}, which is that of the items {same}: "
            "pass indices"
        )
    return places


def _unknown_remedy(label: Hashable, known: Iterable[Hashable]) -> str:
    """The end of the message for an unknown item: the nearest one, and how to skip such observations."""
    skip = "correct them, or pass ignore_unknown=True to skip these observations"
    near = nearest(label, islice(map(str, known), MOST_COMPARED), "")
    return f": {skip}" if near == ": " else f"{near} Otherwise {skip.removeprefix('correct them, or ')}"


def _index_by_label(decision_set: DecisionSet) -> dict[Hashable, int]:
    """Index of each label; of each index, too, if no label is an integer."""
    known: dict[Hashable, int] = {}
    for index, label in enumerate(decision_set.items):
        known[label] = AMBIGUOUS if label in known else index
    if not any(isinstance(label, int | np.integer) for label in known):
        known |= {index: index for index in range(decision_set.d)}
    return known


def _checked_rewards(
    values: FloatArray, labels: list[Any], where: Callable[[int], str], places: IntArray, law: Law | None, *, in_costs: bool
) -> FloatArray:
    """The values as rewards, if all are finite and those of known items possible under the law."""
    wrong = np.flatnonzero(~(np.abs(values) <= LARGEST_NUMBER))
    if wrong.size:
        first = int(wrong[0])
        remedy = "scale them down" if math.isfinite(values[first]) else "drop observations without a reward"
        raise InvalidInputError(
            f"rewards must be finite and at most {LARGEST_NUMBER:g} in size, but {len(wrong)} of {len(values)} are not (first: "
            f"{values[first]:g} for {labels[first]!r} at {where(first)}): {remedy}"
        )
    rewards, known = negated(values) if in_costs else values, np.flatnonzero(places != UNKNOWN)
    check_possible(
        law, rewards[known], places[known], lambda k: f"{labels[known[k]]!r} at {where(int(known[k]))}", "rewards",
        in_costs=in_costs,
    )  # fmt: skip
    return rewards


def _check_rounds(places: IntArray, numbers: IntArray, labels: list[Any], where: Callable[[int], str], m: int) -> None:
    """Refuse rounds with the same known item twice, or with more than m known items. `numbers` are the rounds of the items."""
    order = np.lexsort((places, numbers))
    same = (np.diff(places[order]) == 0) & (np.diff(numbers[order]) == 0) & (places[order][1:] != UNKNOWN)
    if same.any():
        first = int(order[1:][same].min())
        raise InvalidInputError(
            f"a round must contain an item at most once, got {labels[first]!r} again at {where(first)}: merge the two rewards, "
            "or pass single observations to from_history"
        )
    sizes = np.bincount(numbers[places != UNKNOWN])
    large = np.flatnonzero(sizes > m)
    if large.size:
        raise InvalidInputError(
            f"a round must contain at most m = {m} items, as the largest decision does, but {len(large)} of the rounds contain "
            f"more (first: {sizes[large[0]]} items in round {large[0]}): pass one entry per decision that was carried out, not "
            "per day or file, or single observations to from_history"
        )


def _counted(places: IntArray, values: FloatArray, d: int) -> tuple[FloatArray, FloatArray]:
    """Counts and sums; rewards are added in their order, as `Learner.tell` does."""
    known = places != UNKNOWN
    plays = np.bincount(places[known], minlength=d)
    sums = np.bincount(places[known], weights=values[known], minlength=d)
    return plays.astype(np.float64), sums.astype(np.float64)
