"""Offline evaluation: what other choices would have earned, by logs."""
