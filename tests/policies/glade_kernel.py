"""The kernel of GLADE alone, with oracles that use a list of decisions."""

import numpy as np

from semibandits.kernels.rules.actions import GAIN_FIRST, LINEAR_FIRST, PLAY
from semibandits.kernels.rules.glade import HEAD, glade
from semibandits.kernels.rules.raises import KNOWN


def nothing_decided(policy, decisions):
    """Marks and rows of a player that has decided nothing."""
    d, m = decisions.shape[1], int(decisions.sum(axis=1).max())
    return policy.memory(d, m)[1], np.zeros((policy.kept, d), dtype=np.bool_)


def decide(decisions, stats, t, params, marks, rows):
    """The decision of the kernel; of several best decisions, the oracle returns the first."""
    d = stats.shape[1]
    memory, weights, bonuses, x = (
        np.zeros(HEAD + (2 + KNOWN) * d),
        np.zeros(d),
        np.zeros(d),
        np.zeros(d, dtype=np.bool_),
    )
    for _ in range(8):
        action = glade(t, params, stats, np.zeros(0), memory, marks, rows, weights, bonuses, x)
        if action == PLAY:
            return x
        assert action in (LINEAR_FIRST, GAIN_FIRST)
        sums = decisions @ weights
        x[:] = decisions[np.argmax(sums + np.sqrt(decisions @ bonuses) if action != LINEAR_FIRST else sums)]
    raise AssertionError("more questions than there can be")
