"""The endpoints: each answer against the learner itself, which is opened again from the database."""

import contextlib
import json
import sqlite3
import time
from concurrent.futures import Future
from functools import partial
from urllib.parse import quote

import numpy as np
import pytest
from servers import error_of, post

import semibandits as sb
from semibandits.service import create_app
from semibandits_server.service import bounds


@pytest.fixture
def learner(url):
    return sb.open_learner(url, name="courier")


def test_names_with_slashes(client, url):
    for name in ("day/one", "a/rounds", "ä/", "../x"):
        sb.open_learner(url, name=name, decision_set=sb.MSets(3, 1), variance=1.0, seed=0).close()
        quoted = quote(name, safe="")
        assert client.get(f"/v1/learners/{quoted}").json()["name"] == name
        assert post(client, f"{quoted}/ask").json()["rounds"][0]["round"] == 0
        assert client.get(f"/v1/learners/{quoted}/rounds").json()["rounds"][0]["round"] == 0
        assert client.get(f"/v1/learners/{quoted}x").status_code == 404
    for path in ("day%1Fone", "day%1fone/rounds", "day%252Fone"):  # not quite an encoded slash
        assert client.get(f"/v1/learners/{path}").status_code == 404
    assert post(client, "day%1Fone/ask").status_code == 404
    assert client.get("/v1/learners/day%2fone").json()["rounds"] == 1


@pytest.mark.parametrize("labels", [[1, "1"], [("a", 1), '["a", 1]'], [2.5, "2.5"]])
def test_keys_that_could_mean_two_labels(client, url, labels):
    learner = sb.open_learner(url, name="twins", decision_set=sb.MSets(2, 2, items=labels), variance=1.0, seed=0)
    post(client, "twins/ask")
    refused = post(client, "twins/tell", {"round": 0, "rewards": {labels[1]: 2.0}, "partial": True})
    assert refused.status_code == 422
    assert "must name one item" in error_of(refused)
    pairs = [[labels[0], 1.0], [labels[1], 2.0]]
    assert post(client, "twins/tell", {"round": 0, "rewards": pairs}).status_code == 200
    post(client, "twins/ask")
    named = {json.dumps(labels[1]): 4.0}
    assert post(client, "twins/tell", {"round": 1, "rewards": named, "partial": True}).status_code == 200
    assert learner.means.tolist() == [1.0, 3.0]


STREETS = "courier", {"except": [["home", "a"]]}, [["home", "b"], ["b", "work"]]


@pytest.mark.parametrize(
    ("name", "available", "items", "costs"),
    [
        (*STREETS, [1.5, 2]), (*STREETS, [[["b", "work"], 2], [["home", "b"], 1.5]]),
        (*STREETS, {'["home", "b"]': 1.5, '["b","work"]': 2.0}), ("items", [1, 4.0], [1, 4], {"4": 2.0, "1": 1.5}),
    ],
)  # fmt: skip
def test_forms_of_outcomes(client, url, name, available, items, costs):
    (asked,) = post(client, f"{name}/ask", {"available": available}).json()["rounds"]
    assert asked["items"] == items
    assert post(client, f"{name}/tell", {"round": 0, "costs": costs}).json() == {"told": 1}
    assert sb.open_learner(url, name=name).costs[asked["indices"]].tolist() == [1.5, 2.0]


def test_messages_name_what_the_request_has(client):
    """Where the errors of learners name arguments of Python."""
    post(client, "courier/ask", {"available": STREETS[1]}, key="order 1")
    for action, body, key, message in (
        ("tell", {"round": 0, "costs": [None, 1]}, None,
         "costs of round 0 must be finite, one for each item, got null at index 0 for ('home', 'b'): if some items were not "
         'observed, pass "partial": true; if none was, forget round 0'),
        ("tell-many", {"outcomes": [{"round": 0, "rewards": [1, 1]}, {"round": 1, "costs": [1, 1]}]}, None,
         "outcomes must hold rewards or costs, got both: pass one kind in each request"),
        ("forget", {"round": 0}, "order 1", "Idempotency-Key must be one for the same call, got 'order 1', which was ask of the "
         "rounds [0]: choose another key for each call"),
        ("ask", {}, "order 1", "Idempotency-Key must be one for the same call, got 'order 1', which was ask of the rounds [0] "
         "with other arguments: choose another key for each call"),
    ):  # fmt: skip
        refused = post(client, f"courier/{action}", body, key=key)
        assert (refused.status_code, error_of(refused)) == (422, message)


def test_the_summary(client, learner):
    post(client, "courier/ask", {"count": 12})
    for number in (11, 10):
        asked = learner.open_rounds[number]
        post(client, "courier/tell", {"round": number, "costs": [3.0] * len(asked.items)})
    found = client.get("/v1/learners/courier").json()
    best = learner.best()
    assert {name: found[name] for name in ("name", "family", "items", "largest_decision", "calls", "rounds")} == {
        "name": "courier", "family": "paths", "items": 5, "largest_decision": 3, "calls": learner.calls, "rounds": 12
    }  # fmt: skip
    assert (found["decision_set"], found["policy"]) == (repr(learner.decision_set), repr(learner.policy))
    assert found["open"]["by_age"] == [{"from": 0, "to": 9, "count": 8}, {"from": 10, "to": 99, "count": 2}]
    assert (found["open"]["count"], found["open"]["oldest_age"]) == (10, 11)
    assert found["best"]["items"] == [list(learner.decision_set.items[i]) for i in np.flatnonzero(best)]
    assert found["best"]["text"].startswith("home → ")
    assert (found["best"]["value"], found["best"]["is_cost"]) == (learner.means[best].sum(), True)
    assert found["nouns"] == {"decision": "path", "decisions": "paths", "item": "link", "items": "links"}
    listed = client.get("/v1/learners").json()["learners"]
    assert [(one["name"], one["rounds"], one["open"]) for one in listed] == [("courier", 12, 10), ("items", 0, 0)]


def test_estimates(client, learner):
    for _ in range(6):
        asked = learner.ask()
        learner.tell(asked.id, costs=[2.0] * len(asked.items))
    asked = learner.ask()
    found = client.get("/v1/learners/courier/estimates?error=0.1").json()
    assert found["error"] == 0.1
    items = found["items"]
    assert [one["item"] for one in items] == [list(label) for label in learner.decision_set.items]
    assert [one["plays"] for one in items] == learner.plays.tolist()
    assert [one["open"] for one in items] == asked.decision.astype(int).tolist()
    assert [one["mean"] for one in items] == [None if n == 0 else -2.0 for n in learner.plays]
    assert [one["in_best"] for one in items] == learner.best().tolist()
    assert items[0]["text"] == "home → a"


@pytest.mark.parametrize("features", ["pooled", [[float(i % 3), i / 6] for i in range(6)]])
@pytest.mark.parametrize("law", [{"law": "bernoulli"}, {"variance": 0.25}])
def test_what_features_say_is_that_of_the_learner(client, url, features, law):
    learner = sb.open_learner(url, name="shared", decision_set=sb.MSets(6, 2), features=features, seed=0, **law)
    for k in range(9):
        asked = learner.ask(available=range(4))
        learner.tell(asked.id, [float(k % 2), float(k % 3 == 0)])
    estimates, frame = learner.estimates(), learner.coefficients()
    items = client.get("/v1/learners/shared/estimates").json()["items"]
    assert [one["shrunk"] for one in items] == estimates.shrunk.tolist()
    assert [one["shrunk_sd"] for one in items] == estimates.shrunk_sd.tolist()
    assert items[5]["mean"] is None
    found = client.get("/v1/learners/shared/coefficients").json()
    assert set(found) == {"coefficients"}
    shown = [{"name": name, "mean": mean, "sd": sd} for name, mean, sd in frame.itertuples()]
    assert found["coefficients"] == [*shown[:-1], shown[-1] | {"sd": None}]
    named = "pooled" if features == "pooled" else "feature 0, feature 1"
    assert client.get("/v1/learners/shared").json()["features"] == named


def test_a_learner_without_features(client, learner):
    assert {one["shrunk"] for one in client.get("/v1/learners/courier/estimates").json()["items"]} == {None}
    assert client.get("/v1/learners/courier").json()["features"] is None
    with pytest.raises(sb.UnsupportedError) as caught:
        learner.coefficients()
    refused = client.get("/v1/learners/courier/coefficients")
    assert (refused.status_code, refused.json()["error"]["type"]) == (422, "UnsupportedError")
    assert error_of(refused) == str(caught.value)


def test_open_rounds_by_pages(client, learner):
    post(client, "courier/ask", {"count": 5})
    post(client, "courier/forget", {"round": 1})
    seen, after = [], ""
    while True:
        page = client.get(f"/v1/learners/courier/rounds?limit=2{after}").json()
        seen += page["rounds"]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert [(one["round"], one["age"]) for one in seen] == [(0, 4), (2, 2), (3, 1), (4, 0)]
    assert seen[0]["items"] == [list(label) for label in learner.open_rounds[0].labels]


class Later:
    """A process that carries out its function when the test wants it."""

    def submit(self, function, *arguments):
        self.work, self.future = partial(function, *arguments), Future()
        return self.future

    def close(self):
        pass


@pytest.mark.parametrize(("policy", "variance"), [(sb.GLADE(), 4.0), (sb.CUCB(variance=4.0), 1.0)])
def test_the_bound_at_the_estimates(client_with, url, monkeypatch, policy, variance):
    learner = sb.open_learner(url, name="one", decision_set=sb.MSets(5, 2), policy=policy, variance=variance, seed=1)
    process = Later()
    monkeypatch.setattr(bounds, "SideProcess", lambda: process)
    client = client_with()
    failed = client.get("/v1/learners/one/bound").json()
    assert (failed["status"], failed["value"]) == ("failed", None)
    assert failed["message"].startswith("a bound needs an outcome of every item, and 5 of 5 have none")
    for k in range(9):
        asked = learner.ask()
        learner.tell(asked.id, costs=(1.0 + asked.items + 0.1 * k).tolist())
    found = client.get("/v1/learners/one/bound").json()
    assert found["status"] == "solving"
    process.future.set_result(process.work())
    found = client.get("/v1/learners/one/bound").json()
    expected = sb.graves_lai(learner.decision_set, learner.means, variance=4.0)
    assert found["status"] == "ready"
    assert found["value"] == pytest.approx(expected.value)
    assert found["lower"] <= found["value"]
    assert [one["rate"] for one in found["items"]] == pytest.approx(expected.rates.tolist())
    assert [one["wanted"] for one in found["items"]] == pytest.approx((expected.rates * np.log(9)).tolist())
    assert [one["plays"] for one in found["items"]] == learner.plays.tolist()


def test_plans_are_solved_in_the_background(client, url):
    """The decisions are those of a learner that goes on without a plan, until the plan of another process is stored."""
    learner = sb.open_learner(url, name="planned", decision_set=sb.MSets(5, 2), policy=sb.OSSB(), variance=1.0, defer_plans=True)
    deadline, rounds = time.monotonic() + 600, 0
    while time.monotonic() < deadline and "semibandits_plan_solves 0.0" in client.get("/metrics").text:
        (asked,) = post(client, "planned/ask").json()["rounds"]
        rewards = [float(i) for i in asked["indices"]]
        assert post(client, "planned/tell", {"round": asked["round"], "rewards": rewards}).status_code == 200
        rounds += 1
        time.sleep(0.02)
    assert "semibandits_plan_solves 0.0" not in client.get("/metrics").text
    assert learner.calls > 2 * rounds  # the plan is an entry of its own
    assert sb.open_learner(url, name="planned").state() == learner.state()


def test_learners_that_appear_later_and_learners_by_name(client_with, url):
    client, other = client_with(), client_with(names=("items",))
    assert client.get("/v1/learners/late").status_code == 404
    sb.open_learner(url, name="late", decision_set=sb.MSets(4, 1), variance=1.0)
    assert post(client, "late/ask").status_code == 200
    assert [one["name"] for one in other.get("/v1/learners").json()["learners"]] == ["items"]
    response = other.get("/v1/learners/courier")
    assert (response.status_code, "items" in error_of(response)) == (404, True)


class Own(sb.DecisionSet):
    """One of three items, of the user."""

    d, m, items = 3, 1, ("x", "y", "z")

    def maximize(self, weights):
        x = np.zeros(3, dtype=bool)
        x[np.argmax(weights)] = True
        return x


def test_sets_of_the_user(client_with, url, caplog):
    sb.open_learner(url, name="own", decision_set=Own(), policy=sb.CUCB(), variance=1.0)
    client = client_with()
    response = post(client, "own/ask")
    assert response.status_code == 409
    assert error_of(response).startswith("the learner 'own' must have a decision set and a policy of the library, got: ")
    assert "create_app(url, learners={name: (decision_set, policy)})" in error_of(response)
    assert [one["name"] for one in client.get("/v1/learners").json()["learners"]] == ["courier", "items"]
    served = client_with({"own": (Own(), None)})
    assert post(served, "own/ask").json()["rounds"][0]["items"] == ["x"]
    assert served.get("/v1/learners/own").json()["family"] == "own"
    with pytest.raises(sb.InvalidInputError, match="learners must be a mapping"):
        create_app(url, learners={"own": Own()})


def test_a_database_that_does_not_answer(client_with, url):
    """A request fails with a 503 and changes nothing; the same request with its key succeeds later, and reading goes on."""
    client = client_with(storage_timeout=0.3)
    post(client, "items/ask")
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        response = post(client, "items/ask", key="again")
        assert (response.status_code, response.headers["retry-after"]) == (503, "1")
        assert "must answer within 0.3 seconds, got: database is locked" in error_of(response)
        assert "with the same Idempotency-Key" in error_of(response)
        assert client.get("/health").status_code == 200
        assert client.get("/v1/learners/items").json()["rounds"] == 1
        connection.rollback()
    assert post(client, "items/ask", key="again").json()["rounds"][0]["round"] == 1
    assert "semibandits_storage_errors_total 1.0" in client.get("/metrics").text


def test_a_database_without_its_tables(client_with, url, caplog):
    """Health shows nothing of the database, neither its path nor its user or host; the log has the error."""
    client = client_with(storage_timeout=0.0)
    assert client.get("/health").json() == {"status": "ok", "storage": "ok"}
    assert client.get("/v1/learners/items").status_code == 200
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        for table in ("learners", "journal"):
            connection.execute(f"ALTER TABLE semibandits_{table} RENAME TO {table}")
    for path in ("/health", "/v1/learners", "/v1/learners/items"):
        response = client.get(path)
        assert (response.status_code, response.json()["error"]["type"]) == (503, "StorageError")
    assert post(client, "items/ask").status_code == 503
    assert client.get("/metrics").status_code == 200
    response = client.get("/health")
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert error_of(response) == "the storage must answer, got no answer, or an error: see the log of the service"
    assert f"the storage is away: {url} must be a readable" in caplog.text


def test_the_document_describes_all_requests(client):
    document = client.get("/openapi.json").json()
    actions = ("ask", "tell", "tell-many", "forget", "expire", "replace")
    views = ("", "/estimates", "/coefficients", "/confidence", "/bound", "/rounds", "/state")
    paths = {f"/v1/learners/{{name}}/{action}" for action in actions} | {f"/v1/learners/{{name}}{view}" for view in views}
    assert set(document["paths"]) == paths | {"/v1/learners", "/v1/compilation", "/health", "/metrics"}
    names = set(document["components"]["schemas"])
    text = json.dumps(document)
    assert {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]} <= names
    assert document["paths"]["/v1/learners"]["get"]["security"] == [{"token": []}]
    assert document["paths"]["/health"]["get"]["security"] == []


def test_a_smaller_matching_where_a_courier_is_away(client, url):
    """Asked for, told and listed as any other decision, also by a service that starts anew."""
    pairs = [[courier, zone] for courier in "AB" for zone in ("north", "south")]
    learner = sb.open_learner(url, name="zones", decision_set=sb.Matchings(pairs, "most"), variance=1.0, seed=0)
    for _ in range(2):
        (asked,) = post(client, "zones/ask", {"available": {"except": pairs[:2]}}).json()["rounds"]
        assert [item[0] for item in asked["items"]] == ["B"]
    assert post(client, "zones/tell", {"round": 0, "costs": [12.0]}).status_code == 200
    (waiting,) = client.get("/v1/learners/zones/rounds").json()["rounds"]
    assert (waiting["round"], waiting["items"]) == (1, asked["items"])
    assert [asked.labels[0][0] for asked in sb.open_learner(url, name="zones").open_rounds] == ["B"]
    refused = post(client, "zones/ask", {"available": []})
    assert (refused.status_code, learner.rounds) == (409, 2)
    assert len(post(client, "zones/ask").json()["rounds"][0]["items"]) == 2
