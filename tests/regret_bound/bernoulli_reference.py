"""Bernoulli information and C(theta) without code of the library: bisection, and scipy's SLSQP."""

import math
from decimal import Decimal, localcontext

import numpy as np
from scipy.optimize import minimize


def divergence(theta: float, other: float) -> float:
    """Kullback-Leibler divergence of Bernoulli laws, from its definition."""
    total = 0.0
    for p, q in ((theta, other), (1.0 - theta, 1.0 - other)):
        if p > 0.0:
            total += p * math.log(p / q) if q > 0.0 else math.inf
    return total


def exact_divergence(theta: float, rise: Decimal) -> Decimal:
    """The same with 80 digits."""
    with localcontext() as context:
        context.prec = 80
        p = Decimal(theta)
        q = p + rise
        total = (1 - p) * ((1 - p) / (1 - q)).ln() if p < 1 else Decimal(0)
        return total + (p * (p / q).ln() if p > 0 else Decimal(0))


def rise_at(theta: float, slope: float) -> float:
    """The rise at which the derivative of d(theta, theta + rise) is `slope`, by bisection."""
    low, high = 0.0, 1.0 - theta
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):  # neighbouring numbers
            break
        mean = theta + middle
        derivative = middle / (mean * (1.0 - mean)) if 0.0 < mean < 1.0 else math.inf
        low, high = (middle, high) if derivative < slope else (low, middle)
    return low


def least_information(theta: np.ndarray, rates: np.ndarray, gap: float) -> float:
    """min sum w d(theta, theta + rise) over raises that add up to the gap, by bisection for their common price."""
    if (1.0 - theta).sum() <= gap + 1e-12:
        return math.inf
    if (1.0 - theta)[rates == 0.0].sum() >= gap:
        return 0.0
    low, high = 0.0, 1e300
    for _ in range(400):
        price = math.sqrt(max(low, 1e-300)) * math.sqrt(high)
        total = sum(rise_at(t, price / w) if w > 0 else 1.0 - t for t, w in zip(theta, rates, strict=True))
        low, high = (price, high) if total < gap else (low, price)
        if high <= low * (1.0 + 1e-14):
            break
    raises = [rise_at(t, low / w) if w > 0 else 1.0 - t for t, w in zip(theta, rates, strict=True)]
    return sum(w * divergence(t, t + e) for t, w, e in zip(theta, rates, raises, strict=True) if w > 0)


def problem(decisions: np.ndarray, theta: np.ndarray):
    """Suboptimal items, and the suboptimal decisions (restricted to these items) with their gaps."""
    rewards = decisions @ theta
    gaps = rewards.max() - rewards
    optimal = gaps <= 1e-12 * decisions.sum(axis=1).max() * np.abs(theta).max(initial=0.0)
    items = decisions.any(axis=0) & ~decisions[optimal].any(axis=0)
    rows = ~optimal & decisions[:, items].any(axis=1)
    return items, decisions[rows][:, items], gaps[rows]


def rises_at(theta: np.ndarray, price: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """The raises e with rates * e = price * (theta + e) * (1 - theta - e), as `rise_at` finds them: roots of this quadratic."""
    b, c = rates - price * (1.0 - 2.0 * theta), price * theta * (1.0 - theta)
    root = np.sqrt(b * b + 4.0 * price * c)
    return np.where(b < 0.0, (root - b) / (2.0 * price), np.where(c > 0.0, 2.0 * c / (b + root), 0.0))


def least_of_each(contains: np.ndarray, gaps: np.ndarray, theta: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """`least_information` of many decisions at once."""
    room = np.where(contains, 1.0 - theta, 0.0)
    low, high = np.full(len(gaps), 1e-12), np.full(len(gaps), 1e12)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(64):
            price = np.sqrt(low * high)
            least = np.minimum(rises_at(theta, price[:, None], rates), room)
            short = least.sum(axis=1) < gaps
            low, high = np.where(short, price, low), np.where(short, high, price)
        other = theta + least
        terms = np.where(theta > 0, theta * np.log(theta / other), 0.0)
        terms += np.where(theta < 1, (1.0 - theta) * np.log((1.0 - theta) / (1.0 - other)), 0.0)
        # For small raises the logarithms cancel: the integral of the derivative keeps its digits.
        nodes, weights = np.polynomial.legendre.leggauss(30)
        at = 0.5 * (nodes + 1.0) * least[..., None]
        means = theta[:, None] + at
        integral = 0.5 * least * ((at / (means * (1.0 - means))) @ weights)
        terms = np.where(least < 0.05 * np.minimum(theta, 1.0 - theta), integral, terms)
        paid = np.where((least > 0) & (rates > 0), rates * terms, 0.0).sum(axis=1)
    return np.where(room.sum(axis=1) <= gaps + 1e-12, np.inf, paid)


def least_of_all(decisions: np.ndarray, theta: np.ndarray, rates: np.ndarray) -> float:
    """The least information of any suboptimal decision at these item rates; inf if none can be made to look optimal."""
    items, contains, gaps = problem(decisions, theta)
    return float(least_of_each(contains, gaps, theta[items], rates[items]).min(initial=np.inf))


def local_optimum(decisions: np.ndarray, theta: np.ndarray) -> float:
    """Cost of rates that SLSQP finds, made feasible: an upper bound on C(theta), and next to it on tiny problems."""
    items, contains, gaps = problem(decisions, theta)
    means = theta[items]
    scale = 1.0 / np.array(
        [min(divergence(t, t + min(g, 0.9 * (1 - t))) for t in means[x]) for x, g in zip(contains, gaps, strict=True)]
    )

    def information(x):
        w = (np.maximum(x, 0.0) * scale) @ contains
        return np.minimum(least_of_each(contains, gaps, means, w), 1e6)

    cost = gaps * scale
    found = minimize(
        lambda x: x @ cost / cost.sum(), np.ones(len(gaps)), jac=lambda x: cost / cost.sum(), method="SLSQP",
        bounds=[(0.0, None)] * len(gaps), constraints={"type": "ineq", "fun": lambda x: information(x) - 1.0},
        options={"ftol": 1e-9, "maxiter": 200},
    )  # fmt: skip
    x = np.maximum(found.x, 0.0)
    return float(x @ cost / information(x).min())
