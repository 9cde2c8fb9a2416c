"""Short runs in folders, some of which stop in the middle, and equality of results; for tests of simulations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import semibandits as sb
from semibandits.simulation.parts import PARTS

POLICIES = {"CUCB": sb.CUCB(), "ESCB": sb.ESCB(), "Thompson": sb.ThompsonSampling()}


class StopHereError(Exception):
    """The run is broken off."""


def small(folder: Path | None, policies: str = "CUCB ESCB", **more) -> sb.SimulationResult:
    arguments = {"horizon": 50, "replications": 3, "seed": 2, "folder": folder, "bound": False} | more
    chosen = {name: POLICIES[name] for name in policies.split()}
    return sb.simulate(sb.MSets(4, 2), sb.GaussianRewards([0.1, 0.2, 0.5, 0.6]), chosen, **arguments)


def stopped(folder: Path, after: int, **more) -> list[Path]:
    """Run until `after` replications are finished, counting those of earlier runs; the stored ones."""

    def stop(done: int, total: int) -> None:
        if done >= after:
            raise StopHereError

    with pytest.raises(StopHereError):
        small(folder, progress=stop, **more)
    return sorted((folder / PARTS).glob("*.zip"))


def played(folder: Path, **more) -> int:
    """Number of replications that a run plays."""
    done: list[int] = []
    small(folder, progress=lambda finished, total: done.append(finished), **more)
    return len(done)


def same(first: sb.SimulationResult, second: sb.SimulationResult, *, names=("regret", "reward", "plays", "calls")) -> bool:
    """Whether all records are the same, bit for bit."""
    return first.policies == second.policies and all(
        np.array_equal(getattr(first, name)[policy], getattr(second, name)[policy]) for name in names for policy in first.policies
    )
