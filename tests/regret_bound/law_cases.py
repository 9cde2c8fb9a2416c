"""Laws of rewards with their independent descriptions, and small decision sets."""

import numpy as np
from laws_reference import Items

from example_sets import random_dag, random_intersection, random_matching
from semibandits.errors import InvalidInputError, TooManyDecisionsError
from semibandits.laws import Bernoulli, Gamma, Gaussian, Mixed, Poisson

SETS = {
    "paths": random_dag,
    "perfect matchings": lambda rng: random_matching(rng, "both"),
    "matchings": lambda rng: random_matching(rng, "none"),
    "intersections": random_intersection,
}


def some(rng, d, low, high):
    """Means in a range, with ties and near-ties now and then."""
    kind = rng.integers(3)
    share = rng.random(d) if kind == 0 else rng.integers(0, 4, d) / 3.0
    return low + (high - low) * np.clip(share + (kind == 2) * 1e-6 * rng.integers(0, 4, d), 0.0, 1.0)


def gaussian(rng, d):
    variance = rng.uniform(0.1, 2.0, d)
    return Gaussian(variance), Items.of(rng.normal(size=d), variance)


def bounded(rng, d):
    """Travel times, of which some have a known least."""
    variance, end = rng.uniform(0.1, 2.0, d), np.where(rng.random(d) < 0.7, -rng.integers(0, 3, d) / 4.0, np.inf)
    theta = np.minimum(some(rng, d, -2.0, -0.3), end)
    return Gaussian(variance, end), Items.of(theta, variance, end=end)


def bernoulli(rng, d):
    return Bernoulli(), Items.of(some(rng, d, 0.02, 0.95), 0.0, 1.0, -1.0, end=1.0)


def poisson(rng, d):
    return Poisson(), Items.of(some(rng, d, 0.0, 4.0), 0.0, 1.0)


def poisson_cost(rng, d):
    return Poisson(cost=True), Items.of(some(rng, d, -4.0, 0.0), 0.0, -1.0, end=0.0)


def gamma_cost(rng, d):
    return Gamma(2.0, cost=True), Items.of(some(rng, d, -4.0, -0.5), 0.0, 0.0, 0.5, end=0.0)


def gamma(rng, d):
    """Means that no raise of a gap doubles."""
    return Gamma(0.5), Items.of(some(rng, d, 30.0, 32.0), 0.0, 0.0, 2.0)


def mixed(rng, d):
    kinds = rng.integers(0, 4, d)
    laws = [(Gaussian(0.3), Gaussian(0.3, 1.5), Bernoulli(), Poisson())[k] for k in kinds]
    variance = np.array([(0.3, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 1.0, -1.0), (0.0, 1.0, 0.0)])[kinds]
    end = np.choose(kinds, [np.inf, 1.5, 1.0, np.inf])
    return Mixed(laws), Items.of(some(rng, d, 0.05, 0.95), *variance.T, end=end)


LAWS = {
    "gaussian": gaussian,
    "known bound": bounded,
    "bernoulli": bernoulli,
    "poisson": poisson,
    "poisson cost": poisson_cost,
    "gamma": gamma,
    "gamma cost": gamma_cost,
    "mixed": mixed,
}


def drawn_set(rng, draw, most=80):
    """The first set with a decision, and not too many of them."""
    while True:
        try:
            space = draw(rng)
            if space.count(most) <= most:
                return space
        except (InvalidInputError, TooManyDecisionsError):
            continue


def drawn(seed, family, name):
    """A small set with a law and its data for the reference."""
    rng = np.random.default_rng(seed)
    space = drawn_set(rng, SETS[family])
    return space, *LAWS[name](rng, space.d)
