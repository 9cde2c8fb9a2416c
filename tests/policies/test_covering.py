"""Items without an observation come first, in the order of docs/policies.md."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb


def first_decisions(matrix, policy):
    """Decisions of a learner until all items that are in any were seen."""
    learner, played = sb.Learner(sb.EnumeratedDecisions(matrix), policy, variance=0.5, seed=0), []
    while (learner.plays == 0)[np.any(matrix, axis=0)].any():
        asked = learner.ask()
        learner.tell(asked.id, np.zeros(len(asked.items)))
        played.append(asked.decision.astype(int).tolist())
    return played


@pytest.mark.parametrize("policy", [sb.CUCB(), sb.OSSB()], ids=lambda policy: policy.name)
def test_the_decision_of_the_first_item_comes_before_a_larger_one(policy):
    assert first_decisions([[1, 0, 0, 0], [0, 1, 1, 1]], policy) == [[1, 0, 0, 0], [0, 1, 1, 1]]
    assert first_decisions([[0, 1, 1, 1], [1, 1, 0, 0]], policy) == [[1, 1, 0, 0], [0, 1, 1, 1]]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=6, unique_by=tuple))
def test_each_is_the_cover_of_the_first_unseen_item(rows):
    matrix = np.array(rows)
    played, seen = [np.array(x, dtype=bool) for x in first_decisions(matrix, sb.CUCB())], np.zeros(5, dtype=bool)
    assert len(played) <= 5
    for x in played:
        unseen = matrix.any(axis=0) & ~seen
        assert x[np.argmax(unseen)]
        assert x.tolist() in matrix.tolist()
        seen |= x
