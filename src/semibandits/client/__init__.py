"""Client of a service that `semibandits serve` starts: ask and tell over HTTP, with retries that are safe.

It needs httpx (``pip install httpx``) and imports nothing that computes, so that it also suits small machines.
"""

from semibandits.client.client import Client as Client
from semibandits.client.learner import RemoteLearner as RemoteLearner
from semibandits.errors import ServiceError as ServiceError
from semibandits.wire import Best as Best
from semibandits.wire import Bound as Bound
from semibandits.wire import Drift as Drift
from semibandits.wire import Estimates as Estimates
from semibandits.wire import ItemEstimate as ItemEstimate
from semibandits.wire import ItemRate as ItemRate
from semibandits.wire import ListedLearner as ListedLearner
from semibandits.wire import OpenCounts as OpenCounts
from semibandits.wire import OpenRound as OpenRound
from semibandits.wire import Round as Round
from semibandits.wire import Summary as Summary

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
