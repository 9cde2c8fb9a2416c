"""Answers of a service to the live page, for learners in every state."""

import math

import numpy as np

NASTY = [
    "<img src=x onerror=\"document.title = 'taken'\">",
    "</script><script>document.title = 'taken'</script>",
    "smørrebrød 🚲",
    "x" * 120,
]


def learner(name="commute", d=12, *, rounds=1234, is_cost=True, drifts=1, seed=0):
    """Answers about a learner by path."""
    rng = np.random.default_rng(seed)
    labels = [NASTY[i] if i < len(NASTY) else f"a{i} → b{i}" for i in range(d)]
    items = [[f"a{i}", f"b{i}"] for i in range(d)]
    sign = -1 if is_cost else 1
    means = rng.uniform(2.0, 9.0, d)
    plays = rng.integers(1, 400, d)
    widths = 6.0 / np.sqrt(plays)
    ends = [means - widths, means + widths] if not is_cost else [-means - widths, widths - means]
    estimates = [
        {"item": items[i], "text": labels[i], "plays": int(plays[i]), "open": int(i % 3), "mean": sign * means[i],
         "lower": ends[0][i], "upper": ends[1][i], "in_best": i < 3}
        for i in range(d)
    ]  # fmt: skip
    if d > 5:
        estimates[5] |= {"plays": 0, "mean": None, "lower": None, "upper": None}
    rates = rng.uniform(0.5, 30.0, d) * (np.arange(d) >= 3)
    wanted = rates * math.log(rounds)
    bound = [
        {"item": items[i], "text": labels[i], "rate": rates[i], "wanted": wanted[i], "plays": int(plays[i])}
        for i in range(d)
    ]  # fmt: skip
    found = [
        {"item": items[i], "text": labels[i], "round": 900 + i, "before": sign * 3.0, "after": sign * 5.25} for i in range(drifts)
    ]
    text, value = " → ".join(labels[:3]), sign * float(means[:3].sum())
    best = {"items": items[:3], "text": text, "value": value, "is_cost": is_cost, "unknown": 0}
    oldest = [{"round": rounds - 432 + k, "items": items[:3], "age": 431 - k, "seconds": 754.0 - k} for k in range(7)]
    bands = [{"from": 0, "to": 9, "count": 4}, {"from": 10, "to": 99, "count": 0}, {"from": 100, "to": 999, "count": 3}]
    base = f"/v1/learners/{name}"
    return {
        base: {
            "name": name, "created": "2026-11-03T10:00:00+00:00", "decision_set": f"Paths(d={d}, m=3)", "family": "paths",
            "policy": "GLADE(variance=None)", "law": None, "items": d, "largest_decision": 3, "calls": 2461, "rounds": rounds,
            "open": {"count": 7, "oldest_age": 431, "oldest_seconds": 754.0, "by_age": bands},
            "best": best,
            "nouns": {"item": "link", "items": "links", "decision": "path", "decisions": "paths"},
            "half_life": None, "drift": {"error": 0.01, "found": found},
        },
        f"{base}/estimates": {"error": 0.05, "items": estimates},
        f"{base}/bound": {
            "status": "ready", "at_rounds": rounds - 34, "value": 52.34, "lower": 52.31, "gap": 5e-4, "items": bound,
            "message": None,
        },
        f"{base}/confidence": {"confidence": 0.95379},
        f"{base}/rounds": {"rounds": oldest, "next": None},
    }  # fmt: skip


def with_features(answers, text="kind, size"):
    """Adds what features say: half a unit more than the mean of an item, or -5 where there is none."""
    base, estimates = list(answers)[:2]
    answers[base]["features"] = text
    for item in answers[estimates]["items"]:
        item |= {"shrunk": -5.0 if item["mean"] is None else item["mean"] + 0.5, "shrunk_sd": 0.25}
    return answers


def of_pairs(answers, pairs):
    """The same for the pairs of an assignment."""
    base, estimates = list(answers)[:2]
    nouns = {"item": "pair", "items": "pairs", "decision": "matching", "decisions": "matchings"}
    answers[base] |= {"family": "matchings", "nouns": nouns}
    for item, pair in zip(answers[estimates]["items"], pairs, strict=True):
        item |= {"item": list(pair), "text": " - ".join(map(str, pair))}
    return answers


def service(*learners):
    """Answers about several learners by path."""
    answers = {path: answer for one in learners for path, answer in one.items()}
    summaries = [answer for path, answer in answers.items() if path.count("/") == 3]
    listed = [
        {key: one[key] for key in ("name", "created", "calls", "rounds")} | {"open": one["open"]["count"]} for one in summaries
    ]
    return {"/v1/learners": {"learners": listed}, "/v1/compilation": compilation("done"), **answers}


def compilation(status, kernels=0):
    """What is compiled in the background."""
    return {"status": status, "pending": int(status != "done"), "kernels": kernels, "loaded": 0}
