"""A random search for violations of the matroid axioms."""

from __future__ import annotations

import numpy as np

from semibandits._typing import IntArray
from semibandits.errors import InvalidInputError
from semibandits.matroids.base import Matroid


def check_axioms(matroid: Matroid, *, trials: int = 100, seed: int = 0) -> None:
    """Search for a violation of the matroid axioms by random subsets; a pass is not a proof.

    Parameters
    ----------
    matroid : Matroid
        Usually an :class:`Oracle`.
    trials : int
        Number of random subsets of the items. Each costs two greedy scans and at most one independence test.
    seed : int
        Seed of the random subsets.

    Raises
    ------
    InvalidInputError
        If a violation is found: two maximal independent subsets of the same items that differ in size, or an independent set
        with a dependent subset. The message contains the sets.

    Notes
    -----
    Sets closed under taking subsets form a matroid if and only if in every subset of the items all maximal independent
    sets have the same size (Edmonds, Mathematical Programming 1, 1971).

    Examples
    --------
    A limit on the total price is not a matroid: of articles 0, 1 and 3, article 1 can be bought alone, or articles 0 and 3.

    >>> price = np.array([3, 5, 2, 4])
    >>> affordable = sb.matroids.Oracle(4, lambda items: price[items].sum() <= 7)
    >>> sb.matroids.check_axioms(affordable)
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: maximal independent subsets of the same items must have one size, got ...
    >>> sb.matroids.check_axioms(sb.matroids.Uniform(4, 2))  # finds no violation
    """
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        pool = np.flatnonzero(rng.random(matroid.d) < rng.random())
        first = np.flatnonzero(matroid.greedy(rng.permutation(pool)))
        second = np.flatnonzero(matroid.greedy(rng.permutation(pool)))
        if len(first) != len(second):
            raise InvalidInputError(
                f"maximal independent subsets of the same items must have one size, got {_show(first)} and "
                f"{_show(second)} in {_show(pool)}: {matroid!r} is not a matroid, and its greedy bases may be suboptimal"
            )
        if len(first) < len(pool) and matroid.is_independent(pool):
            raise InvalidInputError(
                f"subsets of an independent set must be independent, got the independent set {_show(pool)}, of which a "
                f"greedy scan keeps only {_show(first)}: {matroid!r} is not a matroid"
            )


def _show(items: IntArray) -> str:
    return "{" + ", ".join(map(str, items.tolist())) + "}"
