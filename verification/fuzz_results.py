"""Hostile folders of runs, archives and bounds; see `fuzz_readers.py`."""
# ruff: noqa: D102 (fuzz_readers.py describes the methods of all readers)

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import re
import shutil
import tomllib
import zipfile
from pathlib import Path

import fuzz_inputs as inputs
import numpy as np
from fuzz_documents import STUDY, TABLE, instance_seeds
from fuzz_judging import REFUSED, RIGHT, Case, refused, require, run_program

import semibandits as sb
from semibandits.errors import SemibanditsError
from semibandits.studies import read_study, run_study


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


class RunFolders:
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
            kind = rng.random()
            if kind < 0.05:
                files[name] = rng.choice([None, ""])
            elif kind < 0.5 or name.endswith((".csv", ".png")):
                files[name] = inputs.mutated_bytes(rng, content)
            elif name.endswith(".zip"):
                files[name] = mutated_archive(rng, content)
            elif name.endswith(".toml"):
                files[name] = inputs.as_bytes(inputs.toml_text(inputs.mutated_value(rng, tomllib.loads(content.decode()))))
            else:
                files[name] = inputs.as_bytes(inputs.json_text(inputs.mutated_value(rng, json.loads(content))))
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


def mutated_archive(rng: random.Random, content: bytes) -> bytes:
    """An archive with changed entries and mostly corrected checksums."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    description = json.loads(entries.pop("simulation.json"))
    if rng.random() < 0.7 and entries:
        name = rng.choice(sorted(entries))
        entries[name] = _mutated_array(rng, entries[name])
        about = description["arrays"][name.removesuffix(".npy")]
        with contextlib.suppress(Exception):
            array = np.lib.format.read_array(io.BytesIO(entries[name]), allow_pickle=False)
            about.update(dtype=array.dtype.str, shape=list(array.shape))
        if rng.random() < 0.9:
            about["sha256"] = hashlib.sha256(entries[name]).hexdigest()
    if rng.random() < 0.5:
        description = inputs.mutated_value(rng, description)
    if rng.random() < 0.05 and entries:
        entries[inputs.name(rng) or "x"] = entries[rng.choice(sorted(entries))]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", rng.choice([zipfile.ZIP_STORED] * 9 + [zipfile.ZIP_DEFLATED])) as archive:
        archive.writestr("simulation.json", inputs.as_bytes(inputs.json_text(description)))
        for name, entry in entries.items():
            archive.writestr(name.encode("utf-8", "replace").decode().replace("\0", "0"), entry)
    return file.getvalue()


def _mutated_array(rng: random.Random, entry: bytes) -> bytes:
    array = np.lib.format.read_array(io.BytesIO(entry), allow_pickle=False).copy()
    match rng.randrange(5):
        case 0:
            return inputs.mutated_bytes(rng, entry)
        case 1:
            shape = rng.choice(["(10000000000,)", "(-1,)", "()", "(0,)", "(1, 99999999999999999999)", "(2,) + (3,)"])
            return re.sub(rb"'shape': \([^)]*\)", b"'shape': " + shape.encode(), entry)
        case 2:
            array = array.astype(rng.choice(["<f4", "<i4", ">f8", "?", "<c16", "<U3", "<u8"]))
        case 3:
            array = rng.choice([array.T, array[:0], array[..., :1], array[None], np.concatenate((array, array))])
        case _ if array.size:
            odd = np.array(rng.choice([np.nan, np.inf, -1.0, 0.0, 1e300, -1e300, 2.0**62]))
            with np.errstate(all="ignore"):
                array.ravel()[rng.randrange(array.size)] = odd.astype(array.dtype)
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return file.getvalue()


class Archives:
    """Files of results."""

    def prepare(self) -> None:
        run_folders()
        self.seeds = [Path("finished/simulation.zip").read_bytes()]
        rewards = sb.GaussianRewards([0.1, 0.5, 0.9], variance=1.0)
        sb.simulate(sb.MSets(3, 1), rewards, [sb.CUCB()], 10, 1, seed=0, bound=False).save("unbounded.sim")
        self.seeds.append(Path("unbounded.sim").read_bytes())

    def make(self, rng: random.Random) -> Case:
        seed = rng.choice(self.seeds)
        return Case({"x.zip": inputs.mutated_bytes(rng, seed) if rng.random() < 0.3 else mutated_archive(rng, seed)})

    def judge(self, case: Case) -> str:
        try:
            result = sb.load_simulation("x.zip")
        except SemibanditsError as error:
            return refused(error)
        result.save("again.zip")
        again = sb.load_simulation("again.zip")
        again.save("once-more.zip")
        require(Path("again.zip").read_bytes() == Path("once-more.zip").read_bytes(), "different bytes when saved again")
        return RIGHT


class Bounds:
    """Files of bounds, as read by `report`."""

    def prepare(self) -> None:
        self.seeds = []
        for k, description in enumerate(instance_seeds()[:6]):
            Path(f"{k}.json").write_text(json.dumps(description), encoding="utf-8")
            code, _ = run_program(["bound", f"{k}.json", "--save", "b.json"])
            require(code == 0, "no bound for a seed")
            self.seeds.append(re.sub(rb'"seconds": \d[\d.e-]*', b'"seconds": 0.125', Path("b.json").read_bytes()))

    def make(self, rng: random.Random) -> Case:
        seed = rng.choice(self.seeds)
        if rng.random() < 0.3:
            return Case({"bound.json": inputs.mutated_bytes(rng, seed)})
        return Case({"bound.json": inputs.as_bytes(inputs.json_text(inputs.mutated_value(rng, json.loads(seed))))})

    def judge(self, case: Case) -> str:
        Path("r.html").unlink(missing_ok=True)
        code, _ = run_program(["report", "bound.json", "--to", "r.html"])
        require((code == 0) == Path("r.html").exists(), f"report and exit code {code} disagree")
        return REFUSED if code else RIGHT
