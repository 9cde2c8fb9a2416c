"""Ctrl-C at random moments ends searches and learners in Python, the program, its imports and workers.

verification/interrupts.py measures how soon; seconds are not asserted here, as other work on the machine can delay all.
"""

import gc
import os
import random
import subprocess
import sys

import numpy as np
import pytest

import semibandits as sb
from example_sets import grid, matching
from verification_scripts import script


def opposed(space):
    """Rewards and budgets that are rarely large together."""
    rng = np.random.default_rng(0)
    rewards = rng.random(space.d) + 1
    return rewards, 2.2 - rewards + 1e-3 * rng.random(space.d)


def budgeted(space):
    rewards, budgets = opposed(space)
    least = (budgets @ space.maximize(budgets) + budgets @ space.maximize(rewards)) / 2
    return lambda: space.maximize_budgeted(rewards, budgets, least)


def learner():
    space = grid(8, diagonals=False)
    theta = np.random.default_rng(0).random(space.d)
    agent = sb.Learner(space, sb.ESCB(), variance=0.25, seed=0)

    def play():
        while True:
            asked = agent.ask()
            agent.tell(asked.id, theta[asked.items])

    return play


def simulation():
    space = grid(6, diagonals=False)
    environment = sb.GaussianRewards(np.random.default_rng(0).random(space.d))
    return lambda: sb.simulate(space, environment, [sb.ThompsonSampling(), sb.CUCB()], 10**8, 1, bound=False)


def bound(**options):
    space = grid(20, diagonals=False)
    theta = np.random.default_rng(0).uniform(0.05, 0.95, space.d)

    def solve():
        while True:
            sb.graves_lai(space, theta, throw=False, gap=1e-9, **options)

    return solve


def repeated(action):
    def act():
        while True:
            action()

    return act


def intersection(d):
    groups = [np.random.default_rng(k).integers(0, d // 10, d).tolist() for k in (1, 2)]
    return sb.MatroidIntersection(*(sb.matroids.Partition(group, 1) for group in groups))


SMALL = {
    "matchings": lambda: budgeted(matching(6)),
    "m-sets": lambda: budgeted(sb.MSets(60, 20)),
    "paths": lambda: budgeted(grid(6, diagonals=False)),
    "intersections": lambda: budgeted(intersection(30)),
}
OPERATIONS = {
    "matchings": lambda: budgeted(matching(40)),
    "m-sets": lambda: repeated(budgeted(sb.MSets(300, 100))),
    "paths": lambda: repeated(budgeted(grid(40, diagonals=False))),
    "intersections": lambda: budgeted(intersection(200)),
    "learner": learner,
    "simulation": simulation,
    "bound": bound,
    "bernoulli": lambda: bound(rewards="bernoulli"),
}


def warm(name):
    """Compile the kernels of the operation by small problems of the same kind."""
    if name == "learner":
        agent = sb.Learner(grid(3, diagonals=False), sb.ESCB(), variance=0.25, seed=0)
        for _ in range(20):
            asked = agent.ask()
            agent.tell(asked.id, np.zeros(len(asked.items)))
    elif name == "simulation":
        sb.simulate(
            grid(3, diagonals=False),
            sb.GaussianRewards(np.arange(12.0)),
            [sb.ThompsonSampling(), sb.CUCB()],
            50,
            1,
            bound=False,
        )
    elif name in ("bound", "bernoulli"):
        space, rng = grid(8, diagonals=False), np.random.default_rng(0)
        sb.graves_lai(space, rng.uniform(0.05, 0.95, space.d), rewards="gaussian" if name == "bound" else name)
    else:
        SMALL[name]()()


PRESS = """
import os, signal, sys, time
time.sleep(float(sys.argv[2]))
os.kill(int(sys.argv[1]), signal.SIGINT)
"""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # lost exceptions are raised again
@pytest.mark.parametrize("name", OPERATIONS)
def test_python_hears_ctrl_c(name):
    """The operations are endless, or last for minutes; a process presses, as a thread could not while a kernel runs."""
    action, draw = OPERATIONS[name](), random.Random(name)
    warm(name)
    gc.collect()  # Python loses a Ctrl-C that arrives while it finalises what other tests have left
    for _ in range(8 if name == "learner" else 2):
        command = [sys.executable, "-I", "-S", "-c", PRESS, str(os.getpid()), str(draw.uniform(0.0, 0.5))]
        with pytest.raises(KeyboardInterrupt), subprocess.Popen(command):
            action()


@pytest.mark.parametrize(("kind", "wait"), [("simulate-2", 0.2), ("simulate-2", 2.5), ("run", 3.0), ("bound", 2.5)])
def test_the_program_ends_with_one_line(tmp_path, kind, wait):
    interrupts = script("interrupts")
    arguments = interrupts.operations(tmp_path)[kind]
    if wait > 1.0:  # compile first
        command = [sys.executable, "-c", interrupts.PROGRAM, *interrupts.short(arguments[1:])]
        subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    words = [str(tmp_path / "out") if word == "FOLDER" else word for word in arguments]
    _, code, text = interrupts.interrupted_after(words, wait, group=kind != "run")
    assert (code, len(text.splitlines())) == (130, 1), text
