"""Conformance suites for your own decision sets, policies and laws."""

from semibandits.testing.decision_sets import check_decision_set
from semibandits.testing.laws import check_law
from semibandits.testing.policies import check_policy

__all__ = ["check_decision_set", "check_law", "check_policy"]
