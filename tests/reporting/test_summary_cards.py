"""The four answers are correct and well-formed."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_cases import DECISIONS, case

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.instances import instance_from_description
from semibandits.matroids import Graphic, Partition
from semibandits.policies.cucb import CUCB
from semibandits.policies.thompson import ThompsonSampling
from semibandits.regret_bound import graves_lai
from semibandits.reporting.drawings import network_of
from semibandits.reporting.formatting import amount, mean_text
from semibandits.reporting.policy_cards import percent
from semibandits.reporting.report import report_data
from semibandits.reporting.report_data import Structure
from semibandits.reporting.shapes import how_many, number_of_decisions
from semibandits.reporting.summary_cards import summary_cards
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.bounded import BoundedRewards
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.simulation.results import SimulationResult
from semibandits.simulation.run import simulate


def cards(simulation=None, bound=None, instance=None, decision_set=None, **changes):
    data = replace(report_data(simulation, bound, instance, decision_set), **changes)
    return {answer["key"]: answer for answer in summary_cards(data)}


def made_up(finals, *, replications=4, lower=1.0, horizon=1000, d=2):
    """A simulation whose policies end at given regrets, on curves that grow like ln t."""
    rounds = np.array([1, 10, 100, horizon])
    shape = np.log(rounds) / math.log(horizon)
    regret = {p: np.outer(np.resize(np.asarray(f, dtype=float), replications), shape) for p, f in finals.items()}
    zeros = {p: np.zeros((replications, len(rounds))) for p in finals}
    counts = {p: np.zeros((replications, len(rounds), d), dtype=np.int64) for p in finals}
    calls = {p: np.zeros((replications, len(rounds), 4), dtype=np.int64) for p in finals}
    return SimulationResult(
        policies=tuple(finals),
        checkpoints=rounds,
        regret=regret,
        reward=zeros,
        plays=counts,
        calls=calls,
        items=tuple(map(str, range(d))),
        lower_bound=lower,
        lower_bound_interval=None if lower is None else (lower, lower),
        provenance={},
    )


@pytest.mark.parametrize("name", DECISIONS)
def test_sentences_are_whole(name):
    """No double spaces, no sentence without a full stop, no plural for one, no nan or None."""
    decisions, _, bound, result = case(name)
    for given_parts in ({"simulation": result, "bound": bound}, {"bound": bound}, {"simulation": result}):
        for card in cards(**given_parts).values():
            text = card["text"]
            assert "  " not in text
            assert text.endswith((".", "?"))
            assert not re.search(r"\b1 (items|links|edges|arcs|pairs|rounds|replications|groups|sets|paths)\b", text)
            assert not re.search(r"nan|inf\b|None|True|False", text + card["headline"])
    assert decisions.d


@pytest.mark.parametrize("name", DECISIONS)
def test_first_card_counts_the_decisions(name):
    decisions, _, bound, _ = case(name)
    card = cards(bound=bound)["decided"]
    assert card["headline"].startswith(f"One of {len(decisions.enumerate(1000)):,} ")
    assert str(decisions.d) in card["text"]
    assert re.search(rf"\b{decisions.m}\b", card["text"])


@pytest.mark.parametrize("name", DECISIONS)
def test_best_card_agrees_with_the_list(name):
    decisions, rewards, bound, _ = case(name)
    listed = decisions.enumerate(1000)
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


def test_ties_are_shown():
    bound = graves_lai(MSets(4, 2), [1, 1, 1, 0.5], 0.5)
    assert "It is not unique: another set is equally good." in cards(bound=bound)["best"]["text"]


def test_costs_are_shown_without_sign():
    bound = graves_lai(Paths([("a", "b"), ("a", "b")], "a", "b"), [-3, -4], 0.5)
    card = cards(bound=bound, unit="ms")["best"]
    assert card["headline"] == "a → (#1) b"
    assert card["text"] == "It costs 3 ms a round on average."


def test_cost_card_shows_the_bound_rounded_down():
    for name in DECISIONS:
        _, _, bound, result = case(name)
        card = cards(result, bound, unit="ms")["cost"]
        value, total = re.search(r"Here C\(θ\) is ([\d.,]+) ms, which makes ([\d.,]+) ms in 200 rounds", card["text"]).groups()
        value, total = (float(number.replace(",", "")) for number in (value, total))
        assert bound.lower * (1 - 1e-3) <= value <= bound.lower * (1 + 1e-9)
        assert bound.lower * math.log(200) * (1 - 1e-3) <= total <= bound.lower * math.log(200) * (1 + 1e-9)
        least = min(row.regret_ratio for row in result.summary())
        is_early = "too few" in card["text"] or least < 1.0
        (told,) = amounts(card["headline"])
        assert told == (value if is_early else total)
        assert card["headline"].endswith("× ln T in the long run" if is_early else " ms")
        needed = float(bound.plan.rates.sum()) * math.log(200)
        assert ("too few" in card["text"]) == (needed >= 200)


def test_cost_card_without_a_simulation():
    bound = graves_lai(MSets(3, 1), [1, 0.5, 0.5], 0.5)
    text = cards(bound=bound)["cost"]["text"]
    assert bound.value == pytest.approx(4)
    assert "Here C(θ) is 4, which makes 36.84 in 10,000 rounds and 55.26 in 1,000,000 rounds." in text
    assert cards(bound=bound)["cost"]["headline"] == "At least 36.84 in 10,000 rounds"


@pytest.mark.parametrize("theta", [[1, 1, 1], [1, 0.5, 0]])
def test_nothing_has_to_be_explored(theta):
    size = 1 if theta[1] == 1 else 3
    bound = graves_lai(MSets(3, size), theta, 0.5)
    result = simulate(MSets(3, size), GaussianRewards(theta), CUCB(), horizon=20, replications=2, bound=bound)
    made = cards(result, bound)
    assert made["cost"]["headline"] == "Nothing"
    assert made["earned"]["headline"] == "100 % of the best possible"
    assert ("there is only one set" in made["best"]["text"]) == (size == 3)
    assert made["settled"]["headline"] == "From the start"


def test_rewards_of_another_kind_have_no_bound():
    result = simulate(MSets(3, 1), BernoulliRewards([0.9, 0.5, 0.1]), CUCB(), horizon=50, replications=2, bound=False)
    bound = graves_lai(MSets(3, 1), [0.9, 0.5, 0.1], 0.25)
    made = cards(result, bound)
    assert made["cost"]["headline"] == "Not known for these rewards"
    assert "C(θ) × ln T with mean rewards θ, is known for independent Gaussian rewards alone" in made["cost"]["text"]
    assert "independent rewards of 0 or 1" in made["cost"]["text"]
    assert "bounds nothing here" in made["cost"]["text"]
    made = cards(result)
    assert made["cost"]["headline"] == "Not computed"
    assert "semibandits bound --rewards bernoulli computes it" in made["cost"]["text"]


def test_rewards_of_no_known_law_have_no_bound():
    result = simulate(MSets(3, 1), BoundedRewards([0.9, 0.5, 0.1]), CUCB(), horizon=50, replications=2)
    for bound in (None, *(graves_lai(MSets(3, 1), [0.9, 0.5, 0.1], rewards=law) for law in ("gaussian", "bernoulli"))):
        made = cards(result, bound)
        assert made["cost"]["headline"] == "Not known for these rewards"
        assert ("bounds nothing here" in made["cost"]["text"]) == (bound is not None and bound.rewards == "gaussian")


def test_a_bernoulli_bound_with_its_plan_needs_bernoulli_rewards():
    own = graves_lai(MSets(3, 1), [0.9, 0.5, 0.1], rewards="bernoulli")
    for rewards in (BernoulliRewards([0.9, 0.5, 0.1]), GaussianRewards([0.9, 0.5, 0.1], variance=0.25)):
        for with_own in (True, False):
            result = simulate(MSets(3, 1), rewards, CUCB(), horizon=50, replications=2, bound=with_own)
            made = report_data(result, own, None, None)
            is_same = isinstance(rewards, BernoulliRewards)
            assert made.applies
            assert (made.bound is None) == (not is_same and not with_own)
            assert (made.bound is not None and made.bound.has_plan) == is_same
            if is_same:
                assert "Here C(θ) is 1.238" in cards(result, own)["cost"]["text"]
            else:
                assert "0 or 1" not in cards(result, own)["cost"]["text"]


def test_a_bernoulli_bound_alone_names_its_law():
    card = cards(bound=graves_lai(MSets(3, 1), [0.9, 0.5, 0.1], rewards="bernoulli"))["cost"]
    assert "Certified for independent rewards of 0 or 1" in card["text"]
    card = cards(bound=graves_lai(MSets(3, 1), [1, 0.5, 0.1], rewards="bernoulli"))["cost"]
    assert card["headline"] == "Nothing"
    assert "Playing the best set teaches enough: no other item could be good enough to improve on it" in card["text"]


def test_a_simulation_of_bernoulli_rewards_brings_its_own_bound_along():
    """Even if a bound for Gaussian rewards is given, which bounds nothing here."""
    result = simulate(MSets(3, 1), BernoulliRewards([0.9, 0.5, 0.1]), CUCB(), horizon=50, replications=2)
    gaussian = graves_lai(MSets(3, 1), [0.9, 0.5, 0.1], 0.25)
    own = graves_lai(MSets(3, 1), [0.9, 0.5, 0.1], rewards="bernoulli")
    assert result.lower_bound == own.lower < 0.9 * gaussian.lower
    for given_bound in (gaussian, None):
        made = cards(result, given_bound)
        assert "Here C(θ) is 1.238" in made["cost"]["text"]
        assert "Certified for independent rewards of 0 or 1" in made["cost"]["text"]
        assert "Gaussian" not in made["cost"]["text"]


def test_a_gaussian_simulation_without_bound_explains_how_to_compute_it():
    result = simulate(MSets(3, 1), GaussianRewards([1, 0.5, 0]), CUCB(), horizon=50, replications=2, bound=False)
    assert cards(result)["cost"]["headline"] == "Not computed"


def test_a_bound_that_is_still_zero_is_not_called_nothing():
    bound = replace(graves_lai(MSets(3, 1), [1, 0.5, 0], 0.5), lower=0.0)
    card = cards(bound=bound)["cost"]
    assert card["headline"] == "Not known yet"
    assert "0 ≤ C(θ) ≤ 3" in card["text"]


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


def test_equal_regret_is_a_tie():
    card = cards(made_up({"A": 2.0, "B": 1.0, "C": 1.0}, lower=None))["earned"]
    assert card["headline"] == "B and C: 1 lost"
    card = cards(made_up({"A": 0.0, "B": 0.0}, lower=None))["earned"]
    assert card["headline"] == "A and B: nothing lost"
    assert "They lost the same." in card["text"]


def test_one_policy_and_one_replication():
    card = cards(made_up({"A": 7.0}, replications=1, lower=2.0))["earned"]
    assert card["headline"] == "A: 7 lost"
    assert "A lost 7 units of reward in 1,000 rounds, against always playing the best decision" in card["text"]
    assert [(row["label"], row["value"]) for row in card["rows"]] == [("A", "7")]
    card = cards(made_up({"A": 7.0, "B": 8.0}, replications=1))["earned"]
    assert "One replication is not conclusive" in card["text"]


def amounts(text):
    """All numbers of a text."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


@pytest.mark.parametrize("sign", [1, -1])
def test_earned_lost_and_possible_add_up(sign):
    theta = sign * np.array([0.9, 0.8, 0.4, 0.3])
    rewards = GaussianRewards(theta, variance=0.01)
    result = simulate(MSets(4, 2), rewards, [CUCB(), ThompsonSampling()], horizon=5_000, replications=5)
    made = cards(result, graves_lai(MSets(4, 2), theta, 0.01), unit="min")
    row = min(result.summary(), key=lambda row: row.regret)
    best = 1.7 if sign > 0 else 0.7
    card = made["earned"]
    verb = "earned" if sign > 0 else "paid"
    account = re.search(
        rf"{row.policy} {verb} (\S+) min in 5,000 rounds on average\. .*? (\S+) min\. .*?, (\S+) min,", card["text"]
    )
    had, possible, lost = (float(part.replace(",", "")) for part in account.groups())
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
    theta = np.array([0.5, -0.5, -0.2])
    result = simulate(MSets(3, 2), GaussianRewards(theta, variance=0.01), CUCB(), horizon=300, replications=3)
    made = cards(result, graves_lai(MSets(3, 2), theta, 0.01))
    assert made["earned"]["headline"].endswith("% of the best possible")  # the best earns 0.3
    theta = np.array([0.1, -0.5, -0.2])
    result = simulate(MSets(3, 2), GaussianRewards(theta, variance=0.01), CUCB(), horizon=300, replications=3)
    assert made["earned"]["rows"][0]["ratio"].endswith("%")
    made = cards(result, graves_lai(MSets(3, 2), theta, 0.01))
    assert made["earned"]["headline"].endswith("lost")  # the best loses 0.1, but not all items are costs
    assert [row["ratio"] for row in made["earned"]["rows"]] == [""]


def test_settled_card_names_the_round_and_the_share():
    rewards = GaussianRewards([1.0, 0.2, 0.1], variance=0.01)
    result = simulate(MSets(3, 1), rewards, [CUCB(), ThompsonSampling()], horizon=2_000, replications=4)
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
    theta = np.array([0.500, 0.499, 0.498, 0.497, 0.1])
    result = simulate(
        MSets(5, 1), GaussianRewards(theta, variance=0.01), [CUCB(), ThompsonSampling()], horizon=3_000, replications=4
    )
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


def test_settled_card_without_an_answer():
    rewards = GaussianRewards([0.5, 0.3, 0.2], variance=9.0)
    result = simulate(MSets(3, 1), rewards, CUCB(), horizon=200, replications=4)
    card = cards(result)["settled"]
    assert card["headline"] == "Not within 200 rounds"
    assert card["rows"][0]["value"] == "not yet"
    assert cards(replace(result, optimal=None))["settled"]["headline"] == "Not recorded"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.983, "98.3 %"),
        (0.9966, "99.66 %"),
        (0.017, "1.7 %"),
        (0.00034, "0.034 %"),
        (0.5, "50 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (1.25, "125 %"),
        (1 - 1e-9, "more than 99.9999 %"),
    ],
)
def test_percentages_show_how_much_is_missing(share, text):
    assert percent(share) == text


def test_insignificant_differences_are_stated():
    # Pairs decide: each replication has the same difference in the first, and none that is sure in the second.
    sure = cards(made_up({"A": [1, 5, 9, 13], "B": [2, 6, 10.1, 14]}))["earned"]["text"]
    unsure = cards(made_up({"A": [1, 5, 9, 13], "B": [13, 9, 5, 2]}))["earned"]["text"]
    assert "with confidence" not in sure
    assert "The 4 replications do not distinguish B from A with confidence." in unsure


def test_without_a_simulation_there_are_no_cards_of_policies():
    assert list(cards(bound=graves_lai(MSets(3, 1), [1, 0.5, 0], 0.5))) == ["decided", "best", "cost"]


def test_one_round():
    decisions, rewards = MSets(3, 1), GaussianRewards([1, 0.5, 0])
    result = simulate(decisions, rewards, [CUCB(), ThompsonSampling()], horizon=1, replications=3)
    made = cards(result, decision_set=decisions)
    assert "in 1 round " in made["earned"]["text"]
    assert made["cost"]["headline"].endswith("× ln T in the long run")


def test_a_simulation_alone_lists_what_is_unknown():
    _, _, _, result = case("paths")
    made = cards(result)
    assert list(made) == ["earned", "settled", "best", "cost"]
    assert made["best"]["headline"] == "Not known here"


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
    structure = Structure(family="intersection", decision_set=decisions, labels=tuple(map(str, range(len(arcs)))))
    told = how_many(structure, None)
    word = "rooted tree" if network_of(decisions).source is not None else "forest"
    assert told == (f"Nothing: there is only one {word}" if listed == 1 else f"One of {listed:,} {word}s")
    spanning = decisions.m == graphic.edges.n_nodes - 1
    roots = set(graphic.edges.nodes) - {head for _, head in arcs}
    assert (word == "rooted tree") == (spanning and len(roots) == 1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=9), st.integers(0, 3), st.integers(1, 3))
def test_selections_within_quotas_are_counted(groups, least, most):
    first = Partition([a for a, _ in groups], {a: least + a % 2 for a in range(4)})
    decisions = MatroidIntersection(first, Partition([b for _, b in groups], most))
    structure = Structure(family="intersection", decision_set=decisions, labels=tuple(map(str, range(len(groups)))))
    listed = len(decisions.enumerate(10_000))
    told = how_many(structure, None)
    assert told == ("Nothing: there is only one selection" if listed == 1 else f"One of {listed:,} selections")


def test_decisions_too_many_to_list():
    groups = [k // 10 for k in range(60)]
    decisions = MatroidIntersection(Partition(groups, 2), Partition([k % 10 for k in range(60)], 3))
    structure = Structure(family="intersection", decision_set=decisions, labels=tuple(map(str, range(60))))
    assert how_many(structure, None) == "One of more than 10,000 selections"
    assert how_many(structure, 30_000) == "One of 30,000 selections"


class Own(DecisionSet):
    """A user-defined family, which cannot count."""

    d, m = 3, 1

    def maximize(self, weights):
        return np.arange(3) == int(np.argmax(weights))


def test_decisions_of_ones_own():
    result = simulate(Own(), GaussianRewards([1, 0.5, 0]), CUCB(), horizon=20, replications=2)
    made = cards(result, decision_set=Own())
    assert "One of many decisions." in made["best"]["text"]
    assert made["best"]["headline"] == "Item 0"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (2, "2"),
        (1442, "1,442"),
        (999_999_999, "999,999,999"),
        (10**9, "1 × 10⁹"),
        (77 * 10**15, "7.7 × 10¹⁶"),
        (10**400, "1 × 10⁴⁰⁰"),
    ],
)
def test_numbers_of_decisions(count, text):
    assert number_of_decisions(count).replace("\xa0", " ") == text  # it is kept on one line


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(-1e14, 1e14, allow_subnormal=False))
def test_amounts_are_right_to_four_digits(value):
    text = amount(value).replace(",", "").replace("−", "-")
    assert float(text) == pytest.approx(value, rel=5.1e-4)


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (2004.4, 80.2, "2,004 ± 80"),
        (3.14159, 0.0123, "3.142 ± 0.012"),
        (0.2, 3.0, "0.2 ± 3.0"),
        (5.0, 0.0, "5 ± 0"),
        (0.0, 0.0, "0 ± 0"),
        (7.5, math.nan, "7.5"),
        (-0.01, 3, "0.0 ± 3.0"),
        (123456, 12345, "123,000 ± 12,000"),
    ],
)
def test_means_have_the_digits_of_their_intervals(value, half, text):
    assert mean_text(value, half) == text
