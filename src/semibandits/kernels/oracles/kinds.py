"""Kinds of matroids that kernels know, and what the three int64 arrays of each hold; kinds of other decision sets.

======================  ==============================  ==========================  ==================
kind                    first                           second                      third
======================  ==============================  ==========================  ==================
UNIFORM                 (m,)                            unused                      unused
PARTITION               group of each item              capacity of each group      unused
LAMINAR                 innermost set of each item      set above each set          capacities
GRAPHIC                 tails                           heads                       (nodes,)
TRANSVERSAL             start of each item's places     places                      (places,)
BINARY                  bits of the packed words        (d, words of an item)       unused
REAL                    bits of the unit vectors        (d, coordinates)            bits of (tolerance,)
======================  ==============================  ==========================  ==================

``INTERSECTION``, ``MATCHINGS`` and ``PATHS`` are no matroids. The kind in the last array of an oracle's data tells
`kernels.losses` how to read the others: the modules of that name in ``kernels/oracles`` say what they are. Behind the kind may
stand the role of each item, see ``kernels/index/classes.py``.

Sets and groups without a number are -1. Unused arrays are empty.
"""

from typing import Final

UNIFORM: Final = 0
PARTITION: Final = 1
LAMINAR: Final = 2
GRAPHIC: Final = 3
TRANSVERSAL: Final = 4
BINARY: Final = 5
REAL: Final = 6
INTERSECTION: Final = 7
MATCHINGS: Final = 8
PATHS: Final = 9
