"""Drawings of the decision set: maps, heat maps and bars show the values of their layers and are accessible by keyboard."""

import numpy as np
import pytest
import samples
from shown_numbers import close_to, value_of

BARS = ".bars .lane i:not(.grid)"


def layer_named(payload, key):
    return next(layer for layer in payload["layers"] if layer["key"] == key)


def choose(page, layer):
    """The drawing of a layer, which explains it."""
    page.get_by_role("group", name="Show").get_by_label(layer["label"], exact=True).check()
    assert page.locator(".figure").get_attribute("data-layer") == layer["key"]
    assert page.inner_text("#drawing .text").replace("\xa0", " ") == layer["text"]


def box_of(locator):
    return locator.evaluate_all("""(all) => all.map((one) => {
      const box = one.getBoundingClientRect();
      return [box.left, box.top, box.right, box.bottom];
    })""")


def overlaps(boxes, slack=1.0):
    return [
        (one, two) for k, one in enumerate(boxes) for two in boxes[:k]
        if all(min(one[i + 2], two[i + 2]) - max(one[i], two[i]) > slack for i in (0, 1))
    ]  # fmt: skip


def test_links_are_wider_and_of_another_colour_the_more_they_are_played(open_page):
    payload = samples.germany()
    page, optimal = open_page(payload), payload["items"]["optimal"]
    for layer in payload["layers"]:
        choose(page, layer)
        if layer["key"] == "theta":
            continue
        valued = [v for i, v in enumerate(layer["values"]) if not optimal[i] and v]
        links = page.locator(".link[class*=' v']")
        widths, steps = links.evaluate_all("""(all) => [all.map((e) => Number(e.getAttribute("stroke-width"))),
          all.map((e) => Number(e.getAttribute("class").match(/ v(\\d)/)[1]))]""")
        share = (np.log(valued) - np.log(min(valued))) / np.ptp(np.log(valued))
        np.testing.assert_allclose(widths, 1.4 + 4.4 * np.sort(share), atol=0.01)
        np.testing.assert_array_equal(steps, np.minimum(8, np.floor(9 * np.sort(share) + 1e-12)))
        assert page.locator("path.link.best").count() == sum(optimal)
        assert page.locator("path.link.rest").count() == len(optimal) - sum(optimal) - len(valued)


def test_each_link_tells_its_value_to_the_pointer_and_to_the_keyboard(open_page):
    payload = samples.germany()
    page, items, layer = open_page(payload), payload["items"], payload["layers"][0]
    targets = page.locator(".hit")
    assert targets.count() == len(items["labels"])
    assert page.locator(".hit[tabindex='0']").count() == 1
    order = sorted(range(len(items["labels"])), key=lambda i: -layer["values"][i])
    page.locator(".hit[tabindex='0']").focus()
    for step, i in enumerate(order[:6]):
        if step:
            page.keyboard.press("ArrowRight")
        at = page.evaluate("document.activeElement.dataset.item")
        assert layer["values"][int(at)] == layer["values"][i]
        tip = page.inner_text(".tip").split("\n")
        assert tip[0] == items["labels"][int(at)]
        assert value_of(tip[1].removeprefix(f"{layer['label']}: ").split(" plays")[0]) == close_to(layer["values"][i])
        assert value_of(tip[2].removeprefix("Mean reward: ").removesuffix(" ms")) == close_to(items["theta"][int(at)])
        assert ("Part of the optimal decision" in tip) == items["optimal"][int(at)]
        assert tip[0] in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("End")
    assert layer["values"][int(page.evaluate("document.activeElement.dataset.item"))] == min(layer["values"])
    page.keyboard.press("Tab")
    assert not page.locator(".tip").is_visible()
    target = page.locator(".hit[data-item='0']")
    target.dispatch_event("pointerenter")
    assert page.inner_text(".tip").split("\n")[0] == items["labels"][0]


@pytest.mark.parametrize(("kind", "thing"), [("germany", ".hit"), ("matching", ".cells td.some")])
def test_a_touched_tooltip_stays_until_the_next_touch(open_page, kind, thing):
    payload = getattr(samples, kind)()
    page = open_page(payload, width=390, touch=True)
    target = page.locator(f"{thing}[data-item='0']")
    target.scroll_into_view_if_needed()
    x, y = target.evaluate("""(e) => {
      const box = e.getBoundingClientRect();
      if (!e.getPointAtLength) return [box.x + box.width / 2, box.y + box.height / 2];
      const at = e.getPointAtLength(e.getTotalLength() / 2).matrixTransform(e.getScreenCTM());
      return [at.x, at.y];
    }""")
    page.touchscreen.tap(x, y)
    assert page.locator(".tip").is_visible()
    assert page.inner_text(".tip strong") == payload["items"]["labels"][0]
    page.locator(".key").tap()
    assert not page.locator(".tip").is_visible()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("kind", ["germany", "tree", "large"])
def test_names_on_a_map_do_not_touch_and_the_ends_are_named(open_page, kind, width):
    payload = getattr(samples, kind)()
    page = open_page(payload, width=width)
    names = page.locator(".place")
    assert overlaps(box_of(names)) == []
    (picture,) = box_of(page.locator(".figure svg"))
    inside = np.array(box_of(names)) - picture
    assert (inside[:, :2] >= [-1, -2]).all()
    assert (inside[:, 2:] <= [1, 2]).all()
    texts = names.all_text_contents()
    assert {node["name"] for node in payload["drawing"]["nodes"] if node["end"]} <= set(texts)
    assert len(texts) >= (8 if kind == "tree" else 15)


def test_parallel_links_do_not_lie_on_each_other(open_page):
    payload = samples.tree()
    page = open_page(payload)
    paths = page.locator(".hit").evaluate_all("(all) => all.map((e) => e.getAttribute('d'))")
    assert len(set(paths)) == len(payload["drawing"]["edges"])
    pairs = [frozenset((edge["tail"], edge["head"])) for edge in payload["drawing"]["edges"]]
    assert sorted(pairs.count(pair) for pair in set(pairs))[-3:] == [1, 2, 3]
    assert sum("Q" in path for path in paths) == 4  # both of two, and the outer ones of three
    assert page.locator(".arrow").count() == 0  # a tree has no direction
    for layer in payload["layers"]:
        choose(page, layer)


def test_opposite_links_bow_apart_and_a_loop_is_drawn(open_page):
    payload = samples.large()
    edges = payload["drawing"]["edges"]
    edges[0] |= {"tail": 0, "head": 1}
    edges[1] |= {"tail": 1, "head": 0, "parallel": 1}
    edges[2] |= {"tail": 5, "head": 5}
    page = open_page(payload)
    middle = "(e) => { const { x, y } = e.getPointAtLength(e.getTotalLength() / 2); return [x, y]; }"
    ways = [page.locator(f".hit[data-item='{i}']").evaluate(middle) for i in (0, 1)]
    assert np.hypot(*np.subtract(*ways)) > 5
    (loop,) = np.array(box_of(page.locator(".hit[data-item='2']")))
    assert (loop[2:] - loop[:2] > 10).all()


def test_a_heat_map_has_its_values_and_its_optimal_pairs(open_page):
    payload = samples.matching()
    page, drawing, items = open_page(payload), payload["drawing"], payload["items"]
    for layer in payload["layers"]:
        choose(page, layer)
        shown = page.locator(".cells td.some").evaluate_all("""(cells) => cells.map((cell) => ({
          item: Number(cell.dataset.item), row: cell.parentElement.rowIndex - 1, column: cell.cellIndex - 1,
          text: cell.querySelector("span").textContent, kind: cell.className.split(" "),
        }))""")
        assert [{key: cell[key] for key in ("item", "row", "column")} for cell in shown] == drawing["cells"]
        for cell in shown:
            assert value_of(cell["text"]) == close_to(layer["values"][cell["item"]], 3)
            assert ("best" in cell["kind"]) == items["optimal"][cell["item"]]
    assert page.locator(".cells tbody th").all_inner_texts() == drawing["rows"]
    assert page.locator(".cells thead th").all_inner_texts() == drawing["columns"]
    # The last layer is that of mean rewards: its colours grow with the value, those of optimal pairs too.
    steps = [cell["kind"][-1] for cell in sorted(shown, key=lambda cell: layer["values"][cell["item"]])]
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == ("v0", "v8")


NUMBERS = {
    0.0: "0", 12.3456: "12.3", 0.99961: "1.00", 0.012345: "0.0123", 999.96: "1,000", 9876.0: "9,876", 12345.0: "12.3k",
    999_600.0: "1.00M", -3_203_379.0: "−3.20M", 4.2e9: "4.20bn", 5e12: "5,000,000,000,000", 1.5e-7: "1.50 × 10⁻⁷", None: "–",
}  # fmt: skip


def test_numbers_in_cells_are_short(open_page):
    payload = samples.matching()
    payload["layers"] = [payload["layers"][0] | {"values": [*NUMBERS, *[1.0] * (payload["items"]["total"] - len(NUMBERS))]}]
    page = open_page(payload)
    for i, text in enumerate(NUMBERS.values()):
        assert page.locator(f".cells td[data-item='{i}'] span").first.text_content() == text


def test_the_arrows_walk_over_a_heat_map_and_over_its_gap(open_page):
    page = open_page(samples.matching())
    labels = samples.matching()["items"]["labels"]
    page.locator(".cells td[tabindex='0']").focus()
    for key, label in [("ArrowRight", "student – comedy"), ("ArrowDown", "engineer – comedy"), ("ArrowLeft", "engineer – drama"),
                       ("ArrowDown", "artist – drama"), ("ArrowDown", "retired – drama"), ("ArrowDown", "retired – drama"),
                       ("Home", labels[0]), ("ArrowUp", labels[0]), ("End", labels[-1])]:  # fmt: skip
        page.keyboard.press(key)
        assert page.inner_text(".tip strong") == label


def test_values_of_a_heat_map_leave_narrow_cells_but_not_the_table(open_page):
    payload = samples.matching()
    payload["drawing"]["columns"] += [f"more {k}" for k in range(30)]
    page = open_page(payload, width=390)
    assert page.locator(".cells td.some span.unseen").count() >= len(payload["items"]["labels"])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator(".figure .scroll").evaluate("(e) => e.scrollWidth > e.clientWidth && e.tabIndex === 0")


@pytest.mark.parametrize(("rows", "columns"), [(12, 12), (40, 60)])
def test_large_heat_maps_fit_a_screen_and_name_their_pairs(open_page, rows, columns):
    payload = samples.matching()
    cells = [{"item": r * columns + c, "row": r, "column": c} for r in range(rows) for c in range(columns)]
    payload["drawing"] |= {
        "rows": [f"courier {r}" for r in range(rows)], "columns": [f"order {c}" for c in range(columns)], "cells": cells,
    }  # fmt: skip
    d = len(cells)
    payload["items"] |= {
        "labels": [f"courier {i // columns} – order {i % columns}" for i in range(d)], "theta": [0.5] * d, "total": d,
        "optimal": [i % (columns + 1) == 0 for i in range(d)], "suboptimal": [i % (columns + 1) != 0 for i in range(d)],
    }  # fmt: skip
    payload["layers"] = [payload["layers"][0] | {"values": [float(i + 1) for i in range(d)]}]
    page = open_page(payload, width=1280)
    assert page.locator(".cells td.some").count() == d
    assert page.locator(".cells.dense").count() == (columns > 30)
    assert page.locator(".figure .scroll").evaluate("(e) => e.scrollWidth <= e.clientWidth")
    assert page.locator(".cells td.best").count() == rows
    sizes = page.locator(".cells th").evaluate_all("(all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize))")
    assert min(sizes) >= 11.0
    page.locator(f".cells td[data-item='{columns + 2}']").hover()
    assert page.inner_text(".tip strong") == "courier 1 – order 2"


def test_bars_are_sorted_and_as_long_as_their_values(open_page):
    payload = samples.shortlist()
    page, items = open_page(payload), payload["items"]
    for layer in payload["layers"]:
        choose(page, layer)
        assert page.locator(".bars tbody tr").count() == 24
        page.get_by_role("button", name="Show all 60").click()
        values = layer["values"]
        shown = page.locator(".bars tbody tr").evaluate_all("(rows) => rows.map((row) => Number(row.dataset.item))")
        first = np.flatnonzero(items["optimal"]) if layer["key"] == "plan" else []
        expected = sorted(range(60), key=lambda i: (i not in first, -values[i]))
        assert [values[i] for i in shown] == [values[i] for i in expected]
        texts = page.locator(".bars td.how-much").all_inner_texts()
        assert [value_of(text) for text in texts] == [close_to(values[i]) for i in shown]
        best = page.locator(".bars tr.best").evaluate_all("(rows) => rows.map((row) => Number(row.dataset.item))")
        assert sorted(best) == np.flatnonzero(items["optimal"]).tolist()
        if page.locator(".bars .dot").count():
            places = page.locator(".bars .dot").evaluate_all("(all) => all.map((e) => parseFloat(e.style.left))")
            positive = np.array([values[i] for i in shown if values[i] > 0])
            fit = np.polyfit(np.log(positive), places, 1)
            np.testing.assert_allclose(np.polyval(fit, np.log(positive)), places, atol=0.01)
        else:
            places = page.locator(BARS).evaluate_all("(all) => all.map((e) => parseFloat(e.style.width))")
            np.testing.assert_allclose(places, 98 * np.array([values[i] for i in shown]) / max(values), atol=0.01)
    assert page.locator(".bars .dot").count() == 0  # mean rewards, the last layer, are bars from 0
    assert "carrier" in page.inner_text(".key")


def test_axes_have_round_numbers_with_no_digit_too_many(open_page):
    payload = samples.shortlist()
    payload["layers"] = [layer_named(payload, "theta")]
    for policy in payload["simulation"]["policies"]:
        for key in ("mean", "lower", "upper"):
            policy[key] = [value / 1000 for value in policy[key]]
    payload["bound"] = None
    page = open_page(payload)
    assert page.locator(".lane-axis span").all_inner_texts() == ["0", "0.25", "0.5", "0.75"]
    heights = page.locator(".axis text[text-anchor=end]").all_text_contents()
    assert len(heights) > 3
    assert heights == [f"{float(text):g}" for text in heights]
    assert np.ptp(np.diff([float(text) for text in heights])) < 1e-9


def test_bars_of_losses_run_left_from_zero(open_page):
    payload = samples.shortlist()
    layer = layer_named(payload, "theta")
    payload["layers"] = [layer | {"values": [-value for value in layer["values"]]}]
    right = "(all) => all.map(({ style }) => parseFloat(style.left) + parseFloat(style.width))"
    np.testing.assert_allclose(open_page(payload).locator(BARS).evaluate_all(right), 98.0, atol=0.01)


@pytest.mark.parametrize("kind", ["germany", "matching"])
def test_all_items_stand_in_a_table_that_is_made_when_it_is_opened(open_page, kind):
    payload = getattr(samples, kind)()
    page, items = open_page(payload), payload["items"]
    assert page.locator(".items").count() == 0
    page.click("summary")
    page.wait_for_selector(".items")
    assert page.locator(".items tbody tr").count() == len(items["labels"])
    for i in (0, len(items["labels"]) - 1):
        cells = page.locator(f".items tbody tr:nth-child({i + 1})").locator("th, td").all_inner_texts()
        values = [items["theta"][i], items["variance"][i], *(layer["values"][i] for layer in payload["layers"][:-1])]
        assert cells[0] == items["labels"][i]
        assert ("yes" in cells[1]) == items["optimal"][i]
        assert [value_of(text) for text in cells[2:]] == [close_to(value) for value in values]
    page.click("summary")
    page.click("summary")
    assert page.locator(".items").count() == 1
