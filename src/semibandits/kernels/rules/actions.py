"""What a rule can ask for."""

PLAY, LINEAR, INDEX, REPLAN = 1, 2, 3, 4
"""An exception inside a pointer comes back as 0, which is none of these."""
LINEAR_FIRST, GAIN_FIRST = 5, 6
"""The answer is not played: the rule is called again, with the answer in x.

``LINEAR_FIRST`` asks what ``LINEAR`` asks. ``GAIN_FIRST`` asks whether any decision has a larger index than the base. The rule
writes the base into x: a decision of largest reward whose items have no bonus. If no decision has a larger index, the answer is
the base. Otherwise it is one that has; where such a one is soon found, its gain is at least ``ENOUGH`` times the largest.

The next three places are reserved for rules that ask first; others may use them as they like. ``memory[HINT]`` keeps the best
multiplier from one search to the next, ``rows[GUESS]`` is a decision that may gain."""
ENOUGH = 0.9
HINT, GUESS = 0, 0
WAITING = 0
"""Place in `marks` where a rule that asks first keeps what it waits for: 0 between rounds, and if a question finds no answer."""
RATIO = 0
"""Place in `params` of the ratio of P_IM, for rules that answer ``INDEX`` or ``GAIN_FIRST``."""
LOG, LOGLOG = 1, 2
"""Places in `params` of the coefficients of f(t) = a ln t + b ln ln t, for rules that have an f(t)."""
