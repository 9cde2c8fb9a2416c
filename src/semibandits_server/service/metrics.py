"""Metrics of the service for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily

from semibandits.errors import SemibanditsError
from semibandits_server.service import compilation, views
from semibandits_server.service.bounds import BoundWorker
from semibandits_server.service.catalogue import Catalogue
from semibandits_server.service.plans import PlanWorker

SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Upper ends of the classes of response times."""


@final
class Metrics:
    """Counts of this process, and numbers of the learners that it has opened."""

    def __init__(self, catalogue: Catalogue, bounds: BoundWorker, plans: PlanWorker) -> None:
        self._catalogue, self._bounds, self._plans = catalogue, bounds, plans
        self._registry = CollectorRegistry()
        self.requests = Counter("semibandits_requests", "Requests.", ("method", "route", "status"), registry=self._registry)
        self.seconds = Histogram(
            "semibandits_request_seconds", "Time to answer.", ("method", "route"), buckets=SECONDS, registry=self._registry
        )
        self.storage_errors = Counter("semibandits_storage_errors", "Errors of the database.", registry=self._registry)
        self._registry.register(self)

    def text(self) -> bytes:
        """All metrics as text."""
        return generate_latest(self._registry)

    def describe(self) -> list[Any]:
        """Nothing, so that registering does not read the database."""
        return []

    def collect(self) -> Iterator[Any]:
        """Numbers of each learner, as they are now; none while the database does not answer."""
        families = [
            GaugeMetricFamily(f"semibandits_learner_{name}", text, labels=("learner",))
            for name, text in (
                ("calls", "Calls that changed the learner."),
                ("rounds", "Rounds asked for."),
                ("open", "Open rounds."),
                ("drifts", "Items whose mean has drifted."),
            )
        ]
        for served in self._catalogue.opened:
            try:
                counts, drifts = views.counts(served), len(served.learner.drifts)
            except SemibanditsError:
                self.storage_errors.inc()
                continue
            for family, value in zip(families, (counts.calls, counts.rounds, counts.open, drifts), strict=True):
                family.add_metric([served.learner.name], value)
        yield from families
        state = compilation.state()
        for name, text, value in (
            ("bound_solves", "Lower bounds solved.", self._bounds.solved),
            ("plan_solves", "Plans of policies solved.", self._plans.solved),
            ("compilation_pending", "Learners and kernels that remain to be compiled for, or loaded.", state.pending),
            ("compilation_kernels", "Kernels that child processes have compiled, or found compiled.", state.kernels),
            ("compilation_loaded", "Kernels and pointers that were requested by use and loaded.", state.loaded),
            ("compilation_running", "1 while a child process compiles.", state.status == "compiling"),
            ("compilation_off", "1 if nothing is compiled in the background.", state.status == "off"),
        ):
            yield GaugeMetricFamily(f"semibandits_{name}", text, value=float(value))
