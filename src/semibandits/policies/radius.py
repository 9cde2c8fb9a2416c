"""Confidence radii."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import number_in

LARGEST_COEFFICIENT: Final = 1e6


@dataclass(frozen=True)
class Radius:
    """Confidence f(t) = log ln t + (loglog + loglog_per_item m) ln ln t of round t, for decisions of at most m items.

    The radius of an item played n times is ``sqrt(2 sigma^2 f(t) / n)``, with sigma^2 the variance of its rewards; that of a
    decision x is ``sqrt(sum of 2 sigma_i^2 f(t) / n_i)``. The second term of f is added from round 3 on.

    Parameters
    ----------
    log, loglog, loglog_per_item : float
        The coefficients, from 0 to 1e6.

    Raises
    ------
    InvalidInputError
        If a coefficient is out of range or not a number.

    Notes
    -----
    The names that policies accept: "log" is ``Radius()``, as in Cuvelier, Combes, Gourdin (2021); "log-loglog" is
    ``Radius(loglog_per_item=4.0)``, as in Combes, Talebi, Proutiere, Lelarge (2015, Theorem 3); "kveton" is ``Radius(log=3.0)``,
    as in Kveton, Wen, Ashkan, Szepesvári (2015).

    Examples
    --------
    >>> radius = sb.Radius(log=1.0, loglog_per_item=4.0)
    >>> radius.coefficients(m=3)  # of ln t and ln ln t, for decisions of three items
    (1.0, 12.0)
    >>> sb.ESCB(radius=radius) == sb.ESCB(radius="log-loglog")
    True
    >>> cautious = sb.CUCB(radius=sb.Radius(log=2.0))  # 2 ln t
    """

    log: float = 1.0
    loglog: float = 0.0
    loglog_per_item: float = 0.0

    def __post_init__(self) -> None:
        for name in ("log", "loglog", "loglog_per_item"):
            value = number_in(getattr(self, name), name, 0.0, LARGEST_COEFFICIENT, "1 is the usual ln t")
            object.__setattr__(self, name, value)

    def coefficients(self, m: int) -> tuple[float, float]:
        """Coefficients of ln t and ln ln t for decisions of at most m items."""
        return self.log, self.loglog + self.loglog_per_item * m


RADII: Final = {"log": Radius(), "log-loglog": Radius(loglog_per_item=4.0), "kveton": Radius(log=3.0)}
"""f(t) = ln t, as in the paper; ln t + 4 m ln ln t, for which ESCB's guarantee is proved (Combes et al. 2015, Theorem 3); and
3 ln t, which is sqrt(1.5 ln t / n) for rewards in [0, 1], whose variance is at most 1/4 (Kveton et al. 2015)."""


def as_radius(value: str | Radius) -> Radius:
    """A radius from its name; a :class:`Radius` is returned unchanged."""
    if isinstance(value, Radius):
        return value
    if isinstance(value, str) and value in RADII:
        return RADII[value]
    raise InvalidInputError(
        f"radius must be one of {', '.join(map(repr, RADII))} or a Radius, got {value!r}: "
        "pass for instance Radius(log=1.0, loglog=3.0)"
    )
