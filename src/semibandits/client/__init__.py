"""Client of a service that `semibandits serve` starts: ask and tell over HTTP, with retries that are safe.

It needs httpx (``pip install httpx``) and imports nothing that computes, so that it also suits small machines.
"""

from semibandits.client.client import Client as Client
from semibandits.client.learner import RemoteLearner as RemoteLearner
from semibandits.client.records import Best as Best
from semibandits.client.records import Bound as Bound
from semibandits.client.records import Drift as Drift
from semibandits.client.records import Estimates as Estimates
from semibandits.client.records import ItemEstimate as ItemEstimate
from semibandits.client.records import ItemRate as ItemRate
from semibandits.client.records import ListedLearner as ListedLearner
from semibandits.client.records import OpenCounts as OpenCounts
from semibandits.client.records import OpenRound as OpenRound
from semibandits.client.records import Round as Round
from semibandits.client.records import Summary as Summary
from semibandits.errors import ServiceError as ServiceError

__all__ = [
    "Best",
    "Bound",
    "Client",
    "Drift",
    "Estimates",
    "ItemEstimate",
    "ItemRate",
    "ListedLearner",
    "OpenCounts",
    "OpenRound",
    "RemoteLearner",
    "Round",
    "Summary",
]
