"""Borders: known positions, and clipping compared with a segment-by-segment twin."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semibandits_studies.datasets.borders import _clipped, borders

WORLD = (-180, -90, 180, 90)


def crosses(line, a, b):
    """How often a line crosses the straight way from a to b."""

    def side(p, q, points):
        return (q[0] - p[0]) * (points[:, 1] - p[1]) - (q[1] - p[1]) * (points[:, 0] - p[0])

    a, b = np.array(a), np.array(b)
    sides = side(a, b, line)
    count = 0
    for k in np.flatnonzero(sides[:-1] * sides[1:] < 0):
        p, q = line[k], line[k + 1]
        ends = side(p, q, np.array([a, b]))
        count += ends[0] * ends[1] < 0
    return count


def crossings(a, b, **options):
    lines = borders(*np.minimum(a, b) - 1, *np.maximum(a, b) + 1, **options)
    return sum(crosses(line, a, b) for line in lines)


BERLIN, WARSAW, MUNICH, HAMBURG = (13.4, 52.5), (21.0, 52.2), (11.6, 48.1), (10.0, 53.55)
LONDON, PARIS, DENVER, TOPEKA = (-0.1, 51.5), (2.35, 48.85), (-105.0, 39.7), (-95.7, 39.0)


def test_a_journey_crosses_the_borders_that_it_crosses():
    assert crossings(BERLIN, WARSAW) == 1
    assert crossings(HAMBURG, MUNICH) == 0
    assert crossings(BERLIN, MUNICH) == 2  # through a corner of Bohemia
    assert crossings(PARIS, LONDON) == 2  # two coasts
    assert crossings(PARIS, BERLIN) == 3  # through Belgium and Luxembourg
    assert crossings(DENVER, TOPEKA, states=False) == 0
    assert crossings(DENVER, TOPEKA) == 1


def test_inland_there_is_nothing_but_states():
    assert borders(-100, 38, -97, 39, margin=0, states=False) == []
    assert borders(-105, 36, -97, 42, margin=0, states=False) == []
    assert borders(-105, 36, -97, 42, margin=0)


def test_the_whole_world_has_no_line_across_the_map():
    lines = borders(*WORLD)
    assert 1_000 < len(lines) < 3_000
    steps = np.concatenate([np.abs(np.diff(line, axis=0)) for line in lines])
    assert steps[:, 0].max() < 30
    points = np.concatenate(lines)
    assert np.abs(points[:, 0]).max() <= 180
    assert points[:, 1].min() > -90
    assert np.array_equal(points, np.round(points, 2))


def clipped_segment(p, q, low, high):
    """The part of a segment within a box, by halving at the edges: Sutherland and Hodgman on a line of two points."""
    for axis in (0, 1):
        for limit, sign in ((low[axis], 1), (high[axis], -1)):
            inside = [sign * (point[axis] - limit) >= 0 for point in (p, q)]
            if not any(inside):
                return None
            if not all(inside):
                share = (limit - p[axis]) / (q[axis] - p[axis])
                cut = p + share * (q - p)
                p, q = (p, cut) if inside[0] else (cut, q)
    return p, q


def length(line):
    return float(np.hypot(*np.diff(line, axis=0).T).sum())


@settings(max_examples=150, deadline=None)
@given(
    line=st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)), min_size=2, max_size=12),
    box=st.tuples(st.integers(-6, 4), st.integers(-6, 4), st.integers(1, 5), st.integers(1, 5)),
)
@example(line=[(0, 0), (4, 0), (4, 0), (4, 4)], box=(0, 0, 4, 4))
@example(line=[(-5, -5), (5, 5), (-5, 5), (5, -5)], box=(-1, -1, 2, 2))
def test_clipping_by_a_twin(line, box):
    line = np.array(line, dtype=float)
    low = np.array(box[:2], dtype=float)
    high = low + box[2:]
    pieces = _clipped(line, low, high)
    parts = [clipped_segment(p, q, low, high) for p, q in pairwise(line)]
    expected = sum(length(np.array(part)) for part in parts if part is not None)
    assert sum(map(length, pieces)) == pytest.approx(expected, abs=1e-9)
    for piece in pieces:
        assert piece.shape[0] >= 2
        assert piece.shape[1] == 2
        assert (piece >= low - 1e-12).all()
        assert (piece <= high + 1e-12).all()
    inner = [tuple(point) for point in line if ((point > low) & (point < high)).all()]
    assert {tuple(point) for piece in pieces for point in piece} >= set(inner)


def test_lines_extend_beyond_the_box_by_the_margin():
    box = (6.0, 47.0, 15.0, 55.0)
    for margin in (0.0, 0.1, 0.5):
        points = np.concatenate(borders(*box, margin=margin))
        beyond = margin * 9.0
        assert points[:, 0].min() == pytest.approx(6.0 - beyond)
        assert points[:, 0].max() == pytest.approx(15.0 + beyond)
        assert points[:, 1].min() >= 47.0 - beyond - 1e-12
        assert points[:, 1].max() <= 55.0 + beyond + 1e-12


def test_results_are_not_shared():
    first = borders(6, 47, 15, 55)
    for line in first:
        line[:] = math.nan
    assert all(np.isfinite(line).all() for line in borders(6, 47, 15, 55))
