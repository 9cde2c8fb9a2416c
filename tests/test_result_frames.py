"""Frames of learners, estimates and simulations hold what their attributes hold."""

import numpy as np
import pandas as pd
import pytest

import semibandits as sb
from semibandits.client import Estimates

ARTICLES = sb.MSets(4, 2, items=list("abcd"))


@pytest.fixture(scope="module")
def result():
    clicks = sb.BernoulliRewards([0.1, 0.3, 0.5, 0.7])
    return sb.simulate(ARTICLES, clicks, [sb.CUCB(), sb.ThompsonSampling()], 200, 4, stop_at=0.95)


def test_frames_of_a_simulation(result):
    bands, plays, summary = (result.to_frame(of).set_index("policy") for of in ("bands", "plays", "summary"))
    for name in result.policies:
        for frame, band in ((bands, result.bands(name)), (plays, result.item_plays(name))):
            for end in ("mean", "lower", "upper"):
                assert frame.loc[name, end].tolist() == getattr(band, end).tolist()
        assert bands.loc[name, "round"].tolist() == result.checkpoints.tolist()
        assert plays.loc[name, "item"].tolist() == list("abcd")
    for row in result.summary():
        found = summary.loc[row.policy]
        assert found["regret"] == row.regret
        assert (found["slope_lower"], found["slope_upper"]) == row.slope_interval
        assert (found["linear_calls"], found["undecided"]) == (row.calls[0], row.calls[3])
        assert (found["stopped"], found["stop_wrong"]) == pytest.approx((row.stopped.share, row.stopped.wrong), nan_ok=True)
    assert len(result.to_frame()) == 2 * 4 * len(result.checkpoints)


@pytest.mark.parametrize("options", [{}, {"features": "pooled", "prior_means": [0.1, 0.2, 0.3, 0.4], "prior_plays": 3}], ids=str)
def test_frames_of_a_learner(options):
    learner = sb.Learner(ARTICLES, law="bernoulli", seed=0, **options)
    asked = learner.ask()
    learner.tell(asked.id, [1.0, 0.0])
    learner.ask()
    estimates, frame = learner.estimates(0.1), learner.to_frame(0.1)
    assert frame["item"].tolist() == list("abcd")
    for name in ("plays", "open", "lower", "upper", *(("shrunk", "shrunk_sd") if options else ())):
        assert np.array_equal(frame[name], getattr(estimates, name), equal_nan=True)
    assert np.array_equal(frame["mean"], estimates.means, equal_nan=True)
    assert frame["in_best"].tolist() == learner.best().tolist()
    pd.testing.assert_frame_equal(estimates.to_frame(), frame[list(estimates.to_frame().columns)])
    assert ("prior_mean" in frame.columns) == bool(options)
    if options:
        assert frame["prior_plays"].tolist() == [3, 3, 3, 3]


def test_frames_of_a_client():
    arts = {"item": ["a", 1], "text": "a", "plays": 0, "open": 1, "mean": None, "lower": None, "upper": None, "in_best": True}
    frame = Estimates.of({"error": 0.05, "items": [arts, arts | {"item": "b", "mean": 0.5}]}).to_frame()
    assert frame["item"].tolist() == [("a", 1), "b"]
    assert frame["mean"].isna().tolist() == [True, False]
    assert "shrunk" not in frame.columns
