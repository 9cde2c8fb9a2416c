"""Time until Ctrl-C takes effect: signals at random moments of a learner, a simulation, a study and a bound.

    python verification/interrupts.py [--moments 50] [--seed 0]

Each operation runs in a separate process, receives SIGINT at a random moment, and must end with exit code 130
and one line on stderr. The measured time is from the signal to the end of the process; for a learner and for a search in
Python, to the ``KeyboardInterrupt``. Run ``semibandits compile`` before: a single step of the compiler may take a
second.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""A process that goes on for longer after its signal is killed, an error."""
LONGEST_START = 4.0
"""Signals are sent within this number of seconds after the start."""

LEARNER = """
import sys, numpy as np, semibandits as sb
n = 20
edges = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
edges += [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]
space = sb.Paths(edges, (0, 0), (n - 1, n - 1))
theta = np.random.default_rng(0).random(space.d)
learner = sb.Learner(space, sb.ESCB(), variance=0.25, seed=0)
print("ready", flush=True)
try:
    while True:
        asked = learner.ask()
        learner.tell(asked.id, theta[asked.items])
except KeyboardInterrupt:
    print("heard", flush=True)
    if learner.open_rounds:
        learner.tell(learner.open_rounds[0].id, theta[learner.open_rounds[0].items])
    learner.ask()
    sys.exit(130)
"""
BUDGET = """
import sys, numpy as np, semibandits as sb
space = sb.Matchings([(i, j) for i in range(40) for j in range(40)])
rewards = np.random.default_rng(0).random(space.d) + 1
budgets = 2.2 - rewards + 1e-3 * np.random.default_rng(1).random(space.d)
need = (budgets @ space.maximize(budgets) + budgets @ space.maximize(rewards)) / 2
print("ready", flush=True)
try:
    space.maximize_budgeted(rewards, budgets, need)
except KeyboardInterrupt:
    print("heard", flush=True)
    sys.exit(130)
"""
PROGRAM = "from semibandits_cli import main; main()"
STUDY = """
[problem]
network = "germany50"
source = "Aachen"
target = "Passau"

[simulation]
policies = ["GLADE", "ThompsonSampling", "OSSB"]
horizon = 1000000
replications = 100
"""


def operations(folder: Path) -> dict[str, list[str]]:
    """Command lines after the interpreter; each would run for minutes."""
    study = folder / "study.toml"
    study.write_text(STUDY)
    grid = folder / "grid.csv"
    n, draw = 30, random.Random(0)
    lines = ["tail,head,theta"]
    for i in range(n):
        for j in range(n):
            lines += [f"{i}-{j},{i + 1}-{j},{draw.random()}"] * (i + 1 < n) + [f"{i}-{j},{i}-{j + 1},{draw.random()}"] * (
                j + 1 < n
            )
    grid.write_text("\n".join(lines) + "\n")
    paths = [str(grid), "--source", "0-0", "--target", f"{n - 1}-{n - 1}"]
    simulate = [PROGRAM, "simulate", *paths, "--minimize"]
    return {
        "learner": [LEARNER],
        "budget": [BUDGET],
        "simulate": [*simulate, "-T", "1e6", "-n", "100"],
        "simulate-2": [*simulate, "-p", "GLADE", "-p", "CUCB", "-T", "1e6", "-n", "100", "-j", "2", "-o", "FOLDER"],
        "run": [PROGRAM, "run", str(study), "-o", "FOLDER"],
        "bound": [PROGRAM, "bound", *paths, "--rewards", "bernoulli", "--gap", "1e-9"],
    }


def interrupted_after(arguments: list[str], wait: float, *, group: bool) -> tuple[float, int, str]:
    """Seconds from the signal to the end, exit code, and stderr."""
    process = subprocess.Popen(
        [sys.executable, "-c", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    if "semibandits_cli" not in arguments[0]:
        assert process.stdout is not None
        process.stdout.readline()
    time.sleep(wait)
    sent, seconds = time.perf_counter(), 0.0
    if process.poll() is not None:
        return 0.0, process.returncode, "over before: " + process.communicate()[1]
    if group:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    if process.stdout is not None and "semibandits_cli" not in arguments[0]:
        process.stdout.readline()
        seconds = time.perf_counter() - sent
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    seconds = seconds or time.perf_counter() - sent
    return seconds, process.returncode, process.communicate()[1]


def main() -> int:
    """Measure, print the times, and return 1 if any was too late."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    late = 0
    with tempfile.TemporaryDirectory() as name:
        kinds = {k: v for k, v in operations(Path(name)).items() if options.only in k}
        everything: dict[str, list[float]] = {kind: [] for kind in kinds}
        for moment in range(options.moments):
            kind = list(kinds)[moment % len(kinds)]
            arguments = [str(Path(name) / f"run{moment}") if a == "FOLDER" else a for a in kinds[kind]]
            wait, group = draw.uniform(0.05, LONGEST_START), draw.random() < 0.5
            seconds, code, text = interrupted_after(arguments, wait, group=group)
            everything[kind].append(seconds)
            note = "" if code == 130 and "Traceback" not in text and seconds <= LIMIT_SECONDS else f"  <- {text[-1500:]}"
            late += bool(note)
            print(
                f"{kind:12} after {wait:.2f} s{' (group)' if group else '':8}: {seconds:.3f} s, exit code {code}{note}",
                flush=True,
            )
    for kind, values in everything.items():
        if values:
            values.sort()
            print(f"{kind:12} median {values[len(values) // 2]:.3f} s, largest {values[-1]:.3f} s of {len(values)}")
    print(f"{late} of {options.moments} took more than {LIMIT_SECONDS} s or had another exit code than 130")
    return min(late, 1)


if __name__ == "__main__":
    sys.exit(main())
