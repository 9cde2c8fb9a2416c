"""Reports that cannot be written, of which nothing is left in the folder, and payloads that are no page."""

import math
from functools import cache

import numpy as np

import semibandits as sb
from semibandits.instances import instance_from_description
from semibandits_studies.reporting.page import render

TREES = sb.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "c")])
ONE, HUNDRED = sb.MSets(3, 1), sb.MSets(100, 1)
INSTANCE = instance_from_description({"family": "msets", "size": 1, "theta": [0, 0.5, 1]})


def report(folder, name="report.html", **given):
    try:
        sb.write_report(folder / name, **given)
    finally:
        assert list(folder.rglob("*")) == []


@cache
def bound(decision_set=TREES, end=1.0, variance=0.5):
    return sb.graves_lai(decision_set, np.linspace(0.0, end, decision_set.d), variance)


@cache
def simulation(decision_set=TREES, end=1.0, variance=0.5):
    rewards = sb.GaussianRewards(np.linspace(0.0, end, decision_set.d), variance=variance)
    return sb.simulate(decision_set, rewards, sb.CUCB(), horizon=20, replications=2, bound=False)


def placed(folder, *places):
    report(folder, bound=bound(sb.SpanningTrees([("a", "b")])), positions=dict(zip("ab", places, strict=False)))


def page(**changes):
    render({"schema": 2} | changes)


RESULTS = "got no results"
CALLS = [
    (lambda folder: report(folder), RESULTS),
    (lambda folder: report(folder, decision_set=TREES), RESULTS),
    (lambda folder: report(folder, simulation="result.zip"), "simulation must be a SimulationResult, got str"),
    (lambda folder: report(folder, instance={}), "instance must be a Instance or Dataset, got dict"),
    (lambda folder: report(folder, bound=bound(), decision_set=TREES), "leave decision_set out"),
    (lambda folder: report(folder, simulation=simulation(), bound=bound(ONE)), "d = 3 items, got one over 5"),
    (lambda folder: report(folder, "simulation.zip", bound=bound()), "end in .html"),
    (lambda folder: report(folder, "nowhere/report.html", bound=bound()), "must exist"),
    *((lambda folder, *, labels=labels: report(folder, bound=bound(), labels=labels), "labels must be d = 5 strings")
      for labels in (["a", "b"], "abcde", range(5))),
    (lambda folder: report(folder, bound=bound(), title=3), "title must be strings"),
    (lambda folder: report(folder, simulation=simulation(), positions={}), "positions must be given with decisions"),
    (lambda folder: report(folder, bound=bound(), positions={}), "positions must place every node"),
    (lambda folder: report(folder, instance=INSTANCE, bound=bound(ONE, 1.1)), "got one with other mean rewards"),
    (lambda folder: report(folder, instance=INSTANCE, bound=bound(ONE, 1.0, 1.0)), "got one with other variances"),
    (lambda folder: report(folder, instance=INSTANCE, simulation=simulation(ONE, 1.1)), "mean rewards"),
    (lambda folder: report(folder, instance=INSTANCE, simulation=simulation(ONE, 1.0, 1.0)), "variances"),
    (lambda folder: report(folder, bound=bound(ONE), simulation=simulation(ONE, 1.1)), "mean rewards"),
    (lambda folder: report(folder, bound=bound(ONE), simulation=simulation(ONE, 1.0, 1.0)), "variances"),
    (lambda folder: report(folder, bound=bound(HUNDRED, 1.1), simulation=simulation(HUNDRED)), "mean rewards"),
    (lambda folder: report(folder, instance=INSTANCE, bound=bound(sb.MSets(3, 2))), "got one with other decisions"),
    *((lambda folder, *, place=place: placed(folder, place, (1.0, 0.0)), r"positions must be pairs \(x, y\) of numbers")
      for place in ((0.0,), None, ("west", 1.0))),
    *((lambda folder, *, places=places: placed(folder, *places), "positions must")
      for places in (((0, 0),), ((0, 0), (math.nan, 0)), ((0, 0), (1e99, 0)))),
    *((lambda *, mean=mean: page(items={"theta": [mean]}), "must be plain JSON") for mean in (math.nan, -math.inf)),
    (lambda: page(note=object()), "must be plain JSON"),
    *((lambda *, schema=schema: page(schema=schema), "schema must be 2") for schema in (None, 3, "2")),
]  # fmt: skip
