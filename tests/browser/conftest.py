"""A headless browser, and monitored pages opened in it from the disk."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from semibandits_studies.reporting.page import render

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none",
)  # fmt: skip
PATIENCE = 20_000  # milliseconds
HERE = Path(__file__).parent
BROWSERS, ENDS = [], ExitStack()
expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem):
    """End the browser after the last test of the folder: its event loop must not affect tests of other folders."""
    if nextitem is None or nextitem.path.parent != HERE:
        ENDS.close()


@pytest.fixture
def browser():
    """The browser of all tests in this folder."""
    if not BROWSERS:
        BROWSERS.append(start())
        ENDS.callback(BROWSERS.clear)
    return BROWSERS[0]


def start():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        # A browser is not a Python package: `make test` installs one if it can (root on Debian), and else sets this variable.
        # Without the variable a missing browser is a failure. Skips are listed at the end (-rs).
        if os.environ.get("SEMIBANDITS_NO_BROWSER") == "1":
            pytest.skip("SEMIBANDITS_NO_BROWSER=1, and there is none of " + ", ".join(NAMES))
        pytest.fail(
            f"tests of the report need a browser, found none of {', '.join(NAMES)}: install Debian's package chromium, "
            "or set SEMIBANDITS_NO_BROWSER=1 to skip them",
            pytrace=False,
        )
    playwright = ENDS.enter_context(sync_playwright())
    browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
    ENDS.callback(browser.close)
    return browser


@pytest.fixture
def tab(browser):
    """A page shared by the tests: a new one takes longer than most of them."""
    if not browser.contexts:
        browser.new_context().new_page()
    return browser.contexts[0].pages[0]


@pytest.fixture
def open_page(browser, tab, tmp_path):
    """Call ``open_page(payload, width=1280, ...)`` to open the page of a report; any error in it fails the test."""
    contexts, ends, complaints = [], [], []

    def open_page(payload, *, width=1280, height=900, scheme="light", script="", touch=False):
        if ends:
            complaints.append(ends.pop()())
        file = tmp_path / f"report-{len(complaints)}.html"
        file.write_text(render(payload), encoding="utf-8")
        page = tab
        if script or touch:
            contexts.append(browser.new_context(has_touch=touch))
            page = contexts[-1].new_page()
        if script:
            page.add_init_script(script)
        page.set_default_timeout(PATIENCE)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="screen", color_scheme=scheme)
        page.mouse.move(0, 0)
        ends.append(_watched(page, file.as_uri()))
        page.goto(file.as_uri())
        return page

    yield open_page
    complaints += [end() for end in ends]
    tab.goto("about:blank")  # stops what a test left running
    for context in contexts:
        context.close()
    assert complaints == [[]] * len(complaints)


def _watched(page, address):
    """Record errors and requests of a page; the returned function stops recording and returns what was wrong."""
    errors, requests = [], []
    listeners = {
        "console": lambda message: errors.append(f"console: {message.text}"),
        "pageerror": lambda error: errors.append(f"error: {error}"),
        "request": lambda request: requests.append(request.url),
    }
    for event, listener in listeners.items():
        page.on(event, listener)

    def end():
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        return errors if requests == [address] else [*errors, f"requests: {requests}"]

    return end
