"""The commands of docs/service.md give the answers that it shows."""

import json
import re
import shlex
import time
from argparse import ArgumentParser
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from servers import HERE

import semibandits as sb
from semibandits.service import create_app
from semibandits_server.service import catalogue
from semibandits_studies.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"
VOLATILE = ("created", "seconds", "oldest_seconds")
"""Keys whose values depend on the time."""


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def exchanges():
    """Commands of the page with the answers below them."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, answer = part.partition("\n")
            yield command, answer


CURL = ArgumentParser()
CURL.add_argument("url")
CURL.add_argument("-X", default="GET")
CURL.add_argument("-H", action="append", default=[])
CURL.add_argument("-d")


def answered(client, command):
    """The answer to a call of curl, the final one of a bound."""
    program, *words = shlex.split(command)
    sent = CURL.parse_args(words)
    assert (program, sent.url.startswith(ADDRESS)) == ("curl", True)
    headers = dict(line.split(": ") for line in sent.H)
    deadline = time.monotonic() + 600
    while True:
        found = client.request(sent.X, sent.url.removeprefix(ADDRESS), content=sent.d, headers=headers).json()
        if found.get("status") != "solving" or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def without_times(value):
    """The value without what depends on the time, and with numbers of two digits; the page shows three."""
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [without_times(part) for part in value]
    return round(value, 2) if isinstance(value, float) else value


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """The service that the page starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        patch.setattr(catalogue, "compile_for", lambda url, name: None)
        (table,) = blocks("csv")
        Path("streets.csv").write_text(table)
        create, serve, *_ = "".join(blocks("sh")).splitlines()
        with pytest.raises(SystemExit) as end:
            main(shlex.split(create)[1:])
        assert end.value.code == 0
        with TestClient(create_app(shlex.split(serve)[-1]), base_url=ADDRESS, client=HERE) as client:
            yield client


def test_answers(client):
    shown = list(exchanges())
    assert len(shown) > 15
    for command, answer in shown:
        assert without_times(answered(client, command)) == without_times(json.loads(answer)), command


def test_python(client):
    """It only reads, as the test of metrics does: the answers above are those of a new learner."""
    (code,) = blocks("python")
    names = {"my_set": sb.MSets(4, 2), "my_policy": None, "token": "a-token-of-this-test"}
    exec(code, names)
    with TestClient(names["app"], base_url=ADDRESS, client=HERE) as served:
        headers = {"Authorization": f"Bearer {names['token']}"}
        assert served.get("/v1/learners/courier", headers=headers).status_code == 200


def test_metrics(client):
    client.get("/v1/learners/courier")
    found = client.get("/metrics").text
    for name in re.findall(r"`(semibandits_\w+)`", PAGE):
        assert f"\n{name}" in found or f"{name}_bucket" in found
