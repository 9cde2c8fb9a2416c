"""Instances, tables, studies, folders of runs, archives and bounds; see `fuzz_readers.py`."""
# ruff: noqa: D102 (`fuzz_judging.Reader` describes the methods)

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import random
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import fuzz_inputs as inputs
import pandas as pd
from fuzz_judging import REFUSED, RIGHT, Case, LibraryReader, Reader, check_instance, require, run_program

import semibandits as sb
from semibandits.instances import Instance, ProblemOptions, instance_from_description, read_csv, read_json, read_table
from semibandits.studies import Study, read_study, run_study
from semibandits_studies.studies.study_file import study_tables, study_text
from semibandits_studies.studies.task import Task


class CsvInstances(LibraryReader):
    """Instances in CSV files, with the options of the command line."""

    SEEDS = (
        ("tail,head,theta,variance\na,b,1,2\nb,d,2,1\na,c,-3,1\nc,d,0.5,1\n", {"source": "a", "target": "d"}),
        ("tail,head,theta\na,b,1\nb,c,2\na,c,3\nc,d,4\n", {"family": "trees"}),
        ("row,column,theta\nr,x,1\nr,y,2\ns,x,3\ns,y,1e-3\n", {"saturate": "rows"}),
        ('item,theta,variance\n"a, b",1,1\nc,2,1\nd,3,0.25\n', {"size": 2}),
        ("item,group,theta\na,p,1\nb,p,2\nc,q,3\n", {"capacities": ("1", "q=2")}),
        (
            "item,group1,group2,theta\na,p,x,1\nb,p,y,2\nc,q,x,3\nd,q,y,4\n",
            {"capacities": ("group1:1", "group2:x=2", "2"), "size": 1},
        ),
        ("Our roads;;;\nfrom;to;minutes;remark\na;b;1,5;\nb;a;2;x\nb;d;1.000,5;\n", {"source": "a", "target": "d"}),
        ("title,clicks,views,genre\na,1,10,p\nb,2,10,p\nc,3,10,q\n", {"capacities": ("1",), "size": 1}),
        ("tail,head,costs,least\na,b,1,0\nb,a,1,0.5\nb,d,2,1\na,d,4,4\n", {"family": "routes", "source": "a", "target": "d"}),
        ("tail,head,costs\na,b,1\nb,d,2\na,d,4\n", {"source": "a", "target": "d", "undirected": True}),
        ("name\tprice\na\t3 %\nb\t2 %\n", {"size": 1, "columns": ("costs=price",)}),
    )
    CELLS = (
        "", " ", "nan", "inf", "1e400", "-1e400", "9" * 5000, "1" + "0" * 400, "0x1", "1_0", "-0", "1e-400", "1,5",
        "1.5.2", "٣", "½", "1 ",
        "true", '"', "a" * 200_000,
    )  # fmt: skip

    def make(self, rng: random.Random) -> Case:
        text, options = rng.choice(self.SEEDS)
        options = dict(options)
        if rng.random() < 0.3:
            key = rng.choice(["family", "source", "target", "size", "saturate", "capacities", "variance", "columns"])
            odd = {"size": [-1, 0, 10**18], "variance": [0.0, -1.0, math.nan, math.inf, 1e-300, 1e300]}.get(key)
            text_value = rng.choice([inputs.name(rng), "9" * 5000, "1" + "0" * 400, "p=" + "9" * 5000, "paths", "none", "0"])
            is_list = key in ("capacities", "columns")
            if key == "columns":
                text_value = rng.choice([text_value, "theta=" + text_value, "costs=theta", "item=tail"])
            value = rng.choice(odd) if odd else (text_value,) if is_list else text_value
            options[key] = rng.choice([(), value]) if is_list else rng.choice([None, value])
        if rng.random() < 0.5:
            return Case({"x.csv": inputs.mutated_bytes(rng, text.encode())}, options)
        rows = list(csv.reader(io.StringIO(text)))
        for _ in range(rng.choice((1, 1, 2, 4))):
            row = rng.choice(rows)
            place = rng.randrange(len(row)) if row else 0
            match rng.randrange(6):
                case 0 | 1 if row:
                    row[place] = rng.choice([inputs.name(rng), rng.choice(self.CELLS)])
                case 2:
                    row.insert(place, rng.choice([inputs.name(rng), rng.choice(self.CELLS)]))
                case 3 if row:
                    del row[place]
                case 4:
                    rows.insert(rng.randrange(len(rows) + 1), [""] * rng.randrange(5))
                case _:
                    rows.append(list(row))
        if rng.random() < 0.05:
            rows = [[""] * len(row) for row in rows]
        file = io.StringIO()
        csv.writer(file, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(rows)
        return Case({"x.csv": inputs.as_bytes(file.getvalue())}, options)

    def read(self, case: Case) -> Instance:
        return read_csv("x.csv", ProblemOptions(**case.arguments))

    check = staticmethod(check_instance)


def instance_seeds() -> list[dict[str, Any]]:
    """A small instance of each family and kind of matroid, in the JSON form."""
    four = {"theta": [1, 0.5, -2, 3.25], "variance": [1, 2, 0.5, 1]}
    graph = [["a", "b"], ["b", "c"], ["a", "c"], [1, "a"]]
    kinds: list[dict[str, Any]] = [
        {"kind": "uniform", "size": 2},
        {"kind": "partition", "groups": ["p", "p", 7, "q"], "capacities": {"p": 1, "7": 1, "q": 2}},
        {"kind": "laminar", "sets": [[0, 1], [0, 1, 2, 3]], "capacities": [1, 2]},
        {"kind": "graphic", "edges": graph},
        {"kind": "transversal", "places": [["s"], ["s", 2], [2], []]},
        {"kind": "linear", "matrix": [[1, 0, 1, 1], [0, 1, 1, 2.5]], "tolerance": 1e-6},
        {"kind": "linear", "matrix": [[1, 0, 1, 1], [0, 1, 1, 0]], "field": 2},
    ]
    arcs = [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"]]
    places = {"a": [0, 1.5], "b": [1, 1], "c": [1, 0], "d": [2, 0]}
    texts = {"name": "x", "unit": "ms", "note": "made up"}
    return [
        {
            "family": "paths",
            "edges": arcs,
            "source": "a",
            "target": "d",
            "positions": places,
            "geographic": True,
            **four,
            **texts,
        },
        {"family": "trees", "edges": graph, **four},
        {"family": "msets", "size": 2, "items": ["u", "v", "w", 4], **four, **texts},
        {"family": "matchings", "edges": [["r", "x"], ["r", "y"], ["s", "x"], ["s", "y"]], "saturate": "both", **four},
        {"family": "enumerated", "decisions": [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], **four, "variance": 0.5},
        {
            "family": "routes",
            "edges": [["a", "b"], ["b", "d"], ["a", "c"], ["c", "b"]],
            "source": "a",
            "target": "d",
            "costs": [1, 0.5, 2, 3.25],
            "least": [0.5, 0.25, 2, 0],
            "directed": False,
            "streets": ["w", "x", "y", "z"],
            "variance": [1, 2, 0.5, 1],
        },
        {"family": "intersection", "matroids": [kinds[1], kinds[0]], "size": 1, **four},
        *({"family": "matroid", "matroid": kind, **four} for kind in kinds),
    ]


class JsonInstances(LibraryReader):
    """Instances in JSON files."""

    def prepare(self) -> None:
        self.seeds = [json.dumps(seed).encode() for seed in instance_seeds()]

    def make(self, rng: random.Random) -> Case:
        return Case({"x.json": inputs.damaged(rng, "x.json", rng.choice(self.seeds))})

    def read(self, case: Case) -> Instance:
        return read_json("x.json")

    def check(self, found: Instance) -> None:
        check_instance(found)
        require(instance_from_description(found.description).labels == found.labels, "different labels from the description")


class Tables(LibraryReader):
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
        self.entries = inputs.unzipped(Path("seed.xlsx").read_bytes())
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
        book = inputs.zipped(entries) if rng.random() < 0.8 else inputs.mutated_bytes(rng, inputs.zipped(self.entries))
        return Case({"x.xlsx": book})

    def read(self, case: Case) -> Instance:
        (name,) = case.files
        return read_table(name, ProblemOptions(source="a", target="c"))

    check = staticmethod(check_instance)


TABLE = "item,theta\na,1\nb,2\nc,0.5\nd,0.1\n"
STUDY: dict[str, Any] = {
    "problem": {"file": "t.csv", "size": 2},
    "simulation": {"policies": ["CUCB", "ThompsonSampling"], "horizon": 20, "replications": 2, "seed": 1, "checkpoints": [5, 20]},
    "bound": {"gap": 1e-3},
    "output": {"figure": False},
}


class Studies(LibraryReader):
    """Study files, up to the specification of the simulation; nothing is simulated."""

    def prepare(self) -> None:
        Path("t.csv").write_text(TABLE, encoding="utf-8")
        seeds: list[dict[str, Any]] = [
            STUDY,
            {"problem": {"network": "polska", "family": "trees"}, "bound": {"method": "auto", "time_limit": 5}},
            {
                "problem": {"file": "t.csv", "size": 1, "variance": 0.25},
                "simulation": {
                    "policies": [{"name": "OSSB", "gamma": 0.1}, "GLADE:saving=0.5", "ESCB:radius=kveton"], "rewards": "gaussian",
                    "horizon": 100, "replications": 3, "delay": "geometric:10", "loss": 0.1,
                },
                "execution": {"workers": 1},
                "output": {"folder": "out", "report": False},
            },
        ]  # fmt: skip
        self.seeds = [inputs.toml_text(seed).encode() for seed in seeds]

    def make(self, rng: random.Random) -> Case:
        return Case({"s.toml": inputs.damaged(rng, "s.toml", rng.choice(self.seeds), 0.35)})

    def read(self, case: Case) -> Study:
        study = read_study("s.toml")
        Task(study, redraw=False).check()
        return study

    def check(self, found: Study) -> None:
        kept = tomllib.loads(study_text(found))
        require(kept == json.loads(json.dumps(study_tables(found))), "different tables when written and read")


def run_folders() -> None:
    """Write a study, the folder of its results, and the folder of an interrupted run."""
    Path("t.csv").write_text(TABLE, encoding="utf-8")
    Path("s.toml").write_text(inputs.toml_text(STUDY), encoding="utf-8")
    run_study(read_study("s.toml"))

    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    Path("s-results").rename("finished")
    with contextlib.suppress(KeyboardInterrupt):
        run_study(read_study("s.toml"), progress=interrupt)
    Path("s-results").rename("begun")
    for folder in (Path("finished"), Path("begun")):  # the only numbers in it that differ between runs
        for path in (folder / "timings.json", folder / "bound.json"):
            if path.exists():
                path.write_text(
                    re.sub(r'("\d+"|"seconds"): \d[\d.e-]*', r"\1: 0.125", path.read_text(encoding="utf-8")), encoding="utf-8"
                )


class RunFolders(Reader):
    """Folders of finished and unfinished runs with damaged files, as read by `report` and `run`."""

    def prepare(self) -> None:
        run_folders()
        self.files = {
            folder: sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())
            for folder in ("finished", "begun")
        }
        for folder, names in self.files.items():
            names.remove("report.html") if "report.html" in names else None
            require(any("parts" in name for name in names) == (folder == "begun"), f"{folder} with different files: {names}")

    def make(self, rng: random.Random) -> Case:
        folder = rng.choice(["finished", "begun"])
        files: dict[str, bytes | str | None] = {}
        for name in rng.sample(self.files[folder], rng.choice((1, 1, 1, 2))):
            content = Path(folder, name).read_bytes()
            files[name] = rng.choice([None, ""]) if rng.random() < 0.05 else inputs.damaged(rng, name, content, 0.45)
        return Case({f"results/{name}": content for name, content in files.items()}, {
            "folder": folder, "command": rng.choice(["report", "report-json", "run"]),
        })  # fmt: skip

    def judge(self, case: Case) -> str:
        folder, command = case.arguments["folder"], case.arguments["command"]
        for path in Path(folder).rglob("*"):
            if path.is_file() and f"results/{path.relative_to(folder)}" not in case.files:
                target = Path("results", path.relative_to(folder))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        Path("results/report.html").unlink(missing_ok=True)
        if command == "run":
            code, _ = run_program(["run", "s.toml", "--output", "results"])
            if code == 0:
                require(sb.load_simulation("results/simulation.zip").policies == ("CUCB", "ThompsonSampling"), "other policies")
        else:
            as_json = ["--json"] * (command == "report-json")
            code, _ = run_program(["report", "results", *as_json], json_wanted=bool(as_json))
            require((code == 0) == Path("results/report.html").exists(), f"report and exit code {code} disagree")
        return REFUSED if code else RIGHT


class Archives(LibraryReader):
    """Files of results."""

    def prepare(self) -> None:
        run_folders()
        self.seeds = [Path("finished/simulation.zip").read_bytes()]
        rewards = sb.GaussianRewards([0.1, 0.5, 0.9], variance=1.0)
        sb.simulate(sb.MSets(3, 1), rewards, [sb.CUCB()], 10, 1, seed=0, bound=False).save("unbounded.sim")
        self.seeds.append(Path("unbounded.sim").read_bytes())

    def make(self, rng: random.Random) -> Case:
        return Case({"x.zip": inputs.damaged(rng, "x.zip", rng.choice(self.seeds))})

    def read(self, case: Case) -> sb.SimulationResult:
        return sb.load_simulation("x.zip")

    def check(self, found: sb.SimulationResult) -> None:
        found.save("again.zip")
        sb.load_simulation("again.zip").save("once-more.zip")
        require(Path("again.zip").read_bytes() == Path("once-more.zip").read_bytes(), "different bytes when saved again")


class Bounds(Reader):
    """Files of bounds, as read by `report`."""

    def prepare(self) -> None:
        self.seeds = []
        for k, description in enumerate(instance_seeds()[:6]):
            Path(f"{k}.json").write_text(json.dumps(description), encoding="utf-8")
            code, _ = run_program(["bound", f"{k}.json", "--save", "b.json"])
            require(code == 0, "no bound for a seed")
            self.seeds.append(re.sub(rb'"seconds": \d[\d.e-]*', b'"seconds": 0.125', Path("b.json").read_bytes()))

    def make(self, rng: random.Random) -> Case:
        return Case({"bound.json": inputs.damaged(rng, "bound.json", rng.choice(self.seeds))})

    def judge(self, case: Case) -> str:
        code, _ = run_program(["report", "bound.json", "--to", "r.html"])
        require((code == 0) == Path("r.html").exists(), f"report and exit code {code} disagree")
        return REFUSED if code else RIGHT
