"""The Graves-Lai problem: the regret lower bound C(theta) and the exploration plan that attains it."""
