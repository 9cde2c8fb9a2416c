"""Studies whose items tell of each other."""

import json
import shutil
from pathlib import Path

import pytest
from study_cases import STUDY, no_work, run_text, stop

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.studies import read_study, run_study

ITEMS = "item,theta,minutes,topic\nu,1,2,a\nv,0.75,3.5,b\nw,0.5,9,\nx,0.25,4,b\n"
FEATURES = "topic,item,minutes\nb,x,4\nb,v,3.5\na,u,2\n,w,9\n"
ROWS = {"u": (2.0, "a"), "v": (3.5, "b"), "w": (9.0, None), "x": (4.0, "b")}


def with_features(value, **more):
    lines = "".join(f"{key} = {json.dumps(each)}\n" for key, each in {"features": value, **more}.items())
    played = STUDY.replace('policies = ["CUCB", "thompson"]\n', 'policies = ["GLADE", "thompson"]\n')
    return played.replace("horizon = 300", "horizon = 60") + lines


@pytest.fixture
def items(place):
    Path("table.csv").write_text(ITEMS)
    Path("features.csv").write_text(FEATURES)


def regret(result):
    return {name: values.tolist() for name, values in result.simulation.regret.items()}


@pytest.mark.parametrize("value", ["pooled", "features.csv", ["minutes", "topic"], "topic"])
def test_an_interrupted_study_continues_with_the_same_bits(items, monkeypatch, value):
    text = with_features(value)
    whole = run_text(text + '[output]\nfolder = "whole"\n')
    with pytest.raises(ZeroDivisionError):
        run_text(text, progress=stop(3))
    run_text(text)
    assert Path("study-results/simulation.zip").read_bytes() == Path("whole/simulation.zip").read_bytes()
    shutil.copytree("study-results", "elsewhere/moved")  # without the table of features
    monkeypatch.chdir("elsewhere")
    again = run_text(Path("moved/study.toml").read_text().replace('folder = "."', 'folder = "again"'), "moved/again.toml")
    assert regret(again) == regret(whole)
    no_work(monkeypatch)
    assert run_study(read_study("moved/study.toml")).finished_before


def test_features_are_those_of_simulate_in_any_order(items):
    result = run_text(with_features("features.csv"))
    same = run_text(with_features(["topic", "minutes"]) + '[output]\nfolder = "own"\n')
    assert regret(result) == regret(same)
    x = sb.MSets(4, 2, items=list("uvwx"))
    rewards = sb.GaussianRewards([1, 0.75, 0.5, 0.25], variance=0.5)
    rows = {label: (topic, minutes) for label, (minutes, topic) in ROWS.items()}
    policies = [sb.GLADE(), sb.ThompsonSampling()]
    played = sb.simulate(x, rewards, policies, horizon=60, replications=4, seed=0, features=rows)
    assert regret(result) == {name: values.tolist() for name, values in played.regret.items()}


def test_the_report_and_the_answer_name_the_features(items):
    result = run_text(with_features("features.csv"))
    report = result.report.read_text(encoding="utf-8")
    assert '{"label":"Features","text":"topic, minutes"}' in report.replace(": ", ":").replace(', "', ',"')
    assert json.loads(Path("study-results/instance.json").read_text())["features"]["minutes"] == [2.0, 3.5, 9.0, 4.0]


@pytest.mark.parametrize(("change", "message"), [
    (lambda: "pooled", r"got another features.* \(features = \"pooled\", was \"instance.json\""),
    (lambda: "topic", r"got another instance.* \(the features have changed\)"),
    (lambda: Path("features.csv").write_text(FEATURES.replace("9", "8")) and "features.csv", "the features have changed"),
])  # fmt: skip
def test_other_features_are_another_study(items, change, message):
    run_text(with_features("features.csv"))
    with pytest.raises(InvalidInputError, match=message):
        run_text(with_features(change()))


def test_without_a_choice_policies_that_make_plans_are_left_out(items):
    text = STUDY.replace('policies = ["CUCB", "thompson"]\n', "").replace("300", "5") + 'features = "pooled"\n'
    assert set(run_text(text).simulation.policies) == {"AESCB", "CUCB", "ESCB", "GLADE", "ThompsonSampling"}


def test_a_table_of_features_that_is_a_link_elsewhere_is_refused(items, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "features.csv"
    shutil.move("features.csv", elsewhere)
    Path("features.csv").symlink_to(elsewhere)
    with pytest.raises(InvalidInputError, match="link"):
        run_text(with_features("features.csv"))


def test_the_reference_line_is_the_bound_under_the_features(items):
    """C(theta) under a table in whose span the means are; none where they are not; and the usual one without a table."""
    x, theta = sb.MSets(4, 2, items=list("uvwx")), [1, 0.75, 0.5, 0.25]
    Path("line.csv").write_text("item,place\nv,2\nw,3\nu,1\nx,4\n")
    line = sb.graves_lai(x, theta, variance=0.5, features={"u": [1.0], "v": [2.0], "w": [3.0], "x": [4.0]})
    plain = sb.graves_lai(x, theta, variance=0.5)
    assert line.value < 0.5 < plain.value  # the best two show the line
    wanted = {
        "line.csv": line,
        "features.csv": sb.graves_lai(x, theta, variance=0.5, features=ROWS),
        "topic": None,
        "pooled": plain,
    }
    for value, bound in wanted.items():
        text = with_features(value) + f'[output]\nfolder = "{value}-run"\n'
        for result in (run_text(text), run_text(text)):  # the second one reads the bound
            shown = result.simulation.lower_bound
            assert shown is None if bound is None else shown == pytest.approx(bound.value, rel=1e-3, abs=1e-9)


BUILT_IN = """[problem]
dataset = "flights-by-hour"

[simulation]
policies = ["GLADE", "GLADE:features=false"]
horizon = 20
replications = 2
rewards = "gaussian"
features = {}
"""


@pytest.mark.parametrize("value", ["hour", ["hour", "destination"], "flights-by-hour"])
def test_built_in_problems_have_features_of_their_own(place, monkeypatch, value):
    result = run_text(BUILT_IN.format(json.dumps(value)))
    hours = sb.datasets.load("flights-by-hour")
    assert hours.features["hour"][:2] == [float(label[1][:2]) for label in hours.decision_set.items[:2]]
    names = list(hours.features) if value == "flights-by-hour" else [value] if isinstance(value, str) else value
    played = sb.simulate(
        hours.decision_set, hours.rewards(), {"GLADE": sb.GLADE(), "GLADE(features=false)": sb.GLADE(features=False)},
        20, 2, 0, features={name: hours.features[name] for name in names}, bound=False,
    )  # fmt: skip
    assert regret(result) == {name: values.tolist() for name, values in played.regret.items()}
    assert list(json.loads(Path("study-results/instance.json").read_text())["features"]) == names
    no_work(monkeypatch)
    assert run_study(read_study("study-results/study.toml")).finished_before


@pytest.mark.parametrize("value", ['"hours"', '"table.csv"', '["hour", "month"]'])
def test_features_that_a_built_in_problem_lacks_are_refused(place, value):
    with pytest.raises(InvalidInputError, match=r"features of flights-by-hour must be .*, got '(hours|table.csv|month)'"):
        run_text(BUILT_IN.format(value))


def test_a_problem_without_features_of_its_own(place):
    text = BUILT_IN.replace("flights-by-hour", "power-grid").format('"power-grid"')
    with pytest.raises(InvalidInputError, match=r"features of power-grid must be .*, got 'power-grid'"):
        run_text(text)


def test_why_no_bound_is_known_with_features(items):
    result = run_text(with_features("topic"))
    assert result.simulation.provenance["no_bound"].endswith("the means are not linear in the features")
    report = Path("study-results/report.html").read_text()
    assert "Policies with features may lose less: no bound is known here under features: the means are not linear" in report
    assert "follow another law" not in report
