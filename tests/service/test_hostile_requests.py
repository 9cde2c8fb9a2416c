"""Hostile requests: each is refused with a 4xx and one sentence for people who do not know Python, and changes nothing."""

import json
import re
from functools import partial

import hostile_requests
import pytest
from fastapi.testclient import TestClient
from hostile_requests import KINDS, Hostile
from servers import HERE, LOCAL, error_of, post
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

import semibandits as sb

TOKEN = "a-token-of-this-test"
PYTHON = re.compile(
    r"\bNone\b|\bTrue\b|\bFalse\b|\w\(\)|\bround_id\b|learner\.|\bround\.items|\bround\.id\b|\w=[^=]|Traceback|0x[0-9a-f]{6}|<class|"
    r"numpy|ndarray|\bdict\b|\bstr\b"
)
"""What a message for users of HTTP must not contain."""
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\w+\([^)]*\)")
"""Quotations of what was sent, and decision sets."""
LONGEST = 700


@pytest.fixture
def learner(url, client):
    """The learner courier: round 0 was told, round 1 forgotten, round 2 is open and has two items."""
    learner = sb.open_learner(url, name="courier")
    for key in ("first", None, None):
        post(client, "courier/ask", {"available": {"except": [["home", "a"]]}}, key=key)
    learner.tell(0, costs=[3.0, 4.0])
    learner.forget(1)
    return learner


def send(client, request: Hostile, **headers):
    path = request.path + (f"?{request.query}" if request.query else "")
    named = {name: value.encode("latin-1") for name, value in (request.headers | headers).items()}
    return client.request(request.method, path, content=request.body or None, headers=named)


def check(response, request, statuses=range(400, 500)):
    assert response.status_code in statuses, (request, response.text)
    message = error_of(response)
    assert ", got " in message, message
    assert len(message) <= LONGEST, message
    assert not PYTHON.search(QUOTED.sub("", message)), message
    assert response.headers["x-content-type-options"] == "nosniff"


def asking(action="ask"):
    return Hostile("POST", f"/v1/learners/courier/{action}", b"{}", hostile_requests.JSON_TYPE)


def test_there_are_many():
    assert len({repr(request) for make in KINDS.values() for request in make()}) > 800


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", [name for name in KINDS if name != "paths"])
def test_refused(client, learner, kind):
    before = learner.state(), learner.calls
    for request in KINDS[kind]():
        check(send(client, request), request)
    assert (learner.state(), learner.calls) == before


def test_paths(client, learner):
    """Some of them are other spellings of good paths for the client library; these may be answered."""
    before = learner.state(), learner.calls
    answered = 0
    for request in hostile_requests.paths():
        response = send(client, request)
        if response.status_code != 200:
            check(response, request)
        else:
            answered += 1
            assert request.method == "GET", request
            assert b"root:" not in response.content
    assert (learner.state(), learner.calls) == before
    assert answered <= 4


def test_the_valid_bodies_are_valid(client, learner):
    """The requests above are refused for the reason that they show."""
    before = learner.calls
    for action in ("ask", "tell"):
        assert post(client, f"courier/{action}", hostile_requests.VALID[action]).status_code == 200
    assert learner.calls == before + 2
    for action, number in (("tell-many", 3), ("forget", 4)):
        (asked,) = post(client, "courier/ask", {"available": {"except": [["home", "a"]]}}).json()["rounds"]
        body = json.dumps(hostile_requests.VALID[action]).replace('"round": 2', f'"round": {asked["round"]}')
        assert post(client, f"courier/{action}", json.loads(body)).status_code == 200, number
    assert post(client, "courier/expire", hostile_requests.VALID["expire"]).status_code == 200


WRONG = (
    "", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN} {TOKEN}",
    f"Bearer {TOKEN.upper()}", "Bearer \xe4\xf6", f"Bearer\t{TOKEN}", f"Bearer {TOKEN}\x00", f"Token {TOKEN}", "Bearer null",
    "Bearer " + "x" * 5000,
)  # fmt: skip


@pytest.mark.one_in(3)
def test_wrong_tokens(client_with, url):
    client = client_with(token=TOKEN)
    learner = sb.open_learner(url, name="courier")
    requests = [asking(action) for action in hostile_requests.ACTIONS]
    requests += [Hostile("GET", path) for path in ("/v1/learners", "/metrics", "/v1/learners/nobody", "/nothing", "/staticx")]
    for request in requests:
        for headers in ({}, *({"Authorization": authorization} for authorization in WRONG)):
            response = send(client, request, **headers)
            check(response, request, {401})
            assert response.headers["www-authenticate"] == "Bearer"
            assert TOKEN not in response.text
    assert learner.calls == 0
    for path in ("/", "/health", "/docs", "/openapi.json"):
        assert client.get(path).status_code == 200
    assert send(client, requests[0], Authorization=f"bearer {TOKEN}").status_code == 200


def test_other_names_of_this_machine(client, url):
    """A page of another site whose name resolves to 127.0.0.1 reaches nothing without a token."""
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil:8000", "", "[::1", "10.0.0.1:8000", "0"):
        check(send(client, asking(), Host=host), host, {421})
    assert sb.open_learner(url, name="courier").calls == 0
    for name in ("localhost", "LOCALHOST:8000", "[::1]:8000", "[::1]", "127.0.0.1"):
        assert client.get("/health", headers={"Host": name}).status_code == 200


def test_pages_of_other_sites_start_nothing(client, url):
    """An image of another site has no Origin and a right Host; a page or a link to it shows nothing."""
    bounds = Hostile("GET", "/v1/learners/courier/bound")
    for site in ("cross-site", "same-site", "x", ""):
        for request in (bounds, Hostile("GET", "/metrics"), asking()):
            check(send(client, request, **{"Sec-Fetch-Site": site}), (request, site), {403})
        assert client.get("/", headers={"Sec-Fetch-Site": site}).status_code == 200
    assert sb.open_learner(url, name="courier").calls == 0
    for own in ("same-origin", "none"):
        assert send(client, bounds, **{"Sec-Fetch-Site": own}).status_code == 200


def test_clients_that_are_not_known_to_be_on_this_machine(client):
    for address in (("unknown", 0), ("testclient", 1), ("_hidden", 0), ("10.0.0.1", 5), ("::ffff:8.8.8.8", 5), ("", 0), None):
        stranger = TestClient(client.app, base_url=LOCAL, client=address)
        check(stranger.get("/v1/learners"), address, {403})


def test_clients_behind_a_proxy(client):
    proxied = TestClient(ProxyHeadersMiddleware(client.app, "127.0.0.1"), base_url=LOCAL, client=HERE)
    for forwarded, status in (("unknown", 403), ("8.8.8.8", 403), ("127.0.0.1, unknown", 403), ("::1", 200)):
        assert proxied.get("/v1/learners", headers={"X-Forwarded-For": forwarded}).status_code == status


def test_a_chunked_body_above_the_limit(client_with, url):
    client = client_with(body_limit=1_000)
    request = partial(client.post, "/v1/learners/courier/ask", headers=hostile_requests.JSON_TYPE)
    response = request(content=(b" " * 100 for _ in range(20)))
    message = "the body must have at most 1,000 bytes, got more: split it into several requests"
    assert (response.status_code, error_of(response)) == (413, message)
    assert request(content=(b" " * 10 for _ in range(90))).status_code == 200
    assert sb.open_learner(url, name="courier").calls == 1


def test_the_rate_of_a_client_is_limited(client_with):
    client = client_with(rate=2.0)
    statuses = [client.get("/health").status_code for _ in range(8)]
    assert statuses[:4] == [200] * 4
    assert 429 in statuses[4:]
    refused = next(response for _ in range(50) if (response := client.get("/health")).status_code == 429)
    assert (refused.headers["retry-after"], "rate" in error_of(refused)) == ("1", True)
