"""Policies: how to choose a decision from what was seen of its items."""

from __future__ import annotations

from semibandits.policies.aescb import AESCB
from semibandits.policies.base import Agent, Policy
from semibandits.policies.cucb import CUCB
from semibandits.policies.escb import ESCB
from semibandits.policies.glade import GLADE
from semibandits.policies.ossb import OSSB
from semibandits.policies.radius import Radius
from semibandits.policies.thompson import ThompsonSampling

__all__ = ["AESCB", "CUCB", "ESCB", "GLADE", "OSSB", "Agent", "Policy", "Radius", "ThompsonSampling"]
