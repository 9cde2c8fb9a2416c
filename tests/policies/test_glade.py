"""GLADE against its definition, over the list of all decisions."""

import math

import numpy as np
import pytest
from glade_kernel import decide, nothing_decided
from histories import SETS, assert_best, play, situations
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.kernels.rules import glade
from semibandits.kernels.rules.glade import add_to_pool, glade_state, pooled
from semibandits.kernels.rules.levels import write_levels
from semibandits.kernels.rules.statistics import COUNTS, ROWS
from semibandits.policies import GLADE


def levels_of(plays, best, t, discount, rivals, m):
    """(ln(t / h) - c)+ outside the best decision, pair by pair of items."""
    plays, levels = np.maximum(plays, 1.0), np.zeros(len(plays))
    for i in np.flatnonzero(~best):
        h = (1 - rivals) * plays[i]
        for j in np.flatnonzero(~best):
            has_fewer_digits = math.floor(math.log2(plays[j])) < math.floor(math.log2(plays[i]))
            h += rivals / m * (math.sqrt(plays[i] * plays[j]) if has_fewer_digits else plays[i])
        levels[i] = max(math.log(t / h) - discount, 0.0)
    return levels


@pytest.mark.parametrize("largest", [3.0, 2000.0, 1e150])
@given(seed=st.integers(0, 2**32 - 1), rivals=st.sampled_from([0.0, 0.4, 1.0]), m=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_levels_are_those_of_the_definition(largest, seed, rivals, m):
    rng = np.random.default_rng(seed)
    plays = np.floor(np.exp(rng.uniform(0, math.log(largest), rng.integers(1, 200)))) - (rng.random() < 0.2)
    best, stats, found = rng.random(len(plays)) < 0.3, np.zeros((ROWS, len(plays))), np.full(len(plays), np.nan)
    stats[COUNTS] = plays
    t = float(np.ceil(plays.sum() * rng.uniform(1, 50))) + 3
    write_levels(t, 0.7, rivals, float(m), stats, best, found)
    assert found == pytest.approx(levels_of(plays, best, t, 0.7, rivals, m), abs=1e-9)


@pytest.mark.parametrize(("discount", "rivals"), [(0.0, 0.0), (1.0, 0.0), (1.0, 0.4)])
@given(situation=situations())
@settings(max_examples=60, deadline=None)
def test_without_foresight_it_plays_a_plausible_decision_if_there_is_one(discount, rivals, situation):
    policy = GLADE(discount=discount, rivals=rivals, patience=0.0, foresight=0.0, recheck=0.0)
    for t, x, account, rows, _ in play(policy, situation):
        m = int(rows.sum(axis=1).max())
        values = rows @ account.means
        scale = np.abs(account.means).sum() + math.sqrt(account.bonuses(math.log(t + 1)).sum())
        found = []
        for best in rows[values >= values.max() - 1e-9 * scale]:  # where several tie, any may be taken for the best
            bonuses = account.bonuses(levels_of(account.plays, best, t, discount, rivals, m))
            found.append((best, values + np.sqrt(rows @ bonuses)))
        errors = []
        for best, index in found:
            try:
                if index.max() > values.max() + 1e-9 * scale:
                    assert index[(rows == x).all(axis=1)].item() > values.max() - 1e-9 * scale
                    assert (x != best).any()
                else:
                    assert (x == best).all() or index.max() > values.max() - 1e-9 * scale
                    assert_best(x, index, rows, scale)
            except AssertionError as error:
                errors.append(error)
        assert len(errors) < len(found), errors[0]


class Twin:
    """One decision by the definition, for numbers without ties: plain sums over the list of decisions."""

    def __init__(self, rows, stats, variance, t, policy):
        self.rows, self.policy = rows, policy
        _, _, self.means, _, _, self.plays = stats
        self.values = rows @ self.means
        self.best = rows[self.values.argmax()]
        self.scale = 2 * variance / np.maximum(self.plays, 1)
        m = int(rows.sum(axis=1).max())
        self.level = levels_of(self.plays, self.best, t, policy.discount, policy.rivals, m)

    def enters(self, x):
        return np.flatnonzero(x & ~self.best)

    def gap(self, x):
        return self.values.max() - x @ self.means

    def sums(self, x):
        i = self.enters(x)
        return self.scale[i].sum(), (self.scale * self.level)[i].sum()

    def prices(self, pool, foresight):
        """Multiplier after multiplier, four times."""
        fall = np.where(self.best, 0.0, self.scale / np.maximum(self.plays, 1))
        needy = []
        for x in pool:
            (variance, bonus), gap = self.sums(x), self.gap(x)
            if gap > 0 and variance > 0:
                need = min(1.0, 1 + (bonus - gap**2) / (foresight * variance))
                if need > 0:
                    needy.append((self.enters(x), need * gap))
        multipliers, result = np.zeros(len(needy)), np.zeros(len(self.means))
        for _ in range(4):
            for k, (i, worth) in enumerate(needy):
                multipliers[k] = max(0.0, multipliers[k] + (worth - result[i].sum()) / fall[i].sum())
                result = sum(m * fall * np.isin(np.arange(len(fall)), j) for m, (j, _) in zip(multipliers, needy, strict=True))
        return result

    def decision(self, pool):
        """What may be played (of decisions that gain the same, any), and what enters the pool."""
        index = [self.values[k] + math.sqrt(self.sums(x)[1]) for k, x in enumerate(self.rows)]
        plausible = self.rows[int(np.argmax(index))]
        if max(index) <= self.values.max() or not len(self.enters(plausible)):
            return [self.best], None
        variance, bonus = self.sums(plausible)
        if self.gap(plausible) ** 2 < glade.CRUDE * variance:
            return [plausible], plausible
        level = bonus / variance
        prices = self.prices([*pool, plausible], self.policy.foresight)

        def gain(x):
            return prices[self.enters(x)].sum() - self.gap(x)

        most = max(map(gain, self.rows))
        needed = max(gain(plausible), 0.0) + self.policy.saving * min(1.0, 2 / math.sqrt(level)) * self.gap(plausible)
        if most <= needed:
            return [plausible], plausible
        return [x for x in self.rows if gain(x) >= most - 1e-9], plausible


@given(family=st.sampled_from(sorted(SETS)), seed=st.integers(0, 2**32 - 1), t=st.integers(60, 10**6))
@settings(max_examples=150, deadline=None)
def test_decisions_are_those_of_the_definition(family, seed, t):
    rng, decisions = np.random.default_rng(seed), SETS[family].enumerate()
    d = decisions.shape[1]
    plays, variance = np.ceil(np.exp(rng.uniform(0, math.log(60), d))), rng.uniform(0.1, 1, d)
    means = rng.normal(size=d) * rng.choice([0.1, 1.0])
    scales = 2 * variance / plays
    told = plays // 2.0  # the others are open: the rule looks at both together, but for repetitions
    stats = np.array([told, told * means, means, scales, np.sqrt(scales), plays])
    policy = GLADE(remembered=6, saving=rng.choice([0.1, 1.0]), foresight=rng.choice([0.5, 8.0]), rivals=rng.choice([0.0, 0.4]))
    pool = [decisions[k] for k in rng.integers(len(decisions), size=rng.integers(0, 6))]
    marks, kept = nothing_decided(policy, decisions)
    state = glade_state(policy.memory(d, 1)[0], marks, kept, d)
    for row in pool:
        add_to_pool(state, row)
    pool = list({row.tobytes(): row for row in pool}.values())
    twin = Twin(decisions, stats, variance, t, policy)
    expected, fresh = twin.decision(pool)
    x = decide(decisions, stats, t, policy.params(int(decisions.sum(1).max()), variance), marks, kept)
    assert x.tolist() in [allowed.tolist() for allowed in expected]
    assert np.array_equal(kept[glade.PLAYED_ROW], x)
    assert np.array_equal(kept[glade.BEST_ROW], twin.best)
    known = [row.tobytes() for row in pool]
    new = fresh is not None and fresh.tobytes() not in known
    assert marks[glade.REMEMBERED] == len(pool) + new
    if new:
        assert np.array_equal(pooled(state.pool, len(pool)), np.flatnonzero(fresh))
    fewest = told[x].min() if x.any() else 0
    assert marks[glade.REPEATS] == max(int(policy.patience * fewest) - 1, 0)
    assert marks[glade.STAGE] == glade.START


def test_the_oldest_of_a_full_pool_makes_room():
    decisions = sb.MSets(5, 1)
    agent, rng = GLADE(remembered=2, patience=0.0, discount=0.0).start(decisions, 0.5), np.random.default_rng(3)
    player, newest = agent.player, []
    pool = glade_state(player.memory, player.marks, player.rows, 5).pool
    for _ in range(200):
        before = int(player.marks[glade.REMEMBERED])
        x = agent.choose(rng)
        agent.observe(np.flatnonzero(x), rng.normal(size=1))
        if player.marks[glade.REMEMBERED] > before:
            newest.append(pooled(pool, before % 2).tolist())
        assert all(items in [pooled(pool, k).tolist() for k in range(2)] for items in newest[-2:])
    assert len(newest) > 2


def test_a_decision_is_played_until_a_count_has_grown_by_the_share():
    """With patience 1/2 and items that differ greatly, runs of the best one grow with its count: 1, 1, 1, 2, 3, 4, 6, ..."""
    agent, rng = GLADE(patience=0.5, discount=5.0).start(sb.MSets(2, 1), 0.5), np.random.default_rng(0)
    questions, rounds = [], 60
    for t in range(rounds):
        before = agent.calls[0]
        x = agent.choose(rng)
        agent.observe(np.flatnonzero(x), np.where(x[0], [10.0], [0.0]))
        if agent.calls[0] > before:
            questions.append(t)
    lengths = np.diff(questions)
    plays, expected = 1, []
    while sum(expected) < sum(lengths):
        expected.append(max(int(0.5 * plays), 1))
        plays += expected[-1]
    assert lengths.tolist() == expected
