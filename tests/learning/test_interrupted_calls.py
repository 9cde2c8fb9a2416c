"""Ctrl-C at any line of a call leaves a learner in the state before or after the call."""

import sys
from pathlib import Path

import numpy as np
import pytest

import semibandits as sb
from semibandits.learning import drift, learner, progress
from semibandits.policies import agents, availability

FILES = {str(Path(module.__file__)) for module in (learner, progress, drift, agents, availability)}


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line run in FILES."""

    def __init__(self, n):
        self.left = n

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


def interrupted(call, n):
    """Whether the call is interrupted at its n-th line; False if it has fewer."""
    sys.settrace(Interrupter(n))
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def begun(policy):
    """State of a learner with observed items and the open rounds 4 and 5."""
    made = sb.Learner(sb.MSets(6, 2), policy, variance=0.5, seed=3, drift_error=0.5)
    for k in range(4):
        made.tell(made.ask().id, np.array([0.1 * k, -0.2]))
    made.ask([0, 1, 3, 4])
    made.ask()
    return made.state()


CALLS = {
    "ask": lambda made: made.ask(),
    "ask for three": lambda made: made.ask_many(3),
    "ask for some": lambda made: made.ask([0, 1, 3, 4]),
    "ask for some others": lambda made: made.ask([1, 2, 3, 4, 5]),
    "tell": lambda made: made.tell(4, np.array([0.7, 0.3])),
    "tell a part": lambda made: made.tell(4, np.array([np.nan, 0.3]), partial=True),
    "forget": lambda made: made.forget(5),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("policy", [sb.GLADE(), sb.ThompsonSampling()], ids=lambda policy: policy.name)
def test_a_call_is_done_or_not_done(policy, call):
    before = begun(policy)
    whole = sb.Learner.from_state(before)
    call(whole)
    after, lines = whole.state(), 0
    while True:
        made = sb.Learner.from_state(before)
        if not interrupted(lambda: call(made), lines + 1):  # noqa: B023 (called at once)
            break
        lines += 1
        assert made.state() in (before, after), f"at line {lines} of the call"
    assert lines > 8
