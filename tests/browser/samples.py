"""Payloads for the page: small real runs, which are deterministic, and made-up ones with difficult names."""

import copy
import json
import math
import re
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np

import semibandits as sb
from semibandits_studies.datasets.networks import network
from semibandits_studies.reporting.report_data import OTHER_LAW

NASTY = [
    "</script><script>document.title = 'taken'</script>", '"quoted" & \'single\'', "<img src=x onerror=alert(1)>",
    "smørrebrød 🚲 数据", "x" * 120, "many words in a name " * 8, "line\u2028break\u2029s", "{{data}}", "\ud800 half",
]  # fmt: skip


NULLS = "lower upper regret_interval regret_ratio slope slope_interval slope_ratio seconds"
UNKNOWN = dict.fromkeys(NULLS.split())
"""What may be null of a policy."""
CALLS = {"linear": 0, "index": 0, "plans": 0, "undecided": 0}


def fresh(make):
    """A copy of what is made once, in each call."""
    made = cache(make)
    return wraps(make)(lambda: copy.deepcopy(made()))


@fresh
def germany():
    """A network on a map, directed, with everything."""
    instance = network("germany50").delay_dag("Saarbruecken", "Greifswald")
    policies = [sb.OSSB(), sb.ESCB(), sb.AESCB(), sb.CUCB(), sb.ThompsonSampling()]
    title = "Which way should packets go from Saarbruecken to Greifswald?"
    problem = (instance.decision_set, instance.theta)
    named = {"variance": instance.variance, "instance": instance, "unit": "ms", "title": title}
    return _payload(*problem, policies, horizon=2000, replications=4, **named)


@fresh
def tree():
    """An abstract network with parallel links."""
    graph = nx.MultiGraph(nx.petersen_graph())
    graph.add_edges_from([(0, 1), (5, 7), (5, 7)])  # parallel links, which the drawing bows apart
    choices = sb.SpanningTrees(nx.relabel_nodes(graph, "node {}".format))
    theta = np.random.default_rng(3).uniform(0.1, 0.9, choices.d)
    shells = nx.shell_layout(nx.petersen_graph(), [range(5, 10), range(5)])
    place = {f"node {node}": (1.5 * x, y) for node, (x, y) in shells.items()}
    policies = [sb.OSSB(), sb.ESCB(), sb.CUCB()]
    return _payload(choices, theta, policies, title="Which backbone should be built?", positions=place)


@fresh
def matching():
    """A heat map with a pair that does not exist."""
    rows = ["student", "engineer", "artist", "lawyer", "retired"]
    columns = ["drama", "comedy", "thriller", "science fiction", "documentary"]
    choices = sb.Matchings([(r, c) for r in rows for c in columns if (r, c) != ("lawyer", "drama")])
    theta = np.random.default_rng(7).uniform(3.0, 4.5, choices.d)
    title = "Which genre should each occupation be shown?"
    return _payload(choices, theta, [sb.OSSB(), sb.CUCB()], unit="stars", title=title)


@fresh
def shortlist():
    """Bars in groups, more than the page shows at first."""
    d = 60
    theta = np.sort(np.random.default_rng(11).beta(6, 3, d))[::-1]
    labels = [f"Flight {1000 + 37 * i} to {('ATL', 'BOS', 'DEN', 'SEA')[i % 4]}" for i in range(d)]
    policies = [sb.OSSB(), sb.ESCB(), sb.CUCB()]
    title = "Which five flights are the most punctual?"
    payload = _payload(sb.MSets(d, 5), theta, policies, horizon=2000, labels=labels, title=title)
    groups = [("Delta", "JetBlue", "United", "Alaska")[i % 4] for i in range(d)]
    return payload | {"drawing": {"kind": "bars", "groups": groups, "group_name": "carrier"}}


def _payload(choices, theta, policies, *, variance=0.05, instance=None, horizon=1000, replications=5, **names):
    """The object in the page of a report on a run of the library."""
    bound = sb.graves_lai(choices, theta, variance)
    rewards = sb.GaussianRewards(theta, variance=variance)
    result = sb.simulate(choices, rewards, policies, horizon=horizon, replications=replications, bound=bound)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        sb.write_report(path, simulation=result, bound=bound, instance=instance, **names)
        return data_in(path.read_text(encoding="utf-8"))


def data_in(html):
    """The object from which the page is drawn."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def bound_only():
    """A bound and its plan, and no simulation."""
    payload = germany()
    layers = [layer for layer in payload["layers"] if not layer["key"].startswith("policy:")]
    return payload | {"simulation": None, "layers": layers}


def other_rewards():
    """A bound that bounds nothing for the rewards played: no ratios."""
    payload = shortlist()
    payload["bound"] |= {"applies": False, "exception": OTHER_LAW}
    payload["simulation"]["rewards"] = "replayed rewards"
    for policy in payload["simulation"]["policies"]:
        policy.update(regret_ratio=None, slope_ratio=None)
    return payload


def one_replication():
    """No bands, no intervals, no bound and no plan, as from a simulation.zip alone."""
    payload = tree()
    payload |= {"bound": None, "plan": None, "drawing": None}
    payload["simulation"] |= {"replications": 1, "seed": None}
    for policy in payload["simulation"]["policies"]:
        policy |= UNKNOWN
    payload["items"] |= {"theta": None, "variance": None, "optimal": None, "suboptimal": None}
    payload["layers"] = [layer for layer in payload["layers"] if layer["key"].startswith("policy:")]
    return payload


def hard_names(payload):
    """The payload with names that may break pages."""
    name = iter(NASTY * 100)
    payload |= {"title": NASTY[0], "subtitle": NASTY[2], "unit": NASTY[1], "note": NASTY[4]}
    for answer in payload["answers"]:
        answer |= {"headline": next(name), "text": next(name), "label": next(name)}
    for policy in payload["simulation"]["policies"]:
        policy |= {"name": next(name), "parameters": next(name)}
    for layer in payload["layers"]:
        layer |= {"label": next(name), "text": next(name), "unit": next(name)}
    payload["items"]["labels"] = [next(name) for _ in payload["items"]["labels"]]
    for row in payload["plan"]["rows"]:
        row["text"] = next(name)
    for node in payload["drawing"].get("nodes", []):
        node["name"] = next(name)
    for side in ("rows", "columns"):
        if side in payload["drawing"]:
            payload["drawing"][side] = [next(name) for _ in payload["drawing"][side]]
    payload["tables"] = {
        "provenance": [{"label": next(name), "text": next(name)}],
        "again": [{"label": next(name), "code": next(name)}],
    }
    return payload


def only_nulls():
    """Every key, with null wherever the schema allows it."""
    policy = UNKNOWN | {"name": "A", "parameters": "", "mean": [0.0], "regret": 0.0, "calls": CALLS}
    simulation = {"rewards": "", "horizon": 1, "replications": 1, "seed": None, "checkpoints": [1], "policies": [policy]}
    items = {"labels": ["a", "b"], "theta": None, "variance": None, "optimal": None, "suboptimal": None}
    layer = {"key": "policy:A", "label": "A", "text": "", "unit": "", "values": [None, None]}
    return {
        "schema": 2, "title": "Nothing much", "subtitle": "", "unit": "", "note": "", "answers": [], "bound": None,
        "simulation": simulation, "items": items, "plan": None, "drawing": None, "layers": [layer],
        "tables": {"provenance": [], "again": []}, "version": "0",
    }  # fmt: skip


def large():
    """300 links with 5 policies and 100 checkpoints: the largest report that must be fast."""
    rng = np.random.default_rng(5)
    n, d, rounds = 120, 300, np.unique(np.round(np.logspace(0, 5, 115)).astype(int))[:100].tolist()
    curves = [{"name": f"policy {k}", "parameters": "", "calls": CALLS} for k in range(5)]
    for k, curve in enumerate(curves):
        mean = [(k + 1) * math.log(t) ** 1.5 for t in rounds]
        curve |= {"mean": mean, "lower": [0.9 * y for y in mean], "upper": [1.1 * y for y in mean], "regret": mean[-1]}
    simulation = {"rewards": "", "horizon": rounds[-1], "replications": 100, "seed": 0, "checkpoints": rounds}
    nodes = [{"name": f"place {v}", "x": x, "y": y, "end": None} for v, (x, y) in enumerate(rng.random((n, 2)).tolist())]
    ends = rng.integers(0, n, (d, 2)).tolist()
    edges = [{"item": i, "tail": u, "head": v, "parallel": 0} for i, (u, v) in enumerate(ends)]
    layers = [
        {"key": f"policy:{k}", "label": f"policy {k}", "text": "", "unit": "plays", "values": rng.exponential(9, d).tolist()}
        for k in range(5)
    ]
    payload = only_nulls() | {"simulation": simulation | {"policies": curves}, "layers": layers}
    payload["items"] |= {"labels": [f"link {i}" for i in range(d)], "optimal": (rng.random(d) < 0.05).tolist()}
    payload["drawing"] = {"kind": "network", "directed": True, "geographic": False, "aspect": 1.4, "nodes": nodes, "edges": edges}
    return payload
