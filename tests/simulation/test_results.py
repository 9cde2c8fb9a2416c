"""Results of simulations: validation, immutability, and saving and loading."""

import copy
import math
import pickle
import sys
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_examples import fields, made_up

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.simulation.results import SimulationResult, load_simulation
from semibandits.simulation.storage import read_archive, write_archive

RECORDS = ("regret", "reward", "plays", "calls")


def assert_same(one, two):
    for name in ("policies", "items", "lower_bound", "lower_bound_interval", "provenance"):
        assert getattr(one, name) == getattr(two, name), name
    for name in (*RECORDS, "optimal"):
        mine, other = getattr(one, name) or {}, getattr(two, name) or {}
        assert list(mine) == list(other), name
        assert all(np.array_equal(mine[policy], other[policy]) for policy in mine), name
    for name in ("checkpoints", "rates", "suboptimal_items"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), strict=True)


def assert_same_files(folder, *results):
    """The results give equal files, also after loading."""
    for k, result in enumerate([*results, *results]):
        path = folder / f"{k}.sim"
        (result if k < len(results) else load_simulation(folder / f"{k - len(results)}.sim")).save(path)
        assert path.read_bytes() == (folder / "0.sim").read_bytes()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.integers(1, 4), st.integers(1, 3000), st.integers(1, 6), st.integers(0, 99),
    st.sampled_from([None, (1.2, 1.25), (1.2, math.inf)]),
)  # fmt: skip
def test_saving_and_loading(tmp_path_factory, n, horizon, d, seed, bound):
    if bound is None:
        changes = dict.fromkeys(("lower_bound", "lower_bound_interval", "rates", "suboptimal_items"))
    else:
        changes = {"lower_bound": bound[0], "lower_bound_interval": bound}
    result = made_up(policies=["θ/1", "a b"], replications=n, horizon=horizon, d=d, seed=seed, **changes)
    if seed % 2:
        optimal = np.tile(result.checkpoints // 2, (n, 1))
        result = replace(result, optimal={"θ/1": optimal, "a b": optimal // 2})
    assert_same_files(tmp_path_factory.getbasetemp(), result)
    assert_same(load_simulation(tmp_path_factory.getbasetemp() / "0.sim"), result)


def test_equal_results_give_equal_files_whatever_the_order_of_their_mappings(tmp_path):
    turned = fields()
    turned |= {name: dict(reversed(turned[name].items())) for name in (*RECORDS, "provenance")}
    assert_same_files(tmp_path, made_up(), SimulationResult(**turned))
    made_up(seed=1).save(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() != (tmp_path / "0.sim").read_bytes()


@pytest.mark.parametrize("most", [255, 256, 65535, 65536, 2**32 - 1, 2**32])
def test_counts_are_stored_small_and_read_as_they_were(tmp_path, most):
    plays = {p: np.zeros((1, 1, 4), dtype=np.int64) for p in ("OSSB", "CUCB")}
    plays["CUCB"][0, 0, 2] = most
    flat = {p: np.ones((1, 1)) for p in plays}
    calls = {p: np.full((1, 1, 4), most) for p in plays}
    result = made_up(checkpoints=[most], plays=plays, regret=flat, reward=flat, calls=calls)
    result.save(tmp_path / "run")
    assert_same(load_simulation(tmp_path / "run"), result)
    stored = read_archive(tmp_path / "run", kind="simulation result")[1]["plays/1"]
    assert stored.dtype == np.min_scalar_type(most)


def test_files_with_parts_missing_or_too_many(tmp_path):
    path = tmp_path / "run"
    made_up().save(path)
    header, arrays = read_archive(path, kind="simulation result")

    def refused(words, header=header, arrays=arrays):
        write_archive(path, header, arrays)
        with pytest.raises(InvalidInputError, match=words) as caught:
            load_simulation(path)
        assert str(path) in str(caught.value)

    for name in ("checkpoints", "plays/1", "regret/0"):
        refused(f"no '{name}'", arrays={key: array for key, array in arrays.items() if key != name})
    for name in ("policies", "items", "lower_bound", "lower_bound_interval", "provenance"):
        refused(f"no '{name}'", header={key: value for key, value in header.items() if key != name})
    refused(r"unknown arrays \['more'\]", arrays=arrays | {"more": np.zeros(1)})
    refused("must have shape", arrays=arrays | {"regret/1": arrays["regret/1"][:, :-1]})
    for name in ("policies", "lower_bound_interval"):
        refused("must be an intact simulation file, got .*: it is truncated or was altered", header=header | {name: 3})
    refused("an integer of 401 digits", header=header | {"lower_bound": 10**400})
    refused("must be a simulation result|must hold a simulation result", header=header | {"kind": "part"})


def test_results_and_their_copies_are_immutable():
    given = fields()
    result = SimulationResult(**given)
    for twin in (result, copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert_same(twin, result)
        for array in (twin.checkpoints, twin.rates, twin.suboptimal_items, twin.plays["OSSB"], twin.regret["OSSB"]):
            assert not array.flags.writeable
        assert {type(mapping) for mapping in (twin.regret, twin.provenance)} == {MappingProxyType}
        with pytest.raises(AttributeError):
            twin.policies = ()
    before = result.regret["OSSB"].copy()
    given["regret"]["OSSB"][:] = 9.0
    given["provenance"]["versions"]["numpy"] = "3"
    np.testing.assert_array_equal(result.regret["OSSB"], before)
    assert result.provenance["versions"] == {"numpy": "2"}


def test_only_writeable_arrays_are_copied():
    given = fields()
    kept, view, writeable = (np.array(given["regret"]["OSSB"]) for _ in range(3))
    kept.setflags(write=False)
    behind = view[:]
    behind.setflags(write=False)
    for array, is_kept in ((kept, True), (behind, False), (writeable, False)):
        result = SimulationResult(**given | {"regret": given["regret"] | {"OSSB": array}})
        assert np.shares_memory(result.regret["OSSB"], array) == is_kept
    assert writeable.flags.writeable


def test_the_text_of_a_result():
    result = made_up()
    assert (result.horizon, result.replications) == (1000, 3)
    assert repr(result) == ("SimulationResult(policies=['OSSB', 'CUCB'], horizon=1000, replications=3, d=4, lower_bound=1.25)")
    assert "lower_bound" not in repr(made_up(lower_bound=None, lower_bound_interval=None))


def with_entry(value, *place):
    def change(array):
        array[place] = value
        return array

    return change


LESS = "counts that never decrease"
RECORDS_THAT_DO_NOT_FIT = [
    ("regret", lambda a: a[:, :-1], r"regret\['CUCB'\] must have shape \(n, c\) = \(3, 16\), got \(3, 15\)"),
    ("reward", lambda a: a[:2], r"reward\['CUCB'\] must have shape \(n, c\) = \(3, 16\), got \(2, 16\)"),
    ("plays", lambda a: a[..., 0], r"plays\['CUCB'\] must have shape \(n, c, d\) = \(3, 16, 4\), got \(3, 16\)"),
    ("calls", lambda a: a[..., :2], r"calls\['CUCB'\] must have shape \(n, c, 4\) = \(3, 16, 4\), got \(3, 16, 2\)"),
    ("regret", with_entry(np.nan, 0, 3), "must be finite"),
    ("reward", with_entry(-np.inf, 1, 3), "must be finite"),
    ("regret", lambda a: a.astype(np.int64), "must hold float64, got int64"),
    ("plays", lambda a: a.astype(float), "must hold int64, got float64"),
    ("plays", with_entry(-1, 0, 0, 0), LESS),
    ("calls", with_entry(0, 1, 15, 2), LESS),
    ("plays", with_entry(1001, 0, 15, 0), "at most the number of rounds"),
    ("plays", lambda a: (a + 1).astype(np.uint64) + np.uint64(2**63), LESS),
]


@pytest.mark.parametrize(("name", "change", "words"), RECORDS_THAT_DO_NOT_FIT)
def test_records_that_do_not_fit(name, change, words):
    made = fields()
    made[name]["CUCB"] = change(made[name]["CUCB"].copy())
    with pytest.raises(InvalidInputError, match=words):
        SimulationResult(**made)


FIELDS_THAT_DO_NOT_FIT = [
    ("policies", "policies must have distinct names", (), ("OSSB", ""), ("OSSB", "OSSB")),
    ("policies", "policies must be a sequence of strings", "OSSB"),
    ("items", "items must be a sequence of strings", (1, 2, 3, 4)),
    ("items", r"plays\['OSSB'\] must have shape", ("a", "b", "c")),
    ("checkpoints", "must be increasing rounds", np.arange(16), np.ones(16, dtype=int), np.zeros(0, dtype=int)),
    ("checkpoints", "checkpoints must hold int64", np.arange(1.0, 17.0)),
    ("checkpoints", r"regret\['OSSB'\] must have shape \(n, c\) = \(any, 14\), got \(3, 16\)", np.arange(1, 15)),
    ("regret", "regret must map each policy to an array", {}, np.zeros((3, 16))),
    ("rates", r"rates must have shape \(d,\) = \(4,\), got \(3,\)", np.ones(3)),
    ("rates", "rates must be at least 0", -np.ones(4)),
    ("rates", "rates must be finite", np.array([np.inf, 1, 1, 1])),
    ("suboptimal_items", "suboptimal_items must hold bool", np.ones(4)),
    ("lower_bound", "lower_bound must be a finite number", -1.0, np.inf, True),
    ("lower_bound", "lower_bound_interval must be None if lower_bound is None", None),
    ("lower_bound_interval", "two numbers around lower_bound", (1.3, 1.4), (1.0, np.nan), (1.0, "2"), (1.25,)),
    ("provenance", r"provenance\['when'\] must be plain JSON", {"when": np.datetime64("2000-01-01")}),
    ("provenance", r"provenance\['x'\] must be plain JSON", {"x": math.nan}),
    ("provenance", "provenance must be a mapping", None),
    ("optimal", "at most the number of rounds", {p: np.full((3, 16), 1001) for p in ("OSSB", "CUCB")}),
    ("optimal", "never decrease", {p: np.tile(np.arange(16)[::-1], (3, 1)) for p in ("OSSB", "CUCB")}),
]


@pytest.mark.parametrize(("name", "words", "values"), [(name, words, values) for name, words, *values in FIELDS_THAT_DO_NOT_FIT])
def test_fields_that_do_not_fit(name, words, values):
    for value in values:
        with pytest.raises(InvalidInputError, match=words):
            SimulationResult(**fields() | {name: value})


def test_results_have_replications():
    with pytest.raises(InvalidInputError, match="at least one replication"):
        SimulationResult(**fields() | {name: {p: a[:0] for p, a in fields()[name].items()} for name in RECORDS})


def test_slopes_bands_and_rows_of_each_policy():
    rounds = fields()["checkpoints"]
    regret = {"OSSB": np.outer([1.0, 2.0, 3.0], np.log(rounds)), "CUCB": np.outer([5.0, 5.0, 5.0], np.log(rounds)) + 7}
    result = made_up(regret=regret)
    slopes, rows = result.slopes(decades=2), result.summary()
    assert list(slopes) == [row.policy for row in rows] == ["OSSB", "CUCB"]
    quantile = 4.302652729911275 / math.sqrt(3)  # t quantile at 97.5 % with two degrees of freedom, from tables
    np.testing.assert_allclose(slopes["OSSB"], (2.0, 2.0 - quantile, 2.0 + quantile))
    np.testing.assert_allclose(slopes["CUCB"], (5.0, 5.0, 5.0))
    for row in rows:
        assert row.regret == pytest.approx(regret[row.policy][:, -1].mean())
        assert row.slope == result.slopes()[row.policy].value
        assert row.slope_ratio == pytest.approx(row.slope / 1.25)
        assert row.calls == pytest.approx(result.calls[row.policy][:, -1].mean(axis=0))
    band, wide, plays = result.bands("OSSB", level=0.5), result.bands("OSSB"), result.item_plays("OSSB")
    np.testing.assert_allclose(band.mean, regret["OSSB"].mean(axis=0))
    assert (wide.lower <= band.lower).all()
    assert (wide.upper >= band.upper).all()
    assert np.isnan(made_up(replications=1).bands("CUCB").upper).all()
    last = result.plays["OSSB"][:, -1]
    np.testing.assert_allclose(plays.mean, last.mean(axis=0))
    np.testing.assert_allclose(plays.upper - plays.mean, quantile * last.std(axis=0, ddof=1))
    for of_policy in (result.bands, result.item_plays):
        with pytest.raises(InvalidInputError, match=r"policy must be one of 'OSSB', 'CUCB', got 'UCB'"):
            of_policy("UCB")


def test_frames_hold_every_number_once():
    import pandas

    result = made_up()
    frame = result.to_frame()
    assert list(frame.columns) == ["policy", "replication", "round", "regret", "reward"]
    assert len(frame) == 2 * 3 * 16
    assert list(dict.fromkeys(frame["policy"])) == ["OSSB", "CUCB"]
    for policy in result.policies:
        for name in ("regret", "reward"):
            table = frame[frame["policy"] == policy].pivot(index="replication", columns="round", values=name)
            np.testing.assert_array_equal(table.to_numpy(), getattr(result, name)[policy])
            np.testing.assert_array_equal(table.columns, result.checkpoints)
    assert pandas.api.types.is_integer_dtype(frame["round"])


def test_frames_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SemibanditsError, match="run pip install pandas"):
        made_up().to_frame()
