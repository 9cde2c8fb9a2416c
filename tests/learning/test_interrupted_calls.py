"""Ctrl-C at any line of a call leaves a learner in the state before or after the call."""

import sys
from pathlib import Path

import numpy as np
import pytest
import test_deferred_plans
import test_drift
import test_half_life

import semibandits as sb
from marks import later
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
    """A learner with observed items and the open rounds 4 and 5."""
    made = sb.Learner(sb.MSets(6, 2), policy, variance=0.5, seed=3, drift_error=0.5)
    for k in range(4):
        made.tell(made.ask().id, np.array([0.1 * k, -0.2]))
    made.ask([0, 1, 3, 4])
    made.ask()
    return made


def with_half_life():
    made = test_half_life.played()
    made.ask()
    return made


def with_a_plan_to_solve():
    made = test_deferred_plans.new()
    test_deferred_plans.play(made, 15)
    return made


CALLS = {
    "ask": lambda made: made.ask(),
    "ask for three": lambda made: made.ask_many(3),
    "ask for some": lambda made: made.ask([0, 1, 3, 4]),
    "ask for some others": lambda made: made.ask([1, 2, 3, 4, 5]),
    "tell": lambda made: made.tell(4, np.array([0.7, 0.3])),
    "tell a part": lambda made: made.tell(4, np.array([np.nan, 0.3]), partial=True),
    "forget": lambda made: made.forget(5),
}
CASES = {
    **{f"GLADE: {name}": (lambda: begun(sb.GLADE()), call) for name, call in CALLS.items()},
    **{f"Thompson: {name}": (lambda: begun(sb.ThompsonSampling()), call) for name, call in CALLS.items()},
    "half-life: ask": (with_half_life, CALLS["ask"]),
    "half-life: ask for some": (with_half_life, lambda made: made.ask(["a", "b", "d"])),
    "half-life: tell": (with_half_life, lambda made: made.tell(40, [1, 2])),
    "drift: tell": (test_drift.jumping, lambda made: made.tell(47, [0.1, 5.0])),
    "plan: ask": (with_a_plan_to_solve, CALLS["ask"]),
    "plan: solve": (with_a_plan_to_solve, lambda made: made.solve_plan()),
}


@pytest.mark.parametrize("step", [3, *later(1)])
@pytest.mark.parametrize("name", CASES)
def test_a_call_is_done_or_not_done(name, step):
    make, call = CASES[name]
    before = make().state()
    whole = sb.Learner.from_state(before)
    call(whole)
    after, line = whole.state(), 1 + list(CASES).index(name) % step  # every third line in the suite, of which calls share many
    while True:
        made = sb.Learner.from_state(before)
        if not interrupted(lambda: call(made), line):  # noqa: B023 (called at once)
            break
        assert made.state() in (before, after), f"at line {line} of the call"
        line += step
    assert line > (40 if name == "drift: tell" else 8)
