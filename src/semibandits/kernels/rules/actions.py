"""Actions of rules."""

PLAY, LINEAR, INDEX, REPLAN = 1, 2, 3, 4
"""An exception inside a function pointer returns 0, which is not an action."""
LINEAR_FIRST, GAIN_FIRST = 5, 6
"""Actions after which the rule is called again, with the result in x.

``LINEAR_FIRST`` maximises like ``LINEAR``. ``GAIN_FIRST`` searches for a decision with a larger index than the base, a decision
of largest reward without bonuses, which the rule writes into x. The result is the base if no decision has a larger index;
otherwise it is a decision with a gain, at least ``ENOUGH`` times the largest one if such a decision is found quickly.

Both reserve ``marks[WAITING]``. ``GAIN_FIRST`` also reserves ``memory[HINT]``, the best multiplier of the last search, and
``rows[GUESS]``, a candidate decision."""
COVER = 7
"""Play the best decision by estimates with the most of the rarest items to be tried, as if these were unseen: the rule writes
their counts into the bonuses, inf for other items. x is played as the rule wrote it if none of them is in any decision, and
always where means have an upper bound, as in `Routes`: no item is tried there for its own sake."""
ENOUGH = 0.9
HINT, GUESS = 0, 0
WAITING = 0
"""Place in `marks` of the answer that a rule with these actions waits for: 0 between rounds, and after a failed request."""
RATIO = 0
"""Place in `params` of the ratio of P_IM, for rules that return ``INDEX`` or ``GAIN_FIRST``."""
LOG, LOGLOG = 1, 2
"""Places in `params` of the coefficients of f(t) = a ln t + b ln ln t, for rules with an f(t)."""
