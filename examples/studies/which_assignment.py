# %% [markdown]
# # Which assignment?
#
# Twelve flights leave New York every day, one to each of twelve destinations, and no two in the same hour. Which hour should be
# assigned to each destination, so that most flights arrive on time? Every day shows which flights were on time. The data of 2013
# can be replayed: do the policies that perform well on Gaussian rewards also perform well on observed outcomes?

# %%
import math
import os
from pathlib import Path

import numpy as np

import semibandits as sb

DAYS = int(os.environ.get("STUDY_ROUNDS", "3650"))
REPLICATIONS = int(os.environ.get("STUDY_REPLICATIONS", "5"))
OUTPUT = Path(os.environ.get("STUDY_OUTPUT", "study-output"))
OUTPUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The decision
#
# An item is a destination and an hour; its mean is the share of its flights that arrived less than 15 minutes late.

# %%
dataset = sb.datasets.load("flights-by-hour")
timetables = dataset.decision_set
flights = np.array([len(log) for log in dataset.outcomes])
best = timetables.maximize(dataset.theta)
worst = timetables.maximize(-dataset.theta)

print(f"{timetables.d} pairs of a destination and an hour, {dataset.origin} on {flights.sum():,} flights")
print(f"of 12 flights a day {dataset.theta @ best:.2f} are on time at best, {dataset.theta @ worst:.2f} at worst")
for destination, hour in sorted((timetables.items[i] for i in np.flatnonzero(best)), key=lambda item: item[1]):
    print(f"  {hour}  {destination}")

# %% [markdown]
# ## How close is the runner-up?
#
# Some timetables differ from the best one by so little that the difference does not matter in practice, but most of C(θ) is the
# cost of distinguishing them.

# %%
gap = sb.smallest_gap(timetables, dataset.theta)
bound = sb.graves_lai(timetables, dataset.theta, dataset.variance)
gaps = (best.astype(float) - bound.plan.decisions) @ dataset.theta
close = gaps < 0.01
print(f"the second best timetable loses one flight in {1 / gap:,.0f} days")
print(f"{bound.lower:,.0f} <= C(theta) <= {bound.value:,.0f} flights per ln T")
print(f"{bound.plan.rates[close] @ gaps[close] / bound.value:.0%} of that goes to timetables within 0.01 flights of the best")
print(f"the plan needs {bound.plan.rates.sum() * math.log(DAYS):,.0f} days of exploration; there are {DAYS:,}")

# %% [markdown]
# So C(θ) ln T does not describe this horizon. The practical question is which policy finds a good timetable soon.

# %%
axes = bound.plot(unit="flights on time")
axes.set(xlabel="hour", ylabel="destination")
# Plays per ln T of each destination and hour, logarithmic; the best timetable is framed in red.
axes.figure.savefig(OUTPUT / "which-assignment-plan.png")

# %% [markdown]
# ## Gaussian rewards and observed outcomes
#
# The same policies are simulated with two reward models of the same means. In the first, rewards are Gaussian with the known
# variance 1/4. In the second, they are sampled from the flights of 2013: a flight is on time or it is not. There, 1/4 is
# a sub-Gaussian variance proxy, valid for all rewards between 0 and 1.

# %%
policies = [sb.ThompsonSampling(), sb.OSSB(), sb.CUCB()]
results = {}
for model, rewards in {"Gaussian": dataset.rewards(), "replay": dataset.replay()}.items():
    results[model] = sb.simulate(timetables, rewards, policies, DAYS, REPLICATIONS, seed=1, bound=False)
    print(f"{model}:")
    for row in results[model].summary():
        low, high = row.regret_interval
        print(f"  {row.policy:17} {row.regret:6,.0f} more late flights than necessary ({low:,.0f} to {high:,.0f})")

# %%
ranking = {
    model: [row.policy for row in sorted(result.summary(), key=lambda row: row.regret)] for model, result in results.items()
}
for model, names in ranking.items():
    print(f"{model}: {' before '.join(names)}")
print(f"the ranking is {'the same' if ranking['Gaussian'] == ranking['replay'] else 'different'} with both models")

# %%
axes = results["replay"].plot()
# Late flights more than necessary by day, with observed outcomes.
axes.figure.savefig(OUTPUT / "which-assignment-regret.png")

# %% [markdown]
# ## The average day
#
# While a policy learns, some days have a worse timetable than the best. How many flights are on time on an average day?

# %%
for policy, reward in results["replay"].reward.items():
    print(f"{policy:17} {reward[:, -1].mean() / DAYS:.2f} of 12 flights on time on the average day")

# %%
report = OUTPUT / "which-assignment.html"
sb.write_report(report, simulation=results["replay"], instance=dataset)
print(f"{report.name} is written")
