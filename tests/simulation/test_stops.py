"""Simulations that stop once they are sure."""

import numpy as np
import pytest

import semibandits as sb

STOP = sb.Stop(0.9, within=0.05)


class Drawn(sb.GaussianRewards):
    """The same rewards without a kernel."""

    def draw(self, items, rng):
        return super().draw(items, rng)


def played(rewards, policy=None, **options):
    decisions = sb.MSets(4, 2)
    given = {"horizon": 3_000, "replications": 3, "seed": 1, "bound": False, "stop_at": STOP, "checkpoints": [500, 1_500, 3_000]}
    return sb.simulate(decisions, rewards, sb.CUCB(radius="kveton") if policy is None else policy, **(given | options))


def test_a_replication_stops_and_plays_the_best_decision():
    rewards = sb.GaussianRewards([0.9, 0.8, 0.3, 0.1], variance=0.05)
    result, endless = played(rewards), played(rewards, stop_at=None)
    (stopped,) = [row.stopped for row in result.summary()]
    assert (stopped.share, stopped.wrong) == (1.0, 0.0)
    after = result.stops["CUCB"]
    assert (np.diff(after[:, 1:, 0], axis=1) == 1_500).all()
    assert stopped.rounds == pytest.approx((3_000 - after[:, -1, 0]).mean())
    assert (result.regret["CUCB"][:, 1] == result.regret["CUCB"][:, 2]).all()
    assert (result.regret["CUCB"][:, -1] < endless.regret["CUCB"][:, -1]).all()
    assert endless.stops is None
    assert endless.summary()[0].stopped is None


def test_the_decision_after_a_stop_may_be_wrong():
    rewards, early = sb.GaussianRewards([0.9, 0.8, 0.79, 0.1], variance=0.05), sb.Stop(0.05, threshold="customary")
    wrong = played(rewards, stop_at=early, replications=30)
    after = wrong.stops["CUCB"][:, -1]
    mistaken = after[:, 1] > 0
    assert mistaken.any()
    assert not mistaken.all()
    assert (after[mistaken, 1] == after[mistaken, 0]).all()
    assert wrong.summary()[0].stopped.wrong == mistaken.sum() / (after[:, 0] > 0).sum()
    assert (wrong.optimal["CUCB"][mistaken, -1] <= 3_000 - after[mistaken, 0]).all()


@pytest.mark.parametrize("delay", [0, "geometric:20"])
def test_rounds_in_python_stop_alike(delay):
    theta = [0.9, 0.8, 0.3, 0.1]
    one, other = (played(kind(theta, variance=0.05), delay=delay) for kind in (sb.GaussianRewards, Drawn))
    assert one.summary()[0].stopped.share == 1.0
    for name in ("stops", "regret", "plays", "reward", "optimal"):
        assert np.array_equal(getattr(one, name)["CUCB"], getattr(other, name)["CUCB"])


def test_workers_folders_and_files(tmp_path):
    rewards = sb.GaussianRewards([0.9, 0.8, 0.3, 0.1], variance=0.05)
    one = played(rewards)
    two = played(rewards, n_jobs=2, folder=tmp_path / "run")
    more = played(rewards, replications=4, folder=tmp_path / "run", resume=True)
    one.save(tmp_path / "one.sim")
    for other in (two, more, sb.load_simulation(tmp_path / "one.sim")):
        assert np.array_equal(one.stops["CUCB"], other.stops["CUCB"][:3])
    with pytest.raises(sb.InvalidInputError, match="stop"):
        played(rewards, stop_at=0.95, folder=tmp_path / "run", resume=True)


def test_a_prior_is_no_evidence():
    rewards = sb.GaussianRewards([0.9, 0.8, 0.3, 0.1], variance=0.05)
    options = {"prior_means": [0.9, 0.8, 0.3, 0.1], "prior_plays": [10_000] * 4}
    assert played(rewards, **options).summary()[0].stopped.share == 0.0
