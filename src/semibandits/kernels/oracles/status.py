"""Statuses of oracles."""

ANSWERED = 1
"""x contains an answer. Any other number means failure: an exception inside a function pointer returns 0."""
UNANSWERED = 0
LARGEST_NUMBER = 1e100
"""Rewards above this, and bonuses above its square, are rejected: their sums and squares might overflow."""
