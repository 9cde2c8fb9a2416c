"""The master problem of identification: the fewest plays of a mixture of decisions that refute some exchanges."""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from semibandits._typing import FloatArray
from semibandits.decisions.polytopes import Polytope, beside
from semibandits.regret_bound.cuts.cones import solver_settings


@dataclass(frozen=True, eq=False)
class Mixture:
    """Plays of the items that a mixture of decisions gives, and multipliers of the exchanges; neither is accurate."""

    plays: FloatArray  # (d,)
    auxiliaries: FloatArray  # (a,): those of the description of the decisions, times the number of rounds
    rounds: float
    multipliers: FloatArray  # (r,), >= 0, of the rows of weights
    prices: FloatArray  # (d,), >= 0: what one play of each item is worth


def fewest_rounds(
    hull: Polytope, weights: sparse.csr_array, near: FloatArray, margin: FloatArray, accuracy: float, deadline: float
) -> Mixture:
    """Minimise N over plays n in N times the hull, with ``sum of weights_i / n_i <= 1`` for each row of weights, shape (r, d).

    One second-order cone program, in which plays are divided by `near`, shape (d,), > 0, plays of about the right size.
    Variables: plays and auxiliaries, N, and for each item with a weight a number k_i >= 1 / n_i. The mean of ``margin_i / n_i``,
    shape (d,), is added to N in units of the largest `near`: of plays that cost no rounds, there should be many. `accuracy` is
    the tolerance of Clarabel.
    """
    d, a, r = hull.d, hull.auxiliaries, weights.shape[0]
    used = np.flatnonzero(np.asarray(weights.sum(axis=0)).ravel())
    k, rounds = len(used), float(near.max())
    scale = np.concatenate((near, np.full(a, rounds)))

    def homogeneous(rows: sparse.csr_array, limits: FloatArray) -> sparse.csr_array:
        """The rows over scaled variables with N times the limits on the left, each divided by its largest entry."""
        whole = beside(rows @ sparse.diags_array(scale), -rounds * limits[:, None], sparse.csr_array((len(limits), k)))
        largest = abs(whole).max(axis=1).toarray().ravel()
        return sparse.csr_array(sparse.diags_array(1.0 / np.where(largest > 0.0, largest, 1.0)) @ whole)

    scaled = weights[:, used] @ sparse.diags_array(1.0 / near[used])
    cone, information = 3 * np.arange(k), d + a + 1 + np.arange(k)
    entries = np.concatenate((-np.ones(3 * k), np.ones(k)))
    places = np.concatenate((cone, cone, cone + 2, cone + 2)), np.concatenate((used, information, used, information))
    equal, below = homogeneous(hull.equalities, hull.totals), homogeneous(hull.inequalities, hull.limits)
    matrix = sparse.csc_matrix(
        sparse.vstack((
            equal, below, beside(sparse.csr_array((r, d + a + 1)), scaled),
            sparse.csr_array((entries, places), shape=(3 * k, d + a + 1 + k)),
        ))
    )  # fmt: skip
    bounds = np.concatenate((np.zeros(equal.shape[0] + below.shape[0]), np.ones(r), np.tile([0.0, 2.0, 0.0], k)))
    objective = np.zeros(d + a + 1 + k)
    objective[d + a] = 1.0
    objective[d + a + 1 :] = margin[used] / near[used] / max(k, 1)
    cones = [clarabel.ZeroConeT(equal.shape[0]), clarabel.NonnegativeConeT(below.shape[0] + r)]
    cones += [clarabel.SecondOrderConeT(3)] * k
    no_quadratic = sparse.csc_matrix((len(objective), len(objective)))
    settings = solver_settings(accuracy, deadline)
    solution = clarabel.DefaultSolver(no_quadratic, objective, matrix, bounds, cones, settings).solve()
    primal, dual = np.nan_to_num(np.array(solution.x)), np.nan_to_num(np.array(solution.z))
    first = equal.shape[0] + below.shape[0]
    prices = np.zeros(d)
    prices[used] = np.maximum(dual[first + r :: 3] + dual[first + r + 2 :: 3], 0.0) / near[used]
    return Mixture(
        np.maximum(primal[:d], 0.0) * near,
        np.maximum(primal[d : d + a], 0.0) * rounds,
        float(max(primal[d + a], 0.0) * rounds),
        np.maximum(dual[first : first + r], 0.0),
        prices,
    )
