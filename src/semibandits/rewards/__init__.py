"""Reward models: the laws that rounds are drawn from, and the information on them that policies receive."""
