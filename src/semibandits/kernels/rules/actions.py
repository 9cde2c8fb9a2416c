"""What a rule can ask for."""

PLAY, LINEAR, INDEX, REPLAN = 1, 2, 3, 4
"""An exception inside a pointer comes back as 0, which is none of these."""
LINEAR_FIRST, GAIN_FIRST = 5, 6
"""Actions after which the rule is called again, with the result in x.

``LINEAR_FIRST`` maximizes like ``LINEAR``. ``GAIN_FIRST`` searches for a decision with a larger index than the base, a decision
of largest reward without bonuses, which the rule writes into x. The result is the base if no decision has a larger index;
otherwise it is a decision with a gain, at least ``ENOUGH`` times the largest one if such a decision is found quickly.

The next three places are reserved in rules that use these actions. ``memory[HINT]`` keeps the best multiplier between searches,
and ``rows[GUESS]`` is a candidate decision."""
ENOUGH = 0.9
HINT, GUESS = 0, 0
WAITING = 0
"""Place in `marks` where a rule that asks first keeps what it waits for: 0 between rounds, and if a question finds no answer."""
RATIO = 0
"""Place in `params` of the ratio of P_IM, for rules that answer ``INDEX`` or ``GAIN_FIRST``."""
LOG, LOGLOG = 1, 2
"""Places in `params` of the coefficients of f(t) = a ln t + b ln ln t, for rules that have an f(t)."""
