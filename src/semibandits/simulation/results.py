"""Results of `simulate`: regret, plays and oracle calls of each policy in each replication."""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.formats.html import html_block, html_remark, html_table
from semibandits.formats.numbers import amount, counted, mean_text
from semibandits.inputs.pandas_objects import new_frame
from semibandits.inputs.validation import check_choice, finite_number, number_in
from semibandits.laws import Law, law_from
from semibandits.simulation._checks import as_texts, check_bound, fixed_array
from semibandits.simulation.statistics import Band, Estimate, PolicySummary, mean_band, near_round, slope_estimate, summarise
from semibandits.simulation.storage import damaged, plain_json, read_archive, write_archive

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from semibandits.regret_bound.result import GravesLaiResult

KIND: Final = "simulation result"
CALLS: Final = ("linear", "index", "plans", "undecided")
"""Counts in the last axis of `SimulationResult.calls`."""

_UNKNOWN: Final = object()
_OLD_LAWS: Final = {"GaussianRewards": "gaussian", "BernoulliRewards": "bernoulli"}
"""Laws of the reward models in results whose provenance has no law, those of version 0.9 and earlier."""
_OF_ITEMS: Final[dict[str, type[np.generic]]] = {"rates": np.float64, "suboptimal_items": np.bool_}
_RECORDS: Final[dict[str, type[np.generic]]] = {
    "regret": np.float64, "reward": np.float64, "plays": np.int64, "calls": np.int64, "optimal": np.int64,
    "stops": np.int64,
}  # fmt: skip
"""Types of the arrays of each policy."""
_OPTIONAL: Final = ("optimal", "stops")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SimulationResult:
    """Policies in one environment: n replications, recorded at c checkpoints. All arrays are read-only.

    Attributes
    ----------
    policies : tuple of str
        Distinct names of the policies, in the order given to `simulate`.
    checkpoints : ndarray of int64, shape (c,)
        Rounds, strictly increasing; the last is the horizon.
    regret : mapping from policy to ndarray of float64, shape (n, c)
        Cumulative pseudo-regret up to and including each checkpoint: the sum of the gaps of the decisions played.
    reward : mapping from policy to ndarray of float64, shape (n, c)
        Cumulative reward as drawn.
    plays : mapping from policy to ndarray of int64, shape (n, c, d)
        Number of plays of each item so far.
    calls : mapping from policy to ndarray of int64, shape (n, c, 4)
        Numbers so far of linear oracle calls, index oracle calls, plans, and index calls that ended without a proof. In arrays
        of shape (n, c, 3) the last of these is taken to be 0.
    optimal : mapping from policy to ndarray of int64, shape (n, c), or None
        Number of rounds so far in which an optimal decision was played; None in results of version 0.1 and earlier.
    stops : mapping from policy to ndarray of int64, shape (n, c, 2), or None
        With `stop_at`, numbers of rounds so far after the stop, and of those whose decision was not good enough; else None. A
        replication that stopped after round t has T - t rounds after the stop at the horizon T.
    items : tuple of str, length d
        Labels of the items as text: ``str(item)`` of the decision set's items.
    lower_bound : float or None
        C(theta), regret per ln T; None if it is unknown or does not apply, as to rewards that depend on each other. With a table
        of features, ``provenance["no_bound"]`` is the reason.
    lower_bound_interval : (float, float) or None
        Certified bracket ``lower <= C(theta) <= value``, which contains `lower_bound`. `value` is infinite if the solver
        found no plan.
    rates : ndarray of float64, shape (d,), or None
        Exploration plays of each item per ln T in the plan that attains C(theta).
    suboptimal_items : ndarray of bool, shape (d,), or None
        Items that are in some decision and in no optimal one. Only these need to be explored.
    best_mean : float or None
        Largest mean reward of a decision; None in results of version 1.0 and earlier.
    provenance : mapping
        Plain JSON with the specification of the simulation and the versions used. It has no times and no host names, so
        that equal simulations give equal results.
    law : Law or None
        The law of the rewards by `provenance`; None if that names no law of the library.

    Raises
    ------
    InvalidInputError
        If a shape, type or range is not as above.

    Notes
    -----
    Arrays are copied unless they have the dtype above, are contiguous, read-only, and own their memory. To avoid the copy,
    set ``array.flags.writeable = False`` first.

    Examples
    --------
    >>> clicks = sb.BernoulliRewards([0.2, 0.5, 0.8])
    >>> result = sb.simulate(sb.MSets(3, 1), clicks, [sb.CUCB(), sb.OSSB()], horizon=100, replications=4)
    >>> result.regret["OSSB"].shape  # replications, checkpoints
    (4, 30)
    >>> result.plays["OSSB"][:, -1].sum(axis=1).tolist()  # one item in each of 100 rounds
    [100, 100, 100, 100]
    >>> band = result.bands("OSSB")
    >>> bool(band.lower[-1] <= band.mean[-1] <= band.upper[-1])
    True
    >>> [row.policy for row in result.summary()]
    ['CUCB', 'OSSB']
    >>> f"{result.slopes()['CUCB'].value:.1f} per ln T"
    '1.9 per ln T'
    """

    policies: Sequence[str]
    checkpoints: IntArray
    regret: Mapping[str, FloatArray]
    reward: Mapping[str, FloatArray]
    plays: Mapping[str, IntArray]
    calls: Mapping[str, IntArray]
    items: Sequence[str]
    optimal: Mapping[str, IntArray] | None = None
    stops: Mapping[str, IntArray] | None = None
    lower_bound: float | None = None
    lower_bound_interval: tuple[float, float] | None = None
    rates: FloatArray | None = None
    suboptimal_items: BoolArray | None = None
    best_mean: float | None = None
    provenance: Mapping[str, Any]

    def __post_init__(self) -> None:
        put = self._put
        put("policies", as_texts(self.policies, "policies"))
        if not self.policies or not all(self.policies) or len(set(self.policies)) < len(self.policies):
            raise InvalidInputError(f"policies must have distinct names, got {self.policies}: rename them")
        put("items", as_texts(self.items, "items"))
        put("checkpoints", fixed_array(self.checkpoints, np.int64, "checkpoints", {"c": None}))
        rounds = self.checkpoints
        if not rounds.size or rounds[0] < 1 or (rounds[1:] <= rounds[:-1]).any():
            raise InvalidInputError(
                f"checkpoints must be increasing rounds from 1 on, got {reprlib.repr(rounds.tolist())}: sort them"
            )
        self._check_records()
        bound, interval = check_bound(self.lower_bound, self.lower_bound_interval)
        put("lower_bound", bound)
        put("lower_bound_interval", interval)
        for name, dtype in _OF_ITEMS.items():
            if getattr(self, name) is not None:
                put(name, fixed_array(getattr(self, name), dtype, name, {"d": len(self.items)}))
        if self.rates is not None and (self.rates < 0).any():
            raise InvalidInputError(f"rates must be at least 0, got {self.rates.min()}: they count plays per ln T")
        if self.best_mean is not None:
            put("best_mean", finite_number(self.best_mean, "best_mean"))
        if not isinstance(self.provenance, Mapping):
            raise InvalidInputError(f"provenance must be a mapping, got {self.provenance!r}: pass {{}} for none")
        put("provenance", MappingProxyType(plain_json(self.provenance, "provenance")))

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_records(self) -> None:
        sizes: dict[str, int | None] = {"n": None, "c": len(self.checkpoints)}
        lasts = {"plays": {"d": len(self.items)}, "calls": {str(len(CALLS)): len(CALLS)}, "stops": {"2": 2}}
        for name, dtype in _RECORDS.items():
            records = getattr(self, name)
            if name in _OPTIONAL and records is None:
                continue
            if not isinstance(records, Mapping) or set(records) != set(self.policies):
                got = list(records) if isinstance(records, Mapping) else records
                raise InvalidInputError(
                    f"{name} must map each policy to an array, got {got!r} for the policies {list(self.policies)}: "
                    "pass one array per policy"
                )
            arrays = {}
            for policy in self.policies:
                where, given = f"{name}[{policy!r}]", records[policy]
                if name == "calls" and isinstance(given, np.ndarray) and given.ndim == 3 and given.shape[2] == len(CALLS) - 1:
                    given = np.concatenate((given, np.zeros_like(given[:, :, :1])), axis=2)  # before searches had a budget
                array = arrays[policy] = fixed_array(given, dtype, where, sizes | lasts.get(name, {}))
                sizes["n"] = len(array)
                if len(array) == 0:
                    raise InvalidInputError(f"{where} must hold at least one replication, got none: simulate one")
                if dtype is np.int64 and ((array[:, 0] < 0).any() or (array[:, 1:] < array[:, :-1]).any()):
                    raise InvalidInputError(f"{where} must hold counts that never decrease, but some do: pass running totals")
                counts_rounds = name in ("plays", "optimal", "stops")
                if counts_rounds and (array.max(axis=(0, *range(2, array.ndim)), initial=0) > self.checkpoints).any():
                    raise InvalidInputError(f"{where} must be at most the number of rounds, got more: count each round once")
            self._put(name, MappingProxyType(arrays))

    @property
    def horizon(self) -> int:
        """The last round."""
        return int(self.checkpoints[-1])

    @property
    def replications(self) -> int:
        """Number of replications n."""
        return len(self.regret[self.policies[0]])

    @property
    def law(self) -> Law | None:
        """The law of the rewards; None if `provenance` names no law of the library (by the reward model in version 0.9)."""
        stored = self.provenance.get("law", _UNKNOWN)
        if stored is _UNKNOWN:
            stored = _OLD_LAWS.get(str(recorded(self, "specification", "rewards").get("name")))
        try:
            return None if stored is None else law_from(stored)
        except InvalidInputError:
            return None

    def __repr__(self) -> str:
        bound = "" if self.lower_bound is None else f", lower_bound={self.lower_bound:.6g}"
        return (
            f"SimulationResult(policies={list(self.policies)}, horizon={self.horizon}, "
            f"replications={self.replications}, d={len(self.items)}{bound})"
        )

    def _repr_html_(self) -> str:
        """The summary as a table, for notebooks."""
        columns = ("policy", "regret", "growth per ln T", "growth / C(θ)", "regret / (C(θ) ln T)")
        rows = []
        for row in self.summary():  # unknown numbers are empty
            pairs = ((row.regret, row.regret_interval), (row.slope, row.slope_interval))
            means = [mean_text(mean, (upper - lower) / 2) if math.isfinite(mean) else "" for mean, (lower, upper) in pairs]
            ratios = [
                "" if r is None or not math.isfinite(r) else amount(r, digits=3) for r in (row.slope_ratio, row.regret_ratio)
            ]
            rows.append((row.policy, *means, *ratios))
        remarks = [str(self.provenance["no_bound"])] if "no_bound" in self.provenance else []
        remarks += [] if self.lower_bound is None else [f"C(θ) = {amount(self.lower_bound)} per ln T"]
        remarks += ["± is half a 95 % interval over the replications"] if self.replications > 1 else []
        return html_block(
            f"Regret over {counted(self.horizon, 'round', 'rounds')}, "
            f"{counted(self.replications, 'replication', 'replications')}",
            html_table(columns, rows, text=0),
            html_remark("; ".join(remarks)),
        )

    def __reduce__(self) -> tuple[Callable[[], SimulationResult], tuple[()]]:
        """Rebuild the result from its fields on pickle and copy, which do not support mapping proxies."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        values |= {name: dict(value) for name, value in values.items() if isinstance(value, MappingProxyType)}
        return partial(type(self), **values), ()

    def slopes(self, decades: float = 1.0) -> Mapping[str, Estimate]:
        """Slope of the mean regret of each policy against ln T at the end of the simulation.

        Parameters
        ----------
        decades : float
            Width of the window: the checkpoints from ``horizon / 10**decades`` on, > 0.

        Returns
        -------
        mapping from policy to Estimate
            ``value`` is the mean over replications of the least-squares slope at the checkpoints in the window, which is the
            slope of the mean regret. ``lower`` and ``upper`` are the ends of a 95 % interval: a t quantile times the standard
            error, with the replications as samples. They are nan for one replication; all three are nan if the window has
            fewer than two checkpoints.

        Raises
        ------
        InvalidInputError
            If `decades` is not positive.
        """
        return MappingProxyType({p: slope_estimate(self.checkpoints, self.regret[p], decades) for p in self.policies})

    def summary(self) -> list[PolicySummary]:
        """Regret and slope of each policy, compared with C(theta).

        Returns
        -------
        list of PolicySummary
            One row per policy, in their order: `policy`; the mean `regret` at the horizon, with `standard_error` and
            `regret_interval`; its `slope` per ln T over the last decade, with `slope_interval`; `regret_ratio` to C(theta) ln T
            and `slope_ratio` to C(theta), None if that is unknown or 0; the mean `calls`; `optimal_share`, the share of rounds
            with an optimal decision; `settled`, the round from which on at least nine of ten rounds were optimal in every
            interval between checkpoints, or None; `within`, the round from which on it is within 5 % of the best mean reward (see
            :meth:`within`), or None; and with `stop_at`, `stopped`: the share of replications that stopped, their
            mean number of rounds, and the share of them that were wrong. Intervals are 95 % intervals by Student's t over
            replications.
        """
        return summaries(self, self.lower_bound)

    def within(self, share: float = 0.05) -> Mapping[str, int | None]:
        """The first round from which on each policy is nearly as good as the best decision.

        Parameters
        ----------
        share : float
            Share of the mean reward (or cost) of the best decision that may be lost, >= 0.

        Returns
        -------
        mapping from policy to int or None
            The round from which on the mean regret grows by at most this share a round, in every interval between checkpoints.
            None if there is no such round before the last tenth, or the best mean is unknown.

        Raises
        ------
        InvalidInputError
            If `share` is negative.
        """
        share = number_in(share, "share", 0.0, math.inf, "pass 0.05 for 5 %")
        best = self.best_mean
        return MappingProxyType(
            {p: None if best is None else near_round(self.checkpoints, self.regret[p], share * abs(best)) for p in self.policies}
        )

    def bands(self, policy: str, level: float = 0.95) -> Band:
        """Mean regret of a policy with a pointwise confidence band.

        Parameters
        ----------
        policy : str
            Name of the policy.
        level : float
            Confidence level of the interval at each checkpoint, strictly between 0 and 1.

        Returns
        -------
        Band
            ``mean``, ``lower``, ``upper`` of shape (c,), by Student's t over replications; the ends are nan for one
            replication. They are symmetric about the mean and may be negative.

        Raises
        ------
        InvalidInputError
            If `policy` is not in the result or `level` is out of range.
        """
        return mean_band(self.regret[self._known(policy)], level)

    def item_plays(self, policy: str, level: float = 0.95) -> Band:
        """Mean number of plays of each item up to the horizon, with a confidence interval for each.

        Parameters
        ----------
        policy : str
            Name of the policy.
        level : float
            Confidence level of each interval, strictly between 0 and 1.

        Returns
        -------
        Band
            ``mean``, ``lower``, ``upper`` of shape (d,), as in `bands`.

        Raises
        ------
        InvalidInputError
            If `policy` is not in the result or `level` is out of range.
        """
        return mean_band(self.plays[self._known(policy)][:, -1].astype(np.float64), level)

    def to_frame(self, of: str = "rounds") -> DataFrame:
        """The result as a tidy pandas frame.

        Parameters
        ----------
        of : {"rounds", "bands", "plays", "summary"}
            "rounds": columns policy, replication (from 0), round, regret, reward; one row per policy, replication and checkpoint,
            in this order. "bands": policy, round, and mean, lower and upper of `bands`. "plays": policy, item, and mean, lower
            and upper of `item_plays`. "summary": a row for each policy with the numbers of `summary`; intervals are columns that
            end in _lower and _upper.

        Returns
        -------
        DataFrame
            The frame.

        Raises
        ------
        InvalidInputError
            If `of` is none of these.
        SemibanditsError
            If pandas is not installed.
        """
        check_choice(of, ("rounds", "bands", "plays", "summary"), "of", "they are frames of the same result")
        if of == "summary":
            rows = [row.numbers() for row in self.summary()]
            return new_frame({name: [row[name] for row in rows] for name in rows[0]})
        if of != "rounds":
            listed = [self.bands(p) if of == "bands" else self.item_plays(p) for p in self.policies]
            keys = {"round": self.checkpoints} if of == "bands" else {"item": np.array(self.items, dtype=object)}
            ends = {name: np.concatenate([getattr(band, name) for band in listed]) for name in Band._fields}
            size = len(listed[0].mean)
            names = {"policy": np.repeat(np.array(self.policies, dtype=object), size)}
            return new_frame(names | {name: np.tile(values, len(listed)) for name, values in keys.items()} | ends)
        n, c = self.replications, len(self.checkpoints)
        columns = {
            "policy": np.repeat(np.array(self.policies, dtype=object), n * c),
            "replication": np.tile(np.repeat(np.arange(n), c), len(self.policies)),
            "round": np.tile(self.checkpoints, n * len(self.policies)),
            "regret": np.concatenate([self.regret[policy].ravel() for policy in self.policies]),
            "reward": np.concatenate([self.reward[policy].ravel() for policy in self.policies]),
        }
        return new_frame(columns)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        unit: str = "units of reward",
        title: str | None = None,
        styles: Mapping[str, Mapping[str, Any]] | None = None,
        bound: bool | float | GravesLaiResult | None = None,
    ) -> Axes:
        """Draw mean regrets with pointwise 95 % bands, and C(theta) ln T if it is known.

        Lines are named at their ends if there is room, else in a legend. Settings of matplotlib that you changed hold.

        Parameters
        ----------
        ax : Axes, optional
            The axis to draw on; by default that of a new figure. The axis of rounds becomes logarithmic.
        unit : str
            Unit of the rewards, for the labels.
        title : str, optional
            The title, "" for none; by default one that is left out if it has no room.
        styles : mapping from policy to mapping, optional
            Arguments of ``Axes.plot`` for the line of each policy, such as ``{"OSSB": {"color": "black", "label": "ours"}}``.
        bound : bool, float or GravesLaiResult, optional
            By default C(theta) ln T is drawn if it is known to bound the regret, or its end is named if that is above ten times
            the regret of all policies; False leaves it out, True requires and draws it. A result is drawn in any case, and named
            with its law if that is not known to be the law of the rewards; so is a number, regret per ln T.

        Returns
        -------
        Axes
            The axis drawn on.

        Raises
        ------
        InvalidInputError
            If `styles` or `bound` is not as above.
        SemibanditsError
            If matplotlib is not installed.
        """
        from semibandits_studies.plotting.regret import plot_regret

        return plot_regret(self, ax=ax, unit=unit, title=title, styles=styles, bound=bound)

    def plot_exploration(
        self,
        policy: str,
        ax: Axes | None = None,
        *,
        title: str | None = None,
        styles: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Axes:
        """Draw the plays of each item up to the horizon, with 95 % intervals, against the plays that the plan requires.

        Parameters
        ----------
        policy : str
            Name of the policy.
        ax : Axes, optional
            The axis to draw on; by default that of a new figure.
        title, styles
            As in :meth:`plot`; of the style of the policy, the colour and the marker are used.

        Returns
        -------
        Axes
            The axis drawn on, logarithmic above one play and linear below. If no plan is known, it shows the plays alone.

        Raises
        ------
        InvalidInputError
            If `policy` is not in the result, or `styles` is not as in :meth:`plot`.
        SemibanditsError
            If matplotlib is not installed.
        """
        from semibandits_studies.plotting.exploration import plot_exploration

        return plot_exploration(self, policy, ax=ax, title=title, styles=styles)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to one file, in one step; equal results give equal bytes.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced. docs/simulation-file.md describes the format.

        Raises
        ------
        InvalidInputError
            If the file cannot be written.
        """
        interval = self.lower_bound_interval
        header = {
            "kind": KIND,
            "policies": self.policies,
            "items": self.items,
            "lower_bound": self.lower_bound,
            "lower_bound_interval": interval and [end if end < math.inf else None for end in interval],
            **({} if self.best_mean is None else {"best_mean": self.best_mean}),
            "provenance": self.provenance,
        }
        arrays = {name: getattr(self, name) for name in ("checkpoints", *_OF_ITEMS)}
        for name in _RECORDS:
            arrays |= {f"{name}/{k}": record for k, record in enumerate((getattr(self, name) or {}).values())}
        for name, array in arrays.items():  # counts in the smallest type that holds them
            if array is not None and array.dtype == np.int64:
                arrays[name] = array.astype(np.min_scalar_type(int(array.max(initial=0))))
        write_archive(path, header, {name: array for name, array in arrays.items() if array is not None})

    def _known(self, policy: str) -> str:
        check_choice(policy, self.policies, "policy", "pass its name")
        return policy


def load_simulation(path: str | os.PathLike[str]) -> SimulationResult:
    """Read a result that :meth:`SimulationResult.save` wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    SimulationResult
        Equal to the saved result; saving it again gives the same bytes.

    Raises
    ------
    InvalidInputError
        If the file is missing, not a simulation result, written by a newer version, truncated, or altered.

    Examples
    --------
    >>> result = sb.simulate(sb.MSets(3, 1), sb.GaussianRewards([0.2, 0.5, 0.8]), sb.OSSB(), horizon=100, replications=2)
    >>> result.save("three-shops.sim")
    >>> loaded = sb.load_simulation("three-shops.sim")
    >>> loaded.policies, np.array_equal(loaded.regret["OSSB"], result.regret["OSSB"])
    (('OSSB',), True)
    >>> sb.load_simulation("no-such.sim")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: no-such.sim must be a readable file, got No such file or directory: check the path
    """
    header, arrays = read_archive(path, KIND)
    try:
        policies, interval = header["policies"], header["lower_bound_interval"]
        names = [name for name in _RECORDS if name not in _OPTIONAL or f"{name}/0" in arrays]
        found: dict[str, Any] = {name: arrays.pop(name, None) for name in _OF_ITEMS}
        found |= {name: {policy: arrays.pop(f"{name}/{k}") for k, policy in enumerate(policies)} for name in names}
        result = SimulationResult(
            policies=policies,
            checkpoints=arrays.pop("checkpoints"),
            items=header["items"],
            lower_bound=header["lower_bound"],
            lower_bound_interval=interval and tuple(math.inf if end is None else end for end in interval),
            best_mean=header.get("best_mean"),
            provenance=header["provenance"],
            **found,
        )
        if arrays:
            raise InvalidInputError(f"unknown arrays {sorted(arrays)}")
    except (KeyError, TypeError, RecursionError, InvalidInputError) as error:
        raise damaged(path, error) from error
    return result


def recorded(result: SimulationResult, *keys: str) -> Mapping[str, Any]:
    """The part of the provenance to which the keys lead; empty if it is not recorded."""
    part: object = result.provenance
    for key in keys:
        part = part.get(key) if isinstance(part, Mapping) else None
    return part if isinstance(part, Mapping) else {}


def summaries(result: SimulationResult, lower_bound: float | None) -> list[PolicySummary]:
    """`SimulationResult.summary` with ratios to the given C(theta)."""
    run, best, stops = result, result.optimal or {}, result.stops or {}
    return [
        summarise(p, run.checkpoints, run.regret[p], run.calls[p], lower_bound, best.get(p), stops.get(p), run.best_mean)
        for p in run.policies
    ]
