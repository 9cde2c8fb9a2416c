"""Rounds that look at few of very many items, against the usual ones."""

import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import semibandits as sb
from marks import later
from semibandits._typing import ArrayLike
from semibandits.policies.agents import RuleAgent
from semibandits.policies.many.few import MANY, FewItems, started
from semibandits.policies.prior import Prior
from semibandits.policies.rules import RulePolicy

D = 160
GROUPS = np.arange(D) % 3
SETS = {
    "m-sets": sb.MSets(D, 4),
    "partition": sb.MatroidBases(sb.matroids.Partition(GROUPS.tolist(), {0: 2, 1: 1, 2: 3})),
    "quotas": sb.MatroidBases(sb.matroids.quotas(GROUPS.tolist(), 2, 4)),
}


def pair(policy: RulePolicy, decision_set: sb.DecisionSet, seed: int) -> tuple[RuleAgent, RuleAgent]:
    """An agent that looks at few items and the usual one, with the same prior, which differs from item to item."""
    rng = np.random.default_rng(seed)
    prior = Prior(rng.choice([0.0, 0.02, 0.5], D), rng.choice([1.0, 2.0, 9.0], D))
    prepared, variance = policy.prepared(decision_set, 0.25)
    few = FewItems.of(prepared, decision_set, variance, prior, least=1)
    assert few is not None
    many = RuleAgent(prepared, decision_set, variance, few)
    usual = policy.start(decision_set, 0.25)
    many.assume(prior)
    usual.assume(prior)
    return many, usual


def rounds(
    many: RuleAgent, usual: RuleAgent, law: str, n: int
) -> Iterator[tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], ...]]:
    """Rounds of both, with the outcomes of the first for both: late, and some of them lost."""
    rng, policy_rng = np.random.default_rng(7), np.random.default_rng(8)
    theta, waiting = rng.uniform(size=D) ** 4, []
    for _ in range(n):
        chosen = many.choose(copy.deepcopy(policy_rng)), usual.choose(policy_rng)
        yield chosen
        waiting.append(np.flatnonzero(chosen[0]))
        if len(waiting) > rng.integers(6):
            items = waiting.pop(int(rng.integers(len(waiting))))
            rewards = rng.binomial(1, theta[items]).astype(float) if law == "bernoulli" else rng.normal(theta[items])
            for agent in (many, usual):
                if rewards.sum() > 3.5:
                    agent.forget(items)
                else:
                    agent.observe(items, rewards)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize(
    ("policy", "law"),
    [*itertools.product([sb.CUCB(), sb.GLADE()], ["gaussian", "bernoulli"]), (sb.CUCB(law="bernoulli"), "bernoulli")],
    ids=str,
)
def test_it_plays_the_same_decisions(policy: RulePolicy, family: str, law: str) -> None:
    known = policy.for_rewards(law)
    assert isinstance(known, RulePolicy)
    many, usual = pair(known, SETS[family], seed=1)
    n_same = 0
    for x, y in rounds(many, usual, law, 250):
        if isinstance(policy, sb.CUCB):
            np.testing.assert_array_equal(x, y)
        elif not np.array_equal(x, y):  # searches of GLADE stop at a good decision, which depends on what else there is
            break
        n_same += 1
    assert n_same >= (250 if isinstance(policy, sb.CUCB) else 20)


@pytest.mark.parametrize("law", ["gaussian", "bernoulli"])
def test_the_items_of_a_round_contain_one_of_the_largest_indices(law: str) -> None:
    """GLADE finds a plausible decision among the items of a round if there is one among all."""
    many, usual = pair(sb.GLADE(patience=0.0), SETS["m-sets"], seed=2)
    n_plausible = 0
    for x, _ in rounds(many, usual, law, 120):
        stats = many.player.stats
        assert many.few is not None
        items = many.few.candidates(many, many.few._index)  # type: ignore[arg-type]
        best = many.maximize(stats[2])
        levels = np.where(best, 0.0, np.maximum(np.log((many.player.counters[0] + 1) / stats[5]) - 1.0, 0.0))
        whole = SETS["m-sets"].maximize_index(stats[2], stats[3] * levels)
        part = sb.MSets(len(items), 4).maximize_index(stats[2][items], (stats[3] * levels)[items])
        index = stats[2][whole].sum() + np.sqrt((stats[3] * levels)[whole].sum())
        found = stats[2][items][part].sum() + np.sqrt((stats[3] * levels)[items][part].sum())
        assert found == pytest.approx(index, abs=1e-9)
        assert x.sum() == 4
        n_plausible += index > stats[2][best].sum() + 1e-9
    assert n_plausible > 20


@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("policy", [sb.CUCB(), sb.GLADE(), sb.ThompsonSampling()], ids=lambda policy: policy.name)
def test_decisions_use_available_items_only(policy: RulePolicy, family: str) -> None:
    """CUCB plays the same decisions, and the others one of the available ones."""
    many, usual = pair(policy, SETS[family], seed=5)
    rng = np.random.default_rng(6)
    for k in range(40):
        available = rng.random(D) < 0.4
        x = many.choose_among(available, np.random.default_rng(k))
        y = usual.choose_among(available, np.random.default_rng(k))
        assert x in SETS[family]
        assert not (x & ~available).any()
        if isinstance(policy, sb.CUCB):
            np.testing.assert_array_equal(x, y)
        items = np.flatnonzero(x)
        usual.forget(np.flatnonzero(y))
        usual.reopen(items)
        rewards = rng.binomial(1, 0.5, len(items)).astype(float)
        for agent in (many, usual):
            agent.observe(items, rewards)
    before = many.state()["plays"]
    for k in (0, 2):
        with pytest.raises(sb.Infeasible):
            many.choose_among(np.arange(D) < k, rng)
    assert many.state()["plays"] == before


def learner(policy: sb.Policy, **options: object) -> sb.Learner:
    return sb.Learner(sb.MSets(MANY, 5), policy, seed=3, **options)  # type: ignore[arg-type]


CASES = {
    "CUCB": (sb.CUCB(), {"variance": 0.25}),
    "GLADE, rewards 0 and 1": (sb.GLADE(), {"law": "bernoulli"}),
    "Thompson": (sb.ThompsonSampling(), {"variance": 0.25}),
    "Thompson, rewards 0 and 1": (sb.ThompsonSampling(), {"law": "bernoulli"}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_restored_learner_continues_bit_for_bit_from_a_short_state(case: str) -> None:
    policy, options = CASES[case]
    original = learner(policy, prior_means=0.02, prior_plays=50, **options)
    rng = np.random.default_rng(4)
    asked = [original.ask() for _ in range(8)]
    for _ in range(60):
        original.tell(asked.pop(0).id, rng.binomial(1, 0.1, 5).astype(float))
        asked.append(original.ask())
    text = json.dumps(original.state())
    assert len(text) < 40_000
    restored = sb.Learner.from_state(json.loads(text))
    assert json.dumps(restored.state()) == text
    for _ in range(30):
        rewards = rng.binomial(1, 0.1, 5).astype(float)
        oldest = original.open_rounds[0].id
        for each in (original, restored):
            each.tell(oldest, rewards)
        one, other = original.ask(), restored.ask()
        np.testing.assert_array_equal(one.items, other.items)
    assert original._progress.rule is not None
    assert original._progress.rule.few is not None
    assert original.plays.sum() == 90 * 5


@pytest.mark.parametrize("case", CASES)
def test_a_call_that_fails_changes_nothing(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, options = CASES[case]
    one, other = (learner(policy, prior_means=0.02, prior_plays=50, **options) for _ in range(2))
    usual, count = RuleAgent._enter, iter(range(100))

    def failing(self: RuleAgent, items: np.ndarray, change: float) -> None:
        usual(self, items, change)
        if next(count) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RuleAgent, "_enter", failing)
        with pytest.raises(KeyboardInterrupt):
            one.ask_many(5)
    assert one.state() == other.state()
    for a, b in zip(one.ask_many(5), other.ask_many(5), strict=True):
        np.testing.assert_array_equal(a.items, b.items)


@pytest.mark.parametrize("plays", [*later(50), np.where(np.arange(MANY) % 7, 50, 51)], ids=["one number", "one per item"])
def test_a_learner_in_a_database_plays_the_same_after_it_is_opened_again(tmp_path: Path, plays: ArrayLike) -> None:
    prior = {"law": "bernoulli", "prior_means": 0.02, "prior_plays": plays}
    arguments = {"decision_set": sb.MSets(MANY, 5), "policy": sb.ThompsonSampling(), "seed": 3, **prior}
    address = f"sqlite:///{tmp_path / 'shortlists.db'}"
    memory = learner(sb.ThompsonSampling(), **prior)
    for _ in range(2):
        with sb.open_learner(address, name="articles", snapshot_every=3, **arguments) as stored:  # type: ignore[arg-type]
            for k in range(5):
                one, other = stored.ask(), memory.ask()
                np.testing.assert_array_equal(one.items, other.items)
                for each in (stored, memory):
                    each.tell(one.id, np.eye(5)[k])
    with pytest.raises(sb.InvalidInputError, match="prior must be that of the learner"):
        sb.open_learner(address, name="articles", **(arguments | {"prior_means": 0.03}))  # type: ignore[arg-type]


DAMAGE = {
    "items": lambda agent: agent["items"].reverse(),
    "plays": lambda agent: agent["plays"].__setitem__(0, 3),
    "sums": lambda agent: agent["sums"].__setitem__(0, "inf"),
    "counters": lambda agent: agent["counters"].__setitem__(1, 5),
    "kept": lambda agent: agent["kept"].pop(),
    "marks": lambda agent: agent["marks"].__setitem__(-1, -5),
    "memory": lambda agent: agent["memory"].pop(),
}


def test_damaged_states_are_refused() -> None:
    original = learner(sb.GLADE(), prior_means=0.0, prior_plays=5, variance=1.0)
    original.tell(original.ask().id, np.ones(5))
    agent = original._agent
    before = json.dumps(agent.state())
    for part, damage in DAMAGE.items():
        state = agent.state()
        damage(state)
        with pytest.raises(sb.InvalidInputError, match=part):
            agent.restore(state)
        assert json.dumps(agent.state()) == before


@pytest.mark.parametrize("reason", ["few items", "no prior", "unseen items", "weights by age", "variances", "rivals", "law"])
def test_other_learners_have_the_usual_agent(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RulePolicy, "start", lambda *_: "the usual agent")  # it would need long for the first rounds
    plays = np.full(MANY, 5.0)
    plays[7] = 0.0 if reason == "unseen items" else 5.0
    agent = started(
        sb.GLADE(rivals=0.4) if reason == "rivals" else sb.ThompsonSampling(law="poisson" if reason == "law" else None),
        sb.MSets(MANY - 1 if reason == "few items" else MANY, 5),
        np.linspace(1.0, 2.0, MANY) if reason == "variances" else 1.0,
        None if reason == "no prior" else Prior(np.zeros(MANY), plays),
        ages=reason == "weights by age",
    )
    assert agent == "the usual agent"
