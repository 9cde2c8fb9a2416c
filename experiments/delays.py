"""Regret of GLADE and other policies with late and lost outcomes.

    python experiments/delays.py --write

plays 100 runs of 20,000 rounds with each delay on one instance of four families, and writes the tables of
docs/policies/delays.md: some ten minutes on one core. All policies of a run share rewards, delays and losses.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from doc_tables import header, options_of, row, write_between
from numba import njit
from panel_sets import Bandit, grid, matchings, trees, uniform
from scipy.stats import norm
from stacked import StackedRewards

import semibandits as sb
from semibandits.kernels.rules.actions import LINEAR
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import MEANS, PLAYS
from semibandits.policies.rules import RulePolicy

SEED: Final = 2026
BLIND: Final = 100
SETTINGS: Final = ((0, 0.0), (10, 0.0), (BLIND, 0.0), (1000, 0.0), (0, 0.1), ("geometric:100", 0.1))
"""Delays in rounds, and shares of outcomes that are lost."""


@njit(error_model="numpy")
def observed_only(t: int, state: RuleState, request: Request) -> int:
    """Draw from the posterior of the observed rewards, whose variances are in the parameters."""
    params, stats, weights = state.params, state.stats, request.weights
    for i in range(len(weights)):
        weights[i] = stats[MEANS, i] + math.sqrt(params[1 + i] / max(stats[PLAYS, i], 1.0)) * state.normals[i]
    return LINEAR


@final
@dataclass(frozen=True, kw_only=True)
class ObservedOnly(RulePolicy):
    """Thompson sampling that ignores open rounds."""

    @property
    def rule(self) -> Any:
        """The kernel."""
        return observed_only

    def normals(self, d: int) -> int:
        """One per item."""
        return d

    def params(self, m: int, variance: np.ndarray) -> np.ndarray:
        """A ratio, which is not used, and the variances."""
        return np.concatenate(([1.0], variance))


POLICIES: Final = {
    "Thompson": sb.ThompsonSampling(),
    "observed only": ObservedOnly(),
    "GLADE": sb.GLADE(),
    "CUCB": sb.CUCB(),
    "OSSB": sb.OSSB(),
}


def instances(draw: int) -> dict[str, Bandit]:
    """Instances with uniform means (costs on paths) and variance 1/2."""
    sets = {"4 of 20 items": sb.MSets(20, 4), "paths": grid(5), "matchings": matchings(5), "trees": trees(6)}
    return {name: uniform(np.random.default_rng([15, k, draw]), space) for k, (name, space) in enumerate(sets.items())}


def play(bandit: Bandit, delay: int | str, loss: float, options: argparse.Namespace) -> dict[str, np.ndarray]:
    """Regret after the first rounds and at the end, shape (n, 2), of each policy."""
    decision_set, theta, variance = bandit
    result = sb.simulate(
        decision_set, StackedRewards(theta, variance), POLICIES, options.horizon, options.replications, options.seed,
        options.workers, checkpoints=[BLIND, options.horizon], delay=delay, loss=loss, bound=False,
    )  # fmt: skip
    return dict(result.regret)


def half_width(values: np.ndarray) -> float:
    """Half the width of a 95 % interval of the mean."""
    return 1.96 * float(values.std(ddof=1)) / math.sqrt(len(values))


def tables(options: argparse.Namespace) -> str:
    """All tables as Markdown."""
    ends = ("p (GLADE worse)", "highest 5 % begin at, Thompson", "GLADE")
    lines = header(["instance", "delay", "lost", *POLICIES, "GLADE − Thompson", *ends])
    first = f"first {BLIND} rounds of delay {BLIND}"
    targets = header(["instance", "GLADE, delay 0", first, "1.15 × first + second", f"GLADE, delay {BLIND}"])
    for name, bandit in instances(options.draw).items():
        glade = {}
        for delay, loss in SETTINGS:
            regret = play(bandit, delay, loss, options)
            glade[delay, loss] = regret["GLADE"]
            last = {policy: values[:, -1] for policy, values in regret.items()}
            difference = last["GLADE"] - last["Thompson"]
            spread = float(difference.std(ddof=1)) / math.sqrt(len(difference))
            worse = float(norm.sf(difference.mean() / spread)) if spread else 1.0
            cells = [f"{values.mean():,.0f} ± {half_width(values):.0f}" for values in last.values()]
            cells += [f"{difference.mean():+,.0f} ± {half_width(difference):.0f}", f"{worse:.2g}"]
            cells += [f"{np.quantile(last[policy], 0.95):,.0f}" for policy in ("Thompson", "GLADE")]
            lines.append(row([name, delay, f"{100 * loss:.0f} %", *cells]))
            print(lines[-1], flush=True)
        plain, late = glade[0, 0.0].mean(axis=0), glade[BLIND, 0.0].mean(axis=0)
        limit = 1.15 * plain[1] + late[0]
        targets.append(row([name, *(f"{value:,.0f}" for value in (plain[1], late[0], limit, late[1]))]))
    return "\n".join([*lines, "", *targets])


def main() -> None:
    """Simulate, print the tables, and write them if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=20_000, help="rounds")
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--draw", type=int, default=0, help="number of the draw of the means")
    parser.add_argument("--workers", type=int, default=1)
    options = options_of(parser)
    text = tables(options)
    print(text)
    if options.write:
        write_between("policies/delays.md", "delays.py", text)


if __name__ == "__main__":
    main()
