"""Rules: kernels that implement one round of each policy.

``rule(t, params, stats, z, memory, marks, rows, weights, bonuses, x) -> action``

* `t`: the round, starting at 1 and including rounds that cover unseen items;
* `params`: parameters of the policy; for rules that search, the first is the ratio of P_IM;
* `stats`: per item, float of shape (6, d), see `kernels.rules.statistics`;
* `z`: ``normals(d)`` standard normal numbers. For two of them, ``exp(-(a * a + b * b) / 2)`` is uniform on (0, 1);
* `memory`, `marks`, `rows`: state of the policy: floats, integers, and decisions (bool, one per row);
* `weights`, `bonuses`, `x`: output arrays of length d: two of floats and one of booleans.

The action selects the decision: ``PLAY`` plays x; ``LINEAR`` plays the maximizer of ``weights·x``; ``INDEX`` plays the maximizer
of ``weights·x + sqrt(bonuses·x)``, up to the ratio in ``params[RATIO]``. After ``LINEAR_FIRST`` (the decision of ``LINEAR``) and
``GAIN_FIRST`` (a decision with a larger index than x) the rule is called again in the same round, with the result in x.
``REPLAN`` requests a computation outside the kernels. Unseen items are covered before the rule is called.
"""
