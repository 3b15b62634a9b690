"""The company's pages without a mouse: the oracle's calls are made by keys alone, and solve its task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Page

from companyos import CompanyosEnv
from companyos.client import Observation
from companyos.evaluation.agents import Oracle
from companyos.evaluation.runs.players.doors import argument_text, tools_at
from companyos.sdk.scenario import load_scenarios
from tests.result_pages import Results

from .conftest import Opening

SCENARIO, SEED = "vendor_onboarding", 7
#: More stops than any page has.
MOST_STOPS = 300


def focus(page: Page, selector: str) -> None:
    """Go on from stop to stop until an element that matches is focused; it must be in view and marked."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
            return
    raise AssertionError(f"no stop of {page.url} is {selector}")


def follow(page: Page, selector: str) -> None:
    focus(page, selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def write(page: Page, field: str, text: str) -> None:
    """Write into a field, or choose the option of a value."""
    focus(page, f"main form [name={field}]")
    options = page.evaluate("() => [...(document.activeElement.options ?? [])].map((each) => each.value)")
    if options:
        page.keyboard.press("Home")
        for _ in range(options.index(text)):
            page.keyboard.press("ArrowDown")
    else:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(text)


def make_call(page: Page, tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Find a tool from the header, fill in what its form asks for, and send it."""
    name, schema = tool["name"], tool["input_schema"]
    service = name.partition("_")[0]
    is_of_service = page.locator(f"header nav a[href={service}]").count()
    follow(page, f"header nav a[href={service}]" if is_of_service else "header nav a.home")
    follow(page, f"main a[href={name}]")
    texts = {key: argument_text(schema["properties"][key], value) for key, value in arguments.items()}
    fields = page.locator(f"main form[action={name}] [name]:not([type=hidden])")
    typed = [field for field in fields.evaluate_all("(all) => all.map(({name}) => name)") if field in texts]
    for field in typed:
        write(page, field, texts[field])
    # A list without arguments is already there.
    if typed or tool["method"] != "GET":
        follow(page, f"main form[action={name}] .submit button")


def test_a_value_is_chosen_without_losing_what_was_written_and_enter_submits(
    results: Results, opened: Opening
) -> None:
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        env.reset(scenario=SCENARIO, seed=SEED, chaos=0, tools="all")
        web, token = env.agent_access["agent_urls"]["web"], env.agent_access["agent_token"]
        with opened(f"{web}enter?token={token}", scripts=False) as page:
            page.goto(f"{web}ticketdesk_create_ticket")
            write(page, "title", "Ask <Ana> & Bén")
            write(page, "kind", "task")
            write(page, "description", "One.\nTwo.")
            follow(page, "main button[value$='.subject']")
            row = page.locator("main [name=_chosen]").first
            subject = row.get_attribute("value")
            follow(page, "main [name=_chosen]")
            focus(page, "main form [name=title]")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        actions = [record["action"] for record in env.trace(after=0)]

    assert [action["tool_name"] for action in actions] == ["datahub_list_records", "ticketdesk_create_ticket"]
    written = {"title": "Ask <Ana> & Bén", "kind": "task", "description": "One.\nTwo.", "subject": subject}
    assert written.items() <= actions[1]["arguments"].items()


def test_keys_alone_solve_a_task(results: Results, opened: Opening) -> None:
    records = list[dict[str, Any]]()
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        seen = env.reset(scenario=SCENARIO, seed=SEED, chaos=0, max_steps=200).observation
        web, token = env.agent_access["agent_urls"]["web"], env.agent_access["agent_token"]
        tools, oracle = tools_at(web, token), Oracle(load_scenarios()[SCENARIO])
        oracle.start(seen)
        with opened(f"{web}enter?token={token}", scripts=False) as page:
            while not (records and records[-1]["done"]):
                action = oracle.act(seen)
                make_call(page, tools[action["tool_name"]], action["arguments"])
                records += env.trace(after=len(records))
                seen = Observation(records[-1]["observation"])
            ending = page.get_by_role("status").text_content()
        card = env.grade()

    assert ending == "Your work on this task has ended."
    assert card["success"]
