"""Regret of GLADE and Thompson sampling on instances that were drawn before GLADE was tuned.

    python experiments/compare.py FOLDER              simulate, or resume the runs in FOLDER; page and figures in FOLDER/page
    python experiments/compare.py FOLDER --write      the same, and docs/policies/comparison.md with its figures

Both policies receive the same rewards: the n-th reward of an item is the same number for both (experiments/stacked.py). If a
result is close to a limit, --most replications are played, of GLADE only if just its slope is close. A run in a folder cannot be
extended, so the additional replications use separate folders and the seed --seed + 1, and are pooled with the first
ones.

FOLDER records the last commit that changed src/, and other code does not resume it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from compare_figures import write_figures
from compare_page import header, page, row
from compare_results import NEW, OLD, Outcome, short_name
from doc_tables import DOCS, options_of
from panel import HALVES, Instance, panel, star
from stacked import StackedRewards

import semibandits as sb
from semibandits.formats.files import write_whole
from semibandits.simulation.checkpoints import log_spaced

POLICIES: Final = {OLD: sb.ThompsonSampling(), NEW: sb.GLADE()}
SEED: Final = 20_261_123
PER_DECADE: Final = 10
ROOT: Final = Path(__file__).resolve().parents[1]
SHORTEST: Final = 1000
COSTLY: Final = {"large-partitions": 20, "real-nobel-us-multicast": 50}
"""Largest number of replications by instance, where 200 would take too long."""


def main() -> int:
    """Simulate, print one row per instance, then write the page and figures."""
    options = _options()
    code = kept_code(options.folder, code_of(ROOT))
    mpl.use("Agg")
    outcomes = []
    wanted = _wanted(options)
    print(header(), flush=True)
    for instance in wanted:
        outcomes.append(compared(instance, options))
        print(row(outcomes[-1]), flush=True)
    docs = DOCS if options.write else options.folder / "page"
    text = page(outcomes, options, ROOT / "experiments" / "cost.json", code)
    write_figures(outcomes, docs / "figures")
    (docs / "policies").mkdir(parents=True, exist_ok=True)
    write_whole(docs / "policies" / "comparison.md", text.encode())
    print(f"written: {docs / 'policies' / 'comparison.md'} and {docs / 'figures'}/compare-*.png")
    return 0


def code_of(root: Path) -> str:
    """The last commit that changed src/, with a "+" if files there differ from it; "unknown" outside a checkout."""
    commands = (["git", "log", "-1", "--format=%h", "--", "src"], ["git", "status", "--porcelain", "--", "src"])
    try:
        commit, changes = (
            subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip() for command in commands
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return (commit or "unknown") + ("+" if changes else "")


def kept_code(folder: Path, code: str) -> str:
    """Record the code in a new folder; exit if the folder belongs to other code."""
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "commit"
    if not record.exists():
        write_whole(record, f"{code}\n".encode())
    kept = record.read_text(encoding="utf-8").strip()
    if kept != code:
        sys.exit(f"{folder} must contain runs of the current code ({code}), got runs of {kept}: choose a new folder")
    return code


def compared(instance: Instance, options: argparse.Namespace) -> Outcome:
    """Both policies on one instance, with more replications if the result is close."""
    horizon = min(instance.horizon, options.horizon or instance.horizon)
    bound = sb.graves_lai(instance.decision_set, instance.theta, instance.variance)
    if short_name(instance) in COSTLY:
        count = min(options.replications, COSTLY[short_name(instance)])
        return _outcome(instance, bound, _played(instance, bound, horizon, count, options.seed, POLICIES, options))
    regret = _played(instance, bound, horizon, options.replications, options.seed, POLICIES, options)
    first = _outcome(instance, bound, regret)
    if options.most <= options.replications or not first.close:
        return first
    further = options.most - options.replications
    more = _played(instance, bound, horizon, further, options.seed + 1, first.close, options)
    pooled = {
        policy: np.concatenate([rows, *([more[policy].regret[policy]] if policy in more else [])])
        for policy, rows in first.regret.items()
    }
    return replace(first, regret=pooled)


def _played(
    instance: Instance,
    bound: sb.GravesLaiResult,
    horizon: int,
    replications: int,
    seed: int,
    policies: Collection[str],
    options: argparse.Namespace,
) -> dict[str, sb.SimulationResult]:
    """Simulate each policy in a separate folder: if one of them is changed, the runs of the other stay valid."""
    return {
        name: sb.simulate(
            instance.decision_set,
            StackedRewards(instance.theta, instance.variance),
            {name: POLICIES[name]},
            horizon,
            replications,
            seed=seed,
            n_jobs=options.workers,
            progress=options.progress,
            checkpoints=log_spaced(horizon, PER_DECADE),
            bound=bound,
            folder=options.folder / f"{instance.name}-{horizon}-{replications}-{seed}-{name}",
            resume=True,
        )
        for name in policies
    }


def _outcome(instance: Instance, bound: sb.GravesLaiResult, played: Mapping[str, sb.SimulationResult]) -> Outcome:
    """The outcome of the simulations and the bound."""
    regret = {name: result.regret[name] for name, result in played.items()}
    plan_rate = float(bound.plan.rates.sum())
    return Outcome(instance, (bound.lower, bound.value), plan_rate, played[NEW].checkpoints, regret)


def _wanted(options: argparse.Namespace) -> Iterator[Instance]:
    """The star and the half, or the instances given by --only."""
    instances = [star(), *panel(options.half)]
    known = [instance.name for instance in instances]
    unknown = sorted(set(options.only or ()) - set(known))
    if unknown:
        sys.exit(f"--only must name instances of the half {options.half!r}, got {', '.join(unknown)}: {', '.join(known)}")
    return (instance for instance in instances if not options.only or instance.name in options.only)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the replications; a run in it is resumed")
    parser.add_argument("--half", choices=HALVES, default="held")
    parser.add_argument("--replications", type=int, default=200, help="replications of each policy on each instance, at least 2")
    parser.add_argument("--most", type=int, default=400, help="replications if the result is close to a limit")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--horizon", type=int, help="largest number of rounds, at least 1000")
    parser.add_argument("--only", nargs="+", metavar="INSTANCE", help="only these instances")
    parser.add_argument("--progress", action="store_true")
    options = options_of(parser)
    if options.horizon is not None and options.horizon < SHORTEST:
        parser.error(f"--horizon must be at least {SHORTEST}, got {options.horizon}")
    if options.replications < 2:
        parser.error(f"--replications must be at least 2, got {options.replications}")
    return options


if __name__ == "__main__":
    sys.exit(main())
