"""P_IM by branch and bound through P_LM, within a budget of oracle calls; a best decision so far is always available.

* `problem`: the problem and the state of a search, and its calls to the linear oracle;
* `sums`: attainable sums of bonuses, if bonuses take few values;
* `hull`: the bound of a part of the decisions, from the convex hull of their pairs (reward, bonus);
* `swaps`: proofs for bases of matroids by single swaps;
* `classes`: interchangeable items;
* `search`: the search over parts.
"""
