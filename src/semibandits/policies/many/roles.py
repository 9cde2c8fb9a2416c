"""Decision sets in which most items are interchangeable, and the same sets over some of their items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from semibandits._typing import IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.kernels.oracles import kinds
from semibandits.matroids._compiled import packed


@dataclass(frozen=True, eq=False)
class Roles:
    """The bases of a uniform, partition or laminar matroid, with the role of each item. Exchanging two items of one role maps the
    set of decisions to itself (`kernels.search.classes`).
    """

    of: IntArray  # (d,): the role of each item, from 0 on
    most: IntArray  # (number of roles,): at least the largest number of items of each role in a decision
    oracle: CompiledOracle  # of the decision set
    is_uniform: bool  # whether all items have one role, so that the kernels need no data of single items

    @classmethod
    def in_set(cls, decision_set: DecisionSet, oracle: CompiledOracle | None) -> Self | None:
        """The roles in a decision set; None if it is of another family."""
        if oracle is None or not isinstance(decision_set, MatroidDecisions):
            return None
        found = packed(decision_set.matroid)
        if found is None or found[0] not in (kinds.UNIFORM, kinds.PARTITION, kinds.LAMINAR):
            return None
        kind, (first, second, third) = found
        m = decision_set.m
        if kind == kinds.UNIFORM:
            return cls(np.zeros(decision_set.d, dtype=np.int64), np.array([m]), oracle, True)
        most = np.minimum(second if kind == kinds.PARTITION else third, m)
        return cls(first, np.minimum(most, np.bincount(first, minlength=len(most))), oracle, False)

    def among(self, items: IntArray) -> CompiledOracle:
        """Kernels of the decisions that use these items only, ascending; they must contain a decision."""
        data = list(self.oracle.data)
        data[-1] = self.of[items]
        if not self.is_uniform:
            data[0] = self.of[items]
        return CompiledOracle(self.oracle.family, self.oracle.index, tuple(data), len(items), self.oracle.m)

    def contain_decision(self, items: IntArray) -> bool:
        """Whether some decision uses these items only. If none does, kernels must not be called."""
        m = self.oracle.m
        if self.is_uniform:
            return len(items) >= m
        return len(items) > 0 and int(np.count_nonzero(self.among(items).maximize(np.zeros(len(items))))) == m
