"""P_BLM, P_IM and fronts, and budgets of the search for the largest index."""

import numpy as np

from semibandits.decisions.matroids import MatroidBases
from semibandits.matroids import Uniform

ONE = MatroidBases(Uniform(3, 1))
NUMBERS, FINITE = [1, 2, 3], "at_least must be a finite number, got "


def budgeted(rewards=NUMBERS, budgets=NUMBERS, at_least=0, **options):
    return ONE.maximize_budgeted(rewards, budgets, at_least, **options)


CALLS = [
    (lambda: budgeted([1, 2]), "rewards must have shape"),
    (lambda: budgeted(budgets=[1, np.nan, 3]), "budgets must be finite, got nan at index 1"),
    (lambda: ONE.maximize_index([1e200, 0, 0], NUMBERS), r"rewards must be at most 1e\+100 in size"),
    *((lambda *, least=least, got=got: budgeted(at_least=least), f"{FINITE}{got}")
      for least, got in ((np.inf, "inf"), ("much", "'much'"), (10**400, "1000"), ("1", "'1'"))),
    *((lambda *, least=least: ONE.budget_front(NUMBERS, NUMBERS).best(least), f"{FINITE}{least}") for least in (None, np.nan)),
    (lambda: budgeted(ratio=0), r"ratio must lie in \(0, 1\], got 0"),
    (lambda: ONE.maximize_index(NUMBERS, NUMBERS, ratio=1.5), r"ratio must lie in \(0, 1\], got 1.5"),
    (lambda: budgeted([-1, 2, 3], ratio=0.5), "rewards must be >= 0 for ratio = 0.5, got -1"),
    (lambda: ONE.maximize_index(NUMBERS, [1, -2, 3]), "bonuses must be >= 0, got -2"),
    (lambda: ONE.maximize_index(np.array([1, 2, 3j]), NUMBERS), "rewards must hold real numbers, got complex128"),
    (lambda: ONE.maximize_index([10**400, 2, 3], NUMBERS), "rewards must be an array of numbers, got list"),
    *((lambda *, most=most: ONE.search_index(NUMBERS, NUMBERS, most=most), "most must be an integer >= 1")
      for most in (0, 1.5, True, "many")),
]  # fmt: skip
