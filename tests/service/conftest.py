"""A service on a new database."""

import shutil
from contextlib import ExitStack

import pytest
from fastapi.testclient import TestClient
from servers import HERE, LOCAL, serving

import semibandits as sb
from semibandits.service import Settings, create_app
from semibandits_server.service import catalogue

STREETS = [("home", "a"), ("home", "b"), ("a", "b"), ("a", "work"), ("b", "work")]


@pytest.fixture(autouse=True)
def compiled_for(monkeypatch):
    """Names of the learners that services in this process have handed to their child process, which gets none of them."""
    names = []
    monkeypatch.setattr(catalogue, "compile_for", lambda url, name: names.append(name))
    return names


@pytest.fixture(scope="session")
def new_database(tmp_path_factory):
    """A database with the learners courier (paths) and items (m-sets), which tests copy."""
    file = tmp_path_factory.mktemp("database") / "learners.db"
    paths = sb.Paths(STREETS, "home", "work")
    sb.open_learner(f"sqlite:///{file}", name="courier", decision_set=paths, variance=4.0, seed=0).close()
    items = {"decision_set": sb.MSets(6, 2), "policy": sb.CUCB(), "variance": 1.0, "seed": 0}
    sb.open_learner(f"sqlite:///{file}", name="items", **items).close()
    return file


@pytest.fixture(scope="session")
def server(new_database):
    """A real server for requests that change nothing."""
    with serving(f"sqlite:///{new_database}") as server:
        yield server


@pytest.fixture
def url(tmp_path, new_database):
    """URL of a new database with the learners courier and items."""
    shutil.copy(new_database, tmp_path)
    return f"sqlite:///{tmp_path}/learners.db"


@pytest.fixture
def client_with(url):
    """Makes clients of services with other settings."""
    with ExitStack() as opened:
        yield lambda learners=None, **settings: opened.enter_context(
            TestClient(create_app(url, learners=learners, settings=Settings(**settings)), base_url=LOCAL, client=HERE)
        )


@pytest.fixture
def client(client_with):
    """A client of the service without a token."""
    return client_with()
