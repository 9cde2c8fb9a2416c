"""Results have the same bits in all tiers of kernels."""

import subprocess
import sys
from pathlib import Path

import numba
import pytest

SCENARIOS = Path(__file__).with_name("tiers_scenarios.py")
pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is one tier only")


@pytest.mark.long
@pytest.mark.parametrize(("step", "least"), [(13, 38), pytest.param(1, 500, marks=pytest.mark.verify)])
def test_every_policy_law_family_and_method_has_the_same_bits_in_both_tiers_and_across_switches(step, least):
    done = subprocess.run([sys.executable, SCENARIOS, str(step), "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    number, rest = divmod(len(lines), 3)
    assert number >= least
    assert rest == 0
    python, switching, compiled = lines[:number], lines[number:-number], lines[-number:]
    assert python == compiled
    assert switching == compiled
