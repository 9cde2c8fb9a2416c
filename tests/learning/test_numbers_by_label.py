"""Numbers and masks by label, as dictionaries and Series of pandas, count for the items with these labels, at every entrance."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.families.description import describe, rebuild
from semibandits.regret_bound.glpg.reduction import ReducedProblem
from semibandits.simulation.specification import Specification

LINKS = [("home", "a"), ("home", "b"), ("a", "work"), ("b", "work"), ("a", "b")]
MINUTES = np.array([3.0, 4.0, 5.0, 3.5, 1.0])
FORMS = {
    "dict": lambda labels, values, order: {labels[i]: values[i] for i in order},
    "series": lambda labels, values, order: pd.Series([values[i] for i in order], index=_index(labels, order)),
    "objects": lambda labels, values, order: pd.Series([values[i] for i in order], index=_index(labels, order), dtype=object),
}
LABELS = {
    "texts": ["storm", "final", "vote", "derby", "strike"],
    "pairs": LINKS,
    "numbers": [0, 1, 2, 3, 4],
    "ids": [17, 4, 2**53 + 1, -3, 8],
}


def _index(labels, order):
    return pd.Index([labels[i] for i in order], tupleize_cols=False)


def entrances(x):
    """What each entrance makes of five numbers from 1 to 5 for the items of a set."""

    def learner(**arguments):
        return sb.Learner(x, sb.CUCB(), seed=0, **{"variance": 1.0} | arguments)

    def prior(**arguments):
        return learner(**arguments)._progress.prior

    def simulated(**prior):
        model, options = sb.GaussianRewards(np.ones(5)), {"horizon": 3, "replications": 1, "seed": 0}
        return Specification.of(x, model, sb.CUCB(), prior=tuple(prior.values()), **options).prior

    return {
        "maximize": x.maximize,
        "maximize_index": lambda v: x.maximize_index(v, v),
        "maximize_budgeted": lambda v: x.maximize_budgeted(v, v, 2.0),
        "search_index": lambda v: x.search_index(v, v).decision,
        "budget_front": lambda v: x.budget_front(v, v).rewards,
        "gap": lambda v: sb.smallest_gap(x, v),
        "costs of gap": lambda v: sb.smallest_gap(x, costs=v),
        "theta": lambda v: sb.graves_lai(x, v).rates,
        "costs": lambda v: sb.graves_lai(x, costs=v).value,
        "bound": lambda v: sb.graves_lai(x, [1.0, 2.0, 3.5, 4.0, 6.0], variance=v).rates,
        "glpg": lambda v: ReducedProblem.of(x, v, v).cost,
        "variance": lambda v: learner(variance=v).state()["variance"],
        "start": lambda v: sb.CUCB().start(x, v).state(),
        "prior_means": lambda v: prior(prior_means=v, prior_plays=1).means,
        "prior_costs": lambda v: prior(prior_costs=v, prior_plays=1).means,
        "prior_plays": lambda v: prior(prior_means=0.0, prior_plays=v).plays,
        "replace": lambda v: sb.Learner(sb.MSets(2, 1, items=["x", "y"]), variance=1.0, seed=0).replace(
            x, sb.CUCB(), variance=v, prior_means=v, prior_plays=v
        )[0].state(),
        "simulate": lambda v: simulated(means=v, plays=v, costs=None),
    }  # fmt: skip


ENTRANCES = list(entrances(sb.MSets(5, 2)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ENTRANCES)
@settings(max_examples=3)
@given(order=st.permutations(range(5)), labels=st.sampled_from(list(LABELS)))
def test_numbers_by_label_in_any_order(name, form, order, labels):
    entrance = entrances(sb.MSets(5, 2, items=LABELS[labels]))[name]
    values = [1.0, 2.0, 4.0, 3.0, 5.0]
    given_by_label = FORMS[form](LABELS[labels], values, order)
    np.testing.assert_equal(entrance(given_by_label), entrance(values))
    np.testing.assert_equal(entrance(pd.Series(values)), entrance(values))


WRONG = {
    "a label less": (lambda s: s[1:], r"a number for each of the 5 items, got none for 1 \(first: 'vote'\)"),
    "a misspelt label": (lambda s: s.rename({"vote": "vite"}), r"got 1 unknown of 5 \(first: 'vite'\): did you mean 'vote'\?"),
    "another one": (lambda s: pd.concat([s, s[:1].rename({"vote": 0})]), r"got 1 unknown of 6 \(first: 0\): correct them"),
    "a label twice": (lambda s: pd.concat([s, s[:1]]), "each label once, got 'vote' again"),
    "other rows": (lambda s: s.set_axis([3, 1, 0, 2, 4]), r"got 5 unknown of 5 \(first: 3\).*pass \.to_numpy\(\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRANCES)
@pytest.mark.parametrize("wrong", WRONG)
def test_labels_of_other_items_are_refused(name, wrong):
    entrance = entrances(sb.MSets(5, 2, items=LABELS["texts"]))[name]
    change, message = WRONG[wrong]
    series = change(pd.Series([1.0, 2.0, 4.0, 3.0, 5.0], index=["vote", "storm", "final", "derby", "strike"]))
    with pytest.raises(sb.InvalidInputError, match=message):
        entrance(series)


def test_indexes_that_are_labels_or_rows():
    x = sb.MSets(3, 1, items=[2, 0, 1])
    assert x.maximize({0: 1.0, 1: 2.0, 2: 3.0}).tolist() == [True, False, False]
    assert x.maximize(pd.Series([1.0, 2.0, 3.0], index=[1, 0, 2])).tolist() == [True, False, False]
    assert sb.MSets(3, 1, items=[1, 2, 3]).maximize(pd.Series([1.0, 2.0, 3.0])).tolist() == [False, False, True]
    frame = pd.DataFrame({"item": list("abcd"), "mean": [1.0, 4.0, 2.0, 3.0]}, index=[9, 3, 5, 1])  # of the set: in order
    assert sb.MSets.from_frame(frame, 1).maximize(frame["mean"]).tolist() == [False, True, False, False]
    series = pd.Series(MINUTES, index=pd.MultiIndex.from_tuples(LINKS)).sample(frac=1.0, random_state=1)
    assert sb.Routes(LINKS, "home", "work", series).least.tolist() == MINUTES.tolist()


@settings(max_examples=25)
@given(labels=st.sampled_from(list(LABELS)), seed=st.integers(0, 999), form=st.sampled_from(list(FORMS)))
def test_outcomes_by_label_in_any_order(labels, seed, form):
    rng = np.random.default_rng(seed)
    told, expected = (sb.Learner(sb.MSets(5, 3, items=LABELS[labels]), sb.CUCB(), variance=1.0, seed=0) for _ in range(2))
    for learner in (told, expected):
        learner.ask()
        learner.ask()
    for asked, partial in zip(told.open_rounds, (False, True), strict=True):
        values = rng.random(3)
        order = rng.permutation(3)[: 2 if partial else 3].tolist()
        told.tell(asked.id, costs=FORMS[form](asked.labels, values, order), partial=partial)
        expected.tell(asked.id, costs=[v if i in order else None for i, v in enumerate(values)], partial=partial)
    assert told.state() == expected.state()
    assert told.open_rounds == ()


def test_outcomes_of_other_items_are_refused_and_those_of_rows_are_in_order():
    learner = sb.Learner(sb.MSets(5, 3, items=LABELS["texts"]), variance=1.0, seed=0)
    asked = learner.ask()
    series = pd.Series([1.0, 2.0, 3.0], index=asked.labels)
    for outcome, partial in ((series[1:], False), (series.set_axis([2, 1, 0]), False), (series.set_axis([2, 1, 0]), True)):
        with pytest.raises(sb.InvalidInputError, match=r"no reward for|got 3 unknown of 3 \(first: 2\)"):
            learner.tell(asked.id, outcome, partial=partial)
    learner.tell(asked.id, series.reset_index(drop=True))
    assert learner.means[asked.items].tolist() == [1.0, 2.0, 3.0]


def test_observations_with_two_indexes():
    log = pd.DataFrame({"item": ["b", "a", "b", "c"], "minutes": [2.0, 1.0, 4.0, 9.0]}, index=[10, 12, 11, 13])
    x = sb.MSets(3, 1, items=["a", "b", "c"])

    def means(items, costs):
        return sb.Learner.from_history(x, items, costs=costs, variance=1.0, seed=0).costs.tolist()

    expected = [1.0, 3.0, 9.0]
    assert means(log["item"], log["minutes"]) == expected
    assert means(log["item"], log["minutes"].sample(frac=1.0, random_state=0)) == expected
    assert means(log["item"].sort_values(), log["minutes"]) == expected
    assert means(log["item"].tolist(), log["minutes"].reset_index(drop=True)) == expected
    assert means(["c", "a", "b"], pd.Series({"a": 1.0, "b": 3.0, "c": 9.0})) == expected
    rounds = [pd.Series({"b": 2.0, "a": 1.0}), (log["item"][2:], log["minutes"][::-1][:2])]
    pairs = sb.MSets(3, 2, items=["a", "b", "c"])
    assert sb.Learner.from_rounds(pairs, costs=rounds, variance=1.0, seed=0).costs.tolist() == expected


@settings(max_examples=60)
@given(
    mask=st.lists(st.booleans(), min_size=1, max_size=8),
    kind=st.sampled_from([np.int8, np.uint8, np.int64, np.float32, list, tuple, "Int64", "boolean", "series", "dict"]),
    labels=st.sampled_from(["texts", "numbers", "shifted"]),
)
def test_zeros_and_ones_with_repetitions_are_a_mask(mask, kind, labels):
    d = len(mask)
    names = {"texts": [f"i{k}" for k in range(d)], "numbers": range(d), "shifted": range(1, d + 1)}[labels]
    learner = sb.Learner(sb.EnumeratedDecisions(np.eye(d, dtype=int), items=names), sb.CUCB(), variance=1.0, seed=0)
    bits = [int(value) for value in mask]
    given_mask = {
        list: bits, tuple: tuple(bits), "Int64": pd.Series(bits, dtype="Int64"), "boolean": pd.Series(mask, dtype="boolean"),
        "series": pd.Series(bits, index=names).iloc[::-1], "dict": dict(zip(reversed(names), reversed(mask), strict=True)),
    }.get(kind) if not isinstance(kind, type) or kind in (list, tuple) else np.array(bits, dtype=kind)  # fmt: skip
    if len(set(bits)) == d and kind not in ("boolean", "series", "dict"):
        return  # one or two different numbers can be labels
    if not any(mask):
        with pytest.raises(sb.Infeasible):
            learner.ask(given_mask)
        return
    used = {learner.ask(given_mask).labels[0] for _ in range(2 * d)}
    assert used <= {name for name, value in zip(names, mask, strict=True) if value}


def test_one_or_two_numbers_are_labels():
    learner = sb.Learner(sb.MSets(5, 1), variance=1.0, seed=0)
    assert learner.ask([0, 1]).labels[0] in (0, 1)
    assert learner.ask(pd.Series([3, 4], index=[7, 1])).labels[0] in (3, 4)
    large = sb.MSets(2, 1, items=[2**53 + 1, 7])  # 7.0 is 7 with all of its digits
    assert sb.Learner.from_history(large, [7.0], [2.0], variance=1.0, seed=0).means.tolist() == [0.0, 2.0]


def test_labels_of_numpy_become_those_of_python(tmp_path):
    sets = [
        sb.MSets(2, 1, items=[np.int64(4), np.str_("b")]),
        sb.MSets(2, 1, items=[(np.int64(1), np.float64(2.5)), np.bool_(True)]),
        sb.Paths([(np.int64(1), np.int64(2)), (np.int64(2), np.int64(3))], np.int64(1), np.int64(3)),
        sb.Matchings([(np.str_("r"), "c")]),
    ]
    for k, x in enumerate(sets):
        assert rebuild(json.loads(json.dumps(describe(x)))).items == x.items
        url = f"sqlite:///{tmp_path}/{k}.db"
        sb.open_learner(url, name="x", decision_set=x, variance=1.0, seed=0).close()
        with sb.open_learner(url, name="x") as again:
            assert again.decision_set.items == x.items


@pytest.mark.parametrize("gap", [np.nan, None])
def test_gaps_in_a_prior_are_items_that_are_not_known(gap):
    """As with 0 plays; a mean that is missing where there are plays is refused."""
    pairs = sb.MSets(3, 1, items=["a", "b", "c"])
    for plays in (4, [4, 0, 4], [4, gap, 4]):
        learner = sb.Learner(pairs, variance=1.0, seed=0, prior_costs=[3.0, gap, 5.0], prior_plays=plays)
        twin = sb.Learner(pairs, variance=1.0, seed=0, prior_costs=[3.0, 0.0, 5.0], prior_plays=[4, 0, 4])
        assert learner.state() == twin.state()
    with pytest.raises(sb.InvalidInputError, match="prior_plays must be 0 where there is no mean, got 4 for 'b' without one"):
        sb.Learner(pairs, variance=1.0, seed=0, prior_costs=[3.0, gap, 5.0], prior_plays=[4, 4, 4])


def test_costs_told_as_rewards_to_a_learner_that_knows_costs():
    """A warning in the first round; not for rewards, nor without a prior of costs."""
    pairs = sb.MSets(3, 1, items=["a", "b", "c"])
    learner = sb.Learner(pairs, variance=64.0, seed=0, prior_costs=30.0, prior_plays=5)
    with pytest.warns(sb.PositiveRewardsWarning, match="rewards so far are positive, but the prior has costs"):
        learner.tell(learner.ask().id, [30.0])
    for options in ({}, {"prior_means": 30.0, "prior_plays": 5}):
        other = sb.Learner(pairs, variance=64.0, seed=0, **options)
        other.tell(other.ask().id, [30.0])
    right = sb.Learner(pairs, variance=64.0, seed=0, prior_costs=30.0, prior_plays=5)
    right.tell(right.ask().id, costs=[30.0])
