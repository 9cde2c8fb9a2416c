"""Open learners in a database."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from semibandits._typing import ArrayLike
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, StorageError
from semibandits.features.design import Design
from semibandits.formats.text import shortened
from semibandits.inputs.arguments import hinted
from semibandits.inputs.fields import nearest, unknown_name
from semibandits.inputs.labelled import in_item_order
from semibandits.inputs.validation import as_floats
from semibandits.laws import Law, law_from
from semibandits.learning import storage
from semibandits.learning.arguments import Seed, generator_of
from semibandits.learning.learner import Learner
from semibandits.learning.operations import Payload
from semibandits.learning.options import Options
from semibandits.policies.base import Policy
from semibandits.policies.glade import GLADE
from semibandits.policies.prior import Prior
from semibandits_server.database.durable import DurableLearner
from semibandits_server.database.entries import checked_name, new_name

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from semibandits_server.database.backend import Backend
    from semibandits_server.database.journal import Stored

TIMEOUT: Final = 10.0
LONGEST_TIMEOUT: Final = 1e6
SNAPSHOT_EVERY: Final = 1_000
DRIFT_ERROR: Final = 0.01
USUAL: Final = Options(drift_error=DRIFT_ERROR)
"""Options that are left out."""


@hinted
def open_learner(
    url: str,
    *,
    name: str,
    decision_set: DecisionSet | None = None,
    policy: Policy | None = None,
    variance: ArrayLike | None = None,
    law: Law | str | None = None,
    seed: Seed | None = None,
    prior_means: ArrayLike | None = None,
    prior_plays: ArrayLike | None = None,
    prior_costs: ArrayLike | None = None,
    features: Any = None,
    context: Any = None,
    half_life: float | None = None,
    drift_error: float | None = DRIFT_ERROR,
    defer_plans: bool = False,
    probability_draws: int | None = None,
    snapshot_every: int = SNAPSHOT_EVERY,
    timeout: float = TIMEOUT,
) -> DurableLearner:
    """Open a learner in a database, or create it if there is none of this name.

    It needs SQLAlchemy, ``pip install sqlalchemy``; PostgreSQL also needs ``pip install "psycopg[binary]"``.

    Parameters
    ----------
    url : str
        ``sqlite:///routes.db`` for a file (``sqlite:////`` with an absolute path), or ``postgresql://user@host/database``.
    name : str
        Name of the learner, 1 to 200 printable characters.
    decision_set : DecisionSet, optional
        The decisions. Required for a new learner, and if the set is your own; sets of the library are rebuilt.
    policy, variance, law, prior_means, prior_plays, prior_costs, features, context, half_life, defer_plans, probability_draws
        As for :class:`Learner`. An existing learner must have those that are given.
    seed : int, SeedSequence, or Generator over PCG64, optional
        The source of randomness, 0 by default. A generator is copied. An existing learner must have started from it, if given.
    drift_error : float, optional
        As for :class:`Learner`; None checks nothing. An existing learner keeps its own; a value that is neither this default nor
        None must be the same.
    snapshot_every : int
        Number of calls after which the state is stored, or of rounds that `ask_many` opens, >= 1: opening replays no more.
    timeout : float
        Number of seconds to wait while the database is locked or gone, >= 0.

    Returns
    -------
    DurableLearner
        The learner, after all calls that any process has stored.

    Raises
    ------
    InvalidInputError
        If an argument is malformed, or is not that of the existing learner.
    StorageError
        If the database cannot be used, its journal is damaged, or a package is missing.

    Examples
    --------
    >>> articles = sb.MSets(3, 1, items=["arts", "science", "sport"])
    >>> with sb.open_learner("sqlite:///shop.db", name="articles", decision_set=articles, variance=0.25) as learner:
    ...     shown = learner.ask()
    >>> with sb.open_learner("sqlite:///shop.db", name="articles") as learner:  # later, in another process
    ...     learner.tell(shown.id, [1.0])
    ...     print(learner.rounds, learner.plays.sum())
    1 1
    """
    if isinstance(snapshot_every, bool) or not isinstance(snapshot_every, int) or snapshot_every < 1:
        raise InvalidInputError(f"snapshot_every must be an integer >= 1, got {snapshot_every!r}: leave it out for 1,000")
    options = Options.of(drift_error, half_life, defer_plans, probability_draws)
    beliefs: dict[str, Any] = {"prior_means": prior_means, "prior_plays": prior_plays, "prior_costs": prior_costs}
    backend = new_backend(url, timeout=timeout)
    checked_name(name)
    backend.prepare(create=True)
    stored = _found(backend, name)
    if stored is None:
        if decision_set is None:
            from semibandits_server.database import journal

            unknown, names = new_name(name), backend.run(journal.names, reads=True)
            raise InvalidInputError(
                f"decision_set must be given for a new learner, got None, and {backend.shown} has no learner {unknown!r}"
                f"{nearest(unknown, names, 'pass one, or the name of an existing learner')}"
            )
        new = Learner(
            decision_set,
            policy,
            variance=variance,
            law=law,
            seed=0 if seed is None else copy.deepcopy(seed),
            **beliefs,
            features=features,
            context=context,
            **options.state(),
        )
        stored = _created(backend, new_name(name), new.state())
    if policy is not None or law is not None:
        policy = (GLADE() if policy is None else policy).for_law(None if law is None else law_from(law))
    learner = DurableLearner(backend, stored, decision_set=decision_set, policy=policy, snapshot_every=snapshot_every)
    _check_same(stored, learner.decision_set, variance, seed, beliefs, (features, context), options)
    return learner


def store_new(url: str, name: str, learner: Learner) -> str:
    """Store a learner under a new name, and return the URL without a password."""
    from semibandits_server.database import journal

    backend = new_backend(url)
    backend.prepare(create=True)
    if name in backend.run(journal.names, reads=True):
        raise InvalidInputError(
            f"the name must be new in {backend.shown}, got {name!r}, which exists: choose another one, or see it with "
            "semibandits learner show"
        )
    _created(backend, new_name(name), learner.state())
    backend.close()
    return backend.shown


def reopened(
    url: str,
    name: str,
    *,
    decision_set: DecisionSet | None = None,
    policy: Policy | None = None,
    snapshot_every: int = SNAPSHOT_EVERY,
    timeout: float = TIMEOUT,
) -> DurableLearner:
    """Open a learner that exists; a decision set or a policy that is not that of the learner is refused."""
    backend = existing(url, timeout=timeout)
    return DurableLearner(
        backend, stored_learner(backend, name), decision_set=decision_set, policy=policy, snapshot_every=snapshot_every
    )


def existing(url: str, *, timeout: float = TIMEOUT) -> Backend:
    """A database with tables of learners; `StorageError` if it has no such tables."""
    backend = new_backend(url, timeout=timeout)
    backend.prepare(create=False)
    return backend


def stored_learner(backend: Backend, name: str) -> Stored:
    """The learner of this name, which must exist."""
    stored = _found(backend, checked_name(name))
    if stored is None:
        from semibandits_server.database import journal

        raise unknown_name("learner", name, backend.run(journal.names, reads=True))
    return stored


def stored_size(url: str, name: str) -> int | None:
    """Number of items of a learner, which is not rebuilt; None if there is no such learner."""
    backend = existing(url)
    from semibandits_server.database import journal

    state = backend.run(lambda connection: journal.latest_state(connection, name), reads=True)
    backend.close()
    return None if state is None else storage.stored_size(state.get("statistics"))


def new_backend(url: str, *, timeout: float = TIMEOUT) -> Backend:
    """Connections to a database, which is not used yet; `StorageError` if a package is missing."""
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 <= timeout <= LONGEST_TIMEOUT:
        raise InvalidInputError(f"timeout must be a number of seconds from 0 to 1e6, got {timeout!r}: leave it out for 10")
    check_sqlalchemy()
    from semibandits_server.database.backend import Backend

    return Backend(url, timeout=timeout)


def check_sqlalchemy() -> None:
    """Raise StorageError with the command that installs SQLAlchemy if it is missing; call it before modules that import it."""
    try:
        import sqlalchemy  # noqa: F401 (for the message)
    except ImportError as error:
        raise StorageError(
            "learners in a database need SQLAlchemy, which is not installed: run pip install sqlalchemy"
        ) from error


def _found(backend: Backend, name: str) -> Stored | None:
    from semibandits_server.database import journal

    return backend.run(lambda connection: journal.find(connection, name), reads=True)


def _created(backend: Backend, name: str, state: Payload) -> Stored:
    """A new learner, or the one that another process has just created."""
    from semibandits_server.database import journal

    def work(connection: Connection) -> Stored | None:
        stored = journal.create(connection, name, journal.specification_of(state))
        if stored is not None:
            stored.add_snapshot(connection, 0, state)
        return stored

    return backend.run(work) or stored_learner(backend, name)


def _check_same(
    stored: Stored,
    decision_set: DecisionSet,
    variance: ArrayLike | None,
    seed: Seed | None,
    beliefs: dict[str, Any],
    features: tuple[Any, Any],
    options: Options,
) -> None:
    """Check that a stored learner has the arguments that are given; its set and policy are checked when it is restored."""
    found: dict[str, Any] = {}
    if variance is not None:
        found["variance"] = as_floats(in_item_order(variance, decision_set, "variance"), "variance").tolist()
    if seed is not None:
        found["generator"] = storage.generator_state(generator_of(copy.deepcopy(seed)))
    prior = Prior.of(beliefs["prior_means"], beliefs["prior_plays"], decision_set, costs=beliefs["prior_costs"])
    if prior is not None:
        kept = stored.specification.get("prior") or {}
        is_short = not all(isinstance(values, list) for values in kept.values())
        found["prior"] = storage.prior_state(prior, changes_only=is_short)
    if features[0] is not None:
        found["features"] = Design.of(features[0], decision_set, features[1]).state()
    found |= {name: value for name, value in options.state().items() if value != getattr(USUAL, name)}
    for name, value in found.items():
        expected = stored.specification.get(name)
        if value != expected:
            shown, wanted, got = name, f", {shortened(repr(expected), 100)}", value
            if name == "generator":
                shown, wanted, got = "seed", "", seed
            elif name == "features" and None not in (value, expected):
                old, new = (Design.restored(each, decision_set).text for each in (expected, value))
                wanted, got = f", {old}", new if old != new else "other values"
            raise InvalidInputError(
                f"{shown} must be that of the learner {stored.name!r}{wanted}, got {shortened(repr(got), 100)}: leave it out, or "
                "choose another name for a new learner"
            )
