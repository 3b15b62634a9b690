"""Every tool of the services has a page or a form, and what is typed there is the call that it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx

from companyos.client.pages.text_browser import TextBrowser
from orchestrator.agent.tools import Tool
from orchestrator.http.agent_api.pages.fields import arguments_of, text_of
from orchestrator.http.agent_api.pages.rendering import Pages, Standing
from orchestrator.http.agent_api.pages.site import is_page, site_of

from .test_all_tools import CATALOG

HOME = "http://agents.test/web/"
PAGES = Pages(site_of(CATALOG), CATALOG.tools, Standing("2030-01-01T00:00:00Z", 50))
#: Texts that look like something else, in a form without types.
ODD = {
    "name": "Acme <b>",
    "amount": 12,
    "share": 0.5,
    "code": "007",
    "flag": True,
    "word": "null",
    "quote": '"x"',
}


def sample(schema: Mapping[str, Any]) -> Any:
    """Return a value that a schema takes, as odd as it may be."""
    schema = next((variant for variant in schema.get("anyOf", ()) if variant.get("type") != "null"), schema)
    if options := schema.get("enum"):
        return options[-1]
    match schema.get("type"):
        case "integer":
            return 7
        case "number":
            return 2.5
        case "boolean":
            return False
        case "array":
            return [sample(schema["items"]), sample(schema["items"])]
        case "object":
            return {name: sample(inner) for name, inner in schema.get("properties", {}).items()} or ODD
    return 'Two "lines":\n& <more>' if schema.get("maxLength", 0) > 200 else "[a]: 'b' & <c>"


def submitted(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the call that the tool's form makes once it is filled in with these."""
    sent = dict[str, str]()
    properties = tool.parameters["properties"]
    texts = {name: text_of(properties[name], value) for name, value in arguments.items()}

    def answer(request: httpx.Request) -> httpx.Response:
        given = request.content.decode() if request.method == "POST" else request.url.query.decode()
        if request.method == "POST":
            sent.update(parse_qsl(given, keep_blank_values=True))
        return httpx.Response(200, text=PAGES.tool(tool, dict(parse_qsl(given))))

    with TextBrowser(HOME, "", httpx.MockTransport(answer)) as browser:
        carried: dict[str, str] = {
            name: texts.pop(name) for name in ("version", "idempotency_key") if name in texts
        }
        browser.goto(f"{tool.name}?{urlencode(carried)}")
        # The last form: that in the header may be of the same tool.
        form = [each.form for each in browser.elements if each.form and each.form.action == tool.name][-1]
        [*fields, button] = [number for number, each in enumerate(browser.elements) if each.form is form]
        for number in fields:
            element = browser.elements[number]
            if element.tag == "button":
                continue
            choose = browser.select_option if element.tag == "select" else browser.fill
            choose(number, texts.pop(element.name))
        assert texts == {}
        browser.click(button)
    return arguments_of(tool, sent.items())


def test_every_form_makes_the_call_that_is_typed_into_it() -> None:
    forms = [tool for tool in CATALOG.tools.values() if not is_page(tool)]

    wrong = {}
    for tool in forms:
        arguments = {name: sample(schema) for name, schema in tool.parameters["properties"].items()}
        if (found := submitted(tool, arguments)) != arguments:
            wrong[tool.name] = (arguments, found)

    assert len(forms) > 50
    assert wrong == {}


def test_a_button_that_leads_to_a_list_sends_what_was_written_and_no_other_button() -> None:
    sent = list[tuple[str, dict[str, str]]]()

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append((request.url.path, dict(parse_qsl(request.content.decode()))))
        return httpx.Response(200, text=PAGES.tool(CATALOG.tools["approvalflow_submit_approval"], {}))

    with TextBrowser(HOME, "", httpx.MockTransport(answer)) as browser:
        at = {each.name or each.label: number for number, each in enumerate(browser.elements)}
        choose = {
            each.value: number for number, each in enumerate(browser.elements) if each.name == "_choose"
        }
        browser.fill(at["fields"], "Ask <Ana> & Ben")
        browser.click(choose["approvalflow_submit_approval.type"])

    assert len(choose) > 1
    assert browser.outline.count("button 'Choose from ") == len(choose)
    assert sent[1] == (
        "/web/approvalflow_list_approval_types",
        {"fields": "Ask <Ana> & Ben", "_choose": "approvalflow_submit_approval.type"},
    )


def test_every_page_is_the_call_that_its_address_says() -> None:
    pages = [tool for tool in CATALOG.tools.values() if is_page(tool)]

    for tool in pages:
        properties = tool.parameters["properties"]
        arguments = {name: sample(schema) for name, schema in properties.items()}
        address = urlencode({name: text_of(properties[name], value) for name, value in arguments.items()})
        assert arguments_of(tool, parse_qsl(address)) == arguments

    assert len(pages) > 50


def test_every_tool_is_linked_from_its_services_page() -> None:
    for service in CATALOG.services:
        page = PAGES.service(service)
        missing = [
            name
            for name, tool in CATALOG.tools.items()
            if tool.service == service and f'href="{name}"' not in page
        ]
        assert missing == []
