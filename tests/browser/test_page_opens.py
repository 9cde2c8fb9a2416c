"""Pages of every kind, width and colour scheme open without errors, requests or overflow, and are readable."""

from itertools import pairwise

import numpy as np
import pytest
import samples
from matplotlib.colors import to_rgb
from page_checks import CONTRASTS, nameless_controls

from semibandits_studies.plotting.style import INK, LOOKS

PAYLOADS = {
    **{kind: getattr(samples, kind) for kind in (
        "germany", "tree", "matching", "shortlist", "bound_only", "other_rewards", "one_replication", "only_nulls", "large"
    )},
    "bare": lambda: {"schema": 2},
    "hard names on a map": lambda: samples.hard_names(samples.germany()),
    "hard names in a heat map": lambda: samples.hard_names(samples.matching()),
    "hard names in bars": lambda: samples.hard_names(samples.shortlist()),
}  # fmt: skip
EVERY_KIND = pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())


@pytest.mark.one_in(2)
@EVERY_KIND
def test_it_opens_without_a_complaint_and_nothing_sticks_out(open_page, payload):
    payload = payload()
    page = open_page(payload)
    for summary in page.query_selector_all("summary"):
        summary.click()
        page.wait_for_selector(".items")
    assert page.title() == (payload.get("title") or "Report")
    assert nameless_controls(page) == []
    levels = page.evaluate("Array.from(document.querySelectorAll('h1, h2, h3, h4'), (h) => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = page.evaluate("Array.from(document.querySelectorAll('[id]'), (one) => one.id)")
    assert len(ids) == len(set(ids))
    for landmark in ("main", "header", "footer", "nav"):
        assert page.locator(landmark).count() == 1
    for width in (1280, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["germany", "matching", "shortlist"])
def test_text_has_the_contrast_of_level_aa(open_page, kind, scheme):
    page = open_page(PAYLOADS[kind](), scheme=scheme)
    page.click("summary")
    page.wait_for_selector(".items")
    for radio in page.query_selector_all("#drawing input"):
        radio.check()
        pairs = page.evaluate(CONTRASTS)
        assert len(pairs) > 60
        assert [pair for pair in pairs if pair[0] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_that_carry_meaning_stand_out_and_stay_apart_for_colour_blind_readers(open_page, scheme):
    page = open_page(samples.only_nulls(), scheme=scheme)
    names = ["paper", "ink", "focus", "best", *(f"c{k}" for k in range(10))]
    colours = page.evaluate(
        """(names) => {
          const style = getComputedStyle(document.documentElement);
          return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
        }""",
        names,
    )
    contrast = {name: ratio(colours[name], colours["paper"]) for name in names if name != "paper"}
    assert contrast["ink"] > 12
    assert min(contrast[name] for name in ("focus", "best")) > 3
    # The light palette is that of the figures; its brightest colours lean on dashes, markers and names at the ends.
    assert min(contrast[f"c{k}"] for k in range(10)) > (2 if scheme == "light" else 4.5)
    lines = [colours[f"c{k}"].strip() for k in range(10)]
    if scheme == "light":
        assert lines == [colour for colour, *_ in LOOKS]
    for ink in (colours["ink"], INK) if scheme == "light" else (colours["ink"],):
        for matrix in BLIND.values():
            seen = [cielab(np.asarray(matrix) @ linear(line)) for line in (ink, *lines)]
            # 15 in CIELAB is plain to see, and dashes and markers come on top.
            assert min(np.linalg.norm(a - b) for k, a in enumerate(seen) for b in seen[:k]) > 15


# Deuteranopia and protanopia in linear RGB (Vienot, Brettel and Mollon 1999).
BLIND = {
    "normal": np.eye(3),
    "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
}


def cielab(colour):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ colour
    x, y, z = np.cbrt(np.maximum(xyz / np.array([0.9505, 1.0, 1.089]), 0.0089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def linear(colour):
    """Linear red, green and blue of a colour such as #fff or #0072b2."""
    parts = np.array(to_rgb(colour.strip()))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def ratio(one, two):
    low, high = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour)) for colour in (one, two))
    return (high + 0.05) / (low + 0.05)


def test_the_skip_link_comes_first_and_leads_to_the_report(open_page):
    page = open_page(samples.germany())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_whatever_takes_the_focus_shows_it(open_page):
    page = open_page(samples.germany())
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        look = page.evaluate("""() => {
          const at = document.activeElement, drawn = at.matches(".choice input") ? at.nextElementSibling : at;
          const style = getComputedStyle(drawn);
          return [at.tagName, at.getAttribute("class"), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 ||
            (at.matches(".hit") && style.stroke !== "none" && Number(style.strokeOpacity) > 0.5)];
        }""")
        if look[0] == "BODY":
            break
        seen.add(look[0])
        assert look[2], look
    assert {"A", "BUTTON", "INPUT", "DIV", "path", "SUMMARY", "PRE"} <= seen


def test_without_scripts_the_words_are_there(browser, open_page, tmp_path):
    open_page(samples.germany())
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((tmp_path / "report-0.html").as_uri())
        shown = page.inner_text("main").replace("\xa0", " ")
        assert "scripts are off" in shown
        assert not page.locator("#regret").is_visible()
        assert page.locator("nav a:visible").all_inner_texts() == ["The plan", "Provenance", "Run it again"]
        assert all(answer["text"].split(".")[0] in shown for answer in samples.germany()["answers"])
