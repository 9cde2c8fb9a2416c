"""GLADE: play the best decision until another one is plausible, then refute that one at the lowest price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import whole
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import number_in
from semibandits.kernels.rounds import Player
from semibandits.kernels.rules.glade import (
    HEAD,
    HORIZON,
    MARKS,
    PLAYED_ROW,
    REMEMBERED,
    REPEATS,
    ROWS,
    STAGE,
    START,
    UNTIL_TIME,
    WIDTH,
    glade,
)
from semibandits.kernels.rules.raises import KNOWN
from semibandits.policies.rules import NamedLawPolicy, RulePolicy

MOST_REMEMBERED: Final = 10_000
LONGEST: Final = 2**53
SIMULATION: Final = "simulation"


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class GLADE(NamedLawPolicy):
    """Graves-Lai adaptive exploration: play the best decision until another is plausible, then refute that one cheaply.

    Let x_best be the best decision at the estimates. Another decision x is plausible in round t if its estimated gap D(x) is
    smaller than the uncertainty of its items: ``D(x)^2 < sum of 2 sigma_i^2 f_i / n_i`` over its items outside x_best, with the
    levels ``f_i = (ln(t / h_i) - discount)+``, where h_i is n_i unless `rivals` is set. If no decision is plausible, x_best is
    played. Otherwise GLADE plays the most plausible one, or a decision that gives information on several plausible decisions at
    less regret. Most rounds repeat the previous decision. The other rounds solve up to two P_LM and one P_IM, or up to three P_LM
    and four P_IM for laws that are not Gaussian.

    Parameters
    ----------
    discount : float
        >= 0. Larger values explore less, and more runs fail (about in proportion to the exponential of the discount).
    rivals : float
        In [0, 1]. Weight of competing items in levels: ``h_i = (1 - rivals) n_i + (rivals / m) sum_j min(n_i,
        sqrt(n_i n_j))``, over the items j outside x_best, i among them, with m the size of the largest decision. 0 makes
        h_i = n_i; 0.4 explores less if there are many items, and more runs fail.
    patience : float
        In [0, 1). A decision is repeated until the count of its rarest item has grown by this share; repeated rounds take very
        little time. 0 decides anew in every round.
    foresight : float
        >= 0. Prices also include, in part, decisions that become plausible before ln t has grown by this much; if the level f is
        above 16, by ``foresight * sqrt(f / 16)``, since estimates then differ by more. 0 always plays the most plausible
        decision.
    saving : float
        >= 0. Another decision replaces the most plausible one only if it saves more than this share of the gap of the latter; if
        the level f is above 4, more than ``saving * 2 / sqrt(f)``.
    remembered : int
        Largest number of plausible decisions that are remembered, from 1 to 10,000.
    recheck : float
        >= 0. While the best decision stays the same and no remembered decision is plausible, the next search waits until the
        time, or the count of the rarest item of the best decision, has grown by this share. 0 searches whenever a decision is
        made.
    horizon : int or "simulation", optional
        Number T of rounds to be played, >= 1; "simulation" takes that of the simulation. Up to round T, levels use
        ``min(t, T - t)`` instead of t: less and less is explored in the second half, and nothing at the end. Later rounds
        are those without a horizon. Learners count all rounds that they were asked for, including open and forgotten ones,
        and those of a history.
    law : Law or str, optional
        Plausibility is measured by the divergences of this law instead of variances, like C(theta); by default the law of the
        environment or the learner. The Bernoulli law is valid for all rewards in [0, 1], but not optimal. User-defined laws are
        treated as Gaussian, with the given variance.
    rewards : {"auto", "gaussian", "bernoulli"}
        "bernoulli" is short for ``law=Bernoulli()``; "gaussian" uses the variance only, whatever law is known.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner.
    features : bool
        False for a policy that plays as without features in a simulation with them, to see what they are worth.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed or out of range.

    Notes
    -----
    h_i is Lattimore's count of competing plays (AdaUCB, 2018), per place in a decision and without the best arm.
    The test is the constraint of the Graves-Lai problem (Cuvelier, Combes, Gourdin 2021, P_GL) at the actual counts.
    For single items it is the condition of DMED (Honda and Takemura 2010), which is asymptotically optimal there.
    docs/policies/horizon.md measures what a horizon gains, and what a wrong one loses.
    docs/policies/optimality.md lists what is proved about GLADE and what is only measured.

    Examples
    --------
    >>> articles, clicks = sb.MSets(4, 1), sb.GaussianRewards([0.9, 0.5, 0.3, 0.1], variance=0.25)
    >>> result = sb.simulate(articles, clicks, [sb.CUCB(), sb.GLADE()], horizon=500, replications=5, seed=0)
    >>> for policy, regret in result.regret.items():
    ...     print(f"{policy}: {regret[:, -1].mean():.1f}")
    CUCB: 15.1
    GLADE: 9.0
    """

    discount: float = 1.0
    rivals: float = 0.0
    patience: float = 0.02
    foresight: float = 8.0
    saving: float = 0.5
    remembered: int = 128
    recheck: float = 0.1
    horizon: int | Literal["simulation"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, high, ends, remedy in (
            ("discount", np.inf, "[)", "1 is the default, 0 explores more"),
            ("rivals", 1.0, "[]", "0 is the default and counts each item alone, 0.4 explores less"),
            ("patience", 1.0, "[)", "0.02 decides anew whenever a count has grown by 2 %"),
            ("foresight", np.inf, "[)", "8 is the default, 0 looks at one decision at a time"),
            ("saving", np.inf, "[)", "0.5 is the default"),
            ("recheck", np.inf, "[)", "0.1 is the default, 0 searches whenever a decision is made"),
        ):
            object.__setattr__(self, name, number_in(getattr(self, name), name, 0.0, high, remedy, ends=ends))
        remedy = "128 is the default"
        count = whole_number(whole(self.remembered), "remembered", least=1, most=MOST_REMEMBERED, remedy=remedy)
        object.__setattr__(self, "remembered", count)
        if self.horizon is not None and not (isinstance(self.horizon, str) and self.horizon == SIMULATION):
            remedy = "pass a number of rounds, or 'simulation' for the horizon of the simulation"
            horizon = whole_number(whole(self.horizon), "horizon", least=1, most=LONGEST, remedy=remedy)
            object.__setattr__(self, "horizon", horizon)

    @property
    def rule(self) -> Any:
        """The kernel."""
        return glade

    def for_horizon(self, horizon: int) -> GLADE:
        """See `Policy.for_horizon`."""
        return replace(self, horizon=horizon) if self.horizon == SIMULATION else self

    def prepared(self, decision_set: DecisionSet, variance: ArrayLike) -> tuple[RulePolicy, FloatArray]:
        """See `RulePolicy.prepared`.

        Raises
        ------
        InvalidInputError
            If the horizon is that of a simulation, which is not known here, or as for laws.
        """
        if self.horizon == SIMULATION:
            raise InvalidInputError(
                f"horizon must be a number of rounds outside simulations, got {SIMULATION!r}: pass the number of rounds to be "
                "played, or leave it out"
            )
        return super().prepared(decision_set, variance)

    @property
    def kept(self) -> int:
        """Number of rows: a guess, the best decision, and the last one played."""
        return ROWS

    @property
    def leaders(self) -> int:
        """See `RulePolicy.leaders`: items of the best decision have no bonus. With `rivals`, levels depend on all items."""
        law = self.known_law
        return 2 if self.rivals == 0.0 and (law is None or law.size is None) else 0

    def repeated(self, player: Player) -> int:
        """See `RulePolicy.repeated`."""
        if player.marks[STAGE] != START or player.marks[REPEATS] == 0:
            return -1
        player.marks[REPEATS] -= 1
        return PLAYED_ROW

    def item_places(self, marks: IntArray) -> IntArray:
        """See `RulePolicy.item_places`."""
        pool = _pool(marks)
        places = np.arange(MARKS, len(marks)).reshape(pool.shape)[:, 1:]
        used: IntArray = places[np.arange(pool.shape[1] - 1) < pool[:, :1]]  # a decision that is not there yet has no items
        return used

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio 1, the parameters in their order, and the law."""
        numbers = [
            1.0, self.discount, self.patience, self.foresight, self.saving, self.recheck, self.rivals, max(m, 1),
            float(int(self.horizon or 0)),
        ]  # fmt: skip
        return np.concatenate((numbers, self.codes(len(variance))))

    def at_time(self, params: FloatArray, skipped: int) -> FloatArray:
        """See `RulePolicy.at_time`."""
        params = params.copy()
        params[HORIZON] -= skipped if self.horizon else 0
        return params

    def specification(self) -> dict[str, Any]:
        """Parameters as plain JSON; the horizon only if it was given, as in earlier versions."""
        values = super().specification()
        return values if self.horizon is not None else {name: value for name, value in values.items() if name != "horizon"}

    def memory(self, d: int, m: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """Arrays of a rule that has decided nothing."""
        marks = np.zeros(MARKS + self.remembered * (m + 1), dtype=np.int64)
        marks[WIDTH] = m + 1
        words = 2 + KNOWN if len(self.codes(d)) else 2
        return np.zeros(HEAD + words * d), marks, np.zeros((0, d), dtype=np.bool_)

    def distrust(self, player: Player, *, anew: bool = False) -> None:
        """Search again at the next decision, whatever was the best decision."""
        player.memory[UNTIL_TIME] = 0.0
        if anew and player.marks[STAGE] == START:
            player.marks[REPEATS] = 0

    def lend(self, whole: Player, part: Player, items: IntArray, *, alike: bool = True) -> None:
        """Fill the pool with the decisions of the other pool that use these items only, if alike; the end is the same."""
        part.params[HORIZON] = whole.params[HORIZON]
        if not alike:
            return
        pool, own = _pool(whole.marks), _pool(part.marks)
        pool = pool[: whole.marks[REMEMBERED]]
        places = np.full(whole.stats.shape[1], -1, dtype=np.int64)
        places[items] = np.arange(len(items))
        is_item = np.arange(pool.shape[1] - 1) < pool[:, :1]
        rows = np.where(is_item, places[pool[:, 1:]], 0)
        kept = (rows >= 0).all(axis=1)
        width = own.shape[1] - 1  # of the largest available decision
        own[: np.count_nonzero(kept), 0], own[: np.count_nonzero(kept), 1:] = pool[kept, 0], rows[kept, :width]
        part.marks[REMEMBERED] = np.count_nonzero(kept)

    def collect(self, whole: Player, part: Player, items: IntArray, *, alike: bool = True) -> None:
        """Remember the decision that was plausible in the round, if there was one."""
        remembered, own, pool = int(part.marks[REMEMBERED]), _pool(part.marks), _pool(whole.marks)
        if remembered == 0 or not alike:
            return
        newest = own[(remembered - 1) % len(own)]
        row = np.zeros(pool.shape[1], dtype=np.int64)
        row[0] = newest[0]
        row[1 : 1 + row[0]] = items[newest[1 : 1 + newest[0]]]
        known = pool[: whole.marks[REMEMBERED]]
        is_item = np.arange(pool.shape[1]) <= row[0]
        if not ((known == row) | ~is_item).all(axis=1).any():
            pool[whole.marks[REMEMBERED] % len(pool)] = row
            whole.marks[REMEMBERED] += 1

    def accepts(self, player: Player) -> bool:
        """Whether the state has all rows, awaits no answer, and remembers valid items."""
        marks, d = player.marks, player.stats.shape[1]
        if len(player.rows) != self.kept or marks[STAGE] != START or (marks < 0).any():
            return False
        if marks[WIDTH] * self.remembered != len(marks) - MARKS:
            return False
        pool = marks[MARKS:].reshape(self.remembered, -1)
        return bool((pool[:, 0] < pool.shape[1]).all() and (pool[:, 1:] < d).all())


def _pool(marks: IntArray) -> IntArray:
    """The remembered decisions, a view of shape (remembered, 1 + m)."""
    pool: IntArray = marks[MARKS:].reshape(-1, marks[WIDTH])
    return pool
