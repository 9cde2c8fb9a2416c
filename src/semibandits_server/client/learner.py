"""A learner of a service, with the methods of a local one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from numbers import Real
from typing import Any, Final, final
from urllib.parse import quote

from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import Outcome, Outcomes, listed_outcomes, number_of_rounds, one_of, round_number, whole_number
from semibandits_server import wire
from semibandits_server.client.labels import (
    encoded_available,
    encoded_context,
    encoded_features,
    encoded_labels,
    encoded_numbers,
    encoded_outcome,
)
from semibandits_server.client.transport import Transport
from semibandits_server.wire import Bound, Coefficient, Estimates, Forgotten, OpenRound, OpenRounds, Round, Rounds, Summary

PAGE: Final = 500
"""Number of open rounds that one request returns."""


@final
class RemoteLearner:
    """A learner of a service; `Client.learner` creates it.

    Its methods are those of :class:`semibandits.Learner`, and each is one request. All of them raise a `ServiceError` if the
    service does not answer or refuses the token, a `StorageError` if its storage does not answer, and an `InvalidInputError` if
    there is no learner of this name or an argument is malformed.

    `key` is the name of a call: a repeated call with the same key is carried out once. Without it, each call has a new one, which
    only its own attempts share; pass a key to repeat a call after a crash.

    Attributes
    ----------
    name : str
        Name of the learner.

    Examples
    --------
    >>> from semibandits.client import Client
    >>> client = Client("http://127.0.0.1:9", retries=0)  # no service runs there; docs/client.md has one that answers
    >>> learner = client.learner("courier")
    >>> learner.expire(age=100, seconds=60.0)
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: one of age, before and seconds must be given, got 2: pass for instance age=1000
    >>> try:
    ...     learner.ask(key="order 4711")
    ... except sb.ServiceError:
    ...     print("repeat the call with its key")
    repeat the call with its key
    >>> client.close()
    """

    def __init__(self, transport: Transport, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidInputError(f"name must be the name of a learner, got {name!r}: Client.learners() lists them")
        self.name = name
        self._transport, self._path = transport, f"/v1/learners/{quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"RemoteLearner({self.name!r} at {self._transport.url})"

    def ask(
        self,
        available: Iterable[Hashable] | Callable[[Any], bool] | None = None,
        *,
        unavailable: Iterable[Hashable] | Callable[[Any], bool] | None = None,
        features: Any = None,
        context: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Round:
        """Open a round and return it.

        Parameters
        ----------
        available : collection of labels, mask, mapping from label to bool, or callable, optional
            What can be chosen in this round; everything by default. A function of a label is called here, for the labels of
            :meth:`estimates`, which is one more request.
        unavailable : collection of labels, optional
            What cannot be chosen; an alternative to `available`.
        features : frame, or mapping from label to a row, optional
            Features of items in this round, see :meth:`semibandits.Learner.ask`.
        context : mapping from name to value, optional
            What is known of this round.
        key : str, optional
            Name of this call.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        """
        (asked,) = self.ask_many(1, available, unavailable=unavailable, features=features, context=context, key=key)
        return asked

    def ask_many(
        self,
        count: int,
        available: Iterable[Hashable] | Callable[[Any], bool] | None = None,
        *,
        unavailable: Iterable[Hashable] | Callable[[Any], bool] | None = None,
        features: Any = None,
        context: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> tuple[Round, ...]:
        """Open several rounds at once: all of them, or none if an error occurs.

        Parameters
        ----------
        count : int
            Number of rounds.
        available, unavailable, features, context, key
            As for `ask`.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        """
        number = number_of_rounds(count)

        def made(data: dict[str, Any]) -> tuple[Round, ...]:
            rounds = Rounds.of(data).rounds
            if len(rounds) != number:
                raise ValueError(f"{len(rounds)} rounds instead of {number}")
            return rounds

        if available is not None and unavailable is not None:
            raise InvalidInputError("one of available and unavailable must be given, got both: pass one of them")
        if callable(available):
            available = {item.label: bool(available(item.label)) for item in self.estimates().items}
        items: Any = None if available is None else encoded_available(available)
        if unavailable is not None:
            items = wire.Available(excepted=encoded_labels(unavailable, "unavailable"))
        body = wire.Ask(
            available=items,
            features=None if features is None else encoded_features(features),
            context=None if context is None else encoded_context(context),
            count=number,
        )
        asked: tuple[Round, ...] = self._post(body, key, made)
        return asked

    def tell(
        self,
        round_id: int,
        rewards: Outcome | None = None,
        *,
        costs: Outcome | None = None,
        partial: bool = False,
        key: str | None = None,
    ) -> None:
        """Observe the outcome of a round and close it.

        Parameters
        ----------
        round_id : int
            Number of the round.
        rewards, costs : sequence of float, or mapping from label to float
            One of the two: one number per item of the round in its order, or by label.
        partial : bool
            Whether items may be unobserved: None or NaN in a sequence, or missing in a mapping.
        key : str, optional
            Name of this call.

        Raises
        ------
        InvalidInputError
            If there is no such open round, or the outcome is malformed.
        """
        outcome, in_costs = one_of(rewards, costs, "rewards")
        self._post(wire.Tell(**_told(round_id, outcome, in_costs), partial=bool(partial)), key)

    def tell_many(
        self,
        outcomes: Outcomes | None = None,
        *,
        costs: Outcomes | None = None,
        partial: bool = False,
        key: str | None = None,
        rewards: Outcomes | None = None,
    ) -> None:
        """Observe the outcomes of several rounds, of all or of none.

        Parameters
        ----------
        outcomes, costs : mapping from round id to rewards or costs, or iterable of such pairs
            One of the two.
        partial, key
            As for `tell`.
        rewards
            Another name of `outcomes`.

        Raises
        ------
        InvalidInputError
            If an outcome is malformed, or a round is not open or occurs twice.
        """
        if rewards is not None:
            outcomes, _ = one_of(rewards, outcomes, "rewards", "outcomes")
        listed, in_costs = listed_outcomes(outcomes, costs)
        told = [wire.Observed(**_told(number, outcome, in_costs)) for number, outcome in listed]
        self._post(wire.TellMany(outcomes=told, partial=bool(partial)), key)

    def forget(self, round_id: int, *, key: str | None = None) -> None:
        """Close a round whose outcome is lost.

        Raises
        ------
        InvalidInputError
            If there is no such open round.
        """
        self._post(wire.Forget(round=round_number(round_id)), key)

    def expire(
        self, *, age: int | None = None, before: int | None = None, seconds: float | None = None, key: str | None = None
    ) -> tuple[int, ...]:
        """Forget old open rounds, and return their numbers.

        Parameters
        ----------
        age : int
            Forget rounds after which more than so many were asked for.
        before : int
            Forget rounds with a smaller number.
        seconds : float
            Forget rounds asked for more than so many seconds ago.
        key : str, optional
            Name of this call.

        Raises
        ------
        InvalidInputError
            Unless one limit is given.
        """
        limits = {"age": age, "before": before, "seconds": seconds}
        given: dict[str, Any] = {name: value for name, value in limits.items() if value is not None}
        if len(given) != 1:
            raise InvalidInputError(f"one of age, before and seconds must be given, got {len(given)}: pass for instance age=1000")
        if seconds is None:
            given = {name: min(whole_number(value, name), wire.LARGEST) for name, value in given.items()}
        answer: Forgotten = self._post(wire.Expire(**given), key)
        return answer.forgotten

    def replace(
        self,
        decision_set: Mapping[str, Any],
        *,
        variance: float | Mapping[Hashable, float] | None = None,
        prior_means: float | Mapping[Hashable, float] | None = None,
        prior_plays: int | Mapping[Hashable, int] | None = None,
        prior_costs: float | Mapping[Hashable, float] | None = None,
    ) -> tuple[int, ...]:
        """Go on with another decision set under the same name; see :meth:`semibandits.Learner.replace`.

        Parameters
        ----------
        decision_set : mapping
            The new decisions, as :func:`semibandits.instances.describe` returns them. With those of the learner, nothing is done.
        variance, prior_means, prior_plays, prior_costs : number, or mapping from label to number, optional
            As for :meth:`semibandits.Learner.replace`.

        Returns
        -------
        tuple of int
            Numbers of open rounds all of whose items have left. Other rounds stay open; tell their outcomes by label.
        """
        if not isinstance(decision_set, Mapping):
            raise InvalidInputError(
                f"decision_set must be a mapping, got {decision_set!r:.80}: pass semibandits.instances.describe(decision_set)"
            )
        given = {"variance": variance, "prior_means": prior_means, "prior_plays": prior_plays, "prior_costs": prior_costs}
        numbers: dict[str, Any] = {name: encoded_numbers(values, name) for name, values in given.items() if values is not None}
        answer: Forgotten = self._post(wire.Replace(decision_set=dict(decision_set), **numbers), None)
        return answer.forgotten

    def summary(self) -> Summary:
        """The learner at a glance: rounds, best decision, open rounds, drift."""
        return self._transport.get(self._path, Summary.of)

    def estimates(self) -> Estimates:
        """Estimated mean rewards of all items, with intervals that hold for all rounds at once."""
        return self._transport.get(f"{self._path}/estimates", Estimates.of)

    def coefficients(self) -> tuple[Coefficient, ...]:
        """What the features say of the items; see :meth:`semibandits.Learner.coefficients`.

        Raises
        ------
        UnsupportedError
            If the learner has no features.
        """
        return self._transport.get(f"{self._path}/coefficients", wire.Coefficients.of).coefficients

    def confidence(self, within: float = 0.0, *, threshold: str = "proved") -> float:
        """How sure it is that the best decision so far is the best one, in [0, 1]; see :meth:`semibandits.Learner.confidence`.

        Parameters
        ----------
        within : float
            By how much it may be worse than the best decision, >= 0.
        threshold : {"proved", "customary"}
            Which threshold to use.

        Raises
        ------
        InvalidInputError
            If an argument is malformed.
        UnsupportedError
            If the learner has a half-life.
        """
        number = float(within) if isinstance(within, Real) else repr(within)  # which the service refuses
        query = {"within": number, "threshold": str(threshold)}
        return self._transport.get(f"{self._path}/confidence", wire.Confidence.of, **query).confidence

    def bound(self) -> Bound:
        """C(θ) at the estimates, and exploration against its plan; the service computes it in the background."""
        return self._transport.get(f"{self._path}/bound", Bound.of)

    def open_rounds(self) -> tuple[OpenRound, ...]:
        """Rounds neither told nor forgotten, oldest first."""
        found: list[OpenRound] = []
        after: int | None = None

        def made(data: Any) -> OpenRounds:
            page = OpenRounds.of(data)
            if page.next is not None and page.next <= (-1 if after is None else after):  # which would not end
                raise ValueError(f"next = {page.next!r} on the page after {after}")
            return page

        while True:
            page = self._transport.get(f"{self._path}/rounds", made, limit=PAGE, after=after)
            found += page.rounds
            after = page.next
            if after is None or not page.rounds:
                return tuple(found)

    def state(self) -> dict[str, Any]:
        """The complete state, for :meth:`semibandits.Learner.from_state`."""
        return self._transport.get(f"{self._path}/state", dict)

    def _post(self, body: wire.Request, key: str | None, make: Callable[[Any], Any] | None = None) -> Any:
        """The answer to a call, read by `make`, by default as its record."""
        return self._transport.post(f"{self._path}/{body.call}", body, make or body.answer.of, key)


def _told(round_id: object, outcome: Outcome, in_costs: bool) -> dict[str, Any]:
    """The outcome of a round as JSON."""
    number, name = round_number(round_id), "costs" if in_costs else "rewards"
    return {"round": number, name: encoded_outcome(outcome, name, number)}
