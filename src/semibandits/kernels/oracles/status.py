"""What oracles return."""

ANSWERED = 1
"""There is an answer in x. Anything else says that there is none: an exception inside a pointer comes back as 0."""
UNANSWERED = 0
LARGEST_NUMBER = 1e100
"""Rewards above this, and bonuses above its square, are not searched: their sums and squares might overflow."""
