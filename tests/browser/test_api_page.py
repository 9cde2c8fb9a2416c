"""The page about the requests of a service: all of it comes from the service, under its Content-Security-Policy."""

import pytest
from page_checks import watch
from playwright.sync_api import expect

import semibandits as sb
from serving import TOKEN, serving


@pytest.mark.verify
def test_requests_are_shown_and_sent(browser, tmp_path):
    url = f"sqlite:///{tmp_path}/learners.db"
    learner = sb.open_learner(url, name="items", decision_set=sb.MSets(4, 2), policy=sb.CUCB(), variance=1.0)
    with serving(url) as address, browser.new_context() as context:
        page = context.new_page()
        wrong = watch(page, (address, "data:"), console=True)
        page.goto(f"{address}/docs")
        expect(page.get_by_text("/v1/learners/{name}/tell-many")).to_be_visible()
        assert page.locator(".opblock").count() == 14
        page.get_by_role("button", name="Authorize").first.click()
        page.locator(".modal-ux input").fill(TOKEN)
        page.locator(".auth-btn-wrapper .authorize").click()
        page.locator(".auth-btn-wrapper .btn-done").click()
        page.locator("[id^=operations-learners-ask_] button").first.click()
        page.get_by_role("button", name="Try it out").click()
        page.get_by_placeholder("name", exact=True).fill("items")
        page.locator("textarea.body-param__text").fill('{"count": 2}')
        page.get_by_role("button", name="Execute").click()
        expect(page.locator(".live-responses-table .response .response-col_status")).to_contain_text("200")
    assert learner.rounds == 2
    assert wrong == []
