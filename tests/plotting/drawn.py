"""Axes to draw on, and what has been drawn on them."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text


def axes():
    figure = Figure(figsize=(8, 7), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def names_of(ax):
    return [child for child in ax.get_children() if isinstance(child, Annotation)]


def texts(labels):
    return [label.get_text() for label in labels]


def boxes_of(ax):
    """Boxes of the names by their text, without the lines that lead to them."""
    ax.figure.canvas.draw()
    return {name.get_text(): Text.get_window_extent(name) for name in names_of(ax)}


def overlapping(boxes, slack=0.0):
    """Pairs of names that cover each other by more than `slack` pixels in both directions."""
    found = []
    for i, (name, a) in enumerate(boxes.items()):
        for other, b in list(boxes.items())[:i]:
            if min(a.x1, b.x1) - max(a.x0, b.x0) > slack and min(a.y1, b.y1) - max(a.y0, b.y0) > slack:
                found.append((name, other))
    return found


def line_collections(ax):
    return [one for one in ax.collections if isinstance(one, LineCollection) and len(one.get_segments())]


def lines_of(ax, colour):
    """Segments of the collections drawn in one colour."""
    found = []
    for collection in line_collections(ax):
        segments = collection.get_segments()
        edges = np.resize(collection.get_edgecolor(), (len(segments), 4))
        found += [segment for segment, edge in zip(segments, edges, strict=True) if np.allclose(edge, to_rgba(colour))]
    return found
