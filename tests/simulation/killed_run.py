"""Run a simulation in a folder and print the number of finished replications; the tests kill it in the middle."""

import sys

import numpy as np

import semibandits as sb


def simulate(folder: str, *, slow: bool) -> sb.SimulationResult:
    def tell(done: int, total: int) -> None:
        print(done, flush=True)
        if slow:
            sys.stdin.readline()

    options = {"horizon": 300, "replications": 4, "seed": 3, "folder": folder, "resume": True, "progress": tell}
    policies = [sb.CUCB(), sb.ThompsonSampling(), sb.OSSB()]
    return sb.simulate(sb.MSets(6, 2), sb.GaussianRewards(np.linspace(0.0, 1.0, 6)), policies, **options)


if __name__ == "__main__":
    simulate(sys.argv[1], slow=True)
