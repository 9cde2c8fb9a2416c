"""The kernel of GLADE alone, with oracles that use a list of decisions."""

import numpy as np
from histories import empty_request

from semibandits.kernels.rules.actions import GAIN_FIRST, LINEAR_FIRST, PLAY
from semibandits.kernels.rules.glade import HEAD, glade
from semibandits.kernels.rules.raises import KNOWN
from semibandits.kernels.rules.records import RuleState


def nothing_decided(policy, decisions):
    """Marks and rows of a player that has decided nothing."""
    d, m = decisions.shape[1], int(decisions.sum(axis=1).max())
    return policy.memory(d, m)[1], np.zeros((policy.kept, d), dtype=np.bool_)


def decide(decisions, stats, t, params, marks, rows):
    """The decision of the kernel; of several best decisions, the oracle returns the first."""
    d = stats.shape[1]
    state = RuleState(params, stats, np.zeros(HEAD + (2 + KNOWN) * d), marks, rows, np.zeros(0))
    weights, bonuses, x = request = empty_request(d)
    for _ in range(8):
        action = glade(t, state, request)
        if action == PLAY:
            return x
        assert action in (LINEAR_FIRST, GAIN_FIRST)
        sums = decisions @ weights
        x[:] = decisions[np.argmax(sums + np.sqrt(decisions @ bonuses) if action != LINEAR_FIRST else sums)]
    raise AssertionError("more questions than there can be")
