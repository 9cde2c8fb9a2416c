"""Results have the same bits in all tiers of kernels."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

SCENARIOS = Path(__file__).with_name("tiers_scenarios.py")
pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is one tier only")


def lines(what, mode, seed=0):
    tier = "auto" if mode == "switching" else mode
    done = subprocess.run(
        [sys.executable, SCENARIOS, what, mode, str(seed)],
        env={**os.environ, "SEMIBANDITS_TIER": tier},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
@pytest.mark.parametrize(("what", "least"), [("rounds", 290), ("bounds", 340)])
def test_every_policy_law_family_and_method_has_the_same_bits_in_both_tiers_and_across_switches(what, least):
    compiled = lines(what, "compiled")
    assert len(compiled) >= least
    assert lines(what, "python") == compiled
    assert lines(what, "switching", seed=1) == compiled
