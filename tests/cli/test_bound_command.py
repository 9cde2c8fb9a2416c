"""``semibandits bound`` from the command line to the files it writes."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_cases import ALONE, SHORT, TABLE, names

from semibandits import SolverError, __version__
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Status

GRAPH = "tail,head,theta\na,b,1\nb,d,1\na,c,0.5\nc,d,0.5\na,d,0.25\n"
SQUARE = "row,column,theta\n1,x,2\n1,y,1\n2,x,1\n2,y,2\n"
GROUPED = "item,theta,group\nu,1,p\nv,0.5,p\nw,0.75,q\nx,0.25,q\n"
TWICE = "item,theta,group1,group2\nu,2,p,s\nv,1,p,t\nw,2,q,t\nx,1,q,s\n"

LINKS = "tail,head,theta\na,home,-1\nhome,a,-2\noffice,a,-1\n"

# What each family has to say: file, options, C(theta) by hand.
#   m-sets and partition matroids: the sum of 1/gap over the items outside.  Paths: the detour through c has gap 1 and the
#   arc a -> d has gap 1.75 and both are disjoint.  Two by two matchings and the intersection that equals them: both items
#   of the other matching have rate 2 to satisfy 1/w + 1/w <= 2^2, hence rate 1/2 at gap 2: C = 1.
#   Links that can be used both ways: 2 variance / gap, for the one way that costs 1 more.
FAMILIES = {
    "msets": (TABLE, ["--size", "2"], 1 / 0.25 + 1 / 0.5),
    "paths": (GRAPH, ["--source", "a", "--target", "d"], 2.0 + 1 / 1.75),
    "routes": (LINKS, ["--source", "home", "--target", "office", "--undirected"], 1.0),
    "trees": ("tail,head,theta\na,b,3\nb,c,2\na,c,1\n", ["--family", "trees"], 1.0),
    "matchings": (SQUARE, [], 1.0),
    "partition": (GROUPED, ["--capacity", "1"], 1 / 0.5 + 1 / 0.5),
    "intersection": (TWICE, ["--capacity", "1"], 1.0),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family(run, family):
    table, options, expected = FAMILIES[family]
    answer = run.json(["bound", "table.csv", *options], table)
    check(answer, expected)
    assert answer["family"] == {"partition": "matroid"}.get(family, family)
    out = run.output(["bound", "table.csv", *options])
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "C(θ)" in out
    assert f"{expected:.3g}"[:4] in out
    assert "The plan: " in out
    Path("again.json").write_text(json.dumps(answer["instance"]), encoding="utf-8")
    again = run.json(["bound", "again.json"])
    assert again | {"stats": answer["stats"]} == answer  # in which are times


def check(answer, expected):
    """The parts of an answer agree with each other and with the bound by hand."""
    assert answer["lower"] <= expected * (1 + 1e-12)
    assert answer["value"] >= expected * (1 - 1e-12)
    assert answer["gap"] <= 1e-4
    assert (answer["status"], answer["name"]) == ("optimal", "table")
    theta = np.array(answer["instance"]["theta"])
    plan = answer["plan"]
    assert answer["d"] == len(theta) == len(answer["items"]) == len(answer["rates"])
    assert answer["optimal"]["reward"] == pytest.approx(theta[answer["optimal"]["indices"]].sum())
    rates = np.zeros(len(theta))
    for decision in plan:
        rates[decision["indices"]] += decision["rate"]
        assert decision["items"] == [answer["items"][i] for i in decision["indices"]]
        assert decision["gap"] == pytest.approx(answer["optimal"]["reward"] - theta[decision["indices"]].sum())
    np.testing.assert_allclose(rates, answer["rates"], rtol=1e-12)
    assert sum(decision["gap"] * decision["rate"] for decision in plan) == pytest.approx(answer["value"], rel=1e-9)
    assert [decision["rate"] for decision in plan] == sorted((decision["rate"] for decision in plan), reverse=True)
    for row in answer["regret"]:
        assert row["bound"] == pytest.approx(answer["lower"] * math.log(row["horizon"]))


@pytest.mark.drawn
def test_every_decision_may_be_optimal(run):
    out = run.output(["bound", "table.csv", "--size", 1], "item,theta\nu,1\nv,1\n")
    assert "No exploration is needed" in out
    _, out, _ = run(["bound", "table.csv", "--size", 1, "--json", "--plot", "p.png"])
    answer = json.loads(out)
    assert (answer["value"], answer["lower"], answer["gap"], answer["plan"]) == (0, 0, 0, [])
    assert Path("p.png").stat().st_size > 1000


def test_only_the_first_decisions_are_shown_unless_all_are_wanted(run):
    table = "item,theta\n" + "".join(f"i{k},{-k}\n" for k in range(31))
    _, out, _ = run(["bound", "table.csv", "--size", 1], table)
    assert "and 10 more, each played less often (--all shows them)" in out
    assert "i30" not in out
    _, out, _ = run(["bound", "table.csv", "--size", 1, "--all"])
    assert "--all" not in out
    assert "i30" in out


@pytest.mark.one_in(3)
@pytest.mark.drawn
@pytest.mark.parametrize(
    ("family", "name", "start"), [("msets", "p.png", b"\x89PNG"), ("matchings", "p.pdf", b"%PDF"), ("trees", "p.svg", b"<?xml")]
)
def test_figures_are_written_in_each_format(run, family, name, start):
    table, options, _ = FAMILIES[family]
    run.output(["bound", "table.csv", *options, "--plot", name], table)
    assert Path(name).read_bytes().startswith(start)
    assert names() == [name, "table.csv"]


def test_a_network_by_name(run):
    answer = run.json(["bound", "polska", "--family", "trees"])
    assert (answer["d"], answer["m"], answer["decisions"], answer["unit"]) == (18, 11, 5161, "ms")
    assert "modelled, not measured" in answer["note"]
    other = run.json(["bound", "polska", "--family", "trees", "--variance", 5])
    assert other["instance"]["variance"] == 5
    assert other["value"] == pytest.approx(10 * answer["value"], rel=1e-12)
    ends = ["--source", "Szczecin", "--target", "Rzeszow", "--method", "enumeration", "--variance", 0.5]
    answer = run.json(["bound", "polska", *ends])
    assert (answer["method"], set(answer["instance"]["variance"])) == ("enumeration", {0.5})


def test_json_files_take_options_that_they_leave_out(run):
    description = {"family": "paths", "edges": [["a", "b"], ["a", "b"]], "theta": [1, 0.5], "target": "b"}
    Path("g.json").write_text(json.dumps(description), encoding="utf-8")
    assert run.json(["bound", "g.json", "--source", "a"])["value"] == pytest.approx(2.0, rel=1e-4)


def test_decisions_that_are_too_many_to_count_are_not_listed(run, monkeypatch):
    """50 vectors of dimension 8: 50 choose 8 bases, each of which has 8 times 42 neighbours."""

    def no_list(*_):
        raise AssertionError("bases are listed")

    monkeypatch.setattr("semibandits.matroids.base.list_bases", no_list)
    monkeypatch.setattr("semibandits_studies.reporting.formatting.COUNT_WORK", 2_000_000, raising=False)
    rng = np.random.default_rng(0)
    matroid = {"kind": "linear", "matrix": rng.normal(size=(8, 50)).tolist()}
    description = {"family": "matroid", "matroid": matroid, "theta": rng.random(50).tolist()}
    Path("vectors.json").write_text(json.dumps(description), encoding="utf-8")
    out = run.output(["bound", "vectors.json", "--save", "bound.json"])
    assert "more than 336 selections of at most 8 items, out of 50" in out
    assert json.loads(Path("bound.json").read_text(encoding="utf-8"))["decisions"] is None
    assert run(["report", "bound.json"])[0] == 0
    assert "One of more than 336 selections" in Path("bound.html").read_text(encoding="utf-8")


def unfinished(decision_set, theta, variance, value):
    """A result whose gap is wide open."""
    best = decision_set.maximize(theta)
    plan = ExplorationPlan(np.empty((0, decision_set.d), dtype=bool), np.empty(0))
    status, stats = Status.TIME_LIMIT, {"rounds": 1}
    return GravesLaiResult(value, 1.0, status, "cycles", plan, best, ~best, decision_set, theta, variance, stats)


@pytest.mark.parametrize(
    ("value", "bracket", "shown"),
    [(2.0, "1 ≤ C(θ) ≤ 2", "1 to 2 per ln T"), (math.inf, "1 ≤ C(θ) ≤ infinite", "at least 1 per ln T")],
)
def test_a_gap_that_is_not_reached_exits_with_3_and_prints_the_bracket(run, monkeypatch, value, bracket, shown):
    def solve(decision_set, theta, *, law, **_):
        raise SolverError("asked for 1e-4,\nreached less", unfinished(decision_set, theta, law.variance, value))

    monkeypatch.setattr("semibandits_studies.studies.run.solve_bound", solve)
    arguments = ["bound", "table.csv", "--size", 2, "--plot", "p.png", "--save", "b.json"]
    code, out, err = run(arguments, TABLE)
    assert (code, err) == (3, "Error: asked for 1e-4, reached less\n")
    assert bracket in out
    assert "stopped early: time_limit" in out
    assert [line.split(maxsplit=1)[1].rstrip() for line in out.splitlines() if line.startswith("C(θ) ")] == [shown]
    code, out, _ = run([*arguments, "--json"])
    answer = json.loads(out)
    expected = (1.0, None if value == math.inf else value, "time_limit")
    assert (code, answer["lower"], answer["value"], answer["status"]) == (3, *expected)
    assert json.loads(Path("b.json").read_text(encoding="utf-8")) == answer
    assert names() == ["b.json", "table.csv"]
    Path("study.toml").write_text(ALONE, encoding="utf-8")
    assert run(["run", "study.toml"])[::2] == (3, err)
    assert not Path("study-results").exists()


OUT_OF_MEMORY = "Error: the problem must fit into memory, got{}: leave items out, or use a larger machine\n"


@pytest.mark.parametrize(("error", "code", "message"), [
    (KeyboardInterrupt(), 130, "Error: interrupted, nothing written\n"),
    (MemoryError("Unable to allocate 9.3 GiB"), 2, OUT_OF_MEMORY.format(": Unable to allocate 9.3 GiB")),
    (MemoryError(), 2, OUT_OF_MEMORY.format(" no more of it")),
])  # fmt: skip
def test_what_ends_a_solve_is_reported_in_one_line(run, monkeypatch, error, code, message):
    def solve(*_, **__):
        raise error

    monkeypatch.setattr("semibandits_studies.studies.run.solve_bound", solve)
    assert run(["bound", "table.csv", "--size", 2, "--save", "b.json"], TABLE) == (code, "", message)
    assert names() == ["table.csv"]


def test_faults_of_our_own_are_not_hidden(run, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("ours")

    for name in ("solve_bound", "play"):
        monkeypatch.setattr(f"semibandits_studies.studies.run.{name}", fail)
    for command in (["bound", "table.csv", "--size", 2], [*SHORT, "--rewards", "gaussian"]):
        with pytest.raises(ZeroDivisionError, match="ours"):
            run(command, TABLE)


@pytest.mark.parametrize("command", [["bound"], ["simulate"], ["run"], ["datasets"]])
def test_help_has_examples(run, command):
    out = run.output([*command, "--help"])
    assert "Examples" in out
    assert f"semibandits {command[0]} germany50" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_program_as_installed():
    """One run as a process: version, and a reader that leaves early."""
    program = Path(sys.executable).with_name("semibandits")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"semibandits {__version__}\n"
    with subprocess.Popen([program, "datasets"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_bernoulli_rewards_have_a_bound_of_their_own(run):
    """Two items: gap/d(0.3, 0.8); the variance of the file plays no part."""
    table = "item,theta,variance\nu,0.8,7\nv,0.3,9\n"
    answer = run.json(["bound", "table.csv", "--size", "1", "--rewards", "bernoulli"], table)
    assert answer["rewards"] == "bernoulli"
    assert answer["value"] == pytest.approx(0.5 / (0.3 * math.log(0.3 / 0.8) + 0.7 * math.log(0.7 / 0.2)), rel=1e-9)
    out = run.output(["bound", "table.csv", "--size", "1", "--rewards", "bernoulli"])
    assert "independent rewards of 0 or 1" in " ".join(out.split())


def test_what_was_read_as_what_is_shown(run):
    table = "from;to;minutes;surface\na;b;1,5;mud\nb;d;2;\na;d;4;\n"
    out = run.output(["bound", "table.csv", "--source", "a", "--target", "d"], table)
    assert "Ignored columns: surface." in out
    assert "minutes as costs" in " ".join(out.split())
    answer = run.json(["bound", "table.csv", "--source", "a", "--target", "d", "--column", "theta=minutes"])
    assert answer["instance"]["theta"] == [1.5, 2, 4]
    assert answer["optimal"]["items"] == ["a → d"]
    answer = run.json(["bound", "table.csv", "--source", "a", "--target", "d", "--minimize"])
    assert answer["instance"]["costs"] == [1.5, 2, 4]


def test_shares_of_few_trials_are_pointed_out(run):
    """One click of one view is a mean of 1, and best."""
    table = "article,clicks,views\nx,1,1\ny,30,400\nz,2,9\nw,50,1000\n"
    out = " ".join(run.output(["bound", "table.csv", "--size", 2, "--law", "bernoulli"], table).split())
    assert "2 lines have fewer than 10 views (line 2: 1), which tell little of a mean." in out
    plenty = table.replace("x,1,1", "x,10,100").replace("z,2,9", "z,20,90")
    assert "tell little" not in run.output(["bound", "table.csv", "--size", 2, "--law", "bernoulli"], plenty)
