# %% [markdown]
# # Which route?
#
# Packets travel from Saarbruecken to Greifswald through a network of 50 German cities. Every link that a packet uses
# shows its delay, with noise. Which route is the fastest, how much delay is lost on finding out, and do we send enough
# packets for that to pay?

# %%
import math
import os
from pathlib import Path

import numpy as np

import semibandits as sb
from semibandits.plotting import plot_plan
from semibandits.plotting.regret import plot_regret

ROUNDS = int(os.environ.get("STUDY_ROUNDS", "100000"))
REPLICATIONS = int(os.environ.get("STUDY_REPLICATIONS", "10"))
OUTPUT = Path(os.environ.get("STUDY_OUTPUT", "study-output"))
OUTPUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The decision
#
# A built-in dataset is a decision set with a mean and a variance for each of its items; here the items are links, and
# the means are minus their delays in milliseconds. Who knew all delays would not need to learn:

# %%
dataset = sb.datasets.load("germany50-routing")
paths = dataset.decision_set
bound = sb.graves_lai(paths, dataset.theta, dataset.variance)


def route(decision: np.ndarray) -> str:
    return " -> ".join(paths.walk(decision))


best = bound.optimal_decision
print(f"{paths.count():,} routes over {paths.d} links; delays are {dataset.origin}")
print(f"the best: {route(best)}, {-dataset.theta @ best:.3f} ms")

# %% [markdown]
# ## What finding it must cost
#
# Whatever learns on every network loses at least C(θ) ln T over T packets, as T grows. The bound comes with a plan that loses no
# more: which routes to try, and how often.

# %%
print(f"{bound.lower:.2f} <= C(theta) <= {bound.value:.2f} ms per ln T")
gaps = (best.astype(float) - bound.plan.decisions) @ dataset.theta
for decision, rate, gap in list(zip(bound.plan.decisions, bound.plan.rates, gaps, strict=True))[:3]:
    print(f"try {rate:7,.1f} times per ln T, at {gap:.3f} ms more each: {route(decision)}")
closest = bound.plan.rates[0] * gaps[0]
print(f"the first of them takes {closest / bound.value:.0%} of C(theta)")

# %% [markdown]
# On the map, red is the best route; the darker another link, the more often it is tried.

# %%
axes = plot_plan(bound, positions=dataset.positions, geographic=True, unit=dataset.unit)
axes.figure.savefig(OUTPUT / "which-route-plan.png")

# %% [markdown]
# ## Is the horizon long enough?
#
# The bound is about the long run. It begins to speak where the plan takes a small part of all packets; before that, a close
# question is cheaper to leave open than to answer.


# %%
def first_horizon(share: float) -> int:
    """The first power of ten in which the plan takes at most this share of the packets."""
    packets = 10
    while bound.plan.rates.sum() * math.log(packets) > share * packets:
        packets *= 10
    return packets


for packets in (10_000, ROUNDS):
    print(f"over {packets:,} packets the plan asks for {bound.plan.rates.sum() * math.log(packets):,.0f} tries;")
    print(f"  the closest question costs {closest * math.log(packets):,.0f} ms to answer,", end=" ")
    print(f"and at most {gaps[0] * packets:,.0f} ms if it stays open")
for share in (1.0, 0.1, 0.01):
    print(f"the plan takes at most {share:4.0%} of all packets from T = {first_horizon(share):,} on")

# %% [markdown]
# ## Which policy comes how close?
#
# Each policy starts from nothing, several times over, and meets the noise of the dataset. Regret is what it loses against
# always taking the best route.

# %%
policies = [sb.ThompsonSampling(), sb.ESCB(), sb.AESCB(), sb.OSSB(), sb.CUCB()]
result = sb.simulate(paths, dataset.rewards(), policies, ROUNDS, REPLICATIONS, seed=1, bound=bound)
for row in sorted(result.summary(), key=lambda row: row.regret):
    low, high = row.regret_interval
    print(f"{row.policy:17} {row.regret:6,.0f} ms ({low:,.0f} to {high:,.0f}), {row.regret_ratio:.2f} C(theta) ln T")

# %%
axes = plot_regret(result, unit=dataset.unit)
axes.figure.savefig(OUTPUT / "which-route-regret.png")

# %% [markdown]
# A ratio below 1 is no contradiction: at this horizon the closest question is still open, and the bound is about how fast regret
# grows in the end. OSSB follows the plan and pays for the answer early; CUCB adds up what it does not know link by link, and so
# tries too many routes.

# %%
report = OUTPUT / "which-route.html"
sb.write_report(report, simulation=result, bound=bound, instance=dataset)
print(f"{report.name} is written")
