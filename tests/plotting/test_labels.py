"""Placement of labels: clipping compared with a second method, and layouts with an obvious answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits_studies.plotting.labels import _length_inside, place_labels

coordinate = st.integers(-6, 6).map(float)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.tuples(coordinate, coordinate), st.tuples(coordinate, coordinate))
def test_length_inside_a_box_equals_that_of_sampled_points(start, end):
    segment = np.array([[start, end]])
    low, high = np.array([-2.5, -1.5]), np.array([3.5, 2.5])
    points = np.linspace(start, end, 20_001)
    share = np.mean(((points >= low) & (points <= high)).all(axis=1))
    length = float(np.hypot(*(np.subtract(end, start))))
    assert _length_inside(segment, low, high)[0] == pytest.approx(share * length, abs=2e-3)


def test_a_label_avoids_the_line_beside_its_point():
    segments = np.array([[[0.0, 0.0], [100.0, 0.0]], [[0.0, 0.0], [0.0, 100.0]]])
    corner = place_labels(np.zeros((1, 2)), np.array([3.0]), np.array([[30.0, 8.0]]), segments, np.ones(2))[0]
    assert _length_inside(segments, corner, corner + np.array([30.0, 8.0])).sum() == 0.0


def test_no_labels_at_all():
    corners = place_labels(np.zeros((2, 2)), np.ones(2), np.empty((0, 2)), np.empty((0, 2, 2)), np.empty(0))
    assert corners.shape == (0, 2)
