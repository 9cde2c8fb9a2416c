"""Rewards outside the law of a learner, at every entrance."""

import semibandits as sb
from semibandits.learning import storage

LETTERS, SEED = sb.MSets(3, 1, items="abc"), {"law": "bernoulli", "seed": 0}


def bernoulli(**prior):
    return sb.Learner(sb.MSets(3, 2, items="abc"), **SEED, **prior)


def told(law, rewards=None, *, costs=None):
    learner = sb.Learner(sb.MSets(3, 3, items="abc"), law=law, variance=1.0, seed=0)
    learner.tell(learner.ask().id, rewards, costs=costs)


def replaced(law, **prior):
    """From a learner without a law, with outcomes of 55 for items a and b, to one with all items but a."""
    learner = sb.Learner(sb.MSets(3, 2, items="abc"), sb.CUCB(), variance=1.0, seed=0)
    learner.tell(learner.ask().id, [55.0, 55.0])
    return learner.replace(sb.MSets(2, 1, items="bc"), sb.GLADE(law=law), **prior)


def restored():
    learner = bernoulli()
    learner.tell(learner.ask().id, [1.0, 1.0])
    state = learner.state()
    state["statistics"]["sums"] = state["agent"]["sums"] = [55.0, 1.0, 0.0]
    return sb.Learner.from_state(storage.sealed({k: v for k, v in state.items() if k != "checksum"}))


def excluded(name, least_to_most, got, law="bernoulli"):
    return f"^{name} must be from {least_to_most} under the law {law}, got {got}: "


OF_EACH = sb.laws.Mixed([sb.laws.Bernoulli(), sb.laws.Poisson(), sb.laws.Gamma(cost=True)])
COINS = sb.BernoulliRewards([0.1, 0.2, 0.3])
CALLS = [
    (lambda: told("poisson:cost", costs=[2.0, -3.0, 1.0]), "costs must be from 0 to inf under the law .*, got -3 for"),
    (lambda: told(OF_EACH, [2.0, 2.0, -2.0]), "rewards must be from 0 to 1 .* got 2 for 'a'"),
    (lambda: told(OF_EACH, [1.0, 2.0, 2.0]), "rewards must be from -inf to 0 .* got 2 for 'c'"),
    *((lambda *, call=call: call(), excluded(*message)) for call, *message in (
        (lambda: sb.Learner.from_history(LETTERS, ["a", "b"], [1.0, 55.0], **SEED), "rewards", "0 to 1", "55 for 'b' at index 1"),
        (lambda: sb.Learner.from_history(sb.MSets(3, 1), [0], costs=[1.0], **SEED), "costs", "-1 to 0", "1 for 0 at index 0"),
        (lambda: sb.Learner.from_rounds(LETTERS, [{"b": 1.0}, {"a": -1.0}], **SEED), "rewards", "0 to 1",
         "-1 for 'a' at index 0 of round 1"),
        (lambda: bernoulli(prior_means=[0.5, 55.0, -3.0], prior_plays=[1, 1, 0]), "prior_means", "0 to 1", "55 for 'b'"),
        (lambda: bernoulli(prior_costs=1.0, prior_plays=1), "prior_costs", "-1 to 0", "1 for 'a'"),
        (lambda: replaced("bernoulli"), "means of observed rewards", "0 to 1", "55 for 'b'"),
        (lambda: replaced("poisson", prior_means=[-1.0, 1.0], prior_plays=1), "prior_means", "0 to inf", "-1 for 'b'", "poisson"),
        (restored, "means of observed rewards", "0 to 1", "55 for 'a'"),
        (lambda: sb.simulate(sb.MSets(3, 1), COINS, sb.GLADE(), 10, 1, prior_means=2.0, prior_plays=1), "prior_means", "0 to 1",
         "2 for 0"),
    )),
]  # fmt: skip
