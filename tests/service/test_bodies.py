"""Errors for malformed request bodies: expected value, actual value, location and nearest name."""

import json

import pytest

import semibandits as sb
from semibandits_server import wire
from semibandits_server.service import bodies
from semibandits_server.service.answers import Refusal
from semibandits_server.service.item_labels import ItemLabels

WRONG = [
    (wire.Forget, {}, "the body must have the key 'round', got none: add it"),
    (wire.Forget, {"rounds": 1}, "the body must have the key 'round', got 'rounds': did you mean 'round'?"),
    (wire.Forget, {"round": 1, "x": 2}, "the body must only have the keys round, got 'x': remove it"),
    (wire.Forget, [1], "the body must be a JSON object, got a list: write {...} around its keys"),
    (wire.Forget, {"round": "1"}, 'round must be a whole number, got "1": correct it'),
    (wire.Forget, {"round": 1.5}, "round must be a whole number, got 1.5: correct it"),
    (wire.Forget, {"round": True}, "round must be a whole number, got true: correct it"),
    (wire.Forget, {"round": -1}, "round must be a whole number >= 0, got -1: correct it"),
    (wire.Forget, {"round": 2**53 + 2}, "round must be a whole number <= 9007199254740992, got 9007199254740994: correct it"),
    (wire.Ask, {"count": 0}, "count must be a whole number >= 1, got 0: correct it"),
    (wire.Ask, {"count": 1001}, "count must be a whole number <= 1000, got 1001: correct it"),
    (wire.Ask, {"available": "a"}, 'available must be an object or a list or null, got "a": correct it'),
    (wire.Ask, {"available": {"exept": []}}, "available must only have the keys except, by_label, got 'exept': did you mean"),
    (wire.Ask, {"available": {"by_label": [["a"]]}}, 'available.by_label[0] must be a list of length 2, got ["a"]: correct it'),
    (wire.Ask, {"available": {"by_label": [["a", "x"]]}}, "available.by_label[0][1] must be true or false or a whole number"),
    (wire.Tell, {"round": 1, "rewards": ["1"]}, 'rewards[0] must be a number or a list or null, got "1": correct it'),
    (wire.Tell, {"round": 1, "rewards": {"a": 1, "b": False}}, 'rewards["b"] must be a number or null, got false: correct it'),
    (wire.Tell, {"round": 1, "rewards": [["a", "x"]]}, 'rewards[0][1] must be a number or null, got "x": correct it'),
    (wire.Tell, {"round": 1, "partial": 1}, "partial must be true or false, got 1: correct it"),
    (wire.TellMany, {"outcomes": [{"round": 1}, {"rund": 2}]}, "outcomes[1] must have the key 'round', got 'rund': did you mean"),
    (wire.TellMany, {"outcomes": [{"round": 1}, 2]}, "outcomes[1] must be an object, got 2: correct it"),
    (wire.Tell, {"round": 1, "cost": [1]}, "the body must only have the keys round, rewards, costs, partial, got 'cost'"),
    (wire.Expire, {"second": 3}, "the body must only have the keys age, before, seconds, got 'second': did you mean 'seconds'?"),
    (wire.Expire, {"seconds": -0.5}, "seconds must be a number >= 0.0, got -0.5: correct it"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "data", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_bodies(kind, data, message):
    with pytest.raises(sb.InvalidInputError) as refused:
        bodies.request_of(json.dumps(data).encode(), kind)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"round": NaN}', b'{"round": 1, "round": 1}'])
def test_bodies_that_are_no_json(body):
    with pytest.raises(Refusal, match="the body must be JSON in UTF-8, got "):
        bodies.request_of(body, wire.Forget)


def test_numbers_that_are_whole_are_integers():
    assert bodies.request_of(b'{"round": 2.0}', wire.Forget).round == 2
    assert bodies.request_of(b"", wire.Ask) == wire.Ask()


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({}, "the body must have one of rewards, costs, got none: add one"),
        ({"rewards": [1.0], "costs": [1.0]}, "the body must have one of rewards, costs, got rewards, costs: drop all but one"),
        ({"rewards": [["a", 1.0], 2.0]}, "rewards[1] must be a pair [label, number], got 2.0: correct it"),
        ({"rewards": [["a", 1.0], ["a", 2.0]]}, "rewards must hold each item once, got 2 for 1 items: drop one"),
        ({"rewards": [["c", 1.0]]}, 'rewards[0][0] must be the label of an item, such as "a", got "c": correct it'),
    ],
)
def test_outcomes_that_are_none(told, message):
    record = bodies.request_of(json.dumps({"round": 1, **told}).encode(), wire.Tell)
    with pytest.raises(sb.InvalidInputError) as refused:
        bodies.outcome(record, ItemLabels(["a", "b"]))
    assert str(refused.value) == message


def test_every_request_of_the_client_is_one_of_the_service():
    for record in (wire.Ask(available=wire.Available(excepted=["a"]), count=2), wire.Expire(seconds=1.5), wire.Forget(round=3)):
        assert bodies.request_of(wire.json_text(record).encode(), type(record)) == record
