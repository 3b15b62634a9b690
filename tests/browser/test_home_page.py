"""The home page of a stack in a browser: it is readable, fits, and begins a task that a person can play."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from companyos import CompanyosEnv
from tests.result_pages import Results

from .conftest import Opening
from .inspection import faint, overflowing, violations

WIDE, NARROW = 1280, 390


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", WIDE), ("light", NARROW)])
def test_the_home_page_is_readable_and_fits(
    scheme: str, width: int, results: Results, opened: Opening, kept: Callable[[Page, str], None]
) -> None:
    with opened(f"{results.stack.url}/", scheme=scheme, width=width) as page:
        page.locator("details").first.evaluate("(each) => { each.open = true }")

        assert not (found := violations(page) + faint(page)), "\n".join(found)
        assert overflowing(page) == []
        kept(page, f"home-{scheme}-{width}")


def test_a_person_picks_a_task_and_plays_it_in_the_browser(results: Results, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(results.stack.url)
    page.get_by_label("Task").select_option(label="Expense report")
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Difficulty").select_option(label="2, office")

    with page.expect_popup() as opening:
        page.get_by_role("button", name="Play in the browser").click()
    played = opening.value

    expect(played.get_by_role("main")).to_contain_text("expense")
    assert "/web/" in played.url
    assert "token" not in played.url
    played.close()
    page.close()


def without_refresh(route: Route) -> None:
    """Fetch a page that loads itself again, so that it stays while it is looked at."""
    response = route.fetch()
    route.fulfill(
        response=response, headers={key: each for key, each in response.headers.items() if key != "refresh"}
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", WIDE), ("light", NARROW)])
def test_the_pages_to_watch_are_readable_and_fit(
    scheme: str, width: int, results: Results, opened: Opening, kept: Callable[[Page, str], None]
) -> None:
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario="vendor_onboarding", seed=5)
        env.call("ticketdesk_list_tickets")
        with opened(f"{results.stack.url}/", scheme=scheme, width=width) as page:
            page.route("**/watch*", without_refresh)
            for name, address in (("list", "watch"), ("episode", f"watch?episode_id={env.episode_id}")):
                page.goto(f"{results.stack.url}/{address}")

                assert not (found := violations(page)), "\n".join(found)
                assert overflowing(page) == []
                kept(page, f"watch-{name}-{scheme}-{width}")


def test_a_person_watches_the_steps_of_an_episode_as_they_happen(results: Results, opened: Opening) -> None:
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario="vendor_onboarding", seed=5)
        with opened(f"{results.stack.url}/watch", scripts=False) as page:
            page.locator(f"a[href$='{env.episode_id}']").click()
            expect(page.get_by_role("banner")).to_contain_text("running")
            env.call("finish")

            last = page.get_by_role("region", name="Last steps").get_by_role("listitem").first
            expect(last).to_contain_text("finish", timeout=15_000)
            expect(page.get_by_role("banner")).to_contain_text("not solved")
            expect(page.get_by_role("region", name="What came of it")).to_contain_text("Not achieved")


def test_a_form_that_is_refused_says_so_in_a_page_that_leads_back(results: Results, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(results.stack.url)
    page.evaluate("() => { document.querySelector('[name=seed]').type = 'text' }")
    page.get_by_label("Seed").fill("seven")
    with page.expect_popup() as opening:
        page.get_by_role("button", name="Play in the browser").click()
    told = opening.value

    expect(told.get_by_role("alert")).to_contain_text("Seed")
    assert violations(told) == []
    told.get_by_role("link", name="choose again").click()
    expect(told.get_by_role("button", name="Play in the browser")).to_be_visible()
    told.close()
    page.close()
