"""The page of any tool's result, whatever is in it: what it returns is readable there, and no template fails."""

from __future__ import annotations

import re
from typing import Any

import pytest

from orchestrator.agent.tools import Tool
from orchestrator.http.agent_api.pages.formats import instant, number
from orchestrator.http.agent_api.pages.rendering import Pages, Standing
from orchestrator.http.agent_api.pages.site import site_of
from orchestrator.http.agent_api.pages.texts import spans_of
from services import applications

from .test_all_tools import CATALOG

SITE = site_of(CATALOG)
PAGES = Pages(SITE, CATALOG.tools, Standing("2030-01-01T00:00:00Z", 50))
HOSTILE = """<script>alert(1)</script>"'><img src=//evil.test/x onerror=alert(1)>{{ 7 * 7 }}"""
NO_ERROR = {"error_type": "none", "code": "x", "message": "", "retryable": False}


def schemas() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return the schema of each service tool's result with the definitions that it refers to, by tool."""
    found = {}
    for service, application in applications().items():
        document = application.openapi()
        for operations in document["paths"].values():
            for operation in operations.values():
                for status, answer in operation["responses"].items():
                    if status.startswith("2") and "content" in answer:
                        schema = answer["content"]["application/json"]["schema"]
                        found[f"{service}_{operation['operationId']}"] = (
                            schema,
                            document["components"]["schemas"],
                        )
    return found


SCHEMAS = schemas()
TOOLS = [tool for tool in CATALOG.tools.values() if tool.name in SCHEMAS]


def document(schema: dict[str, Any], known: dict[str, Any], text: str, *, is_full: bool) -> Any:
    """Return a document of a schema: with everything that it can have, or with as little."""
    if "$ref" in schema:
        return document(known[schema["$ref"].rpartition("/")[2]], known, text, is_full=is_full)
    if "anyOf" in schema:
        variants = sorted(schema["anyOf"], key=lambda each: (each.get("type") == "null") == is_full)
        return document(variants[0], known, text, is_full=is_full)
    if "enum" in schema or "const" in schema:
        return schema["enum"][0] if "enum" in schema else schema["const"]
    match schema.get("type"):
        case "integer" | "number":
            return 12 if is_full else 0
        case "boolean":
            return is_full
        case "null":
            return None
        case "array":
            return [document(schema["items"], known, text, is_full=is_full)] * (2 if is_full else 0)
        case "object":
            properties = schema.get("properties", {})
            made = {name: document(each, known, text, is_full=is_full) for name, each in properties.items()}
            return made or ({text: text, "b": [text, {"c": None}]} if is_full else {})
    return text if is_full else ""


def page_of(tool: Tool, result: Any, error: dict[str, Any] | None = None) -> str:
    values = {name: "X-1" for name, place in tool.places.items() if place == "path"}
    return PAGES.tool(tool, values, {"result": result, "error": error, "text": "It is done.", "step": 1})


@pytest.mark.parametrize(
    ("text", "is_full"),
    [
        (HOSTILE, True),
        ("2030-99-99T99:99:99Z", True),
        (f"# {HOSTILE}\n\n| a |\n|---|\n| {HOSTILE} |\n- x", True),
        ("", False),
    ],
)
def test_every_page_shows_every_document_that_its_tool_can_return(text: str, is_full: bool) -> None:
    pages = [page_of(tool, document(*SCHEMAS[tool.name], text, is_full=is_full)) for tool in TOOLS]

    assert len(pages) > 100
    assert [page for page in pages if re.search("<(script|img)|\\b49\\b", page)] == []


def test_a_page_leaves_out_no_value_of_an_object() -> None:
    missing = {}
    for tool in TOOLS:
        result = document(*SCHEMAS[tool.name], "", is_full=True)
        if isinstance(result, dict) and "items" not in result:
            texts = {name: f"words-{name}" for name, value in result.items() if value == ""}
            page = page_of(tool, {**result, **texts})
            missing[tool.name] = [text for text in texts.values() if text not in page]

    assert sum(map(len, missing.values())) == 0, missing
    assert len(missing) > 50


@pytest.mark.parametrize("is_full", [True, False])
def test_a_result_that_fits_no_schema_gets_a_page_too(is_full: bool) -> None:
    odd: dict[str, Any] = {
        "id": None,
        "status": [1],
        "items": [{"id": 3}, {}],
        "priority": {},
        "value": "x",
        "body": 7,
    }
    results: tuple[Any, ...] = (
        ([], 3, None, "text", {}, odd, {**odd, "items": []}, {"items": ["a"]}, {"items": 7})
        if is_full
        else ({"items": [], "total": 0},)
    )

    assert all("<h1>" in page_of(tool, result) for tool in TOOLS[::3] for result in results)


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        (135.0, "value", "135"),
        (0.5, "value", "0.5"),
        (1588.3, "total", "1588.30"),
        (0.125, "unit_price", "0.125"),
        (None, "value", ""),
        (600, "refresh_s", "10 min"),
        (3110640, "age_s", "36 d 4 min"),
        (0, "age_s", "0"),
        (90061, "age_s", "1 d 1 h 1 min 1 s"),
    ],
)
def test_numbers_are_written_as_people_write_them(value: Any, name: str, text: str) -> None:
    assert number(value, name) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [("2030-04-26T08:01:00Z", "26 Apr 2030, 08:01"), ("2030-04-26T08:01:02Z", "26 Apr 2030, 08:01:02")],
)
def test_instants_are_written_as_people_write_them(value: str, text: str) -> None:
    assert instant(value) == text


@pytest.mark.parametrize("value", ["2030-99-99T99:99:99Z", "soon", 7, None])
def test_a_value_that_is_no_instant_is_none(value: Any) -> None:
    assert instant(value) is None


@pytest.mark.parametrize(
    ("status", "primary"),
    [("new", "Assign"), ("triage", "Verify"), ("done", "Close"), ("closed", None)],
)
def test_the_main_action_follows_from_the_status(status: str, primary: str | None) -> None:
    page = page_of(CATALOG.tools["ticketdesk_get_ticket"], {"id": "X-1", "title": "T", "status": status})

    found = re.findall(r'<a class="button primary" href="[^"]*">([^<]*)</a>', page)
    assert found == ([primary] if primary else [])


@pytest.mark.parametrize(
    ("name", "values", "is_asked"),
    [
        ("datahub_search_documents", (), False),
        ("datahub_search_documents", ("kind",), True),
        ("datahub_list_metrics", (), True),
        ("ticketdesk_get_ticket", (), False),
    ],
)
def test_a_search_is_a_call_once_it_has_words(name: str, values: tuple[str, ...], is_asked: bool) -> None:
    assert SITE.is_asked(CATALOG.tools[name], values) is is_asked


def alert_of(name: str, **error: Any) -> str:
    page = page_of(CATALOG.tools[name], None, {**NO_ERROR, **error})
    found = re.search(r'<div class="alert".*?\n</div>\n', page, re.DOTALL)
    return found[0] if found else ""


def test_a_failed_page_can_be_tried_again() -> None:
    alert = alert_of("ticketdesk_get_ticket", code="bad_gateway", retryable=True)

    assert '<a class="button" href="ticketdesk_get_ticket?ticket_id=X-1">Try again</a>' in alert


def test_a_failed_form_can_be_sent_again() -> None:
    tool = CATALOG.tools["ticketdesk_verify_ticket"]

    page = page_of(tool, None, {**NO_ERROR, "code": "bad_gateway", "retryable": True})

    assert '<button class="primary">Send again</button>' in page


def test_an_expired_session_offers_to_sign_in_and_leads_back() -> None:
    alert = alert_of("ticketdesk_get_ticket", code="session_expired", remedy="renew_session")

    assert 'action="renew_session?back=ticketdesk_get_ticket%3Fticket_id%3DX-1"' in alert
    assert '<input type="hidden" name="service" value="ticketdesk">' in alert
    assert "Sign in again" in alert


def test_a_refusal_that_passes_offers_to_wait_as_long_as_it_says() -> None:
    alert = alert_of(
        "ticketdesk_get_ticket", code="rate_limited", remedy="wait", retry_after_s=90, retryable=True
    )

    assert '<input type="hidden" name="seconds" value="90">' in alert
    assert "Wait 1 min 30 s" in alert


def test_a_remedy_is_a_link_with_the_id_that_it_takes() -> None:
    alert = alert_of("ticketdesk_verify_ticket", code="incomplete", remedy="ticketdesk_update_ticket")

    assert 'href="ticketdesk_update_ticket?ticket_id=X-1">Update ticket</a>' in alert


@pytest.mark.parametrize(
    "back", ["//evil.test", "https://evil.test/", "javascript:alert(1)", "no_tool?x=1", "../finish"]
)
def test_a_page_leads_back_only_to_pages(back: str) -> None:
    page = PAGES.tool(CATALOG.tools["wait"], {}, {"result": {}, "error": None, "text": "", "step": 1}, back)

    assert "Back to" not in page


@pytest.mark.parametrize(
    ("line", "linked"),
    [
        ("Work on TD-1014.", ["TD-1014"]),
        ("See `DOC-2` and TD-3", ["DOC-2", "TD-3"]),
        ("""Ids such as ["TD-1042", "TD-1043"]""", []),
        ("No ticket has this id: 'TD-9999'.", []),
    ],
)
def test_an_id_in_quotes_is_an_example_and_no_link(line: str, linked: list[str]) -> None:
    found = [span.text for span in spans_of(line, lambda word: word) if span.address]

    assert found == linked
