"""The live page: with a real service, and with answers for every state of a learner and of the connection."""

import contextlib
import re
from concurrent.futures import Future
from functools import partial
from urllib.parse import unquote, urlsplit

import live_answers
import numpy as np
import pytest
from page_checks import CONTRASTS, nameless_controls, watch
from playwright.sync_api import expect
from shown_numbers import close_to, value_of

import semibandits as sb
from semibandits_server.service import bounds
from semibandits_server.service.page import page_files
from semibandits_server.service.pages import POLICY
from serving import TOKEN, serving

HOST = "http://page.test"
VISIBILITY = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


@pytest.fixture
def live(browser):
    """Call ``live(answers)`` for the page with these answers, which the test may change; errors in it fail the test."""
    wrong, opened = [], contextlib.ExitStack()

    def open_page(answers, *, scheme="light"):
        page = opened.enter_context(browser.new_context(color_scheme=scheme)).new_page()
        wrong.append(watch(page, HOST))
        files = page_files()

        def answer(route):
            parts = urlsplit(route.request.url)
            path, name = unquote(parts.path), parts.path.rpartition("/")[2] or "index.html"
            if not path.startswith("/v1"):
                kind = KINDS[name.rpartition(".")[2]]
                route.fulfill(body=files[name], content_type=kind, headers={"Content-Security-Policy": POLICY})
                return
            found = answers.get(path)
            answers.setdefault("requests", []).append(path)
            if callable(found):
                found(route)
            elif found is None:
                refuse(route, 404, f"learner must be a known name, got {path!r}: see the list")
            else:
                route.fulfill(json=found)

        page.route(f"{HOST}/**", answer)
        page.clock.install(time=1_800_000_000)
        page.clock.pause_at(1_800_000_001)  # it is the test that moves the clock
        page.goto(f"{HOST}/")
        return page

    with opened:
        yield open_page
    assert not any(wrong)


def refuse(route, status, message):
    route.fulfill(status=status, json={"error": {"type": "InvalidInputError", "message": message}})


def wait_for(page, shown):
    """Let the page poll until this is visible."""
    for _ in range(20):
        page.clock.run_for(3_000)
        with contextlib.suppress(AssertionError):
            return expect(shown).to_be_visible(timeout=500)
    return expect(shown).to_be_visible()


def rows_of(page, table):
    return [row.split("\t") for row in page.locator(f"{table} tbody tr").all_inner_texts()]


def names_of(page, table):
    return page.locator(f"{table} tbody tr").evaluate_all(
        "(rows) => rows.map((row) => row.firstChild.childNodes[row.classList.contains('best') ? 1 : 0].textContent)"
    )


def test_a_real_service_is_shown_with_its_token_and_followed(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(bounds.SideProcess, "submit", lambda *_: Future())  # no process
    url = f"sqlite:///{tmp_path}/learners.db"
    links = [("home", "a"), ("home", "b"), ("a", "work"), ("b", "work")]
    learner = sb.open_learner(url, name="way to work", decision_set=sb.Paths(links, "home", "work"), variance=1.0, seed=0)
    learner.ask()
    with serving(url) as address, browser.new_context() as context, learner:
        page = context.new_page()
        wrong = watch(page, address)
        page.goto(address)
        expect(page.get_by_label("Token")).to_be_focused()
        for token, message in (("not the token", "without spaces"), ("a-wrong-token-0123456789", "does not know this token")):
            page.get_by_label("Token").fill(token)
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_contain_text(message)
        page.get_by_label("Token").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("way to work")
        expect(page.locator("[data-key=rounds] .headline")).to_have_text("1 round")
        assert TOKEN not in page.content()
        for _ in range(6):
            asked = learner.ask()
            learner.tell(asked.id, costs=[2.0] * len(asked.items))
        expect(page.locator("[data-key=rounds] .headline")).to_have_text("7 rounds")  # by itself
        expect(page.locator("#estimates .number").first).to_be_visible()
        numbers = [value_of(row[2].split("\n")[0]) for row in rows_of(page, "#estimates")]
        shown = dict(zip(names_of(page, "#estimates"), numbers, strict=True))
        assert shown == {f"{u} → {v}": 2.0 for u, v in links}
        assert wrong == []


def test_numbers_marks_and_words_are_those_of_the_answers(live):
    answers = live_answers.service(live_answers.learner())
    page = live(answers)
    expect(page.locator("[data-key=open] .headline")).to_have_text("7 rounds")
    page.get_by_role("button", name="Interval").click()
    items = answers["/v1/learners/commute/estimates"]["items"]
    by_name = {item["text"]: item for item in items}
    assert sorted(names_of(page, "#estimates")) == sorted(by_name)
    assert page.title() == "commute: learner"
    places, values, lefts, uppers = [], [], [], []
    for name, row in zip(names_of(page, "#estimates"), page.locator("#estimates tbody tr").all(), strict=True):
        item = by_name[name]
        mean = row.locator(".number").first.inner_text().split("\n")[0]
        if item["mean"] is None:
            assert mean == "–"
            assert "no outcome yet" in row.inner_text()
            continue
        assert value_of(mean) == close_to(-item["mean"])
        places.append(float(row.locator(".dot").evaluate("(dot) => parseFloat(dot.style.left)")))
        values.append(-item["mean"])
        left = row.locator(".whisker").evaluate("(one) => parseFloat(one.style.left)")
        if left > 0:
            lefts.append(left)
            uppers.append(-item["upper"])
    fit = np.polyfit(values, places, 1)
    np.testing.assert_allclose(np.polyval(fit, values), places, atol=0.01)
    np.testing.assert_allclose(np.polyval(fit, uppers), lefts, atol=0.01)  # a cost's interval starts at minus the upper end
    assert fit[0] > 0
    bound = answers["/v1/learners/commute/bound"]["items"]
    wanted = [item for item in bound if item["rate"] > 0]
    share = sum(min(item["plays"], item["wanted"]) for item in wanted) / sum(item["wanted"] for item in wanted)
    assert value_of(page.inner_text("[data-key=plan] .headline").split()[0]) == pytest.approx(100 * share, abs=0.51)
    assert names_of(page, "#exploration") == [
        item["text"] for item in sorted(wanted, key=lambda item: item["plays"] / item["wanted"])
    ]
    assert "C(θ) = 52.34" not in page.inner_text("#exploration")  # the bracket is wider than its digits
    assert "52.31 ≤ C(θ) ≤ 52.34" in page.inner_text("#exploration")
    assert [row[0].split()[0] for row in rows_of(page, "#waiting .ages")] == ["0", "10", "100"]
    assert "The mean of 1 link has changed" in page.inner_text("#drift")
    assert [value_of(text) for text in rows_of(page, "#drift")[0][1:]] == [3.0, 5.25, 900]
    page.get_by_text("The oldest open rounds").click()
    assert "431 rounds ago, 13 min" in page.inner_text("[data-key=open]")
    assert rows_of(page, "#waiting .oldest")[0][0] == "802"


def place(mark, end="left"):
    return mark.evaluate(f"(one) => parseFloat(one.style.{end})")


def test_what_features_let_expect_has_marks_of_its_own(live):
    answers = live_answers.service(live_answers.with_features(live_answers.learner()))
    items = answers["/v1/learners/commute/estimates"]["items"]
    page, by_name = live(answers), {item["text"]: item for item in items}
    expect(page.locator("#estimates tbody tr")).to_have_count(len(items))
    assert page.locator("#estimates .legend > span").count() == 3
    places, values = [], []
    for name, row in zip(names_of(page, "#estimates"), page.locator("#estimates tbody tr").all(), strict=True):
        item = by_name[name]
        assert value_of(row.locator(".number.expected").inner_text().split("\n")[0]) == close_to(-item["shrunk"])
        assert "± 0.50" in row.locator(".number.expected").inner_text()
        places.append(place(row.locator(".goal.expected")))
        values.append(-item["shrunk"])
        assert row.locator(".dot").count() == (item["mean"] is not None)
        assert row.locator(".spread").count() == (item["mean"] is None)
    fit = np.polyfit(values, places, 1)
    np.testing.assert_allclose(np.polyval(fit, values), places, atol=0.01)
    spread = page.locator("#estimates tbody .spread")
    assert place(spread) == pytest.approx(np.polyval(fit, 4.5), abs=0.01)  # 5 ± 2 standard deviations
    assert place(spread, "width") == pytest.approx(fit[0], abs=0.01)
    assert "1 has no outcome yet" in page.inner_text("#estimates .lead")
    assert "kind, size" in page.inner_text("#about")
    for width, is_column in ((1280, True), (768, False), (390, False), (320, False)):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#estimates tbody .number.expected").first.is_visible() == is_column
        assert page.locator("#estimates tbody .what .expected").first.is_visible() != is_column
    for item in items:  # before the first outcome
        item |= {"mean": None, "lower": None, "upper": None, "plays": 0, "shrunk": 0.0, "shrunk_sd": 3000.0}
    blank = live(answers)
    expect(blank.get_by_text("no outcome yet", exact=True)).to_have_count(len(items))
    assert blank.locator("#estimates tbody i.expected, #estimates .what .expected").count() == 0
    without = live(live_answers.service(live_answers.learner()))
    expect(without.locator("#estimates tbody .dot").first).to_be_visible()
    assert without.locator(".expected, .legend, .spread").count() == 0
    assert "Features" not in without.inner_text("#about")


def test_rows_are_sorted_and_filtered_by_the_keyboard(live):
    answers = live_answers.service(live_answers.learner(is_cost=False))
    page = live(answers)
    plays = page.get_by_role("columnheader", name="Plays").first
    plays.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert plays.get_attribute("aria-sort") == "descending"
    items = answers["/v1/learners/commute/estimates"]["items"]
    assert names_of(page, "#estimates") == [item["text"] for item in sorted(items, key=lambda item: -item["plays"])]
    page.get_by_label("Only links that contain").fill("A1")
    assert names_of(page, "#estimates") == [item["text"] for item in sorted(items[10:], key=lambda item: -item["plays"])]
    page.clock.run_for(20_000)  # the choice outlives an update
    assert len(names_of(page, "#estimates")) == 2
    page.get_by_label("Only links that contain").fill("")
    page.get_by_role("button", name="Best decision only").click()
    assert len(names_of(page, "#estimates")) == 3


def test_another_learner_is_chosen_and_stays_chosen(live):
    answers = live_answers.service(live_answers.learner(), live_answers.learner("<b>shop window", rounds=55, is_cost=False))
    page = live(answers)
    page.get_by_label("Learner", exact=True).select_option("<b>shop window")
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>shop window")
    expect(page.locator("[data-key=rounds] .headline")).to_have_text("55 rounds")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>shop window")
    assert page.get_by_label("Learner", exact=True).input_value() == "<b>shop window"


def test_a_remark_while_kernels_are_compiled(live):
    answers = live_answers.service(live_answers.learner())
    answers["/v1/compilation"] = live_answers.compilation("compiling", 1041)
    page = live(answers)
    remark = page.locator("#compilation")
    expect(remark).to_have_text("Compiling kernels in the background, 1,041 so far")
    expect(page.locator("#state")).to_contain_text("Live")  # the page has finished this round of requests
    answers["/v1/compilation"] = live_answers.compilation("done", 1042)
    page.clock.run_for(3_000)
    expect(remark).to_be_hidden()


LONG = 300_000
"""Milliseconds after which the confidence is read again, even if a request took seconds of the clock, which runs ahead."""


def test_the_confidence_is_read_after_calls_only_and_shown_of_its_decision(live):
    answers = live_answers.service(live_answers.learner())
    page, base = live(answers), "/v1/learners/commute"
    best = page.locator("[data-key=best]")
    expect(best).to_contain_text(re.compile(r"estimated at [\d.]+\. 95\.3.% sure that it is the best one\.$"))

    def after(text, confidence, **changes):
        """What was read once another decision is shown."""
        answers[f"{base}/confidence"] = confidence
        answers[base] |= {"best": answers[base]["best"] | {"text": text}} | changes
        wait_for(page, best.get_by_text(text))
        return answers["requests"].count(f"{base}/confidence")

    assert after("no call", {"confidence": 0.99999}) == 1  # what is known is about another decision
    expect(best).not_to_contain_text("sure")
    page.clock.fast_forward(LONG)
    assert after("some calls", {"confidence": 0.99999}, calls=9_000) == 2
    expect(best).to_contain_text(re.compile("More than 99.9.% sure that it is the best one"))
    assert after("too soon", {"confidence": 0.5}, calls=9_001) == 2
    expect(best).not_to_contain_text("sure")
    refused = answers[f"{base}/confidence"] = partial(refuse, status=422, message="confidence needs a law of convex divergence")
    page.clock.fast_forward(LONG)  # the page may read it in this time, or after it: once
    assert after("no law for it", refused) == 3
    expect(page.locator("#state")).to_contain_text("Live")
    expect(best).not_to_contain_text("sure")
    page.clock.fast_forward(LONG)
    assert after("forgets", {"confidence": 0.5}, calls=9_003, half_life=500.0) == 3


def test_a_lost_connection_is_shown_retried_less_and_less_and_found_again(live):
    answers = live_answers.service(live_answers.learner())
    page = live(answers)
    expect(page.locator("#state")).to_contain_text("Live")
    kept, waits = dict(answers), []
    answers["/v1/learners/commute"] = lambda route: route.abort()
    page.clock.run_for(3_000)
    for _ in range(6):
        expect(page.locator("#state")).to_contain_text("Connection lost")
        count = len(answers["requests"])
        waits.append(int(re.search(r"in (\d+) s", page.inner_text("#state"))[1]))
        page.clock.run_for(1000 * waits[-1] - 100)
        assert len(answers["requests"]) == count
        with page.expect_event("requestfailed"):  # or the next line might answer the request of this try
            page.clock.run_for(200)
        expect(page.locator("#state")).not_to_contain_text(f"in {waits[-1]} s" if waits[-1] < 60 else "Live")
    assert waits == [3, 6, 12, 24, 48, 60]
    assert page.locator("#board").is_visible()  # what was read last
    expect(page.locator("#status")).to_have_text("Connection lost")
    answers.update(kept)
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#state")).to_contain_text("Live")
    expect(page.locator("#status")).to_have_text("Connected again")


def test_a_hidden_or_paused_page_asks_for_nothing(live):
    answers = live_answers.service(live_answers.learner())
    page = live(answers)
    expect(page.locator("#state")).to_contain_text("Live")
    pause = page.get_by_role("button", name="Pause").click
    hidden, visible = (partial(page.evaluate, VISIBILITY, state) for state in ("hidden", "visible"))
    for stop, go_on in ((hidden, visible), (pause, pause)):
        stop()
        count = len(answers["requests"])
        page.clock.run_for(120_000)
        assert len(answers["requests"]) == count
        with page.expect_response("**/v1/learners/commute"):
            go_on()


def test_no_learner_a_failed_bound_and_an_error_have_words(live):
    answers = live_answers.service()
    page = live(answers)
    expect(page.get_by_role("heading", name="No learner yet")).to_be_visible()
    answers.update(live_answers.service(live_answers.learner()))
    answers["/v1/learners/commute/bound"] |= {"status": "failed", "items": [], "message": "a bound needs more outcomes"}
    wait_for(page, page.get_by_text("There is no plan: a bound needs more outcomes."))
    del answers["/v1/learners/commute"]
    wait_for(page, page.get_by_role("heading", name="This learner cannot be shown"))
    answers["/v1/learners"] = lambda route: refuse(route, 503, "the database must answer, got nothing: wait")
    page.reload()
    expect(page.get_by_role("heading", name="The service reports an error")).to_be_visible()
    assert "the database must answer" in page.inner_text("#message").lower()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_at_every_width_and_by_every_means(live, scheme):
    page = live(live_answers.service(live_answers.learner(), live_answers.learner("other")), scheme=scheme)
    expect(page.locator("#board")).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the learner"
    page.get_by_text("The oldest open rounds").click()
    pairs = page.evaluate(CONTRASTS)
    assert len(pairs) > 60
    assert [pair for pair in pairs if pair[0] < 4.5] == []
    assert nameless_controls(page) == []
    for width in (1280, 768, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_many_items_are_shown_on_demand_and_stay_where_nothing_changes(live):
    answers = live_answers.service(live_answers.learner(d=200))
    page = live(answers)
    expect(page.locator("#estimates tbody tr")).to_have_count(24)
    page.locator("#estimates").get_by_role("button", name="Show all 200").click()
    assert page.locator("#estimates tbody tr").count() == 200
    page.evaluate("for (const row of document.querySelectorAll('#estimates tbody tr')) row.mark = true")
    summary, items = answers["/v1/learners/commute"], answers["/v1/learners/commute/estimates"]["items"]
    summary["calls"] += 1
    items[7]["plays"] += 1000
    wait_for(page, page.locator("#estimates tbody tr").nth(3).get_by_text(f"{items[7]['plays']:,}", exact=True))
    assert page.evaluate("Array.from(document.querySelectorAll('#estimates tbody tr')).filter((row) => !row.mark).length") == 1


PAIRS = [*(("Ann", zone) for zone in "acd"), *(("Bob", zone) for zone in "abce"), *(("Cem", zone) for zone in "zabcd")]
MATRIX = "#estimates table.cells"


def test_assignments_are_a_matrix_of_their_means(live):
    """The matrix has named rows and columns, and is not redrawn while it has the focus."""
    answers = live_answers.service(live_answers.of_pairs(live_answers.learner(d=12), PAIRS))
    page = live(answers)
    items = answers["/v1/learners/commute/estimates"]["items"]
    expect(page.locator(f"{MATRIX} tbody th")).to_have_text(["Ann", "Bob", "Cem"])
    expect(page.locator(f"{MATRIX} thead th")).to_have_text([*"zabced"])
    cells = page.locator(f"{MATRIX} td.some")
    assert cells.count() == 12
    assert page.locator(f"{MATRIX} tbody td").count() == 18
    for cell in cells.all():
        item = items[int(cell.get_attribute("data-item"))]
        text = cell.locator("span").first.text_content()
        assert text == "–" if item["mean"] is None else value_of(text) == pytest.approx(-item["mean"], abs=0.006)
        assert ("best" in cell.get_attribute("class").split()) == item["in_best"]
        place = cell.evaluate("(one) => [one.parentNode.rowIndex, one.cellIndex]")
        assert [["Ann", "Bob", "Cem"][place[0] - 1], "zabced"[place[1] - 1]] == item["item"]
    first = cells.first
    first.focus()
    tip = page.locator("#estimates .tip")
    for words in ("Ann - a", "Mean cost", f"{items[0]['plays']} plays", "part of the best matching"):
        expect(tip).to_contain_text(words)
    before = cells.all_text_contents()
    for item in items:
        item |= {"mean": -1.0, "plays": 77}
    answers["/v1/learners/commute"]["calls"] += 1
    wait_for(page, page.locator("#estimates .bars").get_by_text("77", exact=True).first)
    assert cells.all_text_contents() == before
    first.blur()
    answers["/v1/learners/commute"]["calls"] += 1
    page.clock.run_for(20_000)
    expect(cells.first.locator("span").first).to_have_text("1")
    assert nameless_controls(page) == []
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_pairs_without_an_outcome_have_what_is_expected_of_them(live):
    """The expected mean from features, or the prior mean; the tip names both."""
    answers = live_answers.with_features(live_answers.of_pairs(live_answers.learner(d=12), PAIRS))
    items = answers["/v1/learners/commute/estimates"]["items"]
    items[5] |= {"shrunk": -5.0}
    page = live(live_answers.service(answers))
    cell = page.locator(f'{MATRIX} td[data-item="5"]')
    expect(cell.locator("span").first).to_have_text("5")
    cell.focus()
    for words in ("no outcome yet", "5.000 expected", "0 plays"):
        expect(page.locator("#estimates .tip")).to_contain_text(words)
    assert "pairs without outcomes: expected mean" in page.inner_text("#estimates .key")
    for item in items:
        item |= {"shrunk": None, "shrunk_sd": None}
    items[5] |= {"prior": -7.5, "prior_plays": 2}
    other = live(live_answers.service(answers))
    expect(other.locator(f'{MATRIX} td[data-item="5"] span').first).to_have_text("7.50")


@pytest.mark.parametrize("kind", ["twice", "other labels", "many", "same text"])
def test_what_is_no_matrix_is_a_list_only(live, kind):
    pairs = {"twice": [("Ann", "a")] * 12, "other labels": ["abc"] * 12, "many": [(str(i), str(i)) for i in range(71)]}.get(kind)
    pairs = [(1 if k else "1", f"z{k}") for k in range(12)] if pairs is None else pairs
    page = live(live_answers.service(live_answers.of_pairs(live_answers.learner(d=len(pairs)), pairs)))
    expect(page.locator("#estimates .bars tbody tr").first).to_be_visible()
    assert page.locator(MATRIX).count() == 0
