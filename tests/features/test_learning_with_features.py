"""Learners whose items tell of each other."""

import numpy as np
import pytest

import semibandits as sb

PAGES = sb.MSets(30, 3, items=[f"p{i}" for i in range(30)])


def problem(seed):
    rng = np.random.default_rng(seed)
    phi = rng.normal(size=(30, 3))
    return phi, phi @ rng.normal(size=3) * 0.4


def regret(learner, theta, rounds, seed=0):
    rng, best, lost = np.random.default_rng(seed), np.sort(theta)[-3:].sum(), 0.0
    for _ in range(rounds):
        asked = learner.ask()
        lost += best - theta[asked.items].sum()
        learner.tell(asked.id, theta[asked.items] + 0.5 * rng.standard_normal(3))
    return lost


@pytest.mark.parametrize("policy", [sb.ThompsonSampling(), sb.GLADE(), sb.CUCB()])
def test_features_that_fit_save_most_of_the_regret(policy):
    with_features = without = 0.0
    for seed in range(4):
        phi, theta = problem(seed)
        with_features += regret(sb.Learner(PAGES, policy, variance=0.25, seed=seed, features=phi), theta, 150)
        without += regret(sb.Learner(PAGES, policy, variance=0.25, seed=seed), theta, 150)
    assert with_features < 0.5 * without


def test_nothing_is_forced_and_the_best_decision_may_contain_items_that_were_never_observed():
    phi, theta = problem(0)
    shown = np.argsort(theta)[:20]  # the better ten were never shown
    rng = np.random.default_rng(0)
    items = np.tile(shown, 40)
    rewards = theta[items] + 0.5 * rng.standard_normal(len(items))
    learner = sb.Learner.from_history(
        PAGES, [PAGES.items[i] for i in items], rewards, sb.GLADE(), variance=0.25, seed=0, features=phi
    )
    top = set(np.argsort(theta)[-4:].tolist())
    assert set(np.flatnonzero(learner.best()).tolist()) <= top
    assert set(learner.ask().items.tolist()) <= top
    without = sb.Learner.from_history(PAGES, [PAGES.items[i] for i in items], rewards, sb.GLADE(), variance=0.25, seed=0)
    assert not set(np.flatnonzero(without.best()).tolist()) & set(np.argsort(theta)[-10:].tolist())


@pytest.mark.parametrize("law", ["bernoulli", "poisson", "gamma:shape=2"])
def test_laws_keep_means_in_their_range(law):
    rng = np.random.default_rng(0)
    theta = 0.02 + 0.05 * rng.random(30)
    for policy in (sb.ThompsonSampling(), sb.GLADE()):
        learner = sb.Learner(PAGES, policy, law=law, variance=0.05, seed=0, features="pooled")
        for _ in range(40):
            asked = learner.ask()
            drawn = {"bernoulli": rng.random(3) < theta[asked.items], "poisson": rng.poisson(theta[asked.items])}
            learner.tell(asked.id, np.asarray(drawn.get(law, rng.gamma(2.0, theta[asked.items] / 2.0)), dtype=float))
        assert learner.rounds == 40


def test_a_failed_call_changes_nothing():
    phi, theta = problem(1)
    learner = sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features=phi)
    regret(learner, theta, 10)
    before = learner.state()
    with pytest.raises(sb.Infeasible):
        learner.ask(available=["p1", "p2"])
    with pytest.raises(sb.InvalidInputError):
        learner.tell(99, [1.0, 1.0, 1.0])
    assert learner.state() == before


def test_replace_keeps_what_is_shared():
    _, theta = problem(2)
    learner = sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features="pooled")
    regret(learner, theta, 30)
    fewer = sb.MSets(20, 3, items=[f"p{i}" for i in range(10, 30)])
    after, _ = learner.replace(fewer)
    assert after.plays.tolist() == learner.plays[10:].tolist()
    assert after.ask().id == 30
    phi, _ = problem(2)
    table = sb.Learner(PAGES, variance=0.25, seed=0, features=phi)
    with pytest.raises(sb.InvalidInputError, match="features must be given for the new items"):
        table.replace(fewer)
    assert table.replace(fewer, features=phi[10:])[0].ask().id == 0


@pytest.mark.parametrize(
    ("options", "message"), [({"half_life": 5.0}, "cannot be given together"), ({"policy": sb.OSSB()}, "makes no plans")]
)
def test_what_features_do_not_go_with(options, message):
    with pytest.raises(sb.UnsupportedError, match=message):
        sb.Learner(PAGES, variance=0.25, seed=0, features="pooled", **options)


@pytest.mark.parametrize("change", [{"numbers": [1.0]}, {"numbers": [-1.0, 1.0, 1.0, 1.0]}, {"before": -1}, None])
def test_damaged_states_are_refused(change):
    from semibandits.learning.storage import digest

    state = sb.Learner(PAGES, variance=0.25, seed=0, features="pooled").state()
    del state["checksum"]
    if change is None:
        state["features"] = {"names": ["a"], "scales": [1.0], "rows": [[1.0]]}
    else:
        state["sharing"] |= change
    with pytest.raises(sb.InvalidInputError, match="damaged"):
        sb.Learner.from_state({**state, "checksum": digest(state)})


def test_coefficients_are_per_unit():
    rng = np.random.default_rng(0)
    table = {
        page: [year, kind] for page, year, kind in zip(PAGES.items, rng.integers(1990, 2020, 30), ["a", "b"] * 15, strict=True)
    }
    theta = np.array([0.1 * (year - 2000) + (kind == "b") for year, kind in table.values()])
    learner = sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features=table)
    regret(learner, theta, 200)
    frame = learner.coefficients()
    assert list(frame.index) == ["mean of all", "feature 0", "feature 1 = a", "feature 1 = b", "spread of items"]
    assert frame.loc["feature 0", "mean"] == pytest.approx(0.1, abs=0.03)
    difference = frame.loc["feature 1 = b", "mean"] - frame.loc["feature 1 = a", "mean"]
    assert difference == pytest.approx(1.0, abs=0.4)
    assert frame.loc["spread of items", "mean"] < 0.3
    with pytest.raises(sb.UnsupportedError, match="coefficients need a learner with features"):
        sb.Learner(PAGES, variance=0.25, seed=0).coefficients()


def test_simulations_play_as_learners(tmp_path):
    phi, theta = problem(3)
    rewards = sb.GaussianRewards(theta, variance=0.25)
    policies = [sb.ThompsonSampling(), sb.GLADE()]
    plain = sb.simulate(PAGES, rewards, policies, 60, 3, 5, bound=False)
    alone = sb.simulate(PAGES, rewards, policies, 60, 3, 5, bound=False, features=phi, folder=tmp_path / "a")
    again = sb.simulate(PAGES, rewards, policies, 60, 3, 5, n_jobs=2, bound=False, features=phi)
    for name in ("ThompsonSampling", "GLADE"):
        np.testing.assert_array_equal(alone.regret[name], again.regret[name])
        assert alone.regret[name][:, -1].mean() < plain.regret[name][:, -1].mean()
    with pytest.raises(sb.InvalidInputError):  # another simulation
        sb.simulate(PAGES, rewards, policies, 60, 3, 5, bound=False, folder=tmp_path / "a", resume=True)
    with pytest.raises(sb.UnsupportedError, match="got OSSB"):
        sb.simulate(PAGES, rewards, sb.OSSB(), 60, 3, 5, features=phi)


def test_late_and_partial_outcomes_count_when_they_arrive():
    phi, theta = problem(4)
    rewards = sb.GaussianRewards(theta, variance=0.25)
    late = sb.simulate(PAGES, rewards, sb.ThompsonSampling(), 80, 2, 0, bound=False, features=phi, delay=10, loss=0.2)
    assert np.isfinite(late.regret["ThompsonSampling"]).all()
    learner = sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features=phi)
    first, second = learner.ask(), learner.ask()
    learner.tell(second.id, [1.0, None, 0.5], partial=True)
    learner.tell(first.id, [0.0, 1.0, 2.0])
    assert learner.plays.sum() == 5
    assert learner.coefficients()["mean"].notna().all()


STREETS = [("s", "a"), ("s", "b"), ("a", "b"), ("b", "a"), ("a", "t"), ("b", "t")]


@pytest.mark.parametrize(
    "policy",
    [sb.GLADE(), sb.GLADE(horizon=50), sb.ThompsonSampling(), sb.CUCB(), sb.ESCB(), sb.AESCB(), sb.Identify()],
    ids=lambda policy: policy.name,
)
@pytest.mark.parametrize("kind", ["pairs", "streets", "roads"])
def test_all_policies_without_plans_use_features(policy, kind):
    pairs = [(a, b) for a in "abc" for b in "xyz"]
    x, features = {
        "pairs": (sb.Matchings(pairs), "additive"),
        "streets": (sb.Paths(STREETS[:3] + STREETS[4:], "s", "t"), [[1.0], [2.0], [1.0], [3.0], [1.0]]),
        "roads": (sb.Routes(STREETS, "s", "t", least=0.5), {street: [float(k % 3)] for k, street in enumerate(STREETS)}),
    }[kind]
    rng = np.random.default_rng(0)
    costs = 1.0 + rng.random(x.d)
    learner = sb.Learner(x, policy, variance=0.04, seed=0, features=features)
    for t in range(30):
        asked = learner.ask(available=None if t % 4 else np.arange(x.d) != 2)
        learner.tell(asked.id, costs=np.maximum(costs[asked.items] + 0.2 * rng.standard_normal(len(asked.items)), 0.5))
    assert learner.best() in x
    assert sb.Learner.from_state(learner.state()).ask().labels == learner.ask().labels
