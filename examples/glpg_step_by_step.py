"""GLPG step by step on the matchings of five rows with five columns, with a figure of how its certificates close.

Usage: python glpg_step_by_step.py [figure.png]     (the figure needs the optional extra "plot")
"""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np

import semibandits as sb


def main(figure: str = "glpg_step_by_step.png") -> None:
    matchings = sb.Matchings(list(itertools.product(range(5), repeat=2)))
    theta = np.random.default_rng(0).random(matchings.d)
    truth = sb.graves_lai(matchings, theta)

    # Steps 0 and 1: the items of I, and the problem in item rates w.
    problem = sb.ReducedProblem.of(matchings, theta)
    print(f"{matchings.count()} decisions, {matchings.d} items, {len(problem.items)} of them in no optimal decision")
    try:
        integers = sb.ReducedProblem.of(matchings, np.rint(5 * theta))
        sb.GLPGParameters.theoretical(integers, delta=1.0)
    except sb.InvalidInputError as refusal:
        print(f"the theorem's parameters for rewards 0 .. 5: {refusal}")

    # Step 2: projected subgradient steps, in stages; bounds are measured at the end of each.
    glpg = sb.GLPG(problem, sb.GLPGParameters(steps=100))
    history = [(0, glpg.lower, glpg.value)]
    start = time.perf_counter()
    while glpg.value - glpg.lower > 0.01 * glpg.value and glpg.stage < glpg.parameters.stages:
        stage = glpg.stage
        step = glpg.step()
        if glpg.steps <= 3:
            chosen = [matchings.items[i] for i in np.flatnonzero(step.decision)]
            print(f"step {step.number}: x = {chosen}, violation {step.violation:+.3f}, penalty {step.penalty:.1f}")
        if glpg.stage > stage:
            history.append((glpg.steps, glpg.lower, glpg.value))
            print(f"after {glpg.steps:>5} steps {glpg.lower:.3f} <= C(theta) <= {glpg.value:.3f}")

    # Step 3: from rates to decisions, and the proof of both bounds.
    result = glpg.run(gap=0.01)
    print(f"{len(result.plan)} decisions to explore; {result.lower:.3f} <= C(theta) <= {result.value:.3f}", end=" ")
    print(f"in {time.perf_counter() - start:.1f} s (cycle cuts: {truth.lower:.4f} to {truth.value:.4f})")
    draw(np.array(history), truth, figure)


def draw(history: np.ndarray, truth: sb.GravesLaiResult, figure: str) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("no figure: matplotlib is not installed, run pip install matplotlib")
        return
    drawing, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    steps, lower, value = history.T
    ax.plot(steps, value, label="cost of the best feasible rates")
    ax.plot(steps, lower, label="lower bound from the multipliers")
    ax.fill_between(steps, lower, value, alpha=0.15)
    ax.axhline(truth.value, color="black", linewidth=0.8, linestyle="--", label="C(theta) by cycle cuts")
    ax.set(xlabel="steps", ylabel="regret per ln T", title="GLPG, practical schedule")
    ax.legend()
    drawing.savefig(figure, dpi=150)
    plt.close(drawing)
    print(f"figure: {figure}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
