"""What a rule can ask for."""

PLAY, LINEAR, INDEX, REPLAN = 1, 2, 3, 4
"""An exception inside a pointer comes back as 0, which is none of these."""
RATIO = 0
"""Place in `params` of the ratio of P_IM."""
LOG, LOGLOG = 1, 2
"""Places in `params` of the coefficients of f(t) = a ln t + b ln ln t."""
