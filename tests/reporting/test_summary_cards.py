"""The four answers are correct and well-formed."""

import itertools
import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payload_schema import payload_for
from report_cases import DECISIONS, case

import semibandits as sb
from semibandits import CUCB, BernoulliRewards, GaussianRewards, MatroidIntersection, MSets, Paths, graves_lai, simulate
from semibandits.instances import instance_from_description
from semibandits.matroids import Graphic, Partition
from semibandits_studies.reporting.drawings import network_of
from semibandits_studies.reporting.formatting import amount, mean_text
from semibandits_studies.reporting.report import report_data
from semibandits_studies.reporting.report_data import Structure
from semibandits_studies.reporting.shapes import how_many
from semibandits_studies.reporting.summary_cards import summary_cards


def cards(simulation=None, bound=None, instance=None, decision_set=None, **changes):
    data = replace(report_data(simulation, bound, instance, decision_set), **changes)
    return {answer["key"]: answer for answer in summary_cards(data)}


def amounts(text):
    """All numbers of a text."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def told_of(decisions, listed=None):
    """The words on the number of decisions."""
    labels = tuple(map(str, range(decisions.d)))
    return how_many(Structure(family="intersection", decision_set=decisions, labels=labels), listed)


def made_up(finals, *, replications=4, lower=1.0, horizon=1000, d=2):
    """A simulation whose policies end at given regrets, on curves that grow like ln t."""
    rounds = np.array([1, 10, 100, horizon])
    curve = np.log(rounds) / math.log(horizon)
    regret = {p: np.outer(np.resize(np.asarray(f, dtype=float), replications), curve) for p, f in finals.items()}
    shape = (replications, len(rounds))
    made = {
        "policies": tuple(finals), "checkpoints": rounds, "regret": regret, "lower_bound": lower, "provenance": {},
        "reward": {p: np.zeros(shape) for p in finals},
        "plays": {p: np.zeros((*shape, d), dtype=np.int64) for p in finals},
        "calls": {p: np.zeros((*shape, 4), dtype=np.int64) for p in finals},
        "items": tuple(map(str, range(d))), "lower_bound_interval": None if lower is None else (lower, lower),
    }  # fmt: skip
    return sb.SimulationResult(**made)


def played(theta, policies=None, *, m=1, variance=0.5, horizon=50, replications=2, **options):
    """A simulation of Gaussian rewards on m of the items."""
    rewards = GaussianRewards(theta, variance=variance)
    return simulate(MSets(len(theta), m), rewards, policies or CUCB(), horizon=horizon, replications=replications, **options)


@pytest.mark.parametrize("name", DECISIONS)
def test_sentences_are_whole(name):
    """No double spaces, no sentence without a full stop, no plural for one, no nan or None."""
    _, _, bound, result = case(name)
    for parts in ((result, bound), (None, bound), (result, None)):
        for card in cards(*parts).values():
            text = card["text"]
            assert "  " not in text
            assert text.endswith((".", "?"))
            assert not re.search(r"\b1 (items|links|edges|arcs|pairs|rounds|replications|groups|sets|paths)\b", text)
            assert not re.search(r"nan|inf\b|None|True|False", text + card["headline"])


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_are_counted_and_the_best_one_agrees_with_the_list(name):
    decisions, rewards, bound, _ = case(name)
    listed = decisions.enumerate(1000)
    card = cards(bound=bound)["decided"]
    assert card["headline"].startswith(f"One of {len(listed):,} ")
    assert str(decisions.d) in card["text"]
    assert re.search(rf"\b{decisions.m}\b", card["text"])
    best = listed[(listed @ rewards.theta).argmax()]
    card = cards(bound=bound)["best"]
    reward = float(rewards.theta @ best)
    assert (f"It costs {amount(-reward)}" if name == "routes" else f"It earns {amount(reward)}") in card["text"]
    names = [label for i, label in enumerate(report_data(None, bound, None, None).labels) if best[i]]
    if name in ("paths", "routes"):
        names = [re.split(" → | \\(", label)[0] for label in names]
    assert all(label in card["headline"] for label in names)
    ties = int((listed @ rewards.theta >= rewards.theta @ best - 1e-12).sum())
    assert ("another" in card["text"]) == (ties > 1)


def test_ties_are_shown_and_costs_without_sign():
    bound = graves_lai(MSets(4, 2), [1, 1, 1, 0.5], 0.5)
    assert "It is not unique: another set is equally good." in cards(bound=bound)["best"]["text"]
    bound = graves_lai(Paths([("a", "b"), ("a", "b")], "a", "b"), [-3, -4], 0.5)
    card = cards(bound=bound, unit="ms")["best"]
    assert card["headline"] == "a → (#1) b"
    assert card["text"] == "It costs 3 ms a round on average."


def test_cost_card_shows_the_bound_rounded_down():
    for name in DECISIONS:
        _, _, bound, result = case(name)
        card = cards(result, bound, unit="ms")["cost"]
        shown = re.search(r"Here C\(θ\) is ([\d.,]+) ms, which makes ([\d.,]+) ms in 200 rounds", card["text"])
        value, total = (amounts(number)[0] for number in shown.groups())
        for number, factor in ((value, 1), (total, math.log(200))):
            assert bound.lower * factor * (1 - 1e-3) <= number <= bound.lower * factor * (1 + 1e-9)
        least = min(row.regret_ratio for row in result.summary())
        is_early = "too few" in card["text"] or least < 1.0
        (told,) = amounts(card["headline"])
        assert told == (value if is_early else total)
        assert card["headline"].endswith("× ln T in the long run" if is_early else " ms")
        needed = float(bound.plan.rates.sum()) * math.log(200)
        assert ("too few" in card["text"]) == (needed >= 200)


def test_cost_card_without_a_simulation():
    bound = graves_lai(MSets(3, 1), [1, 0.5, 0.5], 0.5)
    assert bound.value == pytest.approx(4)
    card = cards(bound=bound)["cost"]
    assert "Here C(θ) is 4, which makes 36.84 in 10,000 rounds and 55.26 in 1,000,000 rounds." in card["text"]
    assert card["headline"] == "At least 36.84 in 10,000 rounds"


@pytest.mark.parametrize("theta", [[1, 1, 1], [1, 0.5, 0]])
def test_nothing_has_to_be_explored(theta):
    size = 1 if theta[1] == 1 else 3
    bound = graves_lai(MSets(3, size), theta, 0.5)
    result = played(theta, m=size, horizon=20, bound=bound)
    made = cards(result, bound)
    assert made["cost"]["headline"] == "Nothing"
    assert made["earned"]["headline"] == "100 % of the best possible"
    assert ("there is only one set" in made["best"]["text"]) == (size == 3)
    assert made["settled"]["headline"] == "From the start"


THETA = [0.9, 0.5, 0.1]
ONE = MSets(3, 1)
MODELS = {
    "gaussian": GaussianRewards(THETA, variance=0.25), "bernoulli": BernoulliRewards(THETA), "bounded": sb.BoundedRewards(THETA),
}  # fmt: skip
HERE, CERTIFIED, NOTHING = "Here C(θ) is 1.238", "Certified for independent rewards of 0 or 1", "bounds nothing here"
UNKNOWN = "Not known for these rewards"
ALONE = "C(θ) × ln T with mean rewards θ, is known for independent Gaussian rewards alone"


@cache
def bound_of(law):
    return law and graves_lai(ONE, THETA, **{"variance": 0.25} if law == "gaussian" else {"rewards": law})


@pytest.mark.parametrize(
    ("rewards", "own", "given", "headline", "words", "others"),
    [
        ("bernoulli", False, "gaussian", UNKNOWN, [ALONE, "independent rewards of 0 or 1", NOTHING], []),
        ("bernoulli", False, None, "Not computed", ["semibandits bound --rewards bernoulli computes it"], []),
        *(("bernoulli", True, given, "", [HERE, CERTIFIED], ["Gaussian"]) for given in ("gaussian", None)),
        *(("bernoulli", own, "bernoulli", "", [HERE], []) for own in (True, False)),
        *(("gaussian", own, "bernoulli", "", [], ["0 or 1"]) for own in (True, False)),
        *(("bounded", True, given, UNKNOWN, [], [NOTHING]) for given in ("bernoulli", None)),
        ("bounded", True, "gaussian", UNKNOWN, [NOTHING], []),
    ],
)
def test_the_bound_is_that_of_the_law_of_the_rewards(rewards, own, given, headline, words, others):
    """One of another law bounds nothing here; a simulation has its own one, unless that is left out."""
    result = simulate(ONE, MODELS[rewards], CUCB(), horizon=50, replications=2, bound=own)
    data, card = report_data(result, bound_of(given), None, None), cards(result, bound_of(given))["cost"]
    assert headline in ("", card["headline"])
    assert [all(word in card["text"] for word in words), any(word in card["text"] for word in others)] == [True, False]
    if given == "bernoulli" and rewards != "bounded":
        assert data.applies
        assert (data.bound is None) == (rewards == "gaussian" and not own)
        assert (data.bound is not None and data.bound.has_plan) == (rewards == "bernoulli")


def test_a_bernoulli_bound_names_its_law():
    assert bound_of("bernoulli").lower < 0.9 * bound_of("gaussian").lower
    assert CERTIFIED in cards(bound=bound_of("bernoulli"))["cost"]["text"]
    card = cards(bound=graves_lai(ONE, [1, 0.5, 0.1], rewards="bernoulli"))["cost"]
    assert card["headline"] == "Nothing"
    assert "Playing the best set teaches enough: no other item could be good enough to improve on it" in card["text"]


def test_where_the_bound_is_not_known_this_is_said():
    assert cards(played([1, 0.5, 0], bound=False))["cost"]["headline"] == "Not computed"
    made = cards(bound=replace(graves_lai(MSets(3, 1), [1, 0.5, 0], 0.5), lower=0.0))
    assert list(made) == ["decided", "best", "cost"]  # none of policies without a simulation
    assert made["cost"]["headline"] == "Not known yet"
    assert "0 ≤ C(θ) ≤ 3" in made["cost"]["text"]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=9, unique=True), st.floats(0.01, 1e4))
def test_policies_are_listed_by_regret(finals, lower):
    named = {f"P{k}": final for k, final in enumerate(finals)}
    made = cards(made_up(named, lower=lower))
    first = min(named, key=named.get)
    card = made["earned"]
    assert card["headline"] == (f"{first}: {amount(named[first])} lost" if named[first] else f"{first}: nothing lost")
    assert [row["label"] for row in card["rows"]] == sorted(named, key=named.get)[:6]
    for row in card["rows"]:
        assert row["value"] == mean_text(named[row["label"]], 0.0)
        assert row["ratio"] == ""
    ratio = named[first] / (lower * math.log(1000))
    less = "less, " if ratio < 1.0 else ""
    assert f"{first} lost {less}{amount(ratio, digits=3)} times that" in made["cost"]["text"]
    assert ("possible as this is a law for large T" in made["cost"]["text"]) == (ratio < 1.0)
    assert made["cost"]["headline"].startswith("At least") == (ratio >= 1.0)


def earned(finals, **options):
    return cards(made_up(finals, **options))["earned"]


def test_few_policies():
    assert earned({"A": 2.0, "B": 1.0, "C": 1.0}, lower=None)["headline"] == "B and C: 1 lost"
    card = earned({"A": 0.0, "B": 0.0}, lower=None)
    assert card["headline"] == "A and B: nothing lost"
    assert "They lost the same." in card["text"]
    card = earned({"A": 7.0}, replications=1, lower=2.0)
    assert card["headline"] == "A: 7 lost"
    assert "A lost 7 units of reward in 1,000 rounds, against always playing the best decision" in card["text"]
    assert [(row["label"], row["value"]) for row in card["rows"]] == [("A", "7")]
    assert "One replication is not conclusive" in earned({"A": 7.0, "B": 8.0}, replications=1)["text"]
    # Pairs decide: each replication has the same difference in the first, and none that is sure in the second.
    assert "with confidence" not in earned({"A": [1, 5, 9, 13], "B": [2, 6, 10.1, 14]})["text"]
    unsure = earned({"A": [1, 5, 9, 13], "B": [13, 9, 5, 2]})["text"]
    assert "The 4 replications do not distinguish B from A with confidence." in unsure


@pytest.mark.parametrize("sign", [1, -1])
def test_earned_lost_and_possible_add_up(sign):
    theta = sign * np.array([0.9, 0.8, 0.4, 0.3])
    result = played(theta, [CUCB(), sb.ThompsonSampling()], m=2, variance=0.01, horizon=5_000, replications=5)
    made = cards(result, graves_lai(MSets(4, 2), theta, 0.01), unit="min")
    row = min(result.summary(), key=lambda row: row.regret)
    best = 1.7 if sign > 0 else 0.7
    card = made["earned"]
    verb = "earned" if sign > 0 else "paid"
    account = re.search(
        rf"{row.policy} {verb} (\S+) min in 5,000 rounds on average\. .*? (\S+) min\. .*?, (\S+) min,", card["text"]
    )
    had, possible, lost = (amounts(part)[0] for part in account.groups())
    assert lost == pytest.approx(row.regret, rel=1e-3)
    assert possible == pytest.approx(best * 5_000, rel=1e-6)
    assert had == pytest.approx(possible - sign * lost, abs=0.02 * lost)
    (share,) = amounts(card["headline"])
    excess = 100 * row.regret / (best * 5_000)
    assert share == pytest.approx(100 - excess if sign > 0 else excess, abs=0.05 * excess + 1e-9)
    assert ("above the least possible" in card["headline"]) == (sign < 0)
    assert card["label"] == ("What learning earned" if sign > 0 else "What learning cost")
    assert "2 items" not in card["text"]


def test_mixed_signs_have_no_share():
    for theta, end, ratio in (
        ([0.5, -0.5, -0.2], "% of the best possible", "%"),  # the best earns 0.3
        ([0.1, -0.5, -0.2], "lost", ""),  # the best loses 0.1, but not all items are costs
    ):
        result = played(theta, m=2, variance=0.01, horizon=300, replications=3)
        card = cards(result, graves_lai(MSets(3, 2), theta, 0.01))["earned"]
        assert card["headline"].endswith(end)
        assert [row["ratio"][-1:] for row in card["rows"]] == [ratio]


def test_settled_card_names_the_round_and_the_share():
    result = played([1.0, 0.2, 0.1], [CUCB(), sb.ThompsonSampling()], variance=0.01, horizon=2_000, replications=4)
    summary = {row.policy: row for row in result.summary()}
    card = cards(result)["settled"]
    first = min(summary.values(), key=lambda row: row.settled)
    assert card["headline"] == f"From round {first.settled:,} on"
    for row in card["rows"]:
        known = summary[row["label"]]
        assert row["value"] == f"{known.settled:,}"
        assert amounts(row["ratio"])[0] == pytest.approx(100 * known.optimal_share, abs=0.06 * 100 * (1 - known.optimal_share))
    assert card["header"] == ["policy", "90 % right from round", "right overall"]


def test_settled_card_of_policies_that_are_nearly_right():
    policies = [CUCB(), sb.ThompsonSampling()]
    result = played([0.500, 0.499, 0.498, 0.497, 0.1], policies, variance=0.01, horizon=3_000, replications=4)
    card = cards(result, decision_set=MSets(5, 1))["settled"]
    lost = {
        name: np.diff(result.regret[name].mean(axis=0), prepend=0) / np.diff(result.checkpoints, prepend=0)
        for name in result.policies
    }
    starts = {name: int(result.checkpoints[np.flatnonzero(loss > 0.025)[-1]]) + 1 for name, loss in lost.items()}
    first = min(starts, key=starts.get)
    assert card["headline"] == f"Within 5 % from round {starts[first]:,} on"
    assert f"a round of {first} earned at least 95 % of the best possible." in card["text"]
    assert "No policy played a best set in nine of ten rounds by the end" in card["text"]


def test_sure_card_of_simulations_that_stop():
    stop = sb.Stop(0.9, within=0.05, threshold="customary")
    result = played([1.0, 0.2, 0.1], [CUCB(), sb.ThompsonSampling()], variance=0.01, horizon=500, replications=4, stop_at=stop)
    payload_for(result)
    known = {row.policy: row.stopped for row in result.summary()}
    assert all(one.share == 1.0 for one in known.values())
    card = cards(result, decision_set=MSets(3, 1))["sure"]
    assert card["headline"] == f"After {min(one.rounds for one in known.values()):,.0f} rounds"
    assert "once 90 % sure that the best set so far is the best one or worse by at most 0.05, by the customary" in card["text"]
    assert "which nobody has proved, and plays it to the end." in card["text"]
    assert {row["label"]: row["value"] for row in card["rows"]} == {name: f"{one.rounds:,.0f}" for name, one in known.items()}
    assert all(row["ratio"] == "0 %" for row in card["rows"])
    stop = sb.Stop(0.9, threshold="customary")
    some = played([1.0, 0.9, 0.1], [CUCB(), sb.ThompsonSampling()], variance=0.3, horizon=1_000, replications=10, stop_at=stop)
    stopped = some.summary()[0].stopped
    assert 0.0 < stopped.share < 1.0
    text = cards(some, graves_lai(MSets(3, 1), [1.0, 0.9, 0.1], 0.3))["cost"]["text"]
    assert "a law for large T and for policies that never stop." in text
    row = next(row for row in cards(some)["sure"]["rows"] if row["label"] == "CUCB")
    assert row["value"] == f"{stopped.rounds:,.0f} ({100 * stopped.share:.3g} %)"
    never = played([1.0, 0.99], variance=9.0, horizon=50, replications=2, stop_at=0.99)
    assert cards(never)["sure"]["headline"] == "Not within 50 rounds"
    assert "by the proved threshold" in cards(never)["sure"]["text"]
    payload_for(never)
    assert "sure" not in cards(played([1.0, 0.99], horizon=50, replications=2))


def test_cards_without_an_answer():
    assert cards(case("paths")[3])["best"]["headline"] == "Not known here"
    result = played([0.5, 0.3, 0.2], variance=9.0, horizon=200, replications=4)
    card = cards(result)["settled"]
    assert card["headline"] == "Not within 200 rounds"
    assert card["rows"][0]["value"] == "not yet"
    assert cards(replace(result, optimal=None))["settled"]["headline"] == "Not recorded"


def test_one_round():
    result = played([1, 0.5, 0], [CUCB(), sb.ThompsonSampling()], horizon=1, replications=3)
    made = cards(result, decision_set=MSets(3, 1))
    assert "in 1 round " in made["earned"]["text"]
    assert made["cost"]["headline"].endswith("× ln T in the long run")


def test_long_decisions_are_shortened_and_written_out_below():
    nodes = [f"crossing {k}" for k in range(12)]
    arcs = list(itertools.pairwise(nodes))
    bound = graves_lai(Paths(arcs, nodes[0], nodes[-1]), np.zeros(11), 0.5)
    card = cards(bound=bound)["best"]
    assert card["headline"] == "crossing 0 → crossing 1 → crossing 2 → … → crossing 11"
    assert " → ".join(nodes) + "." in card["text"]
    labels = [f"a film with a rather long title, {k}" for k in range(30)]
    for size in (5, 20):
        description = {"family": "msets", "size": size, "items": labels, "theta": list(range(30))}
        card = cards(instance=instance_from_description(description))["best"]
        assert len(card["headline"]) <= 100
        shown = card["headline"].count("a film")
        assert card["headline"].endswith(f"and {size - shown} more")
        assert card["text"].count("a film") == (5 if size == 5 else 0)
    assert card["text"].startswith("All of its 20 items are marked below. ")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=11))
def test_rooted_trees_are_counted(arcs):
    """Compared with enumeration: parallel arcs, loops, unreachable nodes."""
    graphic = Graphic(arcs)
    decisions = MatroidIntersection(graphic, Partition([head for _, head in arcs], 1))
    listed = len(decisions.enumerate(10_000))
    word = "rooted tree" if network_of(decisions).source is not None else "forest"
    assert told_of(decisions) == (f"Nothing: there is only one {word}" if listed == 1 else f"One of {listed:,} {word}s")
    spanning = decisions.m == graphic.edges.n_nodes - 1
    roots = set(graphic.edges.nodes) - {head for _, head in arcs}
    assert (word == "rooted tree") == (spanning and len(roots) == 1)


def test_decisions_too_many_to_list():
    decisions = MatroidIntersection(Partition([k // 10 for k in range(60)], 2), Partition([k % 10 for k in range(60)], 3))
    assert told_of(decisions) == "One of more than 10,000 selections"
    assert told_of(decisions, 30_000) == "One of 30,000 selections"


class Own(sb.DecisionSet):
    """A user-defined family, which cannot count."""

    d, m = 3, 1

    def maximize(self, weights):
        return np.arange(3) == int(np.argmax(weights))


def test_decisions_of_ones_own():
    result = simulate(Own(), GaussianRewards([1, 0.5, 0]), CUCB(), horizon=20, replications=2)
    card = cards(result, decision_set=Own())["best"]
    assert (card["headline"], "One of many decisions." in card["text"]) == ("Item 0", True)
