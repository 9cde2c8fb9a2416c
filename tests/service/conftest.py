"""A service on a new database."""

import pytest
from fastapi.testclient import TestClient
from servers import HERE, LOCAL

import semibandits as sb
from semibandits.service import Settings, catalogue, create_app

STREETS = [("home", "a"), ("home", "b"), ("a", "b"), ("a", "work"), ("b", "work")]


@pytest.fixture(autouse=True)
def compiled_for(monkeypatch):
    """Names of the learners that services in this process have handed to their child process, which gets none of them."""
    names = []
    monkeypatch.setattr(catalogue, "compile_for", lambda url, name: names.append(name))
    return names


@pytest.fixture
def url(tmp_path):
    """URL of a database with the learners courier (paths) and items (m-sets)."""
    url = f"sqlite:///{tmp_path}/learners.db"
    paths = sb.Paths(STREETS, "home", "work")
    sb.open_learner(url, name="courier", decision_set=paths, variance=4.0, seed=0).close()
    sb.open_learner(url, name="items", decision_set=sb.MSets(6, 2), policy=sb.CUCB(), variance=1.0, seed=0).close()
    return url


@pytest.fixture
def client(url):
    """A client of the service without a token."""
    with TestClient(create_app(url), base_url=LOCAL, client=HERE) as client:
        yield client


@pytest.fixture
def client_with(url):
    """Makes clients of services with other settings."""
    opened = []

    def client_with(learners=None, **settings):
        client = TestClient(create_app(url, learners=learners, settings=Settings(**settings)), base_url=LOCAL, client=HERE)
        opened.append(client.__enter__())
        return client

    yield client_with
    for client in opened:
        client.__exit__(None, None, None)
