"""How often intervals of offline evaluation hold the truth, and how its estimates compare with those of Open Bandit Pipeline.

    python experiments/offline.py --write    the table of docs/evaluation.md; three minutes of two cores
    python experiments/offline.py --of obp   largest differences to obp, if it is installed (pip install obp)

Old systems prefer what two kinds of readers like, and the logs do not show the kind: probabilities are right, means of items
alone are not.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, Final

import numpy as np
from doc_tables import header, options_of, row, write_between

import semibandits as sb

ROUNDS: Final = (200, 1_000, 5_000)
ESTIMATORS: Final = ("doubly_robust", "self_normalised", "ips", "direct")
LARGEST: Final = 0.95
"""Probabilities with which old systems show an item are at most this."""
LOG: Final = ("round", "item", "reward", "probability")


def drawn_items(shares: Any, rng: np.random.Generator) -> Any:
    """Items with these inclusion probabilities, whose sum is their number: systematic sampling in random order (Madow 1949)."""
    order = rng.permutation(len(shares))
    return order[np.searchsorted(np.cumsum(shares[order]), rng.random() + np.arange(round(shares.sum())), side="right")]


def with_sum(weights: Any, size: int) -> Any:
    """Inclusion probabilities in proportion to weights, at most `LARGEST`, with this sum."""
    shares = np.array(weights)
    for _ in range(200):
        shares = np.minimum(shares, LARGEST)
        free = shares < LARGEST
        shares[free] *= (size - LARGEST * (~free).sum()) / shares[free].sum()
    return shares


def drawn_log(seed: int, n_rounds: int, size: int | None = None) -> tuple[dict[str, list[Any]], list[int], float, float]:
    """A log, a decision, and the expected reward of a round of the decision and of the log."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(5, 20)), int(rng.integers(2, 5)) if size is None else size
    means = np.clip(rng.beta(1.2, 4.0, d) * rng.uniform(0.3, 1.7, (2, d)), 0.0, 1.0)
    shares = [with_sum(kind + 0.1, m) for kind in means]
    log: dict[str, list[Any]] = {name: [] for name in LOG}
    for number in range(n_rounds):
        kind = int(rng.integers(2))
        for item in drawn_items(shares[kind], rng).tolist():
            reward = float(rng.random() < means[kind, item])
            for name, value in zip(LOG, (number, item, reward, float(shares[kind][item])), strict=True):
                log[name].append(value)
    chosen = rng.choice(d, m, replace=False).tolist()
    before = float(np.mean([each @ mean for each, mean in zip(shares, means, strict=True)]))
    return log, chosen, float(means.mean(axis=0)[chosen].sum()), before


def measured(seed: int, n_rounds: int) -> dict[str, tuple[bool, float, float]]:
    """By estimator: whether the interval holds the truth, the relative error, and half of the relative width."""
    log, chosen, value, before = drawn_log(seed, n_rounds)
    result = sb.evaluate(log, chosen)
    assert result.lift is not None
    lift = value / before - 1.0
    found = {
        name: (each.low <= value <= each.high, each.value / value - 1.0, (each.high - each.low) / (2.0 * value))
        for name in ESTIMATORS
        for each in [result.estimates[name]]
    }
    half = (result.lift.high - result.lift.low) / 2.0
    return found | {"lift": (result.lift.low <= lift <= result.lift.high, result.lift.value - lift, half)}


def compared(seed: int) -> dict[str, float]:
    """Differences to obp: of single items by inverse propensity, its self-normalised and its doubly robust form, and of lists,
    with a probability for each item and position.
    """
    from obp.ope import DoublyRobust, InverseProbabilityWeighting, SelfNormalizedInverseProbabilityWeighting, SlateIndependentIPS

    log, (chosen,), _, _ = drawn_log(seed, 500, size=1)
    items, rewards, chances = (np.array(log[name]) for name in LOG[1:])
    n, d = len(items), int(items.max()) + 1
    means = np.bincount(items, rewards, d) / np.maximum(np.bincount(items, minlength=d), 1)
    target = np.zeros((n, d, 1))
    target[:, chosen, 0] = 1.0
    values = {"reward": rewards, "action": items, "pscore": chances, "action_dist": target, "position": np.zeros(n, dtype=int)}
    ours = sb.evaluate(log, [chosen]).estimates
    guess = np.broadcast_to(means[None, :, None], (n, d, 1))
    theirs = {
        "ips": InverseProbabilityWeighting().estimate_policy_value(**values),
        "self_normalised": SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**values),
        "doubly_robust": DoublyRobust().estimate_policy_value(**values, estimated_rewards_by_reg_model=guess),
    }
    found = {name: abs(ours[name].value - value) for name, value in theirs.items()}
    rng = np.random.default_rng(seed)
    rounds, places = np.repeat(np.arange(200), 3), np.tile(np.arange(3), 200)
    shown = np.concatenate([rng.permutation(6)[:3] for _ in range(200)])
    rewards = rng.random(600)
    listed = SlateIndependentIPS(len_list=3).estimate_policy_value(
        slate_id=rounds, reward=rewards, position=places, pscore_item_position=np.full(600, 1 / 6),
        evaluation_policy_pscore_item_position=(shown == places).astype(float),
    )  # fmt: skip
    pairs = [(int(item), int(place)) for item, place in zip(shown, places, strict=True)]
    log = {"round": rounds.tolist(), "item": pairs, "reward": rewards.tolist(), "probability": [1 / 6] * 600}
    return found | {"lists": abs(sb.evaluate(log, [(0, 0), (1, 1), (2, 2)]).estimates["ips"].value - listed)}


def main() -> None:
    """Measure and print a table; with --write put it into its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=("drawn", "obp"), default="drawn", help="what is measured")
    parser.add_argument("--problems", type=int, default=200, help="drawn problems")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = options_of(parser)
    with ProcessPoolExecutor(options.workers) as pool:
        if options.of == "obp":
            differences = list(pool.map(compared, range(options.problems)))
            print({name: max(each[name] for each in differences) for name in differences[0]})
            return
        lines = header(("rounds", "estimator", "intervals with the truth", "half-width", "bias"))
        for n_rounds in ROUNDS:
            found = list(pool.map(partial(measured, n_rounds=n_rounds), range(options.problems)))
            for name in (*ESTIMATORS, "lift"):
                holds, errors, widths = np.array([each[name] for each in found], dtype=float).T
                cells = (
                    f"{int(holds.sum())} of {len(holds)}",
                    f"{np.median(widths):.1%}",
                    f"{errors.mean():+.1%}".replace("-", "−"),
                )
                lines.append(row((f"{n_rounds:,}", name.replace("_", " "), *cells)))
                print(lines[-1], flush=True)
    if options.write:
        write_between("evaluation.md", "offline.py", "\n".join(lines))


if __name__ == "__main__":
    main()
