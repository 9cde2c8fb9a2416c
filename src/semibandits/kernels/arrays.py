"""Arrays that grow, and walks in them.

A search keeps its walks as labels: ``links[label]`` begins with the label before, -1 at the start of the walk, and the arc from
there; ``links[label, 3]`` is the node where the walk ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import IntArray


@kernel
def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Copy of an array with `size` rows, at least as many as it has; the new ones are not set."""
    larger = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    write(larger, array)
    return larger


def write(target: NDArray[Any], values: NDArray[Any]) -> None:
    """Write as many values, or rows, into the beginning of an array; both have one dimension or both have two.

    ``target[:] = values`` is slower for short arrays, and takes a second and a half to compile in each process, for its error
    message on shapes that do not fit.
    """
    target[: len(values)] = values


@overload(write)
def _write(target: Any, values: Any) -> Any:
    def one_by_one(target: Any, values: Any) -> None:
        for i in range(len(values)):
            target[i] = values[i]

    def row_by_row(target: Any, values: Any) -> None:
        for i in range(len(values)):
            for j in range(values.shape[1]):
                target[i, j] = values[i, j]

    return one_by_one if target.ndim == 1 else row_by_row


@kernel
def stable_order(values: NDArray[Any]) -> IntArray:
    """Indices in order of value, those of equal values ascending. A kernel, so that it is compiled only once on a machine."""
    return np.argsort(values, kind="mergesort")


@kernel
def ascending(values: IntArray) -> IntArray:
    """The same values in order. A kernel, so that it is compiled only once on a machine."""
    return np.sort(values)


@kernel
def append_walk(
    arcs: IntArray, filled: int, last_arc: int, label: int, parents: IntArray, label_arcs: IntArray
) -> tuple[IntArray, int]:
    """Write the walk to `label` and then over `last_arc` after the first `filled` arcs, in reverse order of travel.

    Label k is that of its parent and one more arc; the first label, whose parent is -1, is the empty walk. Returns the arcs, in a
    larger array if necessary, and the number that are filled.
    """
    while label >= 0:
        if filled == len(arcs):
            arcs = grown(arcs, 2 * filled + 16)
        arcs[filled] = last_arc
        filled, last_arc, label = filled + 1, label_arcs[label], parents[label]
    return arcs, filled


@kernel
def passes(label: int, node: int, links: IntArray) -> bool:
    """Whether the walk to a label visits a node."""
    while label >= 0 and links[label, 3] != node:
        label = links[label, 0]
    return label >= 0
