"""Offline evaluation."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.decisions.base import DecisionSet, check_decision_set
from semibandits.errors import InvalidInputError
from semibandits.formats.numbers import counted
from semibandits.inputs.arguments import hinted
from semibandits.inputs.labelled import arranged
from semibandits.inputs.outcomes import is_mask, whole_number
from semibandits.inputs.selection import selected_items
from semibandits.inputs.validation import as_floats, number_in
from semibandits.laws import Law
from semibandits.learning.learner import Learner
from semibandits.policies.base import Policy
from semibandits_studies.evaluation.estimators import ESTIMATORS, NEGLIGIBLE, Target, estimates, jackknifed
from semibandits_studies.evaluation.logs import COLUMNS, Logs, read_logs
from semibandits_studies.evaluation.replay import replayed
from semibandits_studies.evaluation.result import Evaluation, ValueEstimate

FEW_PLAYS: Final = 100
"""Below so many plays of equal weight, intervals are said to be rough."""
FEW_OUTCOMES: Final = 30
"""Number of outcomes of an item below which intervals are reported as too narrow."""
UNSURE: Final = 2.0
"""Number of half-widths by which a mean weight must differ from what is expected to be reported."""


@hinted
def evaluate(
    logs: Any,
    policy: Any,
    *,
    decision_set: DecisionSet | None = None,
    round: str | None = COLUMNS["round"],
    item: str | Sequence[str] = COLUMNS["item"],
    reward: str = COLUMNS["reward"],
    cost: str | None = None,
    probability: str | None = COLUMNS["probability"],
    position: str | None = None,
    examination: Mapping[Hashable, float] | None = None,
    confidence: float = 0.95,
    variance: ArrayLike | None = None,
    law: Law | str | None = None,
    least: int = 1,
    horizon: int | None = None,
    seed: int = 0,
) -> Evaluation:
    """What other choices would have earned, by the logs of past rounds.

    Parameters
    ----------
    logs : frame, or mapping from name to n values
        One row for each item that was shown in a round, of pandas or polars, in any order; a policy is replayed in this one.
        ``learner.log()`` of a learner in a database returns such a frame.
    policy : collection of labels, mask, mapping from label to probability, callable, Policy, or Learner
        The choices. A decision, as its labels or a mask of shape (d,); probabilities with which items are chosen, by label or of
        shape (d,); a function from the label of a round to its decision; or a policy, or a learner with what it has learnt so
        far, which is copied and learns on as the logs are replayed.
    decision_set : DecisionSet, optional
        The decisions. Needed for masks and for a policy; fixed decisions must be in it.
    round : str or None
        Column that tells which rows belong together. Without it, or with None, each row is a play by itself, and values are per
        play.
    item : str or sequence of str
        Column of the labels of items; two for pairs.
    reward : str
        Column of the rewards. A round with a missing one is left out. Rewards that are all <= 0 are minus costs.
    cost : str, optional
        Column of costs, instead of rewards.
    probability : str or None
        Column of the probability with which the old system chose a decision with the item, given all that it knew; 0 is not
        possible. Without it, or with None, only the means of the items are used.
    position : str, optional
        Column of the position at which the item was shown. Rewards are then those of an item at its position's factor, which is
        estimated unless `examination` gives it, and the choices are taken to be at positions as those of the logs.
    examination : mapping from position to float, optional
        Factors of the positions, > 0.
    confidence : float
        Level of the intervals, in (0, 1).
    variance, law
        As for :class:`Learner`, for a policy.
    least : int
        For a replay: items with fewer outcomes in the logs are left out, since it ends when an outcome is missing.
    horizon : int, optional
        Largest number of rounds of a replay, >= 2.
    seed : int
        Of a policy, and of the replay.

    Returns
    -------
    Evaluation
        Estimates with intervals, the comparison with the logs, and what the logs cannot support.

    Raises
    ------
    InvalidInputError
        If a column is absent or malformed, there are fewer than 2 rounds, an item is twice in a round, a probability is not in
        (0, 1], or the choices are malformed.

    Notes
    -----
    With play weights w = (probability of the choices) / (logged probability), sums over the rows and n rounds: "ips" is
    sum(w y) / n, unbiased if the probabilities are right (Horvitz and Thompson 1952; for items of a list, Swaminathan et al.
    2017); "self_normalised" is the size of the choices times sum(w y) / sum(w); "direct" replaces the reward of an item by its
    mean in the logs, right if the old choice did not depend on what else decides the reward; "doubly_robust" adds
    sum(w (y - mean)) / n to it, right if either is (Dudík et al. 2014). Intervals are those of a jackknife over at most 50 groups
    of consecutive rounds. Rewards must be those of items: what an item earns beside others is taken to be the same beside those
    of the choices.

    A policy or a learner is replayed: each item that it chooses takes the next outcome of this item in the logs, once, until one
    is missing. That is exact for outcomes that do not depend on the round, in the rounds that it reaches (Mandel et al. 2016).
    Items that the logs show less than `least` times are left out of its choices.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rates = {"arts": 0.05, "news": 0.12, "sport": 0.1}
    >>> shown = [(day, label) for day in range(2_000) for label in rng.choice(list(rates), 2, replace=False)]
    >>> log = {"round": [day for day, _ in shown], "item": [str(label) for _, label in shown], "probability": [2 / 3] * 4_000}
    >>> log["reward"] = [float(rng.random() < rates[label]) for _, label in shown]
    >>> result = sb.evaluate(log, ["news", "sport"])
    >>> print(result)
    Would have earned 0.2326 a round (0.2064 to 0.2588), against 0.183 in the logs: 27 % more (21 to 33 %).
    Estimator: doubly robust, 95% intervals, 2,000 rounds.

    References
    ----------
    Horvitz and Thompson (1952), JASA 47. Swaminathan et al., "Off-policy evaluation for slate recommendation", NeurIPS 2017.
    Dudík, Erhan, Langford and Li, "Doubly robust policy evaluation and optimization", Statistical Science 29, 2014. Mandel, Liu,
    Brunskill and Popović, "Offline evaluation of online reinforcement learning algorithms", AAAI 2016. Craswell, Zoeter, Taylor
    and Ramsey, WSDM 2008, for positions. Efron and Stein, Annals of Statistics 9, 1981, for the jackknife.
    """
    number_in(confidence, "confidence", 0.0, 1.0, "0.95 is usual", ends="()")
    if decision_set is not None:
        check_decision_set(decision_set)
    is_policy = isinstance(policy, Policy | Learner)
    if is_policy and (position is not None or (decision_set is None and isinstance(policy, Policy))):
        what = "position cannot be used with" if position is not None else "decision_set must be given for"
        raise InvalidInputError(
            f"{what} a policy that is replayed, got {policy!r}: evaluate its decision, or change the argument"
        )
    if isinstance(policy, Learner):
        decision_set = policy.decision_set
    read = read_logs(
        logs, round_=round, item=item, reward=reward if cost is None else cost, probability=probability, position=position,
        labels=() if decision_set is None else tuple(decision_set.items),
    )  # fmt: skip
    in_costs = cost is not None or bool(read.rewards.max() <= 0.0 and read.rewards.any())
    if in_costs and cost is None:  # minus costs, as learners store them
        read = replace(read, rewards=-read.rewards)
    notes = [f"{counted(read.lost, 'round is', 'rounds are')} left out, since an outcome is missing."] if read.lost else []
    if is_policy:
        if horizon is not None:
            whole_number(horizon, "horizon", least=2)
        assert decision_set is not None
        if isinstance(policy, Learner):
            learner = Learner.from_state(policy.state(), decision_set, policy.policy)
        else:
            learner = Learner(decision_set, policy, variance=variance, law=law, seed=seed)
        whole_number(least, "least", least=1, remedy="1 keeps all items that the logs show")
        return _of_replay(learner, read, least, horizon, seed, confidence, notes, in_costs=in_costs)
    read, target = _target(policy, read, decision_set)
    return _of_choices(read, target, _factors(read, examination), confidence, notes, in_costs=in_costs)


def _of_choices(
    logs: Logs, target: Target, factors: FloatArray | None, confidence: float, notes: list[str], *, in_costs: bool
) -> Evaluation:
    """The evaluation of fixed choices."""
    has_weights = logs.probabilities is not None
    method = "doubly_robust" if has_weights else "direct"
    reported = ESTIMATORS.index(method)

    def statistic(kept: FloatArray) -> FloatArray:
        found = estimates(logs, target, kept, factors)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.append(found, found[reported] / found[0] - 1.0)

    logged, *others, weight, lift = jackknifed(statistic, logs.n_rounds, confidence)
    chosen = target.items(np.ones(logs.n_rounds))
    counts = np.bincount(logs.items, minlength=len(chosen))
    shown = counts > 0
    support = float(chosen[shown].sum() / chosen.sum()) if chosen.any() else 1.0
    unsupported = tuple(logs.item_labels[place] for place in np.flatnonzero((chosen > 0.0) & ~shown))
    limit = ""
    if unsupported:
        sums = np.bincount(logs.items, weights=logs.rewards)
        limit = "at least" if (sums >= 0.0).all() else "at most" if (sums <= 0.0).all() else ""
        noun = "cost" if in_costs else "reward"
        notes.append(
            f"{1 - support:.1%} of the plays have no support: the logs never show {len(unsupported):,} of the items (first: "
            f"{unsupported[0]!r}). They count 0{f', so that the true {noun} is {limit} this' if limit else ''}."
        )
    weights = target.rows if logs.probabilities is None else target.rows / logs.probabilities
    plays = float(weights.sum() ** 2 / np.square(weights).sum()) if weights.any() else 0.0
    seldom = np.flatnonzero((chosen > 0.0) & shown & (counts < FEW_OUTCOMES))
    if plays < FEW_PLAYS:
        notes.append(f"Intervals are rough: the logs have {plays:,.0f} plays of these items, by their weights.")
    elif len(seldom):
        rare = seldom[np.argmin(counts[seldom])]
        notes.append(
            f"Intervals are too narrow for {counted(len(seldom), 'item', 'items')} with fewer than {FEW_OUTCOMES} outcomes in "
            f"the logs (fewest: {counts[rare]:,} of {logs.item_labels[rare]!r})."
        )
    if has_weights:
        notes += _of_weight(weight, support)
    if not has_weights:
        notes.append(
            "The logs have no probabilities: this is right only if the old choice did not depend on what else decides the reward."
        )
    found = {name: each for name, each in zip(ESTIMATORS[1:-1], others, strict=True) if has_weights or name == "direct"}
    is_compared = logged.low > 0.0 and (support == 1.0 or not in_costs) and np.isfinite(lift.high)
    return Evaluation(
        found, method, logged, lift if is_compared else None, confidence, logs.n_rounds, support, unsupported,
        weight if has_weights else None, plays, in_costs, logs.has_rounds, tuple(notes), limit,
    )  # fmt: skip


def _of_weight(weight: ValueEstimate, support: float) -> list[str]:
    """What a mean weight that is not 1 means."""
    away = weight.value - support
    if abs(away) <= UNSURE * (weight.high - weight.value) + NEGLIGIBLE:
        return []
    if away > 0.0:
        return [
            f"The probabilities do not fit the plays: the weights have the mean {weight.value:.3g}, not {support:.3g}. They must "
            "be those of a decision with the item, in the round of the row."
        ]
    return [
        f"Only {weight.value:.1%} of the plays have support in their round, by the weights: the old system could not choose "
        "these items in the others. There the means of the items stand in."
    ]


def _of_replay(
    learner: Learner,
    logs: Logs,
    least: int,
    horizon: int | None,
    seed: int,
    confidence: float,
    notes: list[str],
    *,
    in_costs: bool,
) -> Evaluation:
    """The evaluation of a learner, which is changed."""
    labels, before = learner.decision_set.items, learner.plays.sum()
    totals, available, reason = replayed(learner, logs, least=least, horizon=horizon, seed=seed, in_costs=in_costs)
    plays = float(learner.plays.sum() - before)
    unsupported = tuple(labels[place] for place in np.flatnonzero(~available))
    if unsupported:
        seldom = "never show" if least == 1 else f"show less than {least:,} times"
        items = counted(len(unsupported), "item was", "items were")
        notes.append(f"{items} left out, which the logs {seldom} (first: {unsupported[0]!r}).")
    if reason is not None:
        notes.append(reason)
    (value,) = jackknifed(lambda kept: np.array([kept @ totals / kept.sum()]), len(totals), confidence)
    earned = np.bincount(logs.rounds, weights=logs.rewards)
    (logged,) = jackknifed(lambda kept: np.array([kept @ earned / kept.sum()]), len(earned), confidence)
    lift = None
    if logged.low > 0.0:
        ratio = value.value / logged.value
        half = np.hypot((value.high - value.value) / logged.value, ratio * (logged.high - logged.value) / logged.value)
        lift = ValueEstimate(ratio - 1.0, ratio - 1.0 - float(half), ratio - 1.0 + float(half))
    return Evaluation(
        {"replay": value}, "replay", logged, lift, confidence, len(totals), 1.0, unsupported, None, plays, in_costs,
        logs.has_rounds, tuple(notes),
    )  # fmt: skip


def _factors(logs: Logs, examination: Mapping[Hashable, float] | None) -> FloatArray | None:
    """Factors of the positions that the user gives, with mean 1 over the plays."""
    if examination is None:
        return None
    if logs.positions is None:
        raise InvalidInputError("examination must be given with position, the column of the positions, got it alone: name it")
    given = as_floats(arranged(examination, logs.position_labels, "examination"), "examination")
    if (given <= 0.0).any():
        raise InvalidInputError(f"factors of positions must be positive, got {given.min():g}: leave rows that nobody saw out")
    factors: FloatArray = given / given[logs.positions].mean()
    return factors


def _target(policy: Any, logs: Logs, decision_set: DecisionSet | None) -> tuple[Logs, Target]:
    """The choices, and the logs with their labels."""
    if callable(policy):
        chosen = [_chosen(policy(label), logs, decision_set) for label in logs.round_labels]
    else:
        chosen = [_chosen(policy, logs, decision_set)]
    places = {label: place for place, label in enumerate(logs.item_labels)}
    listed = [np.array([places.setdefault(label, len(places)) for label in each], dtype=np.int64) for each in chosen]
    logs, d = replace(logs, item_labels=tuple(places)), len(places)
    shares = [np.fromiter(each.values(), dtype=np.float64, count=len(each)) for each in chosen]
    if not logs.has_rounds:  # a play is one item of the decision
        shares = [share / max(share.sum(), 1.0) for share in shares]
    if len(chosen) == 1:
        whole = np.bincount(listed[0], weights=shares[0], minlength=d).astype(np.float64)
        return logs, Target(whole[logs.items], lambda kept: kept.sum() * whole)
    rounds = np.repeat(np.arange(len(listed)), [len(each) for each in listed])
    items, weights = np.concatenate(listed), np.concatenate(shares)
    known = dict(zip((rounds * d + items).tolist(), weights.tolist(), strict=True))
    rows = np.array([known.get(key, 0.0) for key in (logs.rounds * d + logs.items).tolist()])
    return logs, Target(rows, lambda kept: np.bincount(items, weights=kept[rounds] * weights, minlength=d).astype(np.float64))


def _chosen(given: Any, logs: Logs, decision_set: DecisionSet | None) -> dict[Hashable, float]:
    """The items of a choice, with their probabilities."""
    labels = logs.item_labels if decision_set is None else tuple(decision_set.items)
    is_number = isinstance(given, np.ndarray) and given.dtype.kind == "f"
    if isinstance(given, Mapping) or is_number:
        if isinstance(given, Mapping):
            labels = tuple(given)
        shares = as_floats(list(given.values()) if isinstance(given, Mapping) else given, "policy")
        if shares.shape != (len(labels),) or not ((shares >= 0.0) & (shares <= 1.0)).all():
            raise InvalidInputError(
                f"probabilities of a policy must be from 0 to 1, one for each of {len(labels)} items, got {given!r}: correct them"
            )
        return {label: share for label, share in zip(labels, shares.tolist(), strict=True) if share > 0.0}
    if decision_set is None:
        if not isinstance(given, list | tuple | set | frozenset) or is_mask(list(given)):
            raise InvalidInputError(
                f"policy must be labels of items, probabilities, a function of the round, a Policy or a Learner, got {given!r}: "
                "pass for instance ['a', 'b'], and for a mask also decision_set"
            )
        return dict.fromkeys((tuple(label) if isinstance(label, list) else label for label in given), 1.0)
    mask = selected_items(given, labels, "policy")
    if mask not in decision_set:
        raise InvalidInputError(
            f"policy must be a decision of {decision_set!r}, got the items {[labels[i] for i in np.flatnonzero(mask)]!r}: pass "
            "one, or leave decision_set out"
        )
    return {labels[place]: 1.0 for place in np.flatnonzero(mask)}
