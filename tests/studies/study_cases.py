"""Helpers for tests of running studies."""

import math
from pathlib import Path

from semibandits.studies import read_study, run_study
from semibandits_studies.studies import run

TABLE = "item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n"
BOUND = 1 / 0.25 + 1 / 0.5
"""C(theta) by hand: the sum of 1 / gap over the items outside the best set, at variance 1/2."""
BERNOULLI_BOUND = 0.25 / (0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25)) + 0.5 / (
    0.25 * math.log(0.25 / 0.75) + 0.75 * math.log(0.75 / 0.25)
)
"""The same for rewards of 0 and 1: the sum of gap / d(theta_i, theta_i + gap), both of which replace the item of mean 3/4."""
STUDY = """
[problem]
file = "table.csv"
size = 2
[simulation]
policies = ["CUCB", "thompson"]
horizon = 300
replications = 4
"""
FILES = [
    "about.json", "bound.json", "instance.json", "regret.png", "report.html", "simulation.zip", "specification.json",
    "study.toml", "summary.csv", "timings.json",
]  # fmt: skip
ALONE = '[problem]\nfile = "table.csv"\nsize = 2\n'


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def state(folder):
    """Bytes and times of all files."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


def stop(after):
    """A function that is told of each finished replication, and stops the study after some of them."""

    def progress(done, total):
        if done >= after:
            raise ZeroDivisionError

    return progress


def no_work(monkeypatch):
    """From here on nothing may be solved or played."""

    def forbidden(*_, **__):
        raise AssertionError("this was done before")

    for name in ("solve_bound", "play"):
        monkeypatch.setattr(run, name, forbidden)


def run_again(**options):
    return run_study(read_study("study.toml"), **options)


def run_text(text, path="study.toml", **options):
    Path(path).write_text(text, encoding="utf-8")
    return run_study(read_study(path), **options)
