"""P_GL for Gaussian rewards over some decisions as one second-order cone program, scaled."""

from __future__ import annotations

import math
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray
from semibandits.kernels.machine import tiers


def solver_settings(accuracy: float, deadline: float = math.inf) -> Any:
    """Settings of Clarabel: one thread, these tolerances, and a limit from the value `deadline` of `tiers.seconds`."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.time_limit = max(1e-3, deadline - tiers.seconds())
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    return settings


def cone_program(
    contains: FloatArray | BoolArray, gaps: FloatArray, weights: FloatArray | BoolArray, limits: FloatArray,
    twice_variance: FloatArray, accuracy: float, deadline: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Cheapest rates of n decisions at which the item rates w meet the rows ``sum_i weights_i v_i / w_i <= limit``.

    Items are scaled by v/gap^2, rows by their limits. Variables: rates, item rates, scaled information. Rows: each item rate is
    at most the sum of the rates of its decisions; rates are non-negative; the weighted rows; item rate times information >= 1.

    `contains`, shape (n, k), are the items of each decision; each item is in some decision, and the gaps of decisions are > 0.
    Weights >= 0, shape (r, k), and limits > 0, shape (r,), are those of the rows: for the constraints of the decisions
    themselves, pass `contains`, with their squared gaps as limits. v, shape (k,), is `twice_variance`. `accuracy` is the
    tolerance of the conic solver (Clarabel), which stops at the value `deadline` of `tiers.seconds`.

    Returns the rates, shape (n,); the multipliers of the rows, shape (r,), >= 0, in any scale; and the prices of the items, shape
    (k,), >= 0, scaled so that no decision is worth more than its gap. None of the three is guaranteed to be accurate: bounds are
    computed from them elsewhere.
    """
    n, k = contains.shape
    item_gaps = np.where(contains > 0, gaps[:, None], np.inf).min(axis=0)
    scale = twice_variance / item_gaps**2
    unit = float((scale * item_gaps).sum())
    (member, item), (row, weighed) = np.nonzero(contains), np.nonzero(weights)
    decision, variable = np.arange(n), np.arange(k)
    cone = k + n + len(limits) + 3 * np.arange(k)
    rows = (item, variable, k + decision, k + n + row, cone, cone, cone + 2, cone + 2)
    columns = (member, n + variable, decision, n + k + weighed, n + variable, n + k + variable, n + variable, n + k + variable)
    values = (
        -unit / (gaps[member] * scale[item]), np.ones(k), -np.ones(n),
        weights[row, weighed] * item_gaps[weighed] ** 2 / limits[row], -np.ones(3 * k), np.ones(k),
    )  # fmt: skip
    shape = (4 * k + n + len(limits), n + 2 * k)
    matrix = sparse.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
    bounds = np.concatenate((np.zeros(k + n), np.ones(len(limits)), np.tile([0.0, 2.0, 0.0], k)))
    objective = np.concatenate((np.ones(n), np.zeros(2 * k)))
    cones = [clarabel.NonnegativeConeT(k + n + len(limits))] + [clarabel.SecondOrderConeT(3)] * k
    no_quadratic = sparse.csc_matrix((n + 2 * k, n + 2 * k))
    settings = solver_settings(accuracy, deadline)
    solution = clarabel.DefaultSolver(no_quadratic, objective, matrix, bounds, cones, settings).solve()
    primal, dual = np.nan_to_num(np.array(solution.x)), np.nan_to_num(np.array(solution.z))
    rates = np.maximum(primal[:n], 0.0) * unit / gaps
    multipliers = np.maximum(dual[k + n : k + n + len(limits)], 0.0) / limits
    prices = np.maximum(dual[:k], 0.0) / scale
    return rates, multipliers, prices / max(float((contains @ prices / gaps).max()), np.finfo(float).tiny)
