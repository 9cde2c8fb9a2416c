"""URLs of databases: which are accepted, and what is shown of them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, quote_plus, unquote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from semibandits.errors import InvalidInputError
from semibandits.formats.printable import is_secret, url_without_password
from semibandits.formats.text import shortened
from semibandits.inputs.fields import nearest, shown

EXAMPLE: Final = "pass for instance 'sqlite:///routes.db'"
LONGEST: Final = 200
"""Characters of a malformed URL that are shown."""
LARGEST_PORT: Final = 65_535
SHORT: Final = 3
"""Passwords of so few characters are hidden in messages only where they are words."""


def checked_url(url: object) -> URL:
    """The URL of a file of SQLite or a server of PostgreSQL; databases in memory, and parameters that would be ignored, are
    refused. No message contains its password.
    """
    try:
        parsed = make_url(url)  # type: ignore[arg-type]
        str(url).encode()
    except (ArgumentError, ValueError):  # which may quote the password
        raise malformed(url) from None
    is_server = parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg")
    if not is_server and parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise InvalidInputError(
            f"url must begin with sqlite:/// or postgresql://, got {shown(parsed.drivername)}: other databases are not supported"
        )
    if "\0" in unquote(str(url)) or (parsed.port or 0) > LARGEST_PORT:
        raise malformed(url)
    return _server(parsed) if is_server else _file(parsed, url)


def _server(parsed: URL) -> URL:
    if "@" in (parsed.host or "") or (parsed.username is None and "@" in (parsed.database or "")):
        raise InvalidInputError(
            "url must have one @ after the password, got another one, or a / in the name of the user: write @ as %40 and / as %2F"
        )
    known = _parameters()
    for name, values in parsed.normalized_query.items():
        if known and name not in known:
            raise InvalidInputError(
                f"parameters of url must be those of PostgreSQL, got {shown(name)}{nearest(name, known, 'leave it out')}"
            )
        if len(values) > 1 and name not in ("host", "port"):
            raise InvalidInputError(f"parameters of url must be given once, got {shown(name)} twice: drop one")
    return parsed.set(drivername="postgresql+psycopg")


def _file(parsed: URL, url: object) -> URL:
    is_placed = any(part is not None for part in (parsed.username, parsed.password, parsed.host, parsed.port))
    if is_placed or parsed.database in (None, "", ":memory:") or str(parsed.database).startswith("file:"):
        raise InvalidInputError(f"url must name a file after three slashes, got {_shortly(url)}: {EXAMPLE}, or use sb.Learner")
    if parsed.query:
        raise InvalidInputError(
            f"url must have no parameters for a file of SQLite, got {shown(next(iter(parsed.query)))}: leave out what follows ?"
        )
    return parsed


def _parameters() -> tuple[str, ...]:
    """Names of the parameters that the library of PostgreSQL knows; none if it is not installed, which is found later."""
    try:
        from psycopg.pq import Conninfo
    except ImportError:
        return ()
    return tuple(option.keyword.decode() for option in Conninfo.get_defaults())


def malformed(url: object) -> InvalidInputError:
    """The error for a text that is no URL of a database."""
    return InvalidInputError(f"url must be the URL of a database, got {_shortly(url)}: {EXAMPLE}")


def _shortly(url: object) -> str:
    return shortened(repr(url_without_password(str(url))), LONGEST)


def shown_url(url: URL) -> str:
    """The URL for messages, without passwords."""
    return url_without_password(url.render_as_string(hide_password=True))


def secrets_of(url: URL) -> re.Pattern[str]:
    """A pattern of the passwords of a URL, as they are and encoded, for messages of drivers."""
    hidden = [value for name, values in url.normalized_query.items() if is_secret(name) for value in values]
    plain = [str(value) for value in (url.password, *hidden) if value]
    forms = sorted({form for value in plain for form in (value, quote(value), quote_plus(value))}, key=len)
    return re.compile(
        "|".join(rf"{re.escape(form)}" if len(form) > SHORT else rf"\b{re.escape(form)}\b" for form in forms[::-1]) or "(?!)"
    )
