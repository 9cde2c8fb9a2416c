"""P_IM by branch and bound through P_LM, with a budget of oracle calls and an answer at any time.

* `problem`: what a search works on, and what it asks of the linear oracle;
* `sums`: attainable sums of bonuses, where bonuses take few values;
* `hull`: the bound of a part of the decisions, from the convex hull of their pairs (reward, bonus);
* `swaps`: proofs for bases of matroids, from single swaps;
* `classes`: items that can stand for each other;
* `search`: the search over parts.
"""
