"""What features of items are worth: regret with and without them, and with features that say nothing.

    python experiments/features.py --write                  a table of docs/features.md; half an hour of one core
    python experiments/features.py --of studies --write     another one, of the studies in examples/features; ten minutes

drawn      10 of 100 items, noise of variance 1/2, means ``0.3 z`` with z standardised effects of k features, plus a residual
studies    measured outcomes and modelled roads
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from doc_tables import header, options_of, row, write_between
from scipy.stats import t

import semibandits as sb
from semibandits.formats.numbers import mean_text
from semibandits.studies import Execution, Output, read_study, run_study

EXAMPLES: Final = Path(__file__).resolve().parents[1] / "examples" / "features"
STUDIED: Final = ("GLADE", "ThompsonSampling")

ITEMS: Final = 100
SIZE: Final = 10
SPREAD: Final = 0.3
VARIANCE: Final = 0.5
HORIZON: Final = 2_000
CHECKPOINTS: Final = (100, 500, 2_000)
POLICIES: Final = {"ThompsonSampling": sb.ThompsonSampling(), "GLADE": sb.GLADE()}
CASES: Final = (("5 features that fit", 5, 0.0), ("20 features that fit", 20, 0.0), ("5 features, residual 0.3", 5, 1.0))


def problem(seed: int, k: int, misfit: float) -> tuple[Any, Any]:
    """Features, a column of ones apart, and means of the items."""
    rng = np.random.default_rng(seed)
    phi = rng.standard_normal((ITEMS, k - 1))
    theta = phi @ rng.standard_normal(k - 1)
    theta = (theta - theta.mean()) / theta.std() * SPREAD
    return phi, theta + misfit * SPREAD * rng.standard_normal(ITEMS)


def regret(seed: int, case: tuple[str, int, float]) -> Any:
    """Regret at the checkpoints of both policies, for each kind of features, shape (2, 4, c)."""
    phi, theta = problem(seed, *case[1:])
    noise = np.random.default_rng(seed + 10_000).standard_normal(phi.shape)
    found = []
    for features in (None, phi, noise, "pooled"):
        result = sb.simulate(
            sb.MSets(ITEMS, SIZE), sb.GaussianRewards(theta, variance=VARIANCE), POLICIES, HORIZON, 1, seed,
            checkpoints=CHECKPOINTS, bound=False, features=features,
        )  # fmt: skip
        found.append([result.regret[name][0] for name in POLICIES])
    return np.swapaxes(np.array(found), 0, 1)


def of_studies(workers: int) -> list[str]:
    """A table of the studies with features against none, in the order of their titles."""
    lines = header(("study", "features", "rounds", *(f"{name}, without and with" for name in STUDIED)))
    for path in sorted(EXAMPLES.glob("*.toml")):
        study = read_study(path)
        result = run_study(replace(study, execution=Execution(workers=workers), output=Output(figure=False, report=False)))
        assert study.simulation is not None
        assert result.simulation is not None
        instance, regret = result.problem.instance, result.simulation.regret
        known = study.simulation.features
        names = "year, genres" if known == (study.problem.dataset,) else ", ".join(known)
        cells = (
            f"{mean_text(*half(regret[f'{name}(features=false)']))} → {mean_text(*half(regret[name]))} {instance.unit}"
            for name in STUDIED
        )
        lines.append(row((f"`{path.stem}.toml`: {instance.name}", names, f"{result.simulation.horizon:,}", *cells)))
        print(lines[-1], flush=True)
    return lines


def half(regret: Any) -> tuple[float, float]:
    """Mean of the regret at the horizon, and half of its 95 % interval."""
    last = regret[:, -1]
    return float(last.mean()), float(t.ppf(0.975, len(last) - 1) * last.std(ddof=1) / np.sqrt(len(last)))


def main() -> None:
    """Measure and print a table; with --write put it into its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=("drawn", "studies"), default="drawn", help="what is measured")
    parser.add_argument("--problems", type=int, default=12, help="drawn problems in each row")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = options_of(parser)
    if options.of == "studies":
        lines = of_studies(options.workers)
        if options.write:
            write_between("features.md", "features.py --of studies", "\n".join(lines))
        return
    lines = header(("means", "policy", "no features", "the features", "features of noise", "pooled"))
    with ProcessPoolExecutor(options.workers) as pool:
        for case in CASES:
            means = np.mean(list(pool.map(partial(regret, case=case), range(options.problems))), axis=0)
            for name, table in zip(POLICIES, means, strict=True):
                lines.append(row((case[0], name, *(" / ".join(f"{value:,.0f}" for value in kind) for kind in table))))
                print(lines[-1], flush=True)
    if options.write:
        write_between("features.md", "features.py", "\n".join(lines))


if __name__ == "__main__":
    main()
