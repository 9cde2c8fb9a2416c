"""Results have the same bits in all tiers of kernels."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

SCENARIOS = Path(__file__).with_name("tiers_scenarios.py")
pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is one tier only")


def lines(step, mode, seed=0):
    done = subprocess.run(
        [sys.executable, SCENARIOS, str(step), mode, str(seed)],
        env={**os.environ, "SEMIBANDITS_TIER": "auto" if mode == "switching" else mode},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
@pytest.mark.parametrize(("step", "least"), [(13, 38), pytest.param(1, 500, marks=pytest.mark.verify)])
def test_every_policy_law_family_and_method_has_the_same_bits_in_both_tiers_and_across_switches(step, least):
    compiled = lines(step, "compiled")
    assert len(compiled) >= least
    assert lines(step, "python") == compiled
    assert lines(step, "switching", seed=1) == compiled
