"""Records that rules read and write. All arrays are changed in place."""

from __future__ import annotations

from typing import NamedTuple

from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


class RuleState(NamedTuple):
    """What a rule keeps from round to round.

    Attributes
    ----------
    params : ndarray of float
        Parameters of the policy; for rules that search, the first is the ratio of P_IM.
    stats : ndarray of float, shape (6, d)
        Statistics of each item, see `kernels.rules.statistics`.
    memory, marks, rows : ndarray of float, of int, and of bool with shape (n, d)
        State of the rule: numbers, integers, and one decision per row.
    """

    params: FloatArray
    stats: FloatArray
    memory: FloatArray
    marks: IntArray
    rows: BoolArray


class Request(NamedTuple):
    """Input and output arrays of one round.

    Attributes
    ----------
    normals : ndarray of float
        ``normals(d)`` standard normal numbers. For two of them, ``exp(-(a * a + b * b) / 2)`` is uniform on (0, 1).
    weights, bonuses : ndarray of float, shape (d,)
        Arguments of the oracle that the rule requests.
    prices : ndarray of float, shape (d,)
        Scratch space that is preserved between the requests of one round.
    x : ndarray of bool, shape (d,)
        The decision: the answer to the last request of the round, or what the rule plays.
    """

    normals: FloatArray
    weights: FloatArray
    bonuses: FloatArray
    prices: FloatArray
    x: BoolArray
