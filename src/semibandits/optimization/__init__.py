"""Optimisation of two criteria, a = rewards·x and c = budgets·x, over decision sets with a linear maximiser."""
