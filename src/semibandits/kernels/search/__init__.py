"""Searches for the best decision by two criteria, rewards·x and bonuses·x or budgets·x: P_IM and P_BLM.

One search by branch and bound through P_LM, within a budget of oracle calls; a best decision so far is always available:

* `problem`: the problem and the state of a search, and its calls to the linear oracle;
* `sums`: attainable sums of bonuses, if bonuses take few values;
* `hull`: the bound of a part of the decisions, from the convex hull of their pairs (reward, bonus);
* `alternating`: the cycles by which a decision differs from the best one;
* `single_swaps`: proofs for bases of matroids by single swaps;
* `classes`: interchangeable items;
* `branch_and_bound`: the search over parts.

One search by labels of undominated sums over acyclic networks, for guarantees in polynomial time: `labels`; `grid` for m-sets.

Routes, which have no P_LM for weights of any sign: `detours` and `route_raises`.

For P_LM itself: `selection` of the largest numbers, `ordered` objectives, and numbers that are `outliers`.
"""
