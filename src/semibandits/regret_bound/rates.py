"""Rates that single items need, for any law."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.laws import Law
from semibandits.regret_bound.raises import out_of_reach, room

ROOM = 0.9
"""Share of the room that a raise takes at most in a first guess."""
LAST_DIGITS = 4.0 * float(np.finfo(np.float64).eps)
"""What gaps, and differences from an end of their range, may be off by, relatively."""
ROUNDING = 1e-12
"""What divergences and sums of products may be off by, relatively."""


def first_rates(law: Law, theta: FloatArray, gaps: FloatArray) -> FloatArray:
    """About the least rates that items of a reach above 0 may need: positive also where they cannot close the gap alone."""
    inverse: FloatArray = 1.0 / law.divergence(theta, np.minimum(gaps, ROOM * room(law, theta)))
    return inverse


def rates_alone(law: Law, theta: FloatArray, gaps: FloatArray) -> FloatArray:
    """The rates that constraints on single items ask for, rounded up: ``1/d(theta, theta + gap)``, 0 if that is out of reach.

    What is left of the reach may have few digits: the gap is rounded down first.
    """
    return np.where(out_of_reach(law.reach(theta), gaps, law.margin(theta)), 0.0, _inverse(law, theta, gaps))


def rates_shared(law: Law, theta: FloatArray, gaps: FloatArray, count: int) -> FloatArray:
    """Rates that are enough whichever items rise together, at most `count` of them: ``1/d(theta, theta + gap/count)``.

    Raises that add up to a gap raise one of them by gap/count at least. No margin: several items that are just out of reach of
    their shares may together be within reach of the gap.
    """
    return _inverse(law, theta, gaps * ((1.0 - ROUNDING) / max(count, 1)))


def _inverse(law: Law, theta: FloatArray, gaps: FloatArray) -> FloatArray:
    """One over the divergence, rounded up; 0 out of reach."""
    with np.errstate(divide="ignore"):
        needed = (1.0 + law.rounding) / law.divergence(theta, gaps * (1.0 - doubt_of_gaps(law, theta)))
    return np.where(gaps < law.reach(theta), needed, 0.0)


def doubt_of_gaps(law: Law, theta: FloatArray) -> FloatArray:
    """What a rounded gap may change of the divergence: nothing to speak of where there is no end of the reach to be near to."""
    return np.where(np.isfinite(law.reach(theta)), LAST_DIGITS, 0.0)
