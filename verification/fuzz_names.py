"""Names of every kind on the terminal, in pages, drawings and tables; see `fuzz_readers.py`."""
# ruff: noqa: D102 (fuzz_readers.py describes the methods of all readers)

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import fuzz_inputs as inputs
from fuzz_documents import STUDY, TABLE
from fuzz_judging import REFUSED, RIGHT, Case, require, run_program


class Names:
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
            stem = re.sub(r"[/\0]", "", one).encode("utf-8", "replace").decode()[:60] or "x"
            stem = "x" + stem if stem.startswith(("-", ".")) else stem
            return Case({stem + ".csv": TABLE.encode()}, {"use": use, "names": [], "options": ["--size", "2"]})
        if kind == "option":
            arcs = b"tail,head,theta\na,b,1\nb,c,1\n"
            safe = (
                one.replace("\0", "")
                .encode("utf-8", "surrogateescape" if one.isprintable() else "replace")
                .decode("utf-8", "replace")
            )
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
        for path in ("p.svg", "b.json", "r.html"):
            Path(path).unlink(missing_ok=True)
        shutil.rmtree("out", ignore_errors=True)
        (file,) = case.files
        names, use, options = case.arguments["names"], case.arguments["use"], case.arguments.get("options", [])
        if use == "run":
            return self._run(file, names, options)
        if use == "json":
            code, shown = run_program(["bound", file, *options, "--json"], json_wanted=True)
            return REFUSED if code == 2 else RIGHT
        more = {"svg": ["--plot", "p.svg"], "report": ["--save", "b.json"]}.get(use, [])
        code, shown = run_program(["bound", file, *options, *more])
        if code == 2:
            return REFUSED
        self._check_shown(shown, names)
        if use == "svg":
            root = ET.parse("p.svg").getroot()
            require(not [node for node in root.iter() if node.tag.endswith("script")], "a script in a drawing")
        if use == "report":
            code, _ = run_program(["report", "b.json", "--to", "r.html"])
            require(code == 0, "no report of a saved bound")
            self._check_page(Path("r.html"))
        return RIGHT

    def _run(self, file: str, names: list[str], options: list[str]) -> str:
        if file.endswith(".toml"):
            code, _ = run_program(["run", file, "--output", "out"])
        else:
            code, _ = run_program(
                ["simulate", file, *options, "-p", "CUCB", "-T", "20", "-n", "2", "--output", "out", "--plot", "p.svg"]
            )
            if code == 0:
                ET.parse("p.svg")
        if code:
            return REFUSED
        self._check_page(Path("out/report.html"))
        with open("out/summary.csv", encoding="utf-8", newline="") as table:
            rows = list(csv.reader(table, strict=True))
        require(len({len(row) for row in rows}) == 1, "a table with rows of different lengths")
        return RIGHT

    def _check_shown(self, shown: str, names: list[str]) -> None:
        """Check that names of plain characters are shown literally, not as markup; the best decision has the first two items."""
        flat = "".join(shown.split())
        for name in names:
            plain = "".join(name.split())
            if plain and plain.isascii() and name.isprintable() and len(plain) <= 60 and self._is_best(shown):
                require(plain in flat, f"the name {name!r} is not shown literally")

    def _is_best(self, shown: str) -> bool:
        return "Best set" in shown

    def _check_page(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        content = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
        require(content is not None, "a page without its data")
        assert content is not None
        json.loads(content[1])
        rest = text.replace(content[0], "")
        require(rest.count("<script") == rest.count("</script"), "scripts that are not closed")
        require("<script>x()" not in rest, "a name among the tags of a page")
        odd = {char for char in rest if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")}
        require(not odd, f"control characters in a page: {sorted(odd)}")
