"""Controls of the page; curves, readouts, maps and tables show the numbers of the payload."""

import math
import re

import numpy as np
import pytest
import samples
from playwright.sync_api import expect
from shown_numbers import close_to, value_of


def points_of(page, selector):
    path = page.locator(selector).first.get_attribute("d")
    return np.array(re.findall(r"[-\d.]+", path), dtype=float).reshape(-1, 2)


def assert_affine(places, values):
    """One coordinate is a linear function of the values, to within the rounding of a path."""
    fit = np.polyfit(values, places, 1)
    assert np.abs(np.polyval(fit, values) - places).max() < 0.12
    assert abs(fit[0]) > 0


def shown_policies(page):
    return page.evaluate("Array.from(document.querySelectorAll('.plot g.policy'), (g) => Number(g.dataset.policy))")


def test_curves_bands_and_the_bound_lie_where_their_numbers_are(open_page):
    payload = samples.germany()
    page, simulation = open_page(payload), payload["simulation"]
    rounds = np.array(simulation["checkpoints"], dtype=float)
    heights = []
    for k, policy in enumerate(simulation["policies"]):
        curve, band = (points_of(page, f'.policy[data-policy="{k}"] .{part}') for part in ("curve", "band"))
        assert_affine(curve[:, 0], np.log(rounds))
        assert_affine(curve[:, 1], np.array(policy["mean"]))
        heights.append(np.polyfit(policy["mean"], curve[:, 1], 1))
        expected = [max(0.0, y) for y in policy["upper"] + policy["lower"][::-1]]
        np.testing.assert_allclose(band[:, 1], np.polyval(heights[0], expected), atol=0.3)
    np.testing.assert_allclose(heights, np.tile(heights[0], (len(heights), 1)), atol=0.3)  # one axis for all
    bound = points_of(page, ".bound-line")
    last = payload["bound"]["value"] * math.log(rounds[-1])
    assert bound[-1, 1] == pytest.approx(np.polyval(heights[0], last), abs=0.3)
    assert_affine(bound[:, 1], bound[:, 0])  # on a logarithmic axis it is straight
    # Axes switch between linear and logarithmic.
    mean = np.array(simulation["policies"][0]["mean"])
    page.get_by_role("group", name="Rounds").get_by_label("linear").check()
    assert_affine(points_of(page, ".curve")[:, 0], rounds)
    page.get_by_role("group", name="Regret").get_by_label("logarithmic").check()
    positive = mean > 0
    assert_affine(points_of(page, ".curve")[:, 1], np.log(mean[positive]))
    page.get_by_role("group", name="Rounds").get_by_label("logarithmic").check()
    assert_affine(points_of(page, ".curve")[:, 0], np.log(rounds[positive]))


@pytest.mark.parametrize(("factor", "chosen"), [(1.0, "linear"), (100.0, "log")])
def test_lines_that_end_far_apart_start_on_a_logarithmic_axis(open_page, factor, chosen):
    payload = samples.matching()
    payload["bound"]["lower"] *= factor
    payload["bound"]["value"] *= factor
    page = open_page(payload)
    assert page.get_by_role("group", name="Regret").locator("input:checked").get_attribute("value") == chosen
    assert ("regret (logarithmic), stars" in page.locator(".axis .title").text_content()) == (chosen == "log")


@pytest.mark.parametrize("rounds", ["logarithmic", "linear"])
def test_curves_end_where_they_leave_a_logarithmic_axis(open_page, rounds):
    """With a good prior, the regret of the first rounds is close to 0."""
    payload = samples.germany()
    simulation, first = payload["simulation"], payload["simulation"]["policies"][0]
    first["mean"] = [1e-9 if k < 3 or k == 6 else y for k, y in enumerate(first["mean"])]
    page = open_page(payload)
    page.get_by_role("group", name="Rounds").get_by_label(rounds).check()
    page.get_by_role("group", name="Regret").get_by_label("logarithmic").check()
    bottom = float(page.locator(".axis .base").first.get_attribute("y1"))
    curve = points_of(page, '.policy[data-policy="0"] .curve')
    assert curve[:, 1].max() == pytest.approx(bottom, abs=0.1)
    assert (np.diff(curve[:, 0]) >= 0).all()
    at = np.array(simulation["checkpoints"], dtype=float)
    places = curve[-4:, 0], (np.log(at) if rounds == "logarithmic" else at)[-4:]
    assert_affine(*places)
    assert_affine(curve[-4:, 1], np.log(first["mean"][-4:]))


def test_policies_bands_and_the_bound_are_switched_off_and_on(open_page):
    page = open_page(samples.germany())
    assert shown_policies(page) == [0, 1, 2, 3, 4]
    button = page.get_by_role("button", name="CUCB", exact=True).first
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert shown_policies(page) == [0, 1, 2, 4]
    assert "CUCB" not in page.locator(".plot .end").text_content()
    button.focus()
    page.keyboard.press("Space")
    assert shown_policies(page) == [0, 1, 2, 3, 4]
    for name, selector, count in (("bands", ".plot .band", 5), ("bound", ".plot .bound-line", 1)):
        button = page.locator(f'[data-toggle="{name}"]')
        for shown, pressed in ((count, "true"), (0, "false"), (count, "true")):
            assert (page.locator(selector).count(), button.get_attribute("aria-pressed")) == (shown, pressed)
            button.click()
        button.click()
    for button in page.query_selector_all(".series"):
        button.click()
    assert shown_policies(page) == []
    assert page.locator(".plot .axis text").count() > 3


def readout_of(page):
    """The round, and regret and interval of each row."""
    at = int(value_of(page.inner_text(".readout caption strong")))
    rows = [text.split("\n") for text in page.locator(".readout tbody td").all_inner_texts()]
    return at, rows


def test_the_keyboard_walks_along_the_rounds_and_reads_the_right_numbers(open_page):
    payload = samples.germany()
    page, simulation = open_page(payload), payload["simulation"]
    rounds, last = simulation["checkpoints"], len(simulation["checkpoints"]) - 1
    plot = page.locator(".plot")
    plot.focus()
    walk = [("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("PageUp", 11), ("ArrowUp", 12), ("PageDown", 2), ("End", last),
            ("ArrowRight", last), ("ArrowDown", last - 1)]  # fmt: skip
    for key, k in walk:
        page.keyboard.press(key)
        at, rows = readout_of(page)
        assert at == rounds[k]
        assert plot.get_attribute("aria-valuenow") == str(k)
        for row, policy in zip(rows, simulation["policies"], strict=False):
            assert value_of(row[0]) == close_to(policy["mean"][k])
            ends = [value_of(end) for end in row[1].split(" to ")]
            size = max(abs(policy["lower"][k]), abs(policy["upper"][k]))
            assert ends == pytest.approx([policy["lower"][k], policy["upper"][k]], abs=0.51e-2 * size)
        assert value_of(rows[-1][0]) == close_to(payload["bound"]["value"] * math.log(rounds[k]))
        spoken = page.text_content("#status")
        assert spoken.startswith(f"Round {rounds[k]:,}: OSSB ")
        assert value_of(re.search(r"OSSB (\S+)", spoken)[1]) == close_to(simulation["policies"][0]["mean"][k])


@pytest.mark.parametrize("touch", [False, True])
def test_pointer_and_finger_read_the_round_below_them(open_page, touch):
    payload = samples.germany()
    page, rounds = open_page(payload, width=390, touch=touch), payload["simulation"]["checkpoints"]
    page.locator(".plot").scroll_into_view_if_needed()
    curve = points_of(page, ".curve")
    for k in (3, len(rounds) // 2, len(rounds) - 1):
        box = page.locator(".plot svg").bounding_box()
        point = page.touchscreen.tap if touch else page.mouse.move
        point(box["x"] + curve[k, 0], box["y"] + 100)
        assert readout_of(page)[0] == rounds[k]
        assert float(page.locator(".cross line").get_attribute("x1")) == pytest.approx(curve[k, 0], abs=0.1)


def test_a_bound_that_does_not_apply_is_labelled(open_page):
    page = open_page(samples.other_rewards())
    assert "no bound here" in page.inner_text(".readout")
    assert "bounds nothing" in page.inner_text("#regret .note >> nth=0")
    assert "bounds nothing" in page.inner_text("#plan .caution")
    assert "Ratio" not in page.inner_text("#policies")
    page = open_page(samples.shortlist())
    assert "no bound here" not in page.inner_text(".readout")
    assert page.locator(".caution").count() == 0


def test_one_replication_has_no_band_and_no_switch_for_it(open_page):
    page = open_page(samples.one_replication())
    assert page.locator(".band, [data-toggle=bands], [data-toggle=bound]").count() == 0
    assert page.locator(".curve").count() > 2
    assert "one replication has no confidence band" in page.inner_text("#regret-lead")


def test_the_table_of_policies_is_sorted_by_its_heads(open_page):
    payload = samples.germany()
    page, policies = open_page(payload), payload["simulation"]["policies"]

    def column(selector):
        return [text.split("\n")[0] for text in page.locator(f".policies tbody {selector}").all_inner_texts()]

    assert column("th") == [policy["name"] for policy in policies]
    regret = page.get_by_role("columnheader", name="Regret, ms")
    regret.get_by_role("button").click()
    assert regret.get_attribute("aria-sort") == "ascending"
    rising = sorted(policies, key=lambda policy: policy["regret"])
    assert [value_of(text) for text in column("td:nth-child(2)")] == [close_to(policy["regret"]) for policy in rising]
    regret.get_by_role("button").click()
    assert regret.get_attribute("aria-sort") == "descending"
    assert column("th") == [policy["name"] for policy in rising[::-1]]
    ratios = [value_of(text.removesuffix("×")) for text in column("td:nth-child(5)")]
    assert ratios == [close_to(policy["slope_ratio"], 3) for policy in rising[::-1]]


def test_the_plan_lists_its_rows_and_shows_all_on_demand(open_page):
    payload = samples.germany()
    page, rows = open_page(payload), payload["plan"]["rows"]
    assert len(rows) > 12
    assert page.locator(".plan tbody tr").count() == 12
    page.get_by_role("button", name=f"Show all {len(rows)}").click()
    shown = np.reshape(page.locator(".plan tbody").locator("th, td").all_inner_texts(), (len(rows), 4))
    assert [row[0] for row in shown] == [row["text"] for row in rows]
    assert [value_of(row[1]) for row in shown] == [close_to(row["gap"]) for row in rows]
    assert [value_of(row[2]) for row in shown] == [close_to(row["rate"]) for row in rows]
    widths = page.locator(".plan .bar").evaluate_all("(bars) => bars.map((bar) => bar.getBoundingClientRect().width)")
    shares = np.array([row["share"] for row in rows])
    np.testing.assert_allclose(widths, np.maximum(1, shares / shares.max() * widths[0]), atol=0.6)


AGAIN = [
    {"label": "On the command line", "code": "semibandits run study.toml\nsemibandits report study"},
    {"label": "In Python", "code": "import semibandits as sb\n\nresult = sb.simulate(X, rewards, policies)"},
]
OLD_WAY = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"


def with_commands():
    """Little else, and commands of several lines."""
    return samples.only_nulls() | {"tables": {"provenance": [], "again": AGAIN}}


@pytest.mark.parametrize("script", ["", OLD_WAY], ids=["as it is", "without the new way"])
def test_commands_are_copied_from_a_page_on_the_disk(open_page, script):
    page = open_page(with_commands(), script=script)
    for button, row in zip(page.locator(".code button").all(), AGAIN, strict=True):
        assert button.get_attribute("aria-label") == f"Copy: {row['label']}"
        button.click()
        expect(button).to_have_text("Copied")
        page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
        page.focus("#paste")
        page.keyboard.press("Control+V")
        assert page.input_value("#paste") == row["code"]
        page.evaluate("document.getElementById('paste').remove()")


def test_where_nothing_can_be_copied_the_command_is_selected(open_page):
    page = open_page(with_commands(), script=OLD_WAY + "Document.prototype.execCommand = () => false;")
    button = page.locator(".code button").first
    button.click()
    assert (page.evaluate("getSelection().toString()"), button.inner_text()) == (AGAIN[0]["code"], "Copy")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_gets_every_curve_no_control_and_light_colours(open_page, scheme):
    page = open_page(samples.germany(), scheme=scheme)
    page.get_by_role("button", name="CUCB", exact=True).first.click()
    page.locator("[data-toggle=bands]").click()
    assert shown_policies(page) == [0, 1, 2, 4]
    page.emulate_media(media="print")
    expect(page.locator(".plot g.policy")).to_have_count(5)  # waits: the page hears of the medium a little later
    assert page.locator(".plot .band").count() == 5
    for selector in (".controls", "nav", ".skip", ".more-button", ".code button", "fieldset", "details", ".readout"):
        assert not any(element.is_visible() for element in page.query_selector_all(selector)), selector
    paper, ink = page.evaluate("(({ backgroundColor: a, color: b }) => [a, b])(getComputedStyle(document.body))")
    assert min(map(int, re.findall(r"\d+", paper))) > 240
    assert max(map(int, re.findall(r"\d+", ink))) < 60
    assert page.evaluate("getComputedStyle(document.querySelector('pre')).whiteSpace") == "pre-wrap"
    page.emulate_media(media="screen")
    expect(page.locator(".plot g.policy")).to_have_count(4)  # waits: the page hears of the medium a little later
