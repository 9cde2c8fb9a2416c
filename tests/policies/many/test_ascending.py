"""Ascending lists, against sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semibandits.policies.many import ascending
from semibandits.policies.many.ascending import Ascending


@given(st.lists(st.integers(0, 40), max_size=120), st.sampled_from([1, 2, 5, 4_000]))
def test_numbers_that_come_and_go(changes: list[int], load: int) -> None:
    """Each number is added if it is not there, and removed if it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ascending, "LOAD", load)
        numbers, expected = Ascending(), set[int]()
        for number in changes:
            (numbers.remove if number in expected else numbers.add)(number)
            expected ^= {number}
            assert len(numbers) == len(expected)
            assert numbers.all() == sorted(expected)
            assert numbers.at(range(len(expected))) == sorted(expected)


def test_many() -> None:
    numbers = Ascending()
    for number in np.random.default_rng(0).permutation(30_000).tolist():
        numbers.add(number)
    assert numbers.at([0, 17_123, 29_999]) == [0, 17_123, 29_999]
