"""The client of a service."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, final

from semibandits_server.client.learner import RemoteLearner
from semibandits_server.client.transport import Transport
from semibandits_server.wire import Learners, ListedLearner


@final
class Client:
    """Client of a service of learners; may be shared by threads.

    Requests that get no answer, and those answered with the status 429, 502, 503 or 504, are repeated. Each call that changes a
    learner has a key, the same in all attempts, so that the service carries it out once.

    Parameters
    ----------
    url : str
        Where the service is, such as ``"http://127.0.0.1:8000"``.
    token : str, optional
        Token of the service. It is not part of any text or message.
    timeout : float
        Seconds that one attempt may take.
    retries : int
        Number of repetitions. With 6, a service that is away for some 8 seconds goes unnoticed.

    Raises
    ------
    InvalidInputError
        If an argument is malformed.

    Examples
    --------
    >>> from semibandits.client import Client
    >>> with Client("http://127.0.0.1:8000", timeout=5.0, retries=2) as client:
    ...     client.learner("courier")  # docs/client.md has a conversation with a service
    RemoteLearner('courier' at http://127.0.0.1:8000)
    >>> Client("127.0.0.1:8000")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: ...
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 10.0, retries: int = 6) -> None:
        self._transport = Transport(url, token, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        return f"Client({self._transport.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def health(self) -> dict[str, Any]:
        """State of the service and of its storage.

        Raises
        ------
        ServiceError, StorageError
            If the service, or its storage, does not answer.
        """
        return self._transport.get("/health", dict)

    def learners(self) -> tuple[ListedLearner, ...]:
        """The learners of the service.

        Raises
        ------
        ServiceError
            If the service does not answer, or refuses the token.
        """
        return self._transport.get("/v1/learners", Learners.of).learners

    def learner(self, name: str) -> RemoteLearner:
        """A learner by its name; no request is sent.

        Raises
        ------
        InvalidInputError
            If the name is no text.
        """
        return RemoteLearner(self._transport, name)
