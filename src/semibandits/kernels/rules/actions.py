"""What a rule can ask for."""

PLAY, LINEAR, INDEX, REPLAN = 1, 2, 3, 4
"""An exception inside a pointer comes back as 0, which is none of these."""
LINEAR_FIRST, GAIN_FIRST = 5, 6
"""The answer is not played: the rule is asked again, with the answer in x.

``LINEAR_FIRST`` asks what ``LINEAR`` asks. ``GAIN_FIRST`` asks whether any decision has a larger index than the base, which the
rule leaves in x: a decision of largest reward whose items have no bonus. It gets the base back if none has, else a decision
with a gain, ``ENOUGH`` of the largest one where that is soon found. ``memory[HINT]`` keeps the best multiplier from one such
question to the next, and ``rows[GUESS]`` is a decision that may gain."""
ENOUGH = 0.9
HINT, GUESS = 0, 0
WAITING = 0
"""Place in `marks` where a rule that asks first keeps what it waits for: 0 between rounds, and if a question finds no answer."""
RATIO = 0
"""Place in `params` of the ratio of P_IM."""
LOG, LOGLOG = 1, 2
"""Places in `params` of the coefficients of f(t) = a ln t + b ln ln t."""
