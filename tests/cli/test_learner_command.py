"""``semibandits learner``: lists, shows, exports, imports and prunes."""

import hashlib
import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_cases import URL, call, learn

import semibandits as sb
from semibandits import datasets


def test_list_and_show(run):
    learn(), learn("other", rounds=0)
    out = run.output(["learner", "list", URL])
    lines = [line.split() for line in out.splitlines() if "Paths" in line]
    assert [[line[0], *line[4:]] for line in lines] == [["courier", "8", "8", "1"], ["other", "0", "0", "1"]]
    out = run.output(["learner", "show", URL, "courier"])
    for text in ("Paths(d=5", "CUCB", "4, 0 of them open", "8 calls, 8 of them stored, 1 snapshot", "Its mean cost so far"):
        assert text in out
    assert "Its mean" not in run(["learner", "show", URL, "other"])[1]


@pytest.mark.parametrize(
    ("features", "context", "words"),
    [
        ("pooled", None, "pooled"),
        ("additive", {"hour": [0, 9]}, "additive; context of rounds: hour"),
        ({("a", "x"): {"km": 1, "kind": "van"}, ("a", "y"): {"km": 2, "kind": "bike"}}, None, "km, kind"),
    ],
)
def test_show_names_features_and_context(run, features, context, words):
    pairs = sb.MSets(2, 1, items=[("a", "x"), ("a", "y")])
    sb.open_learner(URL, name="vans", decision_set=pairs, variance=1.0, features=features, context=context).close()
    learn()
    lines = run.output(["learner", "show", URL, "vans"]).splitlines()
    assert [line.split(maxsplit=1)[1].strip() for line in lines if "Features" in line] == [words]
    assert "Features" not in run.output(["learner", "show", URL, "courier"])


def test_a_narrow_terminal_loses_no_letters(run, monkeypatch):
    learn("a-courier-of-the-north")
    monkeypatch.setenv("COLUMNS", "60")
    out = run(["learner", "list", URL])[1]
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 60


def test_json(run):
    learner = learn()
    learner.ask()
    (row,) = run.json(["learner", "list", URL])
    assert (row["name"], row["policy"], row["calls"], row["entries"], row["snapshots"]) == ("courier", "CUCB", 9, 9, 1)
    shown = run.json(["learner", "show", URL, "courier"])
    assert shown.items() >= row.items()
    assert (shown["rounds"], shown["open_rounds"], shown["mean"]) == (5, 1, learner.means[learner.best()].sum())
    assert len(shown["best"]) == learner.best().sum()


@pytest.mark.parametrize("is_pruned", [False, True])
def test_a_moved_learner_has_the_same_state(run, is_pruned):
    learner = learn()
    if is_pruned:
        assert run(["learner", "prune", URL, "courier"])[:2] == (0, "Deleted 7 entries of the journal\n")
        assert run.json(["learner", "prune", URL, "courier"]) == {"name": "courier", "deleted": 0}
    assert run.output(["learner", "export", URL, "courier", "--output", "courier.jsonl"]) == ""
    text = run(["learner", "export", URL, "courier"])[1]
    with open("courier.jsonl", encoding="utf-8") as file:
        assert file.read() == text
    assert run(["learner", "import", "sqlite:///new.db", "--input", "courier.jsonl"])[:2] == (0, "Imported courier\n")
    moved = sb.open_learner("sqlite:///new.db", name="courier")
    assert moved.state() == learner.state()
    assert moved.calls == learner.calls
    asked = moved.ask()
    assert asked.items.tolist() == learner.ask().items.tolist()
    moved.tell(3, costs=[5.0] * 2, key="trip 3")  # keys have moved too, unless they were pruned
    assert run(["learner", "export", "sqlite:///new.db", "courier"])[1] != text
    assert run.json(["learner", "import", URL, "again", "--input", "courier.jsonl"]) == {"name": "again", "replayed": True}


@pytest.fixture(scope="module")
def exported(finished, tmp_path_factory):
    """The lines of an export: header, snapshot, eight entries, checksum."""
    path = tmp_path_factory.mktemp("exported") / "courier.jsonl"
    assert call(["learner", "export", f"sqlite:///{finished}/routes.db", "courier", "--output", path]) == 0
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 11
    return lines


def refused(run, lines):
    Path("courier.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return run.error(["learner", "import", "sqlite:///new.db", "--input", "courier.jsonl"])


@pytest.mark.parametrize("line", range(11))
def test_a_damaged_export_is_refused(run, exported, line):
    start, end = exported[:line], exported[line + 1 :]
    for damaged in ([], [exported[line].replace("e", "E", 1)], ["3"]):
        assert refused(run, [*start, *damaged, *end]).startswith("Error: the file must be the export of a learner, got ")
    assert refused(run, start).startswith("Error: the file must be the export of a learner, got ")


def test_a_name_that_exists_is_not_overwritten(run):
    learn()
    run(["learner", "export", URL, "courier", "-o", "courier.jsonl"])
    err = run.error(["learner", "import", URL, "-i", "courier.jsonl"])
    assert "name must be new in sqlite:///routes.db, got 'courier', which exists: choose another name" in err


@pytest.mark.parametrize(("line", "old", "new"), [
    (0, '"version": 2', '"version": 3'),
    (0, '"created": "', '"created": 3, "was": "'),
    (0, '"decision_set": {', '"decision_set": 3, "was": {'),
    (0, '"policy": {', '"policy": 3, "was": {'),
    (0, '"variance": 4.0', '"variance": 5.0'),
    (0, '"name": "courier"', '"name": ""'),
    (1, '"snapshot": 0', '"snapshot": 9000000000000000000000'),
    (1, '"plays": [0.0', '"plays": [1.0'),
    (2, '"seq": 1', '"seq": 7'),
    (3, "-5.0", "-6.0"),
    (3, '"kind": "tell"', '"kind": "told"'),
    (3, '"key": "trip 0"', '"key": 0'),
])  # fmt: skip
def test_an_export_whose_parts_disagree_is_refused(run, exported, line, old, new):
    lines = exported[:-1]
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    checksum = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert refused(run, [*lines, json.dumps({"checksum": checksum})]).startswith("Error: ")


def test_create(run):
    out = run.output(["learner", "create", URL, "packets", "germany50-routing", "--seed", "3"])
    assert out.splitlines() == [
        f"Created packets in {URL}: Paths(d=69, m=17, source='Saarbruecken', target='Greifswald'), GLADE",
        "Each decision has at most 17 of 69 items",
        "Rewards: Gaussian, variance 0.0672 to 1.56 ms²",
        f"Serve it: semibandits serve --storage {URL}",
    ]
    instance = datasets.load("germany50-routing").instance
    twin = sb.Learner(instance.decision_set, variance=instance.variance, seed=3, drift_error=0.01)
    assert sb.open_learner(URL, name="packets").state() == twin.state()


def test_create_from_a_file(run):
    Path("roads.csv").write_text("tail,head,costs\nhome,a,6\nhome,b,4\na,work,7\nb,work,8\n")
    roads = ["learner", "create", URL, "roads", "roads.csv", "--source", "home", "--target", "work", "--json"]
    options = ["--law", "gamma:cost", "--prior-plays", "5", "--half-life", "200"]
    created = json.loads(run([*roads, *options])[1])
    assert (created["name"], created["url"]) == ("roads", URL)
    state = sb.open_learner(URL, name="roads").state()
    assert state["prior"]["means"] == [-6.0, -4.0, -7.0, -8.0]
    assert state["half_life"] == 200.0
    assert "Gamma" in created["policy"]
    planned = ["learner", "create", URL, "planned", *roads[4:], "--policy", "ossb", "--variance", "2", "--defer-plans"]
    assert "OSSB" in json.loads(run(planned)[1])["policy"]
    state = sb.open_learner(URL, name="planned").state()
    assert (state["defer_plans"], state["variance"]) == (True, 2.0)


@pytest.mark.parametrize("options", [["--size", "2"], ["--capacity", "1"], ["--capacity", "1", "--column", "group1=by"]])
def test_items_of_a_table_keep_their_names(run, options):
    columns = "item,theta" if "--size" in options else "item,group,by,theta"
    rows = [f"{name},{'x,y,' * (len(columns) > 10)}0.5\n" for name in ("Storm", "Cup", "Tax")]
    Path("news.csv").write_text(f"{columns}\n{''.join(rows)}")
    two = ["--column", "group2=group"] if "group1=by" in options else []
    assert run(["learner", "create", URL, "page", "news.csv", "--variance", "1", *options, *two])[::2] == (0, "")
    assert set(sb.open_learner(URL, name="page").ask().labels) <= {"Storm", "Cup", "Tax"}


GAPS = "courier;zone;minutes;days\nAnn;north;;\nAnn;south;31,5;2\nBob;north;25;1\nBob;south;;\n"


@pytest.mark.parametrize(("plays", "counts"), [("days", [0, 2, 1, 0]), ("5", [0, 5, 5, 0])])
@pytest.mark.parametrize("features", [[], ["--features", "additive"]])
def test_gaps_of_a_table_are_items_that_are_not_known(run, plays, counts, features):
    Path("times.csv").write_text(GAPS)
    command = ["learner", "create", URL, "ways", "times.csv", "--column", "column=zone", "--variance", "64", *features]
    created = run.json([*command, "--prior-plays", plays])
    assert (created["outcomes"], created["known_items"]) == (sum(counts), 2)
    pairs = sb.Matchings([("Ann", "north"), ("Ann", "south"), ("Bob", "north"), ("Bob", "south")])
    given = {"features": "additive"} if features else {}
    costs = [0.0, 31.5, 25.0, 0.0]
    twin = sb.Learner(pairs, variance=64.0, prior_costs=costs, prior_plays=counts, seed=0, drift_error=0.01, **given)
    assert sb.open_learner(URL, name="ways").state() == twin.state()


def test_the_plays_of_a_table_with_gaps_are_found(run):
    Path("times.csv").write_text(GAPS)
    command = ["learner", "create", URL, "found", "times.csv", "--variance", "64"]
    created = run.json(command)
    assert "Each mean counts as many outcomes as days has in its line; --prior-plays 0 uses none." in created["note"]
    run.output(["learner", "create", URL, "named", "times.csv", "--variance", "64", "--prior-plays", "days"])
    assert sb.open_learner(URL, name="found").state() == sb.open_learner(URL, name="named").state()


USED = "Each mean counts as many outcomes as {} has in its line"
UNUSED = "is not used; --prior-plays {} counts each mean as that many outcomes"
PLAYS = {
    "clicks of views": ("article,clicks,views\nx,3,60\ny,0,0\n", "views", 60),
    "plays": ("article,ctr,Plays\nx,0.5,60\ny,0.25,4\n", "Plays", 64),
    "gaps beside gaps": ("Artikel;score;Anzahl\nx;0,5;60\ny;;0\nz;;\n", "Anzahl", 60),
    "no gaps": ("article,score,days\nx,0.5,60\ny,0.25,4\n", "days", 0),
    "numbers beside gaps": ("article,score,n\nx,0.5,60\ny,,4\n", "n", 0),
    "two columns": ("article,score,n,days\nx,0.5,60,1\ny,,,\n", None, 0),
    "two means": ("article,score,cost,n\nx,0.5,60,1\ny,,,\n", None, 0),
}


@pytest.mark.parametrize("name", PLAYS)
def test_plays_are_read_only_if_they_are_clear(name, run):
    text, column, outcomes = PLAYS[name]
    Path("table.csv").write_text(text)
    command = ["learner", "create", URL, "page", "table.csv", "--size", "1", "--variance", "1"]
    created = run.json(command)
    assert created["outcomes"] == outcomes
    assert column is None or (USED if outcomes else UNUSED).format(column) in created["note"]
    assert column is not None or "outcomes" not in created["note"]
    assert run.json([*command[:3], "none", *command[4:], "--prior-plays", "0"])["outcomes"] == 0


MATRIX = ";north;south\nAnn;;31,5\nBob;25;{}\n"


def test_empty_cells_of_a_matrix_are_pairs_that_are_not_known(run):
    Path("log.csv").write_text("row,column,cost\nAnn,north,3\nAnn,north,5\n")
    Path("open.csv").write_text(MATRIX.format(""))
    Path("marked.csv").write_text(MATRIX.format("x"))
    command = ["learner", "create", URL, "open", "open.csv", "--variance", "64"]
    created = run.json([*command, "--column", "costs=cells", "--prior-plays", "2"])
    assert "2 empty cells are each a pair that is not known" in created["note"]
    opened = sb.open_learner(URL, name="open")
    pairs = [(row, column) for row in ("Ann", "Bob") for column in ("north", "south")]
    twin = sb.Learner(
        sb.Matchings(pairs), variance=64.0, prior_costs=[0.0, 31.5, 25.0, 0.0], prior_plays=[0, 2, 2, 0], seed=0, drift_error=0.01
    )
    assert opened.state() == twin.state()
    marked = [*command[:3], "marked", "marked.csv", "--saturate", "none", *command[5:]]
    assert run.json([*marked, "--history", "log.csv"])["outcomes"] == 2
    opened = sb.open_learner(URL, name="marked")
    assert (opened.decision_set.items, opened.means.tolist()) == (tuple(pairs[:3]), [-4.0, 0.0, 0.0])


def test_clicks_of_impressions_are_as_many_outcomes_as_impressions(run):
    Path("clicks.csv").write_text("article,clicks,views\nStorm,3,60\nCup,0,0\nTax,,\nOpera,1,10\n")
    page = ["learner", "create", URL, "page", "clicks.csv", "--size", "2", "--law", "bernoulli", "--prior-plays", "views"]
    assert "It starts from 70 outcomes of 2 of 4 items\n" in run.output(page)
    prior = sb.open_learner(URL, name="page").state()["prior"]
    assert (prior["means"], prior["plays"]) == ([0.05, 0.0, 0.0, 0.1], [60.0, 0.0, 0.0, 10.0])


def test_routes_without_a_cost_are_possible(run):
    Path("roads.csv").write_text("from,to,minutes,least,days\na,b,,3,\nb,a,4,3,1\nb,c,5,2,0\nc,b,6,2,\n")
    roads = [
        "learner",
        "create",
        URL,
        "roads",
        "roads.csv",
        "--source",
        "a",
        "--target",
        "c",
        "--prior-plays",
        "days",
        "--variance",
        "4",
    ]
    assert run.json(roads)["outcomes"] == 1


def test_a_history_of_items_without_names(run):
    Path("sets.json").write_text('{"family": "msets", "size": 1, "theta": [0, 0, 0]}')
    Path("log.csv").write_text("item,cost\n2,3\n0,1.5\n2,4\n")
    sets = ["learner", "create", URL, "sets", "sets.json", "--history", "log.csv"]
    assert "got None and 1 repeated outcomes of items, where 10 that differ would tell it" in run(sets)[2]
    run.output([*sets, "--variance", "2"])
    opened = sb.open_learner(URL, name="sets")
    assert (opened.plays.tolist(), opened.means.tolist()) == ([1, 0, 2], [-1.5, 0.0, -3.5])


def test_the_variance_of_a_file_without_one(run):
    """It must be given, or is that of the repeated outcomes of a history; what is used is printed."""
    Path("pages.csv").write_text("item,theta\nx,3\ny,4\n")
    page = ["learner", "create", URL, "page", "pages.csv", "--size", "1"]
    refused = run(page)[2]
    assert refused.startswith(
        "Error: variance must be given for Gaussian rewards, got none in pages: add --variance NUMBER, the square"
    )
    assert refused.endswith("or another law, as in --law bernoulli for rewards 0 and 1\n")
    rewards = np.random.default_rng(0).normal(3.0, 2.0, 30)
    Path("log.csv").write_text("item,reward\n" + "".join(f"{'xy'[k % 2]},{value:.6f}\n" for k, value in enumerate(rewards)))
    out = run.output([*page, "--history", "log.csv"])
    learner = sb.open_learner(URL, name="page")
    twin = sb.Learner.from_history(sb.MSets(2, 1), [k % 2 for k in range(30)], rewards.round(6), seed=0)
    assert learner.variance == pytest.approx(twin.variance, rel=1e-12)
    assert f"Rewards: Gaussian, variance {float(twin.variance):.3g}, that of repeated outcomes\n" in out
    simulated = ["simulate", "pages.csv", "--size", "1", "-T", "20", "-n", "2", "-p", "CUCB"]
    assert "variance must be given for Gaussian rewards" in run(simulated)[2]
    assert "Gaussian, independent, variance 2" in run.output([*simulated, "--variance", "2"])
    for law in ("poisson", "gaussian:variance=4"):
        assert run([*simulated, "--law", law])[0] == 0


def test_replace(run):
    """Under the same name, with a prior for what is new; outcomes of open rounds can be told."""
    Path("today.csv").write_text("article,category,ctr\nStorm,weather,0.1\nCup,sports,0.2\nTax,politics,0.3\n")
    Path("tomorrow.csv").write_text("article,category,ctr\nStorm,weather,0.1\nCup,sports,0.2\nFinal,sports,0.4\n")
    page = [URL, "page", "today.csv", "--capacity", "1", "--size", "2"]
    run.output(["learner", "create", *page, "--law", "bernoulli"])
    learner = sb.open_learner(URL, name="page")
    asked = learner.ask()
    replace = ["learner", "replace", URL, "page", "tomorrow.csv", *page[3:]]
    assert run.output([*replace, "--prior-plays", "3"]).splitlines() == [
        "page goes on with MatroidBases(Partition(d=3, groups=2)): 1 item is new, 1 has left",
        "Read from the table: article as item, category as group, ctr as rewards.",
        "Each decision has at most 2 of 3 items",
        "1 open round can still be told, 0 are forgotten",
    ]
    learner.tell(asked.id, dict.fromkeys(asked.labels, 1.0))
    assert learner.decision_set.items == ("Storm", "Cup", "Final")
    assert learner.state()["prior"] == {"means": [0.0, 0.0, 0.4], "plays": [0.0, 0.0, 3.0]}
    assert run.json([*replace[:4], "today.csv", *page[3:]])["items_that_left"] == 1
    assert "--law must be left out, got it with replace" in run([*replace, "--law", "bernoulli"])[2]
    assert "did you mean page" in run([*replace[:3], "pge", *replace[4:]])[2]


def test_items_of_a_log_that_have_left(run):
    Path("pages.csv").write_text("item\nx\ny\n")
    Path("log.csv").write_text("item,reward\nx,1\ngone,1\ny,0\nx,0\n")
    page = ["learner", "create", URL, "page", "pages.csv", "--family", "msets", "--size", "1", "--law", "bernoulli"]
    assert "add --ignore-unknown to skip these observations" in run([*page, "--history", "log.csv"])[2]
    assert run.json([*page, "--history", "log.csv", "--ignore-unknown"])["outcomes"] == 3


def test_a_corrected_log_starts_a_learner(run):
    """A log of costs told as rewards, with a missing outcome and a courier who has left."""
    Path("times.csv").write_text(";north;south\nAnn;20;31\nBob;25;x\nEve;30;28\n")
    pairs = [("Ann", "north"), ("Ann", "south"), ("Bob", "north"), ("Eve", "north"), ("Eve", "south"), ("Joe", "north")]
    with sb.open_learner(URL, name="days", decision_set=sb.Matchings(pairs, saturate="columns"), variance=4.0) as learner:
        for number in range(12):
            asked = learner.ask()
            costs = [20.0 + number % 3, float("nan") if number == 5 else 30.0]
            with pytest.warns(sb.SignChangeWarning) if number == 8 else nullcontext():
                learner.tell(asked.id, **{"rewards" if number == 8 else "costs": costs}, partial=True)
    run(["learner", "log", URL, "days", "--output", "plays.csv"])
    log = pd.read_csv("plays.csv")
    assert log.columns.tolist() == ["round", "row", "column", "reward", "probability", "asked"]
    of_joe = int(log["row"].eq("Joe").sum())
    assert of_joe > 0
    log["reward"] = -log["reward"].abs()
    log.to_csv("right.csv", index=False)
    new = ["learner", "create", URL, "again", "times.csv", "--saturate", "columns", "--column", "costs=Cells"]
    text = run.output([*new, "--history", "right.csv", "--ignore-unknown"])
    lines = "1 line" if of_joe == 1 else f"{of_joe} lines"
    assert (
        f"Outcomes: column reward of right.csv, rewards, to maximise; items in row and column; {lines} of other items skipped; 1 "
        "line without an outcome skipped\n"
    ) in text
    again = sb.open_learner(URL, name="again")
    assert again.plays.sum() == 23 - of_joe
    assert (again.means[again.plays > 0] <= -20.0).all()
    log[["row", "column"]].assign(minutes=-log["reward"], probability=0.5).to_csv("costs.csv", index=False)
    known = run.json([*new[:3], "costs", *new[4:], "--history", "costs.csv", "--ignore-unknown"])["history"]
    assert known == {"columns": ["minutes", "row", "column"], "costs": True, "unknown": of_joe, "gaps": 1}
    assert sb.open_learner(URL, name="costs").means.tolist() == again.means.tolist()


def test_numbers_that_are_not_used_are_named(run):
    Path("wide.csv").write_text(";north;south\nAnn;20;31\nBob;25;x\n")
    wide = ["learner", "create", URL, "wide", "wide.csv", "--variance", "64", "--minimize"]
    assert "are not used; --prior-plays 5 counts each as 5 outcomes." in run.output(wide)


def test_a_replacement_says_what_else_changes(run):
    """The output states the size of decisions, and lists rounds that can no longer be told."""
    Path("today.csv").write_text("item,group\na,x\nb,x\nc,y\nd,y\n")
    Path("tomorrow.csv").write_text("item,group\ne,x\nf,x\ng,y\nh,y\n")
    run.output(["learner", "create", URL, "page", "today.csv", "--capacity", "2", "--size", "1", "--law", "bernoulli"])
    sb.open_learner(URL, name="page").ask_many(2)
    out = run.output(["learner", "replace", URL, "page", "tomorrow.csv", "--capacity", "2"])
    assert "Each decision has at most 4 of 4 items, 1 before\n" in out
    assert "0 open rounds can still be told, 2 are forgotten: 0, 1, none of whose items is left\n" in out


def test_a_history_beside_the_means_of_the_table(run):
    """With --prior-plays, means of the table count as a prior in addition to the outcomes of the log."""
    Path("times.csv").write_text("courier;zone;minutes;days\nAnn;north;21,5;3\nAnn;south;;\nBob;north;30;2\nBob;south;24;4\n")
    Path("log.csv").write_text("row,column,reward\nAnn,north,-20\nBob,south,-26\nAnn,south,-40\n")
    new = ["learner", "create", URL, "days", "times.csv", "--variance", "9", "--policy", "CUCB", "--history", "log.csv"]
    out = run.output([*new, "--prior-plays", "days"])
    assert "It starts from 12 outcomes of 4 of 4 items" in out
    learner = sb.open_learner(URL, name="days")
    pairs = [("Ann", "north"), ("Ann", "south"), ("Bob", "north"), ("Bob", "south")]
    twin = sb.Learner(sb.Matchings(pairs), sb.CUCB(), variance=9.0, prior_costs=[21.5, 0.0, 30.0, 24.0], prior_plays=[3, 0, 2, 4])
    minutes = {("Ann", "north"): 20.0, ("Bob", "south"): 26.0, ("Ann", "south"): 40.0}
    for number in range(2):
        asked = twin.ask(available=[pairs[number], pairs[3 - number]])
        twin.tell(asked.id, costs={pair: minutes[pair] for pair in asked.labels if pair in minutes}, partial=True)
    assert learner.plays.tolist() == twin.plays.tolist()
    assert learner.best().tolist() == twin.best().tolist()
    assert learner.in_memory()._progress.known[1].tolist() == pytest.approx(twin._progress.known[1].tolist())
    new[3] = "without"
    out = run.output(new)
    assert "It starts from 3 outcomes of 3 of 4 items" in out
    assert "The means of times.csv do not count beside them; --prior-plays counts each as so many outcomes" in out
    assert "1 item has no outcome and will be tried first; with --features additive they are expected to be like" in out


def test_an_odd_cell_beside_the_means_is_named(run):
    Path("times.csv").write_text("courier;zone;minutes;days\nAnn;north;21,5;3\nAnn;south;;\nBob;north;30;\nBob;south;24;4\n")
    out = run.output(["learner", "create", URL, "days", "times.csv", "--variance", "9"])
    assert "minutes is not used, since on line 4 only one of minutes and days is a number; --prior-plays days" in out


def test_a_log_of_parallel_links_starts_a_learner(run):
    """The column item_3 distinguishes parallel links."""
    Path("links.csv").write_text("tail,head,costs\na,b,3\na,b,4\nb,c,2\n")
    links = [("a", "b"), ("a", "b"), ("b", "c")]
    with sb.open_learner(URL, name="first", decision_set=sb.Paths(links, "a", "c"), variance=1.0) as learner:
        for _ in range(4):
            asked = learner.ask()
            learner.tell(asked.id, costs=1.0 + asked.items)
    run(["learner", "log", URL, "first", "--output", "plays.csv"])
    assert set(pd.read_csv("plays.csv", dtype=str)["item_3"].dropna()) == {"0", "1"}
    new = ["learner", "create", URL, "again", "links.csv", "--source", "a", "--target", "c", "--variance", "1"]
    assert run.json([*new, "--history", "plays.csv"])["outcomes"] == 8
    assert sb.open_learner(URL, name="again").means.tolist() == learner.means.tolist()


LOG = ["Cup", "Tax", "Cup", "Storm"], [1.0, 0.0, 0.0, 1.0]
LOGS = {
    "shown": ("article,shown,clicked\n", "{},1,{:g}\n", []),
    "named": ("story,note,seen\n", "{},x,{:g}\n", ["--column", "item=story", "--column", "theta=seen"]),
}


@pytest.mark.parametrize("log", LOGS)
def test_a_history(run, log):
    head, line, columns = LOGS[log]
    Path("articles.csv").write_text("article,category\nStorm,weather\nCup,sports\nTax,politics\nFinal,sports\n")
    Path("log.csv").write_text(head + "".join(line.format(*each) for each in zip(*LOG, strict=True)))
    if log == "named":
        Path("articles.csv").write_text(Path("articles.csv").read_text().replace("article", "story", 1))
    page = ["learner", "create", URL, "page", "articles.csv", "--capacity", "1", "--size", "2", "--law", "bernoulli", *columns]
    out = run.output([*page, "--history", "log.csv", "--features", "pooled"])
    assert "4 outcomes of 3 of 4 items" in out
    assert "do not count" not in out
    opened = sb.open_learner(URL, name="page")
    twin = sb.Learner.from_history(opened.decision_set, *LOG, law="bernoulli", seed=0, features="pooled")
    assert (opened.plays.tolist(), opened.rounds) == (twin.plays.tolist(), twin.rounds)
    for _ in range(5):
        assert opened.ask().labels == twin.ask().labels


FEATURES = {
    "own": (["--features", "minutes", "--features", "topic"], ""),
    "table": (["--features", "features.csv"], "article,minutes,topic\nStorm,2.5,\nCup,3,ball\nTax,4,money\n"),
    "other order": (["--features", "features.csv"], "minutes;topic;article\n4;money;Tax\n2,5;;Storm\n3;ball;Cup\n"),
}


@pytest.mark.parametrize("source", FEATURES)
def test_features_by_label(run, source):
    options, text = FEATURES[source]
    Path("features.csv").write_text(text)
    articles = "article,minutes,topic\nStorm,2.5,\nCup,3,ball\nTax,4,money\n"
    Path("articles.csv").write_text(articles if source == "own" else "article\nStorm\nCup\nTax\n")
    run.output(
        ["learner", "create", URL, "page", "articles.csv", "--family", "msets", "--size", "1", "--variance", "0.5", *options]
    )
    opened = sb.open_learner(URL, name="page")
    rows = {"Storm": (2.5, None), "Cup": (3.0, "ball"), "Tax": (4.0, "money")}
    twin = sb.Learner(opened.decision_set, variance=0.5, features=rows, seed=0, drift_error=0.01)
    expected, state = twin.state()["features"], opened.state()["features"]
    assert [column[0] for column in state["columns"]] == ["minutes", "topic"]
    assert state["rows"] == expected["rows"]
    assert [column[1:] for column in state["columns"]] == [column[1:] for column in expected["columns"]]


def test_features_of_pairs_in_another_order(run):
    Path("times.csv").write_text(GAPS)
    Path("far.csv").write_text("zone,km,courier\nsouth,9,Bob\nnorth,1,Ann\nsouth,3,Ann\nnorth,4,Bob\n")
    columns = ["--column", "column=zone", "--features", "far.csv", "--variance", "64"]
    run.output(["learner", "create", URL, "ways", "times.csv", *columns])
    rows = np.array(sb.open_learner(URL, name="ways").state()["features"]["rows"])
    assert np.argsort(rows[:, 0]).tolist() == [0, 1, 2, 3]


@pytest.mark.filterwarnings("default::semibandits.errors.EmptyDecisionWarning")
@pytest.mark.parametrize(
    "command",
    [
        ["bound"],
        ["plan-test"],
        ["simulate", "-T", "20", "-n", "2", "--variance", "1"],
        ["learner", "create", "--prior-plays", "2", "--variance", "1", "sqlite:///x.db", "x"],
    ],
)
def test_costs_that_would_leave_nothing_chosen_give_one_warning(command, run):
    table = "row,column,cost\nAnn,park,20\nBob,park,15\nBob,port,10\n"
    code, out, err = run([*command, "table.csv", "--saturate", "none"], table)
    assert (code, err.count("Warning"), err.count("\n")) == (0, 1, 1)
    assert err.endswith("so the best decision has no items: pass --saturate most to match as many as possible, or ignore this\n")
    code, out, err = run([*[word.replace("x.db", "y.db") for word in command], "table.csv", "--saturate", "most"])
    assert (code, err) == (0, "")
    assert out
