"""Conformance checks of policies."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.msets import MSets
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.policies.base import Policy
from semibandits.rewards.base import RewardModel
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.simulation.lateness import Lateness
from semibandits.simulation.replication import Trajectory, replicate
from semibandits.simulation.specification import Specification
from semibandits.testing._play import Case, OrderedNormals, as_text, case_of, choose, coverable, play, require_same, tell, tied
from semibandits.testing._require import require
from semibandits.testing._wrapped_sets import Relabelled, in_python

OPEN_ROUNDS: Final = 3
"""Number of open rounds in checks with several decisions before their outcomes."""
DELAYS: Final = (0, 2, 2, 5, 11)
LOSS: Final = 0.2
"""Delays, and share of lost outcomes."""
SCALES: Final = (2.0, 0.5, 1024.0)
"""Powers of two: multiplication by them is exact."""
WIDE: Final = 100.0
"""Plays, up to a factor that grows with the rounds, that determine the mean of an item of large variance up to its gap."""


def check_policy(
    policy: Policy, decision_set: DecisionSet, *, seed: int = 0, horizon: int = 40, waivers: Mapping[str, str] | None = None
) -> None:
    """Check that a policy keeps the promises of :class:`semibandits.policies.Policy` on a decision set.

    Deterministic: the same arguments give the same checks. Simulations and learners require only "coverage" to "overlap"; the
    others are promises that most policies keep: waive those that do not apply to yours.

    * "rounds": decisions are feasible, arguments are unchanged, and agents of one policy share nothing;
    * "description": the name is a string, the specification JSON, and a pickled policy plays the same;
    * "coverage": while there are items never seen, each round plays one of them, so that all are seen after d rounds (not if
      means have an upper bound);
    * "engine": simulations play the decisions that an agent chooses one at a time, with the same seed;
    * "state": an agent restored from JSON continues like the original, bit for bit, also with open rounds;
    * "overlap": several decisions before the first outcome still cover all items, and items of lost rounds are covered again;
    * "degenerate": one item, one decision, the empty decision, no noise, ties of optimal decisions;
    * "late": with delays and losses, simulations play the decisions of an agent that observes outcomes in the order they are due;
    * "order": the order of the outcomes of open rounds does not matter;
    * "python": without kernels the decisions are the same;
    * "scale": with means and standard deviations times c, rewards and regret are times c, bit for bit (c a power of two);
    * "labels": with items in another order, the decisions are the same in that order. Random numbers must be normal, d per
      round, one for each item in order; agents must accept outcomes of decisions that they have not chosen;
    * "variance": an item with a larger variance is explored more.

    Parameters
    ----------
    policy : Policy
        Any policy, built in or your own.
    decision_set : DecisionSet
        A small decision set. Check it first by :func:`semibandits.testing.check_decision_set`.
    seed : int
        Seed of means, rewards and random choices.
    horizon : int
        Rounds played in each check, at least twice the number of items.
    waivers : mapping of str to str, optional
        Promises not to check, with the reasons.

    Raises
    ------
    InvalidInputError
        If `policy` is not a Policy, `horizon` is too short, or `waivers` names an unknown promise.
    AssertionError
        At the first broken promise, with what was expected and what was got. Errors of the policy itself are not caught; a note
        names the promise that was checked.

    Examples
    --------
    Nothing is printed if all checks pass. Promises that a policy does not make are waived by name, with the reason:

    >>> from semibandits.testing import check_policy
    >>> check_policy(sb.CUCB(), sb.MSets(4, 2), horizon=12)
    >>> check_policy(sb.CUCB(), sb.MSets(4, 2), horizon=12, waivers={"labels": "ties go to the first item"})
    >>> check_policy(sb.CUCB(), sb.MSets(4, 2), waivers={"speed": "it is slow"})
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: waivers must name promises among rounds, description, ... variance, got speed
    """
    if not isinstance(policy, Policy):
        raise InvalidInputError(f"policy must be a Policy, got {policy!r}: pass an object, such as CUCB()")
    if horizon < 2 * decision_set.d:
        raise InvalidInputError(
            f"horizon must be at least 2 d = {2 * decision_set.d}, got {horizon}: unseen items are covered first"
        )
    reasons = dict(waivers or {})
    unknown = sorted(reasons.keys() - PROMISES.keys())
    if unknown:
        raise InvalidInputError(f"waivers must name promises among {', '.join(PROMISES)}, got {', '.join(unknown)}")
    case = case_of(policy, decision_set, seed, horizon)
    for promise, check in PROMISES.items():
        if promise not in reasons:
            try:
                check(case)
            except Exception as error:
                error.add_note(f"while checking the promise {promise!r}")
                raise


def _check_rounds(case: Case) -> None:
    outcomes, first, second = case.outcomes(), case.start(), case.start()
    trace = play(first, case.decision_set, outcomes, case.rng(2))
    play(second, case.decision_set, -outcomes[: case.d], case.rng(3))  # must not affect the next agent
    again = play(case.start(), case.decision_set, outcomes, case.rng(2))
    require_same(trace, again, "a seed must fix all decisions")
    calls = first.calls
    require(
        len(calls) == 3 and all(isinstance(number, int) and number >= 0 for number in calls),
        f"calls must be three counts, got {calls!r}",
    )


def _check_description(case: Case) -> None:
    policy = case.policy
    require(isinstance(policy.name, str) and policy.name, f"name must be a non-empty string, got {policy.name!r}")
    as_text(policy.specification())
    try:
        again: Policy = pickle.loads(pickle.dumps(policy))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"a policy must be picklable, got {error}") from error
    require(again.name == policy.name, f"name must survive pickling, got {again.name!r} instead of {policy.name!r}")
    require(
        again.specification() == policy.specification(),
        f"specification must survive pickling, got {again.specification()} instead of {policy.specification()}",
    )
    one, other = (
        play(p.start(case.decision_set, case.variance), case.decision_set, case.outcomes(), case.rng(2)) for p in (policy, again)
    )
    require_same(one, other, "a pickled policy must play the same")


def _check_coverage(case: Case) -> None:
    trace = play(case.start(), case.decision_set, case.outcomes(), case.rng(2))
    missing = coverable(case.decision_set)
    for t, x in enumerate(trace, 1):
        if not missing.any():
            return
        require((x & missing).any(), f"items never seen must be covered first, got {x} in round {t} without one")
        missing &= ~x


def _engine(case: Case, rewards: RewardModel, decision_set: DecisionSet | None = None, *, is_late: bool = False) -> Trajectory:
    """One simulated replication."""
    return replicate(_specification(case, rewards, decision_set, is_late=is_late), "policy", 0)


def _specification(
    case: Case, rewards: RewardModel, decision_set: DecisionSet | None = None, *, is_late: bool = False
) -> Specification:
    """A simulation of one replication with a checkpoint in every round."""
    return Specification.of(
        case.decision_set if decision_set is None else decision_set,
        rewards,
        {"policy": case.policy},
        horizon=case.horizon,
        replications=1,
        seed=case.seed,
        checkpoints=np.arange(1, case.horizon + 1),
        lateness=Lateness.of(DELAYS, LOSS) if is_late else None,
    )


def _check_late(case: Case) -> None:
    rewards = GaussianRewards(case.theta, variance=case.variance)
    specification = _specification(case, rewards, is_late=True)
    engine = replicate(specification, "policy", 0)
    lateness = specification.lateness
    assert lateness is not None
    delays, lost = lateness.draw(np.random.default_rng(specification.late_seed(0)))
    reward_rng, rng = map(np.random.default_rng, specification.seeds(0))
    agent = case.start()
    chosen: list[BoolArray] = []
    drawn: list[FloatArray] = []
    for t in range(case.horizon):
        for s in range(t):
            if s + delays[s] + 1 == t:
                items = np.flatnonzero(chosen[s])
                if lost[s]:
                    agent.forget(items)
                else:
                    agent.observe(items, drawn[s])
        chosen.append(choose(agent, case.decision_set, rng))
        drawn.append(rewards.draw(np.flatnonzero(chosen[t]), reward_rng))
    require_same(np.cumsum(chosen, axis=0), engine.plays, "simulations with delays must play what an agent chooses")


def _check_engine(case: Case) -> None:
    probabilities = (case.theta - case.theta.min()) / max(float(np.ptp(case.theta)), 1.0)
    gaussian, bernoulli = GaussianRewards(case.theta, variance=case.variance), BernoulliRewards(probabilities)
    for rewards in (gaussian, bernoulli) if case.decision_set.upper is None else (gaussian,):
        specification = _specification(case, rewards)
        engine = replicate(specification, "policy", 0)
        reward_rng, rng = map(np.random.default_rng, specification.seeds(0))
        agent = case.policy.for_law(rewards.told_law).start(case.decision_set, rewards.variance)
        best = float(rewards.theta @ case.decision_set.maximize(rewards.theta))
        rounds: list[BoolArray] = []
        calls, gaps, received = [], [], []
        for _ in range(case.horizon):
            x = choose(agent, case.decision_set, rng)
            items = np.flatnonzero(x)
            drawn = rewards.draw(items, reward_rng)
            agent.observe(items, drawn)
            rounds.append(x)
            calls.append((*agent.calls, agent.undecided))
            gaps.append(best - float(rewards.theta @ x))
            received.append(float(drawn.sum()))
        require_same(np.cumsum(rounds, axis=0), engine.plays, "simulations must play what an agent chooses")
        require_same(calls, engine.calls, "simulations must count the calls that an agent counts")
        _require_close(np.cumsum(gaps), engine.regret, "regret must be the sum of the gaps")
        _require_close(np.cumsum(received), engine.reward, "reward must be the sum of the rewards")


def _require_close(expected: FloatArray, got: FloatArray, promise: str) -> None:
    size = max(1.0, float(np.abs(expected).max()))
    require(np.allclose(expected, got, rtol=0, atol=1e-9 * size), f"{promise}: got {got} instead of {expected}")


def _check_state(case: Case) -> None:
    outcomes = case.outcomes()
    for seen in (0, 1, case.horizon // 2):  # at the start, while covering, and in the middle
        agent, rng = case.start(), case.rng(2)
        play(agent, case.decision_set, outcomes[:seen], rng)
        pending = [choose(agent, case.decision_set, rng) for _ in range(2)]
        try:
            state = agent.state()
        except UnsupportedError as error:
            raise AssertionError(f"agents must be saved with a learner, got an error: {error}") from error
        text = as_text(state)
        other, other_rng = case.start(), pickle.loads(pickle.dumps(rng))
        play(other, case.decision_set, -outcomes[: case.d], case.rng(3))  # `restore` must replace everything
        other.restore(json.loads(text))
        require(as_text(other.state()) == text, f"a restored agent must have the state {text}, got {other.state()}")
        futures = []
        for player, own in ((agent, rng), (other, other_rng)):
            for t, x in enumerate(pending, seen):
                tell(player, x, outcomes[t])
            futures.append(play(player, case.decision_set, outcomes[seen + 2 :], own))
        require_same(futures[0], futures[1], f"a restored agent must continue like the original, after {seen} rounds")
        require(as_text(agent.state()) == as_text(other.state()), "a restored agent must end in the same state")
        require(as_text(state) == text, "a state must not change when the agent continues")


def _check_overlap(case: Case) -> None:
    """Check covering without outcomes, and after lost rounds."""
    items, agent, rng = coverable(case.decision_set), case.start(), case.rng(2)
    chosen = [choose(agent, case.decision_set, rng) for _ in range(case.d)]
    left = items & ~np.any(chosen, axis=0)
    require(not left.any(), f"d open rounds must cover every item of some decision, got none with {np.flatnonzero(left)}")
    for t in reversed(range(case.d)):
        tell(agent, chosen[t], case.outcomes()[t])
    play(agent, case.decision_set, case.outcomes(), rng, batch=OPEN_ROUNDS)
    agent = case.start()
    lost = [choose(agent, case.decision_set, rng) for _ in range(OPEN_ROUNDS)]
    for x in lost:
        agent.forget(np.flatnonzero(x))
    again = play(agent, case.decision_set, case.outcomes()[: case.d], rng)
    left = items & ~again.any(axis=0)
    require(not left.any(), f"items of lost rounds must be covered again, got no decision with {np.flatnonzero(left)}")


def _check_order(case: Case) -> None:
    """Check with rewards that are multiples of 1/8, whose sums are exact."""
    outcomes = np.round(8.0 * case.outcomes()) / 8.0
    forth, back = case.start(), case.start()
    rngs = case.rng(2), case.rng(2)
    for start in range(0, case.horizon - OPEN_ROUNDS, OPEN_ROUNDS):
        batches = [
            [choose(agent, case.decision_set, rng) for _ in range(OPEN_ROUNDS)]
            for agent, rng in zip((forth, back), rngs, strict=True)
        ]
        require_same(batches[0], batches[1], f"the order of outcomes must not matter, from round {start + 1} on")
        for k in range(OPEN_ROUNDS):
            tell(forth, batches[0][k], outcomes[start + k])
        for k in reversed(range(OPEN_ROUNDS)):
            tell(back, batches[1][k], outcomes[start + k])


def _check_degenerate(case: Case) -> None:
    sets = {
        "one item": MSets(1, 1),
        "one decision": EnumeratedDecisions([[1, 0, 1]]),
        "the empty decision only": MSets(2, 0),
        "the empty decision among others": EnumeratedDecisions([[0, 0], [1, 0], [1, 1]]),
    }
    for what, small in sets.items():
        other = case_of(case.policy, small, case.seed, case.horizon)
        engine = _engine(other, GaussianRewards(other.theta, variance=other.variance))
        trace = play(other.start(), small, other.outcomes(), other.rng(2))
        if what != "the empty decision among others":
            require(not engine.regret.any(), f"regret must be 0 with {what}, got {engine.regret[-1]}")
        require(len(trace) == other.horizon, f"all rounds must be played with {what}")
    upper = np.inf if case.decision_set.upper is None else case.decision_set.upper
    if np.min(upper) >= 0.0:
        engine = _engine(case, GaussianRewards(np.zeros(case.d), variance=case.variance))
        require(not engine.regret.any(), f"regret must be 0 where all decisions are optimal, got {engine.regret[-1]}")
    answers = [case.decision_set.maximize(case.rng(4, k).normal(size=case.d)) for k in range(20)]
    theta = np.minimum(tied(case.decision_set, answers), upper)
    # Means are integers: gaps are exact, and decisions that tie with the best one have gap 0.
    engine = _engine(case, GaussianRewards(theta, variance=case.variance))
    gaps = float(theta @ case.decision_set.maximize(theta)) - np.diff(engine.plays, axis=0, prepend=0) @ theta
    require_same(np.cumsum(gaps), engine.regret, "regret must be the sum of the gaps with ties")
    for means in (theta, np.zeros(case.d), np.full(case.d, -1e6), np.full(case.d, 1e-9)):
        play(case.start(), case.decision_set, np.tile(means, (case.horizon, 1)), case.rng(2))  # no noise


def _check_python(case: Case) -> None:
    if case.decision_set.compiled() is None:
        return
    rewards = GaussianRewards(case.theta, variance=case.variance)
    hidden = in_python(case.decision_set)
    for is_late in (False, True):
        by_kernels = _engine(case, rewards, is_late=is_late)
        by_hand = _engine(case, rewards, hidden, is_late=is_late)
        require_same(by_kernels.plays, by_hand.plays, "without kernels, decisions must be the same")
        require_same(by_kernels.regret, by_hand.regret, "without kernels, regret must have the same bits")
        require_same(by_kernels.reward, by_hand.reward, "without kernels, rewards must have the same bits")


def _check_scale(case: Case) -> None:
    if case.decision_set.upper is not None:
        return  # bounds have a unit
    engine = _engine(case, GaussianRewards(case.theta, variance=case.variance))
    for c in SCALES:
        scaled = _engine(case, GaussianRewards(c * case.theta, variance=c * c * case.variance))
        require_same(engine.plays, scaled.plays, f"rewards in another unit, times {c}, must leave decisions the same")
        require_same(c * engine.regret, scaled.regret, f"regret must be in the unit of rewards, times {c}")


def _check_labels(case: Case) -> None:
    """Compare two agents, one with items in another order, with equal outcomes; until all items are seen, the first chooses."""
    order = case.rng(5).permutation(case.d)
    sets = in_python(case.decision_set), Relabelled(case.decision_set, order)
    one = case.policy.start(sets[0], case.variance)
    two = case.policy.start(sets[1], case.variance[order])
    seed = np.random.SeedSequence([case.seed, 6])
    rngs = OrderedNormals(seed, np.arange(case.d)), OrderedNormals(seed, order)
    missing = coverable(case.decision_set)
    for t, outcomes in enumerate(case.outcomes(), 1):
        x, y = choose(one, sets[0], rngs[0]), choose(two, sets[1], rngs[1])
        if missing.any():
            two.forget(np.flatnonzero(y))
        else:
            require(
                np.array_equal(y, x[order]),
                f'labels of items must not matter, got {y} instead of {x[order]} in round {t} (waive "labels" for a policy '
                "that breaks ties by number, or draws other numbers than one normal per item and round)",
            )
        missing &= ~x
        tell(one, x, outcomes)
        tell(two, x[order], outcomes[order])


def _check_variance(case: Case) -> None:
    """Compare two variances of one item, without noise and with the same seed, so that nothing else makes a difference."""
    x = case.decision_set.maximize(case.theta)
    others = np.flatnonzero(coverable(case.decision_set) & ~x)
    if not others.size:
        return
    theta, j = np.where(x, 1.0, -1.0), int(others[0])
    y = case.decision_set.maximize(theta + 4.0 * case.d * (np.arange(case.d) == j))
    gap = float(theta @ x - theta @ y)
    plays = []
    for variance in (1e-4, WIDE * gap**2):
        variances = np.full(case.d, 1e-4)
        variances[j] = variance
        agent = case.policy.start(case.decision_set, variances)
        trace = play(agent, case.decision_set, np.tile(theta, (case.horizon, 1)), case.rng(2))
        plays.append(int(trace[:, j].sum()))
    require(
        plays[1] > plays[0],
        f"an item of large variance must be explored more, got {plays[1]} plays in {case.horizon} rounds, but {plays[0]} "
        "with a small variance",
    )


PROMISES: Final[Mapping[str, Callable[[Case], None]]] = {
    "rounds": _check_rounds,
    "description": _check_description,
    "coverage": _check_coverage,
    "engine": _check_engine,
    "state": _check_state,
    "overlap": _check_overlap,
    "degenerate": _check_degenerate,
    "late": _check_late,
    "order": _check_order,
    "python": _check_python,
    "scale": _check_scale,
    "labels": _check_labels,
    "variance": _check_variance,
}
"""All promises with their checks, cheap ones first."""
