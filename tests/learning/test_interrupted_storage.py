"""Ctrl-C at any moment of a call of a learner in a database leaves nothing locked, and loses nothing that was acknowledged."""

from pathlib import Path

import pytest
from learner_cases import new

from interrupter import interrupted
from marks import later
from semibandits_server import database

FOLDER = Path(database.__file__).parent


def begun(url):
    return new(url, snapshot_every=10, timeout=1.0)


CALLS = {
    "ask": lambda learner, number: learner.ask(key=f"ask {number}"),
    "tell": lambda learner, number: learner.tell(number, [0.25, 0.5]),
    "rounds": lambda learner, number: learner.rounds,
    "prune": lambda learner, number: learner.prune(),
}


@pytest.mark.parametrize("is_thorough", [False, *later(True)])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_interrupted_locks_nothing(url, name, is_thorough):
    """At each moment in `make verify`; in the suite, calls that share code are interrupted at different moments of it."""
    learner, other, call = begun(url), begun(url), CALLS[name]
    step = 1 if is_thorough else 5 if url.startswith("sqlite") else 17
    moment, asked = 1 + list(CALLS).index(name) % step, other.ask()
    while interrupted(lambda: call(learner, asked.id), moment, FOLDER):  # noqa: B023 (called at once)
        assert learner._calls._tickets == [], f"at moment {moment}"
        assert learner.state() == other.state()
        other.expire(age=0)  # no transaction is left open
        moment, asked = moment + step, other.ask()
    assert moment > 20
    learner.tell(learner.ask().id, [1.0, 1.0])
    assert learner.state() == other.state() == begun(url).state()
