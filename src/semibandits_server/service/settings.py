"""Settings of the service, and their validation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from semibandits.errors import InvalidInputError

TOKEN_VARIABLE: Final = "SEMIBANDITS_TOKEN"
SHORTEST_TOKEN: Final = 16
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]+")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the service.

    Parameters
    ----------
    token : str, optional
        The bearer token that requests must carry, of at least 16 letters, digits and ``._~+/=-``. Without one, only clients on
        this machine are answered, and only under the names of this machine.
    names : tuple of str, optional
        The learners to serve; by default all in the database, also those that are created later.
    body_limit : int
        Largest size of a body in bytes, >= 1,000.
    rate : float, optional
        Largest number of requests a second from one client in the long run, > 0; by default not limited.
    storage_timeout : float
        Number of seconds to wait while the database is locked or gone, >= 0.
    bound_seconds : float
        Time limit of a lower bound at the estimates, > 0.
    bound_age : float
        Smallest number of seconds between two bounds of a learner, >= 0.

    Raises
    ------
    InvalidInputError
        If a value is outside its range.
    """

    token: str | None = None
    names: tuple[str, ...] | None = None
    body_limit: int = 1_000_000
    rate: float | None = None
    storage_timeout: float = 10.0
    bound_seconds: float = 60.0
    bound_age: float = 30.0

    def __post_init__(self) -> None:
        if self.token is not None and not (len(self.token) >= SHORTEST_TOKEN and _TOKEN.fullmatch(self.token)):
            raise InvalidInputError(
                f"the token must consist of at least {SHORTEST_TOKEN} letters, digits and ._~+/=-, got {len(self.token)} "
                "characters: make one with python -c 'import secrets; print(secrets.token_urlsafe(32))'"
            )
        for name, least, largest, unit in _RANGES:
            value = getattr(self, name)
            if value is not None and not least <= value <= largest:
                raise InvalidInputError(
                    f"{name} must be from {least:,g} to {largest:,g} {unit}, got {value!r}: choose another value"
                )


_RANGES: Final = (
    ("body_limit", 1_000, 2**28, "bytes"),
    ("rate", 0.001, 1e6, "requests a second"),
    ("storage_timeout", 0, 1e6, "seconds"),
    ("bound_seconds", 0.001, 1e6, "seconds"),
    ("bound_age", 0, 1e6, "seconds"),
)
