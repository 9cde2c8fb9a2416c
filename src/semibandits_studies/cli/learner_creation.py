"""``semibandits learner create``: a learner of a dataset or a file."""

# ruff: noqa: RUF009 (options are fields of dataclasses)

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.signs import chooses_nothing, empty_decision
from semibandits.errors import InvalidInputError
from semibandits.families.description import describe, rebuild
from semibandits.inputs.options import option
from semibandits.inputs.outcomes import about_costs
from semibandits.instances import Instance, ProblemOptions
from semibandits.laws import Law
from semibandits.learning.history import estimated_variance, history_of
from semibandits.learning.learner import Learner
from semibandits.policies.history import History
from semibandits.policies.registry import policy_from
from semibandits_server.database.entries import new_name
from semibandits_server.database.opening import DRIFT_ERROR, reopened, store_new
from semibandits_studies.cli.terminal import as_option, print_json, print_line, print_remark
from semibandits_studies.instances.header import chosen_columns
from semibandits_studies.instances.item_files import ItemLog, read_log
from semibandits_studies.instances.matrices import CELLS
from semibandits_studies.instances.measures import MEASURES
from semibandits_studies.instances.table_files import read_prior
from semibandits_studies.reporting.formatting import counted, spread_text
from semibandits_studies.studies.features import design_of, with_features
from semibandits_studies.studies.policies import PolicyChoice
from semibandits_studies.studies.problems import TABLES, find_problem, load_problem
from semibandits_studies.studies.rewards import check_variance
from semibandits_studies.studies.study import ProblemChoice

KEPT: Final = ("policy", "law", "seed", "half_life", "defer_plans", "probability_draws", "history", "ignore_unknown")
"""Options that a learner keeps when its decisions are replaced."""
_create: Final = partial(option, panel="Options of create")


@dataclass(frozen=True, kw_only=True)
class Creation:
    """Options of a new learner."""

    policy: str | None = _create(help="Policy, as in ESCB:radius=log; GLADE by default.", metavar="NAME")
    law: str | None = _create(help="Law of the rewards, as for bound.", metavar="LAW")
    seed: int | None = _create(help="Seed of the random numbers, 0 by default.", metavar="N")
    half_life: float | None = _create(help="Rounds after which an outcome counts half.", metavar="ROUNDS")
    defer_plans: bool = _create(help="Let the service solve plans in the background, not in ask.", default=False)
    probability_draws: int | None = _create(
        help="Further draws of each decision, for the probabilities of its items (thompson).", metavar="N"
    )
    prior_plays: str | None = _create(
        help="Use the means of PROBLEM as a prior worth N outcomes each, or as many as in a column of its table, which is found "
        "if it is clear. Empty cells: unknown.",
        metavar="N|COLUMN",
    )
    history: Path | None = _create(help="Start from a table with a line for each outcome of an item.", metavar="FILE")
    ignore_unknown: bool = _create(help="Skip lines of --history whose item PROBLEM does not have.", default=False)
    features: Sequence[str] = _create(
        help="What items tell of each other: pooled, additive, a table of features, or a feature of PROBLEM by name. Repeatable.",
        metavar="NAME",
        default=(),
    )


def create(url: str, name: str, problem: str, options: ProblemOptions, creation: Creation, *, as_json: bool) -> None:
    """Create a learner, unless there is one of this name, and print where it is."""
    new_name(name)
    choice = find_problem(problem, options)
    instance, plays = _with_plays(choice, creation)
    if chooses_nothing(instance.decision_set, instance.theta):
        print_remark("Warning", empty_decision(instance.decision_set).formatted(as_option))
    arguments = _arguments(instance, plays, options, creation)
    arguments["features"] = design_of(with_features(instance, creation.features, choice), creation.features)
    log = None
    if creation.history is not None:
        log = read_log(creation.history, instance, options, has_means=creation.prior_plays is not None)
    is_estimated = log is not None and "variance" not in instance.description and creation.law is None and choice.file is not None
    if log is not None and is_estimated:
        arguments["variance"] = estimated_variance(_history(arguments["decision_set"], log, None, creation))
    elif creation.law is None:
        check_variance(instance, is_built_in=choice.file is None, law="law")
    learner = Learner(**arguments)
    if log is not None:
        learner._progress.recall(_history(learner.decision_set, log, learner._outcomes.law, creation))
    shown, x, policy = store_new(url, name, learner), learner.decision_set, learner.policy
    counts = learner.plays + plays
    if as_json:
        known = {"outcomes": int(counts.sum()), "known_items": int((counts > 0).sum()), "note": instance.note}
        if log is not None:
            known["history"] = {"columns": log.names, "costs": log.in_costs, "unknown": log.unknown, "gaps": log.gaps}
        print_json({"name": name, "url": shown, "decision_set": repr(x), "policy": repr(policy)} | known)
        return
    print_line(f"Created {name} in {shown}: {x!r}, {type(policy).__name__}")
    print_line(f"Each decision has at most {x.m:,} of {x.d:,} items")
    if creation.law is None:
        spread = spread_text(learner.variance, instance.unit)
        print_line(f"Rewards: Gaussian, variance {spread}{', that of repeated outcomes' if is_estimated else ''}")
    if counts.any():
        print_line(f"It starts from {counts.sum():,.0f} outcomes of {(counts > 0).sum():,} of {x.d:,} items")
    if log is not None:
        print_line(f"Outcomes: {_source(log, creation)}")
        if creation.prior_plays is None and _has_means(choice):
            print_line(f"The means of {choice.file} do not count beside them; --prior-plays counts each as so many outcomes")
    unknown, has_pairs = int((counts == 0).sum()), isinstance(x, Matchings)
    if counts.any() and unknown and not creation.features:
        print_line(
            f"{counted(unknown, 'item has', 'items have')} no outcome and will be tried first; with --features "
            f"{'additive' if has_pairs else 'pooled'} they are expected to be like the others"
        )
    if instance.note and choice.file is not None:
        print_line(instance.note)
    print_line(f"Serve it: semibandits serve --storage {shown}")


def replace_learner(url: str, name: str, problem: str, options: ProblemOptions, creation: Creation, *, as_json: bool) -> None:
    """Let a stored learner go on with other decisions under its name, and print what became of its open rounds."""
    for key in KEPT:
        if getattr(creation, key) != getattr(Creation(), key):
            raise InvalidInputError(f"--{key.replace('_', '-')} must be left out, got it with replace: the learner keeps its own")
    choice = find_problem(problem, options)
    instance, plays = _with_plays(choice, creation)
    arguments = _arguments(instance, plays, options, creation)
    known = {key: arguments.get(key) for key in ("prior_means", "prior_plays")}
    known["features"] = design_of(with_features(instance, creation.features, choice), creation.features)
    known["variance"] = arguments["variance"] if "variance" in instance.description else None
    with reopened(url, name) as learner:
        before, size = learner.decision_set.items, learner.decision_set.m
        learner, forgotten = learner.replace(arguments["decision_set"], **known)
        x, kept = learner.decision_set, len(learner.open_rounds)
    new, gone = len(set(x.items).difference(before)), len(set(before).difference(x.items))
    if as_json:
        counts = {"new_items": new, "items_that_left": gone, "open_rounds": kept, "forgotten_rounds": len(forgotten)}
        print_json({"name": name, "decision_set": repr(x)} | counts)
        return
    print_line(f"{name} goes on with {x!r}: {counted(new, 'item is', 'items are')} new, {counted(gone, 'has', 'have')} left")
    if instance.note and choice.file is not None:
        print_line(instance.note)
    print_line(f"Each decision has at most {x.m:,} of {x.d:,} items{f', {size:,} before' if size != x.m else ''}")
    lost = f": {', '.join(str(asked.id) for asked in forgotten)}, none of whose items is left" if forgotten else ""
    print_line(f"{counted(kept, 'open round', 'open rounds')} can still be told, {len(forgotten):,} are forgotten{lost}")


def _with_plays(choice: ProblemChoice, creation: Creation) -> tuple[Instance, FloatArray]:
    """The instance, and how many outcomes each of its means is worth; only tables may have unknown means."""
    word = creation.prior_plays
    if creation.history is not None and creation.half_life is not None:
        raise InvalidInputError("--history must be used without --half-life, got both: drop one of the two")
    options = choice.options
    plays = int(word) if word is not None and word.lstrip("+-").isdecimal() else word
    if choice.file is not None and choice.file.suffix.lower() in TABLES:
        if creation.history is not None and word is None:  # outcomes are in its columns
            own = [text for text in options.columns if _is_of_problem(text)]
            options = replace(options, columns=own)
        instance, known = read_prior(choice.file, options, "" if word is None and creation.history is None else plays or None)
        return instance, np.array(known)
    if isinstance(plays, str):
        raise InvalidInputError(f"--prior-plays must be a number for problems without a table, got {plays!r}: write a number")
    instance = load_problem(choice).instance
    return instance, np.full(instance.decision_set.d, float(plays or 0))


def _has_means(choice: ProblemChoice) -> bool:
    """Whether the table of the problem has means, which are not used together with a history."""
    if choice.file is None or choice.file.suffix.lower() not in TABLES:
        return False
    with suppress(InvalidInputError):
        return any(read_prior(choice.file, choice.options, 1)[1])
    return False


def _is_of_problem(column: str) -> bool:
    """Whether a chosen column belongs to PROBLEM and not to the history, whose columns contain the outcomes."""
    (role, name), *_ = chosen_columns([column]).items()
    return role not in MEASURES or name.strip().casefold() == CELLS


def _source(log: ItemLog, creation: Creation) -> str:
    """How a log was read, for people."""
    outcome, *labels = log.names
    aim = "costs, to minimise" if log.in_costs else "rewards, to maximise"
    text = f"column {outcome} of {creation.history}, {aim}; items in {' and '.join(labels)}"
    skipped = ((log.unknown, "of other items"), (log.gaps, "without an outcome"))
    return text + "".join(f"; {counted(count, 'line', 'lines')} {which} skipped" for count, which in skipped if count)


def _history(x: DecisionSet, log: ItemLog, law: Law | None, creation: Creation) -> History:
    """The outcomes of a log, as `Learner.from_history` reads them."""
    skips, in_costs = creation.ignore_unknown, log.in_costs
    try:
        with about_costs(in_costs):
            return history_of(x, log.items, log.outcomes, rounds=None, ignore_unknown=skips, law=law, in_costs=in_costs)
    except InvalidInputError as error:
        raise InvalidInputError(str(error).replace("pass ignore_unknown=True", "add --ignore-unknown")) from error


def _arguments(instance: Instance, plays: FloatArray, options: ProblemOptions, creation: Creation) -> dict[str, Any]:
    """Arguments of `Learner`."""
    x = instance.decision_set
    if tuple(x.items) == tuple(range(x.d)) and instance.labels != tuple(map(str, x.items)):
        x = rebuild(describe(x) | {"items": list(instance.labels)}, x.d)  # with names instead of numbers
    arguments: dict[str, Any] = {"decision_set": x, "law": creation.law}
    if creation.policy is not None:
        choice = PolicyChoice.of(creation.policy)
        arguments["policy"] = policy_from(choice.name, choice.parameters)
    if creation.law is None or options.variance is not None:
        is_same = bool((instance.variance == instance.variance[0]).all())
        arguments["variance"] = float(instance.variance[0]) if is_same else np.array(instance.variance)
    if plays.any():
        arguments |= {"prior_means": np.array(instance.theta), "prior_plays": plays}
    return arguments | {
        "seed": 0 if creation.seed is None else creation.seed,
        "half_life": creation.half_life,
        "drift_error": DRIFT_ERROR,
        "defer_plans": creation.defer_plans,
        "probability_draws": creation.probability_draws,
    }
