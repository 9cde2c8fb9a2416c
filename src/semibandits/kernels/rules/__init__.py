"""Rules: what each policy does in one round, given what it has seen.

``rule(t, params, stats, z, memory, marks, rows, weights, bonuses, x) -> action``

* `t`: number of the round, from 1; `params`: the policy's numbers;
* `stats`: per item, see `kernels.rules.statistics`;
* `z`: a standard normal number per item for policies that sample, else empty;
* `memory`, `marks`, `rows`: floats, integers and decisions (one a row) that the policy keeps;
* `weights`, `bonuses`, `x`: where it writes its answer, of length d.

The action says what is to be played: ``PLAY`` the decision x; ``LINEAR`` the one of largest ``weights·x``; ``INDEX`` the one of
largest ``weights·x + sqrt(bonuses·x)``, at the ratio in ``params[RATIO]``. Or it asks first, to have the answer in x when the
rule is called again in the same round: ``LINEAR_FIRST`` for the decision of ``LINEAR``, ``GAIN_FIRST`` for one with a larger
index than x. Or the policy must first solve something outside the kernels, ``REPLAN``. Rules do not deal with items that were
never seen: the loop covers these before it asks.
"""
