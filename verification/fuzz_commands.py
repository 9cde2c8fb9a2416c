"""Options of every command, words to complete, and names of every kind in all outputs; see `fuzz_readers.py`."""
# ruff: noqa: D102 (`fuzz_judging.Reader` describes the methods)

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import random
import re
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import fuzz_inputs as inputs
from fuzz_documents import STUDY, TABLE
from fuzz_judging import REFUSED, RIGHT, Case, Reader, Wrong, check_terminal, require, run_program
from fuzz_learners import made_database

from semibandits_server.service import server
from semibandits_studies.cli import main

PROBLEM = ["--size", "2"]
COMMANDS: tuple[tuple[list[str], tuple[str, ...]], ...] = (
    (
        ["bound", "t.csv", *PROBLEM],
        (
            "--family", "--source", "--size", "--saturate", "--capacity", "--variance", "--column", "--title", "--unit",
            "--question", "--method", "--gap", "--time-limit", "--law", "--save", "--plot", "--undirected", "--minimize",
        ),
    ),
    (
        ["simulate", "t.csv", *PROBLEM, "--variance", "1", "-p", "CUCB", "-T", "20", "-n", "2"],
        (
            "--policy", "--seed", "--law", "--rewards", "--delay", "--loss", "--output", "--plot", "--workers", "--variance",
            "--title", "--stop-at", "--stop-within", "--stop-threshold",
        ),
    ),
    (
        ["simulate", "flights-on-time", "-p", "CUCB", "-T", "5", "-n", "1", "--rewards", "replay"],
        ("--variance", "--seed", "--loss"),
    ),
    (["plan-test", "t.csv", *PROBLEM], ("--confidence", "--within", "--gap", "--time-limit", "--variance", "--save", "--column")),
    (["report", "kept", "--to", "r.html"], ("--title", "--question", "--to", "--json")),
    (["run", "s.toml", "--output", "kept"], ("--resume", "--extend", "--workers", "--output")),
    (["datasets", "polska"], ("--json", "--x")),
    (["learner", "list", "sqlite:///made.db"], ("--json", "--output")),
    (["learner", "show", "sqlite:///made.db", "one"], ("--json", "--input")),
    (["learner", "prune", "sqlite:///made.db", "one"], ("--json", "--law")),
    (["learner", "export", "sqlite:///made.db", "one"], ("--output",)),
    (
        ["learner", "create", "sqlite:///made.db", "new", "t.csv", *PROBLEM],
        ("--policy", "--law", "--seed", "--half-life", "--prior-plays", "--defer-plans", "--variance", "--capacity", "--column"),
    ),
    (
        ["serve", "--storage", "sqlite:///made.db", "--port", "0"],
        (
            "--storage", "--host", "--port", "--name", "--rate", "--body-limit", "--storage-timeout", "--bound-seconds",
            "--proxy", "--log-format",
        ),
    ),
)  # fmt: skip
"""Valid command lines, with the options that are added or changed."""
VALUES = {
    "--policy": [
        "ESCB:radius=log", "GLADE:saving=0.5", "AESCB:ratio=2", "OSSB:gamma=1e400,epsilon=nan", "CUCB:radius", ":", "a:b=c=d",
        "CUCB:=,",
    ],
    "--law": [
        "gamma:shape=2,cost", "poisson", "gaussian:upper=0", "gamma:shape=1e-300", "gamma:shape=nan", "bernoulli:x",
        "gaussian:variance=0",
    ],
    "--rewards": ["bernoulli", "poisson:cost", "replay", "mixed"],
    "--delay": ["3", "geometric:1e300", "geometric:0", "geometric:nan", "geometric:", ":1", "1e18"],
    "--column": ["theta=item", "item=theta", "theta=", "=", "costs=theta", "x=y"],
    "--capacity": ["1", "a=1", "group:a=1", "1=", "=1", "::"],
    "--method": ["auto", "glpg", "columns", "enumeration", "cycles"],
    "--storage": ["sqlite://", "sqlite:///", "sqlite:///t.csv", "sqlite:////dev/null", "postgresql://", "sqlite:///made.db?x=1", "sqlite:///."],
    "--host": ["127.0.0.1", "::1", "0.0.0.0", "localhost", "256.1.1.1"],
    "--proxy": ["*", "10.0.0.0/99", "127.0.0.1,,x"],
    "--to": ["r.html", ".", "/dev/full", "/nowhere/r.html", "t.csv/x", ""],
    "--save": ["b.json", ".", "/dev/full", "/nowhere/b.json", "t.csv/x", ""],
    "--plot": ["p.png", "p.svg", "p.pdf", "p", ".png", "p.exe", "/nowhere/p.png", "t.csv/p.png"],
    "--output": ["out", ".", "/dev/full", "/nowhere/out", "t.csv", "t.csv/x", ""],
    "--workers": ["1", "auto ", "0", "1.5", "-1x", "1e2"],
}  # fmt: skip
NUMBERS = [
    "nan", "inf", "-inf", "1e400", "1e300", "1e-300", "5e-324", "-0", "0", "-1", "1", "2.5", "9" * 5000, "1" + "0" * 400, "1_0",
    "0x1", "٣",
]  # fmt: skip


class CommandLines(Reader):
    """Command lines with unexpected options, values, words and orders; failing ones must leave no new file."""

    def prepare(self) -> None:
        Path("t.csv").write_text(TABLE, encoding="utf-8")
        Path("s.toml").write_text(inputs.toml_text(STUDY), encoding="utf-8")
        code, _ = run_program(["run", "s.toml", "--output", "kept"])
        require(code == 0, "no run to report")
        made_database("made.db")
        server.run = lambda app, listener, **options: listener.close()  # type: ignore[assignment]

    def make(self, rng: random.Random) -> Case:
        command, options = rng.choice(COMMANDS)
        words = list(command)
        if rng.random() < 0.15:
            begun = rng.choice([" ".join(words[: rng.randrange(5)]), inputs.name(rng), "bound --fa"])
            return Case({}, {"complete": _argument(rng, begun)})
        for _ in range(rng.choice((1, 1, 2))):
            option = rng.choice(options)
            value = rng.choice([*VALUES.get(option, []) * 2, rng.choice(NUMBERS), inputs.name(rng)])
            match rng.randrange(10):
                case 0:
                    words[rng.randrange(1, len(words))] = value
                case 1:
                    del words[rng.randrange(1, len(words))]
                case 2:
                    words += [option]
                case _:
                    words += [f"{option}={value}"] if rng.random() < 0.3 else [option, value]
        token = rng.choice([None, None, "x" * 20, _argument(rng, inputs.name(rng))])
        return Case({}, {"words": [_argument(rng, word) for word in words], "token": token})

    def judge(self, case: Case) -> str:
        if "complete" in case.arguments:
            return self._complete(case.arguments["complete"])
        words, token = case.arguments["words"], case.arguments["token"]
        if _must_not_run(words, token):
            return REFUSED
        before = _files()
        with _environment({} if token is None else {"SEMIBANDITS_TOKEN": token}):
            code, _ = run_program(words, json_wanted=any(word.startswith("--json") for word in words))
        if code:
            require(_files() == before, f"files of a command that failed: {sorted(_files() ^ before)}")
        return REFUSED if code else RIGHT

    def _complete(self, line: str) -> str:
        """Complete a line as bash does."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        variables = {
            "_SEMIBANDITS_COMPLETE": "complete_bash", "COMP_WORDS": f"semibandits {line}",
            "COMP_CWORD": str(len(line.split())), "_TYPER_COMPLETE_ARGS": f"semibandits {line}",
        }  # fmt: skip
        with _environment(variables), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                main([])
            except SystemExit as leave:
                require(leave.code in (0, 1, 2, None), f"exit code {leave.code!r} of a completion")
        check_terminal("stdout", out.buffer.getvalue().decode())
        return RIGHT


def _must_not_run(words: list[str], token: str | None) -> bool:
    """Whether a command line would change this machine, ask its network, or start many processes."""
    text = " ".join(words)
    resolves = words[:1] == ["serve"] and token is not None and "--host" in text
    return "--install-completion" in text or resolves or "postgresql" in text or "--scheduler" in text


def _argument(rng: random.Random, word: str) -> str:
    """A word as an operating system passes it: without zero bytes, with surrogates for invalid UTF-8."""
    return inputs.word(word) + rng.choice([""] * 19 + ["\udcff"])


def _files() -> set[str]:
    """The files of the folder, without the two that SQLite keeps beside an open database."""
    return {str(path) for path in Path().rglob("*") if not path.name.endswith(("-wal", "-shm"))}


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Any:
    try:
        os.environ.update({name: inputs.word(value) for name, value in variables.items()})
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)


class Names(Reader):
    """Names of items, nodes, groups, instances, units and files, in every kind of output."""

    def prepare(self) -> None:
        Path("t.csv").write_text(TABLE, encoding="utf-8")

    def make(self, rng: random.Random) -> Case:
        one, other = inputs.name(rng), inputs.name(rng)
        kind = rng.choice(["items", "nodes", "rows", "groups", "texts", "file", "csv", "option", "study"])
        theta: dict[str, Any] = {"theta": [1, 2, 0.5, 0.25]}
        documents: dict[str, dict[str, Any]] = {
            "items": {"family": "msets", "size": 2, "items": [one, other, "c", "d"], **theta},
            "nodes": {
                "family": "paths", "edges": [[one, "b"], [one, "c"], ["b", other], ["c", other]], "source": one, "target": other,
                **theta,
            },
            "rows": {"family": "matchings", "edges": [[one, "x"], [one, other], ["r", "x"], ["r", other]], **theta},
            "groups": {
                "family": "matroid", "matroid": {"kind": "partition", "groups": [one, one, other, other], "capacities": 1},
                **theta,
            },
            "texts": {"family": "msets", "size": 2, "name": one, "unit": other, "note": inputs.name(rng), **theta},
        }  # fmt: skip
        use = rng.choice(["bound", "json", "svg", "report", "run"])
        if kind in documents:
            return Case({"x.json": inputs.as_bytes(inputs.json_text(documents[kind]))}, {"use": use, "names": [one, other]})
        if kind == "csv":
            file = io.StringIO()
            csv.writer(file).writerows([["item", "theta"], [one, 1], [other, 2], ["c", 0.5]])
            return Case(
                {"x.csv": inputs.as_bytes(file.getvalue())}, {"use": use, "names": [one, other], "options": ["--size", "1"]}
            )
        if kind == "file":
            stem = inputs.word(one.replace("/", ""))[:60] or "x"
            stem = "x" + stem if stem.startswith(("-", ".")) else stem
            return Case({stem + ".csv": TABLE.encode()}, {"use": use, "names": [], "options": ["--size", "2"]})
        if kind == "option":
            arcs = b"tail,head,theta\na,b,1\nb,c,1\n"
            safe = inputs.word(one)
            options = rng.choice(
                [[f"--source={safe}", "--target=c"], [f"--family={safe}"], [f"--method={safe}", "--family=trees"]]
            )
            return Case({"x.csv": arcs}, {"use": "bound", "names": [], "options": options})
        study = {**STUDY, "problem": {"file": "t.csv", "size": 2, rng.choice(["source", "family", one, "network"]): other}}
        study["simulation"] = {
            **STUDY["simulation"],
            "policies": [rng.choice(["CUCB", one, f"CUCB:{one}", f"CUCB:radius={other}"])],
        }
        return Case({"x.toml": inputs.as_bytes(inputs.toml_text(study))}, {"use": "run", "names": []})

    def judge(self, case: Case) -> str:
        (file,) = case.files
        names, use, options = case.arguments["names"], case.arguments["use"], case.arguments.get("options", [])
        if use == "run":
            return self._run(file, options)
        more = {"json": ["--json"], "svg": ["--plot", "p.svg"], "report": ["--save", "b.json"]}.get(use, [])
        code, shown = run_program(["bound", file, *options, *more], json_wanted=use == "json")
        if code == 2:
            return REFUSED
        if "Best set" in shown and use != "json":  # the first two items: names of plain characters are shown as they are
            flat = "".join(shown.split())
            for plain in ("".join(name.split()) for name in names if name.isprintable() and name.isascii()):
                require(len(plain) > 60 or plain in flat, f"the name {plain!r} is not shown literally")
        if use == "svg":
            root = ET.parse("p.svg").getroot()
            require(not [node for node in root.iter() if node.tag.endswith("script")], "a script in a drawing")
        if use == "report":
            code, _ = run_program(["report", "b.json", "--to", "r.html"])
            require(code == 0, "no report of a saved bound")
            check_page(Path("r.html"))
        return RIGHT

    def _run(self, file: str, options: list[str]) -> str:
        simulate = ["simulate", file, *options, "-p", "CUCB", "-T", "20", "-n", "2", "--plot", "p.svg"]
        code, _ = run_program([*(["run", file] if file.endswith(".toml") else simulate), "--output", "out"])
        if code:
            return REFUSED
        if not file.endswith(".toml"):
            ET.parse("p.svg")
        check_page(Path("out/report.html"))
        with open("out/summary.csv", encoding="utf-8", newline="") as table:
            rows = list(csv.reader(table, strict=True))
        require(len({len(row) for row in rows}) == 1, "a table with rows of different lengths")
        return RIGHT


def check_page(path: Path) -> None:
    """Check that names change neither the scripts of a page nor a terminal that shows it."""
    text = path.read_text(encoding="utf-8")
    content = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    if content is None:
        raise Wrong("a page without its data")
    json.loads(content[1])
    rest = text.replace(content[0], "")
    require(rest.count("<script") == rest.count("</script"), "scripts that are not closed")
    require("<script>x()" not in rest, "a name among the tags of a page")
    odd = {char for char in rest if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")}
    require(not odd, f"control characters in a page: {sorted(odd)}")
