"""A real instance with its provenance."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from semibandits._typing import ArrayLike, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import UnsupportedError
from semibandits.formats.html import html_block, html_facts
from semibandits.formats.text import brief
from semibandits.inputs.costs import negated
from semibandits.instances import Instance
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.rewards.replayed import ReplayedRewards

Origin: TypeAlias = Literal["measured", "modelled"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset:
    """A real instance: decisions, mean rewards, variances, and where they come from. All arrays are read-only.

    Attributes
    ----------
    name : str
        Its name in :func:`semibandits.datasets.load`.
    question : str
        The decision problem as a question.
    instance : Instance
        Decision set, mean rewards, variances, labels, positions, title, unit, and a note on the numbers.
    origin : "measured" or "modelled"
        Whether theta is computed from observed outcomes or from a model.
    provenance : str
        Source of the data.
    licence : str
        Licence of the data.
    outcomes : tuple of d ndarray of float, each of shape (n,), or None
        The observed outcomes of each item, logs of any length n, in the unit of theta; theta is their mean. None if only
        aggregates are known, or theta is modelled.

    Examples
    --------
    >>> flights = sb.datasets.load("flights-on-time")
    >>> flights.decision_set, flights.origin, flights.licence
    (MSets(d=288, m=10), 'measured', 'CC0')
    >>> best = int(flights.theta.argmax())
    >>> print(f"{flights.labels[best]}: {flights.theta[best]:.1%} of {len(flights.outcomes[best])} flights were on time")
    Southwest EWR → Austin: 91.5% of 293 flights were on time
    >>> flights.replay().draw(np.array([best, 0]), np.random.default_rng(0)).tolist()  # one flight of each: 1.0 is on time
    [1.0, 1.0]
    """

    name: str
    question: str
    instance: Instance
    origin: Origin
    provenance: str
    licence: str
    outcomes: tuple[FloatArray, ...] | None = None

    def __repr__(self) -> str:
        return brief(self)

    def _repr_html_(self) -> str:
        """The question, the decisions, the range of the mean rewards and the source as a table, for notebooks."""
        source = {"Means": self.origin, "Source": self.provenance, "Licence": self.licence}
        facts = {"Question": self.question} | dict(self.instance.facts()) | source
        return html_block(self.instance.name, html_facts(facts.items()))

    def __post_init__(self) -> None:
        for log in self.outcomes or ():
            log.setflags(write=False)

    @property
    def family(self) -> str:
        """One of :data:`semibandits.instances.FAMILIES`."""
        return self.instance.family

    @property
    def decision_set(self) -> DecisionSet:
        """The set X of decisions."""
        return self.instance.decision_set

    @property
    def theta(self) -> FloatArray:
        """Mean reward of each item, shape (d,), in `unit`; costs and delays are negative."""
        return self.instance.theta

    @property
    def costs(self) -> FloatArray:
        """Mean cost of each item, shape (d,), in `unit`: minus `theta`."""
        return negated(self.theta)

    @property
    def variance(self) -> FloatArray:
        """Variance of the reward of each item, shape (d,), in `unit` squared."""
        return self.instance.variance

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each item in tables and figures."""
        return self.instance.labels

    @property
    def unit(self) -> str:
        """Unit of the rewards, ``""`` if they have none."""
        return self.instance.unit

    @property
    def features(self) -> Mapping[str, Sequence[Any]] | None:
        """What is known of the items, d values by name, as ``features=`` takes them; None if nothing more than their labels."""
        return self.instance.features

    @property
    def positions(self) -> Mapping[Hashable, tuple[float, float]] | None:
        """Positions of the nodes of a graph, (longitude, latitude) if ``instance.geographic``, or None."""
        return self.instance.positions

    def rewards(self) -> GaussianRewards:
        """Independent Gaussian rewards with the means and variances of the instance: C(theta) ln T is their bound."""
        return GaussianRewards(self.theta, variance=self.variance)

    def replay(self, *, variance: ArrayLike | None = None) -> ReplayedRewards:
        """Rewards resampled from the observed outcomes of each item. They keep the tails of the data; no bound is known.

        Parameters
        ----------
        variance : array_like of float, scalar or shape (d,), optional
            The variance that policies receive, > 0; by default that of the instance.

        Raises
        ------
        UnsupportedError
            If the dataset has no observed outcomes.
        InvalidInputError
            If `variance` has the wrong shape or is not positive.
        """
        if self.outcomes is None:
            raise UnsupportedError(
                f"replay needs observed outcomes, got the dataset {self.name}, which has none ({self.origin} means): "
                "use rewards(), or a dataset that has outcomes"
            )
        return ReplayedRewards(list(self.outcomes), variance=self.variance if variance is None else variance)
