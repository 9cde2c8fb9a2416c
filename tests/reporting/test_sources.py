"""Readers of results folders, bound files and simulation files: missing, damaged and foreign content."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from payload_schema import checked_payload
from report_cases import command

from semibandits import CUCB, BernoulliRewards, GaussianRewards, InvalidInputError, MSets, graves_lai, load_simulation, simulate
from semibandits.studies import read_study, run_study
from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.sources import read_results

TABLE = "item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder written by `semibandits simulate --output`."""
    root = tmp_path_factory.mktemp("made")
    (root / "table.csv").write_text(TABLE, encoding="utf-8")
    command(f"semibandits simulate '{root}/table.csv' --size 2 --variance 0.5 -T 200 -n 3 -p CUCB -p ts -o '{root}/run'")
    return root / "run"


@pytest.fixture
def folder(made, tmp_path):
    """A copy of it without a report."""
    copy = shutil.copytree(made, tmp_path / "copy-of-a-run")
    (copy / "report.html").unlink(missing_ok=True)
    return copy


def payload(path):
    return checked_payload(read_results(path))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_whole_folder(folder):
    shown = payload(folder)
    result, bound = load_simulation(folder / "simulation.zip"), read(folder / "bound.json")
    assert shown["title"] == "table"
    assert shown["items"]["labels"] == ["u", "v", "w", "x"]
    assert shown["items"]["optimal"] == [True, True, False, False]
    assert shown["items"]["suboptimal"] == [False, False, True, True]
    assert (shown["bound"]["lower"], shown["bound"]["value"]) == (bound["lower"], bound["value"])
    assert shown["bound"]["applies"] is True
    assert [row["rate"] for row in shown["plan"]["rows"]] == [row["rate"] for row in bound["plan"]]
    assert [policy["regret"] for policy in shown["simulation"]["policies"]] == [row.regret for row in result.summary()]
    seconds = read(folder / "timings.json")["seconds"]["CUCB"]
    assert shown["simulation"]["policies"][0]["seconds"] == pytest.approx(np.mean(list(seconds.values())))
    assert shown["drawing"] == {"kind": "bars", "groups": None, "group_name": ""}
    assert not [row for row in shown["tables"]["provenance"] if row["label"] == "Missing"]
    assert (folder / "study.toml").read_text(encoding="utf-8") in [row["code"] for row in shown["tables"]["again"]]
    assert str(folder) not in json.dumps(shown)
    assert folder.name not in json.dumps(shown)


@pytest.mark.parametrize(
    "name", ["instance.json", "bound.json", "study.toml", "about.json", "timings.json", "summary.csv", "specification.json"]
)
def test_any_file_but_the_simulation_may_be_absent(folder, name):
    (folder / name).unlink(missing_ok=True)
    shown = payload(folder)
    assert shown["bound"] is not None
    assert shown["drawing"] is not None
    assert (shown["plan"] is None) == (name == "bound.json")
    assert shown["items"]["labels"] == ["u", "v", "w", "x"]


def keep_only(folder, *names):
    for path in list(folder.iterdir()):
        if path.name not in names:
            path.unlink()


def test_a_bound_and_a_simulation_alone_list_what_is_missing(folder, tmp_path):
    assert payload(folder / "simulation.zip")["simulation"]["horizon"] == 200
    shown = payload(folder / "bound.json")
    assert shown["plan"]["rows"]
    assert shown["title"] == "table"
    keep_only(shutil.copytree(folder, tmp_path / "bound"), "bound.json", "instance.json")
    shown = payload(tmp_path / "bound")
    assert shown["simulation"] is None
    assert shown["bound"]["lower"] == 6
    keep_only(folder, "simulation.zip")
    shown = payload(folder)
    assert shown["drawing"] is shown["plan"] is None
    assert shown["bound"]["lower"] == 6
    assert shown["items"]["labels"] == ["0", "1", "2", "3"]
    assert "instance.json" in next(row["text"] for row in shown["tables"]["provenance"] if row["label"] == "Missing")


def refused(path, *words):
    """There is one clear error, and no file is written."""
    before = sorted(each.name for each in path.iterdir()) if path.is_dir() else None
    with pytest.raises(InvalidInputError) as caught:
        payload_of(read_results(path))
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert "\n" not in message
    assert len(message) < 600
    if before is not None:
        assert sorted(each.name for each in path.iterdir()) == before


def test_no_results(tmp_path, folder):
    refused(tmp_path / "nothing", "does not exist", "simulate")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "neither simulation.zip nor bound.json")
    (folder / "simulation.zip").unlink()
    refused(folder, "finished", "--resume")
    refused(folder / "summary.csv", "another file")


JSON_FILES = ["instance.json", "bound.json", "about.json", "timings.json"]


@pytest.mark.parametrize("name", [*JSON_FILES, "study.toml", "simulation.zip"])
def test_damaged_files(folder, name):
    """Cut off in the middle, no text, or no such JSON."""
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2] + (b"= [" if name == "study.toml" else b""))
    refused(folder, name)
    if name != "simulation.zip":
        (folder / name).write_bytes(b"\xff\xfe\x00")
        refused(folder, name, "UTF-8")
    if name in JSON_FILES:
        for text in ("", "{", "[]", "3", '{"a": NaN}', "[" * 100_000, "\ufeff\0", '"text"'):
            (folder / name).write_text(text, encoding="utf-8")
            refused(folder, name)


IMPOSSIBLE = [
    ("lower", -1), ("lower", "1"), ("lower", 1e9), ("lower", None), ("value", 0.5), ("rates", [1]), ("rates", [-1, 0, 0, 0]),
    ("rates", None), ("suboptimal_items", [9]), ("suboptimal_items", [0.5]), ("suboptimal_items", [2, 2]),
    ("optimal", {}), ("optimal", {"indices": [0]}), ("optimal", {"indices": [0, 2]}), ("optimal", {"indices": [-1, 0]}),
    ("plan", {}), ("plan", [1]), ("plan", [{"indices": [0, 1, 2], "rate": 1}]), ("plan", [{"indices": [0, 2], "rate": -1}]),
    ("plan", [{"indices": [0, 2], "rate": "1"}]), ("plan", [{"indices": [0, 2]}]), ("plan", [{"indices": [0, 2], "rate": 0}]),
    ("applies", "yes"), ("rewards", "cauchy"), ("rewards", 3), ("decisions", -3),
    ("decisions", "many"), ("instance", 3), ("instance", {"family": "msets"}), ("status", 3), ("method", []),
    ("lower", 10**400),
]  # fmt: skip


def test_impossible_bounds_are_refused(folder):
    path = folder / "bound.json"
    content = read(path)
    for key, value in IMPOSSIBLE:
        write(path, content | {key: value})
        refused(folder, str(folder))
    for key in ("lower", "value", "rates", "optimal", "plan", "instance", "suboptimal_items"):
        write(path, {k: v for k, v in content.items() if k != key})
        refused(folder, "bound.json")


@pytest.mark.parametrize(
    ("change", "word"),
    [({"theta": [1, 0.75, 0.5, 0.3]}, "mean rewards"), ({"size": 1}, "decisions"), ({"variance": 1}, "variances")],
)
def test_a_foreign_instance(folder, change, word):
    path = folder / "instance.json"
    write(path, read(path) | change)
    refused(folder, "bound.json", word)
    (folder / "bound.json").unlink()
    refused(folder, "simulation", word if word != "decisions" else "other msets")


THETA = [1, 0.75, 0.5, 0.25]


def put_simulation(folder, rewards):
    run = simulate(MSets(len(rewards.theta), 2), rewards, CUCB(), horizon=20, replications=2, bound=False)
    run.save(folder / "simulation.zip")


def test_a_foreign_simulation(folder):
    put_simulation(folder, GaussianRewards([*THETA, 0]))
    refused(folder, "d = 4 items", "over 5")
    put_simulation(folder, GaussianRewards(THETA, variance=2))
    refused(folder, "variances")


def test_a_bound_for_other_rewards_or_marked_as_not_applicable_is_not_applied(folder):
    """Whatever bound.json contains: the simulation records its rewards."""
    path = folder / "bound.json"
    content = read(path)
    write(path, content | {"applies": False})
    assert payload(folder)["bound"]["applies"] is False
    write(path, content)
    put_simulation(folder, BernoulliRewards(THETA))
    shown = payload(folder)
    assert shown["bound"]["applies"] is False
    assert shown["simulation"]["policies"][0]["regret_ratio"] is None


def test_a_bernoulli_study_shows_its_own_bound_with_the_plan(tmp_path, monkeypatch):
    """Policies receive the variance 1/4, which does not affect the bound and may differ from that of the instance."""
    monkeypatch.chdir(tmp_path)
    write(Path("instance.json"), {"family": "msets", "size": 2, "theta": THETA})
    text = '[problem]\nfile = "instance.json"\n[simulation]\npolicies = ["CUCB"]\nrewards = "bernoulli"\n'
    Path("clicks.toml").write_text(text + "horizon = 50\nreplications = 2\n", encoding="utf-8")
    assert run_study(read_study("clicks.toml")).report is not None
    shown, kept = payload(Path("clicks-results")), read(Path("clicks-results/bound.json"))
    own = graves_lai(MSets(4, 2), THETA, rewards="bernoulli")
    for key in ("lower", "value"):
        assert shown["bound"][key] == kept[key] == getattr(own, key)
    assert shown["bound"]["applies"] is True
    assert [row["rate"] for row in shown["plan"]["rows"]] == [row["rate"] for row in kept["plan"]]
    assert shown["simulation"]["policies"][0]["regret_ratio"] is not None
    cost = next(answer for answer in shown["answers"] if answer["key"] == "cost")
    assert "Certified for independent rewards of 0 or 1" in cost["text"]
    assert payload(Path("clicks-results/bound.json"))["bound"]["lower"] == own.lower


def test_information_about_a_dataset_is_shown(folder):
    for value in (3, [], {}, True):
        write(folder / "about.json", {"title": value})
        refused(folder, "about.json", "title")
    about = {"title": "Films", "question": "Which films?", "origin": "modelled", "provenance": "P", "licence": "L"}
    write(folder / "about.json", about)
    shown = payload(folder)
    assert (shown["title"], shown["subtitle"]) == ("Films", "Which films?")
    rows = {row["label"]: row["text"] for row in shown["tables"]["provenance"]}
    assert (rows["Mean rewards"], rows["Source"], rows["Licence"]) == ("modelled", "P", "L")
    best = next(answer for answer in shown["answers"] if answer["key"] == "best")
    assert "Mean rewards are modelled, not measured." in best["text"]


RANDOM = {"deadline": None, "derandomize": True, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


def shown_or_refused_in_one_sentence(made, tmp_path, name, content):
    """No exception except the one for invalid input, whatever the files contain."""
    target = tmp_path / "results"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(made, target)
    (target / name).write_bytes(content)
    sentence = ""
    try:
        payload(target)
    except InvalidInputError as error:
        sentence = str(error)
    assert "\n" not in sentence


@settings(max_examples=60, **RANDOM)
@given(st.data())
def test_bytes_changed_at_random(made, tmp_path, data):
    name = data.draw(st.sampled_from([*JSON_FILES, "study.toml"]))
    content = bytearray((made / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.sampled_from(b'0123456789-.eE[]{}",:abc \n\\<'))
    shown_or_refused_in_one_sentence(made, tmp_path, name, bytes(content))


ODD = [None, True, -1, 0, 3, 0.5, 1e308, 10**400, "", "x", [], {}, [[]], [0, 1], {"a": 1}, [10**30], [None]]


@settings(max_examples=150, **RANDOM)
@given(st.data())
def test_values_changed_at_random(made, tmp_path, data):
    name = data.draw(st.sampled_from(JSON_FILES))
    place = content = read(made / name)
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
            place = place[key]
        else:
            break
    place[key] = data.draw(st.sampled_from(ODD))
    shown_or_refused_in_one_sentence(made, tmp_path, name, json.dumps(content).encode())
