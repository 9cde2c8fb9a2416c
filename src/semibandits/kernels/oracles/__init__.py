"""Oracles in the one form that the simulation loop calls through pointers.

* ``linear(data, weights, x) -> int``: write a decision of largest total weight into x (P_LM);
* ``index(family, data, rewards, bonuses, ratio, ...) -> int``: write one of largest ``rewards·x + sqrt(bonuses·x)`` into x, or of
  that ratio (P_IM), see :func:`semibandits.kernels.index.search.index_search`, which does so for most families by what `family`
  tells it.

What stands in x before is a guess, mostly the decision of the round before; answers do not depend on it.

`data` is a tuple of eight int64 arrays whose meaning is the family's own; what is not used is empty. The last one holds the roles
of the items, see ``kernels/index/classes.py``. `linear` returns ANSWERED, or another number if it failed: an exception could not
cross a pointer.
"""
