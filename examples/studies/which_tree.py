# %% [markdown]
# # Which tree?
#
# A distribution grid has more lines than it needs. It is operated as a tree, so that every bus is fed in exactly one way, and
# switches select the tree. Each hour shows the losses of the closed lines. Which lines should be closed, what does it cost to
# find out while the grid is running, and is it worth it?

# %%
import json
import math
import os
from pathlib import Path

import numpy as np

import semibandits as sb
from semibandits.plotting import plot_plan

HOURS = int(os.environ.get("STUDY_ROUNDS", "8760"))
REPLICATIONS = int(os.environ.get("STUDY_REPLICATIONS", "50"))
OUTPUT = Path(os.environ.get("STUDY_OUTPUT", "study-output"))
OUTPUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The decision
#
# The dataset is a test grid of 33 buses; the loss of a line in an hour is modelled from its resistance, and rewards are minus
# kWh. For spanning trees C(θ) has a closed form, which is exact and fast.

# %%
dataset = sb.datasets.load("power-grid")
trees = dataset.decision_set
bound = sb.graves_lai(trees, dataset.theta, dataset.variance)
best = bound.optimal_decision
usual = np.array(["normally open" not in label for label in dataset.labels])


def lines(decision: np.ndarray) -> str:
    return " and ".join(" – ".join(trees.items[i]) for i in np.flatnonzero(decision)) or "nothing"


print(f"{trees.count():,} trees over {trees.d} lines; losses are {dataset.origin}")
print(f"the usual tree loses {-dataset.theta @ usual:.2f} kWh an hour, the best one {-dataset.theta @ best:.2f}")
print(f"from the usual tree to the best one: close {lines(best & ~usual)}, open {lines(usual & ~best)}")

# %% [markdown]
# ## What to try
#
# The plan of the bound is short: each line that is open in the best tree is tried several times, in place of the closed
# line to which it is closest.

# %%
print(f"C(theta) = {bound.value:.2f} kWh per ln T ({bound.method})")
gaps = (best.astype(float) - bound.plan.decisions) @ dataset.theta
for tree, rate, gap in zip(bound.plan.decisions, bound.plan.rates, gaps, strict=True):
    print(f"{rate:5.1f} times per ln T, at {gap:.2f} kWh each: {lines(tree & ~best)} instead of {lines(best & ~tree)}")
share = bound.plan.rates.sum() * math.log(HOURS) / HOURS
print(f"in {HOURS:,} hours the plan takes {share:.1%} of the time")

# %%
axes = plot_plan(bound, positions=dataset.positions, unit=dataset.unit)
# The power grid: the best tree in red, open lines the darker the more often they are tried.
axes.figure.savefig(OUTPUT / "which-tree-plan.png")

# %% [markdown]
# ## A year in the control room
#
# We ask a learner for a tree each hour; the meters report once a day, all 24 hours at once. Half-way through, the program
# is stopped: the complete state of the learner is written to a JSON file, and another learner continues from it.

# %%
meters = np.random.default_rng(2024)  # the grid, which is hidden from the learner
learner = sb.Learner(trees, sb.ThompsonSampling(), variance=dataset.variance, seed=0)
lost = 0.0
for hour in range(HOURS):
    asked = learner.ask()
    lost += dataset.theta @ best - dataset.theta @ asked.decision
    if hour % 24 == 23:
        learner.tell_many(
            (late.id, meters.normal(dataset.theta[late.items], np.sqrt(dataset.variance[late.items])))
            for late in learner.open_rounds
        )
    if hour == HOURS // 2:
        saved = OUTPUT / "which-tree-learner.json"
        saved.write_text(json.dumps(learner.state()), encoding="utf-8")
        learner = sb.Learner.from_state(json.loads(saved.read_text(encoding="utf-8")))
for late in learner.open_rounds:  # hours without a meter report
    learner.forget(late.id)

untouched = HOURS * (dataset.theta @ best - dataset.theta @ usual)
chosen = learner.best()
print(f"after {learner.rounds:,} hours the learner closes {lines(chosen & ~usual)}, and opens {lines(usual & ~chosen)}:")
print(f"that is {'the best tree' if (chosen == best).all() else 'not the best tree yet'}")
print(f"learning cost {lost:,.0f} kWh; keeping the usual tree would have cost {untouched:,.0f} kWh")

# %% [markdown]
# ## Was that chance?
#
# A simulation repeats the year many times, with outcomes every hour, and compares the mean loss with C(θ) ln T.

# %%
policies = [sb.ThompsonSampling(), sb.CUCB(), sb.OSSB()]
result = sb.simulate(trees, dataset.rewards(), policies, HOURS, REPLICATIONS, seed=1, bound=bound)
for row in result.summary():
    low, high = row.regret_interval
    print(f"{row.policy:17} {row.regret:6,.0f} kWh ({low:,.0f} to {high:,.0f}), {row.regret_ratio:.2f} C(theta) ln T")

# %%
axes = result.plot(unit=dataset.unit)
# Mean regret of three policies in kWh, and C(θ) ln T.
axes.figure.savefig(OUTPUT / "which-tree-regret.png")

# %% [markdown]
# The report shows all of this on one page, without Python.

# %%
report = OUTPUT / "which-tree.html"
sb.write_report(report, simulation=result, bound=bound, instance=dataset)
print(f"{report.name} is written")
