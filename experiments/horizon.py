"""Regret of GLADE with a known horizon, and with one that is wrong.

    python experiments/horizon.py --of panel --write     a table of docs/policies/horizon.md; also --of longer, --of others
    python experiments/horizon.py --half tune            the same on the half on which the rule was chosen

Policies play the instances of a half of the panel, without the large ones, for --rounds rounds ("panel"), and the small ones for
ten times as many with a fifth of the replications ("longer"); and late outcomes and clicks ("others"). All policies of a
replication share rewards (experiments/stacked.py), but not clicks.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Final

import delays
import numpy as np
from doc_tables import header, options_of, row, write_between
from panel import HALVES, Entry, drawn, entries
from panel_sets import Vector, laminar, two_partitions
from stacked import StackedRewards
from statistics_of_ratios import Interval, geometric_mean, holm, p_ratio_above, paired_ratio

import semibandits as sb

SEED: Final = 20_261_128
MOST_RATIO: Final = 1.03
"""Largest ratio to GLADE in the tested hypothesis."""
FAR: Final = 3.0
"""Regret above this many medians counts as a failed run."""
OLD, NEW, KNOWN = "`ThompsonSampling()`", "`GLADE()`", "`GLADE(horizon=T)`"
Regrets = dict[str, Vector]


def policies(rounds: int) -> dict[str, sb.Policy]:
    """Policies by the names in tables; the last two have a horizon that is wrong."""
    return {
        OLD: sb.ThompsonSampling(),
        NEW: sb.GLADE(),
        "`GLADE(discount=0.5)`": sb.GLADE(discount=0.5),
        KNOWN: sb.GLADE(horizon=rounds),
        "`GLADE(horizon=T, rivals=0.4)`": sb.GLADE(horizon=rounds, rivals=0.4),
        "`GLADE(horizon=T/2)`": sb.GLADE(horizon=rounds // 2),
        "`GLADE(horizon=4T/5)`": sb.GLADE(horizon=rounds * 4 // 5),
    }


def played(
    decision_set: sb.DecisionSet, rewards: sb.RewardModel, rounds: int, replications: int, names: Sequence[str], delay: int = 0
) -> Regrets:
    """Regret of each replication, by policy."""
    chosen = {name: policy for name, policy in policies(rounds).items() if name in names}
    result = sb.simulate(
        decision_set, rewards, chosen, rounds, replications, SEED, checkpoints=[rounds], bound=False, delay=delay
    )  # fmt: skip
    return {name: values[:, -1] for name, values in result.regret.items()}


def shown(ratio: Interval) -> str:
    """A ratio with its interval."""
    return f"{ratio.value:.3f} [{ratio.lower:.3f}, {ratio.upper:.3f}]"


def far(regret: Mapping[str, Regrets], policy: str, base: str) -> str:
    """Share of the runs above three medians of `base`, in percent, with half the width of a 95 % interval."""
    runs = np.array([own[policy] > FAR * np.median(own[base]) for own in regret.values()])
    return f"{100 * runs.mean():.2f} ± {196 * runs.std() / math.sqrt(runs.size):.2f} %"


def summary(regret: Mapping[str, Regrets], names: Sequence[str]) -> list[str]:
    """The table of policies over all instances."""
    far_columns = ("far, median of `GLADE()`", "far, own median")
    lines = header(["policy", "median ratio to Thompson", "geometric mean", "ratio to `GLADE()`", "largest", *far_columns])
    for name in names:
        to_old = [float(own[name].mean() / own[OLD].mean()) for own in regret.values()]
        mean = shown(geometric_mean([(own[name], own[OLD]) for own in regret.values()])) if name != OLD else "1"
        cells = ["", ""]
        if name != NEW:
            worst = max(regret, key=lambda key: float(regret[key][name].mean() / regret[key][NEW].mean()))
            values = regret[worst][name], regret[worst][NEW]
            cells = [shown(geometric_mean([(own[name], own[NEW]) for own in regret.values()]))]
            cells += [f"{shown(paired_ratio(*values))} ({worst})"]
        lines.append(row([name, f"{np.median(to_old):.3f}", mean, *cells, far(regret, name, NEW), far(regret, name, name)]))
    tests = {
        (name, key): p_ratio_above(own[name], own[NEW], MOST_RATIO)
        for name in names
        if "horizon" in name
        for key, own in regret.items()
    }  # fmt: skip
    above = [pair for pair, p in zip(tests, holm(list(tests.values())), strict=True) if p < 0.05]
    found = ", ".join(f"{name} on {key}" for name, key in above) or "none"
    runs = len(next(iter(regret.values()))[NEW])
    lines += [
        "",
        f"{len(regret)} instances, {runs} runs. Significantly above {MOST_RATIO} times `GLADE()`: {found} of {len(tests)}.",
    ]
    return lines


def of_panel(
    half: Sequence[Entry], options: argparse.Namespace, rounds: int, replications: int, names: Sequence[str]
) -> list[str]:
    """Simulate instances, and print one line for each."""
    regret = {}
    for entry in half:
        instance = drawn(entry, options.half)
        rewards = StackedRewards(instance.theta, instance.variance)
        regret[entry.name] = played(instance.decision_set, rewards, rounds, replications, names)
        print(entry.name, {name: round(float(values.mean()), 1) for name, values in regret[entry.name].items()}, flush=True)
    return [f"T = {rounds:,}:", "", *summary(regret, names)]


def others(options: argparse.Namespace) -> list[str]:
    """The table of late outcomes, and of clicks on sets with quotas."""
    names, rounds = [OLD, NEW, KNOWN], options.rounds
    lines = header(["instance", "delay", *names, "last / Thompson", "last / `GLADE()`"])
    cases = {
        (name, delay): (decision_set, StackedRewards(theta, variance), delay)
        for name, (decision_set, theta, variance) in delays.instances(0).items()
        for delay in (100, 1000)
    }  # fmt: skip
    quotas = {
        "nested quotas, clicks": laminar(),
        "two families of quotas, clicks": two_partitions(np.random.default_rng(1), 16, (5, 7)),
    }
    for k, (name, decision_set) in enumerate(quotas.items()):
        clicks = sb.BernoulliRewards(np.random.default_rng([SEED, k]).uniform(0.02, 0.3, decision_set.d))
        cases[name, 0] = decision_set, clicks, 0
    for (name, delay), (decision_set, rewards, late) in cases.items():
        regret = played(decision_set, rewards, rounds, options.replications, names, late)
        cells = [f"{values.mean():,.1f} ± {delays.half_width(values):.1f}" for values in regret.values()]
        lines.append(row([name, delay, *cells, *(shown(paired_ratio(regret[KNOWN], regret[base])) for base in (OLD, NEW))]))
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Simulate, print the tables, and write them if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="held")
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--replications", type=int, default=100, help="at least 10")
    parser.add_argument("--only", nargs="+", metavar="INSTANCE", help="only these instances")
    parser.add_argument("--of", choices=("panel", "longer", "others"), default="panel", help="which table")
    options = options_of(parser)
    half = [entry for entry in entries(options.half) if not entry.name.startswith("large")]
    half = [entry for entry in half if not options.only or entry.name in options.only]
    if options.of == "panel":
        lines = of_panel(half, options, options.rounds, options.replications, list(policies(options.rounds)))
    elif options.of == "longer":
        small = [entry for entry in half if not entry.name.startswith("real")]
        lines = of_panel(small, options, 10 * options.rounds, options.replications // 5, [OLD, NEW, KNOWN])
    else:
        lines = others(options)
    print("\n".join(["", *lines]))
    if options.write:
        write_between("policies/horizon.md", f"horizon.py --of {options.of}", "\n".join(lines))


if __name__ == "__main__":
    main()
