"""Records that rules read and write. All arrays are changed in place.

Records are passed by value through a function pointer, which costs time for every array: do not add or reorder fields without
timing a round of CUCB. Another order of the same nine arrays cost 13 ns of 160.
"""

from __future__ import annotations

from typing import NamedTuple

from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


class RuleState(NamedTuple):
    """What a rule reads and keeps."""

    params: FloatArray  # parameters of the policy; for rules that search, the first is the ratio of P_IM
    stats: FloatArray  # (ROWS, d): statistics of each item, see `kernels.rules.statistics`
    # Saved state of the rule: numbers, integers, and one decision per row, shape (n, d).
    memory: FloatArray
    marks: IntArray
    rows: BoolArray
    # normals(d) standard normal numbers. For two of them, exp(-(a * a + b * b) / 2) is uniform on (0, 1).
    normals: FloatArray


class Request(NamedTuple):
    """What a rule writes: the arguments of the oracle that it requests, or its decision."""

    # Arguments of the oracle, shape (d,). They are preserved between the requests of one round.
    weights: FloatArray
    bonuses: FloatArray
    x: BoolArray  # (d,): the answer to the last request of the round, or what the rule plays
