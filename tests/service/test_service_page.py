"""The commands of docs/service.md give the answers that it shows."""

import json
import re
import shlex
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from servers import HERE

import semibandits as sb
from semibandits.cli import main
from semibandits.service import catalogue, create_app

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


def send(client, command):
    """The answer to a call of curl."""
    program, *words = shlex.split(command)
    assert program == "curl"
    method, headers, body, url = "GET", {}, None, None
    while words:
        match words.pop(0):
            case "-X":
                method = words.pop(0)
            case "-H":
                name, _, value = words.pop(0).partition(": ")
                headers[name] = value
            case "-d":
                body = words.pop(0)
            case url:
                assert url.startswith(ADDRESS)
    return client.request(method, url.removeprefix(ADDRESS), content=body, headers=headers).json()


def answered(client, command):
    """The answer, the final one of a bound."""
    found = send(client, command)
    deadline = time.monotonic() + 60
    while found.get("status") == "solving" and time.monotonic() < deadline:
        time.sleep(0.05)
        found = send(client, command)
    return found


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
