"""Single-item changes of independent sets of packed matroids, see ``kernels/oracles/kinds.py``."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.graphs.forests import forest_exchanges
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, IntArray
from semibandits.kernels.matroids.elimination import binary_exchanges
from semibandits.kernels.matroids.laminar import laminar_exchanges
from semibandits.kernels.matroids.transversal import transversal_exchanges
from semibandits.kernels.matroids.uniform import partition_exchanges, uniform_exchanges
from semibandits.kernels.oracles import kinds


@kernel
def exchanges(
    kind: int, first: IntArray, second: IntArray, third: IntArray, d: int, members: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Ways to change an independent set by one item, as in ``Matroid.exchanges``: ``free`` (d,), ``swaps`` (k, d)."""
    if kind == kinds.UNIFORM:
        return uniform_exchanges(d, first[0], members)
    if kind == kinds.PARTITION:
        return partition_exchanges(first, second, members)
    if kind == kinds.LAMINAR:
        return laminar_exchanges(first, second, third, members)
    if kind == kinds.GRAPHIC:
        return forest_exchanges(third[0], first, second, members)
    if kind == kinds.TRANSVERSAL:
        return transversal_exchanges(third[0], first, second, members)
    return binary_exchanges(first.view(np.uint64).reshape(second[0], second[1]), members)
