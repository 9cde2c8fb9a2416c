"""Rules: kernels that implement one round of each policy.

``rule(t, state, request) -> action``

* `t`: the round, starting at 1 and including rounds that try unseen items;
* `state`: parameters, statistics, saved arrays and random numbers, see :class:`semibandits.kernels.rules.records.RuleState`;
* `request`: the output arrays `weights`, `bonuses` and `x`, see :class:`semibandits.kernels.rules.records.Request`.

The action selects the decision: ``PLAY`` plays x; ``LINEAR`` plays the maximiser of ``weights·x``; ``INDEX`` plays the maximiser
of ``weights·x + sqrt(bonuses·x)``, up to the ratio in ``params[RATIO]``. After ``LINEAR_FIRST`` (the decision of ``LINEAR``) and
``GAIN_FIRST`` (a decision with a larger index than x) the rule is called again in the same round, with the result in x.
``COVER`` plays the best decision by estimates among those with the most of the items that the rule wants to be tried, see
:mod:`semibandits.kernels.rules.actions`. ``REPLAN`` requests a computation outside the kernels. Unseen items are tried before
the rule is called.
"""
