# %% [markdown]
# # Which route?
#
# Packets travel from Saarbruecken to Greifswald through a network of 50 German cities. Every link that a packet uses
# shows its delay, with noise. Which route is the fastest, how much delay does it cost to find out, and do we send enough
# packets for that to pay?
#
# The network comes from the package topohub: `pip install "semibandits[networks]"`. The figures need the extra `plot`.

# %%
import math
import os
from pathlib import Path

import numpy as np

import semibandits as sb
from semibandits.plotting import plot_plan

ROUNDS = int(os.environ.get("STUDY_ROUNDS", "100000"))
REPLICATIONS = int(os.environ.get("STUDY_REPLICATIONS", "10"))
OUTPUT = Path(os.environ.get("STUDY_OUTPUT", "study-output"))
OUTPUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The decision
#
# A built-in dataset is a decision set with a mean and a variance for each of its items; here the items are links, and
# the means are minus their delays in milliseconds. With known delays, the best route can be computed directly:

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
# ## The cost of learning
#
# Every policy that learns on every network loses at least C(θ) ln T over T packets, as T grows. The bound comes with a plan that
# attains it: which routes to try, and how often.

# %%
print(f"{bound.lower:.2f} <= C(theta) <= {bound.value:.2f} ms per ln T")
gaps = (best.astype(float) - bound.plan.decisions) @ dataset.theta
for decision, rate, gap in list(zip(bound.plan.decisions, bound.plan.rates, gaps, strict=True))[:3]:
    print(f"try {rate:7,.1f} times per ln T, at {gap:.3f} ms more each: {route(decision)}")
closest = bound.plan.rates[0] * gaps[0]
print(f"the first of them takes {closest / bound.value:.0%} of C(theta)")

# %% [markdown]
# On the map, the best route is red; the darker another link is, the more often it is tried.

# %%
axes = plot_plan(bound, positions=dataset.positions, geographic=True, unit=dataset.unit)
# The network: the best route in red, other links the darker the more often they are tried.
axes.figure.savefig(OUTPUT / "which-route-plan.png")

# %% [markdown]
# ## Is the horizon long enough?
#
# The bound describes the long run. It becomes relevant when the plan needs a small fraction of all packets. At shorter horizons,
# it is cheaper not to distinguish routes that are nearly equal.


# %%
def first_horizon(share: float) -> int:
    """The first power of ten at which the plan needs at most this share of the packets."""
    packets = 10
    while bound.plan.rates.sum() * math.log(packets) > share * packets:
        packets *= 10
    return packets


for packets in (10_000, ROUNDS):
    print(f"over {packets:,} packets the plan needs {bound.plan.rates.sum() * math.log(packets):,.0f} tries;")
    print(f"  the closest comparison costs {closest * math.log(packets):,.0f} ms,", end=" ")
    print(f"and at most {gaps[0] * packets:,.0f} ms if it is never resolved")
for share in (1.0, 0.1, 0.01):
    print(f"the plan needs at most {share:4.0%} of all packets from T = {first_horizon(share):,} on")

# %% [markdown]
# ## Which policy comes closest to the bound?
#
# Each policy starts without data, several times, with the noise of the dataset. Its regret is the loss compared with
# always taking the best route.

# %%
policies = [sb.ThompsonSampling(), sb.ESCB(), sb.AESCB(), sb.OSSB(), sb.CUCB()]
result = sb.simulate(paths, dataset.rewards(), policies, ROUNDS, REPLICATIONS, seed=1, bound=bound)
for row in sorted(result.summary(), key=lambda row: row.regret):
    low, high = row.regret_interval
    print(f"{row.policy:17} {row.regret:6,.0f} ms ({low:,.0f} to {high:,.0f}), {row.regret_ratio:.2f} C(theta) ln T")

# %%
axes = result.plot(unit=dataset.unit)
# Mean regret of five policies in ms, and C(θ) ln T.
axes.figure.savefig(OUTPUT / "which-route-regret.png")

# %% [markdown]
# A ratio below 1 is not a contradiction: at this horizon the two closest routes are not distinguished yet, and the bound concerns
# the growth of regret in the long run. OSSB follows the plan and pays this cost early; CUCB adds up the uncertainties of single
# links, and so tries too many routes.

# %%
report = OUTPUT / "which-route.html"
sb.write_report(report, simulation=result, bound=bound, instance=dataset)
print(f"{report.name} is written")
