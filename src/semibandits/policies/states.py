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
    from semibandits.policies.agents import RuleAgent

NAMES: Final = ("plays", "sums", "pending", "counters", "memory", "marks", "rows")
"""Keys of a state."""
NAMES_OF_FEW: Final = ("items", "plays", "sums", "pending", "counters", "memory", "marks", "kept")
"""Keys of the state of an agent that looks at few items. It lists those items only whose counts are not those of the prior."""


def agent_state(agent: RuleAgent) -> dict[str, Any]:
    """Statistics, counters, and the saved arrays of the rule; not whether unseen items were found to be in no decision."""
    player, few = agent.player, agent.few
    counters, stats = player.counters.copy(), player.stats
    counters[rounds.UNSEEN] = unseen_items(stats, agent.decision_set.upper)
    state: dict[str, Any] = {}
    if few is not None:
        items = np.flatnonzero((stats[COUNTS] != agent.prior.plays) | (stats[PLAYS] != agent.prior.plays))
        state["items"], stats = items.tolist(), stats[:, items]
    state |= {
        "plays": stats[PLAYS].tolist(),
        "sums": stats[SUMS].tolist(),
        "pending": (stats[COUNTS] - stats[PLAYS]).astype(np.int64).tolist(),
        "counters": counters.tolist(),
        "memory": [plain(value) for value in player.memory.tolist()],
        "marks": player.marks.tolist(),
    }
    if few is not None:
        return state | {"kept": [items.tolist() for items in few.kept]}
    return state | {"rows": [np.flatnonzero(row).tolist() for row in player.rows]}


def restored_agent(state: dict[str, Any], agent: RuleAgent) -> tuple[rounds.Player, list[IntArray]]:
    """The player of a state of the same policy on the same set, and the decisions kept by an agent that looks at few items. Plays
    of a prior count among those of the state, but not among its rounds.
    """
    policy, decision_set, prior, few, player = agent.policy, agent.decision_set, agent.prior, agent.few, agent.player
    d, upper = decision_set.d, decision_set.upper
    checked_names(state, NAMES if few is None else NAMES_OF_FEW)
    state = policy.current_form(state, d)
    items = np.arange(d) if few is None else _read_items(state["items"], "items", d)
    plays, sums, pending = prior.plays.copy(), prior.plays * prior.means, np.zeros(d, dtype=np.int64)
    plays[items] = read_counts(state, "plays", len(items), least=0)
    sums[items] = read_floats(state, "sums", len(items))
    pending[items] = read_counts(state, "pending", len(items), least=0)
    if not np.isfinite(sums).all() or (sums[plays == 0] != 0).any():
        raise damaged("sums", "finite, and 0 for unobserved items")
    if (plays < prior.plays).any():
        raise damaged("plays", "at least those of the prior")
    restored = player._replace(
        stats=statistics_of(plays, sums, pending, agent.variance, upper),
        counters=read_counters(state),
        memory=read_floats(state, "memory", len(player.memory)),
        marks=read_counts(state, "marks", len(player.marks), least=None),
    )
    kept: list[IntArray] = []
    if few is None:
        restored = restored._replace(rows=read_decisions(state["rows"], "rows", decision_set))
    else:
        restored = restored._replace(rows=np.zeros((len(few.kept), 0), dtype=np.bool_))
        if not isinstance(state["kept"], list) or len(state["kept"]) != len(few.kept):
            raise damaged("kept", f"{len(few.kept)} decisions")
        kept = [_read_items(each, "kept", d) for each in state["kept"]]
        if any(len(each) > decision_set.m for each in kept):
            raise damaged("kept", "decisions of the decision set")
    unseen = unseen_items(restored.stats, upper)
    played = int((plays - prior.plays + pending).max())  # without those of a prior
    # Version 1.0.0 did not count unseen items that are in no decision.
    if restored.counters[rounds.UNSEEN] > unseen or restored.counters[rounds.ROUND] < played:
        raise damaged("counters", "those of the plays")
    restored.counters[rounds.UNSEEN] = unseen
    if not policy.accepts(restored):
        raise damaged("marks", f"those of {policy.name}")
    return restored, kept


def _read_items(listed: object, name: str, d: int) -> IntArray:
    """Ascending indices of items."""
    items = read_counts({name: listed}, name, None, least=0)
    if (np.diff(items) <= 0).any() or (len(items) and items[-1] >= d):
        raise damaged(name, f"ascending items below d = {d}")
    return items


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
    plays: IntArray | FloatArray, sums: FloatArray, pending: IntArray | FloatArray, variance: FloatArray,
    upper: FloatArray | None, out: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """Statistics of the kernels, computed by the same arithmetic; they may take the place of earlier ones of these items."""
    stats, seen = fresh_statistics(variance.copy(), upper) if out is None else out, plays > 0
    stats[PLAYS], stats[SUMS] = plays, sums
    np.add(plays, pending, out=stats[COUNTS])
    if not seen.all():
        stats[MEANS] = stats[INITIAL] - stats[COUNTS] * stats[STEPS]
    np.divide(sums, plays, out=stats[MEANS], where=seen)
    np.maximum(stats[COUNTS], 1.0, out=stats[SCALES])
    np.divide(2.0 * variance, stats[SCALES], out=stats[SCALES])
    np.sqrt(stats[SCALES], out=stats[ROOTS])
    return stats


def weighted_statistics(
    plays: FloatArray, sums: FloatArray, pending: FloatArray, variance: FloatArray,
    upper: FloatArray | None, out: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """The same for plays that are weights, which may be below 1."""
    stats = statistics_of(plays, sums, pending, variance, upper, out)
    rare = np.flatnonzero((stats[COUNTS] > 0.0) & (stats[COUNTS] < 1.0))
    if len(rare):
        stats[SCALES, rare] /= stats[COUNTS, rare]
        stats[ROOTS, rare] = np.sqrt(stats[SCALES, rare])
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
    """Refuse a state that is not a dictionary with these keys."""
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
