"""Rules: what each policy does in one round, given what it has seen.

``rule(t, params, stats, z, memory, marks, rows, weights, bonuses, x) -> action``

* `t`: number of the round, from 1; rounds that cover items never seen count too;
* `params`: the policy's numbers, float of any length; the first is the ratio of P_IM for rules that search;
* `stats`: per item, float of shape (6, d), see `kernels.rules.statistics`;
* `z`: as many standard normal numbers as the policy's ``normals(d)`` says. Of two of them, ``exp(-(a * a + b * b) / 2)`` is
  uniform on (0, 1);
* `memory`, `marks`, `rows`: floats, integers and decisions (bool, one a row) that the policy keeps;
* `weights`, `bonuses`, `x`: where it writes its answer, two of floats and one of booleans, of length d.

The action says what is to be played: ``PLAY`` the decision x; ``LINEAR`` the one of largest ``weights·x``; ``INDEX`` the one of
largest ``weights·x + sqrt(bonuses·x)``, at the ratio in ``params[RATIO]``. A rule may also ask a question first: then it is
called again in the same round with the answer in x. ``LINEAR_FIRST`` asks for the decision of ``LINEAR``, ``GAIN_FIRST`` for one
with a larger index than x. ``REPLAN`` says that the policy must first solve something outside the kernels. Rules do not deal
with items that were never seen: the loop covers these before it calls the rule.
"""
