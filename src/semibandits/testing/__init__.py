"""Conformance suites for those who write their own decision set or policy."""

from semibandits.testing.decision_sets import check_decision_set
from semibandits.testing.policies import check_policy

__all__ = ["check_decision_set", "check_policy"]
