"""Hostile instances, studies and states of learners; see `fuzz_readers.py`."""
# ruff: noqa: D102 (fuzz_readers.py describes the methods of all readers)

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import random
import tomllib
from pathlib import Path
from typing import Any

import fuzz_inputs as inputs
from fuzz_judging import REFUSED, RIGHT, Case, check_instance, refused, require

import semibandits as sb
from semibandits import matroids
from semibandits.errors import SemibanditsError
from semibandits.families.description import digest
from semibandits.instances import ProblemOptions, instance_from_description, read_csv, read_json
from semibandits.studies import read_study
from semibandits.studies.study_file import study_tables, study_text
from semibandits.studies.task import Task


class CsvInstances:
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

    def prepare(self) -> None:
        """Do nothing."""

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

    def judge(self, case: Case) -> str:
        try:
            instance = read_csv("x.csv", ProblemOptions(**case.arguments))
        except SemibanditsError as error:
            return refused(error)
        check_instance(instance)
        return RIGHT


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


class JsonInstances:
    """Instances in JSON files."""

    def prepare(self) -> None:
        self.seeds = instance_seeds()

    def make(self, rng: random.Random) -> Case:
        seed = rng.choice(self.seeds)
        if rng.random() < 0.3:
            return Case({"x.json": inputs.mutated_bytes(rng, json.dumps(seed).encode())})
        text = inputs.json_text(inputs.mutated_value(rng, seed), ascii_only=rng.random() < 0.5)
        return Case({"x.json": inputs.as_bytes(text)})

    def judge(self, case: Case) -> str:
        try:
            instance = read_json("x.json")
        except SemibanditsError as error:
            return refused(error)
        check_instance(instance)
        require(
            instance_from_description(instance.description).labels == instance.labels, "different labels from the description"
        )
        return RIGHT


TABLE = "item,theta\na,1\nb,2\nc,0.5\nd,0.1\n"
STUDY: dict[str, Any] = {
    "problem": {"file": "t.csv", "size": 2},
    "simulation": {"policies": ["CUCB", "ThompsonSampling"], "horizon": 20, "replications": 2, "seed": 1, "checkpoints": [5, 20]},
    "bound": {"gap": 1e-3},
    "output": {"figure": False},
}


class Studies:
    """Study files, up to the specification of the simulation; nothing is simulated."""

    def prepare(self) -> None:
        Path("t.csv").write_text(TABLE, encoding="utf-8")
        self.seeds: list[dict[str, Any]] = [
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

    def make(self, rng: random.Random) -> Case:
        seed = rng.choice(self.seeds)
        if rng.random() < 0.35:
            return Case({"s.toml": inputs.mutated_bytes(rng, inputs.toml_text(seed).encode())})
        return Case({"s.toml": inputs.as_bytes(inputs.toml_text(inputs.mutated_value(rng, seed)))})

    def judge(self, case: Case) -> str:
        try:
            study = read_study("s.toml")
            Task(study, redraw=False).check()
        except SemibanditsError as error:
            return refused(error)
        kept = tomllib.loads(study_text(study))
        require(kept == json.loads(json.dumps(study_tables(study))), "different tables when written and read")
        return RIGHT


class States:
    """States of learners, most of them with a corrected checksum."""

    def prepare(self) -> None:
        sets: list[sb.DecisionSet] = [
            sb.Paths([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("b", "t")], "s", "t"),
            sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3)]),
            sb.MSets(5, 2),
            sb.Matchings([("r", "x"), ("r", "y"), ("s", "x"), ("s", "y")]),
            sb.MatroidBases(matroids.Laminar([[0, 1]], 1, d=4)),
            sb.MatroidBases(matroids.Linear([[1, 0, 1, 1], [0, 1, 1, 0]], field=2)),
            sb.MatroidBases(matroids.Linear([[1.5, 0, 1, 1], [0, 1, 1, 0]])),
            sb.MatroidIntersection(matroids.Partition("aabb", 1), matroids.Uniform(4, 2)),
            sb.EnumeratedDecisions([[1, 0, 1], [0, 1, 1]], items=[1.5, ("a", 2), 2**60]),
        ]
        policies = [sb.GLADE(), sb.CUCB(), sb.OSSB(), sb.ThompsonSampling(), sb.GLADE(rewards="bernoulli"), sb.AESCB()]
        self.seeds = []
        for k, decision_set in enumerate(sets):
            policy = policies[k % len(policies)]
            options = {} if policy.plans else {"half_life": 5.0, "drift_error": 0.1}
            learner = sb.Learner(decision_set, policy, variance=0.5, seed=k, **options if k % 2 else {})
            for _ in range(8):
                asked = learner.ask()
                learner.tell(asked.id, [float(item % 2) for item in asked.items])
            learner.ask()
            self.seeds.append(learner.state())

    def make(self, rng: random.Random) -> Case:
        content = {key: value for key, value in rng.choice(self.seeds).items() if key != "checksum"}
        checksum, kind = True, rng.random()
        if kind < 0.15:
            text = inputs.mutated_bytes(rng, json.dumps(content).encode()).decode("utf-8", "replace")
        elif kind < 0.4:
            state = inputs.mutated_value(rng, content)
            text, checksum = inputs.json_text(state), rng.random() < 0.8
        else:  # within one part, so that the remaining checks are reached
            part = rng.choice([key for key, value in content.items() if isinstance(value, dict | list)])
            text = inputs.json_text({**content, part: inputs.mutated_value(rng, content[part])})
        return Case({"state.json": inputs.as_bytes(text)}, {"checksum": checksum})

    def judge(self, case: Case) -> str:
        try:
            state = json.loads(Path("state.json").read_bytes())
        except (ValueError, RecursionError):
            return REFUSED  # by Python, before the library reads it
        if case.arguments["checksum"] and isinstance(state, dict):
            with contextlib.suppress(ValueError, RecursionError, OverflowError):
                state["checksum"] = digest(state)
        try:
            learner = sb.Learner.from_state(state)
        except SemibanditsError as error:
            return refused(error)
        kept = learner.state()
        require(sb.Learner.from_state(json.loads(json.dumps(kept))).state() == kept, "a different state when saved and restored")
        try:
            asked = learner.ask()
            learner.tell(asked.id, [0.5] * len(asked.items))
            learner.best()
        except SemibanditsError as error:
            return refused(error)
        return RIGHT
