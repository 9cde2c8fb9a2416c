"""The state of a learner, and a learner from its state."""

from __future__ import annotations

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.learning import storage
from semibandits.learning.progress import Progress
from semibandits.policies.base import Policy


def fixed_state(decision_set: DecisionSet, policy: Policy, progress: Progress) -> storage.JSON:
    """What never changes, apart from the variance."""
    prior = progress.prior
    state: storage.JSON = {"decision_set": storage.decision_set_state(decision_set), "policy": storage.policy_state(policy)}
    if progress.sharing is not None:
        state["features"] = progress.sharing.design.state()
    return state if prior is None else {**state, "prior": storage.prior_state(prior, changes_only=_lists_changes(progress))}


def moving_state(progress: Progress) -> storage.JSON:
    """What changes from call to call."""
    optional = {"drift": progress.drift, "ageing": progress.ageing, "sharing": progress.sharing}
    return {
        "generator": storage.generator_state(progress.rng),
        "statistics": storage.statistics_state(progress.plays, progress.sums, changes_only=_lists_changes(progress)),
        "agent": progress.agent.state(),
        "open_rounds": [
            storage.round_state(asked, progress.decision_set, drawn=progress.draws_probabilities)
            for asked in progress.open.values()
        ],
        "next_id": progress.next_id,
        **({"wants_plan": True} if progress.wants_plan else {}),
        **{name: part.state() for name, part in optional.items() if part is not None},
    }


def _lists_changes(progress: Progress) -> bool:
    """Whether the state lists the items that have changed only."""
    return progress.rule is not None and progress.rule.few is not None


def restore(progress: Progress, content: storage.JSON) -> None:
    """Continue from the content of a state; the generator and the prior are there already."""
    x = progress.decision_set
    progress.plays, progress.sums = storage.stored_statistics(content["statistics"], x.d)
    progress.next_id = storage.stored_integer(content["next_id"], "next_id")
    listed = content["open_rounds"]
    if not isinstance(listed, list):
        raise InvalidInputError(f"open_rounds must be a list, got {listed!r}: the state is damaged, use a copy")
    rounds = [storage.stored_round(part, x, progress.sure) for part in listed]
    numbers = [asked.id for asked in rounds]
    if numbers != sorted(set(numbers)) or any(number >= progress.next_id for number in numbers):
        raise InvalidInputError(
            f"ids of open rounds must ascend below next_id = {progress.next_id}, got {numbers}: the state is damaged, use a copy"
        )
    progress.open = {asked.id: asked for asked in rounds}
    progress.agent.restore(content["agent"])
    if progress.rule is not None:
        progress.rule.wants_plan = content.get("wants_plan") is True
    if progress.drift is not None:
        progress.drift.restore(content.get("drift"), progress.labels)
    if progress.ageing is not None:
        progress.ageing.restore(content.get("ageing"))
    if progress.sharing is not None:
        progress.sharing.restore(content.get("sharing"), {number: len(one.items) for number, one in progress.open.items()})
    _check_agreement(progress)


def _check_agreement(progress: Progress) -> None:
    """Check that values which the state holds twice are equal."""
    agent, plays = progress.rule, progress.plays
    if agent is None:
        return
    known, prior, means = plays > 0, progress.prior, progress.sums / np.maximum(plays, 1.0)
    if (
        not np.array_equal(agent.plays, plays if prior is None else plays + prior.plays)
        or (prior is None and not np.array_equal(agent.means[known], means[known]))
        or not np.array_equal(agent.pending, progress.pending)
        or agent.player.counters[0] != progress.next_id
    ):
        raise InvalidInputError(
            "statistics, open_rounds, next_id and agent must agree, got different values: the state is damaged, use a copy"
        )
