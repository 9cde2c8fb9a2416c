"""The learners that the service serves, opened once each."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from functools import partial
from typing import Final, TypeAlias, final

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.texts import NamedItems
from semibandits.inputs.fields import unknown_name
from semibandits.policies.base import Policy
from semibandits_server.database import journal
from semibandits_server.database.durable import DurableLearner
from semibandits_server.database.opening import existing, reopened
from semibandits_server.service.answers import Refusal
from semibandits_server.service.compilation import compile_for
from semibandits_server.service.item_labels import ItemLabels
from semibandits_server.service.settings import Settings

Own: TypeAlias = tuple[DecisionSet | None, Policy | None]
"""A decision set and a policy of the user, each None if it is one of the library."""
LOGGER: Final = logging.getLogger("semibandits.service")


@final
class Served:
    """A learner with what does not change about it until it is replaced."""

    def __init__(self, learner: DurableLearner) -> None:
        self.learner, self.created, self.decision_set = learner, learner._stored.created, learner.decision_set
        self.items, self.names = ItemLabels(learner.decision_set.items), NamedItems.of(learner.decision_set)
        self.defers_plans = learner._read(lambda one: one._options.defer_plans)  # whether plans are solved in the background

    @property
    def is_current(self) -> bool:
        """Whether the learner has not been replaced, as far as this process knows."""
        return self.learner.decision_set is self.decision_set


@final
class Catalogue:
    """Learners by name, opened at their first request. `own`: decision set and policy of each learner for which one of them is
    not of the library; None stands for one of the library.
    """

    def __init__(self, url: str, settings: Settings, own: Mapping[str, Own]) -> None:
        for name, pair in own.items():
            is_pair = isinstance(pair, tuple) and len(pair) == 2
            if not is_pair or not isinstance(pair[0], DecisionSet | None) or not isinstance(pair[1], Policy | None):
                raise InvalidInputError(
                    f"learners must be a mapping from names to (decision_set, policy), got {pair!r} for {name!r}: pass None for "
                    "what is of the library"
                )
        self._url, self._settings, self._own = url, settings, dict(own)
        self._backend = existing(url, timeout=settings.storage_timeout)
        self._opening = threading.Lock()
        self._opened: dict[str, Served] = {}
        self.shown = self._backend.shown
        self._unserved: set[str] = set()

    @property
    def opened(self) -> list[Served]:
        """The learners that are open."""
        return list(self._opened.values())

    def names(self, *, current: bool = True) -> list[str]:
        """Names of the learners to serve, in alphabetical order; without those that were replaced if `current`."""
        chosen, found = self._settings.names, self._backend.run(partial(journal.names, current=current), reads=True)
        return [name for name in found if chosen is None or name in chosen]

    def compile(self) -> None:
        """Have the kernels of all learners compiled in the background."""
        for name in self.names():
            self._compile(name)

    def _compile(self, name: str) -> None:
        """The same for a learner; the child process cannot rebuild sets and policies of the user."""
        if all(part is None for part in self._own.get(name, ())):
            compile_for(self._url, name)

    def served(self, name: str) -> Served:
        """The learner of this name; `Refusal` if there is none, or it needs a set or a policy of the user that was not given."""
        found = self._opened.get(name)
        if found is not None and found.is_current:
            return found
        with self._opening:
            found = self._opened.get(name)
            if found is None or not found.is_current:
                self._opened[name] = self._open(name) if found is None else Served(found.learner)
                self._compile(name)
            return self._opened[name]

    def looked_up(self, name: str) -> Served:
        """The learner of this name after a look at the database, which shows if it was replaced.

        Its labels are also those of items that have left, in open rounds.
        """
        rounds = self.served(name).learner.open_rounds
        served = Served(self.served(name).learner)
        gone = dict.fromkeys(label for asked in rounds for label in asked.gone or ())
        if gone:
            served.items = ItemLabels((*served.items.labels, *(label for label in gone if label not in served.items.labels)))
        return served

    def everything(self) -> list[Served]:
        """All learners that can be served; others are logged once."""
        result = []
        for name in self.names():
            try:
                result.append(self.served(name))
            except Refusal as refusal:
                if name not in self._unserved:
                    LOGGER.warning("a learner is not served: %s", refusal.message, extra={"learner": name})
                self._unserved.add(name)
        return result

    def drop(self, name: str) -> None:
        """Open the learner again at its next request."""
        self._opened.pop(name, None)

    def close(self) -> None:
        """Close all connections."""
        for served in self.opened:
            served.learner.close()
        self._backend.close()

    def _open(self, name: str) -> Served:
        known = self.names(current=False)
        if name not in known:
            message = f"learner must be a known name, got {name!r}, and the database has none to serve: create one"
            raise Refusal(404, "InvalidInputError", str(unknown_name("learner", name, known)) if known else message)
        decision_set, policy = self._own.get(name, (None, None))
        timeout = self._settings.storage_timeout
        try:
            return Served(reopened(self._url, name, decision_set=decision_set, policy=policy, timeout=timeout))
        except InvalidInputError as error:
            raise Refusal(
                409,
                "InvalidInputError",
                f"the learner {name!r} must have a decision set and a policy of the library, got: {error}; serve your own from "
                "Python, with semibandits.service.create_app(url, learners={name: (decision_set, policy)})",
            ) from error
