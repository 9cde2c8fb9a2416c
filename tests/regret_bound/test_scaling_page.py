"""The example of docs/scaling.md, run as a script on two workers of Dask."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import semibandits as sb

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


@pytest.mark.verify
def test_cities_on_two_workers_give_the_sum_of_their_bounds(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "cities.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", str(script)], capture_output=True, text=True, encoding="utf-8",
        timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lower, value = map(float, re.fullmatch(r"(\S+) <= C\(θ\) <= (\S+)\n", done.stdout).groups())
    decision_set = sb.Matchings([(i, j) for i in range(12) for j in range(12)])
    alone = [sb.graves_lai(decision_set, np.random.default_rng(k).random(144), gap=0.01) for k in range(6)]
    assert lower == pytest.approx(sum(s.lower for s in alone), abs=0.006)
    assert value == pytest.approx(sum(s.value for s in alone), abs=0.006)
