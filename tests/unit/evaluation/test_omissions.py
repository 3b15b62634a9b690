"""Omissions: what an agent without a skill does not call, does not see, and does when its script breaks."""

import sys
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.agents import OMISSIONS, Omitting
from companyos.sdk.scenario import Action, Observation, Script, call
from companyos.sdk.simtime import to_iso

NOW = to_iso(0)
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "chaos.md"


class Reading:
    """A scenario whose oracle makes these calls and keeps what it is shown."""

    def __init__(self, *calls: Action) -> None:
        self.calls = calls
        self.shown: list[Observation] = []

    def oracle(self, observation: Observation) -> Script:
        for action in self.calls:
            self.shown.append((yield action))


def observation(result: Any = None, error: Any = None) -> Observation:
    return {"result": result, "error": error, "sim_now": NOW}


def perceived(name: str, result: Any = None, error: Any = None) -> Observation:
    """What the oracle's script is shown by an agent that leaves out a skill."""
    scenario = Reading(call("desk_look"))
    agent = Omitting(scenario, name)
    agent.start(observation())
    agent.act(observation())
    agent.act(observation(result, error))
    return scenario.shown[0]


def called(name: str, *calls: Action) -> list[Action]:
    """The calls that reach the tools of those that the oracle's script makes."""
    agent = Omitting(Reading(*calls), name)
    agent.start(observation())
    made: list[Action] = []
    while not made or made[-1]["tool_name"] != "finish":
        made.append(agent.act(observation()))
    return made[:-1]


@pytest.mark.parametrize("name", OMISSIONS)
def test_calls_and_answers_apart_from_the_skill_are_left_as_they_are(name: str) -> None:
    look = call("desk_look", at="door")

    assert called(name, look) == [look]
    assert perceived(name, {"id": "D-1", "open": True})["result"] == {"id": "D-1", "open": True}


def test_a_believer_refreshes_nothing_and_sees_nothing_stale() -> None:
    refresh, query = call("datahub_refresh_data", metric_id="MET-1"), call("datahub_query_metric")

    shown = perceived("believes_claims", {"lines": [{"is_stale": True, "freshness": "stale", "value": 3}]})

    assert called("believes_claims", refresh, query) == [query]
    assert shown["result"] == {"lines": [{"is_stale": False, "freshness": "current", "value": 3}]}


def test_one_edition_is_the_first_that_a_search_in_all_of_them_finds() -> None:
    editions = [
        {"title": "Rules", "written_at": NOW, "status": status, "id": number}
        for number, status in enumerate(("draft", "in_force"))
    ]
    search = call("datahub_search_documents", q="rules", status="in_force")

    shown = perceived("reads_one_edition", {"items": editions})

    assert called("reads_one_edition", search) == [call("datahub_search_documents", q="rules")]
    assert shown["result"]["items"] == [{**editions[0], "status": "in_force"}]


def test_lists_of_anything_but_documents_are_read_in_full() -> None:
    tickets = {"items": [{"title": "Broken"}, {"title": "Broken"}]}

    assert perceived("reads_one_edition", tickets)["result"] == tickets


def test_an_agent_that_looks_once_waits_for_nothing_and_takes_requests_for_granted() -> None:
    status = call("approvalflow_check_status", request_id="APR-1")

    shown = perceived("looks_once", {"id": "APR-1", "status": "pending", "approval": None})

    assert called("looks_once", call("wait", until=to_iso(60)), status, call("wait", seconds=5)) == [status]
    assert shown["result"] == {"id": "APR-1", "status": "approved", "approval": None}


def test_a_wait_that_is_left_out_seems_to_be_over() -> None:
    scenario = Reading(call("wait", until=to_iso(600)), call("wait", seconds=60), call("desk_look"))
    agent = Omitting(scenario, "looks_once")
    agent.start(observation())

    agent.act(observation())

    assert [one["sim_now"] for one in scenario.shown] == [to_iso(600), to_iso(660)]


def test_messages_and_automations_are_as_if_there_were_none() -> None:
    messages = Reading(call("datahub_list_messages"), call("desk_look"))
    agent = Omitting(messages, "ignores_messages")
    agent.start(observation())

    assert agent.act(observation()) == call("desk_look")
    assert messages.shown[0]["result"] == {"items": []}
    assert called("ignores_automations", call("ticketdesk_list_automations")) == []
    assert perceived("ignores_automations", {"announced": [1]})["result"] == {"announced": []}


def test_everybody_is_present_to_an_agent_that_overlooks_absence() -> None:
    holder = {"id": "ann", "available": False, "away_until": NOW, "on_duty": "ben"}

    shown = perceived("overlooks_absence", holder)

    assert shown["result"] == {"id": "ann", "available": True, "away_until": None, "on_duty": "ann"}


def test_failures_are_final_to_an_agent_that_retries_nothing() -> None:
    shown = perceived("retries_nothing", error={"code": "timeout", "retryable": True})

    assert shown["error"] == {"code": "timeout", "retryable": False}


def test_the_page_about_chaos_lists_every_omission() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert [name for name, one in OMISSIONS.items() if f"| `{name}` | it {one.does} |" not in text] == []


class Assuming:
    """A scenario whose oracle assumes that there are messages."""

    def oracle(self, observation: Observation) -> Script:
        listed = yield call("datahub_list_messages")
        yield call("desk_open", door=listed["result"]["items"][0])


class Leaving:
    """A scenario whose oracle ends its process where there are no messages."""

    def oracle(self, observation: Observation) -> Script:
        listed = yield call("datahub_list_messages")
        yield listed["result"]["items"] or sys.exit(1)


@pytest.mark.parametrize(("scenario", "reason"), [(Assuming(), "IndexError"), (Leaving(), "SystemExit")])
def test_a_script_that_breaks_without_its_skill_gives_up(scenario: Any, reason: str) -> None:
    agent = Omitting(scenario, "ignores_messages")
    agent.start(observation())

    with pytest.raises(LookupError, match=f"stuck: {reason}") as raised:
        agent.act(observation())

    assert type(raised.value) is LookupError, "a subclass would be a bug of the scenario"


def test_an_agent_that_leaves_everything_out_gives_up() -> None:
    class Waiting:
        def oracle(self, observation: Observation) -> Script:
            while True:
                yield call("wait", seconds=60)

    agent = Omitting(Waiting(), "looks_once")
    agent.start(observation())

    with pytest.raises(LookupError, match="leaves out everything"):
        agent.act(observation())
