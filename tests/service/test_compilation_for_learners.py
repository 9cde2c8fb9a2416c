"""Kernels are compiled for the learners that are served, and asks then run compiled from the first one on."""

import json
import os
import subprocess
import sys
import time

import numba
import pytest
from fastapi.testclient import TestClient
from servers import HERE, LOCAL, post, serving

import semibandits as sb
from marks import later
from semibandits.service import create_app
from semibandits.service.compilation import TASK

PROGRAM = (sys.executable, "-c", "import semibandits_cli; semibandits_cli.main()")
AUTOMATIC = {"SEMIBANDITS_TIER": "auto", "SEMIBANDITS_BACKGROUND": "1"}
PLAY = """
import sys
import semibandits as sb
from semibandits.kernels import tiers
from semibandits.kernels.background import background

as_python = set()
interpret = tiers.Kernel._interpreted_first
tiers.Kernel._interpreted_first = lambda one, arguments: as_python.add(one.__name__) or interpret(one, arguments)
with sb.open_learner(sys.argv[1], name=sys.argv[2]) as learner:
    for _ in range(300):
        asked = learner.ask()
        learner.tell(asked.id, [0.5] * len(asked.items))
    learner.ask(~asked.decision)
print(sorted(as_python), [order.label for order in background._asked])
"""


@pytest.fixture
def url(tmp_path):
    """A database with a learner, and one of a set of the user, which no other process can rebuild."""
    url = f"sqlite:///{tmp_path}/learners.db"
    sb.open_learner(url, name="few", decision_set=sb.MSets(6, 2), policy=sb.CUCB(), variance=1.0).close()
    items = [sb.CUCB(), sb.ESCB(), sb.GLADE()]  # labels without a description
    sb.open_learner(url, name="mine", decision_set=sb.MSets(3, 1, items=items), policy=sb.CUCB(), variance=1.0).close()
    return url


@pytest.mark.long
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is nothing to compile")
@pytest.mark.parametrize("cache", ["as it is", *later("empty")])
def test_after_compiling_for_a_learner_it_never_runs_as_python_and_a_service_finds_all_on_disk(url, tmp_path, cache):
    environment = os.environ | AUTOMATIC
    if cache == "empty":
        environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")

    def output(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment)

    done = output(*PROGRAM, "compile", "--storage", url, "--json")
    assert "nothing is compiled for mine: " in done.stderr
    assert json.loads(done.stdout)["compiled"] > (10 if cache == "empty" else -1)
    assert output(sys.executable, "-c", PLAY, url, "few").stdout == "[] []\n"
    with serving(url, environment=environment) as server:
        deadline, status = time.monotonic() + 300, None
        while status != "done" and time.monotonic() < deadline:
            time.sleep(0.05)
            content = server.call("GET", "/v1/compilation")[1]
            status = content["status"]
        assert content["kernels"] > 5
        assert (status, content["pending"]) == ("done", 0)
        _, err = server.stop()
    (warning,) = [line for line in map(json.loads, err.splitlines()) if line["level"] == "warning"]
    assert warning["message"].startswith(f"{TASK} was not finished in the background: ")


def test_all_learners_are_compiled_for_but_those_on_sets_of_users(url, compiled_for):
    with TestClient(create_app(url, learners={"mine": (sb.MSets(3, 1), None)}), base_url=LOCAL, client=HERE) as client:
        assert compiled_for == ["few"]
        sb.open_learner(url, name="later", decision_set=sb.MSets(3, 1), variance=1.0).close()
        post(client, "later/ask")
        post(client, "later/ask")
        assert compiled_for == ["few", "later"]


def test_without_a_child_process_nothing_is_pending(url):
    with serving(url) as server:
        expected = {"status": "off", "pending": 0, "kernels": 0, "loaded": 0}
        assert server.call("GET", "/v1/compilation") == (200, expected)
