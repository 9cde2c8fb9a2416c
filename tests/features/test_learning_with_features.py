"""Learners whose items tell of each other."""

import numpy as np
import pandas as pd
import pytest

import semibandits as sb
from semibandits.compilation import compile_for_state
from semibandits.features.items import Counts

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


def test_a_leader_does_not_keep_the_best_of_many_items_from_being_found():
    """One of 100 items a round: a leader that is played alone tells next to nothing of the effects."""
    rng = np.random.default_rng(9)
    phi = rng.standard_normal((100, 5))
    theta = phi @ rng.standard_normal(5)
    theta = 0.3 * (theta - theta.mean()) / theta.std()
    policies = {"features": sb.GLADE(), "none": sb.GLADE(features=False)}
    rewards = sb.GaussianRewards(theta, variance=0.5)
    result = sb.simulate(sb.MSets(100, 1), rewards, policies, 500, 3, 0, features=phi, bound=False)
    assert result.regret["features"][:, -1].max() < 0.3 * result.regret["none"][:, -1].min()


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


@pytest.mark.parametrize(
    "change",
    [
        {"numbers": [1.0]}, {"numbers": [-1.0, 1.0, 1.0, 1.0, 0.0]}, {"numbers": [0.0, 1.0, 0.0, 1.0, 0.0]}, {"before": -1},
        {"effects": {"mean": [1.0], "factor": [[1.0, 2.0]]}}, {"effects": {"mean": ["nan"], "factor": [[1.0]]}},
        {"open": [[7, [[1.0]]]]}, {"open": 3}, {"within": [[[1.0]], [1.0]], "typical": [[99], [[1.0]]]},
        {"within": [[[1.0]], [1.0]], "typical": [[-1], [[1.0]]]}, {"within": [[[1.0]]]}, None,
    ],
)  # fmt: skip
def test_damaged_states_are_refused(change):
    from semibandits.learning.storage import digest

    state = sb.Learner(PAGES, variance=0.25, seed=0, features="pooled").state()
    del state["checksum"]
    if change is None:
        state["features"] = {"columns": [["a", 0.0, 1.0, None]], "context": [], "rows": [[1.0]]}
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


def test_simulations_show_the_bound_under_the_features(tmp_path):
    phi, theta = problem(3)
    linear = phi @ np.linalg.lstsq(phi, theta, rcond=None)[0]
    policy, options = sb.ThompsonSampling(), {"horizon": 20, "replications": 1}
    rewards = sb.GaussianRewards(linear, variance=0.25)
    bound = sb.graves_lai(PAGES, linear, 0.25, features=phi)
    plain = sb.graves_lai(PAGES, linear, 0.25)
    result = sb.simulate(PAGES, rewards, policy, **options, features=phi)
    assert result.lower_bound == bound.lower < plain.lower
    assert sb.simulate(PAGES, rewards, policy, **options, features=phi, bound=bound).lower_bound == bound.lower
    assert sb.simulate(PAGES, rewards, policy, **options, features="pooled").lower_bound == plain.lower  # each item has its rest
    for given, features in ((bound, None), (plain, phi), (bound, "pooled"), (bound, 2.0 * phi**3)):
        with pytest.raises(sb.InvalidInputError, match="bound must belong to the features that policies know"):
            sb.simulate(PAGES, rewards, policy, **options, features=features, bound=given)
    many = sb.MSets(200, 10)
    table = np.linspace(-1.0, 1.0, 200)
    bent, clicks = linear + np.cos(np.arange(PAGES.d)), 0.5 + 0.01 * linear
    unknown = [
        (PAGES, sb.GaussianRewards(bent), phi, "the means are not linear in the features"),
        (PAGES, sb.BernoulliRewards(clicks), phi, "the rewards are not Gaussian, or their means have a known upper bound"),
        (many, sb.GaussianRewards(table), table, "there are too many decisions to list"),
    ]
    for space, others, features, reason in unknown:
        result = sb.simulate(space, others, policy, **options, features=features)
        assert result.lower_bound is None
        assert result.provenance["no_bound"] == f"no bound is known here under features: {reason}"
        assert reason in result._repr_html_()
        result.save(tmp_path / "a.sim")
        assert sb.load_simulation(tmp_path / "a.sim").provenance["no_bound"] == result.provenance["no_bound"]
    assert "no_bound" not in sb.simulate(many, others, policy, **options, features=table, bound=False).provenance


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


CONTEXT = {"device": ["phone", "desktop"], "hour": [0, 23]}


def visitors(learner, rounds, late=0, seed=0):
    """Mean reward of the last half of the rounds, by device: one half of the pages pays on phones, the other on desktops."""
    rng, waiting, earned = np.random.default_rng(seed), [], []
    for _ in range(rounds):
        device = ("phone", "desktop")[int(rng.integers(2))]
        asked = learner.ask(context={"device": device, "hour": int(rng.integers(24))})
        means = np.array([(i % 2 == 0) == (device == "phone") for i in range(30)], dtype=float)[asked.items]
        waiting.append((asked.id, means + 0.5 * rng.standard_normal(3)))
        if len(waiting) > late:
            learner.tell(*waiting.pop(0))
        earned.append(means.mean())
    return np.mean(earned[rounds // 2 :])


@pytest.mark.parametrize("policy", [sb.ThompsonSampling(), sb.GLADE(), sb.CUCB()])
@pytest.mark.parametrize("late", [0, 20])
def test_what_is_shown_depends_on_the_context(policy, late):
    kinds = {page: {"kind": "even" if i % 2 == 0 else "odd"} for i, page in enumerate(PAGES.items)}
    learner = sb.Learner(PAGES, policy, variance=0.25, seed=0, features=kinds, context=CONTEXT)
    assert visitors(learner, 160, late) > 0.9
    effects = learner.coefficients()["mean"]
    assert effects["kind = even x device = phone"] > 0.2 > -0.2 > effects["kind = odd x device = phone"]


@pytest.mark.parametrize("law", [None, "bernoulli"])
def test_a_log_with_contexts_counts_as_its_rounds_do(law):
    """Exactly for Gaussian rewards; other laws are approximated at the means of the whole log, not of its beginning."""
    phi, rng = problem(5)[0], np.random.default_rng(2)
    known = {"device": rng.choice(["phone", "desk"], 60), "hour": rng.uniform(0, 24, 60)}
    options = {"law": law, "variance": 0.25 if law is None else None, "features": phi, "seed": 0}
    asked = sb.Learner(PAGES, sb.ThompsonSampling(), context=known, **options)
    log = []
    for device, hour in zip(*known.values(), strict=True):
        page = asked.ask(context={"device": device, "hour": hour})
        rewards = rng.normal(size=3) if law is None else (rng.random(3) < 0.4).astype(float)
        asked.tell(page.id, rewards)
        log += [(item, reward, device, hour) for item, reward in zip(page.labels, rewards, strict=True)]
    items, rewards, devices, hours = zip(*log, strict=True)
    seen = pd.DataFrame({"hour": hours, "device": devices})
    found = sb.Learner.from_history(PAGES, items, rewards, sb.ThompsonSampling(), contexts=seen, context=known, **options)
    sharing, other = found._progress.sharing, asked._progress.sharing
    np.testing.assert_allclose(sharing.rows.typical, other.rows.typical, atol=1e-12)
    if law is None:
        np.testing.assert_allclose(sharing.rows.within.precision, other.rows.within.precision, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sharing.rows.within.weighted, other.rows.within.weighted, rtol=1e-9, atol=1e-9)
    again = sb.Learner.from_state(found.state())
    context = {"device": "phone", "hour": 8.0}
    assert again.ask(context=context).labels == found.ask(context=context).labels
    plain = sb.Learner.from_history(PAGES, items, rewards, sb.ThompsonSampling(), contexts=seen, **options)  # its own examples
    assert plain.ask(context=context).items.size == 3
    with pytest.raises(sb.InvalidInputError, match="a value for each of the 180 observations, got 3 of 'hour'"):
        sb.Learner.from_history(PAGES, items, rewards, contexts={"hour": [1, 2, 3]}, **options)
    with pytest.raises(sb.InvalidInputError, match=r"contexts must have names out of \['hour'\], got 'device'"):
        sb.Learner.from_history(PAGES, items, rewards, contexts=seen, context={"hour": [0, 23]}, **options)


def test_unknown_items_of_a_log_have_contexts_that_do_not_count():
    phi, contexts = problem(5)[0], {"hour": [1.0, 23.0, 12.0]}
    options = {"law": "bernoulli", "features": phi, "seed": 0, "context": {"hour": [0, 23]}}
    known = sb.Learner.from_history(PAGES, ["p1", "p2"], [1.0, 0.0], contexts={"hour": [1.0, 12.0]}, **options)
    some = sb.Learner.from_history(PAGES, ["p1", "x", "p2"], [1.0, 1.0, 0.0], contexts=contexts, ignore_unknown=True, **options)
    np.testing.assert_array_equal(known.estimates().shrunk, some.estimates().shrunk)


def test_outcomes_count_with_the_features_of_their_round():
    """Outcomes that are told late, and those told at once, count with the rows that items had in their round."""
    phi, _ = problem(5)
    at_once, later = (sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features=phi) for _ in range(2))
    rng, told = np.random.default_rng(0), []
    for t in range(12):
        rows = {page: phi[i] + t / 10.0 for i, page in enumerate(PAGES.items)}
        asked = at_once.ask(features=rows)
        told.append((rows, rng.normal(size=3), asked.items))
        at_once.tell(asked.id, told[-1][1])
    asked = [later.ask(features=rows) for rows, _, _ in told]
    for one, (_, rewards, _) in reversed(list(zip(asked, told, strict=True))):
        later.tell(one.id, rewards)
    assert later._progress.sharing.rows.open == {}
    for learner, items in ((at_once, [items for _, _, items in told]), (later, [one.items for one in asked])):
        wide = np.hstack((np.ones((30, 1)), phi))
        scales, centres = phi.std(axis=0), phi.mean(axis=0)
        seen = np.vstack([np.hstack((np.ones((3, 1)), (phi[i] + t / 10.0 - centres) / scales)) for t, i in enumerate(items)])
        sharing = learner._progress.sharing
        with sharing._informed(Counts(*learner._progress.known)):
            spreads = sharing.spreads
        groups, rewards = np.concatenate(items), np.concatenate([one for _, one, _ in told])
        noisy = 0.25 * np.eye(36) + spreads.residual * (groups[:, None] == groups)
        precision = seen.T @ np.linalg.solve(noisy, seen) + np.diag(
            1.0 / np.r_[spreads.mean, [spreads.effects] * (wide.shape[1] - 1)]
        )
        expected = np.linalg.solve(precision, seen.T @ np.linalg.solve(noisy, rewards))
        np.testing.assert_allclose(sharing.effects(*learner._progress.known)[0].mean, expected, rtol=1e-8, atol=1e-8)


def test_frames_and_unknown_categories_of_a_round():
    import pandas as pd

    frame = pd.DataFrame({"topic": ["a", "b", "c"] * 10, "length": np.arange(30.0)}, index=list(PAGES.items))
    learners = [sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features=frame) for _ in range(3)]
    turned = frame.iloc[::-1][["length", "topic"]]
    by_name = {page: dict(zip(frame.columns, row, strict=True)) for page, row in zip(frame.index, frame.to_numpy(), strict=True)}
    assert len({learner.ask(features=rows).labels for learner, rows in zip(learners, (frame, turned, by_name), strict=True)}) == 1
    design = learners[0]._design
    seen = design.seen({"p3": ["new", 2.0]}, None, PAGES)
    assert seen.items.tolist() == [3]
    assert seen.rows[0, :3].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("options", "asked", "message"),
    [
        ({"features": "pooled", "context": CONTEXT}, None, "context needs features of the items"),
        ({"context": CONTEXT}, None, "context needs features=, which it is multiplied by, got none"),
        ({"features": np.eye(30), "context": 3}, None, "context must hold values by name, got 3"),
        ({"features": np.eye(30), "context": {}}, None, "context must hold an example for each name"),
        ({"features": np.eye(30), "context": {"hour": [0.0, np.nan]}}, None, "must be finite, got nan in 'hour' for 'example 1'"),
        ({"features": np.eye(30), "context": CONTEXT}, {}, "context must be a mapping with the names .*, got none"),
        ({"features": np.eye(30), "context": CONTEXT}, {"context": {"city": "Rome"}}, "context must have names out of .*'city'"),
        ({"features": np.eye(30), "context": CONTEXT}, {"context": {"hour": "noon"}}, "must be numbers in 'hour', as they were"),
        ({"features": np.eye(30), "context": CONTEXT}, {"context": {"hour": np.inf}}, "must be finite, got inf in 'hour'"),
        (
            {"features": np.eye(30), "context": CONTEXT},
            {"context": {"hour": 1.73e12}},
            "context must be like those at the start, .*, more",
        ),
        ({"features": np.eye(30), "context": CONTEXT}, {"context": {"hour": [8]}}, "context must have one value for each name"),
        ({"features": np.ones((30, 1))}, {"features": {"p1": [1e9]}}, "features must be like those at the start, .* for 'p1'"),
        ({"features": np.eye(30)}, {"context": {"hour": 3}}, "context must be left out, got one"),
        ({}, {"context": {"hour": 3}}, "context must be left out, got some: this learner was created without context="),
        ({}, {"features": np.eye(30)}, "features must be left out, got some"),
        ({"features": "pooled"}, {"features": np.eye(30)}, "need a learner with a table of features, got features='pooled'"),
        ({"features": np.eye(30)}, {"features": np.eye(29)}, r"must have shape \(d, k\) with d = 30, got \(29, 29\)"),
        ({"features": np.eye(30)}, {"features": np.ones((30, 2))}, "features must have the columns .*, got 2"),
        ({"features": np.eye(30)}, {"features": {"p1": [1.0]}}, "features must have the columns .*, got 1"),
        ({"features": np.eye(30)}, {"features": {"q": [1.0] * 29}}, "d = 30 values for each name, .*, got 29 for 'q'"),
        ({"features": np.eye(30)}, {"features": {"q": [1.0] * 30}}, r"must have the columns .*, got \['q'\]"),
        ({"features": np.eye(30)}, {"features": {"p1": ["x"] * 30}}, "must be numbers in 'feature 0', as they were at the start"),
    ],
)
def test_bad_features_of_a_round_have_one_error(options, asked, message):
    with pytest.raises(sb.InvalidInputError, match=message):
        sb.Learner(PAGES, variance=0.25, seed=0, **options).ask(**({} if asked is None else asked))


def test_replace_keeps_what_was_seen_in_rounds():
    kinds = {page: [float(i % 2)] for i, page in enumerate(PAGES.items)}
    learner = sb.Learner(PAGES, sb.ThompsonSampling(), variance=0.25, seed=0, features=kinds, context=CONTEXT)
    visitors(learner, 40)
    waiting = learner.ask(context={"device": "phone"})
    kept = sorted({*waiting.labels, "p4", "p9", "p11"}, reverse=True)
    after, _ = learner.replace(sb.MSets(len(kept), 3, items=kept), features={page: kinds[page] for page in kept})
    rows = [sharing.rows.open[waiting.id] for sharing in (learner._progress.sharing, after._progress.sharing)]
    names = [waiting.labels, after.open_rounds[0].labels]
    by_name = [dict(zip(labels, each.tolist(), strict=True)) for labels, each in zip(names, rows, strict=True)]
    assert by_name[0] == by_name[1]
    assert after._progress.sharing.rows.within is not None
    after.tell(waiting.id, dict(zip(waiting.labels, [1.0, 0.0, 1.0], strict=True)))
    assert after.ask(context={}).id == 41


def test_estimates_and_best_decisions_know_features_and_contexts():
    kinds = {page: {"kind": "even" if i % 2 == 0 else "odd"} for i, page in enumerate(PAGES.items)}
    learner = sb.Learner(PAGES, variance=0.25, seed=0, features=kinds, context=CONTEXT)
    visitors(learner, 160)
    phones, desktops = (np.flatnonzero(learner.best(context={"device": one})) for one in CONTEXT["device"])
    assert not (phones % 2).any()
    assert (desktops % 2).all()
    estimates = learner.estimates()
    np.testing.assert_allclose(estimates.shrunk, 0.5, atol=0.35)
    assert (estimates.shrunk_sd > 0.0).all()
    assert sb.Learner(PAGES, variance=0.25, seed=0).estimates().shrunk is None
    with pytest.raises(sb.UnsupportedError, match="confidence needs means that do not change, got rounds with features"):
        learner.confidence()


@pytest.mark.parametrize("law", [None, "bernoulli"])
def test_what_is_expected_of_items_is_what_the_next_round_uses(law):
    """From the first moment, and to read it changes nothing."""
    rng, told = np.random.default_rng(1), np.repeat(np.arange(20), 400)
    rewards = (rng.random(len(told)) < rng.beta(20, 80, 20)[told]).astype(float)
    learner = sb.Learner.from_history(
        PAGES, [f"p{i}" for i in told], rewards, law=law, variance=0.16 if law is None else None, features="pooled", seed=0
    )
    state = learner.state()
    before, coefficients = learner.estimates(), learner.coefficients()
    assert learner.state() == state
    spread = coefficients.loc["spread of items", "mean"] * (0.16 if law else 1.0)  # from log-odds
    assert 0.02 < spread < 0.06  # that of the means is 0.04
    learner.ask()
    after = learner.estimates()
    np.testing.assert_array_equal(before.shrunk, after.shrunk)
    np.testing.assert_array_equal(before.shrunk_sd, after.shrunk_sd)
    np.testing.assert_array_equal(coefficients.to_numpy(), learner.coefficients().to_numpy())


@pytest.mark.parametrize(("law", "mean"), [("poisson", 30.0), ("gamma", 500.0), (None, 1e7)])
def test_means_that_are_far_from_0_are_learnt(law, mean):
    """From the first outcomes, which are no proof that their items are unlike those that nobody has seen."""
    x, rng = sb.MSets(6, 2), np.random.default_rng(0)
    draw = {"poisson": rng.poisson, "gamma": rng.exponential, None: rng.normal}[law]
    for features in ("pooled", {"x": [0, 1, 2, 0, 1, 2]}):
        learner = sb.Learner(x, law=law, variance=1.0 if law is None else None, features=features, seed=0)
        for _ in range(60):
            asked = learner.ask()
            learner.tell(asked.id, np.asarray(draw(mean, size=2), dtype=float))
        np.testing.assert_allclose(learner.estimates().shrunk, mean, rtol=0.3 if law == "gamma" else 0.1)
        assert learner.plays.max() < 60


def test_a_missing_number_of_a_context_is_not_known():
    learners = [sb.Learner(PAGES, law="bernoulli", features=np.eye(30), context=CONTEXT, seed=0) for _ in range(4)]
    pages = [
        learner.ask(context=known)
        for learner, known in zip(learners, ({"hour": None}, {"hour": np.nan}, {"hour": pd.NA}, {}), strict=True)
    ]
    assert len({page.labels for page in pages}) == 1
    compile_for_state(learners[0].state())  # the calls of learners with a context


def test_nothing_of_a_bounded_law_is_less_sure_than_its_range():
    found = sb.Learner(PAGES, law="bernoulli", features="pooled", seed=0).estimates()
    np.testing.assert_allclose(found.shrunk, 0.5)
    np.testing.assert_allclose(found.shrunk_sd, 0.5)


def test_policies_that_ignore_features_play_as_without_them():
    phi, theta = problem(3)
    plain, rewards = {"a": sb.GLADE(), "b": sb.ThompsonSampling(), "c": sb.OSSB()}, sb.GaussianRewards(theta, variance=0.25)
    mixed = {"a": sb.GLADE(features=False), "b": sb.ThompsonSampling(), "c": sb.OSSB(features=False)}
    options = {"horizon": 60, "replications": 2, "seed": 4, "bound": False}
    without = sb.simulate(PAGES, rewards, plain, **options)
    some = sb.simulate(PAGES, rewards, mixed, features=phi, **options)
    all_know = sb.simulate(PAGES, rewards, {"b": plain["b"]}, features=phi, **options)
    for name, other in (("a", without), ("b", all_know), ("c", without)):
        np.testing.assert_array_equal(some.regret[name], other.regret[name])
    assert (some.regret["b"] != without.regret["b"]).any()
    with pytest.raises(sb.UnsupportedError, match="features=False is for policies of simulations"):
        sb.Learner(PAGES, sb.GLADE(features=False), variance=0.25, features=phi, seed=0)
    with pytest.raises(sb.InvalidInputError, match="features of a policy must be True or False, got ndarray"):
        sb.GLADE(features=phi)


@pytest.mark.parametrize("policy", [sb.ThompsonSampling(), sb.GLADE()])
def test_pooling_costs_little_where_one_item_is_unlike_all_others(policy):
    x, lost = sb.MSets(60, 4), {"pooled": 0.0, None: 0.0}
    for seed in range(3):
        theta = np.where(np.arange(60) == np.random.default_rng(seed).integers(60), 1.0, 0.0)
        for features in lost:
            result = sb.simulate(
                x, sb.GaussianRewards(theta, variance=0.5), {"p": policy}, 400, 1, seed, bound=False, features=features
            )
            lost[features] += result.regret["p"][0, -1]
    assert lost["pooled"] <= 2.0 * lost[None]
