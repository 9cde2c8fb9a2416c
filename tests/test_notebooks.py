"""Objects on the screen: short texts, safe HTML for notebooks, frames, and progress without a terminal."""

import math
import pickle
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import semibandits as sb
from example_sets import OnlyMaximizes
from family_examples import EXAMPLES
from semibandits.regret_bound import progress as solve_progress
from semibandits.regret_bound.result import Progress

STREETS = [("home", "bridge"), ("home", "ferry"), ("bridge", "office"), ("bridge", "ferry"), ("ferry", "office")]
MINUTES = np.array([9.0, 7.0, 6.0, 1.0, 9.5])
HOSTILE = "<script>alert(1)</script>&\x1b[31m"


class Tables(HTMLParser):
    """Cells of tables; it fails on tags that are not balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.tags = [], [], set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        assert all(name == "style" and value.startswith("text-align:") for name, value in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)


def cells(shown):
    parsed = Tables(shown._repr_html_())
    assert parsed.tags <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    return parsed.rows


@pytest.fixture(scope="module")
def bound():
    return sb.graves_lai(sb.Paths(STREETS, "home", "office"), -MINUTES, variance=4.0)


def test_summary_of_costs(bound):
    assert bound.summary(unit="minutes") == (
        "Best path  home → bridge → office\n"
        "Its cost   15 minutes\n"
        "C(θ)       12.2419 minutes per ln T\n"
        "Certified  12.2417 ≤ C(θ) ≤ 12.242, gap 1.3e-05\n"
        "Plan       2 paths to explore, 7.326 plays per ln T in all, as detours from the best path\n"
        "   6.908 plays per ln T, gap 1.5 minutes, 84.6% of C(θ): home → ferry → office\n"
        "  0.4176 plays per ln T, gap 4.5 minutes, 15.4% of C(θ): bridge → ferry → office"
    )
    assert bound.summary(top=1).splitlines()[-1] == "  and 1 more, each played less often"
    assert len(bound.summary(top=0).splitlines()) == 6


def test_summary_of_rewards_with_labels():
    text = sb.graves_lai(sb.MSets(3, 1), [1.0, 2.0, 3.0]).summary(["tea", "coffee", HOSTILE])
    assert text.splitlines()[:2] == [r"Best set    <script>alert(1)</script>&\x1b[31m", "Its reward  3"]
    assert "+ coffee  − <script>" in text
    without = sb.graves_lai(sb.MSets(3, 1), np.zeros(3)).summary()
    assert "Its reward  0\n" in without
    assert without.endswith("Plan        no exploration is needed")


@pytest.mark.parametrize(
    "make", [make for examples in EXAMPLES.values() for make in examples.values()] + [lambda: OnlyMaximizes(sb.MSets(4, 2))]
)  # fmt: skip
def test_every_family_has_short_texts_html_and_frames(make):
    decision_set = make()
    theta = -np.random.default_rng(0).random(decision_set.d) - 0.1 - getattr(decision_set, "least", 0.0)
    result = sb.graves_lai(decision_set, theta, gap=0.3, throw=False, time_limit=5.0)
    for shown in (result, result.plan):
        assert len(repr(shown).splitlines()) <= 5
        assert max(map(len, repr(shown).splitlines())) <= 101
        cells(shown)
    assert len(result.summary().splitlines()) <= 11
    frame, plan = result.to_frame(), result.plan.to_frame()
    assert frame.shape == (decision_set.d, 6)
    assert plan.shape == (len(result.plan), 5)
    columns = {"theta": theta, "rate": result.rates, "optimal": result.optimal_decision, "suboptimal": result.suboptimal_items}
    assert all(np.array_equal(frame[name], numbers) for name, numbers in columns.items())
    assert np.array_equal(plan["gap"], result.plan_gaps)
    assert plan["share"].sum() == pytest.approx(1.0 if 0 < result.value < math.inf else 0.0)
    assert [len(items) for items in plan["items"]] == result.plan.decisions.sum(axis=1).tolist()


def test_frames_have_labels_and_survive_pickling(bound):
    labels = [f"street {i}" for i in range(5)]
    assert bound.to_frame(labels)["label"].tolist() == labels
    again = pickle.loads(pickle.dumps(bound))
    assert again.plan.to_frame(labels)["items"].tolist() == [("street 1", "street 4"), ("street 0", "street 3", "street 4")]
    assert again.plan.to_frame()["text"].tolist() == ["home → ferry → office", "bridge → ferry → office"]
    assert sb.GravesLaiResult.from_json(bound.to_json()).plan.to_frame().equals(bound.plan.to_frame())


def test_a_plan_alone_has_numbers_only():
    plan = sb.ExplorationPlan(np.eye(3, dtype=bool), np.array([3.0, 2.0, 1.0]))
    assert plan.to_frame().to_dict("list") == {"rate": [3.0, 2.0, 1.0], "items": [(0,), (1,), (2,)]}
    assert cells(plan) == [["plays per ln T", "items"], ["3", "0"], ["2", "1"], ["1", "2"]]


def test_frames_without_pandas(bound, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for make in (bound.to_frame, bound.plan.to_frame):
        with pytest.raises(sb.SemibanditsError, match="run pip install pandas"):
            make()


def test_html_is_escaped_and_has_no_colours():
    graph = [("home", HOSTILE), (HOSTILE, "office"), ("home", "office")]
    result = sb.graves_lai(sb.Paths(graph, "home", "office"), [-1.0, -1.0, -3.0])
    assert not re.search("<script|\x1b|color", result._repr_html_())
    rows = cells(result)
    assert rows[0] == ["Best path", r"home → <script>alert(1)</script>&\x1b[31m → office"]
    assert rows[-1][-1] == "home → office"


def test_simulations_and_learners_in_notebooks():
    x, rewards = sb.MSets(3, 1), sb.GaussianRewards([0.0, 1.0, 2.0], variance=1.0)
    result = sb.simulate(x, rewards, {HOSTILE: sb.CUCB(), "GLADE": sb.GLADE()}, horizon=60, replications=3)
    rows = cells(result)
    assert [row[0] for row in rows] == ["policy", r"<script>alert(1)</script>&\x1b[31m", "GLADE"]
    assert "±" in rows[1][1]
    assert "±" not in sb.simulate(x, rewards, sb.CUCB(), horizon=60, replications=1)._repr_html_()
    learner = sb.Learner(x, variance=1.0, seed=0)
    assert len(cells(learner)) == 3
    learner.tell(learner.ask().id, [-7.0])
    learner.ask()
    assert [row[0] for row in cells(learner)][-2:] == ["Best set so far", "Its mean cost so far"]
    assert cells(learner)[2] == ["Rounds", "2, 1 of them open"]


def test_data_classes_have_short_texts():
    dataset = sb.datasets.load("air-fares")
    x = dataset.decision_set
    learner = sb.Learner(x, variance=1.0, seed=0)
    large = [
        dataset, dataset.instance, learner, learner.ask(), x.exchange_graph(dataset.theta),
        sb.MSets(50, 3).budget_front(np.arange(50.0), np.arange(50.0)),
        x.search_index(dataset.theta, np.ones(x.d)), sb.GaussianRewards(dataset.theta, variance=dataset.variance),
    ]  # fmt: skip
    for shown in large:
        assert len(repr(shown).splitlines()) == 1
        assert len(repr(shown)) < 1_200
    assert repr(sb.Round.of(2, np.array([True, False]), ("a", "b"))) == ("Round(id=2, items=[0], labels=('a',), d=2)")


def test_progress_of_a_solve_is_a_line_every_two_seconds(capsys):
    tell = solve_progress.reporter(True)
    for seconds in (0.1, 2.5, 3.0, 5.0):
        tell(Progress(3, 7, 1.0, 2.0, seconds))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["round 3, 1 ≤ C(θ) ≤ 2, 2 s", "round 3, 1 ≤ C(θ) ≤ 2, 5 s"]
    assert solve_progress.reporter(False) is solve_progress.reporter(None) is None
    for space, theta in ((sb.MSets(3, 1), [1.0, 2.0, 3.0]), (sb.Paths(STREETS, "home", "office"), -MINUTES)):
        assert sb.graves_lai(space, theta, progress=True).value > 0


def test_progress_of_a_simulation_without_a_terminal(capsys):
    sb.simulate(sb.MSets(3, 1), sb.GaussianRewards(np.arange(3.0)), sb.CUCB(), 5, 47, progress=True)
    streams = capsys.readouterr()
    lines = streams.err.splitlines()
    assert streams.out == ""
    assert len(lines) == 10
    assert re.match(r"5 of 47 replications, \d+ s, about \d+ s left", lines[0])
    assert lines[-1].startswith("47 of 47 replications, ")


def test_instance_and_dataset_show_their_facts():
    flights = sb.datasets.load("flights-on-time")
    shown = dict(cells(flights))
    assert list(shown) == ["Question", "Decisions", "Mean rewards", "Features", "Note", "Means", "Source", "Licence"]
    assert (shown["Decisions"], shown["Licence"]) == ("MSets(d=288, m=10)", flights.licence)
    low, _, high = shown["Mean rewards"].split()[:3]
    assert float(low) == pytest.approx(flights.theta.min(), rel=1e-3)
    assert float(high) == pytest.approx(flights.theta.max(), rel=1e-3)
    streets = sb.datasets.load("sioux-falls-routing").instance
    assert dict(cells(streets))["Mean costs"].startswith(f"{-streets.theta.max():.4g} to ")


def test_round_shows_its_items():
    shown = sb.Learner(sb.MSets(30, 25, items=[HOSTILE, *map(str, range(29))]), law="bernoulli", seed=0).ask()
    rows = cells(shown)
    assert rows[:3] == [["item", "label"], ["0", r"<script>alert(1)</script>&\x1b[31m"], ["1", "0"]]
    assert len(rows) == 21
    assert shown._repr_html_().endswith("<div>and 5 more</div></div>")
