"""Every page in a browser: it loads without a complaint, everybody can read it, and it fits."""

from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from companyos import CompanyosEnv
from companyos.evaluation.runs import read_run
from tests.result_pages import Results

from .conftest import Opening
from .inspection import faint, overflowing, violations

PAGES = ("report", "index", "run", "episode", "step", "failure", "live", "live-step")
#: Pages of each kind in the company: lists, objects, texts and forms.
COMPANY_PAGES = (
    "",
    "ticketdesk",
    "ticketdesk_list_tickets",
    "ticketdesk_get_ticket?ticket_id=TD-1005",
    "ticketdesk_verify_ticket?ticket_id=TD-1005",
    "datahub_get_document?document_id=DOC-0002",
    "datahub_query_metric?metric_id=MET-0101",
    "datahub_list_people",
    "approvalflow_get_request?request_id=APR-0001",
    "ticketdesk_list_comments?ticket_id=TD-1005",
    "ticketdesk_create_ticket",
    "datahub_search_documents",
    "datahub_search_documents?q=handbook",
    "approvalflow_list_inbox",
    "approvalflow_get_approval_type?type_id=vendor_approval",
    "service_health",
    "finish",
)
WIDE, NARROW, NARROWEST = 1280, 390, 320


@pytest.fixture(scope="module")
def addresses(report: str, viewer_url: str, results: Results) -> dict[str, str]:
    """A page of each kind: of an eventful episode, of a step that set much off, of one that failed."""
    run = read_run(results.runs["ignores_messages"])
    eventful = max(run.episodes, key=lambda record: (record.chaos == 3, record.steps))
    records = run.trace(eventful.key)[1:]
    busiest = max(records, key=lambda record: (len(record["events"]), len(record["changes"])))["step"]
    failed = next((record["step"] for record in records if record["observation"]["error"]), busiest)
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario="vendor_onboarding", seed=3)
        env.step("I give up.")
        live = quote(str(env.episode_id))
        env.call("finish")
    episode = f"{viewer_url}/runs/ignores_messages/{eventful.key}"
    return {
        "report": report,
        "index": f"{viewer_url}/",
        "run": f"{viewer_url}/runs/ignores_messages",
        "episode": episode,
        "step": f"{episode}/{busiest}",
        "failure": f"{episode}/{failed}",
        "live": f"{viewer_url}/live",
        "live-step": f"{viewer_url}/live/episode?id={live}&step=1",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_readable_in_both_schemes(
    name: str, scheme: str, addresses: dict[str, str], opened: Opening, kept: Callable[[Page, str], None]
) -> None:
    with opened(addresses[name], scheme=scheme) as page:
        page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true })")

        assert not (found := violations(page) + faint(page)), "\n".join(found)
        kept(page, f"{name}-{scheme}")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_a_title(name: str, addresses: dict[str, str], opened: Opening) -> None:
    with opened(addresses[name]) as page:
        assert page.title().endswith("CompanyOS" if name != "report" else "CompanyOS report")


@pytest.mark.parametrize("width", [NARROW, NARROWEST])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_narrow_window(
    name: str, width: int, addresses: dict[str, str], opened: Opening, kept: Callable[[Page, str], None]
) -> None:
    with opened(addresses[name], width=width) as page:
        assert overflowing(page) == []
        if width == NARROW:
            kept(page, f"{name}-narrow")


def test_a_report_has_no_scripts_and_its_links_lead_to_its_sections(report: str, opened: Opening) -> None:
    with opened(report, scripts=False) as page:
        for link in page.get_by_role("navigation", name="Sections").get_by_role("link").all():
            link.click()
            assert page.locator(page.url.partition("#")[2].join(("#", ""))).count() == 1
        assert page.locator("script").count() == 0


def test_a_report_draws_its_charts(report: str, opened: Opening) -> None:
    with opened(report) as page:
        charts = page.locator("figure svg[role=img]")

        assert all(chart.bounding_box()["width"] > 100 for chart in charts.all())  # type: ignore[index]
        for title in (
            "How episodes ended",
            "Success by scenario",
            "all scenarios",
            "Pair accuracy against success",
        ):
            expect(page.get_by_role("img", name=title)).to_have_count(1)


def test_a_page_that_is_not_there_says_so(viewer_url: str, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{viewer_url}/runs/ignores_messages/nothing")

    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    assert violations(page) == []
    page.close()


@pytest.fixture(scope="module")
def company(results: Results) -> Iterator[str]:
    """The address that opens the pages of an agent."""
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario="license_renewal", seed=1, chaos=0, tools="all", max_steps=200)
        access = env.agent_access
        yield f"{access['agent_urls']['web']}enter?token={access['agent_token']}"


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", WIDE), ("light", NARROW)])
def test_the_companys_pages_are_readable_and_fit(
    scheme: str, width: int, company: str, opened: Opening, kept: Callable[[Page, str], None]
) -> None:
    with opened(company, scheme=scheme, width=width) as page:
        for name in COMPANY_PAGES:
            page.goto(company.partition("enter")[0] + name)
            page.evaluate(
                "() => document.querySelectorAll('details').forEach((each) => { each.open = true })"
            )

            assert (name, violations(page) + faint(page)) == (name, [])
            assert width == WIDE or overflowing(page) == []
            kept(page, f"company-{name.partition('?')[0] or 'task'}-{scheme}-{width}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_alert_is_readable_and_its_remedy_a_link(
    scheme: Literal["light", "dark"], company: str, browser: Browser
) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto(company)
    page.goto(f"{company.partition('enter')[0]}ticketdesk_get_ticket?ticket_id=TD-9999")

    assert violations(page) + faint(page) == []
    expect(page.get_by_role("alert").get_by_role("link", name="Search tickets").last).to_be_visible()
    expect(page.get_by_label("Ticket", exact=True)).to_have_attribute("aria-invalid", "true")
    page.close()
