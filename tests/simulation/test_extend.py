"""A run grows in its folder: the same bits as a new run of that size, and no finished work is lost on the way."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import semibandits as sb
from semibandits.simulation.growth import Growth, growth
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS

POLICIES = {"CUCB": sb.CUCB(), "ESCB": sb.ESCB(), "Thompson": sb.ThompsonSampling()}


def small(folder: Path | None, policies: str = "CUCB ESCB", **more) -> sb.SimulationResult:
    arguments = {"horizon": 50, "replications": 3, "seed": 2, "folder": folder, "bound": False} | more
    chosen = {name: POLICIES[name] for name in policies.split()}
    return sb.simulate(sb.MSets(4, 2), sb.GaussianRewards([0.1, 0.2, 0.5, 0.6]), chosen, **arguments)


class StopHereError(Exception):
    pass


def stopped(folder: Path, after: int, **more) -> None:
    """Run until `after` replications are finished, counting those of earlier runs."""

    def stop(done: int, total: int) -> None:
        if done >= after:
            raise StopHereError

    with pytest.raises(StopHereError):
        small(folder, progress=stop, **more)


def played(folder: Path, **more) -> int:
    """Number of replications that a run plays."""
    done: list[int] = []
    small(folder, progress=lambda finished, total: done.append(finished), **more)
    return len(done)


MORE = {
    "replications": ({"replications": 5}, 4),
    "a policy": ({"policies": "CUCB Thompson ESCB"}, 3),
    "both": ({"policies": "CUCB Thompson ESCB", "replications": 4}, 6),
}


@pytest.mark.parametrize("case", MORE)
def test_more_replications_and_policies_reuse_what_is_finished(tmp_path, case):
    larger, missing = MORE[case]
    small(tmp_path / "new", **larger)
    small(tmp_path / "run")
    assert played(tmp_path / "run", resume=True, **larger) == missing
    for name in (RESULT, DESCRIPTION):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "new" / name).read_bytes()
    assert not (tmp_path / "run" / PARTS).exists()
    assert played(tmp_path / "run", resume=True, **larger) == 0
    seconds = json.loads((tmp_path / "run" / TIMINGS).read_text())["seconds"]
    replications = larger.get("replications", 3)
    assert {name: len(own) for name, own in seconds.items()} == dict.fromkeys(seconds, replications)


@pytest.mark.parametrize("case", MORE)
@pytest.mark.parametrize("after", [1, 5])
def test_an_unfinished_run_grows_too(tmp_path, case, after):
    larger, missing = MORE[case]
    small(tmp_path / "new", **larger)
    stopped(tmp_path / "run", after)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no part counts as damaged
        assert played(tmp_path / "run", resume=True, **larger) == missing + 6 - after
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "new" / RESULT).read_bytes()


def test_growth_that_is_interrupted_keeps_the_result_and_continues(tmp_path):
    small(tmp_path / "new", replications=6)
    small(tmp_path / "run")
    before = (tmp_path / "run" / RESULT).read_bytes()
    stopped(tmp_path / "run", 8, resume=True, replications=6)
    assert (tmp_path / "run" / RESULT).read_bytes() == before
    assert len(list((tmp_path / "run" / PARTS).iterdir())) == 2
    assert played(tmp_path / "run", resume=True, replications=6) == 4
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "new" / RESULT).read_bytes()


LONGER = {
    "rounds": {"horizon": 120},
    "a power of ten": {"horizon": 100},
    "rounds and more": {"horizon": 120, "replications": 4, "policies": "Thompson CUCB ESCB"},
    "rounds with delay": {"horizon": 120, "delay": "geometric:3", "loss": 0.1},
}


@pytest.mark.parametrize("case", LONGER)
def test_a_longer_horizon_is_played_again_when_this_is_asked_for(tmp_path, case):
    larger = LONGER[case]
    common = {name: larger[name] for name in ("delay", "loss") if name in larger}
    fresh = small(tmp_path / "new", **larger)
    first = small(tmp_path / "run", **common)
    before = (tmp_path / "run" / RESULT).read_bytes()
    total = fresh.replications * len(fresh.policies)
    with pytest.raises(sb.InvalidInputError) as error:
        small(tmp_path / "run", resume=True, **larger)
    assert str(error.value) == (
        f"folder must contain a run of the same horizon, got one of 50 rounds in {tmp_path / 'run'} and now "
        f"{larger['horizon']}: add extend=True to play all replications again up to the longer horizon (the earlier result is "
        "kept until the new one is complete), or choose another folder (folder='FOLDER')"
    )
    assert (tmp_path / "run" / RESULT).read_bytes() == before
    assert played(tmp_path / "run", extend=True, **larger) == total
    for name in (RESULT, DESCRIPTION):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "new" / name).read_bytes()
    assert played(tmp_path / "run", resume=True, **larger) == 0
    early = np.isin(fresh.checkpoints, first.checkpoints)
    kept = np.isin(first.checkpoints, fresh.checkpoints)
    assert kept[:-1].all()
    for name in first.policies:  # the first rounds are the same
        np.testing.assert_array_equal(fresh.regret[name][:3, early], first.regret[name][:, kept])


def test_a_longer_run_that_is_interrupted_keeps_the_shorter_result_and_continues(tmp_path):
    small(tmp_path / "new", horizon=120)
    small(tmp_path / "run")
    before = (tmp_path / "run" / RESULT).read_bytes()
    stopped(tmp_path / "run", 2, extend=True, horizon=120)
    assert (tmp_path / "run" / RESULT).read_bytes() == before
    assert sb.load_simulation(tmp_path / "run" / RESULT).checkpoints[-1] == 50
    assert played(tmp_path / "run", resume=True, horizon=120) == 4  # no flag for a run that was extended
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "new" / RESULT).read_bytes()
    assert not (tmp_path / "run" / PARTS).exists()


def test_parts_of_a_shorter_run_stay_until_the_longer_one_is_complete(tmp_path):
    small(tmp_path / "new", horizon=120)
    stopped(tmp_path / "run", 2)
    parts = {path: path.read_bytes() for path in (tmp_path / "run" / PARTS).iterdir()}
    stopped(tmp_path / "run", 3, extend=True, horizon=120)
    assert all(path.read_bytes() == content for path, content in parts.items())
    assert len(list((tmp_path / "run" / PARTS).iterdir())) == 5
    assert played(tmp_path / "run", extend=True, horizon=120) == 3
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "new" / RESULT).read_bytes()
    assert not (tmp_path / "run" / PARTS).exists()


OTHER = {
    "fewer replications": ({"replications": 2}, "replications"),
    "fewer policies": ({"policies": "CUCB"}, "policies"),
    "other policies": ({"policies": "CUCB Thompson"}, "policies"),
    "shorter": ({"horizon": 40}, "horizon, checkpoints"),
    "longer with fewer": ({"horizon": 120, "replications": 2}, "horizon, replications, checkpoints"),
    "another seed": ({"seed": 3}, "seed"),
    "longer with another seed": ({"seed": 3, "horizon": 120}, "horizon, seed, checkpoints"),
    "other checkpoints": ({"checkpoints": [10, 50]}, "checkpoints"),
    "longer, without the checkpoints": ({"horizon": 120, "checkpoints": [10, 120]}, "horizon, checkpoints"),
    "a delay": ({"delay": 1}, "delay, loss"),
}


@pytest.mark.parametrize("case", OTHER)
@pytest.mark.parametrize("option", [{}, {"resume": True}, {"extend": True}], ids=["new", "resume", "extend"])
def test_other_simulations_are_refused_at_once(tmp_path, case, option):
    """Without an option, too: an error that asks for one which leads to the next error does not help."""
    small(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other, names = OTHER[case]
    with pytest.raises(sb.InvalidInputError, match=f"same simulation, got another {names} in .*: choose another folder"):
        small(tmp_path, **other, **option)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_checkpoints_of_the_user_may_be_continued(tmp_path):
    small(tmp_path / "new", horizon=120, checkpoints=[10, 30, 90, 120])
    small(tmp_path / "run", checkpoints=[10, 30, 50])
    assert played(tmp_path / "run", horizon=120, checkpoints=[10, 30, 90, 120], extend=True) == 6
    assert (tmp_path / "run" / RESULT).read_bytes() == (tmp_path / "new" / RESULT).read_bytes()


def test_a_new_folder_and_an_equal_run_need_no_extension(tmp_path):
    assert played(tmp_path, extend=True) == 6
    assert played(tmp_path, extend=True) == 0
    with pytest.raises(sb.InvalidInputError, match="extend needs the folder of the earlier run, got folder=None"):
        small(None, extend=True)


def test_a_result_of_another_simulation_is_not_used(tmp_path):
    small(tmp_path / "run")
    small(tmp_path / "other", seed=3)
    (tmp_path / "run" / RESULT).write_bytes((tmp_path / "other" / RESULT).read_bytes())
    for larger in ({}, {"replications": 5}):
        with pytest.raises(sb.InvalidInputError, match=r"got another .*seed in .*simulation.zip: choose another folder"):
            small(tmp_path / "run", resume=True, **larger)


def test_a_damaged_earlier_result_is_an_error_and_stays(tmp_path):
    small(tmp_path)
    (tmp_path / RESULT).write_bytes(b"damaged")
    with pytest.raises(sb.InvalidInputError, match=r"simulation\.zip"):
        small(tmp_path, resume=True, replications=5)
    assert (tmp_path / RESULT).read_bytes() == b"damaged"


def test_other_versions_are_not_mixed_in(tmp_path, monkeypatch):
    small(tmp_path)
    monkeypatch.setattr("semibandits.simulation.run.versions", lambda: {"semibandits": "9.9.9"})
    with pytest.raises(sb.InvalidInputError, match="got another versions"):
        small(tmp_path, resume=True, replications=5)


@pytest.mark.parametrize(
    "edit",
    [
        {"policies": 3},
        {"policies": {"CUCB": 1}},
        {"replications": "3"},
        {"horizon": None},
        {"checkpoints": 7},
        {"policies": None},
    ],
)
def test_edited_descriptions_are_other_simulations(edit):
    now = {"policies": {"CUCB": {}}, "replications": 3, "horizon": 50, "checkpoints": [10, 50], "seed": 0}
    assert growth(now, now) is Growth.NONE
    assert growth(now | edit, now | {"horizon": 60, "checkpoints": [10, 60]}) is None


class Plain(sb.Policy):
    """A policy of a user without a text of its own."""

    def __init__(self, rate):
        self.rate, self.table = rate, np.arange(3.0)

    def start(self, decision_set, variance):
        return PlainAgent(decision_set, self.rate)


class PlainAgent(sb.Agent):
    def __init__(self, decision_set, rate):
        self.decision_set, self.rate = decision_set, rate

    def choose(self, rng):
        return self.decision_set.maximize(self.rate * rng.standard_normal(self.decision_set.d))

    def observe(self, items, rewards):
        pass


class Scaled(sb.RewardModel):
    """Rewards of a user with a parameter besides the means."""

    def __init__(self, scale):
        self.scale = scale

    theta = property(lambda self: np.array([0.2, 0.8]))
    variance = property(lambda self: 1.0)

    def draw(self, items, rng):
        return self.theta[items] + self.scale * rng.standard_normal(len(items))


@pytest.mark.parametrize(
    "change", [lambda: (Scaled(0.1), Plain(0.9)), lambda: (Scaled(0.3), Plain(0.5))], ids=["policy", "rewards"]
)
def test_other_parameters_of_own_classes_are_another_simulation(tmp_path, change):
    space, rewards, policy = sb.MSets(2, 1), Scaled(0.1), Plain(0.5)
    options = {"horizon": 20, "replications": 2, "folder": tmp_path / "run"}
    first = sb.simulate(space, rewards, policy, **options)
    again = sb.simulate(space, Scaled(0.1), Plain(0.5), **options, resume=True)
    assert np.array_equal(again.regret["Plain"], first.regret["Plain"])
    other_rewards, other_policy = change()
    with pytest.raises(sb.InvalidInputError, match="must contain a run of the same simulation"):
        sb.simulate(space, other_rewards, other_policy, **options, resume=True)
