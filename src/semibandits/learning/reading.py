"""What a learner knows, for reading."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import UnsupportedError
from semibandits.families.texts import NamedItems, decision_text
from semibandits.features.design import Design
from semibandits.formats.html import html_block, html_facts
from semibandits.formats.numbers import counted, number_text
from semibandits.formats.text import shortened
from semibandits.identification.evidence import Observed, Stop, confidence_of
from semibandits.inputs.costs import negated
from semibandits.inputs.pandas_objects import new_frame
from semibandits.inputs.selection import Available
from semibandits.learning.drift import Drift
from semibandits.learning.exclusion import Uses
from semibandits.learning.from_logs import FromLogs
from semibandits.learning.intervals import Estimates, checked_error, interval, law_of
from semibandits.learning.operations import Asked
from semibandits.learning.options import Options
from semibandits.learning.round import Round
from semibandits.policies.ageing import OBSERVED
from semibandits.policies.base import Agent, Policy

if TYPE_CHECKING:
    from pandas import DataFrame

    from semibandits.learning.learner import Learner

T = TypeVar("T")
LONGEST_FACT: Final = 200
"""Maximum number of characters of a cell in notebooks."""


class Readable(FromLogs):
    """The part of :class:`Learner` that changes nothing."""

    _decision_set: DecisionSet
    _policy: Policy
    _labels: tuple[Hashable, ...]
    _variance: float | list[float]
    _agent: Agent
    _options: Options
    _design: Design | None
    _uses: Uses

    @abstractmethod
    def _read(self, work: Callable[[Learner], T], *, alone: bool = True) -> T:
        """Apply `work` to the up-to-date learner in memory; without `alone`, also while another call is running."""

    def __repr__(self) -> str:
        rounds, n_open = self._progress.next_id, len(self._progress.open)
        return f"Learner({self._decision_set!r}, {self._policy!r}): {rounds} rounds, {n_open} of them open"

    def _repr_html_(self) -> str:
        """The state and the best decision so far as a table, for notebooks."""
        facts = self._read(facts_of)
        return html_block("Learner", html_facts((name, shortened(text, LONGEST_FACT)) for name, text in facts))

    @property
    def decision_set(self) -> DecisionSet:
        """The decisions."""
        return self._decision_set

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self._policy

    @property
    def variance(self) -> FloatArray:
        """Variance of the rewards that the policy uses, unless it has one of its own; shape () or (d,)."""
        return self._read(lambda one: np.array(one._variance))

    @property
    def rounds(self) -> int:
        """Number of rounds asked for so far, including those of a history."""
        return self._read(lambda one: one._progress.next_id, alone=False)

    @property
    def open_rounds(self) -> tuple[Round, ...]:
        """Rounds neither told nor forgotten, oldest first."""
        return self._read(lambda one: tuple(one._progress.open.values()))

    @property
    def plays(self) -> IntArray:
        """Number of observed rewards of each item, shape (d,)."""
        return self._read(lambda one: one._progress.plays.astype(np.int64))

    @property
    def means(self) -> FloatArray:
        """Mean of the observed rewards of each item, 0 before the first, shape (d,); with `half_life`, by their weights."""
        return self._read(lambda one: one._progress.means)

    @property
    def costs(self) -> FloatArray:
        """Mean of the observed costs of each item, 0 before the first, shape (d,): minus `means`."""
        return negated(self.means)

    def estimates(self, error: float = 0.05) -> Estimates:
        """Mean reward of each item, with an interval that may be read at any time.

        Parameters
        ----------
        error : float
            Probability, at most, that the interval of an item ever misses its mean, whenever and however often it is read;
            between 0 and 1. For all d items at once pass ``error / d``.

        Returns
        -------
        Estimates
            Numbers of observed rewards and of open rounds, means, and ends of the intervals, each of shape (d,). A prior is not
            included. Means and intervals of costs are minus these. With features also `shrunk` and `shrunk_sd`.

        Raises
        ------
        InvalidInputError
            If `error` is not a number between 0 and 1.

        Notes
        -----
        The interval after n observed rewards contains all theta with ``n d(mean, theta) <= ln(2 n (n + 1) / error)``, with d the
        divergence of the law, in both directions. For fixed n, each side of it fails with probability at most
        ``error / (2 n (n + 1))`` (Chernoff 1952); the sum over all n is `error`. The policy may choose items by what it has
        observed, since the n-th reward of an item does not depend on when it is observed.

        The assumptions: the rewards of an item are independent, with one mean, and whether and when an outcome arrives does not
        depend on its value. Under a law of the policy they have this law; the Bernoulli law also covers all rewards in [0, 1].
        Without one, deviations of rewards are sub-Gaussian with the variance of the learner or the policy, as a proxy.
        Known upper bounds on the means of the decision set cut the intervals.

        With `half_life`, means and n are those of the weights, and the logarithm is ``ln(2 t (t + 1) / error)`` in round t. Each
        interval then holds with the same probability for weights that were fixed in advance and means that do not change, since
        ``sum of psi(w_j s) <= n psi(s)`` for weights w_j up to 1 and convex psi. But the policy chooses the weights, so that the
        probability for all rounds at once is not proved; and after a change the interval misses the new mean until the old
        rewards have lost their weight. Take them as a guide.
        """
        level = checked_error(error)
        return self._read(lambda one: _estimates(one, level))

    def confidence(self, within: float = 0.0, *, threshold: str = "proved") -> float:
        """How sure it is that `best()` is the best decision, valid whenever and however often it is read.

        Parameters
        ----------
        within : float
            By how much `best()` may be worse than the best decision, >= 0, in the unit of the rewards. With 0 it must be the best
            one; if another decision is exactly as good, the confidence stays small for ever.
        threshold : {"proved", "customary"}
            "proved": the probability that the confidence ever reaches ``1 - delta`` while the decision is wrong is at most delta,
            for any policy. "customary": the same for ``ln((ln t + 1) / delta)`` in round t, which experiments use and nobody has
            proved; it needs far fewer rounds.

        Returns
        -------
        float
            In [0, 1]: 0 if nothing is known, for instance while an item that decisions could use was never observed, and 1 if
            there is one decision only.

        Raises
        ------
        InvalidInputError
            If an argument is malformed.
        UnsupportedError
            With `half_life`, or if rounds had features or a context of their own: nothing is proved about means that change.

        Notes
        -----
        Each exchange S of items that enter and leave the decision has the evidence ``ln of the mean over lambda of
        exp(gap(S)^2 / (2 sum over S of sigma_i^2 (n_i + lambda) / n_i^2) - sum over S of ln(1 + n_i / lambda) / 2)`` minus the
        logarithm of the number of exchanges of its size (theory I4); for Bernoulli rewards, Jeffreys' prior takes the place of
        lambda. The confidence is ``1 - exp(-least evidence)``. It is exact for matroids; for other sets the least evidence is
        bounded from below by linear maximisation and branch and bound, mostly to 0.001, but by less where very many decisions are
        equally hard to rule out: the confidence is then too small, never too large. It depends on the observed rewards alone, not
        on a prior. Assumptions are those of :meth:`estimates`, and that rewards of different items are independent.

        Examples
        --------
        >>> articles = sb.MSets(3, 1, items=["arts", "sport", "chess"])
        >>> shown = ["arts", "sport", "chess"] * 120
        >>> clicks = [1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1] * 30
        >>> learner = sb.Learner.from_history(articles, shown, clicks, law="bernoulli", seed=0)
        >>> f"{learner.confidence():.3f}", f"{learner.confidence(within=0.05):.3f}"
        ('0.887', '0.997')
        """
        stop = Stop(within=within, threshold=threshold)
        return self._read(lambda one: _confidence(one, stop))

    @property
    def wants_plan(self) -> bool:
        """Whether the policy wants a plan that `ask` has deferred, see :meth:`Learner.solve_plan`."""
        return self._read(lambda one: one._progress.wants_plan)

    @property
    def half_life(self) -> float | None:
        """Number of rounds in which outcomes lose half of their weight, None if they lose none."""
        return self._options.half_life

    @property
    def drift_error(self) -> float | None:
        """Error probability of the drift check, None if there is none."""
        return self._options.drift_error

    @property
    def drifts(self) -> tuple[Drift, ...]:
        """Reports that the mean reward of an item has changed, newest last: the last 1,000 of them."""
        return self._read(lambda one: () if one._progress.drift is None else one._progress.drift.found)

    def coefficients(self) -> DataFrame:
        """What the features say of the items, for learners with ``features=``.

        For rewards with bounds, effects are on the scale of log-odds (two bounds) or logarithms (one).

        Returns
        -------
        DataFrame
            One row an effect, indexed by its name, from the outcomes so far: `mean` and `sd` of the reward for one more unit of
            a number, or for a category, row or column; first the mean of all items (at the mean of all numbers). The last row,
            ``"spread of items"``, is the standard deviation of what the features do not say, which is learnt, too.

        Raises
        ------
        UnsupportedError
            If this learner has no features.
        SemibanditsError
            If pandas is not installed.
        """
        names, means, deviations = self._read(coefficients_of)
        frame = new_frame({"mean": means, "sd": deviations})
        frame.index = names
        return frame

    def to_frame(self, error: float = 0.05) -> DataFrame:
        """What is known of the items as a pandas frame.

        Parameters
        ----------
        error : float
            Probability that the interval of an item ever misses its mean, as for :meth:`estimates`.

        Returns
        -------
        DataFrame
            The columns of ``estimates().to_frame()``, in_best (whether the item is in the best decision so far), and with a prior
            prior_mean and prior_plays.

        Raises
        ------
        InvalidInputError
            If `error` is not a probability.
        SemibanditsError
            If pandas is not installed.
        """
        level = checked_error(error)
        found, best, prior = self._read(lambda one: (_estimates(one, level), one._progress.best(None), one._progress.prior))
        known = {} if prior is None else {"prior_mean": prior.means, "prior_plays": prior.plays.astype(np.int64)}
        return found.to_frame().assign(in_best=best, **known)

    def best(self, available: Available | None = None, *, features: Any = None, context: Any = None) -> BoolArray:
        """Decision of largest estimated mean reward, shape (d,): the one to play if nothing more is to be learned.

        Of all decisions, those with the fewest unobserved items are compared; a prior counts as in rounds. The call changes
        nothing.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decision may use, as for :meth:`ask`; by default all.
        features, context : optional
            Of a round in which it is to be the best one, as for :meth:`ask`; by default the items as they are, and no context.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        InvalidInputError
            If an argument is malformed or holds an unknown label.
        """
        asked = Asked(self, available, features, context, of_no_round=True)
        return self._read(lambda one: one._progress.best(*asked.of(one)))


def _estimates(one: Learner, level: float) -> Estimates:
    """See `Readable.estimates`."""
    progress = one._progress
    plays = progress.plays if progress.ageing is None else progress.ageing.numbers[OBSERVED]
    items = np.flatnonzero(plays)
    n = plays[items]
    times = n if progress.ageing is None else float(max(progress.next_id, 1))  # a prior counts before the first round
    means, low, high = (np.full(one._decision_set.d, np.nan) for _ in range(3))
    means[items] = progress.means[items]
    law = law_of(one._policy, progress.rule, one._variance).take(items)
    logarithm = np.log(2.0 * times * (times + 1.0)) - math.log(level)
    low[items], high[items] = interval(law, means[items], logarithm / n)
    if one._decision_set.upper is not None:
        low, high = np.minimum(low, one._decision_set.upper), np.minimum(high, one._decision_set.upper)
    shrunk: tuple[FloatArray | None, FloatArray | None] = (None, None)
    if progress.sharing is not None:
        expected = progress.sharing.posterior(*progress.known)
        shrunk = (expected.means, np.sqrt(expected.variances))
    return Estimates(level, progress.plays.astype(np.int64), progress.pending, means, low, high, *shrunk, one._labels)


def coefficients_of(one: Learner) -> tuple[list[str], list[float], list[float]]:
    """Names, means and standard deviations of the effects; see `Readable.coefficients`."""
    progress = one._progress
    if progress.sharing is None:
        raise UnsupportedError("coefficients need a learner with features, got one without: pass features= when it is created")
    design, (effects, rest) = progress.sharing.design, progress.sharing.effects(*progress.known)
    deviations = np.sqrt(effects.variances(np.eye(len(design.names))))
    means = [*(effects.mean / design.scales).tolist(), rest]
    return [*design.names, "spread of items"], means, [*(deviations / design.scales).tolist(), math.nan]


def _confidence(one: Learner, stop: Stop) -> float:
    """See `Readable.confidence`."""
    progress = one._progress
    if progress.ageing is not None:
        raise UnsupportedError("confidence needs means that do not change, got a learner with half_life: leave half_life out")
    if progress.sharing is not None and progress.sharing.rows.within is not None:
        raise UnsupportedError("confidence needs means that do not change, got rounds with features or a context of their own")
    law = law_of(one._policy, progress.rule, one._variance)
    observed = Observed(progress.means, progress.plays, progress.next_id, law)
    return confidence_of(one._decision_set, progress.best(None), observed, stop)


class BestSoFar(NamedTuple):
    """The best decision at the estimates."""

    decision: BoolArray  # (d,)
    value: float  # sum of the means of its items, as far as these are known: from outcomes, the prior, or features
    is_cost: bool  # whether no known mean is positive
    unknown: int  # number of its items of which nothing is known


def best_so_far(one: Learner) -> BestSoFar:
    """The best decision, and what is known of its mean."""
    progress = one._progress
    (plays, sums), best = progress.known, progress.best(None)
    known, means = plays > 0, sums / np.maximum(plays, 1.0)
    if progress.sharing is not None:
        known, means = np.ones(len(best), dtype=np.bool_), progress.sharing.posterior(plays, sums).means
    is_cost = bool((means[known] <= 0).all() and means[known].any())
    return BestSoFar(best, float(means[best & known].sum()), is_cost, int((best & ~known).sum()))


def facts_of(one: Learner) -> list[tuple[str, str]]:
    """The state and the best decision so far, each with its title."""
    progress, names = one._progress, NamedItems.of(one._decision_set)
    facts = [
        ("Decisions", repr(one._decision_set)),
        ("Policy", repr(one._policy)),
        *([] if one._design is None else [("Features", one._design.text)]),
        ("Rounds", f"{progress.next_id:,}, {len(progress.open):,} of them open"),
    ]
    if progress.next_id > len(progress.open):
        best = best_so_far(one)
        facts.append((f"Best {names.nouns.decision} so far", decision_text(names, best.decision)))
        noun, amount = ("cost", -best.value + 0.0) if best.is_cost else ("reward", best.value)
        items = counted(best.unknown, names.nouns.item, names.nouns.items)
        note = f", without {items} never observed" if best.unknown else ""
        facts.append((f"Its mean {noun} so far", number_text(amount, 4) + note))
    return facts
