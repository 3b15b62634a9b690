"""The oracles solve their tasks in pages, by text alone, and what they did ends in one hash with the calls as such."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.client import Observation
from companyos.client.pages.text_browser import TextBrowser
from companyos.client.pages.text_door import TextDoorEnv
from companyos.evaluation.agents import Oracle
from companyos.evaluation.runs.players.doors import make_call, tools_at
from companyos.sdk.scenario import load_scenarios
from tests.families import ALL
from tests.sizes import size

from .stack import Stack

#: A level at which services fail, answer late, or answer with old data or a part of it.
CHAOS = 3
SOLVED = size(["expense_report", "support_triage"], ALL)


def play_in_pages(env: CompanyosEnv, url: str, first: Observation, scenario: str) -> list[dict[str, Any]]:
    """Return the records of an episode that the oracle plays through the text browser."""
    token, oracle, seen = env.agent_access["agent_token"], Oracle(load_scenarios()[scenario]), first
    records, tools = list[dict[str, Any]](), tools_at(f"{url}/web/", token)
    oracle.start(first)
    with TextBrowser(f"{url}/web/", token) as browser:
        while not (records and records[-1]["done"]):
            action = oracle.act(seen)
            make_call(browser, tools[action["tool_name"]], action["arguments"])
            records += env.trace(after=len(records))
            seen = Observation(records[-1]["observation"])
    return records


@pytest.mark.proof
def test_families_are_solved_in_pages_with_the_hash_of_its_calls(stack: Stack) -> None:
    endings = {}
    with CompanyosEnv(stack.url, timeout_s=600) as env:
        for scenario in SOLVED:
            options = {"scenario": scenario, "seed": 1, "chaos": CHAOS, "max_steps": 1000}
            records = play_in_pages(env, stack.agent_url, env.reset(**options).observation, scenario)
            env.reset(**options)
            for record in records:
                last = env.step(record["action"])
            endings[scenario] = (last.metadata.success, last.metadata.trace_hash == records[-1]["hash"])

    assert endings == dict.fromkeys(SOLVED, (True, True))


def test_an_agent_that_sees_text_acts_by_the_numbers_of_its_page(stack: Stack) -> None:
    options = {"scenario": "license_renewal", "seed": 1, "chaos": 0}
    with TextDoorEnv(stack.url) as env, CompanyosEnv(stack.url) as typed:
        results = [env.reset(**options)]
        limit = results[0].observation["steps_remaining"]
        steps = ("link 'TicketDesk'", "link 'Tickets'", "no such", "link 'Hand in'", "button 'Hand in'")
        for element in steps:
            found = re.findall(rf"\[(\d+)\] {element}", results[-1].observation.text)
            number = found[-1] if found else 9999
            # A chat library writes arguments as JSON; a program may write the action itself.
            call = {"function": {"name": "click", "arguments": f'{{"bid": "{number}"}}'}}
            results.append(env.step(call if len(results) % 2 else f"click({number})"))
        records = env.trace(after=0)
        typed.reset(**options, max_steps=limit)
        for record in records:
            last = typed.step(record["action"])

    assert [result.observation["step"] for result in results] == [0, 0, 1, 1, 1, 2]
    assert [bool(result.observation["last_action_error"]) for result in results] == [False] * 3 + [True] + [
        False
    ] * 2
    assert [record["action"]["tool_name"] for record in records] == ["ticketdesk_list_tickets", "finish"]
    assert results[-1].done
    assert results[-1].metadata["trace_hash"] == last.metadata["trace_hash"]


def test_an_agent_in_pages_cannot_go_on_for_ever_without_a_step(stack: Stack) -> None:
    with TextDoorEnv(stack.url) as env:
        result = env.reset(scenario="license_renewal", seed=1, chaos=0, max_steps=2)
        actions = [result.observation["actions_left"]]
        while not result.done:
            result = env.step("noop()")
            actions.append(result.observation["actions_left"])

    assert actions == list(range(8, -1, -1))
    assert (result.metadata["truncated"], result.metadata["success"]) == (True, False)
