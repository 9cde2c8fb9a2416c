"""Texts from outside that are safe to show: without control characters, and without passwords."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_plus

HIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that control a terminal, change the direction or the lines of a text, or are not allowed in UTF-8 or XML."""
_URL: Final = re.compile(r"([\w+.-]://)(\S+)")  # here and below only as much as decides: long texts take linear time
_CREDENTIALS: Final = re.compile(r"^([^:/@?]*):.*@", re.DOTALL)
_NO_PORT: Final = re.compile(r"""^([^:/@?\[]*):(?!(?:\d{0,5}|\*{3})(?:[/?]|['"),;.:>\]]*$)).*""", re.DOTALL)
"""A password whose host is missing stands where a port is expected."""
_NO_SCHEME: Final = re.compile(r"[:@?=](?!\\).*", re.DOTALL)
_PARAMETER: Final = re.compile(r"([?&])([^=&?]*)=([^&]*)")
_SECRET_NAME: Final = re.compile("pass|pwd|secret|token|key|cred|conninfo|dsn", re.IGNORECASE)
_ASSIGNMENT: Final = re.compile(r"(password|passwd|pwd|secret)(\s*=\s*)('[^']*'|[^\s&?*]+)", re.IGNORECASE)


def visible(text: str) -> str:
    r"""The text on one line, with control characters and surrogates as escapes such as ``\x1b``."""
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def is_secret(name: str) -> bool:
    """Whether a parameter of a URL is a password, or may contain one."""
    return _SECRET_NAME.search(unquote_plus(name)) is not None


def without_passwords(text: str) -> str:
    """The text with ``***`` for passwords: in URLs, also malformed ones, in their parameters, and after ``password=``."""
    text = _URL.sub(lambda found: found[1] + _without_password(found[2]), text)
    return _ASSIGNMENT.sub(r"\1\2***", text)


def url_without_password(url: str) -> str:
    """The same for a text that should be a URL and may contain spaces; without a scheme, what may be a password is cut off."""
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}{_without_password(rest)}" if mark else _NO_SCHEME.sub(":***", url)


def _without_password(rest: str) -> str:
    """The same for a URL after its scheme."""
    rest, n_found = _CREDENTIALS.subn(r"\1:***@", rest)
    rest = rest if n_found else _NO_PORT.sub(r"\1:***", rest)
    return _PARAMETER.sub(lambda found: f"{found[1]}{found[2]}=***" if is_secret(found[2]) else found[0], rest)
