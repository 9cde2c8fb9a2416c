"""``semibandits simulate`` from the command line to the folder it writes."""

import csv
import dataclasses
import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from command_cases import BOUND, SHORT, TABLE, interrupt, names, without_variance

from semibandits import CUCB, GaussianRewards, MSets, SolverError, Stop, graves_lai, load_simulation, simulate
from semibandits.policies.registry import REGRET_POLICIES
from semibandits_studies.studies import run as command


def test_all_policies_that_minimise_regret_play_by_default(run):
    out = run.output(["simulate", "table.csv", "--size", 2, "--variance", 0.5, "-T", 40, "-n", 2], TABLE)
    assert max(len(line) for line in out.splitlines()) <= 80
    for policy in REGRET_POLICIES:
        assert f"\n {policy.__name__} " in out
    assert names() == ["table.csv"]


def test_the_answer_is_that_of_simulate(run):
    rewards = GaussianRewards([1, 0.75, 0.5, 0.25], variance=0.5)
    result = simulate(MSets(4, 2), rewards, CUCB(), horizon=300, replications=4, seed=7)
    row = result.summary()[0]
    answer = run.json([*SHORT, "--seed", 7], TABLE)
    policy = answer["policies"][0]
    assert [entry["name"] for entry in answer["policies"]] == ["CUCB", "ThompsonSampling"]
    assert (answer["horizon"], answer["replications"], answer["seed"]) == (300, 4, 7)
    assert answer["checkpoints"] == result.checkpoints.tolist()
    assert answer["lower"] <= BOUND <= answer["value"]
    assert answer["lower"] == pytest.approx(BOUND, rel=1e-9)
    assert (policy["regret"], policy["slope"]) == (row.regret, row.slope)
    assert tuple(policy["regret_interval"]) == row.regret_interval
    assert tuple(policy["slope_interval"]) == row.slope_interval
    assert policy["regret_ratio"] == pytest.approx(row.regret / (BOUND * math.log(300)))
    assert policy["slope_ratio"] == pytest.approx(row.slope / BOUND)
    assert tuple(policy["calls"].values()) == row.calls
    assert policy["specification"] == CUCB().specification()
    assert policy["curve"]["mean"] == result.regret["CUCB"].mean(axis=0).tolist()
    band = result.bands("CUCB")
    np.testing.assert_array_equal(policy["curve"]["lower"], band.lower)
    np.testing.assert_array_equal(policy["curve"]["upper"], band.upper)
    assert 0 < policy["seconds"] < answer["elapsed"]
    assert answer["folder"] is None
    assert answer["instance"]["theta"] == [1, 0.75, 0.5, 0.25]

    out = run.output([*SHORT, "--seed", 7])
    line = next(line for line in out.splitlines() if line.startswith(" CUCB"))
    mean, _, half, ratio, slope, _, spread, slope_ratio, *calls, seconds = line.split()[1:]
    for text, value in (
        (mean, row.regret),
        (half, (row.regret_interval[1] - row.regret_interval[0]) / 2),
        (ratio, row.regret / (BOUND * math.log(300))),
        (slope, row.slope),
        (spread, (row.slope_interval[1] - row.slope_interval[0]) / 2),
        (slope_ratio, row.slope / BOUND),
    ):
        assert float(text) == pytest.approx(value, abs=0.51 if "." not in text else 0.051)
    assert calls == ["0.99", "linear"]  # in two rounds it covers the items
    assert float(seconds) > 0
    assert "C(θ)       6 per ln T" in out
    assert "Certified  C(θ) = 6 " in out
    assert "4 replications of 300 rounds, seed 7" in out
    assert "Gaussian, independent, variance 0.5" in out


def test_one_replication_of_one_round_has_neither_intervals_nor_slope(run):
    arguments = ["simulate", "table.csv", "--size", 2, "--variance", 0.5, "-T", 1, "-n", 1, "-p", "CUCB"]
    policy = run.json(arguments, TABLE)["policies"][0]
    unknown = ("regret_interval", "regret_ratio", "slope", "slope_interval", "slope_ratio")
    assert [policy[key] for key in unknown] == [None] * 5
    assert policy["curve"] == {"mean": [policy["regret"]], "lower": [None], "upper": [None]}
    out = run.output(arguments)
    assert "1 replication of 1 round," in out
    assert "±" not in out
    assert " – " in out


def test_bernoulli_rewards_are_compared_with_their_own_bound(run, monkeypatch):
    arguments = [*without_variance(SHORT), "--rewards", "Bernoulli"]
    answer = run.json(arguments, TABLE)
    own = graves_lai(MSets(4, 2), [1, 0.75, 0.5, 0.25], rewards="bernoulli")
    assert (answer["lower"], answer["value"], answer["rewards"]) == (own.lower, own.value, "BernoulliRewards")
    for policy in answer["policies"]:
        assert policy["slope_ratio"] == pytest.approx(policy["slope"] / own.lower)
    out = run.output(arguments)
    assert f"{own.value:.4g}"[:4] in out
    assert "over" in out.split("slope:")[0]
    assert "policies that use a variance receive 1/4" in out

    def fail(*_, **__):
        raise SolverError("no luck")

    monkeypatch.setattr("semibandits_studies.studies.run.solve_bound", fail)
    answer = run.json(arguments, TABLE)
    assert (answer["lower"], answer["value"]) == (None, None)
    out = run.output(arguments)
    assert "not found in time: semibandits bound --rewards bernoulli may take longer" in " ".join(out.split())
    assert "over" not in out.split("slope:")[0]
    assert "not found in time" in run.output(SHORT)


def test_a_bound_of_0_gives_no_ratios(run):
    out = run.output([*SHORT], "item,theta\nu,1\nv,1\nw,1\n")
    assert "C(θ) = 0" in out
    assert "0 ± 0" in out
    assert "C ln T" not in out


def test_a_bound_without_a_plan_has_one_end(run, monkeypatch):
    def half_solved(*arguments, **options):
        return dataclasses.replace(graves_lai(*arguments, **options), lower=1.0, value=math.inf)

    monkeypatch.setattr("semibandits_studies.studies.run.solve_bound", half_solved)
    answer = run.json(SHORT, TABLE)
    assert (answer["lower"], answer["value"]) == (1.0, None)
    assert answer["policies"][0]["slope_ratio"] == answer["policies"][0]["slope"]
    _, out, _ = run([*SHORT, "--output", "run"])
    assert "at least 1 per ln T" in out
    assert "1 ≤ C(θ) ≤ infinite" in out
    head, row = (line.split(",") for line in Path("run/summary.csv").read_text(encoding="utf-8").splitlines()[:2])
    assert row[head.index("bound_lower") :][:2] == ["1.0", ""]


def test_networks_have_their_unit(run):
    ends = ["--source", "Szczecin", "--target", "Rzeszow", "-p", "CUCB", "-T", 200, "-n", 2]
    out = run.output(["simulate", "polska", *ends])
    assert "(ms)" in out
    assert "ms per ln T" in out
    assert "modelled, not measured" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    assert run.json(["simulate", "polska", *ends])["unit"] == "ms"


def test_the_variance_reaches_rewards_and_policies(run):
    small, large = (run.json([*SHORT, "--variance", variance], TABLE) for variance in (0.5, 8))
    assert large["value"] == pytest.approx(16 * small["value"])
    assert large["policies"][0]["regret"] > small["policies"][0]["regret"]


def test_policies_are_written_with_parameters(run):
    texts = ["cucb", "CUCB:radius=kveton", "thompson", "Ts : scale = 2, variance=0.25", "ESCB:radius=log-loglog"]
    arguments = [word for text in texts for word in ("-p", text)]
    answer = run.json(["simulate", "table.csv", "--size", 2, "--variance", 1, "-T", "2e1", "-n", "1e0", *arguments], TABLE)
    labels = ["", "(radius=kveton)", "", "(scale=2, variance=0.25)", "(radius=log-loglog)"]
    names = ["CUCB", "CUCB", "ThompsonSampling", "ThompsonSampling", "ESCB"]
    assert [policy["name"] for policy in answer["policies"]] == [*map(str.__add__, names, labels)]
    said = [policy["specification"] for policy in answer["policies"]]
    assert said[1]["radius"] == {"log": 3.0, "loglog": 0.0, "loglog_per_item": 0.0}
    assert (said[3]["scale"], said[3]["variance"], said[4]["radius"]["loglog_per_item"]) == (2.0, 0.25, 4.0)
    assert (answer["horizon"], answer["replications"]) == (20, 1)
    out = run.output(["simulate", "table.csv", "--size", 2, "--variance", 1, "-T", 20, "-n", 2, *arguments])
    assert "\n ThompsonSampling " in out
    assert "\n   scale=2 " in out
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize(("text", "n_jobs"), [("2", 2), ("auto", -1), ("AUTO", -1), ("-1", -1)])
def test_workers_and_scheduler_are_handed_on_and_a_failure_leaves_no_folder(run, monkeypatch, text, n_jobs):
    def play(*_, **options):
        raise SolverError(f"{options['n_jobs']} on {options['scheduler']}")

    monkeypatch.setattr(command, "play", play)
    code, out, err = run([*SHORT, "--workers", text, "--scheduler", "tcp://host:8786", "--output", "run"], TABLE)
    assert (code, out, err) == (3, "", f"Error: {n_jobs} on tcp://host:8786\n")
    assert names() == ["table.csv"]


def test_large_runs_get_no_temporary_folder(run, monkeypatch):
    monkeypatch.setattr(command, "SCRATCH_BYTES", 0)
    assert [policy["seconds"] for policy in run.json(SHORT, TABLE)["policies"]] == [None, None]
    assert "time" not in run(SHORT)[1]


@pytest.mark.drawn
def test_the_folder_has_result_table_and_figure(run):
    answer = run.json([*SHORT, "--output", "run"], TABLE)
    assert answer["folder"] == "run"
    kept = [
        "about.json", "bound.json", "instance.json", "regret.png", "report.html", "simulation.zip", "specification.json",
        "study.toml", "summary.csv", "timings.json",
    ]  # fmt: skip
    assert sorted(path.name for path in Path("run").iterdir()) == kept
    assert Path("run/regret.png").read_bytes().startswith(b"\x89PNG")
    assert Path("run/regret.png").stat().st_size > 20_000
    result = load_simulation("run/simulation.zip")
    with open("run/summary.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row, policy, summary in zip(rows, answer["policies"], result.summary(), strict=True):
        assert (row["policy"], row["horizon"], row["replications"]) == (policy["name"], "300", "4")
        for key in ("regret", "regret_ratio", "slope", "slope_ratio", "seconds"):
            assert float(row[key]) == policy[key]
        assert [float(row[key]) for key in ("regret_lower", "regret_upper")] == policy["regret_interval"]
        assert [float(row[key]) for key in ("slope_lower", "slope_upper")] == policy["slope_interval"]
        assert [float(row[key]) for key in ("linear_calls", "index_calls", "plans", "undecided")] == list(summary.calls)
        assert (float(row["bound_lower"]), float(row["bound_upper"])) == (answer["lower"], answer["value"])
    timings = json.loads(Path("run/timings.json").read_text(encoding="utf-8"))["seconds"]
    assert answer["policies"][0]["seconds"] == pytest.approx(np.mean(list(timings["CUCB"].values())))


STOPPING = ["--stop-at", 0.9, "--stop-within", 0.3, "--stop-threshold", "customary"]


def test_stops_are_shown_in_table_json_csv_and_report(run):
    answer = run.json([*SHORT, *STOPPING, "--output", "run"], TABLE)
    assert answer["stop"] == {"confidence": 0.9, "within": 0.3, "threshold": "customary"}
    rewards = GaussianRewards([1, 0.75, 0.5, 0.25], variance=0.5)
    stop = Stop(0.9, within=0.3, threshold="customary")
    known = simulate(MSets(4, 2), rewards, CUCB(), horizon=300, replications=4, stop_at=stop).summary()[0].stopped
    assert known.share > 0.0
    assert answer["policies"][0]["stopped"] == known._asdict()
    with open("run/summary.csv", newline="", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert [float(row[key]) for key in ("stopped", "stop_round", "stop_wrong")] == list(known)
    out = run.output([*SHORT, *STOPPING, "--output", "run", "--resume"])
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "once 90 % sure" in out
    assert re.search(rf"CUCB +{known.rounds:,.0f} +{100 * known.share:g} % +{100 * known.wrong:.3g} %", out)
    assert "How soon it was sure" in Path("run/report.html").read_text(encoding="utf-8")
    assert run.json(["run", "run/study.toml", "--output", "again"])["policies"][0]["stopped"] == known._asdict()
    assert "stop_at = 0.95, was 0.9" in run.error([*SHORT, "--stop-at", 0.95, *STOPPING[2:], "--output", "run", "--resume"])
    assert "stop_at = absent, was 0.9" in run.error([*SHORT, "--output", "run", "--resume"])


def test_nothing_is_shown_of_stops_without_one(run):
    answer = run.json([*SHORT, "--output", "run"], TABLE)
    assert "stop" not in answer
    assert "stopped" not in answer["policies"][0]
    assert all(word not in run.output([*SHORT, "--output", "run", "--resume"]) for word in ("sure", "Stops", "never stop"))
    assert all("stop" not in Path("run", name).read_text(encoding="utf-8") for name in ("summary.csv", "study.toml"))


def test_figures_go_where_they_are_wanted(run):
    run.output([*SHORT, "--plot", "p.pdf", "--output", "run"], TABLE)
    assert Path("p.pdf").read_bytes().startswith(b"%PDF")
    assert not Path("run/regret.png").exists()
    assert names() == ["p.pdf", "run", "table.csv"]


def test_without_matplotlib_the_folder_has_no_figure(run, monkeypatch):
    monkeypatch.setattr("semibandits_studies.reporting.figures.find_spec", lambda _: None)
    out = run.output([*SHORT, "--output", "run"], TABLE)
    assert "no figure in the folder" in out
    assert not Path("run/regret.png").exists()


def test_a_folder_is_not_used_twice_unless_it_is_resumed(run):
    run([*SHORT, "--output", "run"], TABLE)
    before = Path("run/simulation.zip").read_bytes()
    err = run.error([*SHORT, "--output", "run"])
    assert "the folder 'run' must be without a simulation, got one in it: add --resume" in err
    assert err.endswith(f"; the command is: semibandits {shlex.join(map(str, SHORT))} --output run --resume\n")
    out = run.output([*SHORT, "--output", "run", "--resume"])
    assert "read from the folder" in out
    assert Path("run/simulation.zip").read_bytes() == before


@pytest.mark.parametrize(("horizon", "words"), [
    ("1e9", ""), ("1e11", "Warning: 2e11 rounds take at least about 11 hours of one core: "), ("1e13", " 46 days of one core"),
])  # fmt: skip
def test_a_horizon_that_takes_hours_gets_a_warning(run, monkeypatch, horizon, words):
    monkeypatch.setattr("semibandits_studies.cli.studying.run_study", interrupt)
    code, _, err = run(["simulate", "table.csv", "--size", 2, "-p", "CUCB", "-n", 2, "-T", horizon], TABLE)
    assert code == 130
    assert words in err
    assert ("Warning" in err) == bool(words)
