"""``semibandits report`` from the command line to the file it writes."""

import json
import re
import shlex
from pathlib import Path

import pytest

from semibandits.cli.report_command import HELP

TABLE = "item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n"
SIMULATE = [
    "simulate",
    "table.csv",
    "--size",
    2,
    "-T",
    200,
    "-n",
    3,
    "-p",
    "CUCB",
    "-p",
    "thompson",
    "--output",
    "results",
]


@pytest.fixture
def results(run):
    """A folder of results and the file of a bound, in the folder that the program runs in."""
    assert run(SIMULATE, TABLE)[0] == 0
    assert run(["bound", "table.csv", "--size", 2, "--save", "bound.json"], TABLE)[0] == 0
    Path("results/report.html").unlink(missing_ok=True)
    return Path("results")


def data_of(path):
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', Path(path).read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found[1])


def names(folder="."):
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_report_is_written_to_the_folder(run, results):
    code, out, err = run(["report", results])
    assert (code, err) == (0, "")
    path, *answers = out.splitlines()
    assert path == "results/report.html"
    shown = {answer["key"]: answer["headline"] for answer in data_of(path)["answers"]}
    assert [re.split(r"  +", line.strip()) for line in answers] == [
        ["What learning earned", shown["earned"]],
        ["How soon it was right", shown["settled"]],
        ["What is best", "u, v"],
        ["What learning costs at least", shown["cost"]],
    ]
    assert shown["best"] == "u, v"


def test_the_report_of_a_file_is_written_next_to_it(run, results):
    assert run(["report", "bound.json"])[0] == 0
    assert data_of("bound.html")["simulation"] is None
    assert run(["report", results / "simulation.zip"])[0] == 0
    assert data_of(results / "simulation.html")["drawing"] is None


def test_the_report_is_written_to_the_given_path(run, results):
    before = names(results)
    code, out, _ = run(["report", results, "--to", "elsewhere.html"])
    assert (code, out.splitlines()[0]) == (0, "elsewhere.html")
    assert names(results) == before
    first = Path("elsewhere.html").read_bytes()
    run(["report", results, "--to", "elsewhere.html"])
    assert Path("elsewhere.html").read_bytes() == first


def test_a_page_of_the_user_is_not_replaced_unless_it_is_named(run, results):
    report = results / "report.html"
    for _ in range(2):  # a report is replaced
        assert run(["report", results])[0] == 0
    report.write_text("<h1>My page</h1>")
    code, _, err = run(["report", results])
    assert code == 2
    assert "must not replace 'results/report.html', which semibandits has not written: name the file with --to" in err
    assert report.read_text() == "<h1>My page</h1>"
    assert run(["report", results, "--to", report])[0] == 0


def test_the_json_object_is_that_of_the_page(run, results):
    code, out, err = run(["report", results, "--json"])
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer.pop("report") == "results/report.html"
    assert answer == data_of("results/report.html")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere must be a folder of results, a bound.json or a simulation.zip, but it does not exist"),
        (["table.csv"], "got another file: semibandits bound --save"),
        (["results", "--to", "report.pdf"], "the report must end in .html, got 'report.pdf'"),
        (["results", "--to", "results/simulation.zip"], "the report must end in .html"),
        (["results", "--to", "nowhere/report.html"], "the folder 'nowhere' must exist"),
        (["results/summary.csv"], "got another file"),
        (["results/about.json"], "must be a file written by semibandits bound --save"),
    ],
)
def test_errors_are_clear_and_write_nothing(run, results, arguments, message):
    before = names(), names(results)
    content = (results / "simulation.zip").read_bytes()
    code, out, err = run(["report", *arguments])
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("Error: ")
    assert len(err.splitlines()) == 1
    assert (names(), names(results)) == before
    assert (results / "simulation.zip").read_bytes() == content


def test_a_folder_without_results(run):
    code, out, err = run(["report", "."], TABLE)
    assert (code, out) == (2, "")
    assert err == (
        "Error: . must contain results, got neither simulation.zip nor bound.json: run semibandits simulate ... --output FOLDER\n"
    )
    assert names() == ["table.csv"]


def test_a_damaged_folder_is_named(run, results):
    (results / "bound.json").write_text("{", encoding="utf-8")
    code, _, err = run(["report", results])
    assert code == 2
    assert "results/bound.json must hold JSON" in err
    assert not (results / "report.html").exists()


def test_the_examples_of_the_help_run(run, results):
    examples = re.findall(r"^semibandits (report .+)$", HELP, re.MULTILINE)
    assert len(examples) >= 5
    for example in examples:
        assert run(shlex.split(example))[0] == 0


def test_the_help_names_the_command(run):
    code, out, _ = run(["--help"])
    assert code == 0
    assert re.search(r"\breport\b.*Write an HTML report", out)
