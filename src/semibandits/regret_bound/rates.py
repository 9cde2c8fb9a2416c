"""Rates that constraints require of single items, for any law."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.laws import Law
from semibandits.regret_bound.raises import out_of_reach, room

ROOM = 0.9
"""Largest share of the room that a raise uses in a first guess."""
LAST_DIGITS = 4.0 * float(np.finfo(np.float64).eps)
"""Bound on the relative error of gaps, and of differences from an end of the range of means."""
ROUNDING = 1e-12
"""Bound on the relative error of divergences and sums of products."""


def first_rates(law: Law, theta: FloatArray, gaps: FloatArray) -> FloatArray:
    """Approximate least rates of items with a reach above 0; positive even if an item cannot close its gap alone."""
    return 1.0 / law.divergence(theta, np.minimum(gaps, ROOM * room(law, theta)))


def rates_alone(law: Law, theta: FloatArray, gaps: FloatArray) -> FloatArray:
    """Rates that constraints on single items require, rounded up: ``1/d(theta, theta + gap)``, or 0 if the gap is out of reach.

    The difference between reach and gap may have few correct digits, so the gap is rounded down first.
    """
    return np.where(out_of_reach(law.reach(theta), gaps, law.margin(theta)), 0.0, _inverse(law, theta, gaps))


def rates_shared(law: Law, theta: FloatArray, gaps: FloatArray, count: int) -> FloatArray:
    """Rates that are enough if any set of at most `count` items rises together: ``1/d(theta, theta + gap/count)``.

    If raises add up to a gap, at least one of them is gap/count or more. The margin of the law is not applied: items that are
    just out of reach of their shares may reach the gap together.
    """
    return _inverse(law, theta, gaps * ((1.0 - ROUNDING) / max(count, 1)))


def _inverse(law: Law, theta: FloatArray, gaps: FloatArray) -> FloatArray:
    """One over the divergence, rounded up; 0 out of reach."""
    with np.errstate(divide="ignore"):
        needed = (1.0 + law.rounding) / law.divergence(theta, gaps * (1.0 - gap_rounding(law, theta)))
    return np.where(gaps < law.reach(theta), needed, 0.0)


def gap_rounding(law: Law, theta: FloatArray) -> FloatArray:
    """Relative error of gaps to allow for in divergences; 0 for unlimited reach, where it is negligible."""
    return np.where(np.isfinite(law.reach(theta)), LAST_DIGITS, 0.0)
