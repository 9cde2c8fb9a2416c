"""The application: its parts, and the answers to errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from semibandits import __version__
from semibandits.errors import SemibanditsError, StorageError
from semibandits_server.service import schemas
from semibandits_server.service.answers import JSON, NO_PATH, Refusal
from semibandits_server.service.bounds import BoundWorker
from semibandits_server.service.catalogue import Catalogue, Own
from semibandits_server.service.gate import PUBLIC, Gate, exchange_of
from semibandits_server.service.metrics import Metrics
from semibandits_server.service.pages import page_routes
from semibandits_server.service.plans import PlanWorker
from semibandits_server.service.routes import api_routes, operation_routes
from semibandits_server.service.settings import Settings

DESCRIPTION = "Ask for decisions and tell their outcomes. Learners live in a database, which several services may share."


def create_app(url: str, *, learners: Mapping[str, Own] | None = None, settings: Settings | None = None) -> FastAPI:
    """The service as an ASGI application.

    Parameters
    ----------
    url : str
        URL of a database of learners, as for :func:`semibandits.open_learner`.
    learners : mapping from name to (decision_set, policy), optional
        Decision sets and policies of your own, for learners that have such; None stands for one of the library. Learners on
        sets and policies of the library need no entry.
    settings : Settings, optional
        Token and limits.

    Returns
    -------
    FastAPI
        The application, for any ASGI server. Without a token it answers only clients on the same machine.

    Raises
    ------
    InvalidInputError
        If the URL or `learners` is malformed.
    StorageError
        If the database cannot be used, or has no tables of learners.
    """
    settings = settings or Settings()
    catalogue = Catalogue(url, settings, learners or {})
    bounds, plans = BoundWorker(seconds=settings.bound_seconds, age=settings.bound_age), PlanWorker()
    metrics = Metrics(catalogue, bounds, plans)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with suppress(StorageError):  # learners whose names cannot be read now are compiled for when they are opened
            await anyio.to_thread.run_sync(catalogue.compile)
        yield
        bounds.close()
        plans.close()
        catalogue.close()

    app = FastAPI(
        title="semibandits", version=__version__, description=DESCRIPTION, lifespan=lifespan, docs_url=None, redoc_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    for router in (api_routes(catalogue, bounds, plans), operation_routes(catalogue, metrics), page_routes()):
        app.include_router(router)
    _answer_errors(app, catalogue, metrics)
    build = app.openapi

    def openapi() -> JSON:
        if app.openapi_schema is None:
            app.openapi_schema = schemas.complete(build(), public=PUBLIC)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    app.state.catalogue = catalogue
    return app


def _answer_errors(app: FastAPI, catalogue: Catalogue, metrics: Metrics) -> None:
    """Answer each error with a status and one sentence."""

    @app.exception_handler(Refusal)
    def refused(request: Request, refusal: Refusal) -> Response:
        return refusal.answer()

    @app.exception_handler(SemibanditsError)
    def failed(request: Request, error: SemibanditsError) -> Response:
        if isinstance(error, StorageError):
            metrics.storage_errors.inc()
            name = exchange_of(request.scope).learner
            if name is not None:
                catalogue.drop(name)
        return Refusal.of(error).answer()

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        first: dict[str, Any] = error.errors()[0]
        name, found = first["loc"][-1], str(first.get("input"))[:100]
        reason = _REASONS.get(first["type"]) or str(first["msg"]).replace("Input should be", "must be")
        return Refusal(422, "InvalidInputError", f"the parameter {name} of the URL {reason}, got {found!r}: correct it").answer()

    @app.exception_handler(HTTPException)
    def not_found(request: Request, error: HTTPException) -> Response:
        kinds = {
            404: ("NotFound", NO_PATH),
            405: ("MethodNotAllowed", f"the method must be one of this path, got {request.method[:20]!r}: see /docs"),
        }
        kind, message = kinds.get(error.status_code, ("InvalidInputError", str(error.detail)))
        return Refusal(error.status_code, kind, message, error.headers).answer()


_REASONS: Final = {
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of few digits",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
}
"""What a parameter must be, by the type of its error."""
