"""Policies of the papers in published.py, written anew from their descriptions."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

import semibandits as sb

STEPS = 45
"""Bisections; each halves an interval of width 1 or of multipliers."""
ROUNDING = 1e-12
"""Marginals up to this are 0."""


class Counting(sb.Agent):
    """Rounds, plays and means so far."""

    def __init__(self, decision_set: sb.DecisionSet, variance) -> None:
        self.x, self.variance = decision_set, np.broadcast_to(variance, (decision_set.d,))
        self.t, self.plays, self.sums = 0, np.zeros(decision_set.d), np.zeros(decision_set.d)

    def observe(self, items, rewards) -> None:
        self.plays[items] += 1.0
        self.sums[items] += rewards

    def unseen(self):
        """The decision with the most items that were not observed, None once there are none."""
        self.t += 1
        return None if self.plays.all() else self.x.maximize((self.plays == 0.0).astype(float))


class BoostedGaussian(sb.Policy):
    """BG-CTS (Zhang and Combes 2024): normal draws of boosted variance, with a flat prior, and lambda = 0 as in their code."""

    def start(self, decision_set, variance):
        return BoostedAgent(decision_set, variance)


class BoostedAgent(Counting):
    """theta_i ~ N(mean_i, g(t) sigma_i^2 / n_i), g(t) = 2 (1 + (m + 2) ln ln t / ln t)."""

    def choose(self, rng):
        if (x := self.unseen()) is not None:
            return x
        log = math.log(max(self.t, math.e))
        boost = 2.0 * (1.0 + (self.x.m + 2) * math.log(log) / log)
        return self.x.maximize(rng.normal(self.sums / self.plays, np.sqrt(boost * self.variance / self.plays)))


class Hybrid(sb.Policy):
    """HYBRID (Zimmert, Luo and Wei 2019) for m-sets and rewards in [0, 1]: follow the regularized leader, rate 1 / sqrt(t)."""

    def start(self, decision_set, variance):
        return HybridAgent(decision_set)


class HybridAgent(sb.Agent):
    """The regularizer is the sum of -sqrt(x_i) + gamma (1 - x_i) ln(1 - x_i); losses are 1 - 2 reward."""

    def __init__(self, decision_set) -> None:
        d, m = decision_set.d, decision_set.m
        self.losses, self.m, self.t = np.zeros(d), m, 0
        self.gamma = 1.0 if m < d / 2 else 1.0 / math.sqrt(math.log(m))  # as in their code

    def choose(self, rng):
        self.t += 1
        self.marginals = regularized_leader(self.losses / math.sqrt(self.t), self.m, self.gamma)
        x = np.zeros(len(self.losses), dtype=bool)
        x[mixed(self.marginals, self.m, rng)] = True
        return x

    def observe(self, items, rewards) -> None:
        self.losses[items] += 2.0 * (1.0 - rewards) / self.marginals[items]


def mixed(marginals, m, rng):
    """A set of m items with these marginals: a mixture of sets of the likely items and a uniform choice of others."""
    order, draw = np.argsort(-marginals), rng.random()
    inside, outside = marginals[order], 1.0 - marginals[order]
    left, right = 0, len(order)  # items before `left` are certain, and none from `right` on
    while left < m < right:
        share = (m - left) / (right - left)
        weight = min(inside[right - 1] / share, outside[left] / (1.0 - share))
        if draw < weight:
            return order[np.append(np.arange(left), left + rng.permutation(right - left)[: m - left])]
        draw -= weight
        inside -= weight * share
        outside -= weight * (1.0 - share)
        while right > m and inside[right - 1] <= ROUNDING:
            right -= 1
        while left < m and outside[left] <= ROUNDING:
            left += 1
    return order[:m]


@njit(cache=True, error_model="numpy")
def regularized_leader(losses, m, gamma):
    """The marginals x with sum m that minimise ``losses @ x`` plus the regularizer, by bisection of the multiplier and of x_i."""
    d = len(losses)
    x, even = np.zeros(d), m / d
    slope = 0.5 / math.sqrt(even) + gamma * (1.0 + math.log(1.0 - even))
    low, high = slope - losses.max(), slope - losses.min()  # of the multiplier; the sum falls in it
    for _ in range(STEPS):
        multiplier = 0.5 * (low + high)
        total = 0.0
        for i in range(d):
            down, up, wanted = 0.0, 1.0, losses[i] + multiplier
            for _ in range(STEPS):
                middle = 0.5 * (down + up)
                if 0.5 / math.sqrt(middle) + gamma * (1.0 + math.log(1.0 - middle)) > wanted:
                    down = middle
                else:
                    up = middle
            x[i] = 0.5 * (down + up)
            total += x[i]
        if total > m:
            low = multiplier
        else:
            high = multiplier
    return x * (m / x.sum())


class RareCUCB(sb.Policy):
    """CUCB that asks for a new decision only once an item of the present one has been played twice as often as before."""

    def start(self, decision_set, variance):
        return RareAgent(decision_set, variance)


class RareAgent(Counting):
    """The bonus of `CUCB`, sqrt(2 sigma^2 ln t / n)."""

    queries = 0
    last = None

    @property
    def calls(self):
        return self.queries, 0, 0

    def choose(self, rng):
        x = self.unseen()
        if x is None and self.last is not None:
            decision, plays = self.last
            if (self.plays[decision] < 2.0 * plays[decision]).all():
                return decision
        self.queries += 1
        if x is None:
            x = self.x.maximize(self.sums / self.plays + np.sqrt(2.0 * self.variance * math.log(self.t) / self.plays))
            self.last = x, self.plays.copy()
        return x
