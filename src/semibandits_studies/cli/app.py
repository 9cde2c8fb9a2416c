"""The program ``semibandits``: its commands, error messages and exit codes."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from semibandits import __version__
from semibandits.errors import Option, SemibanditsError, SolverError
from semibandits_studies.cli.interruption import Interrupted, InterruptWatch
from semibandits_studies.cli.terminal import as_option, forget_output, print_line, print_remark

READER_GONE = 1
BAD_INPUT = 2
NOT_REACHED = 3
INTERRUPTED = 130
HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}

COMMANDS: Final = {
    "bound": ("bound", "Certified regret lower bound C(θ) of one instance, and the exploration plan that attains it."),
    "plan-test": ("plan_test", "How many rounds a test needs to be sure of the best decision, and what to play in them."),
    "simulate": ("simulate", "Simulate policies on one instance and compare their regret with C(θ) ln T."),
    "run": ("run", "Run the study in a file and write its results to a folder."),
    "report": ("report_command", "Write an HTML report of a bound or a simulation."),
    "datasets": ("datasets", "List the built-in datasets and networks, or describe one."),
    "learner": ("learner_command", "Create, replace, list, show, log, export, import or prune the learners in a database."),
    "serve": ("serve_command", "Serve the learners in a database over HTTP."),
    "compile": ("compile_command", "Compile kernels ahead of time, for container images and benchmarks."),
}
"""Module of each command, with `HELP` and the function `command`, and its summary in the list of commands."""


class _Commands(TyperGroup):
    """Commands that are imported when they are called, which keeps ``--help`` fast."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command named by the first argument."""
        from semibandits_studies.cli.options import with_options

        name, _, rest = super().resolve_command(ctx, args)
        assert name is not None
        ctx.find_root().obj.listen()
        module = import_module(f"semibandits_studies.cli.{COMMANDS[name][0]}")
        one = typer.Typer(add_completion=False, rich_markup_mode="rich", context_settings=HELP_OPTIONS)
        one.command(name, help=module.HELP)(with_options(module.command))
        return name, typer.main.get_command(one), rest


app = typer.Typer(
    name="semibandits",
    cls=_Commands,
    help="Combinatorial semi-bandits: certified regret lower bounds, policies and simulations.",
    epilog="Columns of tables: semibandits bound --help. Other formats: docs/cli.md of the source code.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings=HELP_OPTIONS,
)
for _name, (_, _summary) in COMMANDS.items():
    app.command(_name, help=_summary)(lambda: None)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_line(f"semibandits {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit with its exit code; `arguments` are ``sys.argv[1:]`` by default.

    Exit codes: 0 success; 1 the output was closed, or its reader has exited; 2 invalid input, or a problem that does not fit into
    memory, with one line on stderr and nothing written; 3 the requested gap was not reached and the bracket is printed, or a
    simulation failed; 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # characters that a terminal lacks become ?
    with InterruptWatch(listens=False) as watch:
        code = _run(arguments, watch)
    sys.exit(code)


def _run(arguments: Sequence[str] | None, watch: InterruptWatch) -> int:
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False, obj=watch)
        sys.stdout.flush()
    except Interrupted as error:
        return _fail(str(error), INTERRUPTED)
    except SemibanditsError as error:
        message = error.formatted(as_option) + _full_command(error, arguments)
        return _fail(message, NOT_REACHED if isinstance(error, SolverError) else BAD_INPUT)
    except BrokenPipeError:  # the reader of the output has exited
        forget_output(sys.stdout)
        return READER_GONE
    except OSError as error:  # such as a folder that is removed while it is used, or a full disk
        forget_output(sys.stdout)
        where = f" for {error.filename}" if error.filename else ""
        return _fail(
            f"files must stay in place and the disk must have room, got {error.strerror or error}{where}: try again", BAD_INPUT
        )
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        if watch.seen:  # compilation and extensions may turn KeyboardInterrupt into another error
            return _fail("interrupted, nothing written", INTERRUPTED)
        if isinstance(error, MemoryError):
            reason = f", got: {error}" if str(error) else ", got no more of it"
            return _fail(f"the problem must fit into memory{reason}: leave items out, or use a larger machine", BAD_INPUT)
        if not hasattr(error, "format_message"):
            raise
        # Wrong usage. The class of this exception is private to typer, or click's own, depending on the version.
        command = getattr(getattr(error, "ctx", None), "command_path", "semibandits")
        return _fail(f"{error.format_message()} (see {command} --help)", BAD_INPUT) if str(error) else BAD_INPUT
    if code == INTERRUPTED:
        return _fail("interrupted, nothing written", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _full_command(error: SemibanditsError, arguments: Sequence[str] | None) -> str:
    """The command to copy, with the option that an error asks for, if it continues a run in a folder."""
    for part in error.args:
        if isinstance(part, Option) and part.name in ("resume", "extend"):
            words = [*(sys.argv[1:] if arguments is None else arguments), as_option(part)]
            return f"; the command is: semibandits {shlex.join(map(str, words))}"
    return ""


def _fail(message: str, code: int) -> int:
    print_remark("Error", message)
    return code
