"""Oracles with the signatures that the simulation loop calls through pointers.

* ``linear(data, weights, x) -> int``: write a decision of largest total weight into x (P_LM);
* ``index(family, data, problem, x, report) -> int``: write a decision of largest ``rewards·x + sqrt(bonuses·x)`` into x, up to a
  ratio (P_IM), see :func:`semibandits.kernels.search.branch_and_bound.index_search`, which most families use with their kernels
  in `family`.

On input x is a guess, usually the decision of the previous round; answers do not depend on it.

`data` is a tuple of eight int64 arrays whose meaning depends on the family; unused arrays are empty. The last one contains the
roles of the items, see ``kernels/search/classes.py``. `linear` returns ANSWERED, or another number on failure, since exceptions
cannot pass through a pointer.
"""
