"""The oracles solve their tasks in pages, by text alone, and what they did ends in one hash with the calls as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import httpx

from companyos import CompanyosEnv
from companyos.client import Observation
from companyos.client.text_browser import TextBrowser
from companyos.evaluation.agents import Oracle
from companyos.scenario import load_scenarios
from orchestrator.http.agent_api.pages.fields import text_of

from .stack import Stack

SEEDS = (1,)
#: Tools that only show something although they are posted.
PAGES = {"get_operation", "service_health"}

ToolDocument = Mapping[str, Any]


def perform(browser: TextBrowser, tool: ToolDocument, arguments: Mapping[str, Any]) -> None:
    """Do by navigation and forms what a call with these arguments does."""
    properties = tool["input_schema"]["properties"]
    texts = {name: text_of(properties[name], value) for name, value in arguments.items() if value is not None}
    if tool["method"] == "GET" or tool["name"] in PAGES:
        browser.goto(f"{tool['name']}?{urlencode(texts)}")
        return
    addressed = {name for name in texts if tool["places"][name] == "path" or name == "version"}
    browser.goto(f"{tool['name']}?{urlencode({name: texts[name] for name in sorted(addressed)})}")
    # The last form: that in the header may be of the same tool.
    form = [each.form for each in browser.elements if each.form and each.form.action == tool["name"]][-1]
    [*fields, button] = [number for number, each in enumerate(browser.elements) if each.form is form]
    for number in fields:
        element = browser.elements[number]
        if element.name in texts:
            choose = browser.select_option if element.tag == "select" else browser.fill
            choose(number, texts[element.name])
    browser.click(button)


def play_in_pages(env: CompanyosEnv, url: str, first: Observation, scenario: str) -> list[dict[str, Any]]:
    """Return the records of an episode that the oracle plays through the text browser."""
    token, oracle, seen = env.agent_access["agent_token"], Oracle(load_scenarios()[scenario]), first
    records: list[dict[str, Any]] = []
    listed = httpx.get(f"{url}/tools", headers={"Authorization": f"Bearer {token}"}, timeout=60).json()[
        "tools"
    ]
    tools = {tool["name"]: tool for tool in listed}
    oracle.start(first)
    with TextBrowser(f"{url}/web/", token) as browser:
        while not (records and records[-1]["done"]):
            action = oracle.act(seen)
            perform(browser, tools[action["tool_name"]], action["arguments"])
            records = [record for record in env.trace() if "action" in record]
            seen = Observation(records[-1]["observation"])
    return records


def test_every_family_is_solved_in_pages_with_the_hash_of_its_calls(stack: Stack) -> None:
    endings = {}
    with CompanyosEnv(stack.url, timeout_s=600) as env:
        for scenario in sorted(load_scenarios()):
            for seed in SEEDS:
                options = {"scenario": scenario, "seed": seed, "chaos": 0, "max_steps": 1000}
                records = play_in_pages(env, stack.agent_url, env.reset(**options).observation, scenario)
                env.reset(**options)
                for record in records:
                    last = env.step(record["action"])
                endings[scenario, seed] = (
                    last.metadata.success,
                    last.metadata.trace_hash == records[-1]["hash"],
                )

    assert len(endings) >= 15
    assert {case: ending for case, ending in endings.items() if ending != (True, True)} == {}
