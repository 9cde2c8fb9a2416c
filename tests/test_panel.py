"""The panel of instances agrees with experiments/panel.json, and bounds of stars with closed forms."""

import json
import math
import sys

import numpy as np
import pytest

import semibandits as sb
from semibandits_studies.datasets import registry
from verification_scripts import script

CHEAP = 30

panel, manifest, stars = map(script, ("panel", "panel_manifest", "stars"))
KEPT = {row["name"]: row for row in json.loads(manifest.MANIFEST.read_text(encoding="utf-8"))}
ENTRIES = {f"{entry.name}-{half}": (entry, half) for half in panel.HALVES for entry in panel.entries(half)}


def instance(name):
    if name == "star":
        return panel.star()
    entry, half = ENTRIES[name]
    if entry.trait == "real":
        package = registry.ENTRIES[entry.name.removeprefix("real-")].needs
        if package is not None:
            pytest.importorskip(package.name)
    return panel.drawn(entry, half)


def test_the_manifest_lists_the_star_and_both_halves():
    assert list(KEPT) == ["star", *ENTRIES]
    assert len(json.loads(manifest.MANIFEST.read_text(encoding="utf-8"))) == len(KEPT)


def test_halves_have_the_same_strata_and_share_no_dataset():
    tune, held = ({(e.name, e.trait, e.horizon) for e in panel.entries(half) if e.trait != "real"} for half in panel.HALVES)
    assert tune == held
    real = [{e.name for e in panel.entries(half) if e.trait == "real"} for half in panel.HALVES]
    assert len(real[0]) == len(real[1]) == panel.REAL_A_HALF
    assert not real[0] & real[1]
    hashes = [row["theta_sha256"] for row in KEPT.values()]
    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize("name", [name for name, row in KEPT.items() if row["d"] <= CHEAP])
def test_cheap_instances_agree_with_the_manifest(name):
    assert manifest.differences(KEPT[name], manifest.described(instance(name))) == []


@pytest.mark.parametrize("name", [name for name, row in KEPT.items() if row["trait"] == "near-tie"])
def test_near_ties_are_between_one_and_three_hundredths(name):
    near_tie = instance(name)
    rewards = np.sort(near_tie.decision_set.enumerate() @ near_tie.theta)
    assert 0.01 <= rewards[-1] - rewards[-2] <= 0.03
    assert np.all((np.abs(near_tie.theta) > 0) & (np.abs(near_tie.theta) < 1))


@pytest.mark.parametrize("name", [name for name, row in KEPT.items() if row["trait"] == "ties"])
def test_ties_have_several_optimal_decisions(name):
    ties = instance(name)
    rewards = ties.decision_set.enumerate() @ ties.theta
    assert np.count_nonzero(rewards == rewards.max()) >= 4


def test_the_star_costs_eighteen_one_at_a_time_and_seven_together():
    star = panel.star()
    assert star.decision_set.d == 19
    assert stars.one_at_a_time(star.decision_set, star.theta, star.variance) == pytest.approx(18, rel=2e-3)
    assert sb.graves_lai(star.decision_set, star.theta, star.variance).value == pytest.approx(7.2, rel=2e-4)


def test_the_cost_of_a_chain_agrees_with_its_docstring():
    k, e, g = 9, 0.3, 0.24
    decision_set, theta, variance = stars.chain(np.full(k + 1, e), np.full(k, e - g))
    decisions = decision_set.enumerate()
    rewards = decisions @ theta
    assert np.flatnonzero(decisions[rewards.argmax()]).tolist() == list(range(0, 2 * k + 1, 2))
    whole = decisions[decisions[:, 1::2].all(axis=1)]
    assert rewards.max() - (whole @ theta).max() == pytest.approx(e + k * g)
    assert stars.one_at_a_time(decision_set, theta, variance) == pytest.approx(k / (e + g), rel=2e-3)
    bound = sb.graves_lai(decision_set, theta, variance)
    assert bound.value == pytest.approx((e + k * g) / (e + g) ** 2, rel=2e-4)


def test_one_alternative_at_a_time_is_optimal_on_matroids():
    # C(theta) = sum of 1/gap over items, and the plan consists of single swaps: joint exploration gains nothing.
    theta = np.array([0.9, 0.6, 0.5, 0.3, 0.2])
    assert stars.one_at_a_time(sb.MSets(5, 1), theta, 0.5) == pytest.approx(np.sum(1 / (0.9 - theta[1:])), rel=5e-3)


@pytest.mark.parametrize("name", [name for name, row in KEPT.items() if row["trait"] == "informative"])
def test_informative_decisions_make_a_difference(name):
    assert KEPT[name]["one_at_a_time_over_C"] >= 1.8


def test_equal_variances_hide_the_star_of_paths():
    k, e, g = 6, 0.29, 0.21
    main = np.full(k, 0.1)
    ratios = []
    for known in (0.0005, 0.5):
        roads = stars.side_roads(0.3, 0.3 + main.sum() - e, main, main + g, known)
        ratios.append(stars.one_at_a_time(*roads, step=0.02) / sb.graves_lai(*roads).value)
    assert ratios[0] > 1.6
    assert ratios[1] < 1.1


def test_check_fails_if_the_manifest_is_wrong(tmp_path, monkeypatch, capsys):
    few = [instance("msets-2-of-8-tune"), instance("star-list-held")]
    monkeypatch.setattr(manifest, "panel", lambda half: [x for x in few if x.name.endswith(half)])
    monkeypatch.setattr(manifest, "MANIFEST", tmp_path / "panel.json")
    for option in ("--write", "--check"):
        monkeypatch.setattr(sys, "argv", ["panel_manifest.py", option])
        assert manifest.main() == 0
    assert "3 instances agree with panel.json" in capsys.readouterr().out
    rows = json.loads(manifest.MANIFEST.read_text(encoding="utf-8"))
    rows[1]["C"] *= 1.001
    rows[2]["theta_sha256"] = "0" * 64
    rows[0]["name"] = "comet"
    manifest.MANIFEST.write_text(json.dumps(rows), encoding="utf-8")
    assert manifest.main() == 1
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 4
    assert "comet is in panel.json only" in said
    assert "star is not in panel.json" in said
    assert any(line.startswith("msets-2-of-8-tune: C is") for line in said)
    assert any(line.startswith("star-list-held: theta_sha256 is") for line in said)


def test_counts_and_gaps_of_cheap_instances_by_listing():
    for name in ("trees-k5-tune", "matchings-sparse-held", "partitions-16-tune", "colourful-k6-held"):
        listed = instance(name)
        rewards = np.sort(listed.decision_set.enumerate() @ listed.theta)
        assert KEPT[name]["decisions"] == len(rewards)
        assert math.isclose(KEPT[name]["smallest_gap"], rewards[-1] - rewards[-2], rel_tol=1e-5)
