"""Keep what this version writes, for the tests of later ones: python tests/releases/keep.py

Run at each release. `test_releases.py` reads the files of all releases.
"""

import importlib
import inspect
import json
import re
import shutil
from pathlib import Path

import numpy as np

import semibandits as sb
from semibandits import laws
from semibandits.studies import read_study, run_study
from semibandits.testing.__main__ import MODULES

HERE = Path(__file__).parent
STUDY = """
[problem]
file = "table.csv"
size = 2
[simulation]
policies = ["CUCB", "GLADE"]
horizon = 300
replications = 4
[output]
folder = "results"
figure = false
report = false
"""
PAIRS = [(f"r{i}", f"c{j}") for i in range(3) for j in range(3)]
STREETS = [("s", "a"), ("a", "s"), ("s", "b"), ("a", "b"), ("b", "a"), ("a", "t"), ("b", "t"), ("b", "t")]
SETS = {
    "enumerated": sb.EnumeratedDecisions([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]], items="abcd"),
    "intersection": sb.MatroidIntersection(sb.matroids.Partition("aabbcc", 1), sb.matroids.Partition("xyzxyz", 1)),
    "matchings": sb.Matchings(PAIRS),
    "matroid": sb.MatroidBases(sb.matroids.Partition("aabbbc", {"a": 1, "b": 2, "c": 0})),
    "msets": sb.MSets(6, 2, items="uvwxyz"),
    "paths": sb.Paths([("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("b", "t")], "s", "t"),
    "routes": sb.Routes(STREETS, "s", "t", 0.25),
    "trees": sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)]),
}
LAWS = {"bernoulli": laws.Bernoulli(), "gamma": laws.Gamma(2.0), "gaussian": laws.Gaussian(0.25), "poisson": laws.Poisson()}
POLICIES = {
    "AESCB": sb.AESCB(ratio=0.9),
    "CUCB": sb.CUCB(radius="kveton"),
    "ESCB": sb.ESCB(radius="log-loglog"),
    "GLADE": sb.GLADE(),
    "OSSB": sb.OSSB(),
    "Thompson sampling": sb.ThompsonSampling(scale=0.5),
}


def means_of(decision_set):
    """Means without ties: costs for paths and routes."""
    means = 0.3 + 0.05 * np.arange(decision_set.d) ** 1.1
    return -means if isinstance(decision_set, sb.Routes | sb.Paths) else means


def played(learner, theta, rounds=30):
    """The learner after some rounds, of which every fifth stays open."""
    noise = np.random.default_rng(7)
    for number in range(rounds):
        asked = learner.ask()
        if number % 5:
            learner.tell(asked.id, theta[asked.decision] + noise.normal(0.0, 0.1, int(asked.decision.sum())))
    return learner


def facts_of(learner):
    """What a restored learner must know."""
    return {
        "rounds": learner.rounds,
        "open": {str(asked.id): np.flatnonzero(asked.decision).tolist() for asked in learner.open_rounds},
        "plays": learner.plays.tolist(),
        "means": learner.means.tolist(),
        "best": np.flatnonzero(learner.best()).tolist(),
    }


def learners():
    """A learner for each decision set, with GLADE, and for each policy, on 2 of 6 items."""
    cases = {name: (x, sb.GLADE()) for name, x in SETS.items()} | {p: (SETS["msets"], a) for p, a in POLICIES.items()}
    for name, (x, policy) in cases.items():
        yield name, played(sb.Learner(x, policy, variance=0.25, seed=1), means_of(x))


def bounds():
    """A bound for each decision set, for each law on 2 of 6 items, and by each method."""
    for name, x in SETS.items():
        yield name, sb.graves_lai(x, means_of(x), variance=0.25)
    for name, law in LAWS.items():
        yield name, sb.graves_lai(SETS["msets"], means_of(SETS["msets"]), law=law)
    for method in ("columns", "enumeration", "glpg"):
        x = SETS["paths"]
        yield method, sb.graves_lai(x, means_of(x), variance=0.25, method=method, gap=1e-3)


def signatures():
    """For each public function, class and method, the parameters that a call may have, with their kinds and defaults."""
    for module in MODULES:
        for name in importlib.import_module(module).__all__:
            value = getattr(importlib.import_module(module), name)
            yield f"{module}.{name}", parameters_of(value)
            for method in dir(value) if inspect.isclass(value) else ():
                if not method.startswith("_"):
                    yield f"{module}.{name}.{method}", parameters_of(inspect.getattr_static(value, method))


def parameters_of(value):
    """Kind and default of each parameter; None for what cannot be called."""
    value = getattr(value, "__func__", value)
    try:
        known = inspect.signature(value).parameters if callable(value) else None
    except ValueError:
        known = None
    if known is None:
        return None
    absent = inspect.Parameter.empty
    return {
        name: [one.kind.name, None if one.default is absent else re.sub(r" at 0x\w+", "", repr(one.default))]
        for name, one in known.items()
        if not name.startswith("_")
    }


def keep(folder):
    """Write all files of this version into an empty folder."""
    (folder / "names.json").write_text(json.dumps(dict(signatures())), encoding="utf-8")
    kept = {name: {"state": learner.state(), "facts": facts_of(learner)} for name, learner in learners()}
    (folder / "learners.json").write_text(json.dumps(kept), encoding="utf-8")
    (folder / "bounds.json").write_text(json.dumps({n: b.to_json() for n, b in bounds()}), encoding="utf-8")
    with sb.open_learner(
        f"sqlite:///{folder / 'learners.db'}", name="films", decision_set=SETS["msets"], variance=0.25, seed=1
    ) as learner:
        facts = facts_of(played(learner, means_of(SETS["msets"])))
    (folder / "database.json").write_text(json.dumps(facts), encoding="utf-8")
    (folder / "table.csv").write_text("item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    run_study(read_study(folder / "study.toml"))


if __name__ == "__main__":
    target = HERE / sb.__version__
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    keep(target)
    print(*sorted(str(path.relative_to(HERE)) for path in target.rglob("*") if path.is_file()), sep="\n")
