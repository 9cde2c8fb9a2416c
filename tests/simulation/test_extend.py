"""A run grows in its folder: the same bits as a new run of that size, and no finished work is lost on the way."""

import itertools
import json
import warnings

import numpy as np
import pytest
from small_runs import played, small, stopped

import semibandits as sb
from semibandits.simulation.growth import Growth, growth
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS

MORE = {
    "replications": ({"replications": 5}, 4),
    "a policy": ({"policies": "CUCB Thompson ESCB"}, 3),
    "both": ({"policies": "CUCB Thompson ESCB", "replications": 4}, 6),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Call ``whole(horizon=120, ...)`` for the folder of a run that is played at once."""
    folders = {}

    def run(**more):
        if str(more) not in folders:
            folders[str(more)] = tmp_path_factory.mktemp("whole")
            small(folders[str(more)], **more)
        return folders[str(more)]

    return run


def assert_same_files(folder, other, names=(RESULT, DESCRIPTION)):
    for name in names:
        assert (folder / name).read_bytes() == (other / name).read_bytes()
    assert not (folder / PARTS).exists()


@pytest.mark.parametrize("case", MORE)
def test_more_replications_and_policies_reuse_what_is_finished(tmp_path, whole, case):
    larger, missing = MORE[case]
    small(tmp_path)
    assert played(tmp_path, resume=True, **larger) == missing
    assert_same_files(tmp_path, whole(**larger))
    assert played(tmp_path, resume=True, **larger) == 0
    seconds = json.loads((tmp_path / TIMINGS).read_text())["seconds"]
    assert {name: len(own) for name, own in seconds.items()} == dict.fromkeys(seconds, larger.get("replications", 3))


@pytest.mark.parametrize("case", MORE)
@pytest.mark.parametrize("after", [1, 5])
def test_an_unfinished_run_grows_too(tmp_path, whole, case, after):
    larger, missing = MORE[case]
    stopped(tmp_path, after)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no part counts as damaged
        assert played(tmp_path, resume=True, **larger) == missing + 6 - after
    assert_same_files(tmp_path, whole(**larger), [RESULT])


@pytest.mark.parametrize(
    ("option", "larger", "after", "kept"), [("resume", {"replications": 6}, 8, 2), ("extend", {"horizon": 120}, 2, 2)]
)
def test_growth_that_is_interrupted_keeps_the_result_and_continues(tmp_path, whole, option, larger, after, kept):
    """Without an option for a run that was extended."""
    small(tmp_path)
    before = (tmp_path / RESULT).read_bytes()
    assert len(stopped(tmp_path, after, **{option: True}, **larger)) == kept
    assert (tmp_path / RESULT).read_bytes() == before
    assert sb.load_simulation(tmp_path / RESULT).checkpoints[-1] == 50
    assert played(tmp_path, resume=True, **larger) == 4
    assert_same_files(tmp_path, whole(**larger), [RESULT])


LONGER = {
    "rounds": {"horizon": 120},
    "a power of ten": {"horizon": 100},
    "rounds and more": {"horizon": 120, "replications": 4, "policies": "Thompson CUCB ESCB"},
    "rounds with delay": {"horizon": 120, "delay": "geometric:3", "loss": 0.1},
    "checkpoints of the user": {"horizon": 120, "checkpoints": [10, 30, 90, 120]},
}


@pytest.mark.parametrize("case", LONGER)
def test_a_longer_horizon_is_played_again_when_this_is_asked_for(tmp_path, whole, case):
    larger = LONGER[case]
    common = {name: larger[name] for name in ("delay", "loss") if name in larger}
    common |= {"checkpoints": [10, 30, 50]} if "checkpoints" in larger else {}
    fresh = sb.load_simulation(whole(**larger) / RESULT)
    first = small(tmp_path, **common)
    before = (tmp_path / RESULT).read_bytes()
    with pytest.raises(sb.InvalidInputError) as error:
        small(tmp_path, resume=True, **larger)
    assert str(error.value) == (
        f"folder must contain a run of the same horizon, got one of 50 rounds in {tmp_path} and now {larger['horizon']}: add "
        "extend=True to play all replications again up to the longer horizon (the earlier result is kept until the new one is "
        "complete), or choose another folder (folder='FOLDER')"
    )
    assert (tmp_path / RESULT).read_bytes() == before
    assert played(tmp_path, extend=True, **larger) == fresh.replications * len(fresh.policies)
    assert_same_files(tmp_path, whole(**larger))
    assert played(tmp_path, resume=True, **larger) == 0
    early, kept = np.isin(fresh.checkpoints, first.checkpoints), np.isin(first.checkpoints, fresh.checkpoints)
    assert kept[:-1].all()
    for name in first.policies:  # the first rounds are the same
        np.testing.assert_array_equal(fresh.regret[name][:3, early], first.regret[name][:, kept])


def test_parts_of_a_shorter_run_stay_until_the_longer_one_is_complete(tmp_path, whole):
    parts = {path: path.read_bytes() for path in stopped(tmp_path, 2)}
    assert len(stopped(tmp_path, 3, extend=True, horizon=120)) == 5
    assert all(path.read_bytes() == content for path, content in parts.items())
    assert played(tmp_path, extend=True, horizon=120) == 3
    assert_same_files(tmp_path, whole(horizon=120), [RESULT])


OTHER = [
    ({"replications": 2}, "replications"), ({"policies": "CUCB"}, "policies"), ({"policies": "CUCB Thompson"}, "policies"),
    ({"horizon": 40}, "horizon, checkpoints"), ({"horizon": 120, "replications": 2}, "horizon, replications, checkpoints"),
    ({"seed": 3}, "seed"), ({"seed": 3, "horizon": 120}, "horizon, seed, checkpoints"), ({"delay": 1}, "delay, loss"),
    ({"checkpoints": [10, 50]}, "checkpoints"), ({"horizon": 120, "checkpoints": [10, 120]}, "horizon, checkpoints"),
]  # fmt: skip


def test_other_simulations_are_refused_at_once(tmp_path):
    """Without an option, too: an error that asks for one which leads to the next error does not help."""
    small(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for (other, names), option in itertools.product(OTHER, ({}, {"resume": True}, {"extend": True})):
        with pytest.raises(sb.InvalidInputError, match=f"same simulation, got another {names} in .*: choose another folder"):
            small(tmp_path, **other, **option)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_new_folder_and_an_equal_run_need_no_extension(tmp_path):
    assert [played(tmp_path, extend=True) for _ in range(2)] == [6, 0]


def test_a_damaged_result_or_that_of_another_simulation_is_an_error_and_stays(tmp_path):
    small(tmp_path / "run")
    small(tmp_path / "other", seed=3)
    other = (tmp_path / "other" / RESULT).read_bytes()
    for content, message in (
        (b"damaged", r"simulation\.zip"),
        (other, r"another .*seed in .*simulation.zip: choose another folder"),
    ):
        (tmp_path / "run" / RESULT).write_bytes(content)
        for larger in ({}, {"replications": 5}):
            with pytest.raises(sb.InvalidInputError, match=message):
                small(tmp_path / "run", resume=True, **larger)
        assert (tmp_path / "run" / RESULT).read_bytes() == content


def test_edited_descriptions_are_other_simulations():
    now = {"policies": {"CUCB": {}}, "replications": 3, "horizon": 50, "checkpoints": [10, 50], "seed": 0}
    assert growth(now, now) is Growth.NONE
    for name, *values in (("policies", 3, {"CUCB": 1}, None), ("replications", "3"), ("horizon", None), ("checkpoints", 7)):
        for value in values:
            assert growth(now | {name: value}, now | {"horizon": 60, "checkpoints": [10, 60]}) is None


class Plain(sb.Policy):
    """A policy of a user without a text of its own."""

    def __init__(self, rate):
        self.rate, self.table = rate, np.arange(3.0)

    def start(self, decision_set, variance):
        return sb.CUCB().start(decision_set, self.rate)


class Scaled(sb.RewardModel):
    """Rewards of a user with a parameter besides the means."""

    def __init__(self, scale):
        self.scale = scale

    theta = property(lambda self: np.array([0.2, 0.8]))
    variance = property(lambda self: 1.0)

    def draw(self, items, rng):
        return self.theta[items] + self.scale * rng.standard_normal(len(items))


def test_other_parameters_of_own_classes_are_another_simulation(tmp_path):
    options = {"horizon": 20, "replications": 2, "folder": tmp_path / "run"}
    first = sb.simulate(sb.MSets(2, 1), Scaled(0.1), Plain(0.5), **options)
    again = sb.simulate(sb.MSets(2, 1), Scaled(0.1), Plain(0.5), **options, resume=True)
    assert np.array_equal(again.regret["Plain"], first.regret["Plain"])
    for other in ((Scaled(0.1), Plain(0.9)), (Scaled(0.3), Plain(0.5))):
        with pytest.raises(sb.InvalidInputError, match="must contain a run of the same simulation"):
            sb.simulate(sb.MSets(2, 1), *other, **options, resume=True)
