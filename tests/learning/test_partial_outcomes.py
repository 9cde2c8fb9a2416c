"""Outcomes of some items of a round are lost: all policies count the others, and no item stays open."""

import numpy as np
import pytest
from learner_cases import SETS, Fixed

from semibandits import InvalidInputError, Learner, MSets, ThompsonSampling


def learner_of():
    return Learner(SETS["matchings"](), ThompsonSampling(scale=0.5), variance=0.5, seed=5)


MARKS = {
    "nan": lambda asked: [0.5, np.nan, 0.25],
    "None": lambda asked: [0.5, None, 0.25],
    "array": lambda asked: np.array([0.5, np.nan, 0.25]),
    "masked array": lambda asked: np.ma.array([0.5, 7.0, 0.25], mask=[False, True, False]),
    "masked integers": lambda asked: np.ma.array([1, 7, 2], mask=[False, True, False]) / 1,
    "masked in a list": lambda asked: [0.5, np.ma.masked, 0.25],
    "label missing": lambda asked: {asked.labels[2]: 0.25, asked.labels[0]: 0.5},
    "nan by label": lambda asked: dict(zip(asked.labels, [0.5, np.nan, 0.25], strict=True)),
    "None by label": lambda asked: dict(zip(asked.labels, [0.5, None, 0.25], strict=True)),
    "masked by label": lambda asked: dict(zip(asked.labels, [0.5, np.ma.masked, 0.25], strict=True)),
}


@pytest.mark.parametrize("mark", MARKS)
def test_an_unobserved_item_is_an_error_with_a_remedy_or_lost(mark):
    learner = learner_of()
    learner.forget(learner.ask().id)
    asked = learner.ask()
    outcome = MARKS[mark](asked)
    with pytest.raises(InvalidInputError) as error:
        learner.tell_many({asked.id: outcome})
    got = {"label missing": "no reward"}.get(
        mark, f"{'a masked entry' if 'masked' in mark else 'None' if 'None' in mark else 'nan'} at index 1"
    )
    assert str(error.value) == (
        f"rewards of round 1 must be finite, one for each item, got {got} for {asked.labels[1]!r}: if some items were not "
        "observed, pass partial=True; if none was, call forget(1)"
    )
    learner.tell(asked.id, outcome, partial=True)
    assert learner.plays[asked.items].tolist() == [1, 0, 1]
    assert not learner._agent.pending.any()


class Recording(Fixed):
    """Keeps the calls that it receives."""

    def start(self, decision_set, variance):
        agent = super().start(decision_set, variance)
        agent.received = []
        return agent

    def observe(self, items, rewards):
        self.received.append(("observe", items.tolist(), rewards.tolist()))

    def forget(self, items):
        self.received.append(("forget", items.tolist()))


def test_own_agents_forget_the_lost_items_and_observe_the_others():
    learner = Learner(MSets(4, 3), Recording(1, 0, 1, 1), variance=1.0, seed=0)
    learner.tell(learner.ask().id, [1.0, None, 3.0], partial=True)
    learner.tell(learner.ask().id, [None] * 3, partial=True)
    learner.tell(learner.ask().id, [1.0, 2.0, 3.0], partial=True)
    assert learner._agent.received == [
        ("forget", [2]), ("observe", [0, 3], [1.0, 3.0]), ("forget", [0, 2, 3]), ("observe", [0, 2, 3], [1.0, 2.0, 3.0]),
    ]  # fmt: skip
