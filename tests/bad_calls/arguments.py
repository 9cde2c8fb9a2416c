"""Keyword arguments that do not exist, of which the error names the one that was probably meant."""

import re

import semibandits as sb

X = sb.MSets(4, 2)
THETA = [1.0, 2.0, 3.0, 4.0]
REWARDS = sb.GaussianRewards(THETA)
EDGES = [("a", "b"), ("b", "c")]


def bound(*arguments, **options):
    sb.graves_lai(X, *arguments, **options)


def simulate(**options):
    sb.simulate(X, REWARDS, sb.CUCB(), **{"horizon": 10, "replications": 1, **options})


UNKNOWN = "() got an unexpected keyword argument "
MEANS, POLICY = "means belong to graves_lai or to a reward model", "it is a parameter of policies"
MEANT = [
    (lambda: bound(THETA, sigma=2.0), f"graves_lai{UNKNOWN}'sigma': did you mean variance=sigma**2?"),
    (lambda: bound(weights=THETA), "did you mean theta=... for rewards or costs=... for costs?"),
    (lambda: bound(THETA, tol=1e-3), "did you mean gap=...?"),
    (lambda: bound(THETA, gamma=0.1), f"{POLICY}, as in sb.OSSB(gamma=0.1)"),
    (lambda: bound(THETA, varience=1.0), "did you mean variance=...?"),
    (lambda: sb.smallest_gap(X, means=THETA), "did you mean theta=... for rewards or costs=... for costs?"),
    (lambda: simulate(workers=2), f"simulate{UNKNOWN}'workers': did you mean n_jobs=...?"),
    (lambda: simulate(T=10), "did you mean horizon=...?"),
    (lambda: simulate(random_state=10), "did you mean seed=...?"),
    (lambda: sb.Learner(X, std=2.0, seed=0), f"Learner{UNKNOWN}'std': did you mean variance=std**2?"),
    (lambda: sb.Learner(X, gamma=2.0, seed=0), POLICY),
    (lambda: sb.Paths(EDGES, start="a", target="c"), f"Paths{UNKNOWN}'start': did you mean source=...?"),
    (lambda: sb.Routes(EDGES, "a", end="c"), "did you mean target=...?"),
    (lambda: sb.Paths(EDGES, "a", "c", weight="minutes"), MEANS),
    (lambda: sb.SpanningTrees(EDGES, weights=[1, 2]), MEANS),
    (lambda: sb.MSets(4, k=2), "did you mean m=...?"),
    (lambda: sb.Matchings([("a", "b")], saturated="rows"), "did you mean saturate=...?"),
    (lambda: sb.GaussianRewards(THETA, sigma=2.0), "did you mean variance=sigma**2?"),
]  # fmt: skip
CALLS = [(call, re.escape(message), TypeError) for call, message in MEANT] + [
    (lambda: bound(THETA, zzz=1), r"^graves_lai\(\) got an unexpected keyword argument 'zzz'$", TypeError)
]
