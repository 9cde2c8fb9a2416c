"""Conformance suites for those who write their own decision set."""

from semibandits.testing.decision_sets import check_decision_set

__all__ = ["check_decision_set"]
