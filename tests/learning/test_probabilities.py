"""Probabilities of the items of a round: 1 for policies that draw nothing, and shares of draws for Thompson sampling."""

import numpy as np
import pytest

import semibandits as sb

WHOLE = sb.MSets(5, 2, items=list("abcde"))
RATES = np.array([0.5, 0.45, 0.4, 0.2, 0.1])


class DrawnPolicy(sb.Policy):
    """Two items at random."""

    def start(self, decision_set, variance):
        return DrawnAgent()


class DrawnAgent(sb.Agent):
    """See `DrawnPolicy`."""

    def choose(self, rng):
        return np.isin(np.arange(5), rng.choice(5, 2, replace=False))

    def observe(self, items, rewards):
        pass


def play(learner, n_rounds, *, seed=0):
    """Rounds with outcomes 0 and 1, each third with an item away: the decisions and their probabilities."""
    rng, found = np.random.default_rng(seed), []
    for number in range(n_rounds):
        asked = learner.ask(["a", "b", "d", "e"] if number % 3 == 2 else None)
        found.append((asked.items.tolist(), asked.probabilities))
        learner.tell(asked.id, (rng.random(len(asked.items)) < RATES[asked.items]).astype(float))
    return found


@pytest.mark.parametrize("policy", [sb.GLADE(), sb.CUCB(), sb.ESCB(), sb.OSSB()], ids=repr)
def test_policies_that_draw_nothing_are_sure(policy):
    learner = sb.Learner(WHOLE, policy, law="bernoulli", variance=0.25, seed=0, probability_draws=10)
    assert all(shares.tolist() == [1.0, 1.0] for _, shares in play(learner, 9))


@pytest.mark.parametrize("options", [{}, {"half_life": 20.0}, {"features": "pooled"}], ids=str)
def test_draws_do_not_change_decisions(options):
    """The learner plays the same with and without them, and also goes on the same from its state."""
    options = {"law": "bernoulli", "seed": 3} | options
    plain = sb.Learner(WHOLE, sb.ThompsonSampling(), **options)
    drawn = sb.Learner(WHOLE, sb.ThompsonSampling(), **options, probability_draws=25)
    first, second = play(plain, 60), play(drawn, 60)
    assert [items for items, _ in first] == [items for items, _ in second]
    assert all(shares is None for _, shares in first)
    shares = np.array([each for _, each in second])
    assert ((shares >= 1 / 26) & (shares <= 1.0)).all()
    assert np.ptp(shares) > 0.3
    again = sb.Learner.from_state(drawn.state())
    assert [each.tolist() for _, each in play(again, 10)] == [each.tolist() for _, each in play(drawn, 10)]


def test_shares_are_those_of_the_law_of_the_decisions():
    """Against 4,000 copies of a learner with other random numbers, within five standard errors: the mean of one
    over the share, over decisions with an item, is (1 - (1 - p)^(n + 1)) / p.
    """
    learner = sb.Learner(WHOLE, sb.ThompsonSampling(), law="bernoulli", seed=1)
    play(learner, 12)
    state, draws = learner.state(), 8
    counts, weights = np.zeros(5), np.zeros(5)
    for seed in range(4_000):
        copy = sb.Learner.from_state(state)
        copy._progress.rng.bit_generator.state = np.random.PCG64(seed).state
        copy._progress.probability_draws = draws
        asked = copy.ask()
        counts[asked.items] += 1.0
        weights[asked.items] += 1.0 / asked.probabilities
    p = counts / 4_000
    expected = 1.0 - (1.0 - p) ** (draws + 1)
    spread = np.sqrt(expected * (draws + 1) / 4_000)  # weights are at most n + 1
    assert (np.abs(weights / 4_000 - expected) < 5.0 * spread).all()
    assert np.ptp(p) > 0.2


def test_open_rounds_keep_their_probabilities(tmp_path):
    """In states, after `replace`, in a database, in repeated calls, and by `ask_many`."""
    options = {"policy": sb.ThompsonSampling(), "law": "bernoulli", "probability_draws": 20}
    learner = sb.Learner(WHOLE, **options, seed=0)
    play(learner, 20)
    asked = learner.ask_many(3)
    for each, stored in zip(asked, sb.Learner.from_state(learner.state()).open_rounds, strict=True):
        assert stored.probabilities.tolist() == each.probabilities.tolist()
    swapped, _ = learner.replace(sb.MSets(5, 2, items=list("edcba")))
    for each, stored in zip(asked, swapped.open_rounds, strict=True):
        assert dict(zip(stored.labels, stored.probabilities, strict=True)) == dict(
            zip(each.labels, each.probabilities, strict=True)
        )
    url = f"sqlite:///{tmp_path / 'p.db'}"
    with sb.open_learner(url, name="p", decision_set=WHOLE, **options) as first:
        play(first, 20)
        known = first.ask(key="one")
        assert first.ask(key="one").probabilities.tolist() == known.probabilities.tolist()
        with sb.open_learner(url, name="p") as second:
            assert second.open_rounds[0].probabilities.tolist() == known.probabilities.tolist()
            assert second.expire(before=known.id + 1)[-1].probabilities.tolist() == known.probabilities.tolist()
    assert sb.Learner(WHOLE, **options, seed=0).state()["probability_draws"] == 20


def test_own_policies_have_no_probabilities():
    """Nobody knows whether they draw."""
    assert sb.Learner(WHOLE, DrawnPolicy(), variance=1.0, seed=0, probability_draws=5).ask().probabilities is None
