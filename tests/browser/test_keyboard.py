"""Stepping through episodes with keys, with links, and without scripts."""

import pytest
from playwright.sync_api import Page, expect

from companyos import CompanyosEnv
from companyos.evaluation.runs import EpisodeRecord, read_run
from tests.result_pages import Results

from .conftest import Opening


@pytest.fixture(scope="module")
def first(results: Results) -> EpisodeRecord:
    """The episode that the list of the run shows first."""
    run = read_run(results.runs["ignores_messages"])
    return min(run.episodes, key=lambda each: (each.scenario, str(each.chaos), each.seed, each.repeat))


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text(text)


def arrive(page: Page, url: str) -> None:
    """Waits until the page is loaded: before, its script does not hear keys yet."""
    page.wait_for_url(url, wait_until="load")


def test_keys_lead_from_the_runs_to_the_last_step_and_back(
    viewer_url: str, first: EpisodeRecord, opened: Opening
) -> None:
    place = f"{viewer_url}/runs/ignores_messages/{first.key}"
    with opened(f"{viewer_url}/runs/ignores_messages") as page:
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        arrive(page, place)
        for key, step in (
            ("j", 1),
            ("ArrowRight", 2),
            ("k", 1),
            ("j", 2),
            ("ArrowLeft", 1),
            ("End", first.steps),
        ):
            page.keyboard.press(key)
            arrive(page, f"{place}/{step}")
            heading(page, f"Step {step}")
        page.keyboard.press("j")
        expect(page).to_have_url(f"{place}/{first.steps}")
        page.keyboard.press("Home")
        arrive(page, place)
        page.keyboard.press("u")
        arrive(page, f"{viewer_url}/runs/ignores_messages")


def test_keys_move_through_a_list(viewer_url: str, opened: Opening) -> None:
    with opened(f"{viewer_url}/runs/ignores_messages") as page:
        rows = page.locator("a[data-row]")
        for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            expect(rows.nth(place)).to_be_focused()


def test_keys_do_nothing_while_something_is_chosen(viewer_url: str, opened: Opening) -> None:
    with opened(f"{viewer_url}/runs/ignores_messages") as page:
        page.get_by_label("Scenario").focus()
        page.keyboard.press("u")

        expect(page).to_have_url(f"{viewer_url}/runs/ignores_messages")


def test_the_list_of_steps_marks_where_one_is(viewer_url: str, first: EpisodeRecord, opened: Opening) -> None:
    with opened(f"{viewer_url}/runs/ignores_messages/{first.key}/{first.steps}") as page:
        current = page.get_by_role("navigation", name="Steps").locator("[aria-current=step]")

        expect(current).to_have_count(1)
        expect(current).to_contain_text(str(first.steps))
        expect(current).to_be_in_viewport()


def test_everything_can_be_reached_without_scripts(
    viewer_url: str, first: EpisodeRecord, opened: Opening
) -> None:
    with opened(f"{viewer_url}/", scripts=False) as page:
        page.get_by_role("link", name="ignores_messages").click()
        page.get_by_label("Outcome").select_option("solved")
        page.get_by_role("button", name="Filter").click()
        page.get_by_role("row").nth(1).get_by_role("link").click()
        page.get_by_role("link", name="Next →").click()
        heading(page, "Step 1")
        page.get_by_role("link", name="← Previous").click()
        heading(page, first.scenario)


def test_chosen_runs_are_reported_side_by_side(viewer_url: str, opened: Opening) -> None:
    with opened(f"{viewer_url}/") as page:
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_role("button", name="Report on the chosen runs").click()

        heading(page, "and")
        assert page.get_by_role("list", name="Runs by color and shape").count() >= 1


def test_a_page_follows_an_episode_that_is_played(viewer_url: str, results: Results, opened: Opening) -> None:
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario="expense_report", seed=5)
        env.call("wait", seconds=60)
        with opened(f"{viewer_url}/live/episode?id={env.episode_id}&step=last") as page:
            heading(page, "Step 1")
            expect(page.get_by_role("status")).to_contain_text("Waiting for step 2")
            env.call("wait", seconds=60)
            heading(page, "Step 2")
            env.call("finish")
            heading(page, "Step 3")
            expect(page.get_by_role("status")).to_be_empty()


def test_a_page_of_an_earlier_step_stays_and_says_that_there_are_more(
    viewer_url: str, results: Results, opened: Opening
) -> None:
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario="expense_report", seed=5)
        env.call("wait", seconds=60)
        env.call("wait", seconds=60)
        with opened(f"{viewer_url}/live/episode?id={env.episode_id}&step=1") as page:
            env.call("wait", seconds=60)

            expect(page.get_by_role("status")).to_contain_text("1 more since this page was loaded")
            heading(page, "Step 1")
