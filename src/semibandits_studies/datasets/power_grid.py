"""Radial operation of a distribution grid: spanning trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits.instances import instance_from_description
from semibandits_studies.datasets._tables import bundled_table
from semibandits_studies.datasets.base import Dataset

_PROVENANCE: Final = (
    "the 33-bus feeder of Baran and Wu, Network Reconfiguration in Distribution Systems for Loss Reduction and Load Balancing, "
    "IEEE Transactions on Power Delivery 4, 1989; lines and loads as in the Python package pandapower 3.5.6 (case33bw)"
)
_LICENCE: Final = (
    "BSD 3-Clause: the package pandapower, copyright of the University of Kassel, the Fraunhofer Institute IEE and contributors"
)


@dataclass(frozen=True)
class LossModel:
    """Energy loss of a closed line in an hour, if all closed lines carry the same current.

    A three-phase line of resistance R ohm that carries I ampere on each phase loses ``3 I**2 R`` watt. If the current varies
    from hour to hour, the loss of an hour has, in kWh and kWh squared,

    ``mean = 3 current**2 R / 1000`` and ``variance = (spread * mean) ** 2``.

    Everything here is **modelled, not measured**. In a real grid the current of a line depends on all loads behind it, so the
    total loss is not a sum over lines. Equal currents make it a sum; the result is a test problem, not a planning tool. 60 A
    is a round number near the 57 A at which the usual tree of this grid (Baran and Wu 1989) loses the 203 kW that a load flow
    computes. The best tree of this model loses 206 kW in a load flow, the best known tree 140 kW. A current that varies by 15 %
    has a square that varies by about 30 %.

    Parameters
    ----------
    current : float
        Current of every closed line, A, > 0.
    spread : float
        Standard deviation of the loss of an hour, as a share of its mean, > 0.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range.

    Examples
    --------
    >>> model = sb.datasets.LossModel(current=60.0, spread=0.3)
    >>> round(model.mean(0.5), 2)  # kWh that a line of 0.5 ohm loses in an hour
    5.4
    >>> round(model.variance(0.5) ** 0.5, 2)  # standard deviation in kWh
    1.62
    """

    current: float = 60.0
    spread: float = 0.3

    def __post_init__(self) -> None:
        if not 0 < self.current < float("inf"):
            raise InvalidInputError(f"current must be positive, got {self.current}: without current there are no losses")
        if not 0 < self.spread < float("inf"):
            raise InvalidInputError(f"spread must be positive, got {self.spread}: it is the only noise of a line")

    def mean(self, ohm: float) -> float:
        """Mean loss of a line of `ohm` ohm, kWh an hour."""
        return 3.0 * self.current**2 * ohm / 1000.0

    def variance(self, ohm: float) -> float:
        """Variance of the loss of an hour of a line of `ohm` ohm, kWh squared."""
        return (self.spread * self.mean(ohm)) ** 2


def radial(*, model: LossModel | None = None) -> Dataset:
    """The 32 lines to close in a grid of 33 buses and 37 lines: 50,751 spanning trees.

    Distribution grids are operated as trees, so that a fault is fed from one side only. The reward of a closed line is minus its
    loss in an hour under `model`.
    """
    model = model or LossModel()
    table = bundled_table("power_grid")
    lines = table["lines"]
    return Dataset(
        name="power-grid",
        question=f"Which {len(table['buses']) - 1} of the {len(lines)} lines of a power grid should be closed, so that every "
        "bus is fed in one way and little energy is lost?",
        instance=instance_from_description(
            {
                "family": "trees",
                "name": f"Power grid of {len(table['buses'])} buses, lines to close",
                "unit": "kWh",
                "note": f"Losses of an hour are modelled, not measured: 3 · ({model.current:g} A)² · R in every closed line, "
                f"as if all carried the same current, with a standard deviation of {model.spread:.0%}. "
                f"Bus {table['substation']} is the substation.",
                "edges": [[str(u), str(v)] for u, v, *_ in lines],
                "items": [f"{u} – {v}{' (normally open)' if tie else ''}" for u, v, _, _, tie in lines],
                "theta": [-model.mean(ohm) for _, _, ohm, *_ in lines],
                "variance": [model.variance(ohm) for _, _, ohm, *_ in lines],
                "positions": {str(bus): [x, y] for bus, x, y, *_ in table["buses"]},
            }
        ),
        origin="modelled",
        provenance=_PROVENANCE,
        licence=_LICENCE,
    )
