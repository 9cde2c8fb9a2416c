"""Calls of the program, and a small problem for them."""

import json
import re
from pathlib import Path

import pytest

import semibandits as sb
from semibandits_studies.cli import main
from semibandits_studies.cli.progress import ReplicationLine

TABLE = "item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n"
BOUND = 1 / 0.25 + 1 / 0.5
"""C(theta) by hand, for two items: the sum of 1 / gap over the items outside the best set."""
ALONE = '[problem]\nfile = "table.csv"\nsize = 2\nvariance = 0.5\n'
STUDY = ALONE + '[simulation]\npolicies = ["CUCB", "thompson"]\nhorizon = 300\nreplications = 4\n'
SHORT = ["simulate", "table.csv", "--size", 2, "--variance", 0.5, "-T", 300, "-n", 4, "-p", "CUCB", "-p", "thompson"]
"""The same as the study."""


def without_variance(command):
    """The command for another law."""
    place = command.index("--variance")
    return [*command[:place], *command[place + 2 :]]


URL = "sqlite:///routes.db"
STREETS = [("home", "a"), ("home", "b"), ("a", "b"), ("a", "work"), ("b", "work")]


def call(arguments):
    """The exit code of the program."""
    with pytest.raises(SystemExit) as leave:
        main(list(map(str, arguments)))
    return leave.value.code


def learn(name="courier", rounds=4):
    """A learner in the working folder, after some rounds."""
    paths = sb.Paths(STREETS, "home", "work")
    learner = sb.open_learner(URL, name=name, decision_set=paths, policy=sb.CUCB(), variance=4.0)
    for _ in range(rounds):
        asked = learner.ask()
        learner.tell(asked.id, costs=[5.0] * len(asked.items), key=f"trip {asked.id}")
    return learner


def names(folder="."):
    return sorted(path.name for path in Path(folder).iterdir())


def data_of(report):
    """What the page of a report holds."""
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', Path(report).read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found[1])


def interrupt(*_, **__):
    """Raise what Ctrl-C raises."""
    raise KeyboardInterrupt


def interrupt_after(monkeypatch, count):
    """Raise Ctrl-C when this number of replications is finished."""

    def tell(line, finished, total):
        if finished == count:
            raise KeyboardInterrupt

    monkeypatch.setattr(ReplicationLine, "__call__", tell)
