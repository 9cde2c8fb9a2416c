"""Modelled delays of network links."""

from __future__ import annotations

from dataclasses import dataclass

from semibandits.errors import InvalidInputError


@dataclass(frozen=True)
class DelayModel:
    """Delay of a packet on one link: propagation in glass, plus the time in an M/M/1 queue (Kleinrock 1975).

    A link of length L km with load rho delays a packet by ``L / speed + Q`` ms, where Q, waiting and transmission
    together, is exponential with mean ``service / (1 - rho)``. Hence, in ms and ms squared,

    ``mean = L / speed + service / (1 - rho)`` and ``variance = (service / (1 - rho)) ** 2``.

    The load is ``rho = peak_load * utilisation / 100`` with the utilisation of the link in percent of that of the
    busiest link of the network. Everything here is **modelled, not measured**: lengths are great-circle distances,
    utilisation is computed from the traffic demands that come with the network (shortest paths, equal splits), and
    `service` and `peak_load` are round numbers, chosen so that queueing matters as well as propagation.

    Parameters
    ----------
    speed : float
        Speed of light in glass, km per ms.
    service : float
        Mean time to transmit a packet, ms, > 0; 0.25 is 1,500 bytes at 48 Mbit/s.
    peak_load : float
        Load of the busiest link, in [0, 1).

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range.

    Examples
    --------
    >>> model = sb.datasets.DelayModel()
    >>> km, utilisation = 200.0, 50.0  # half the load of the busiest link
    >>> print(f"{model.propagation(km):.2f} ms in glass, {model.mean(km, utilisation):.2f} ms with the queue")
    1.00 ms in glass, 1.42 ms with the queue
    >>> print(f"variance {model.variance(utilisation):.3f} ms squared")
    variance 0.174 ms squared
    """

    speed: float = 200.0
    service: float = 0.25
    peak_load: float = 0.8

    def __post_init__(self) -> None:
        if not 0 < self.speed < float("inf"):
            raise InvalidInputError(f"speed must be positive, got {self.speed}: light in glass has 200 km per ms")
        if not 0 < self.service < float("inf"):
            raise InvalidInputError(f"service must be positive, got {self.service}: it is the only noise of a link")
        if not 0 <= self.peak_load < 1:
            raise InvalidInputError(f"peak_load must lie in [0, 1), got {self.peak_load}: a full queue never empties")

    def propagation(self, km: float) -> float:
        """Propagation time on the link in ms."""
        return km / self.speed

    def mean(self, km: float, utilisation: float) -> float:
        """Mean delay of a link of `km` km, `utilisation` in percent of the busiest link, in ms."""
        return self.propagation(km) + self._sojourn(utilisation)

    def variance(self, utilisation: float) -> float:
        """Variance of the delay of a link, `utilisation` in percent of the busiest link, in ms squared."""
        return self._sojourn(utilisation) ** 2

    def _sojourn(self, utilisation: float) -> float:
        return self.service / (1.0 - self.peak_load * utilisation / 100.0)


def note_on_delays(model: DelayModel) -> str:
    """The note of instances whose means and variances are those of the model."""
    return (
        f"Delays are modelled, not measured: km / {model.speed:g} plus an M/M/1 queue with {model.service:g} ms of service and "
        f"a load of {model.peak_load:.0%} on the busiest link."
    )
