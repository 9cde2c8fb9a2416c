"""What reaches a terminal: every text from outside is printed literally."""

import json
from importlib import resources
from pathlib import Path

MARKED = "Alien [remastered]"
CODED = "v :smile:"
CLOSED = "a[/b]"


def msets(**more):
    """An instance in its JSON form whose names look like markup and emoji codes."""
    return {
        "family": "msets",
        "size": 1,
        "theta": [1, 0.75, 0.5],
        "items": [MARKED, CODED, CLOSED],
        "name": "[bold]top[/bold] :smile:",
        "note": "see [/data]",
        "unit": "[/]ms",
    } | more


def write(**more):
    Path("own.json").write_text(json.dumps(msets(**more)), encoding="utf-8")


def test_bound_prints_names_literally(run):
    write()
    code, out, err = run(["bound", "own.json"])
    assert (code, err) == (0, "")
    for name in (MARKED, CODED, CLOSED, "[bold]top[/bold] :smile:", "see [/data]", "[/]ms"):
        assert name in out


def test_nodes_of_paths_are_printed_literally(run):
    table = "tail,head,theta\ns,x[b],1\nx[b],t,1\ns,[/c],0.5\n[/c],t,0.5\n"
    code, out, err = run(["bound", "table.csv", "--source", "s", "--target", "t"], table)
    assert (code, err) == (0, "")
    assert "s → x[b] → t" in out
    assert "s → [/c] → t" in out


def test_simulate_prints_names_and_folder_literally(run):
    write()
    code, out, err = run(["simulate", "own.json", "-p", "CUCB", "-T", "10", "-n", "2", "-o", "x[/]y", "--no-report"])
    assert (code, err) == (0, "")
    for text in ("[bold]top[/bold] :smile:", "see [/data]", "([/]ms)", "x[/]y"):
        assert text in out


def test_only_one_module_makes_consoles_and_styled_texts():
    makers = {"rich.text", " Console(", "Text("}
    for module in resources.files("semibandits.cli").iterdir():
        if module.name.endswith(".py") and module.name != "terminal.py":
            text = module.read_text(encoding="utf-8")
            assert not [maker for maker in makers if maker in text], module.name
