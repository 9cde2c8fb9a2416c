"""Arrays that grow, and walks in them.

A search keeps its walks as labels: ``links[label]`` begins with the label before, -1 at the start of the walk, and the arc from
there; ``links[label, 3]`` is the node where the walk ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import IntArray


@kernel
def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Copy of an array with `size` rows, at least as many as it has; the new ones are not set."""
    larger = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def append_walk(arcs: IntArray, filled: int, last_arc: int, label: int, links: IntArray) -> tuple[IntArray, int]:
    """Write the walk to `label` and then over `last_arc` after the first `filled` arcs, in reverse order of travel.

    Returns the arcs, in a larger array if necessary, and the number that are filled.
    """
    while label >= 0:
        if filled == len(arcs):
            arcs = grown(arcs, 2 * filled + 16)
        arcs[filled] = last_arc
        filled, last_arc, label = filled + 1, links[label, 1], links[label, 0]
    return arcs, filled


@kernel
def passes(label: int, node: int, links: IntArray) -> bool:
    """Whether the walk to a label visits a node."""
    while label >= 0 and links[label, 3] != node:
        label = links[label, 0]
    return label >= 0
