"""``semibandits report`` from the command line to the file it writes."""

import re
import shlex
from pathlib import Path

from command_cases import data_of, names

from semibandits_studies.cli.report_command import HELP


def test_the_report_is_written_to_the_folder(run, results):
    out = run.output(["report", results])
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
    for name in ("elsewhere.html", "again.html"):
        code, out, _ = run(["report", results, "--to", name])
        assert (code, out.splitlines()[0]) == (0, name)
    assert names(results) == before
    assert Path("again.html").read_bytes() == Path("elsewhere.html").read_bytes()


def test_a_page_of_the_user_is_not_replaced_unless_it_is_named(run, results):
    report = results / "report.html"
    for _ in range(2):  # a report is replaced
        assert run(["report", results])[0] == 0
    report.write_text("<h1>My page</h1>")
    err = run.error(["report", results])
    assert "must not replace 'results/report.html', which semibandits has not written: name the file with --to" in err
    assert report.read_text() == "<h1>My page</h1>"
    assert run(["report", results, "--to", report])[0] == 0


def test_the_json_object_is_that_of_the_page(run, results):
    answer = run.json(["report", results])
    assert answer.pop("report") == "results/report.html"
    assert answer == data_of("results/report.html")


def test_the_examples_of_the_help_run(run, results):
    examples = re.findall(r"^semibandits (report .+)$", HELP, re.MULTILINE)
    assert len(examples) >= 5
    for example in examples:
        assert run(shlex.split(example))[0] == 0
