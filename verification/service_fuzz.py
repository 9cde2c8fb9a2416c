"""Does the service answer requests that are generated from its own OpenAPI document, and is what it accepts stored once?

    python verification/service_fuzz.py [--requests 6000] [--seed 0] [--url postgresql://...]

Starts ``semibandits serve`` and sends requests that schemathesis draws from the document, half of them invalid, most to endpoints
that change a learner. Half of the outcomes are made about open rounds, so that some are accepted. Every answer must be a 2xx,
or a 4xx with one error of one sentence, and must have the form that the document describes; every accepted call must be in the
journal exactly once under its key, and no other; and a learner that replays the journal must have the state that the service
shows.

Needs the extra "verification".
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
import schemathesis
from crash_workers import entries_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import NonInteractiveExampleWarning
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

import semibandits as sb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "service"))
from servers import serving

TOKEN = "token-of-the-verification"
KEY = "Idempotency-Key"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
STREETS = [("home", "a"), ("home", "b"), ("a", "b"), ("a", "work"), ("b", "work")]
LEARNERS = {
    "courier": (sb.Paths(STREETS, "home", "work"), sb.GLADE()),
    "items": (sb.MSets(6, 2), sb.CUCB()),
    "matching": (sb.Matchings([(r, c) for r in "xyz" for c in (1, 2, 3)]), sb.ThompsonSampling()),
}
"""Learners whose labels are tuples of texts, numbers, and both."""


@dataclass
class Tally:
    """What was sent and answered."""

    sent: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    accepted: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in LEARNERS})
    failures: list[str] = field(default_factory=list)


class Fuzz:
    """Requests to a service at an address; the seed decides what is changed in generated requests."""

    def __init__(self, address: str, seed: int) -> None:
        self.address, self.random, self.tally = address, random.Random(seed), Tally()
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {TOKEN}"

    def send(self, case: Case) -> None:
        """Send one request, after some changes, and check the answer."""
        name = self.named(case)
        if case.method == "POST":
            self.keyed(case)
            self.open_round(case, name)
        where = f"{case.method} {case.operation.path}"
        self.tally.sent[where] += 1
        try:
            response = case.call(base_url=self.address, session=self.session, timeout=60)
        except (requests.exceptions.InvalidHeader, UnicodeError):  # the client does not send such headers
            self.tally.sent[where] -= 1
            return
        self.tally.statuses[response.status_code] += 1
        try:
            case.validate_response(response, checks=CHECKS)
            if response.status_code >= 400:
                check_error(response.json())
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self.tally.failures.append(f"{where}: {response.status_code} {response.text[:200]}: {error}")
        if case.method == "POST" and response.status_code == 200:
            self.tally.accepted[str(name)][str(case.headers[KEY])] += 1

    def named(self, case: Case) -> str | None:
        """Name one of the learners in most requests."""
        parameters = case.path_parameters
        if isinstance(parameters, dict) and "name" in parameters and self.random.random() < 0.9:
            parameters["name"] = self.random.choice(list(LEARNERS))
        return parameters.get("name") if isinstance(parameters, dict) else None

    def keyed(self, case: Case) -> None:
        """Give every call a key, in most cases a new one, so that it can be found in the journal."""
        headers = case.headers if case.headers is not None else {}
        if KEY not in headers or self.random.random() < 0.8:
            headers[KEY] = f"call {sum(self.tally.sent.values())}"
        case.headers = headers

    def open_round(self, case: Case, name: str | None) -> None:
        """Make half of the outcomes about an open round."""
        body = case.body
        if name not in LEARNERS or not isinstance(body, dict) or self.random.random() < 0.5:
            return
        parts = body.get("outcomes") if case.operation.path.endswith("tell-many") else [body]
        if "ask" in case.operation.path or "expire" in case.operation.path or not isinstance(parts, list):
            return
        headers = {KEY: f"before {sum(self.tally.sent.values())}"}
        asked = self.session.post(
            f"{self.address}/v1/learners/{name}/ask", json={"count": max(len(parts), 1)}, headers=headers
        ).json()["rounds"]
        self.tally.accepted[name][headers[KEY]] += 1
        for part, one in zip(parts, asked, strict=False):
            if isinstance(part, dict):
                part["round"] = one["round"]
                for kind in ("costs", "rewards"):
                    if kind in part and self.random.random() < 0.7:
                        part[kind] = self.outcome(one)

    def outcome(self, asked: dict[str, Any]) -> Any:
        """An outcome of the right length, in any form."""
        values = [self.random.choice((0.0, 1, -2.5, 1e9)) for _ in asked["items"]]
        return self.random.choice((values, [list(pair) for pair in zip(asked["items"], values, strict=True)]))


def check_error(content: Any) -> None:
    """An error is one object with a type and one sentence."""
    error = content["error"]
    assert set(error) == {"type", "message"}, content
    assert ", got " in error["message"], content
    assert "\n" not in error["message"], content
    assert "Traceback" not in error["message"], content


def check_journal(url: str, name: str, accepted: Counter[str], shown: dict[str, Any]) -> int:
    """Compare the journal of a learner with the accepted calls; the number of its entries."""
    entries = entries_of(url, name)
    keys = Counter(entry.key for entry in entries)
    assert all(count == 1 for count in keys.values()), [key for key, count in keys.items() if count > 1]
    assert set(keys) == set(accepted), set(keys) ^ set(accepted)
    with sb.open_learner(url, name=name) as learner:
        assert learner.state() == shown
    return len(entries)


def run(address: str, n_requests: int, seed: int) -> Fuzz:
    """Send requests to all endpoints, half of them valid."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    fuzz = Fuzz(address, seed)
    posts = sum(operation.method.upper() == "POST" for operation in operations)
    share = n_requests // (2 * (len(operations) + 2 * posts))  # three times as many to those that change something
    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            many = share * (3 if operation.method.upper() == "POST" else 1)
            attempt(fuzz.send, operation, mode, many, seed)
    return fuzz


def attempt(send: Callable[[Case], None], operation: Any, mode: GenerationMode, many: int, seed: int) -> None:
    """Draw requests to one endpoint and send them."""

    @seeded(seed)
    @settings(max_examples=many, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def draw(case: Case) -> None:
        send(case)

    try:
        draw()
    except Exception as error:
        if "Unsatisfiable" not in type(error).__name__:  # an endpoint without parameters has no invalid requests
            raise


def main() -> None:
    """Fuzz a new service and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--url", help="a new database, by default a file of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = options.url or f"sqlite:///{folder}/learners.db"
        for name, (decision_set, policy) in LEARNERS.items():
            sb.open_learner(url, name=name, decision_set=decision_set, policy=policy, variance=1.0).close()
        with serving(url, token=TOKEN, environment={"SEMIBANDITS_BACKGROUND": "1"}) as service:
            address = f"http://{service.address}"
            fuzz = run(address, options.requests, options.seed)
            states = {name: fuzz.session.get(f"{address}/v1/learners/{name}/state").json() for name in LEARNERS}
            assert service.stop()[0] == 0
        entries = {name: check_journal(url, name, fuzz.tally.accepted[name], states[name]) for name in LEARNERS}
    report(fuzz.tally, entries)


def report(tally: Tally, entries: dict[str, int]) -> None:
    """Print counts, and fail if an answer was wrong."""
    for where, count in sorted(tally.sent.items()):
        print(f"{count:6,} {where}")
    print(f"{sum(tally.sent.values()):6,} requests; answers by status: {dict(sorted(tally.statuses.items()))}")
    print(f"calls in the journals, each once and under the key of an accepted call: {entries}")
    for failure in tally.failures[:20]:
        print("FAILED", failure)
    sys.exit(1 if tally.failures else 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore", NonInteractiveExampleWarning)
    main()
