"""States of agents as plain JSON. A state is validated as a whole before any of it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.labels import MOST_CELLS
from semibandits.kernels import rounds
from semibandits.kernels.rules.statistics import COUNTS, INITIAL, MEANS, PLAYS, ROOTS, SCALES, STEPS, SUMS, fresh_statistics
from semibandits.policies.prior import MOST_PLAYS

if TYPE_CHECKING:
    from semibandits.policies.rules import RulePolicy

NAMES: Final = ("plays", "sums", "pending", "counters", "memory", "marks", "rows")
"""Keys of a state."""


def player_state(player: rounds.Player, upper: FloatArray | None) -> dict[str, Any]:
    """Statistics, counters, and the saved arrays of the rule; not whether unseen items were found to be in no decision."""
    counters = player.counters.copy()
    counters[rounds.UNSEEN] = unseen_items(player.stats, upper)
    return {
        "plays": player.stats[PLAYS].tolist(),
        "sums": player.stats[SUMS].tolist(),
        "pending": (player.stats[COUNTS] - player.stats[PLAYS]).astype(np.int64).tolist(),
        "counters": counters.tolist(),
        "memory": [plain(value) for value in player.memory.tolist()],
        "marks": player.marks.tolist(),
        "rows": [np.flatnonzero(row).tolist() for row in player.rows],
    }


def restored_player(
    state: dict[str, Any],
    player: rounds.Player,
    variance: FloatArray,
    decision_set: DecisionSet,
    policy: RulePolicy,
    prior_plays: FloatArray | float = 0.0,
) -> rounds.Player:
    """The player of a state; `player` is one of the same policy on the same set.

    Plays of a prior count among those of the state, but not among its rounds.

    Raises
    ------
    InvalidInputError
        If it is not such a state.
    """
    d = decision_set.d
    checked_names(state, NAMES)
    state = policy.current_form(state, d)
    plays = read_counts(state, "plays", d, least=0)
    sums = read_floats(state, "sums", d)
    if not np.isfinite(sums).all() or (sums[plays == 0] != 0).any():
        raise damaged("sums", "finite, and 0 for unobserved items")
    pending = read_counts(state, "pending", d, least=0)
    floats, initial, _ = policy.memory(d, decision_set.m)
    if (plays < prior_plays).any():
        raise damaged("plays", "at least those of the prior")
    restored = player._replace(
        stats=statistics_of(plays, sums, pending, variance, decision_set.upper),
        counters=read_counters(state),
        memory=read_floats(state, "memory", len(floats)),
        marks=read_counts(state, "marks", len(initial), least=None),
        rows=read_decisions(state["rows"], "rows", decision_set),
    )
    unseen = unseen_items(restored.stats, decision_set.upper)
    played = int((plays - prior_plays + pending).max())  # without those of a prior
    # Version 1.0.0 did not count unseen items that are in no decision.
    if restored.counters[rounds.UNSEEN] > unseen or restored.counters[rounds.ROUND] < played:
        raise damaged("counters", "those of the plays")
    restored.counters[rounds.UNSEEN] = unseen
    return restored


def unseen_items(stats: FloatArray, upper: FloatArray | None) -> int:
    """Number of items without an observed reward, which come first; 0 if means have an upper bound."""
    return 0 if upper is not None else int(np.count_nonzero(stats[PLAYS] == 0))


def read_counters(state: dict[str, Any]) -> IntArray:
    """Counters; states saved before searches had a budget lack the last two."""
    counters = read_counts(state, "counters", None, least=0)
    if len(counters) == rounds.UNDECIDED:
        counters = np.concatenate((counters, np.zeros(rounds.COUNTERS - rounds.UNDECIDED, dtype=np.int64)))
    if len(counters) != rounds.COUNTERS:
        raise damaged("counters", f"{rounds.COUNTERS} numbers")
    return counters


def damaged(name: str, wanted: str) -> InvalidInputError:
    """The error for invalid content of a state."""
    return InvalidInputError(
        f"{name} in the state of an agent must be {wanted}, but it is not: the state is damaged, or belongs to another policy "
        "or decision set; use one that state() returned"
    )


def statistics_of(
    plays: IntArray | FloatArray, sums: FloatArray, pending: IntArray | FloatArray, variance: FloatArray, upper: FloatArray | None
) -> FloatArray:
    """Statistics of the kernels, computed by the same arithmetic."""
    stats, seen = fresh_statistics(variance.copy(), upper), plays > 0
    stats[PLAYS], stats[SUMS] = plays, sums
    stats[COUNTS] = plays + pending
    stats[MEANS] = stats[INITIAL] - stats[COUNTS] * stats[STEPS]
    stats[MEANS, seen] = sums[seen] / plays[seen]
    stats[SCALES] = 2.0 * variance / np.maximum(stats[COUNTS], 1.0)
    stats[ROOTS] = np.sqrt(stats[SCALES])
    return stats


def read_decisions(places: object, name: str, decision_set: DecisionSet) -> BoolArray:
    """Decisions as rows, from the indices of their items."""
    if not isinstance(places, list) or len(places) * decision_set.d > MOST_CELLS:
        raise damaged(name, "a list of usual length")
    rows = np.zeros((len(places), decision_set.d), dtype=np.bool_)
    for row, items in zip(rows, places, strict=True):
        chosen = read_counts({name: items}, name, None, least=0)
        if len(chosen) and chosen.max() >= len(row):
            raise damaged(name, f"items below d = {len(row)}")
        row[chosen] = True
        if row not in decision_set:
            raise damaged(name, "decisions of the decision set")
    return rows


_TEXTS: Final = ("inf", "-inf", "nan")
"""Floats that are not JSON numbers, as `plain` writes them."""


def plain(value: float) -> float | str:
    """A float as a JSON value: text if it is not finite."""
    return value if np.isfinite(value) else str(value)


def checked_names(state: object, names: tuple[str, ...]) -> None:
    """Refuse a state that is not a dictionary with these keys.

    Raises
    ------
    InvalidInputError
        If it is not.
    """
    if not isinstance(state, dict) or sorted(map(str, state)) != sorted(names):
        got = list(state) if isinstance(state, dict) else type(state).__name__
        raise InvalidInputError(f"the state of an agent must be a dict of {', '.join(names)}, got {got}: pass it unchanged")


def read_floats(state: dict[str, Any], name: str, length: int | None) -> FloatArray:
    """Numbers in one dimension, infinities as text; of the given length unless it is None."""
    values = state[name]
    if not isinstance(values, list) or (length is not None and len(values) != length):
        raise damaged(name, "a list" if length is None else f"{length} numbers")
    if not all(type(value) in (int, float) or (type(value) is str and value in _TEXTS) for value in values):
        raise damaged(name, "numbers")
    try:
        return np.array([float(value) for value in values], dtype=np.float64)
    except OverflowError as error:
        raise damaged(name, "numbers that a float can hold") from error


def read_counts(state: dict[str, Any], name: str, length: int | None, *, least: int | None) -> IntArray:
    """Integers of absolute value up to 2^53, at least `least`."""
    values = read_floats(state, name, length)
    whole = (np.abs(values) <= MOST_PLAYS) & (values == np.floor(values))
    if not whole.all() or (least is not None and (values < least).any()):
        raise damaged(name, "whole numbers" if least is None else f"whole numbers >= {least}")
    return values.astype(np.int64)
