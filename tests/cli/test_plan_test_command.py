"""``semibandits plan-test``: the rounds of a test and its plan, as table, JSON and CSV."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from command_cases import TABLE

import semibandits as sb
from semibandits.formats.numbers import amount
from semibandits_studies.studies.problems import find_problem, load_problem

COMMAND = ["plan-test", "table.csv", "--size", 2, "--variance", 0.25]
ARTICLES = Path(__file__).parents[2] / "examples" / "articles.csv"
PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def known(**options):
    return sb.identification_time(sb.MSets(4, 2), [1, 0.75, 0.5, 0.25], variance=0.25, **options)


def test_json_and_csv_are_the_result_of_the_library(run):
    time = known(confidence=0.9, within=0.01)
    answer = run.json([*COMMAND, "--confidence", 0.9, "--within", 0.01, "--save", "plan.csv"], TABLE)
    assert (answer["lower"], answer["value"], answer["gap"]) == (time.lower, time.value, time.gap)
    assert (answer["confidence"], answer["within"], answer["status"]) == (0.9, 0.01, "optimal")
    assert answer["least_rounds"] == time.least_rounds
    assert answer["about_rounds"] == {name: time.about_rounds(name) for name in ("proved", "customary")}
    assert answer["optimal"] == {"text": "u, v", "items": ["u", "v"], "indices": [0, 1]}
    assert [row["share"] for row in answer["plan"]] == time.plan.shares.tolist()
    assert [row["indices"] for row in answer["plan"]] == [items.tolist() for items in time.plan.items]
    assert answer["instance"]["theta"] == [1, 0.75, 0.5, 0.25]
    with open("plan.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["share"]) for row in rows] == time.plan.shares.tolist()
    assert [row["decision"] for row in rows] == [row["text"] for row in answer["plan"]]
    assert sum(int(row["rounds"]) for row in rows) == pytest.approx(time.about_rounds(), abs=len(rows))


def test_the_table_names_the_rounds_and_the_decisions(run):
    time, out = known(), run.output(COMMAND, TABLE)
    assert max(map(len, out.splitlines())) <= 80
    for words in (f"at least {amount(time.least_rounds)} on average", "by the proved threshold", "which nobody has proved"):
        assert words in out
    rows = re.findall(r"^ +([\d,]+) +([\d.]+)% +(\w, \w)(, the best one)?", out, re.MULTILINE)
    assert len(rows) == len(time.plan)
    assert [float(row[1]) for row in rows] == [pytest.approx(100 * share, abs=0.051) for share in time.plan.shares]
    assert [row[2] for row in rows if row[3]] == ["u, v"]
    assert "more, each" not in out


def test_the_page_shows_what_the_command_prints(run):
    text = PAGE.read_text(encoding="utf-8")
    options = re.search(r"^    semibandits (plan-test .+ --within .+)$", text, re.MULTILINE)[1].split()
    table = "item,theta\nStorm,0.12\nBudget,0.10\nFinal,0.09\nOpera,0.07\nStrike,0.05\nCup,0.04\n"
    Path(options[1]).write_text(table, encoding="utf-8")
    shown = re.search(r"```text\n(Best set   .*?)```", text, re.DOTALL)[1]
    printed = [re.sub(r"\s+", " ", line).strip() for line in run.output(options).splitlines()]
    for line in filter(None, (re.sub(r"\s+", " ", line).strip(" ─") for line in shown.splitlines())):
        assert line == "..." or line in printed


def test_300_articles_show_ten_decisions_of_the_plan(run):
    options = [str(ARTICLES), "--capacity", 2, "--size", 8, "--variance", 0.15]
    out = run.output(["plan-test", *options])
    assert len(re.findall(r"^ +[\d,]+ +[\d.]+%   \w", out, re.MULTILINE)) == 10
    shown = re.search(r"The plan: (\d+) selections.*and (\d+) more, each played less often", out, re.DOTALL)
    assert int(shown[1]) == int(shown[2]) + 10
    assert "more, each" not in run.output(["plan-test", *options, "--all"])


def test_an_assumed_variance_is_named_with_that_of_clicks(run):
    out = " ".join(run.output(["plan-test", "table.csv", "--size", 1], "item,theta\nu,0.2\nv,0.1\n").split())
    assert "variance 0.5, which is assumed: pass --variance or a column variance" in out
    assert "such as clicks, pass --law bernoulli" in out


def test_other_laws(run):
    table = "item,theta\nu,0.5\nv,0.4\nw,0.1\n"
    answer = run.json(["plan-test", "table.csv", "--size", 1, "--law", "poisson"], table)
    time = sb.identification_time(sb.MSets(3, 1), [0.5, 0.4, 0.1], law="poisson")
    assert (answer["lower"], answer["value"]) == (time.lower, time.value)
    assert (answer["rewards"], answer["law"]) == ("poisson", {"name": "poisson", "cost": False})
    assert "independent Poisson counts" in run.output(["plan-test", "table.csv", "--size", 1, "--law", "poisson"])
    code, _, err = run(["plan-test", "table.csv", "--size", 1, "--law", "clicks"])
    assert (code, err.count("\n")) == (2, 1)
    assert "the law must be one of gaussian, bernoulli" in err


def test_ties_and_single_decisions_have_no_plan(run):
    out = run.output(["plan-test", "table.csv", "--size", 1], "item,theta\nu,1\nv,1\n")
    assert "infinite, since v instead of u makes no difference" in out
    assert "The plan" not in out
    answer = run.json(["plan-test", "table.csv", "--size", 1])
    assert (answer["value"], answer["least_rounds"], answer["plan"]) == (None, None, [])
    assert run.json(["plan-test", "table.csv", "--size", 2])["about_rounds"] == {"proved": 0.0, "customary": 0.0}


def test_a_gap_that_is_not_reached_prints_the_bracket(run):
    code, out, err = run(["plan-test", str(ARTICLES), "--capacity", 2, "--size", 8, "--time-limit", 1e-9, "--json"])
    assert code == 3
    assert json.loads(out)["status"] == "time_limit"
    assert err.startswith("Error: the relative gap must be at most 0.001")
    assert err.count("\n") == 1


def test_costs_and_networks_have_their_words(run):
    out = run.output(["plan-test", "table.csv", "--source", "a", "--target", "z"], "tail,head,costs\na,z,1\na,b,1\nb,z,1\n")
    assert "\nCosts " in out
    instance = load_problem(find_problem("germany50-routing")).instance
    time = sb.identification_time(instance.decision_set, instance.theta, variance=instance.variance)
    answer = run.json(["plan-test", "germany50-routing"])
    assert (answer["unit"], answer["value"]) == ("ms", time.value)
    assert np.flatnonzero(time.optimal_decision).tolist() == answer["optimal"]["indices"]


@pytest.mark.filterwarnings("default::semibandits.errors.LongestPathWarning")
def test_the_longest_path_gives_one_warning_in_words_of_the_program(run):
    code, _, err = run(["plan-test", "table.csv", "--source", "a", "--target", "z"], "tail,head,theta\na,z,3\na,b,1\nb,z,1\n")
    assert code == 0
    assert err.count("Warning") == err.count("\n") == 1
    assert "use --minimize" in err


def test_keys_are_described(run):
    text = PAGE.read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)`", text[text.index("## Tests") : text.index("## Simulations")]))
    answer = run.json(COMMAND, TABLE)
    assert set(answer) | set(answer["about_rounds"]) | set(answer["plan"][0]) <= described
