"""The page of a comparison, generated from the outcomes: all its numbers and the sentences about them."""

from __future__ import annotations

import argparse
import json
import math
import statistics
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import doc_tables
from compare_results import LATE, LEVEL, MOST_RATIO, MOST_SLOPE, NEW, OLD, SLOPE, Outcome, Test, all_tests
from statistics_of_ratios import Interval, geometric_mean, paired_ratio

STAR: Final = "star"
SHORT: Final = {OLD: "Thompson", NEW: "GLADE"}
POWERS: Final = {10**k: f"10{digit}" for k, digit in zip(range(1, 8), "¹²³⁴⁵⁶⁷", strict=True)}
COLUMNS: Final = (3, 4, 5, 6)
"""Powers of ten that have a column."""
WIDTH: Final = 128
MOST_NAMES: Final = 20
"""Largest number of instances that a sentence lists by name."""
MEDIAN_AT, MOST_MEDIAN, MOST_COST = 10**5, 0.9, 3.0
"""Targets of GLADE: the median ratio at this round, and the median cost of a round, both relative to Thompson sampling."""


def page(outcomes: Sequence[Outcome], options: argparse.Namespace, cost: Path, code: str) -> str:
    """The whole page as Markdown, from the outcomes in the order of the table and the options of compare.py.

    `cost` is the file written by cost.py, without which there is no section on cost, and `code` the commit that was measured.
    """
    half = [outcome for outcome in outcomes if outcome.name != STAR]
    stars = [outcome for outcome in outcomes if outcome.name == STAR]
    tests = all_tests(outcomes)
    costs = _costs(cost, options.half)
    parts = [
        *_head(outcomes, options, code),
        *_targets(half, stars, tests, costs),
        *_summary(half),
        *_tests(tests, outcomes, options),
        *_tails(outcomes),
        *_table(outcomes),
        *(part for outcome in stars for part in _star(outcome)),
        *_families(half),
        *_cost(costs),
    ]
    return "\n\n".join(parts) + "\n"


def header() -> str:
    """The first two lines of the table of instances."""
    ratios = [f"ratio at {POWERS[10**k]}" for k in COLUMNS]
    both = [f"{of}, {SHORT[policy]}" for of in ("slope / C", "largest run / mean") for policy in (OLD, NEW)]
    names = ["instance", "kind", "trait", "d", "C(θ)", "plan / T", *ratios, *both[:2], "replications", *both[2:]]
    return "\n".join(doc_tables.header(names))


def row(outcome: Outcome) -> str:
    """The instance as a row of the table."""
    ratios = [_interval(outcome.ratios[10**k]) if 10**k in outcome.ratios else "" for k in COLUMNS]
    instance = outcome.instance
    cells = [
        outcome.name, instance.kind, instance.trait, str(instance.decision_set.d), _plain(outcome.bound[1]),
        _percent(outcome.plan_share), *ratios,
        *(_interval(outcome.slope_ratio(policy)) for policy in (OLD, NEW)), _runs(outcome),
        *(f"{outcome.largest_over_mean(policy):.1f}" for policy in (OLD, NEW)),
    ]  # fmt: skip
    return doc_tables.row(cells)


def _runs(outcome: Outcome) -> str:
    """Number of replications: one number for both policies, or one each."""
    counts = dict.fromkeys(len(outcome.regret[policy]) for policy in (OLD, NEW))
    return ", ".join(map(str, counts))


# -- parts of the page, each a list of paragraphs --------------------------------------------------------------------


def _head(outcomes: Sequence[Outcome], options: argparse.Namespace, code: str) -> list[str]:
    half = [outcome for outcome in outcomes if outcome.name != STAR]
    kinds = sorted({outcome.instance.kind for outcome in half})
    origin = (
        "This page shows the half that was held back"
        if options.half == "held"
        else "This page shows the half used for tuning, which gives little information about new instances"
    )
    apart = "" if len(half) == len(outcomes) else "The star, known when GLADE was designed, is listed separately."
    points = [
        """- **Common random numbers.** In each replication, the n-th reward of an item is the same number for both
        policies, so that replications are pairs; ratios and tests are paired.""",
        """- **Regret** is pseudo-regret, the sum of the gaps of the decisions played. The ratio is mean regret of GLADE
        over mean regret of Thompson sampling: below 1, GLADE is better. Intervals have level 95 %, Fieller's for a ratio
        of paired means.""",
        """- **Slope** is the growth of mean regret per ln T over the last decade. C(θ) bounds it for every uniformly good
        policy as T grows, not at a given T: where gaps are small, the last decade is not asymptotic yet, and a slope may
        lie below C(θ). The column "plan / T" shows the share of all rounds that the Graves-Lai plan explores at the last T: up to
        1 % the last decade is considered asymptotic, as in [verification.md](../verification.md).""",
        f"- **Replications.** {_replications(outcomes, options)}",
    ]
    partial = "**This is a part of the comparison only: see the options in the command.**"
    return [
        "# GLADE compared with Thompson sampling",
        "This page compares the regret of GLADE and Thompson sampling on a panel of instances. It is written by",
        f"```\n{_command(options)}\n```",
        *([partial] if options.horizon or options.only else []),
        _wrapped(
            f"""Instances were drawn before anything was tuned, in two halves with the same strata
            (`experiments/panel.py`). {origin}: {_count(half, "instance")} of {_count(kinds, "kind")} of decision sets.
            {apart} Rewards are Gaussian, and policies receive their variance. Both policies have their default parameters:
            Thompson sampling draws from the posterior under a flat prior, which has nothing to tune; those of GLADE were
            tuned on the other half. A million rounds are simulated where they are cheap, and on at least one instance of
            each kind, else 10⁵. The code is that of commit {code}."""
        ),
        "\n".join(_wrapped(point) for point in points),
    ]


def _command(options: argparse.Namespace) -> str:
    """The command, with the defaults that matter."""
    words = ["python experiments/compare.py FOLDER"]
    if options.half != "held":
        words.append(f"--half {options.half}")
    if options.horizon:
        words.append(f"--horizon {options.horizon}")
    if options.only:
        words.append(f"--only {' '.join(options.only)}")
    words.append(f"--replications {options.replications} --most {options.most} --seed {options.seed}")
    return " ".join([*words, "--write"] if options.write else words)


def _replications(outcomes: Sequence[Outcome], options: argparse.Namespace) -> str:
    """Numbers of replications, and instances with more or fewer."""
    more = [outcome for outcome in outcomes if outcome.replications > options.replications]
    fewer = [outcome for outcome in outcomes if outcome.replications < options.replications]
    less = f", but {fewer[0].replications} on {fewer[0].name}, because runs take long there" if fewer else ""
    if options.most <= options.replications:
        return f"{options.replications} of each policy on each instance{less}."
    return (
        f"{options.replications} of each policy{less}; and {options.most} where a one-sided 95 % interval of a ratio reached "
        f"above {MOST_RATIO}, or (then of GLADE only) that of its slope above {MOST_SLOPE} C(θ): on {len(more)} of "
        f"{_count(outcomes, 'instance')}. The additional ones use the seed {options.seed + 1} and are pooled with "
        "the first ones. As only high results are diluted in this way, pooled means may be low by up to a fifth of the standard "
        "error of the first ones."
    )


def _targets(
    half: Sequence[Outcome], stars: Sequence[Outcome], tests: Sequence[Test], costs: Mapping[str, tuple[int, float, float]]
) -> list[str]:
    """Targets and results."""
    rows = []
    ratios = [outcome.ratios[MEDIAN_AT].value for outcome in half if MEDIAN_AT in outcome.ratios]
    if ratios:
        median = statistics.median(ratios)
        target = f"median over instances of the ratio at {_round(MEDIAN_AT)}: at most {MOST_MEDIAN}"
        rows.append((target, f"{median:.3f}", median <= MOST_MEDIAN))
    for target, group in (
        (f"no ratio significantly above {MOST_RATIO}", [test for test in tests if test.what != SLOPE]),
        (f"no slope significantly above {MOST_SLOPE} C(θ)", [test for test in tests if test.what == SLOPE]),
    ):
        worse = sum(test.p_worse <= LEVEL for test in group)
        rows.append((target, f"{worse} of {_count(group, 'test')}", worse == 0))
    for outcome in stars:
        slope, most = outcome.slope(NEW), MOST_SLOPE * outcome.bound[1]
        target = f"slope on the star: at most {MOST_SLOPE} C(θ) = {most:.3g} within the interval"
        rows.append((target, f"{_interval(slope)}; Thompson sampling {_interval(outcome.slope(OLD))}", slope.lower <= most))
    if costs:
        median = statistics.median(new / old for _, old, new in costs.values())
        target = f"a round takes at most {MOST_COST:g} times as long as one of Thompson sampling, in the median"
        rows.append((target, f"{median:.2f} times", median <= MOST_COST))
    lines = doc_tables.header(["target", "result", "reached"])
    lines += [doc_tables.row([target, found, "yes" if reached else "**no**"]) for target, found, reached in rows]
    note = """The targets were set beforehand. On listed stars, regret of every good policy exceeds C(θ) ln T by a multiple
    of √ln T: [optimality.md](optimality.md), F. The least regret with which the test of GLADE can be met there, and slopes
    up to 10³⁰⁰ rounds, are in [far.md](far.md)."""
    return ["## Targets", "\n".join(lines), _wrapped(note)]


def _summary(half: Sequence[Outcome]) -> list[str]:
    """Table of ratios at each round, and the figure."""
    if not half:
        return []
    names = [
        "T", "instances", "median ratio", "geometric mean", "above 1", "interval above 1", "interval below 1", "smallest",
        "largest",
    ]  # fmt: skip
    lines = doc_tables.header(names)
    for t in (10**k for k in COLUMNS):
        played = [outcome for outcome in half if t in outcome.ratios]
        if played:
            lines.append(_summary_row(t, played))
    note = f"""The interval of the geometric mean shows the variation due to rewards on the same instances, not that due to
    other instances. At {POWERS[10**6]} there are fewer instances, so the rows do not form one curve. The star is not counted
    here. {_without_informative(half)} In the figure, an arrow marks an interval that extends beyond the axis."""
    picture = "![Ratio of mean regrets on each instance](../figures/compare-ratios.png)"
    return ["## Summary", "\n".join(lines), _wrapped(note), picture]


def _without_informative(half: Sequence[Outcome]) -> str:
    """The median without stars, where GLADE gains most by design."""
    rest = [o.ratios[MEDIAN_AT].value for o in half if MEDIAN_AT in o.ratios and o.instance.trait != "informative"]
    if not rest:
        return ""
    return (
        f"Without the instances that have a cheap informative decision, the median at {_round(MEDIAN_AT)} is "
        f"{statistics.median(rest):.3f}."
    )


def _summary_row(t: int, played: Sequence[Outcome]) -> str:
    found = {outcome.name: outcome.ratios[t] for outcome in played}
    ratios = list(found.values())
    mean = geometric_mean([outcome.paired(t) for outcome in played])
    ends = [min(found, key=lambda name: found[name].value), max(found, key=lambda name: found[name].value)]
    cells = [
        POWERS[t],
        str(len(found)),
        f"{statistics.median(r.value for r in ratios):.3f}",
        _interval(mean, 3),
        str(sum(r.value > 1 for r in ratios)),
        str(sum(r.lower > 1 for r in ratios)),
        str(sum(r.upper < 1 for r in ratios)),
        *(f"{found[name].value:.3f} ({name})" for name in ends),
    ]
    return doc_tables.row(cells)


def _tests(tests: Sequence[Test], outcomes: Sequence[Outcome], options: argparse.Namespace) -> list[str]:
    """Rejected comparisons, and the number of those that show that the limit is kept."""
    ratios = [test for test in tests if test.what != SLOPE]
    slopes = [test for test in tests if test.what == SLOPE]
    worse = [test for test in tests if test.p_worse <= LEVEL]
    alone = [test for test in tests if test.p <= LEVEL < test.p_worse]
    undecided = [test for test in tests if test.p_not_worse > LEVEL]
    late = {outcome.name for outcome in outcomes if outcome.is_late}
    late_slopes = [test for test in slopes if test.name in late]
    kept = [sum(test.p_not_worse <= LEVEL for test in group) for group in (ratios, slopes, late_slopes)]
    corrected = " and for the additional replications of close results" if options.most > options.replications else ""
    level = f"{100 * LEVEL:g} %"
    rejected = "; ".join(_named(test, test.p_worse) for test in worse)
    parts = [
        "## Hypotheses",
        _wrapped(
            f"""The hypotheses are: mean regret of GLADE is at most {MOST_RATIO} times that of Thompson sampling, at each
            T of the table ({_count(ratios, "test")}); and the slope of GLADE is at most {MOST_SLOPE} C(θ), with the
            certified upper bound on C(θ) ({_count(slopes, "test")}). All tests are one-sided t tests over replications,
            those of ratios paired, at level {level} for all {len(tests)} together (Holm's correction)."""
        ),
        _wrapped(f"**{len(worse)} of {len(tests)} rejected: {rejected}.**" if worse else "**None is rejected.**"),
    ]
    if alone:
        named = "; ".join(_named(test, test.p) for test in alone)
        parts.append(_wrapped(f"Below {level} individually, but not after the correction: {named}."))
    left = f"Undecided: {_by_instance(undecided)}." if undecided else ""
    parts.append(
        _wrapped(
            f"""A test that does not reject proves nothing. For the opposite hypotheses, that a limit is reached, corrected
            in the same way{corrected}: GLADE is shown to be below {MOST_RATIO} times Thompson sampling in {kept[0]} of
            {_count(ratios, "test")}, and below {MOST_SLOPE} C(θ) in {kept[1]} of {len(slopes)}; of the {len(late_slopes)}
            slopes on instances whose plan explores at most {_percent(LATE)} of all rounds, in {kept[2]}. The other slopes
            give little information: their last decade is not asymptotic. {left}"""
        )
    )
    return parts


def _tails(outcomes: Sequence[Outcome]) -> list[str]:
    """Largest runs relative to the mean."""
    largest = []
    for policy in (OLD, NEW):
        worst = max(outcomes, key=lambda outcome: outcome.largest_over_mean(policy))
        middle = statistics.median(outcome.largest_over_mean(policy) for outcome in outcomes)
        largest.append(
            f"{worst.largest_over_mean(policy):.1f} times the mean for {SHORT[policy]} ({worst.name}; median over instances "
            f"{middle:.1f})"
        )
    text = f"""Intervals and tests assume that the mean over replications is normal. Regret has a heavy right tail:
    occasionally a policy is wrong for a long time. The means here miss runs so rare that no replication shows them, so that
    each policy looks better than it is. Ratios and tests then err in favour of the policy with the heavier tail: rely on
    factors, not on the last digits of p-values. The largest run at the last T is {" and ".join(largest)}."""
    return ["## Heavy tails", _wrapped(text)]


def _table(outcomes: Sequence[Outcome]) -> list[str]:
    """One row per instance."""
    return ["## All instances", "\n".join([header(), *(row(outcome) for outcome in outcomes)])]


def _star(outcome: Outcome) -> list[str]:
    """Results on the star, where alternatives should be explored together."""
    slopes = {policy: outcome.slope(policy) for policy in (OLD, NEW)}
    rows = doc_tables.header(["policy", f"mean regret at {_round(outcome.horizon)}", "slope of the last decade", "slope / C(θ)"])
    for policy in (OLD, NEW):
        regret = f"{outcome.at(policy, outcome.horizon).mean():.1f}"
        rows.append(doc_tables.row([SHORT[policy], regret, _interval(slopes[policy]), _interval(outcome.slope_ratio(policy))]))
    ratio = paired_ratio(*(outcome.slopes(policy)[: outcome.pairs] for policy in (NEW, OLD)))
    return [
        "## The star",
        _wrapped(
            f"""On this list of decisions, C(θ) = {outcome.bound[1]:.3g} is reached by playing one expensive decision
            that is informative about nine cheap alternatives at once; refuting these one by one costs 18 per ln T."""
        ),
        "\n".join(rows),
        f"The slope of GLADE is {_interval(ratio)} times that of Thompson sampling.",
        "![Mean regret on the star](../figures/compare-star.png)",
    ]


def _families(half: Sequence[Outcome]) -> list[str]:
    if not half:
        return []
    return [
        "## One instance of each kind",
        "The figure shows the first instance of each kind in the table. Dashed lines have the slope C(θ); their height has no "
        "meaning.",
        "![Mean regret on one instance of each kind](../figures/compare-families.png)",
    ]


def _costs(path: Path, half: str) -> dict[str, tuple[int, float, float]]:
    """Rounds and microseconds per round of both policies, by instance; empty unless they were measured on this half."""
    if not path.exists():
        return {}
    measured: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if measured["half"] != half:
        return {}
    return {row["instance"]: (row["rounds"], row[OLD], row[NEW]) for row in measured["instances"]}


def _cost(costs: Mapping[str, tuple[int, float, float]]) -> list[str]:
    """The table of microseconds per round."""
    if not costs:
        return []
    ratios = {name: new / old for name, (_, old, new) in costs.items()}
    worst = max(ratios, key=ratios.__getitem__)
    lines = [
        doc_tables.row([name, _round(rounds), f"{old:.3g}", f"{new:.3g}", f"{ratios[name]:.2f}"])
        for name, (rounds, old, new) in costs.items()
    ]
    return [
        "## Cost",
        _wrapped(
            """Microseconds of processor time per round, including drawing the rewards: one replication in one process,
            policies in turn, the shorter of two times (`python experiments/cost.py --write`). GLADE searches most in early
            rounds, so the ratio decreases with the number of rounds."""
        ),
        _wrapped(
            f"""**In the median over instances, GLADE takes {statistics.median(ratios.values()):.2f} times as long as Thompson
            sampling**; at most {ratios[worst]:.2f} times, on {worst}."""
        ),
        "\n".join([*doc_tables.header(["instance", "rounds", "Thompson, µs", "GLADE, µs", "ratio"]), *lines]),
    ]


# -- words -----------------------------------------------------------------------------------------------------------


def _wrapped(text: str) -> str:
    """A paragraph or a list item, wrapped to WIDTH."""
    words = " ".join(text.split())
    indent = "  " if words.startswith("- ") else ""
    return textwrap.fill(words, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _interval(interval: Interval, digits: int = 2) -> str:
    if math.isinf(interval.upper):
        return f"{interval.value:.{digits}f} [unbounded]"
    return f"{interval.value:.{digits}f} [{interval.lower:.{digits}f}, {interval.upper:.{digits}f}]"


def _plain(number: float) -> str:
    """Four digits, without powers of ten."""
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:,.0f} %"


def _round(t: int) -> str:
    return POWERS.get(t, f"{t:,}")


def _what(test: Test) -> str:
    return "slope" if test.what == SLOPE else f"at {_round(int(test.what))}"


def _named(test: Test, p: float) -> str:
    return f"{test.name} {_what(test)} (p = {p:.2g})"


def _by_instance(tests: Sequence[Test]) -> str:
    """Names with their tests; only the number if there are many."""
    names = dict.fromkeys(test.name for test in tests)
    if len(names) > MOST_NAMES:
        return f"{_count(tests, 'test')} on {len(names)} instances"
    of = {name: ", ".join(_what(test) for test in tests if test.name == name) for name in names}
    return "; ".join(f"{name} ({tests_text})" for name, tests_text in of.items())


def _count(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
