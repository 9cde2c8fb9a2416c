"""Ctrl-C ends searches, learners, simulations and bounds at whichever check hears it, and the program with one line.

It is pressed at chosen checks of kernels and where chosen functions return. verification/interrupts.py and
verification/interrupted_learners.py press at random moments, while kernels run compiled.
"""

import os
import signal
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import semibandits as sb
from example_sets import grid, matching
from marks import later
from semibandits.kernels.machine import signals, tiers

SPARSE = [import_module(f"semibandits.kernels.{name}") for name in ("search.labels", "rounds", "solver.separation")]
"""These check once in thousands of steps."""


def budgeted(space):
    """Rewards and budgets that are rarely large together."""
    rng = np.random.default_rng(0)
    rewards = rng.random(space.d) + 1
    budgets = 2.2 - rewards + 1e-3 * rng.random(space.d)
    least = (budgets @ space.maximize(budgets) + budgets @ space.maximize(rewards)) / 2
    return lambda: space.maximize_budgeted(rewards, budgets, least)


def learner():
    agent, theta = sb.Learner(grid(4), sb.ESCB(), variance=0.25, seed=0), np.linspace(0, 1, grid(4).d)

    def play():
        for _ in range(20):
            asked = agent.ask()
            agent.tell(asked.id, theta[asked.items])

    return play


def simulation():
    environment, policies = sb.GaussianRewards(np.linspace(0, 1, grid(3).d)), [sb.ThompsonSampling(), sb.CUCB()]
    return lambda: sb.simulate(grid(3), environment, policies, 200, 1, bound=False, n_jobs=1)


def bound(**options):
    theta = np.random.default_rng(0).uniform(0.05, 0.95, grid(5).d)
    return lambda: sb.graves_lai(grid(5), theta, **options)


OPERATIONS = {
    "matchings": lambda: budgeted(matching(5)),
    "m-sets": lambda: budgeted(sb.MSets(14, 5)),
    "paths": lambda: budgeted(grid(5)),
    "learner": learner,
    "simulation": simulation,
    "bound": bound,
    "bernoulli": lambda: bound(rewards="bernoulli", gap=0.5),
}


def check_operation(make):
    """Count the checks of an operation, and press at the first one and in the middle."""
    checks, press_at = 0, 0

    def pressed_poll():
        nonlocal checks
        checks += 1
        if checks == press_at:
            signal.raise_signal(signal.SIGINT)
        tiers.poll()

    signals.poll = pressed_poll
    make()()
    assert checks >= 3
    for press_at in (1, checks // 2):
        action, checks = make(), 0
        with pytest.raises(KeyboardInterrupt):
            action()
        assert checks == press_at
        action()  # nothing is left of the interrupted call


def test_ctrl_c_is_heard_at_every_check_of_kernels():
    """In a process of its own, where kernels run as Python."""
    environment = {**os.environ, "SEMIBANDITS_TIER": "python"}
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == [*OPERATIONS, ""]


PRESSED = """
import os, signal, sys
_, file, function, left, *sys.argv = sys.argv
left = int(left)
def press(frame, event, argument):
    global left
    code = frame.f_code
    if event == "return" and code.co_name == function and code.co_filename.endswith(file):
        left -= 1
        if left == 0:
            sys.setprofile(None)
            os.killpg(os.getpgrp(), signal.SIGINT)
sys.setprofile(press)
from semibandits_cli import main
main()
"""


SIMULATE = "simulate flights-on-time -p GLADE -p CUCB -T 1e6 -n 100 --no-progress"


@pytest.mark.parametrize(
    ("command", "file", "function", "time"),
    [
        (f"{SIMULATE} -j 2 -o out", "executors.py", "_interrupts_blocked", 2),  # workers have started
        *later((SIMULATE, "numpy/__init__.py", "<module>", 1)),
        *later(("bound germany50-routing --gap 1e-9 --no-progress", "presolve.py", "presolve", 1)),
    ],
)
def test_the_program_ends_with_one_line(tmp_path, monkeypatch, command, file, function, time):
    monkeypatch.setenv("SEMIBANDITS_TIER", "python")
    arguments = [file, function, str(time), "semibandits", *command.split()]
    done = subprocess.run(
        [sys.executable, "-c", PRESSED, *arguments], cwd=tmp_path, capture_output=True, text=True, start_new_session=True
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (130, 1), done.stderr


if __name__ == "__main__":
    for module in SPARSE:
        module.STEPS = 1
    for name, make in OPERATIONS.items():
        check_operation(make)
        print(name)
