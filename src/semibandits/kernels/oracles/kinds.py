"""Kinds of matroids with kernels, and the contents of their three int64 arrays.

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

Missing sets and groups are -1. Unused arrays are empty.
"""

from typing import Final

UNIFORM: Final = 0
PARTITION: Final = 1
LAMINAR: Final = 2
GRAPHIC: Final = 3
TRANSVERSAL: Final = 4
BINARY: Final = 5
REAL: Final = 6
