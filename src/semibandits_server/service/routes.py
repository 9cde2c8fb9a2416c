"""The endpoints: each reads its request, calls the learner once, and answers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import anyio
from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.families.description import fingerprint
from semibandits.inputs.fields import nearest
from semibandits_server import wire
from semibandits_server.service import bodies, compilation, schemas, views
from semibandits_server.service.answers import RETRY, Refusal, answer
from semibandits_server.service.bounds import BoundWorker
from semibandits_server.service.catalogue import Catalogue, Served
from semibandits_server.service.gate import SLASH_IN_NAME, Exchange, exchange_of
from semibandits_server.service.metrics import Metrics
from semibandits_server.service.plans import PlanWorker

T = TypeVar("T", bound=wire.Request)
Call: TypeAlias = Callable[[Served, T, str | None, Exchange], wire.Record]
"""What changes a learner: its body, key, and what the log says of it, to the answer."""
KEY_HEADER: Final = "idempotency-key"
HEALTH_THREADS: Final = 2
LOGGER: Final = logging.getLogger("semibandits.service")
AWAY: Final = Refusal(
    503, "StorageError", "the storage must answer, got no answer, or an error: see the log of the service", RETRY
)
"""The answer to anyone, who learns nothing about the database."""


def api_routes(catalogue: Catalogue, bounds: BoundWorker, plans: PlanWorker) -> APIRouter:
    """The endpoints below ``/v1``."""
    router = APIRouter(prefix="/v1", tags=["learners"], responses=schemas.ERRORS, dependencies=[Depends(_only_known_parameters)])

    def served(name: str, request: Request) -> Served:
        name = name.replace(SLASH_IN_NAME, "/")
        exchange_of(request.scope).learner = name
        return catalogue.served(name)

    def changes(kind: type[T]) -> Callable[[Call[T]], Call[T]]:
        """Adds the endpoint of a call with this body."""

        def add(call: Call[T]) -> Call[T]:
            def endpoint(name: str, request: Request) -> Response:
                one, exchange = served(name, request), exchange_of(request.scope)
                body, keys = bodies.request_of(exchange.body, kind), request.headers.getlist(KEY_HEADER)
                if len(keys) > 1:
                    raise InvalidInputError(f"Idempotency-Key must be given once, got {len(keys)} of them: pass one")
                key = keys[0] if keys else None
                try:
                    found = call(one, body, key, exchange)
                except InvalidInputError:  # for labels that the learner has, or had, since it was replaced
                    again = catalogue.looked_up(one.learner.name)
                    if again.items.labels == one.items.labels:
                        raise
                    found = call(again, body, key, exchange)
                plans.notice(one)
                return answer(found)

            options = {"name": call.__name__, "description": call.__doc__, **schemas.takes(kind)}
            router.post(f"/learners/{{name}}/{kind.call}", **options)(endpoint)
            return call

        return add

    @router.get("/learners", **schemas.returns("Learners"))
    def list_learners() -> Response:
        """List the learners."""
        return answer(wire.Learners(tuple(views.counts(one) for one in catalogue.everything())))

    @router.get("/compilation", **schemas.returns("Compilation"))
    def compilation_state() -> Response:
        """What this process compiles in the background, for all learners."""
        return answer(compilation.state())

    @router.get("/learners/{name}", **schemas.returns("Summary"))
    def summary(name: str, request: Request) -> Response:
        """Describe a learner: its decisions, open rounds by age, best decision so far, and drift."""
        return answer(views.summary(served(name, request)))

    @router.get("/learners/{name}/estimates", **schemas.returns("Estimates"))
    def estimates(name: str, request: Request, error: Annotated[float, Query(gt=0.0, lt=1.0)] = 0.05) -> Response:
        """Plays, mean and interval of each item, and with features what is expected of it (`shrunk`).

        Intervals hold for all rounds at once with probability 1 - error.
        """
        return answer(views.estimates(served(name, request), error))

    @router.get("/learners/{name}/coefficients", **schemas.returns("Coefficients"))
    def coefficients(name: str, request: Request) -> Response:
        """Effects of the features, and the spread of items; an UnsupportedError (422) for a learner without features."""
        return answer(views.coefficients(served(name, request)))

    @router.get("/learners/{name}/confidence", **schemas.returns("Confidence"))
    def confidence(
        name: str,
        request: Request,
        within: Annotated[float, Query(ge=0.0, allow_inf_nan=False)] = 0.0,
        threshold: Literal["proved", "customary"] = "proved",
    ) -> Response:
        """How sure it is that the best decision so far is the best one, or worse by at most `within`."""
        return answer(wire.Confidence(served(name, request).learner.confidence(within, threshold=threshold)))

    @router.get("/learners/{name}/bound", **schemas.returns("Bound"))
    def bound(name: str, request: Request) -> Response:
        """The regret lower bound at the estimates and its exploration plan, solved in another process."""
        return answer(bounds.view(served(name, request)))

    @router.get("/learners/{name}/rounds", **schemas.returns("OpenRounds"))
    def rounds(
        name: str,
        request: Request,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        after: Annotated[int | None, Query(ge=0, le=wire.LARGEST)] = None,
    ) -> Response:
        """Open rounds, oldest first, with ids larger than `after`."""
        return answer(views.open_rounds(served(name, request), limit, after))

    @router.get("/learners/{name}/state", **schemas.returns("State"))
    def state(name: str, request: Request) -> Response:
        """The complete state, for `Learner.from_state`."""
        return answer(served(name, request).learner.state())

    @changes(wire.Ask)
    def ask(one: Served, body: wire.Ask, key: str | None, exchange: Exchange) -> wire.Rounds:
        """Open rounds and return them, with the next decisions."""
        given, seen, learner = bodies.available(body, one.items), bodies.known(body, one.items), one.learner
        asked = (
            (learner.ask(given, **seen, key=key),) if body.count == 1 else learner.ask_many(body.count, given, **seen, key=key)
        )
        exchange.round = asked[0].id
        return wire.Rounds(
            tuple(
                wire.Round(
                    each.id,
                    tuple(each.items.tolist()),
                    one.items.of(each.labels),
                    None if each.probabilities is None else tuple(each.probabilities.tolist()),
                )
                for each in asked
            )
        )

    @changes(wire.Tell)
    def tell(one: Served, body: wire.Tell, key: str | None, exchange: Exchange) -> wire.Told:
        """Observe the outcome of a round and close it."""
        exchange.round = body.round
        one.learner.tell(body.round, **bodies.outcome(body, one.items), partial=body.partial, key=key)
        return wire.Told(1)

    @changes(wire.TellMany)
    def tell_many(one: Served, body: wire.TellMany, key: str | None, exchange: Exchange) -> wire.Told:
        """Observe the outcomes of several rounds: of all, or of none if one is refused."""
        one.learner.tell_many(**bodies.outcomes(body.outcomes, one.items), partial=body.partial, key=key)
        return wire.Told(len(body.outcomes))

    @changes(wire.Forget)
    def forget(one: Served, body: wire.Forget, key: str | None, exchange: Exchange) -> wire.Forgotten:
        """Close a round whose outcome is lost."""
        exchange.round = body.round
        one.learner.forget(body.round, key=key)
        return wire.Forgotten((body.round,))

    @changes(wire.Expire)
    def expire(one: Served, body: wire.Expire, key: str | None, exchange: Exchange) -> wire.Forgotten:
        """Forget old open rounds: by age in rounds, by id, or by age in seconds."""
        return wire.Forgotten(tuple(old.id for old in one.learner.expire(key=key, **bodies.limit_of_age(body))))

    @changes(wire.Replace)
    def replace(one: Served, body: wire.Replace, key: str | None, exchange: Exchange) -> wire.Forgotten:
        """Go on with another decision set under this name; the answer has the rounds of which no item is left.

        Nothing is done if the learner has this set, so that a repeated call takes effect once.
        """
        decision_set, options = bodies.replacement(body)
        if fingerprint(decision_set) == fingerprint(one.learner.decision_set):
            return wire.Forgotten(())
        return wire.Forgotten(tuple(old.id for old in one.learner.replace(decision_set, **options)[1]))

    return router


def operation_routes(catalogue: Catalogue, metrics: Metrics) -> APIRouter:
    """Health and metrics, which do not wait for busy learners."""
    router = APIRouter(tags=["operation"], dependencies=[Depends(_only_known_parameters)])
    threads = anyio.CapacityLimiter(HEALTH_THREADS)

    @router.get("/health", **schemas.returns("Health"), responses=schemas.ERRORS)
    async def health() -> Response:
        """Whether the service and its database answer."""
        try:
            await anyio.to_thread.run_sync(catalogue.names, limiter=threads)
        except SemibanditsError as error:
            LOGGER.warning("the storage is away: %s", error)
            return AWAY.answer()
        return answer(wire.Health("ok", "ok"))

    @router.get("/metrics", **schemas.TEXT, responses=schemas.ERRORS)
    async def metrics_text() -> Response:
        """Metrics for Prometheus."""
        text = await anyio.to_thread.run_sync(metrics.text, limiter=threads)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    return router


async def _only_known_parameters(request: Request) -> None:
    """Refuse parameters of the URL that the endpoint does not have, or that occur twice."""
    given = [name for name, _ in request.query_params.multi_items()]
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise Refusal(
            422, "InvalidInputError", f"parameters of the URL must be among {', '.join(known) or '(none)'}, got "
            f"{unknown[0][:100]!r}{nearest(unknown[0], known, 'leave it out')}",
        )  # fmt: skip
    if len(set(given)) < len(given):
        raise Refusal(422, "InvalidInputError", "parameters of the URL must be given once, got one twice: drop it")
