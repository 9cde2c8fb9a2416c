"""What stands in the page as text, and so is there without scripts: title, answers, provenance, commands."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

LONG: Final = 34
"""Headlines with more characters than this are set smaller, as are those with a word that would not fit on a line."""
LONG_WORD: Final = 13
VERY_LONG: Final = 90
OTHER_REWARDS: Final = (
    "It is the bound for independent Gaussian rewards with the same means and told variances. The rewards simulated here "
    "are others, and it bounds nothing for them."
)
SCRIPTED: Final = ' class="scripted" hidden'
"""Marks what is empty until the script has filled it, and is shown by it."""
_CAPITALS: Final = re.compile("(?<=[a-z])(?=[A-Z])")
"""Where a name like ThompsonSampling may be broken."""


def slots_of(payload: Mapping[str, Any]) -> dict[str, str]:
    """Markup for the places in ``page.html``; every text of the payload in it is escaped.

    Parameters
    ----------
    payload : mapping
        The payload of :func:`semibandits.reporting.page.render`.
    """
    tables = payload.get("tables") or {}
    title = _text(payload.get("title")) or "Report"
    version = _text(payload.get("version"))
    provenance = list(tables.get("provenance") or ())
    if payload.get("note") and payload["note"] not in {row.get("text") for row in provenance}:
        provenance.insert(0, {"label": "Note", "text": payload["note"]})
    return {
        "title": title,
        "subtitle": _wrapped("p", "subtitle", payload.get("subtitle")),
        "navigation": _navigation(payload, bool(provenance), bool(tables.get("again"))),
        "answers": "\n".join(map(_card, payload.get("answers") or ())),
        "provenance": "\n".join(map(_fact, provenance)),
        "again": "\n".join(map(_command, tables.get("again") or ())),
        "bound": _bound(payload),
        "version": f"semibandits {version}" if version else "semibandits",
    }


def _text(value: object) -> str:
    """Escaped."""
    return "" if value is None else html.escape(str(value))


def _kept(value: object) -> str:
    """Escaped, with ``ln T`` kept on one line."""
    return _text(value).replace("ln T", "ln\u00a0T")


def _wrapped(tag: str, kind: str, value: object) -> str:
    text = _kept(value)
    return f'<{tag} class="{kind}">{text}</{tag}>' if text else ""


def _navigation(payload: Mapping[str, Any], provenance: bool, again: bool) -> str:
    """Links to the sections that there are."""
    items = payload.get("items") or {}
    sections = (
        ("regret", "Regret", (payload.get("simulation") or {}).get("policies"), SCRIPTED),
        ("decisions", "The decision set", items.get("labels"), SCRIPTED),
        ("plan", "The plan", payload.get("plan") or payload.get("bound"), ""),
        ("provenance", "Provenance", provenance, ""),
        ("again", "Run it again", again, ""),
    )
    return "\n".join(f'<li{mark}><a href="#{key}">{name}</a></li>' for key, name, there, mark in sections if there)


def _card(answer: Mapping[str, Any]) -> str:
    headline = answer.get("headline") or ""
    widest = max(map(len, headline.split()), default=0)
    size = "long" if len(headline) > LONG or widest > LONG_WORD else "short"
    if len(headline) > VERY_LONG:
        size = "very-long"
    return (
        f'<article class="answer" data-key="{_text(answer.get("key"))}">'
        f"<h3>{_text(answer.get('label'))}</h3>"
        f'<p class="headline {size}">{_kept(headline)}</p>{_ranking(answer.get("rows") or ())}'
        f"{_wrapped('p', 'more', answer.get('text'))}</article>"
    )


def _ranking(rows: Iterable[Mapping[str, Any]]) -> str:
    """A table of a few names, what each has, and how that compares."""
    cells = "".join(
        f'<tr><th scope="row">{_CAPITALS.sub("<wbr>", _text(row.get("label")))}</th><td>{_text(row.get("value"))}</td>'
        f"<td>{_text(row.get('ratio'))}</td></tr>"
        for row in rows
    )
    return f'<table class="ranking"><tbody>{cells}</tbody></table>' if cells else ""


def _fact(row: Mapping[str, Any]) -> str:
    return f"<div><dt>{_text(row.get('label'))}</dt><dd>{_text(row.get('text'))}</dd></div>"


def _command(row: Mapping[str, Any]) -> str:
    label = _text(row.get("label"))
    return (
        f'<figure class="code"><figcaption>{label}</figcaption>'
        f'<pre tabindex="0" aria-label="{label}"><code>{_text(row.get("code"))}</code></pre></figure>'
    )


def _bound(payload: Mapping[str, Any]) -> str:
    """The certified bracket, with what it is worth."""
    bound = payload.get("bound")
    if not bound:
        return ""
    bracket = _wrapped("p", "bracket", bound.get("text"))
    return bracket if bound.get("applies", True) else f'{bracket}<p class="caution">{OTHER_REWARDS}</p>'
