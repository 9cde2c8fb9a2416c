"""Hostile options of every command, words to complete, and tables of other programs; see `fuzz_readers.py`."""
# ruff: noqa: D102 (fuzz_readers.py describes the methods of all readers)

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import zipfile
from pathlib import Path
from typing import Any

import fuzz_inputs as inputs
import pandas as pd
from fuzz_documents import STUDY, TABLE
from fuzz_judging import REFUSED, RIGHT, Case, check_instance, check_terminal, refused, require, run_program
from fuzz_learners import made_database

from semibandits.cli import main
from semibandits.errors import SemibanditsError
from semibandits.instances import ProblemOptions, read_table
from semibandits.service import server

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
        ["simulate", "t.csv", *PROBLEM, "-p", "CUCB", "-T", "20", "-n", "2"],
        (
            "--policy", "--seed", "--law", "--rewards", "--delay", "--loss", "--output", "--plot", "--workers", "--variance",
            "--title",
        ),
    ),
    (
        ["simulate", "flights-on-time", "-p", "CUCB", "-T", "5", "-n", "1", "--rewards", "replay"],
        ("--variance", "--seed", "--loss"),
    ),
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


class CommandLines:
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
    word = word.replace("\0", "")
    return word.encode("utf-8", "replace").decode() + rng.choice([""] * 19 + ["\udcff"])


def _files() -> set[str]:
    """The files of the folder, without the two that SQLite keeps beside an open database."""
    return {str(path) for path in Path().rglob("*") if not path.name.endswith(("-wal", "-shm"))}


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Any:
    try:
        os.environ.update({name: value.encode("utf-8", "replace").decode() for name, value in variables.items()})
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)


class Tables:
    """Lines of JSON, and files of Excel and Parquet."""

    ROWS = (
        {"tail": "a", "head": "b", "theta": 1.0},
        {"tail": "b", "head": "c", "theta": 2.0},
        {"tail": "a", "head": "c", "theta": 3.5},
    )

    def prepare(self) -> None:
        frame = pd.DataFrame(list(self.ROWS))
        frame.to_excel("seed.xlsx", index=False)
        frame.to_parquet("seed.parquet", index=False)
        with zipfile.ZipFile("seed.xlsx") as book:
            self.entries = {name: book.read(name) for name in book.namelist()}
        self.entries["docProps/core.xml"] = re.sub(
            rb">20[\dTZ:-]+<", b">2026-01-01T00:00:00Z<", self.entries["docProps/core.xml"]
        )
        self.parquet = Path("seed.parquet").read_bytes()

    def make(self, rng: random.Random) -> Case:
        kind = rng.choice(["lines", "lines", "lines", "xlsx", "parquet"])
        if kind == "lines":
            rows = inputs.mutated_value(rng, list(self.ROWS))
            rows = rows if isinstance(rows, list) else [rows]
            lines = [" ".join(inputs.json_text(row).split("\n")) for row in rows]
            content = inputs.as_bytes("\n".join(lines))
            return Case({"x.jsonl": inputs.mutated_bytes(rng, content) if rng.random() < 0.3 else content})
        if kind == "parquet":
            return Case({"x.parquet": inputs.mutated_bytes(rng, self.parquet)})
        entries = dict(self.entries)
        name = rng.choice(sorted(entries))
        entries[name] = inputs.mutated_bytes(rng, entries[name])
        book = _zipped(entries) if rng.random() < 0.8 else inputs.mutated_bytes(rng, _zipped(self.entries))
        return Case({"x.xlsx": book})

    def judge(self, case: Case) -> str:
        (name,) = case.files
        try:
            instance = read_table(name, ProblemOptions(source="a", target="c"))
        except SemibanditsError as error:
            return refused(error)
        check_instance(instance)
        return RIGHT


def _zipped(entries: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()
