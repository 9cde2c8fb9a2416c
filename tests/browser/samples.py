"""Payloads for the page: small real runs, which are deterministic, and made-up ones with difficult names."""

import copy
import math
from functools import cache

import networkx as nx
import numpy as np

import semibandits as sb
from semibandits.datasets.borders import borders
from semibandits.datasets.networks import network
from semibandits.reporting.formatting import bracket_text, change_text, decision_text, number_text

NASTY = [
    "</script><script>document.title = 'taken'</script>", '"quoted" & \'single\'', "<img src=x onerror=alert(1)>",
    "smørrebrød 🚲 数据", "x" * 120, "many words in a name " * 8, "line\u2028break\u2029s", "{{data}}", "\ud800 half",
]  # fmt: skip


@cache
def _germany():
    instance = network("germany50").delay_dag("Saarbruecken", "Greifswald")
    policies = [sb.OSSB(), sb.ESCB(), sb.AESCB(), sb.CUCB(), sb.ThompsonSampling()]
    payload = _payload(instance, policies, horizon=2000, replications=4, unit="ms")
    return payload | {
        "title": "Which way should packets go from Saarbruecken to Greifswald?",
        "subtitle": "Paths through germany50: 88 links, modelled delays, rewards in milliseconds",
        "drawing": _map(instance),
    }


@cache
def _tree():
    graph = nx.MultiGraph(nx.petersen_graph())
    graph.add_edges_from([(0, 1), (5, 7), (5, 7)])  # parallel links, which the drawing bows apart
    choices = sb.SpanningTrees(graph)
    theta = np.random.default_rng(3).uniform(0.1, 0.9, choices.d)
    payload = _payload((choices, theta), [sb.OSSB(), sb.ESCB(), sb.CUCB()], horizon=1000, replications=5)
    place = nx.shell_layout(nx.petersen_graph(), [range(5, 10), range(5)])
    nodes = [{"name": f"node {v}", "x": (place[v][0] + 1) / 2, "y": (1 - place[v][1]) / 2, "end": None} for v in range(10)]
    edges = [{"item": i, "tail": e[0], "head": e[1], "parallel": (*e, 0)[2]} for i, e in enumerate(choices.items)]
    drawing = {"kind": "network", "directed": False, "geographic": False, "aspect": 1.5, "nodes": nodes, "edges": edges}
    return payload | {"title": "Which backbone should be built?", "subtitle": "Spanning trees", "drawing": drawing}


@cache
def _matching():
    rows = ["student", "engineer", "artist", "lawyer", "retired"]
    columns = ["drama", "comedy", "thriller", "science fiction", "documentary"]
    pairs = [(r, c) for r in rows for c in columns if (r, c) != ("lawyer", "drama")]
    choices = sb.Matchings(pairs)
    theta = np.random.default_rng(7).uniform(3.0, 4.5, choices.d)
    labels = [f"{r} – {c}" for r, c in pairs]
    payload = _payload((choices, theta), [sb.OSSB(), sb.CUCB()], horizon=1000, replications=5, unit="stars", labels=labels)
    cells = [{"item": i, "row": rows.index(r), "column": columns.index(c)} for i, (r, c) in enumerate(choices.items)]
    return payload | {
        "title": "Which genre should each occupation be shown?",
        "subtitle": "Assignments of genres to occupations",
        "drawing": {"kind": "heatmap", "rows": rows, "columns": columns, "cells": cells},
    }


@cache
def _shortlist():
    d = 60
    choices = sb.MSets(d, 5)
    theta = np.sort(np.random.default_rng(11).beta(6, 3, d))[::-1]
    labels = [f"Flight {1000 + 37 * i} to {('ATL', 'BOS', 'DEN', 'SEA')[i % 4]}" for i in range(d)]
    policies = [sb.OSSB(), sb.ESCB(), sb.CUCB()]
    payload = _payload((choices, theta), policies, horizon=2000, replications=5, labels=labels)
    groups = [("Delta", "JetBlue", "United", "Alaska")[i % 4] for i in range(d)]
    return payload | {
        "title": "Which five flights are the most punctual?",
        "subtitle": "Choices of 5 flights out of 60",
        "drawing": {"kind": "bars", "groups": groups, "group_name": "carrier"},
    }


def germany():
    """A network on a map, directed, with everything."""
    return copy.deepcopy(_germany())


def tree():
    """An abstract network with parallel links."""
    return copy.deepcopy(_tree())


def matching():
    """A heat map with a pair that does not exist."""
    return copy.deepcopy(_matching())


def shortlist():
    """Bars in groups, more than the page shows at first."""
    return copy.deepcopy(_shortlist())


def bound_only():
    """A bound and its plan, and no simulation."""
    payload = germany()
    layers = [layer for layer in payload["layers"] if not layer["key"].startswith("policy:")]
    return payload | {"simulation": None, "layers": layers}


def other_rewards():
    """A bound that bounds nothing for the rewards played: no ratios."""
    payload = shortlist()
    payload["bound"]["applies"] = False
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
        policy.update(
            lower=None, upper=None, regret_interval=None, slope=None, slope_interval=None, slope_ratio=None,
            regret_ratio=None, seconds=None,
        )  # fmt: skip
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
    policy = dict.fromkeys(
        ["lower", "upper", "regret_interval", "regret_ratio", "slope", "slope_interval", "slope_ratio", "seconds"]
    )
    policy |= {
        "name": "A",
        "parameters": "",
        "mean": [0.0],
        "regret": 0.0,
        "calls": {"linear": 0, "index": 0, "plans": 0, "undecided": 0},
    }
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
    curves = [
        {"name": f"policy {k}", "parameters": "", "calls": {"linear": 1, "index": 0, "plans": 0, "undecided": 0}}
        for k in range(5)
    ]
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


def _payload(problem, policies, *, horizon, replications, unit="", labels=None):
    """The common parts of all payloads, from a run of the library."""
    named = not isinstance(problem, tuple)
    choices, theta = (problem.decision_set, problem.theta) if named else problem
    variance = problem.variance if named else np.full(choices.d, 0.05)
    bound = sb.graves_lai(choices, theta, variance)
    result = sb.simulate(
        choices, sb.GaussianRewards(theta, variance=variance), policies, horizon=horizon, replications=replications, bound=bound
    )
    labels = list(problem.labels) if named else labels or [str(item) for item in choices.items]
    simulation = {
        "rewards": "independent Gaussian rewards", "horizon": horizon, "replications": replications, "seed": 0,
        "checkpoints": result.checkpoints.tolist(), "policies": [_policy(result, row) for row in result.summary()],
    }  # fmt: skip
    closest = min(result.summary(), key=lambda row: row.regret)
    best = decision_text(problem, bound.optimal_decision) if named else ", ".join(np.array(labels)[bound.optimal_decision])
    cost = f"{number_text(bound.value, 3)} {unit} per ln T"
    return {
        "schema": 2,
        "unit": unit,
        "note": "Numbers of a test: every one of them comes from a run of the library on a small instance.",
        "answers": [
            {"key": "decided", "label": "What is decided", "headline": f"{choices.d} items, {choices.m} at a time",
             "text": f"In each of {horizon:,} rounds one decision is made, and the reward of each of its items is seen."},
            {"key": "best", "label": "What is best", "headline": best, "text": "The decision with the highest mean reward."},
            {"key": "cost", "label": "What exploring costs at least", "headline": cost,
             "text": f"{bracket_text(bound.lower, bound.value)}. No uniformly good policy can lose less in the long run."},
            {"key": "earned", "label": "What learning earned", "headline": closest.policy,
             "text": f"It lost {number_text(closest.regret, 3)} {unit} in {horizon:,} rounds.",
             "header": ["policy", "lost", "share"],
             "rows": [{"label": row.policy, "value": number_text(row.regret, 3), "ratio": ""} for row in result.summary()]},
        ],
        "bound": {"lower": bound.lower, "value": bound.value, "gap": bound.gap, "method": bound.method,
                  "status": str(bound.status), "applies": True, "text": bracket_text(bound.lower, bound.value)},
        "simulation": simulation,
        "items": {"labels": labels, "theta": theta.tolist(), "variance": variance.tolist(),
                  "optimal": bound.optimal_decision.tolist(), "suboptimal": bound.suboptimal_items.tolist()},
        "plan": _plan(problem if named else None, labels, bound),
        "drawing": None,
        "layers": _layers(result, bound, unit, theta),
        "tables": {
            "provenance": [{"label": "Data", "text": "made for a test"}, {"label": "Licence", "text": "Apache-2.0"}],
            "again": [
                {"label": "On the command line", "code": "semibandits run study.toml\nsemibandits report study"},
                {"label": "In Python", "code": "import semibandits as sb\n\nresult = sb.simulate(X, rewards, policies)"},
            ],
        },
        "version": "0.1.0",
    }  # fmt: skip


def _policy(result, row):
    band = result.bands(row.policy)
    return {
        "name": row.policy, "parameters": "default parameters", "mean": band.mean.tolist(), "lower": band.lower.tolist(),
        "upper": band.upper.tolist(), "regret": row.regret, "regret_interval": list(row.regret_interval),
        "regret_ratio": row.regret_ratio, "slope": row.slope, "slope_interval": list(row.slope_interval),
        "slope_ratio": row.slope_ratio, "calls": dict(zip(("linear", "index", "plans", "undecided"), row.calls, strict=True)),
        "seconds": 0.25,
    }  # fmt: skip


def _plan(instance, labels, bound):
    order = np.argsort(-bound.plan.rates, kind="stable")
    best = float(bound.theta[bound.optimal_decision].sum())
    rows = []
    for k in order[:100].tolist():
        decision, rate = bound.plan.decisions[k], float(bound.plan.rates[k])
        gap = best - float(bound.theta[decision].sum())
        new = [labels[i] for i in np.flatnonzero(decision & ~bound.optimal_decision)]
        text = change_text(instance, decision, bound.optimal_decision) if instance is not None else "+ " + ", ".join(new)
        rows.append({"text": text, "gap": gap, "rate": rate, "share": gap * rate / bound.value,
                     "items": np.flatnonzero(decision).tolist()})  # fmt: skip
    return {"rows": rows, "more": max(0, len(order) - 100), "words": "how it departs from the best one"}


def _layers(result, bound, unit, theta):
    played = [
        {"key": f"policy:{policy}", "label": policy, "unit": "plays", "values": result.item_plays(policy).mean.tolist(),
         "text": f"How often {policy} played each item, on average over the replications."}
        for policy in result.policies
    ]  # fmt: skip
    plan = {"key": "plan", "label": "Plan", "unit": "plays per ln T", "values": bound.rates.tolist(),
            "text": "How often the plan explores each item, in plays per ln T."}  # fmt: skip
    rewards = {"key": "theta", "label": "Mean reward", "unit": unit, "values": theta.tolist(),
               "text": "Mean reward of each item."}  # fmt: skip
    return [plan, *played, rewards]


def _map(instance):
    choices = instance.decision_set
    places = np.array([instance.positions[node] for node in choices.nodes])
    low, high = places.min(axis=0), places.max(axis=0)
    squeeze = math.cos(math.radians(float(places[:, 1].mean())))

    def unit_square(points):
        share = (np.asarray(points) - low) / (high - low)
        return np.column_stack([share[:, 0], 1 - share[:, 1]]).round(4).tolist()

    ends = {choices.source: "source", choices.target: "target"}
    nodes = [
        {"name": str(node), "x": x, "y": y, "end": ends.get(node)}
        for node, (x, y) in zip(choices.nodes, unit_square(places), strict=True)
    ]
    arcs = zip(choices.tails.tolist(), choices.heads.tolist(), strict=True)
    edges = [{"item": i, "tail": u, "head": v, "parallel": 0} for i, (u, v) in enumerate(arcs)]
    lines = [unit_square(line) for line in borders(low[0], low[1], high[0], high[1])]
    aspect = float((high[0] - low[0]) * squeeze / (high[1] - low[1]))
    return {"kind": "network", "directed": True, "geographic": True, "aspect": aspect, "nodes": nodes, "edges": edges,
            "borders": lines}  # fmt: skip
