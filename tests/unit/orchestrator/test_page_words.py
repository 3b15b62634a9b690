"""Pages speak to people: in the words of what they click, with dates as dates, and with lists to choose from."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

import pytest

from orchestrator.agent.tools import OWN_TOOLS
from orchestrator.http.agent_api.pages.choosing import Choice
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


def test_arguments_and_fields_are_called_as_on_the_page() -> None:
    page = PAGES.tool(OFFERED["datahub_search_documents"], {})

    assert "All words of <strong>Search</strong> must occur" in page
    assert "compare <strong>Status</strong> and dates" in page


def test_a_tool_that_is_not_offered_has_a_title_and_leads_nowhere() -> None:
    offered = {name: tool for name, tool in OFFERED.items() if name != "ticketdesk_search_tickets"}
    page = Pages(SITE, offered, Standing("2030-01-01T00:00:00Z", 50, 3)).service("ticketdesk")

    assert "ticketdesk_search_tickets" not in page
    assert "use Search tickets." in texts_of(page)


def test_fields_are_spelled_as_the_company_spells_them() -> None:
    assert "Cost centre" in texts_of(PAGES.tool(OFFERED["ticketdesk_update_ticket"], {}))


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


def test_a_row_of_a_list_to_choose_from_leads_back_to_the_form_with_all_that_it_held() -> None:
    one = Choice("ticketdesk_assign_ticket?ticket_id=TD-7", "assignee")
    more = Choice("ticketdesk_answer_ticket?document_ids=DOC-1", "document_ids", is_one=False)
    rows = {"items": [{"id": "ana.lopez", "name": "Ana"}], "total": 1, "next_cursor": "c"}

    page = page_of("datahub_list_people", rows, one)

    assert 'href="ticketdesk_assign_ticket?ticket_id=TD-7&amp;assignee=ana.lopez">ana.lopez' in page
    assert "_form=ticketdesk_assign_ticket%3Fticket_id%3DTD-7&amp;_into=assignee" in page
    assert dict(parse_qsl(more.address("DOC-2").partition("?")[2])) == {"document_ids": "DOC-1\nDOC-2"}


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


def test_an_entry_of_a_menu_is_marked_on_the_page_that_it_leads_to() -> None:
    documents = "datahub_search_documents"
    chapters = page_of(documents, {"items": [], "total": 0}, kind="handbook", status="in_force")
    others = page_of(documents, {"items": [], "total": 0}, kind="policy")

    assert [re.findall(r'aria-current="page">([^<]*)', page) for page in (chapters, others)] == [
        ["Handbook"],
        ["Documents"],
    ]


def test_a_page_that_an_entry_of_a_menu_leads_to_is_headed_as_the_entry() -> None:
    documents, found = "datahub_search_documents", {"items": [], "total": 0}
    pages = [
        page_of(documents, found, kind="handbook", status="in_force"),
        page_of(documents, found, kind="handbook", status="in_force", cursor="c"),
        page_of(documents, found, kind="policy"),
    ]

    assert [re.findall(r"<h1>(\w+)", page) for page in pages] == [["Handbook"], ["Handbook"], ["Documents"]]


def test_an_object_says_first_what_it_lacks_as_a_fact_like_the_others() -> None:
    page = page_of("ticketdesk_get_ticket", {"id": "TD-1", "status": "triage", "priority": None, "tier": ""})

    assert re.findall("<dt>([^<]*)</dt><dd>([^<]*)", page)[0] == ("Not set", "Priority, Tier")


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


def test_the_last_page_says_how_many_steps_the_work_took() -> None:
    ended = Pages(SITE, OFFERED, Standing("2030-01-01T00:00:00Z", 38, 12, is_over=True))

    page = ended.tool(OFFERED["finish"], {}, {"result": {}, "error": None, "text": "", "step": 12})

    assert "Your work on this task has ended." in page
    assert "<dt>Steps</dt><dd>12</dd>" in page
    assert "<a " not in page
    assert not is_page(OFFERED["finish"])
