"""Pages speak to people: in the words of what they click, with dates as dates, and with lists to choose from."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from orchestrator.agent.tools import OWN_TOOLS
from orchestrator.http.agent_api.pages.choosing import Choice, take_choice
from orchestrator.http.agent_api.pages.fields import value_of
from orchestrator.http.agent_api.pages.instants import typed_instant, written_instant
from orchestrator.http.agent_api.pages.rendering import Pages, Standing
from orchestrator.http.agent_api.pages.site import is_page, site_of

from .test_all_tools import CATALOG

SITE = site_of(CATALOG)
OFFERED = {**CATALOG.tools, **{tool.name: tool for tool in OWN_TOOLS}}
PAGES = Pages(SITE, OFFERED, Standing("2030-01-01T00:00:00Z", 50, 3))
API_WORDS = re.compile(
    r"\b([Cc]all(s|ed)? (?!back)|[Rr]eturns (?!it to|to)|argument|tools?\b|idempotency|null)"
)


def texts_of(page: str) -> str:
    """Return what a page says, without its marks and without code, which is what people type."""
    main = page.partition("<main>")[2].partition("</main>")[0]
    return unescape(re.sub(r"<[^>]+>", "", re.sub(r"<code>.*?</code>", "", main)))


def page_of(name: str, result: Any, choice: Choice | None = None, **values: str) -> str:
    seen = {"result": result, "error": None, "text": "It is done.", "step": 1}
    return PAGES.tool(OFFERED[name], values, seen, choice=choice)


def test_forms_do_not_speak_the_words_of_the_api() -> None:
    said = {name: API_WORDS.findall(texts_of(PAGES.tool(tool, {}))) for name, tool in OFFERED.items()}

    assert {name: words for name, words in said.items() if words} == {}


def test_a_tool_that_is_not_offered_has_a_title_and_leads_nowhere() -> None:
    offered = {name: tool for name, tool in OFFERED.items() if name != "ticketdesk_search_tickets"}
    page = Pages(SITE, offered, Standing("2030-01-01T00:00:00Z", 50, 3)).service("ticketdesk")

    assert "ticketdesk_search_tickets" not in page
    assert "use Search tickets." in texts_of(page)


@pytest.mark.parametrize(("status", "said"), [("running", "begun, and running"), ("done", "done")])
def test_work_that_was_only_begun_is_not_called_done(status: str, said: str) -> None:
    page = page_of("datahub_refresh_data", {"id": "JOB-1", "status": status})

    assert f"Refresh data: {said}. It took one step." in page


@pytest.mark.parametrize("instant", ["2030-03-04T09:00:00Z", "2030-12-31T23:59:07Z"])
def test_an_instant_may_be_typed_as_pages_write_it(instant: str) -> None:
    schema = OFFERED["wait"].parameters["properties"]["until"]

    assert typed_instant(str(written_instant(instant))) == instant
    assert [value_of(schema, text) for text in (str(written_instant(instant)), instant, "soon")] == [
        instant,
        instant,
        "soon",
    ]


def test_an_instant_in_a_text_is_a_date_and_in_code_stays_as_it_is() -> None:
    page = page_of(
        "ticketdesk_get_ticket",
        {"id": "TD-1", "title": "Due 2030-03-04T09:00:00Z, not `2030-03-04T09:00:00Z`."},
    )
    shown = page_of(
        "datahub_get_document",
        {"id": "DOC-1", "body": "By 2030-03-04T09:00:00Z, not `2030-03-04T09:00:00Z`."},
    )

    assert "<h1>Due" in page
    assert 'By <time datetime="2030-03-04T09:00:00Z">4 Mar 2030, 09:00</time>, not' in shown
    assert "<code>2030-03-04T09:00:00Z</code>" in shown


@pytest.mark.parametrize(
    ("name", "field", "chooser"),
    [
        ("ticketdesk_assign_ticket", "assignee", "datahub_list_people"),
        ("ticketdesk_verify_ticket", "references", "datahub_list_records"),
        ("ticketdesk_route_ticket", "queue", "ticketdesk_list_queues"),
        ("approvalflow_submit_approval", "ticket_id", "ticketdesk_list_tickets"),
        ("approvalflow_submit_approval", "type", "approvalflow_list_approval_types"),
        ("datahub_request_access", "permission", "datahub_list_access"),
        ("ticketdesk_create_ticket", "title", None),
    ],
)
def test_a_field_offers_the_list_that_has_its_values(name: str, field: str, chooser: str | None) -> None:
    found = SITE.chooser(OFFERED[name].service, field, OFFERED)

    assert (found and found.name) == chooser


def test_every_way_on_from_a_list_to_choose_from_carries_the_form_with_all_that_it_holds() -> None:
    choice = Choice("ticketdesk_assign_ticket?ticket_id=TD-7&version=3", "assignee")
    rows = {"items": [{"id": "ana.lopez", "name": "Ana"}], "total": 1, "next_cursor": "c"}

    main = page_of("datahub_list_people", rows, choice).partition("<main>")[2]

    forms = re.findall(r'<form[^>]* action="(\w+)"[^>]*>(.*?)</form>', main, re.DOTALL)
    carried = 'name="_form" value="ticketdesk_assign_ticket?ticket_id=TD-7&amp;version=3"'
    assert [(action, carried in form) for action, form in forms] == [
        ("ticketdesk_assign_ticket", True),
        ("datahub_list_people", True),
        ("ticketdesk_assign_ticket", True),
        ("datahub_list_people", True),
    ]
    assert '<button class="link" name="_chosen" value="ana.lopez">ana.lopez</button>' in forms[2][1]
    assert 'name="cursor" value="c"' in forms[3][1]


@pytest.mark.parametrize(
    ("held", "after"),
    [
        ("document_ids=DOC-1&answer=Yes", {"document_ids": "DOC-1\nDOC-2", "answer": "Yes"}),
        ("document_ids=%5B%22DOC-1%22%5D", {"document_ids": "DOC-1\nDOC-2"}),
        ("", {"document_ids": "DOC-2"}),
        ("answer=a%0Ab%26c%3D", {"document_ids": "DOC-2", "answer": "a\nb&c="}),
    ],
)
def test_a_chosen_value_is_put_into_a_list_after_those_that_it_has(held: str, after: dict[str, str]) -> None:
    tool = OFFERED["ticketdesk_answer_ticket"]

    assert Choice(f"{tool.name}?{held}", "document_ids", "DOC-2").values(tool) == after


def test_a_chosen_value_stands_instead_of_the_one_before() -> None:
    values = {"_choose": "ticketdesk_assign_ticket.assignee", "assignee": "ana.lopez", "note": "ü" * 10_000}
    choice = take_choice(values)

    assert (choice and choice.tool, values) == ("ticketdesk_assign_ticket", {})
    back = take_choice({**(choice.carried if choice else {}), "_chosen": "ben.okafor"})
    assert back
    assert back.values(OFFERED[back.tool]) == {"assignee": "ben.okafor", "note": "ü" * 10_000}


def test_a_failed_list_to_choose_from_is_tried_again_for_the_same_form() -> None:
    error = {"error_type": "outage", "code": "bad_gateway", "message": "", "retryable": True}
    seen, choice = (
        {"result": None, "error": error, "text": "", "step": 1},
        Choice("ticketdesk_assign_ticket", "assignee"),
    )

    page = PAGES.tool(OFFERED["datahub_list_people"], {"role": "cfo"}, seen, choice=choice)

    alert = page.partition('<div class="alert"')[2].partition("</form>")[0]
    assert re.findall(r'action="([^"]*)"|name="(\w+)" value="([^"]*)"', alert) == [
        ("datahub_list_people", "", ""),
        ("", "role", "cfo"),
        ("", "_form", "ticketdesk_assign_ticket"),
        ("", "_into", "assignee"),
    ]


def test_enter_in_a_field_presses_no_button_that_leads_to_a_list() -> None:
    first = {
        name: re.search(
            r"<button[^>]*>", PAGES.tool(tool, {}).partition('action="' + name + '" class="card"')[2]
        )
        for name, tool in OFFERED.items()
        if not is_page(tool)
    }

    assert [name for name, button in first.items() if button is None or "_choose" in button[0]] == []


@pytest.mark.parametrize("form", ["//evil.test", "https://evil.test/?x=1", "javascript:alert(1)", "no_tool"])
def test_a_list_to_choose_from_leads_back_only_to_forms(form: str) -> None:
    page = page_of("datahub_list_people", {"items": [{"id": "ana.lopez"}], "total": 1}, Choice(form, "x"))

    assert form not in page


def test_a_page_shows_what_was_sent_and_no_result_repeats() -> None:
    page = page_of("ticketdesk_create_ticket", {"id": "TD-9", "title": "Ask"}, title="Ask", blocks="TD-7")

    sent = page.partition("What you sent")[2]
    assert '<a href="ticketdesk_get_ticket?ticket_id=TD-7">TD-7</a>' in sent
    assert "Title" not in sent
    assert 'href="ticketdesk_list_links?ticket_id=TD-9">Links</a>' in page


def test_every_field_that_names_an_object_is_a_link() -> None:
    page = page_of(
        "ticketdesk_get_ticket",
        {"id": "TD-1", "reporter": "ana.lopez", "subject": "V-104", "blocked_by": ["TD-2"]},
    )

    linked = re.findall(r'<dd><a href="([^"?]*)[^>]*>([^<]*)', page)
    assert linked == [
        ("datahub_get_person", "ana.lopez"),
        ("datahub_get_record", "V-104"),
        ("ticketdesk_get_ticket", "TD-2"),
    ]
    assert 'data-initials="AL"' in page
