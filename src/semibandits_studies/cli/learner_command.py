"""``semibandits learner``: the learners in a database."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich import box
from rich.table import Table

from semibandits.errors import InvalidInputError
from semibandits.families.tables import PROBLEM, ProblemOptions
from semibandits.formats.files import write_whole
from semibandits.formats.printable import url_without_password
from semibandits.formats.text import shortened
from semibandits.inputs.fields import unknown_name
from semibandits.learning.learner import Learner
from semibandits.learning.reading import facts_of
from semibandits_server.database.opening import check_sqlalchemy, existing, new_backend, reopened, stored_learner
from semibandits_studies.cli.learner_creation import Creation, create, replace_learner
from semibandits_studies.cli.terminal import facts_table, new_console, print_json, print_line
from semibandits_studies.instances.item_files import label_roles
from semibandits_studies.reporting.formatting import counted

if TYPE_CHECKING:
    from semibandits_server.database.backend import Backend

HELP = """
Create, replace, list, show, log, export, import or prune the learners in a database.

URL names the database: sqlite:///routes.db is a file, postgresql://user@host/database a server.

[bold]Examples[/bold]
semibandits learner create sqlite:///routes.db packets germany50-routing
semibandits learner create sqlite:///routes.db films films.csv --capacity 2 --variance 1
semibandits learner create sqlite:///days.db couriers times.csv --variance 64 --features additive
semibandits learner create sqlite:///news.db front articles.csv --law bernoulli --size 8 --history log.csv --features pooled
semibandits learner replace sqlite:///news.db front tomorrow.csv --size 8
semibandits learner list sqlite:///routes.db
semibandits learner show sqlite:///routes.db courier
semibandits learner log sqlite:///routes.db courier --output plays.csv
semibandits learner export sqlite:///routes.db courier --output courier.jsonl
semibandits learner import postgresql://me@host/learners --input courier.jsonl
semibandits learner prune sqlite:///routes.db courier

A new learner has the decisions and the variances of PROBLEM. A file without variances needs --variance, a --law that
determines it, or a --history with repeated outcomes, which tell it. Means are used with --prior-plays, or if a column of
the table clearly has how many outcomes each is worth, which a note states; empty cells are unknown.
"""
ACTIONS: Final = ("create", "replace", "list", "show", "log", "export", "import", "prune")
LONGEST_FACT: Final = 2_000


def command(
    action: Annotated[
        str,
        typer.Argument(
            metavar="ACTION",
            help="create, replace, list, show, log, export, import or prune.",
            show_default=False,
            autocompletion=lambda: list(ACTIONS),
        ),
    ],
    url: Annotated[str, typer.Argument(metavar="URL", help="URL of the database.", show_default=False)],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of the learner.", show_default=False)] = None,
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBLEM", help="create, replace: a dataset or network, or a table or .json file.", show_default=False
        ),
    ] = None,
    *,
    creation: Creation,
    options: Annotated[ProblemOptions, PROBLEM],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="log, export: the file, by default stdout.")
    ] = None,
    input_file: Annotated[
        Path | None, typer.Option("--input", "-i", metavar="FILE", help="import: the file, by default stdin.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Create, list or show the learners in a database, or move one."""
    if action not in ACTIONS:
        raise unknown_name("the action", action, ACTIONS)
    check_sqlalchemy()
    is_creation = problem is not None or creation != Creation() or options != ProblemOptions()
    for option, is_given, owners in (
        ("--output", output is not None, ("log", "export")),
        ("--input", input_file is not None, ("import",)),
        ("PROBLEM or one of its options", is_creation, ("create", "replace")),
    ):
        if is_given and action not in owners:
            raise InvalidInputError(f"{option} must be used with {' or '.join(owners)}, got {action}: leave it out")
    if action == "list":
        if name is not None:
            raise InvalidInputError(f"list must be used without a name, got {name!r}: show describes one learner")
        _list(url, as_json=as_json)
    elif action == "import":
        _import(url, name, input_file, as_json=as_json)
    elif name is None:
        raise InvalidInputError(
            f"{action} must have the name of a learner, got none: semibandits learner list {url_without_password(url)}"
        )
    elif action in ("create", "replace"):
        if problem is None:
            raise InvalidInputError(f"{action} must have a problem, got none: name a dataset or a file after the name")
        (create if action == "create" else replace_learner)(url, name, problem, options, creation, as_json=as_json)
    elif action == "show":
        _show(url, name, as_json=as_json)
    elif action == "export":
        _export(url, name, output)
    elif action == "log":
        _log(url, name, output, as_json=as_json)
    else:
        _prune(url, name, as_json=as_json)


def _stored_facts(backend: Backend, name: str) -> dict[str, Any]:
    """What the tables contain of a learner, without rebuilding it."""
    stored = stored_learner(backend, name)
    specification = stored.specification["policy"]["specification"]
    calls, entries, snapshots = backend.run(stored.counts, reads=True)
    return {
        "name": name,
        "created": stored.created,
        "decision_set": stored.specification["decision_set"]["type"],
        "policy": str(specification.get("name") if isinstance(specification, dict) else specification),
        "calls": calls,
        "entries": entries,
        "snapshots": snapshots,
    }


def _list(url: str, *, as_json: bool) -> None:
    from semibandits_server.database import journal

    backend = existing(url)
    facts = [_stored_facts(backend, name) for name in backend.run(partial(journal.names, current=not as_json), reads=True)]
    left_out = len(backend.run(journal.names, reads=True)) - len(facts)
    backend.close()
    if as_json:
        print_json(facts)
        return
    table = Table(box=box.SIMPLE_HEAD)
    for title in ("learner", "decisions", "policy", "created"):
        table.add_column(title, overflow="fold")
    for title in ("calls", "stored", "snapshots"):
        table.add_column(title, overflow="fold", justify="right")
    for row in facts:
        numbers = (f"{row[key]:,}" for key in ("calls", "entries", "snapshots"))
        table.add_row(row["name"], row["decision_set"], shortened(row["policy"], 40), row["created"][:10], *numbers)
    console = new_console()
    console.print(table)
    replaced = f" Not listed: {counted(left_out, 'learner', 'learners')} replaced under the same name." if left_out else ""
    console.print(f"calls: asks, tells and forgets; stored: those still in the journal.{replaced}", style="dim")


def _show(url: str, name: str, *, as_json: bool) -> None:
    backend = existing(url)
    stored = _stored_facts(backend, name)
    backend.close()
    with reopened(url, name) as learner:
        state = Learner.from_state(learner.state(), learner.decision_set, learner.policy)
    best, means = state.best(), state.means
    if as_json:
        chosen = [str(label) for label, is_chosen in zip(state.decision_set.items, best, strict=True) if is_chosen]
        open_rounds = len(state.open_rounds)
        print_json(
            stored | {"rounds": state.rounds, "open_rounds": open_rounds, "best": chosen, "mean": float(means[best].sum())}
        )
        return
    facts = facts_table()
    for title, value in facts_of(state):
        facts.add_row(title, shortened(value, LONGEST_FACT))
    facts.add_row("Created", stored["created"])
    facts.add_row(
        "Journal",
        f"{counted(stored['calls'], 'call', 'calls')}, {stored['entries']:,} of them stored, "
        f"{counted(stored['snapshots'], 'snapshot', 'snapshots')}",
    )
    console = new_console()
    console.print(name, style="bold")
    console.print(facts)


def _export(url: str, name: str, output: Path | None) -> None:
    from semibandits_server.database.transfer import exported

    backend = existing(url)
    lines = exported(backend, stored_learner(backend, name))
    backend.close()
    _put(lines, output)


def _log(url: str, name: str, output: Path | None, *, as_json: bool) -> None:
    with reopened(url, name) as learner:
        frame, roles = learner.log(), label_roles(learner.decision_set)
    labels = [label if isinstance(label, tuple) else (label,) for label in frame.pop("item")]
    width = max(map(len, labels), default=1)
    for place in range(width):
        title = roles[place] if place < len(roles) == min(width, 2) else f"item_{place + 1}"
        parts = np.empty(len(labels), dtype=object)  # whole numbers stay such beside gaps
        for k, label in enumerate(labels):
            parts[k] = label[place] if place < len(label) else None
        frame.insert(1 + place, title, parts)
    if as_json:
        plain = frame.assign(asked=frame["asked"].astype(str)).astype(object)
        print_json(plain.where(frame.notna(), None).to_dict("records"))
    else:
        _put(frame.to_csv(index=False).splitlines(), output)


def _put(lines: list[str], output: Path | None) -> None:
    """Print lines, or write them to a file."""
    if output is None:
        for line in lines:
            print_line(line)
    else:
        write_whole(output, "".join(f"{line}\n" for line in lines).encode())


def _import(url: str, name: str | None, source: Path | None, *, as_json: bool) -> None:
    backend = new_backend(url)
    from semibandits_server.database.transfer import imported

    try:
        text = sys.stdin.read() if source is None else source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{source or 'stdin'} must be a readable export of a learner, got {error}") from error
    chosen, is_replayed = imported(backend, text.split("\n"), name=name)
    backend.close()
    note = "" if is_replayed else "; its decision set or policy is your own, so that its journal was not replayed"
    print_json({"name": chosen, "replayed": is_replayed}) if as_json else print_line(f"Imported {chosen}{note}")


def _prune(url: str, name: str, *, as_json: bool) -> None:
    with reopened(url, name) as learner:
        deleted = learner.prune()
    print_json({"name": name, "deleted": deleted}) if as_json else print_line(
        f"Deleted {counted(deleted, 'entry', 'entries')} of the journal"
    )
