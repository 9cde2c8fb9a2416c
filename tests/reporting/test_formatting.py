"""Numbers, brackets, decisions and the progress line as text."""

import io
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.instances import instance_from_description
from semibandits.kernels.machine.tiers import announce
from semibandits.matroids.counts import DecisionCount
from semibandits.regret_bound.result import Progress
from semibandits_studies.cli.progress import ProgressLine, ReplicationLine, ticking
from semibandits_studies.reporting.formatting import (
    amount,
    bracket_text,
    change_text,
    count_text,
    decision_text,
    mean_text,
    number_text,
    prior_text,
)
from semibandits_studies.reporting.policy_cards import percent
from semibandits_studies.reporting.shapes import number_of_decisions


def paths(*edges, source="a", target="d"):
    description = {"family": "paths", "edges": list(map(list, edges)), "source": source, "target": target}
    return instance_from_description(description | {"theta": [0.0] * len(edges)})


def chosen(bits):
    return np.array([*bits]) == "1"


TEXTS = {
    number_text: {0: "0", -7.27254: "−7.27254", 1234567.8: "1.23457e+06", 0.00123456789: "0.00123457", math.inf: "infinite"},
    percent: {
        0.983: "98.3 %", 0.9966: "99.66 %", 0.017: "1.7 %", 0.00034: "0.034 %", 0.5: "50 %", 1.0: "100 %", 0.0: "0 %",
        1.25: "125 %", 1 - 1e-9: "more than 99.9999 %",
    },
    number_of_decisions: {
        2: "2", 1442: "1,442", 999_999_999: "999,999,999", 10**9: "1\xa0×\xa010⁹", 77 * 10**15: "7.7\xa0×\xa010¹⁶",
        10**400: "1\xa0×\xa010⁴⁰⁰",
    },
    mean_text: {
        (2004.4, 80.2): "2,004 ± 80", (3.14159, 0.0123): "3.142 ± 0.012", (0.2, 3.0): "0.2 ± 3.0", (5.0, 0.0): "5 ± 0",
        (0.0, 0.0): "0 ± 0", (7.5, math.nan): "7.5", (-0.01, 3): "0.0 ± 3.0", (123456, 12345): "123,000 ± 12,000",
    },
}  # fmt: skip


@pytest.mark.parametrize("write", TEXTS)
def test_numbers(write):
    """Percentages show how much is missing, and means have the digits of their intervals."""
    assert {given: write(*given) if isinstance(given, tuple) else write(given) for given in TEXTS[write]} == TEXTS[write]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(-1e14, 1e14, allow_subnormal=False))
def test_amounts_are_right_to_four_digits(value):
    text = amount(value).replace(",", "").replace("−", "-")
    assert float(text) == pytest.approx(value, rel=5.1e-4)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(1e-6, 1e8), st.floats(1e-15, 0.5) | st.sampled_from([1e-15, 3e-12, 1e-9, 1e-6]))
def test_a_printed_bracket_contains_the_true_one(lower, width):
    value = lower * (1 + width)
    left, right = bracket_text(lower, value, 15).replace(",", "").split(" ≤ C(θ) ≤ ")
    assert Fraction(left) <= Fraction(repr(lower))
    assert Fraction(right) >= Fraction(repr(value))
    closeness = min(2e-5, 15 * width + 1e-14)
    assert float(left) == pytest.approx(lower, rel=closeness)
    assert float(right) == pytest.approx(value, rel=closeness)


def test_a_small_gap_is_seen_in_the_digits():
    assert bracket_text(2.5, 2.5) == "C(θ) = 2.5"
    assert bracket_text(0.1, 0.3) == "0.1 ≤ C(θ) ≤ 0.3"
    assert bracket_text(105.82807, 105.8289) == "105.828 ≤ C(θ) ≤ 105.829"
    assert bracket_text(4.4798740121, 4.4798740255, 15) == "4.47987401 ≤ C(θ) ≤ 4.47987403"
    assert bracket_text(4.4798740121, 4.4798740255) == "4.47987 ≤ C(θ) ≤ 4.47988"


def test_a_path_is_named_by_its_nodes_and_the_numbers_of_parallel_arcs():
    assert decision_text(paths("cd", "ab", "bc", "ad"), chosen("1110")) == "a → b → c → d"
    assert decision_text(paths("ab", "ab", "bd"), chosen("011")) == "a → (#2) b → d"


def test_detours_come_in_the_order_of_the_path():
    instance, best = paths("bd", "ab", "by", "yd", "ax", "xb"), chosen("110000")
    assert change_text(instance, chosen("001111"), best) == "a → x → b → y → d"
    assert change_text(instance, chosen("100011"), best) == "a → x → b"
    longer = paths("ab", "bc", "cd", "ax", "xb", "cy", "yd")
    assert change_text(longer, chosen("0101111"), chosen("1110000")) == "a → x → b; c → y → d"


def test_changes_of_other_families():
    instance = instance_from_description({"family": "msets", "size": 1, "theta": [1, 0], "items": ["u", "v"]})
    assert change_text(instance, chosen("01"), chosen("10")) == "+ v  − u"
    assert decision_text(instance, chosen("00")) == "nothing"


def test_counts():
    instance = instance_from_description({"family": "msets", "size": 1, "theta": [1, 0]})
    for count, text in (
        (DecisionCount(1), "1 set"),
        (DecisionCount(1442), "1,442 sets"),
        (DecisionCount(12345 * 10**20), "1.23e24 sets"),
        (DecisionCount(None, 7500), "more than 7,500 sets"),
        (DecisionCount(None, 10**4000), "more than 1.00e4000 sets"),
        (DecisionCount(None), "many sets"),
    ):
        assert count_text(instance, count) == text


class Terminal(io.StringIO):
    def isatty(self):
        return True


def progress(seconds, number=1):
    return Progress(round=number, cycles=12, lower=0.9, value=1.0, seconds=seconds)


def test_progress_renews_one_line_on_a_terminal_and_wipes_it():
    terminal = Terminal()
    line = ProgressLine(terminal, None)
    line(progress(0.1))
    assert terminal.getvalue() == ""
    line(progress(1.0))
    assert terminal.getvalue() == "\rround 1, 12 cycles, 0.9 ≤ C(θ) ≤ 1, gap 1.0e-01, 1.0 s"
    line(progress(2.0, number=2))
    assert terminal.getvalue().count("\n") == 0
    line.close()
    assert terminal.getvalue().endswith("\r" + " " * 54 + "\r")


def test_progress_elsewhere_is_a_line_a_minute_or_each_round_if_wanted_and_can_be_silenced():
    times = (0.1, 3.9, 4.0, 5.0, 63.9, 64.1, 70.0, 124.2)
    for wanted, shown in ((None, (4.0, 64.1, 124.2)), (True, times), (False, ())):
        for stream in (io.StringIO(), *([Terminal()] if wanted is False else [])):
            line = ProgressLine(stream, wanted)
            for seconds in times:
                line(progress(seconds))
            line.tick()
            line.close()
            assert [text.split(", ")[-1] for text in stream.getvalue().splitlines()] == [f"{seconds} s" for seconds in shown]


def test_elapsed_time_advances_between_updates():
    terminal, stream, now = Terminal(), io.StringIO(), [0.0]
    lines = [ProgressLine(terminal, None, clock=lambda: now[0]), ReplicationLine(stream, None, clock=lambda: now[0])]
    for line in lines:
        for now[0] in (0.2, 1.0, 4.5):
            line.tick()
        now[0] = 0.0
    assert terminal.getvalue() == "\rcomputing C(θ), 1.0 s\rcomputing C(θ), 4.5 s"
    assert stream.getvalue() == "computing C(θ), then playing the first replications, 4.5 s\n"
    now[0] = 10.0
    lines[0](progress(5.0))
    lines[1](3, 100)
    now[0] = 65.0
    lines[0].tick()
    lines[1].tick()
    assert terminal.getvalue().endswith(", 60.0 s")
    assert stream.getvalue().splitlines()[1:] == ["3 of 100 replications, 65.0 s"]


def test_replications_are_counted_and_the_rest_is_estimated():
    terminal, now = Terminal(), [0.0]
    line = ReplicationLine(terminal, None, clock=lambda: now[0])
    assert terminal.getvalue().startswith("\rcomputing C(θ), then playing the first replications")
    for finished, now[0] in ((5, 60.0), (6, 60.01), (25, 64.0), (100, 80.0)):
        line(finished, 100)
    shown = [text.strip() for text in terminal.getvalue().split("\r")]
    assert shown[2:] == [
        "5 of 100 replications, 60.0 s",
        "25 of 100 replications, 64.0 s, about 15 s left",  # 20 took 4 s, after a minute of compilation
        "100 of 100 replications, 80.0 s",
    ]
    line.close()
    assert terminal.getvalue().endswith(" \r")
    assert line.seconds == 80.0


def test_replications_are_counted_now_and_then_where_each_count_is_a_line():
    stream, now = io.StringIO(), [0.0]
    line = ReplicationLine(stream, True, clock=lambda: now[0])
    for now[0] in range(1, 21):
        line(now[0], 20)
    assert [text.split()[0] for text in stream.getvalue().splitlines()] == ["computing", "1", "6", "11", "16", "20"]
    quiet = io.StringIO()
    ReplicationLine(quiet, None)(1, 2)  # too soon for a first line
    ReplicationLine(quiet, False)(2, 2)
    assert quiet.getvalue() == ""


def test_compilation_replaces_the_state():
    for kind in (ProgressLine, ReplicationLine):
        terminal, now = Terminal(), [1.0]
        line = kind(terminal, None, clock=lambda now=now: now[0])
        with ticking(line):
            announce("compiling play once")
            now[0] = 3.0
            line.tick()
            announce("")
            line.tick()
        announce("compiling what nobody waits for")
        line.tick()
        shown = [text.strip() for text in terminal.getvalue().split("\r")[-3:]]
        assert shown[0] == "compiling play once, 2.0 s"
        assert shown[1] == shown[2]
        assert shown[2].startswith("computing")


@pytest.mark.parametrize(
    ("means", "plays", "text"),
    [
        ([0.5, 0.2], [1, 1], "the true means before the first round, as if from 1 outcome each"),
        ([0.5, 0.2], [3, 1000], "the true means before the first round, as if from 3 to 1,000 outcomes each"),
        ([0.0, 0.2], [0, 4], "the true means of 1 of 2 items before the first round, as if from 4 outcomes each"),
        ([0.0, 0.3], [0, 4], "other means than the true ones of 1 of 2 items before the first round, as if from 4 outcomes each"),
        ([0.0, 0.0], [0, 0], ""),
    ],
)
def test_priors(means, plays, text):
    found = prior_text({"prior": {"means": means, "plays": plays}}, np.array([0.5, 0.2]))
    assert found == (text and f"all policies know {text}")
    assert prior_text({}, None) == ""
