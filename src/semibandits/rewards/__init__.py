"""Reward models: the laws from which rounds are drawn, and what policies are told about them."""
