"""Costs where they enter the library; inside, everything is in rewards, which are minus costs."""

from __future__ import annotations

from semibandits._typing import ArrayLike, FloatArray
from semibandits.inputs.labelled import Items
from semibandits.inputs.outcomes import one_of
from semibandits.inputs.validation import item_vector


def negated(values: FloatArray) -> FloatArray:
    """Rewards of costs, and costs of rewards, in a new array; those of 0.0 are 0.0, not -0.0."""
    return 0.0 - values


def item_means(theta: ArrayLike | None, costs: ArrayLike | None, of: Items) -> FloatArray:
    """Mean rewards of shape ``(d,)`` of the items of a decision set, from either mean rewards or mean costs."""
    given, in_costs = one_of(theta, costs, "theta")
    values = item_vector(given, of, "costs" if in_costs else "theta")
    return negated(values) if in_costs else values
