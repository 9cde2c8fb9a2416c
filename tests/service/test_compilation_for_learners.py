"""Kernels are compiled for the learners that are served, and asks then run compiled from the first one on."""

import json
import os
import subprocess
import sys
import time

import numba
import pytest
from servers import post, serving

import semibandits as sb
from semibandits_server.service.compilation import TASK

AUTOMATIC = {"SEMIBANDITS_TIER": "auto", "SEMIBANDITS_BACKGROUND": "1"}
KERNELS = """
import contextlib, json, sys
import semibandits as sb
from semibandits_studies.cli import main
from semibandits.decisions.compiled import pointer
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.background import background

def kernels():
    '''The compiled kernels of this process, with their types, and the number of pointers.'''
    modules = [module for name, module in sys.modules.items() if name.startswith("semibandits")]
    found = {one for module in modules for one in vars(module).values() if isinstance(one, tiers.Kernel)}
    names = [f"{one.__module__}.{one.__name__}{types}" for one in found for types in one.overloads]
    return {"kernels": names, "pointers": pointer.cache_info().currsize}
"""
COMPILE = """
with contextlib.suppress(SystemExit):
    main(["compile", "--storage", sys.argv[1], "--json"])
print(json.dumps(kernels()))
"""
PLAY = """
as_python = set()
interpret = tiers.Kernel._interpreted_first
tiers.Kernel._interpreted_first = lambda one, arguments: as_python.add(one.__name__) or interpret(one, arguments)
with sb.open_learner(sys.argv[1], name=sys.argv[2]) as learner:
    for _ in range(300):
        asked = learner.ask()
        learner.tell(asked.id, [0.5] * len(asked.items))
    learner.ask(~asked.decision)
found = {"as_python": sorted(as_python), "asked_for": [order.label for order in background._requests]}
print(json.dumps(found | kernels()))
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
def test_after_compiling_for_a_learner_it_never_runs_as_python_and_a_service_finds_all_on_disk(url):
    """Most kernels may be on disk from other tests: so each kernel that is played with must have been asked for before."""

    def run(code, *arguments):
        command = [sys.executable, "-c", KERNELS + code, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | AUTOMATIC)

    done = run(COMPILE, url)
    assert "nothing is compiled for mine: " in done.stderr
    told, found = map(json.loads, done.stdout.splitlines())
    assert set(told) == {"compiled", "seconds", "folder"}
    played = json.loads(run(PLAY, url, "few").stdout)
    assert (played["as_python"], played["asked_for"]) == ([], [])
    assert 5 < len(played["kernels"]) <= len(found["kernels"])
    assert set(played["kernels"]) <= set(found["kernels"])
    assert 5 < played["pointers"] <= found["pointers"]
    with serving(url, environment=AUTOMATIC) as server:
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


def test_all_learners_are_compiled_for_but_those_on_sets_of_users(url, client_with, compiled_for):
    client = client_with({"mine": (sb.MSets(3, 1), None)})
    assert compiled_for == ["few"]
    sb.open_learner(url, name="later", decision_set=sb.MSets(3, 1), variance=1.0).close()
    for _ in range(2):
        post(client, "later/ask")
    assert compiled_for == ["few", "later"]


def test_without_a_child_process_nothing_is_pending(server):
    expected = {"status": "off", "pending": 0, "kernels": 0, "loaded": 0}
    assert server.call("GET", "/v1/compilation") == (200, expected)
