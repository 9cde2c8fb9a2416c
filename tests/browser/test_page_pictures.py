"""Screenshots of the charts against pictures of how they should look, tolerant of fonts and of smoothing.

Both are reduced to a grid 32 blocks wide. A block differs by as much as from the most similar of the 3 x 3 blocks around its
place, so that a shift by a line of text is no difference; what counts is the mean in the worst window of 6 x 6 blocks. A
picture may differ from its baseline by at most 0.35 of what an empty chart does: other fonts came to less than 0.2.

The pictures in ``baselines/`` are made anew, to be looked at before they are kept, by::

    SEMIBANDITS_NEW_BASELINES=1 pytest tests/browser/test_page_pictures.py
"""

import io
import os
from pathlib import Path

import numpy as np
import pytest
import samples
from PIL import Image

BASELINES = Path(__file__).parent / "baselines"
ACROSS = 32
WINDOW = 6
TOLERATED = 0.35
LEAST_CHANGE = 5.0
"""Per cent of the range of colours; a chart that leaves less of a trace than this could go missing unseen."""
MOST_BYTES = 100_000
INSIDE = ".plot svg > *, .figure svg > *, .cells td, .lane i"

CHARTS = {
    "regret": ("germany", ".plot svg", None),
    "map": ("germany", ".figure svg", None),
    "tree": ("tree", ".figure svg", "ESCB"),
    "cells": ("matching", ".cells", None),
    "bars": ("shortlist", ".bars", "Mean reward"),
}
WIDTHS = (1280, 390)


def shot(page, chart):
    png = page.locator(CHARTS[chart][1]).screenshot(animations="disabled", caret="hide")
    return Image.open(io.BytesIO(png)).convert("RGB")


def picture_of(page, chart):
    layer = CHARTS[chart][2]
    if layer:
        page.get_by_role("group", name="Show").get_by_label(layer, exact=True).check()
    page.mouse.move(0, 0)  # or the chart might show what the pointer happens to be on
    return shot(page, chart)


def without_chart(page, chart):
    """The same place once the lines, links, cells or bars in it are gone."""
    page.evaluate("(all) => { for (const one of document.querySelectorAll(all)) one.style.visibility = 'hidden'; }", INSIDE)
    return shot(page, chart)


def blocks(picture, shape):
    down, across = shape
    return np.asarray(picture.resize((across, down), Image.Resampling.BOX), dtype=np.float64)


def nearest(one, two):
    """Difference of each block of one picture from the most similar block of the other around its place."""
    down, across = one.shape[:2]
    padded = np.pad(two, ((1, 1), (1, 1), (0, 0)), mode="edge")
    shifted = [padded[i : i + down, j : j + across] for i in range(3) for j in range(3)]
    return np.min([np.abs(one - other).mean(axis=2) for other in shifted], axis=0)


def difference(one, two):
    """Mean difference in the worst window, in per cent; the grid is that of the first picture."""
    shape = (max(WINDOW, round(ACROSS * one.height / one.width)), ACROSS)
    first, second = blocks(one, shape), blocks(two, shape)
    gap = np.maximum(nearest(first, second), nearest(second, first)) / 2.55
    return float(np.lib.stride_tricks.sliding_window_view(gap, (WINDOW, WINDOW)).mean(axis=(2, 3)).max())


def baseline_of(chart, width):
    return BASELINES / f"{chart}-{width}.png"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("chart", CHARTS)
def test_it_looks_as_it_should_and_an_empty_chart_would_not(open_page, chart, width):
    page, file = open_page(getattr(samples, CHARTS[chart][0])(), width=width), baseline_of(chart, width)
    picture = picture_of(page, chart)
    if os.environ.get("SEMIBANDITS_NEW_BASELINES") == "1":
        picture.quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)
    baseline = Image.open(file).convert("RGB")
    change = difference(baseline, without_chart(page, chart))
    assert change > LEAST_CHANGE
    assert difference(baseline, picture) < TOLERATED * change


def test_a_missing_line_is_another_picture(open_page):
    page, baseline = open_page(samples.germany()), Image.open(baseline_of("regret", 1280)).convert("RGB")
    page.locator("[data-toggle=bound]").click()
    other = picture_of(page, "regret")
    assert difference(baseline, other) > TOLERATED * difference(baseline, without_chart(page, "regret"))


def test_baselines_are_small_and_none_is_left_over():
    files = {baseline_of(chart, width) for chart in CHARTS for width in WIDTHS}
    assert set(BASELINES.iterdir()) == files
    assert max(file.stat().st_size for file in files) < MOST_BYTES
