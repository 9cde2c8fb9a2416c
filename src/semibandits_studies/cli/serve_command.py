"""``semibandits serve``: learners over HTTP."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

import typer

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits_studies.cli.terminal import forget_output, print_line

PACKAGES: Final = "fastapi fastapi-swagger httptools msgspec prometheus-client sqlalchemy uvicorn uvloop"
"""The extra `serve` in pyproject.toml, by name: the extra itself is found by pip only once semibandits is on an index."""

HELP = """
Serve the learners in a database over HTTP.

Requests must carry the token in the environment variable SEMIBANDITS_TOKEN. If it is not set, only this machine is \
served. Create learners with semibandits learner create or in Python, before or while the service runs.

[bold]Examples[/bold]
semibandits serve --storage sqlite:///routes.db
semibandits serve --storage sqlite:///routes.db --name courier --port 8080
semibandits serve --storage sqlite:///routes.db --proxy 127.0.0.1
"""


def command(
    storage: Annotated[str, typer.Option(metavar="URL", help="URL of the database.")],
    host: Annotated[
        str, typer.Option(help="Address to listen on; one that other machines can reach requires a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on, 0 for any.", min=0, max=65535)] = 8000,
    name: Annotated[list[str] | None, typer.Option(help="Serve only this learner. Repeatable.")] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="N", help="Most requests a second from one client; by default no limit.")
    ] = None,
    body_limit: Annotated[int, typer.Option(metavar="BYTES", help="Largest body of a request.")] = 1_000_000,
    storage_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Longest wait for a database that is locked or gone.")
    ] = 10.0,
    bound_seconds: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit for C(θ) at the estimates.")] = 60.0,
    proxy: Annotated[
        str | None, typer.Option(metavar="ADDRESSES", help="Reverse proxies whose X-Forwarded-For is trusted, as in 10.0.0.2.")
    ] = None,
    log_format: Annotated[str, typer.Option(help="json or text.")] = "json",
) -> None:
    """Serve the learners in a database over HTTP."""
    try:
        from semibandits_server.service import server
        from semibandits_server.service.app import create_app
        from semibandits_server.service.logs import start_logs
        from semibandits_server.service.settings import TOKEN_VARIABLE, Settings
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("semibandits"):
            raise
        raise SemibanditsError(
            f"semibandits serve needs {error.name}, which is not installed: run pip install {PACKAGES}"
        ) from error
    settings = Settings(
        token=os.environ.get(TOKEN_VARIABLE),
        names=None if name is None else tuple(name),
        body_limit=body_limit,
        rate=rate,
        storage_timeout=storage_timeout,
        bound_seconds=bound_seconds,
    )
    server.check_host(host, has_token=settings.token is not None)
    start_logs(log_format)
    app = create_app(storage, settings=settings)
    found = app.state.catalogue.names()
    for one in name or ():
        if one not in found:
            raise InvalidInputError(
                f"--name must be a learner in {app.state.catalogue.shown}, got {one!r}: see semibandits learner list"
            )
    listener = server.listening_socket(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"

    def announce() -> None:
        count = f"{len(found):,} learner{'' if len(found) == 1 else 's'} of" if found else "no learner yet of"
        lines = [f"Serving {count} {app.state.catalogue.shown} on {address}"]
        lines += [f"Page: {address}/"] if server.is_loopback(host) else []
        try:
            for line in lines:
                print_line(line)
            sys.stdout.flush()
        except OSError:  # its reader has exited; the service goes on
            forget_output(sys.stdout)

    server.run(app, listener, proxies=proxy, announce=announce)
