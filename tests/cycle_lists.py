"""All simple cycles of small graphs."""

import numpy as np


def all_cycles(n, tails, heads):
    """Simple cycles as lists of arcs, by depth-first search from their first node."""
    found = []

    def extend(start, walk, seen):
        for arc in np.flatnonzero(tails == (heads[walk[-1]] if walk else start)):
            if heads[arc] == start:
                found.append([*walk, arc])
            elif heads[arc] > start and heads[arc] not in seen:
                extend(start, [*walk, arc], seen | {heads[arc]})

    for start in range(n):
        extend(start, [], {start})
    return found
