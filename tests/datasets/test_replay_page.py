"""The code of docs/replay.md runs, and its numbers agree with the data."""

import re
from pathlib import Path

import numpy as np
import pytest
from built import built
from scipy.special import logsumexp

PAGE = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")


def smallest_proxy(log):
    """Supremum of 2 ln E exp(u (X - mean)) / u^2, over a fine grid of u on both sides."""
    values, counts = np.unique(log, return_counts=True)
    steps = np.geomspace(1e-2, 1e3, 200) / np.ptp(log)
    u = np.concatenate([steps, -steps])[:, None]
    return float(np.max(2 * logsumexp(np.log(counts / counts.sum()) + u * (values - log.mean()), axis=1) / u[:, 0] ** 2))


def test_the_python_of_the_page_runs(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "documentation", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12
    assert all(re.fullmatch(r"[\w-]+, [^:]+: [\d,]+, [\d,]+, [\d,]+, \d+", line) for line in lines)
    shown = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \| (CUCB|ThompsonSampling) \|", PAGE, re.MULTILINE)
    assert [", ".join(row) for row in shown] == [line.split(":")[0] for line in lines]


@pytest.mark.parametrize("name", ["films-shortlist", "flights-delays"])
def test_how_far_the_sample_variance_is_from_a_proxy(name):
    outcomes = built(name).outcomes
    needed = [smallest_proxy(log) / log.var() for log in outcomes]
    hoeffding = [np.ptp(log) ** 2 / 4 / log.var(ddof=1) for log in outcomes]
    text = re.sub(r"\s+", " ", PAGE)
    if name == "films-shortlist":
        said = re.search(r"is ([\d.]+) to ([\d.]+) times its variance in `films-shortlist`", text).groups()
        told = re.search(r"It is ([\d.]+) to ([\d.]+) times the variance of films", text).groups()
    else:
        said = re.search(r"and ([\d.]+) to ([\d.]+) times in `flights-delays`", text).groups()
        told = re.search(r"and ([\d.]+) to ([\d.]+) times that of delays", text).groups()
    assert [min(needed), max(needed)] == pytest.approx(list(map(float, said)), rel=5e-3)
    assert [min(hoeffding), max(hoeffding)] == pytest.approx(list(map(float, told)), rel=2e-2)
    assert min(needed) > 1


def test_the_constant_of_bernoulli_rewards_is_smaller():
    """For m-sets of independent 0/1 rewards it is the sum of gap / kl(theta_i, theta of the last item chosen)."""
    theta = np.sort(built("flights-on-time").theta)[::-1]
    p, q = theta[10:], theta[9]
    kl = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    bernoulli, gaussian = np.sum((q - p) / kl), np.sum(0.5 / (q - p))
    assert f"{bernoulli:,.0f} instead of {gaussian:,.0f} flights per ln T" in re.sub(r"\s+", " ", PAGE)
