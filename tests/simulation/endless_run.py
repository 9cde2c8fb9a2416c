"""Run a simulation whose workers never finish, each with a lock on its own file; the test kills the parent."""

import fcntl
import os
import sys
import time
from pathlib import Path

import semibandits as sb


class Endless(sb.Policy):
    """Waits for a minute in any process except the one that created it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, os.getpid()

    def start(self, decision_set, variance):
        if os.getpid() != self.home:
            with open(self.folder / str(os.getpid()), "w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write("locked")
                file.flush()
                time.sleep(60)
        return sb.CUCB().start(decision_set, variance)


if __name__ == "__main__":
    rewards = sb.GaussianRewards([0.1, 0.9])
    sb.simulate(sb.MSets(2, 1), rewards, Endless(Path(sys.argv[1])), horizon=5, replications=2, n_jobs=2, bound=False)
