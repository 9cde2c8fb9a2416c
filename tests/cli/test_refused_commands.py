"""Commands that cannot be carried out: one line that names the culprit in words of the command line, and nothing is written."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from command_cases import SHORT, TABLE, URL, call

from semibandits.policies.registry import POLICIES

GRAPH = "tail,head,theta\na,b,1\nb,d,1\na,c,0.5\nc,d,0.5\na,d,0.25\n"
OTHERS = {
    "graph.csv": GRAPH,
    "groups.csv": "item,theta,group\nu,1,p\nv,0.5,p\nw,0.75,q\nx,0.25,q\n",
    "fame.csv": "item,fame\nu,1\n",
    "improper.csv": "item,theta\nu,0.5\nv,1.5\nw,0.5\n",
    "damaged/bound.json": "{",
    "parts.csv": "item,minutes\nu,1\nw,2\nx,3\n",
    "more.csv": "item,minutes\nu,1\nv,2\nw,2\nx,3\ny,5\n",
    "again.csv": "item,minutes\nu,1\nv,2\nu,2\n",
    "holes.csv": "item,minutes\nu,1\nv,\nw,2\nx,3\n",
    "bare.csv": "item\nu\nv\nw\nx\n",
    "log.csv": "item,clicked,shown\nu,1,1\nv,3,5\n",
    "late.csv": "item,reward\nu,1\nz,0\n",
    "graph.json": json.dumps({"family": "paths", "edges": [["a", "b"], ["a", "b"]], "theta": [1, 0.5], "target": "b"}),
}
SIMULATE = shlex.join(map(str, SHORT))
ROUNDS = "must be a whole number from 1 to 9,007,199,254,740,992, got"
NAMED = "a policy must be written NAME:key=value,key=value, got "
NO_FOLDER = "must be used with the folder of the earlier run, got none: add --output FOLDER"
PACKETS = f"learner create {URL} new germany50-routing"
PAGES = f"learner create {URL} new table.csv --size 2"
REFUSED = {
    # Problems
    "bound": "PROBLEM",
    "bound none.csv": "none.csv must be a readable file, got No such file",
    "bound germny50": "got 'germny50': did you mean germany50",
    "bound ./table.ods": ".jsonl, .ndjson or .json, got './table.ods': save it as .xlsx or .csv",
    "bound ./roads.graphml": "got './roads.graphml': read it with networkx, and write to_pandas_edgelist(graph) as .csv",
    "bound none_net.tntp": "none_net.tntp must be a readable file, got No such file",
    "bound germany50": "give --source and --target for paths or routes, or --family trees",
    "bound germany50 --source Berlin": "paths must have both ends, got no target",
    "bound germany50 --source Berln --target Essen": "did you mean Berlin",
    "bound germany50 --family msets": "family of a network must be a known name",
    "bound germany50 --size 3": "--size must suit the problem",
    **{
        f"bound germany50-routing {option}": f"{option.split()[0]} must suit the problem, got it with the dataset"
        for option in ("--minimize", "--family paths", "--size 1", "--capacity 1", "--source Berlin", "--saturate rows")
    },
    "bound germany50-routing --column theta=x": "--column must suit the problem",
    "bound polska --family trees --source Lodz": "--source must suit the problem",
    "bound atlanta --family trees": "got the network atlanta, whose coordinates are positions in a drawing",
    "bound graph.csv": "family must be clear",
    "bound graph.csv --source a --target a": "source and target must differ",
    "bound graph.json --source a --capacity 1": "--capacity must be used with tables, got it with a JSON file",
    "bound table.csv": "size must be given for this family, got none: add --size",
    "bound table.csv --size 5": "at most d = 4",
    "bound table.csv --size two": "'--size'",
    "bound table.csv --seize 2": "--seize",
    "bound groups.csv": "add --capacity p=K, or --capacity K for all groups",
    "bound groups.csv --capacity x": "--capacity must be K or NAME=K with",
    "bound fame.csv --size 1": "add --column theta=fame to maximise it, or --column costs=fame",
    # Bounds
    "bound table.csv --size 1 --variance -1": "variance must be positive, got -1.0",
    "bound table.csv --size 1 --variance nan": "variance must be finite, got nan",
    "bound table.csv --size 1 --rewards cauchy": "the law must be one of gaussian, bernoulli, poisson, gamma, got 'cauchy'",
    "bound table.csv --size 1 --method guess": "method must be one of",
    "bound graph.csv --source a --target d --method closed-form": "the closed form holds for",
    "bound table.csv --size 1 --gap 0": "gap must lie in",
    "bound table.csv --size 1 --time-limit 0": "time_limit must be positive",
    "bound table.csv --size 1 --plot p.jpg": "the figure must end in .png, .pdf, .svg, got 'p.jpg'",
    "bound table.csv --size 1 --plot none/p.png": "the folder 'none' must exist",
    "bound table.csv --size 1 --save .": "'.' must be a file, got a folder",
    "bound table.csv --size 1 --save none/b.json": "the folder 'none' must exist",
    # Tests
    "plan-test table.csv --size 2 --confidence 0.5": "confidence must lie in (0.5, 1), got 0.5",
    "plan-test table.csv --size 2 --within -1": "within must be >= 0, got -1",
    "plan-test table.csv --size 2 --gap 2": "gap must lie in",
    "plan-test table.csv --size 5": "at most d = 4",
    "plan-test table.csv --size 2 --save none/plan.csv": "the folder 'none' must exist",
    "plan-test graph.csv --family routes --source a --target d --minimize --law clicks": "the law must be one of gaussian",
    # Simulations
    f"{SIMULATE} -p ESBC": f"the policy must be one of {', '.join(policy.__name__ for policy in POLICIES)}, got 'ESBC'",
    f"{SIMULATE} -p CUCB:radus=log": "got 'radus': did you mean 'radius'?",
    f"{SIMULATE} -p CUCB:radius=loglog": "radius must be a known name, got 'loglog': did you mean",
    f"{SIMULATE} -p CUCB:radius": f"{NAMED}'CUCB:radius'",
    f"{SIMULATE} -p CUCB:": f"{NAMED}'CUCB:'",
    f"{SIMULATE} -p ''": "the policy must be one of",
    f"{SIMULATE} -p TS:scale=1,scale=2": "parameters must be given once, got scale twice",
    f"{SIMULATE} -p TS:scale=-1": "scale must be positive, got -1",
    f"{SIMULATE} -p TS:scale=big": "scale must be a number, got 'big'",
    f"{SIMULATE} -p cucb": "policies must differ, got CUCB twice",
    f"{SIMULATE} -p ESCB:horizon=10": "the horizon must be the same for all policies",
    f"{SIMULATE} -T 1.5": f"--horizon {ROUNDS} '1.5': write for instance --horizon 20000",
    f"{SIMULATE} -T 0": f"--horizon {ROUNDS} '0'",
    f"{SIMULATE} -T many": f"--horizon {ROUNDS} 'many'",
    f"{SIMULATE} --stop-at 95": "--stop-at must be a number between 0 and 1, got '95': write for instance --stop-at 0.95",
    f"{SIMULATE} --stop-at 0.9 --stop-within -1": "--stop-within must be a number of at least 0, got '-1'",
    f"{SIMULATE} --stop-threshold proved": "--stop-threshold must be used with a confidence, got none: add --stop-at 0.95",
    f"{SIMULATE} --stop-at 0.9 --stop-threshold prove": "--stop-threshold must be proved or customary, got 'prove'",
    f"{SIMULATE} --loss some": "--loss must be a number from 0 to below 1, got 'some'",
    f"{SIMULATE} -T 1e17": f"--horizon {ROUNDS} '1e17'",
    f"{SIMULATE} -T 1e999999": f"--horizon {ROUNDS} '1e999999'",
    f"{SIMULATE} -n 0": "--replications must be a whole number from 1 to 1,000,000, got '0'",
    f"{SIMULATE} -n 1e9": "--replications must be a whole number from 1 to 1,000,000, got '1e9'",
    f"{SIMULATE} --seed -1": "--seed must be a whole number of at least 0, got '-1'",
    f"{SIMULATE} -j 0": "--workers must be a number from 1 to 10,000, or auto, got '0': write for instance --workers auto",
    f"{SIMULATE} -j two": "--workers must be a number from 1 to 10,000, or auto, got 'two'",
    f"{SIMULATE} --rewards gausian": "rewards must be a known name, got 'gausian': did you mean gaussian or gamma?",
    "simulate improper.csv --size 2 --rewards bernoulli": (
        "Error: theta must lie in [0, 1] for Bernoulli rewards, got 1.5 for v: use --rewards gaussian\n"
    ),
    f"{SIMULATE} --rewards bernoulli --variance 1": "--variance must go with Gaussian rewards, got 1",
    f"{SIMULATE} --resume": f"--resume {NO_FOLDER}",
    f"{SIMULATE} --extend": f"--extend {NO_FOLDER}",
    f"{SIMULATE} --report": "--report must be used with a folder to write it to, got none: add",
    f"{SIMULATE} --output table.csv": "'table.csv' must be a folder, got a file",
    f"{SIMULATE} --output table.csv/run": "folder must be writable",
    f"{SIMULATE} --output results --resume --seed 1": "in results (seed = 1, was 0): choose another folder (--output",
    f"{SIMULATE} --plot p.jpg": "the figure must end in .png, .pdf, .svg, got 'p.jpg'",
    f"{SIMULATE} --scheduler nowhere": "scheduler must be the address of a running Dask",
    f"{SIMULATE} --horizn 5": "--horizn",
    f"{SIMULATE} --features pooled -p OSSB": "features needs a policy of the library that makes no plans, got OSSB: use GLADE",
    f"{SIMULATE} --features additive": "features='additive' needs items that are pairs, such as ('Ann', 'north'), got 0",
    f"{SIMULATE} --features poled": "column of table.csv must be a known name, got 'poled'",
    f"{SIMULATE} --features parts.csv": "parts.csv must have a line for each item and no others, got none for 'v': correct",
    f"{SIMULATE} --features more.csv": (
        "more.csv must have a line for each item and no others, got one for another on line 6: correct the names, or add or "
        "remove lines\n"
    ),
    f"{SIMULATE} --features again.csv": "items must have distinct names, got 'u' on lines 2 and 4 of again.csv",
    f"{SIMULATE} --features holes.csv": "minutes must be a number, got '' on line 3 of holes.csv: fill in that cell",
    f"{SIMULATE} --features bare.csv": "bare.csv must have a column of features, got item only: add one, or use --features pool",
    f"{SIMULATE} --features fame.csv --column item=fame": "column of table.csv must be a known name, got 'fame'",
    f"{SIMULATE} --features graph.csv": "graph.csv must name the items in the column item, got tail, head, theta: name the",
    f"{SIMULATE} --features table.csv": "another table, or columns of the problem's file, got table.csv: name columns, as in",
    f"{SIMULATE} --features graph.json": "another table, or columns of the problem's file, got graph.json: name columns, as in",
    f"{SIMULATE} --features none.csv": "none.csv must be a readable file",
    "simulate graph.json --source a --features graph.json": "column of the key 'features' of graph.json must be a known name",
    "simulate graph.json --source a --features x": "column of the key 'features' of graph.json must be a known name, got 'x'",
    "simulate germany50-routing --features parts.csv": "features of germany50-routing must be a known name, got 'parts.csv'",
    f"{SIMULATE} --family setz": "setz",
    # Studies
    "run": "STUDY.toml",
    "run none.toml": "none.toml must be a readable study file, got No such file or directory",
    "run table.csv": "table.csv must be TOML, got a mistake",
    "run study.toml -j 0": "--workers must be a number from 1 to 10,000, or auto, got '0'",
    "run study.toml --plot p.jpg": "the figure must end in .png, .pdf, .svg, got 'p.jpg'",
    "run study.toml --output table.csv": "'table.csv' must be a folder, got a file",
    "run study.toml --output table.csv/x": "folder must be writable",
    # Reports
    "report nowhere": "nowhere must be a folder of results, a bound.json or a simulation.zip, but it does not exist",
    "report empty": "got neither simulation.zip nor bound.json: run semibandits simulate ... --output FOLDER",
    "report damaged": "damaged/bound.json must hold JSON",
    "report table.csv": "got another file: semibandits bound --save",
    "report results --to report.pdf": "the report must end in .html, got 'report.pdf'",
    "report results --to results/simulation.zip": "the report must end in .html",
    "report results --to nowhere/report.html": "the folder 'nowhere' must exist",
    "report results/summary.csv": "got another file",
    "report results/about.json": "must be a file written by semibandits bound --save",
    # Datasets
    "datasets polsk": "dataset or network must be a known name, got 'polsk': did you mean polska",
    "datasets air-fares --networks": "network must be a known name, got 'air-fares'",
    # Learners
    f"learner lst {URL}": "the action must be a known name, got 'lst': did you mean list?",
    f"learner list {URL} courier": "list must be used without a name",
    f"learner list {URL} --seed 3": "PROBLEM or one of its options must be used with create or replace, got list: leave it out",
    "learner list sqlite:///nothing.db": "sqlite:///nothing.db must be a database of learners, got no such file",
    "learner list nothing.db": "url must be the URL of a database, got 'nothing.db'",
    f"learner show {URL}": f"show must have the name of a learner, got none: semibandits learner list {URL}",
    f"learner show {URL} curier": "learner must be a known name, got 'curier': did you mean courier?",
    f"learner show {URL} \udcff": r"name must be a printable text of 1 to 200 characters, got '\udcff': choose another one",
    f"learner show {URL} courier -o x": "--output must be used with log or export, got show: leave it out",
    f"learner export {URL} courier -i x": "--input must be used with import, got export: leave it out",
    f"learner import {URL} -i nothing.jsonl": "nothing.jsonl must be a readable export of a learner",
    f"learner create {URL}": "create must have the name of a learner, got none",
    f"learner create {URL} courier": "create must have a problem, got none: name a dataset or a file after the name",
    f"learner create {URL} courier nothing": "dataset or network (or file ending in",
    f"learner create {URL} courier germany50-routing": "the name must be new in sqlite:///routes.db, got 'courier'",
    f"{PACKETS} --seed -1": "seed must be an integer >= 0",
    f"{PACKETS} --policy ucb": "the policy must be one of AESCB, CUCB,",
    f"{PACKETS} --prior-plays days": "--prior-plays must be a number for problems without a table, got 'days': write a number",
    f"{PACKETS} --features pooled --policy OSSB": "features needs a policy of the library that makes no plans",
    f"{PACKETS} --features pooled --half-life 5": "features and half_life cannot be given together yet",
    f"{PAGES} --prior-plays days": "column of table.csv must be a known name, got 'days'",
    f"{PAGES} --history log.csv": "shown must be 1 on each line of a log, got 5 on line 3 of log.csv: write one line for each",
    f"{PAGES} --history late.csv": "got 1 unknown in 1 of 2 observations (first: 'z' at index 1)",
    f"{PAGES} --history bare.csv": "a history must have the column theta (mean rewards) or costs, got neither among item",
    f"{PAGES} --history late.csv --half-life 3": "--history must be used without --half-life, got both: drop one",
    f"{PAGES} --history table.csv --law bernoulli --column theta=clicks": "column of table.csv must be a known name, got",
    f"{PACKETS} --prior-plays -1": "prior_plays must be",
    f"{PACKETS} --prior-plays 5 --law bernoulli": "prior_means must be from 0 to 1 under the law bernoulli, got -",
}  # fmt: skip


@pytest.fixture(scope="module")
def crowded(finished):
    """The folder with what commands write, and more tables."""
    for name in ("empty", "damaged"):
        (finished / name).mkdir(exist_ok=True)
    for name, text in OTHERS.items():
        (finished / name).write_text(text, encoding="utf-8")
    return finished


def state(folder):
    """Bytes and times of all files, without the database, which each connection may touch."""
    paths = [path for path in sorted(Path(folder).rglob("*")) if ".db" not in path.name]
    return {path: path.is_file() and (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


@pytest.mark.parametrize("command", REFUSED)
def test_a_refused_command_is_one_line_and_writes_nothing(crowded, monkeypatch, capsys, command):
    monkeypatch.chdir(crowded)
    words = shlex.split(command)
    if words[0] == "bound":
        words += ["--plot", "plan.png"] * ("--plot" not in words) + ["--save", "new.json"] * ("--save" not in words)
    if words[0] == "simulate" and not {"--output", "--resume", "--extend", "--report"} & set(words):
        words += ["--output", "new"]
    before = state(".")
    code = call(words)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert REFUSED[command] in err
    assert state(".") == before
    if words[0] == "learner":
        assert call(["learner", "list", URL, "--json"]) == 0
        assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["courier"]


@pytest.mark.parametrize("command", [["bound", "table.csv", "--size", 2], SHORT])
def test_without_matplotlib_figures_are_refused_before_solving(run, monkeypatch, command):
    monkeypatch.setattr("semibandits_studies.reporting.figures.find_spec", lambda _: None)
    monkeypatch.setattr("semibandits_studies.studies.run.solve_bound", None)
    err = run.error([*command, "--plot", "p.png"], TABLE)
    assert err == "Error: figures need matplotlib, which is not installed: run pip install matplotlib\n"


def test_tables_that_are_too_large_are_an_error_before_they_are_built(run, monkeypatch):
    monkeypatch.setattr("semibandits.decisions.tables.LARGEST_TABLE", 7)  # it needs two rows of four
    err = run.error(["bound", "table.csv", "--size", 2, "--method", "columns", "--save", "b.json"], TABLE)
    assert err.startswith("Error: a table of decisions by items must fit into 7e-09 GB")
    assert "got 2 decisions over 4 items, 8e-09 GB: leave items out" in err
    assert not Path("b.json").exists()


@pytest.mark.parametrize("action", ["create", "list", "show", "export", "import", "prune"])
def test_a_missing_package_is_one_error(run, monkeypatch, action):
    for name in [name for name in sys.modules if name.startswith("semibandits_server.database.")]:
        if name != "semibandits_server.database.opening":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    rest = [] if action in ("list", "import") else ["courier", "power-grid"] if action == "create" else ["courier"]
    err = run.error(["learner", action, URL, *rest])
    assert err == "Error: learners in a database need SQLAlchemy, which is not installed: run pip install sqlalchemy\n"
