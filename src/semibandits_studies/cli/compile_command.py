"""``semibandits compile``: compile kernels ahead of time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import joblib
import numba
import typer

from semibandits import compilation
from semibandits.errors import InvalidInputError
from semibandits.families.registry import FAMILIES
from semibandits.inputs.fields import unknown_name
from semibandits_server.compilation import compile_for_learner
from semibandits_server.database.opening import check_sqlalchemy, existing
from semibandits_studies.cli.interruption import Interrupted, InterruptWatch
from semibandits_studies.cli.options import AsJson, checked
from semibandits_studies.cli.terminal import print_json, print_line, print_remark
from semibandits_studies.studies.compilation import compile_for_study
from semibandits_studies.studies.policies import ALL_POLICIES, named_policies
from semibandits_studies.studies.study import Execution
from semibandits_studies.studies.study_file import read_study

HELP = """
Compile kernels ahead of time, for container images and benchmarks.

This is optional: kernels run as Python until they are compiled. Compiling all of them takes two minutes; what one learner, \
study or family needs takes less. They are cached on disk for this environment and CPU, and the next call takes seconds.

The cache is used only by users who can write to its folder. After an upgrade, kernels that have changed are compiled again.

[bold]Examples[/bold]
semibandits compile
semibandits compile germany50.toml
semibandits compile --storage sqlite:///routes.db
semibandits compile --storage sqlite:///routes.db --name courier
semibandits compile --family matchings --policy GLADE
"""
PART: Final = "What to compile, instead of everything"
_FAMILIES: Final = {table.name: family for family in FAMILIES.values() for table in family.tables} | dict(FAMILIES)
"""Families by their names in files and in tables."""


class _Work(NamedTuple):
    """What is compiled: the end of a sentence about these kernels, and the function that compiles them."""

    scope: str
    compile: Callable[[], None]


def command(
    study: Annotated[
        Path | None, typer.Argument(metavar="STUDY.toml", help="A study file: what its run needs.", show_default=False)
    ] = None,
    storage: Annotated[
        str | None, typer.Option(metavar="URL", help="URL of a database: what its learners need.", rich_help_panel=PART)
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="Only this learner of the database. Repeatable.", rich_help_panel=PART)
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="What policies need on this family of decisions. Repeatable.", rich_help_panel=PART),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", "-p", metavar="NAME", help="What this policy needs. Repeatable.", rich_help_panel=PART),
    ] = None,
    workers: Annotated[
        str,
        typer.Option("--workers", "-j", metavar="N", help="Processes, of which everything uses two at most; auto: one per core."),
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Compile kernels ahead of time."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise InvalidInputError("the compiler must be enabled, got NUMBA_DISABLE_JIT=1: unset it")
    wanted = checked(Execution, "workers", workers)
    if name and storage is None:
        raise InvalidInputError("--name must be used with --storage, got no database: pass its URL")
    parts = {"STUDY.toml": study, "--storage": storage, "--family and --policy": family or policy}
    given = [part for part, value in parts.items() if value]
    if len(given) > 1:
        raise InvalidInputError(f"one of {', '.join(parts)} must be given, got {' and '.join(given)}: keep one of them")
    if study is not None:
        work = _Work(f" of the study {study}", partial(compile_for_study, read_study(study)))
    elif storage is not None:
        work = _for_learners(storage, name)
    elif family or policy:
        work = _for_policies(family, policy)
    else:
        processes = min(len(compilation.TASKS), joblib.cpu_count() if wanted < 0 else wanted)
        work = _Work("", partial(compilation.compile_kernels, processes))
    _compile(work, as_json=as_json)


def _compile(work: _Work, *, as_json: bool) -> None:
    start, before = time.perf_counter(), compilation.cached_kernels()
    with InterruptWatch() as watch:
        try:
            work.compile()
            watch.check()
        except BaseException as error:
            if not watch.seen and not isinstance(error, KeyboardInterrupt):
                raise
            raise Interrupted("interrupted: compiled kernels are kept; the same command compiles the others") from None
    count, seconds = len(compilation.cached_kernels() - before), time.perf_counter() - start
    folder = compilation.cache_folders()[0]
    if as_json:
        print_json({"compiled": count, "seconds": round(seconds, 1), "folder": str(folder)})
        return
    print_line(f"All kernels{work.scope} are compiled ({count:,} of them now, {seconds:.0f} s)")
    print_line(f"Cached in {folder} and similar folders")


def _for_learners(url: str, chosen: list[str] | None) -> _Work:
    """What learners in a database need: those that are chosen, or all that the library can rebuild."""
    check_sqlalchemy()
    from semibandits_server.database import journal

    backend = existing(url)
    names = backend.run(partial(journal.names, current=True), reads=True)
    backend.close()
    for one in chosen or ():
        if one not in names:
            raise unknown_name("--name", one, names)

    def work() -> None:
        for one in chosen or names:
            try:
                compile_for_learner(url, one)
            except InvalidInputError as error:
                if chosen:
                    raise
                print_remark("Warning", f"nothing is compiled for {one}: {error}")

    return _Work(f" for {', '.join(chosen)}" if chosen else f" for the learners in {backend.shown}", work)


def _for_policies(families: list[str] | None, policies: list[str] | None) -> _Work:
    for one in families or ():
        if one not in _FAMILIES:
            raise unknown_name("--family", one, _FAMILIES)
    on = {family.name: family for family in map(_FAMILIES.__getitem__, families or FAMILIES)}
    named = named_policies(policies or ALL_POLICIES)
    scope = f" of {', '.join(named) if policies else 'all policies'} on {', '.join(on) if families else 'all families'}"
    return _Work(scope, partial(compilation.compile_for_policies, on.values(), named.values()))
