"""Limits of the search by labels over paths and m-sets."""

from __future__ import annotations

from semibandits.errors import SolverError

MAX_LABELS = 10_000_000
"""Largest number of labels of partial decisions; each takes 32 bytes."""
SMALLEST_RATIO = 1e-6
"""Smaller ratios are raised to this one, since their powers might overflow."""


def too_many_labels(limit: int, what: str, remedy: str) -> SolverError:
    """Error for a search that would need more labels."""
    return SolverError(
        f"the search is limited to {limit:,} labels of partial {what}, got more: {remedy}, "
        "or round rewards and budgets to fewer digits"
    )
