"""Terminal output: every external text is printed literally."""

import json
import os
import subprocess
import sys
import unicodedata
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import pytest

from semibandits_studies.cli.terminal import print_remark

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
    out = run.output(["bound", "own.json"])
    for name in (MARKED, CODED, CLOSED, "[bold]top[/bold] :smile:", "see [/data]", "[/]ms"):
        assert name in out


def test_nodes_of_paths_are_printed_literally(run):
    table = "tail,head,theta\ns,x[b],1\nx[b],t,1\ns,[/c],0.5\n[/c],t,0.5\n"
    out = run.output(["bound", "table.csv", "--source", "s", "--target", "t"], table)
    assert "s → x[b] → t" in out
    assert "s → [/c] → t" in out


def test_simulate_prints_names_and_folder_literally(run):
    write()
    out = run.output(
        ["simulate", "own.json", "--variance", "1", "-p", "CUCB", "-T", "10", "-n", "2", "-o", "x[/]y", "--no-report"]
    )
    for text in ("[bold]top[/bold] :smile:", "see [/data]", "([/]ms)", "x[/]y"):
        assert text in out


def test_only_one_module_makes_consoles_and_prints():
    makers = {"rich.text", " Console(", "Text(", " print(", "typer.echo"}
    for module in resources.files("semibandits_studies.cli").iterdir():
        if module.name.endswith(".py") and module.name != "terminal.py":
            text = module.read_text(encoding="utf-8")
            assert not [maker for maker in makers if maker in text], module.name


HIDDEN = "\x1b]0;title\x07\x9b31m\u202etxt\r\n\t\x7f\u2028\ud800"
SHOWN = r"\x1b]0;title\x07\x9b31m\u202etxt\r\n\t\x7f\u2028\ud800"


def assert_harmless(text):
    """Nothing in a text acts on a terminal but the ends of its lines."""
    odd = {char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char == "\u202e"}
    assert odd <= {"\n"}


def test_hidden_characters_of_names_are_shown(run):
    write(items=[f"{i}{HIDDEN}" for i in range(3)], name=HIDDEN, note=HIDDEN, unit=HIDDEN)
    for arguments in (["bound", "own.json"], ["simulate", "own.json", "--variance", "1", "-p", "CUCB", "-T", "10", "-n", "2"]):
        out = run.output(arguments)
        assert_harmless(out)
        assert out.startswith(SHOWN)


def test_json_reads_back_as_equal_names_and_holds_nothing_hidden(run):
    names = [f"{i}{HIDDEN}" for i in range(3)]
    write(items=names)
    out = run.output(["bound", "own.json", "--json", "--save", "saved.json"])
    assert_harmless(out)
    assert json.loads(out)["items"] == names
    assert json.loads(Path("saved.json").read_text(encoding="utf-8"))["items"] == names


@pytest.mark.parametrize("command", ["bound", "simulate", "run", "report", "datasets", "unknown"])
def test_hidden_characters_of_errors_are_shown(run, command):
    word = "\x1b]0;title\x07\x9b\u202e"
    for arguments in ([command, word], [command, f"{word}.csv"], [f"{command}{word}"]):
        assert_harmless(run.error(arguments))


def test_an_error_about_a_very_long_argument_is_shortened(run):
    err = run.error(["bound", "9" * 100_000])
    assert err.startswith("Error: ")
    assert len(err) < 4_100
    assert "…9999" in err


def test_a_warning_is_one_harmless_line(capsys):
    print_remark("Warning", "\x1b[31m in\ntwo lines")
    assert capsys.readouterr().err == "Warning: \\x1b[31m in two lines\n"


FIGURES = {
    "msets": {"family": "msets", "size": 1, "items": [f"{i}{HIDDEN} $5_ and $6^" for i in range(3)]},
    "matchings": {"family": "matchings", "edges": [[r, HIDDEN + c] for r in "uv" for c in ("x", "$5_ and $6^")]},
    "trees": {"family": "trees", "edges": [[a, b] for a, b in zip("abc", ["b", "c", f"{HIDDEN} $5_ and $6^"], strict=True)]},
}


@pytest.mark.drawn
@pytest.mark.parametrize("family", FIGURES)
def test_figures_show_names_literally(run, family):
    texts = {"name": f"{HIDDEN} $1_ and $2^", "unit": "$"}
    d = 4 if family == "matchings" else 3
    own = {"theta": [1, 0.75, 0.5, 0.25][:d]} | FIGURES[family] | texts
    Path("own.json").write_text(json.dumps(own), encoding="utf-8")
    run.output(["bound", "own.json", "--plot", "own.svg"])
    drawn = Path("own.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)
    assert_harmless(drawn)
    assert f"<!-- {SHOWN} $1_ and $2^ -->" in drawn
    if family != "trees":  # names on maps have halos, and are drawn as outlines without their text
        assert "$5_ and $6^ -->" in drawn


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_file_names_that_are_not_utf8(run):
    table, folder, saved = (os.fsdecode(name) for name in (b"caf\xe9.csv", b"out\xe9", b"bound\xe9.json"))
    Path(table).write_text("item,theta\nu,1\nv,0.75\n", encoding="utf-8")
    assert run.output(["bound", table, "--size", "1", "--save", saved]).splitlines()[0] == r"caf\udce9"
    out = run.output(["simulate", table, "--size", "1", "--variance", "1", "-p", "CUCB", "-T", "10", "-n", "2", "-o", folder])
    assert rf"Report: out\udce9{os.sep}report.html" in out
    for arguments in (["report", saved], ["report", folder], ["run", Path(folder) / "study.toml"]):
        run.output([*arguments, "--json"])
    err = run.error(["bound", os.fsdecode(b"none\xe9.csv")])
    assert err.startswith(r"Error: none\udce9.csv must be a readable file")


def test_halves_of_characters_in_names_are_kept(run):
    name = "a\ud800"
    own = {"family": "trees", "edges": [[name, "b"], ["b", "c"], [name, "c"]], "theta": [1, 2, 3], "name": name}
    Path("own.json").write_text(json.dumps(own | {"positions": {name: [0, 0], "b": [1, 1], "c": [0, 2]}}), encoding="utf-8")
    run.output(
        ["simulate", "own.json", "--variance", "1", "-p", "CUCB", "-T", "10", "-n", "2", "-o", "kept", "--plot", "own.pdf"]
    )
    assert json.loads(Path("kept/instance.json").read_text(encoding="utf-8"))["edges"] == own["edges"]
    out = run.output(["bound", "kept/instance.json", "--plot", "own.svg", "--json"])
    assert json.loads(out)["optimal"]["items"] == ["b – c", f"{name} – c"]


PROGRAM = [sys.executable, "-c", "from semibandits_cli import main; main()"]


@pytest.mark.one_in(9)
@pytest.mark.skipif(os.name != "posix", reason="closes streams in a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        (">&- <&-", ["bound", "own.json", "--save", "saved.json", "--no-progress"], 1),
        (">&-", ["unknown"], 2),
        ("2>&-", ["unknown"], 2),
        ("2>&- <&-", ["bound", "own.json", "--save", "saved.json", "--progress"], 0),
        (">&- 2>&- <&-", ["bound", "own.json", "--save", "saved.json"], 1),
    ],
)
def test_closed_streams(tmp_path, monkeypatch, closed, arguments, code):
    monkeypatch.chdir(tmp_path)
    write()
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, *arguments]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr.count("\n") == (code == 2 and "2>" not in closed)
    assert bool(done.stdout) == (code == 0)
    if "saved.json" in arguments:
        assert json.loads(Path("saved.json").read_text(encoding="utf-8"))["d"] == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_the_exit_code_is_kept_where_messages_cannot_be_written():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "unknown"], stdout=subprocess.PIPE, stderr=full, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
