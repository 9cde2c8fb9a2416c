# %% [markdown]
# # Which shortlist?
#
# A travel agency recommends ten routes out of New York. They should have little delay, but not all be of one carrier or from one
# airport. Delays have heavy tails: occasionally a flight is most of a day late. Two questions: what do the quotas cost, and which
# variance should a policy use?

# %%
import os
from pathlib import Path

import numpy as np

import semibandits as sb

ROUNDS = int(os.environ.get("STUDY_ROUNDS", "10000"))
REPLICATIONS = int(os.environ.get("STUDY_REPLICATIONS", "5"))
OUTPUT = Path(os.environ.get("STUDY_OUTPUT", "study-output"))
OUTPUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The data
#
# Your own data can have the same form: a name for each item, and a log of observed outcomes, of any length.

# %%
dataset = sb.datasets.load("flights-delays")
names, logs = dataset.labels, dataset.outcomes
means = np.array([log.mean() for log in logs])  # minus the mean delay: minutes early
carriers = [name.split(" → ")[0].rsplit(" ", 1)[0] for name in names]
airports = [name.split(" → ")[0].rsplit(" ", 1)[1] for name in names]

print(f"{len(names)} routes of {len(set(carriers))} carriers from {', '.join(sorted(set(airports)))}")
delays = -np.concatenate(logs)
print(f"{delays.size:,} flights: the median delay is {np.median(delays):.0f} minutes (a minus means early),")
print(f"one in a hundred is more than {np.quantile(delays, 0.99):,.0f} late, and the latest of all {delays.max():,.0f}")

# %% [markdown]
# ## What do the quotas cost?
#
# Each rule is a matroid; two rules at once are a matroid intersection.

# %%
two_a_carrier = sb.matroids.Partition(carriers, 2)
four_an_airport = sb.matroids.Partition(airports, 4)
whole = sb.matroids.Uniform(len(names), 10)
rules = {
    "no quotas": sb.MSets(len(names), 10),
    "two a carrier": sb.MatroidIntersection(two_a_carrier, whole, size=10),
    "four an airport": sb.MatroidIntersection(four_an_airport, whole, size=10),
    "both": sb.MatroidIntersection(two_a_carrier, four_an_airport, size=10),
}
for rule, shortlists in rules.items():
    print(f"{rule:16} {means @ shortlists.maximize(means):6.2f} minutes early, ten flights together")

# %%
shortlists = rules["both"]
best = shortlists.maximize(means)
for i in sorted(np.flatnonzero(best), key=lambda i: -means[i]):
    print(f"{means[i]:6.2f} minutes early on average: {names[i]}")

# %% [markdown]
# ## Which variance to give a policy
#
# Policies receive a variance, never the means. If only the range of the delays is assumed to be known, the variance is a quarter
# of the range squared, by Hoeffding's lemma, and is determined by one outlier. Past flights suggest smaller values: the largest
# sample variance of all routes, or that of each route.

# %%
replay = sb.ReplayedRewards(logs)
spread = np.array([log.var(ddof=1) for log in logs])
variances = {"range": replay.variance, "largest": spread.max(), "each": spread}
for name, variance in variances.items():
    print(f"{name:8} standard deviation of {np.sqrt(np.median(variance)):,.0f} minutes at the median route")

# %%
policies = {f"Thompson, {name}": sb.ThompsonSampling(variance=variance) for name, variance in variances.items()}
policies["CUCB, each"] = sb.CUCB(variance=spread)
result = sb.simulate(shortlists, replay, policies, ROUNDS, REPLICATIONS, seed=1)
for row in result.summary():
    print(f"{row.policy:18} loses {row.regret / ROUNDS:6.1f} minutes a round on average, over {ROUNDS:,} rounds")

# %%
axes = result.plot(unit="minutes of delay")
# Mean regret in minutes of delay of policies that receive different variances.
axes.figure.savefig(OUTPUT / "which-shortlist-regret.png")

# %% [markdown]
# The range gives a variance that is valid for any noise within it, but learning takes long. The smaller variances guarantee
# nothing, since a sample variance contains little information about the tails. How often did the policy with the smallest regret
# choose each route?

# %%
winner = min(result.summary(), key=lambda row: row.regret).policy
plays = result.item_plays(winner).mean
print(f"{winner}, in how many of {ROUNDS:,} rounds:")
for i in np.argsort(-plays)[:12]:
    print(f"{plays[i] / ROUNDS:4.0%} {'*' if best[i] else ' '} {names[i]}")
print("     * on the best shortlist")

# %% [markdown]
# The report needs the means to show the best decision. The bound of Gaussian rewards with these means and variances
# contains them; it is not a bound for replayed rewards, and the report states that.

# %%
report = OUTPUT / "which-shortlist.html"
sb.write_report(
    report,
    simulation=result,
    bound=sb.graves_lai(shortlists, means, spread),
    title="Ten routes, at most two a carrier and four an airport",
    unit=dataset.unit,
    labels=names,
)
print(f"{report.name} is written")
