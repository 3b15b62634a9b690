"""The client against a running stack: both ways to call it, both ways to travel, and networks that fail."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import (
    AsyncCompanyosEnv,
    EpisodeOver,
    InvalidRequest,
    NoEpisode,
    Refused,
    ServerUnreachable,
    Via,
)
from companyos.embedded.home import Home
from companyos.sdk import stackpath

from .conftest import ELSEWHERE
from .lossy import LossyProxy, lossy
from .trainer_calls import LOOK

FINISH = {"tool_name": "finish", "arguments": {"answer": "nothing was done"}}
WAYS = list(Via)
ours = pytest.mark.skipif(ELSEWHERE in os.environ, reason="the stack under test is not of this machine")


@pytest.fixture(params=WAYS)
def env(request: pytest.FixtureRequest, url: str) -> Iterator[CompanyosEnv]:
    with CompanyosEnv(url, via=request.param) as client:
        yield client


@pytest.fixture
def proxy(url: str) -> Iterator[LossyProxy]:
    with lossy(url) as running:
        yield running


def agent(observation: dict[str, Any]) -> dict[str, Any]:
    """Look twice, then give up."""
    return LOOK if observation["step"] < 2 else FINISH


@pytest.mark.parametrize("via", WAYS)
def test_the_five_lines(url: str, via: Via) -> None:
    with CompanyosEnv(base_url=url, via=via) as env:
        result = env.reset(scenario="vendor_onboarding", seed=7)
        while not result.done:
            result = env.step(agent(result.observation))

    assert result.observation.step == 3
    assert result.metadata.success is False


@pytest.mark.parametrize("via", WAYS)
async def test_the_five_lines_awaited(url: str, via: Via) -> None:
    async with CompanyosEnv(base_url=url, via=via) as env:
        result = await env.reset(scenario="vendor_onboarding", seed=7)
        while not result.done:
            result = await env.step(agent(result.observation))

    assert result.observation.step == 3
    assert result.metadata.success is False


def test_both_ways_to_travel_bring_the_same(url: str) -> None:
    turns = []
    for via in WAYS:
        with CompanyosEnv(url, via=via) as env:
            first, later = env.reset(seed=11), env.step(LOOK)
            turns.append((first.observation, later.observation, later.reward, later.metadata.trace_hash))

    assert turns[0] == turns[1]


def test_results_are_read_as_attributes_and_as_dictionaries(env: CompanyosEnv) -> None:
    result = env.reset(seed=1)

    assert result.reward == 0.0
    assert result.observation.text == result.observation["text"]
    assert json.loads(json.dumps(result.observation)) == result.observation
    assert result.metadata.seed == 1
    with pytest.raises(AttributeError, match="there is no field 'reward_so_far'"):
        _ = result.observation.reward_so_far


def test_a_tool_can_be_called_by_name(env: CompanyosEnv) -> None:
    env.reset()

    result = env.call("ticketdesk_list_tickets", limit=2)

    assert result.observation.tool_name == "ticketdesk_list_tickets"
    assert isinstance(result.reward, float)


def test_state_trace_grade_and_render_are_of_the_current_episode(env: CompanyosEnv) -> None:
    env.reset()
    env.step(LOOK)

    assert env.state().step_count == 1
    assert len(env.trace()) == 2
    assert env.grade().success is None
    assert "ticketdesk_list_tickets" in env.render()


def test_a_step_before_reset_says_what_to_do(env: CompanyosEnv) -> None:
    with pytest.raises(NoEpisode, match="call reset first"):
        env.step(LOOK)


def test_a_finished_episode_takes_no_step_and_stays_to_be_looked_at(env: CompanyosEnv, url: str) -> None:
    env.reset()
    assert env.step(FINISH).done
    episode_id = env.episode_id

    with pytest.raises(EpisodeOver):
        env.step(LOOK)
    env.close()

    assert httpx.get(f"{url}/episodes/{episode_id}/grade").status_code == 200


def test_closing_closes_an_unfinished_episode(env: CompanyosEnv, url: str) -> None:
    env.reset()
    episode_id = env.episode_id

    env.close()

    assert env.episode_id is None
    assert httpx.get(f"{url}/episodes/{episode_id}").status_code == 404


def test_another_reset_closes_the_episode_before(env: CompanyosEnv, url: str) -> None:
    env.reset()
    first = env.episode_id

    env.reset()

    assert env.episode_id != first
    assert httpx.get(f"{url}/episodes/{first}").status_code == 404


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": "seven"}, {"rewards": "bitcoin"}, {"chaos": 77}])
def test_a_bad_option_is_named(env: CompanyosEnv, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match=next(iter(options))):
        env.reset(**options)


def test_an_unknown_scenario_is_refused_with_its_code(env: CompanyosEnv) -> None:
    with pytest.raises(Refused) as refused:
        env.reset(scenario="world_domination")

    assert (refused.value.status, refused.value.code) == (404, "scenario_unknown")


@pytest.mark.parametrize(
    "said", [{"message": "hello"}, "I think we are done.", None, ["finish"], {"n": float("nan")}]
)
def test_reply_without_a_tool_call_is_a_step_with_an_error(env: CompanyosEnv, said: Any) -> None:
    env.reset()

    result = env.step(said)

    assert result.observation.step == 1
    assert result.observation.error is not None
    assert result.observation.error["code"] == "invalid_action"
    assert result.reward == -1.1
    assert env.step(LOOK).observation.step == 2


def test_a_call_as_a_chat_model_makes_it_is_played(env: CompanyosEnv) -> None:
    env.reset()
    called = {"name": "ticketdesk_get_ticket", "arguments": '{"ticket_id": "TD-1001"}'}

    result = env.step({"id": "call_1", "type": "function", "function": called})

    assert result.observation.tool_name == "ticketdesk_get_ticket"
    assert result.observation.error is None or result.observation.error["code"] == "ticket_unknown"


def test_the_agent_of_a_client_is_given_what_its_scenario_can_need(env: CompanyosEnv) -> None:
    some = [tool["name"] for tool in env.reset(chaos=0).observation["tools"]]
    every = [tool["name"] for tool in env.reset(chaos=0, tools="all").observation["tools"]]
    one = [tool["name"] for tool in env.reset(tools=["ticketdesk_get_ticket"]).observation["tools"]]

    assert len(some) < len(every)
    assert set(some) < set(every)
    assert one == ["ticketdesk_get_ticket"]


def test_a_tool_that_the_agent_was_not_given_is_a_step_and_no_call(env: CompanyosEnv) -> None:
    env.reset(tools=["ticketdesk_get_ticket"])

    result = env.call("ticketdesk_list_tickets")

    assert result.observation.error is not None
    assert (result.observation.error["code"], result.observation.step) == ("tool_not_offered", 1)
    listed = env.step({"type": "list_tools"}).observation["tools"]
    assert [tool["name"] for tool in listed] == ["ticketdesk_get_ticket"]


def test_a_misspelt_tool_of_a_reset_is_refused_with_the_nearest(env: CompanyosEnv) -> None:
    with pytest.raises(InvalidRequest, match="Did you mean ticketdesk_get_ticket"):
        env.reset(tools=["ticketdesk_get_tickt"])


@pytest.mark.parametrize("via", WAYS)
def test_where_no_server_is_the_message_says_how_to_start_one(via: Via) -> None:
    env = CompanyosEnv("http://127.0.0.1:9", via=via)

    with pytest.raises(ServerUnreachable, match="companyos up"):
        env.reset()


@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("times", [1, 3])
def test_a_lost_reply_never_doubles_a_step(proxy: LossyProxy, via: Via, times: int) -> None:
    with CompanyosEnv(proxy.url, via=via) as env:
        env.reset(seed=2)
        env.step(LOOK)
        proxy.losing = times

        result = env.step(LOOK)

        assert proxy.losing == 0
        assert result.observation.step == 2
        assert env.state().step_count == 2
        assert env.step(LOOK).observation.step == 3


@pytest.mark.parametrize("via", WAYS)
async def test_a_lost_reply_never_doubles_an_awaited_step(proxy: LossyProxy, via: Via) -> None:
    async with AsyncCompanyosEnv(proxy.url, via=via) as env:
        await env.reset(seed=2)
        proxy.losing = 1

        result = await env.step(LOOK)

        assert (result.observation.step, (await env.state()).step_count) == (1, 1)


def test_a_lost_reset_is_begun_again_and_leaves_nothing_behind(proxy: LossyProxy, url: str) -> None:
    def unfinished() -> int:
        return int(httpx.get(f"{url}/episodes", params={"limit": 1}).json()["counts"]["open"])

    before = unfinished()
    with CompanyosEnv(proxy.url) as env:
        proxy.losing = 1

        env.reset(seed=3)

        assert proxy.losing == 0
        assert env.step(LOOK).observation.step == 1
        assert unfinished() == before + 1


@ours
@pytest.mark.parametrize("via", WAYS)
def test_a_killed_orchestrator_loses_no_step_and_doubles_none(url: str, home: Home, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        env.reset(seed=2)
        env.step(LOOK)
        status = home.status()
        assert status is not None
        (orchestrator,) = (process for process in status.processes if process.name == "orchestrator")

        os.kill(orchestrator.pid, signal.SIGKILL)
        result = env.step(LOOK)

        assert result.observation.step == 2
        assert env.state().step_count == 2


@ours
def test_a_local_stack_is_found_and_used(url: str, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))

    with CompanyosEnv.local(via=Via.WEBSOCKET) as env:
        assert env.base_url == url
        assert env.reset(seed=1).metadata.seed == 1


@ours
async def test_a_local_stack_is_used_on_an_event_loop(
    url: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))

    async with CompanyosEnv.local() as env, AsyncCompanyosEnv.local(via=Via.WEBSOCKET) as other:
        assert env.base_url == other.base_url == url
        assert (await env.reset(seed=1)).observation == (await other.reset(seed=1)).observation


def test_a_local_stack_is_started_where_none_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    home = Home.at(tmp_path)
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))

    try:
        with CompanyosEnv.local() as env:
            assert env.reset(seed=1).metadata.seed == 1
        # It stays for the next one.
        with CompanyosEnv.local() as env:
            assert env.reset(seed=1).done is False
    finally:
        down = subprocess.run(stackpath.program("down"), env=stackpath.environment(), check=False)
    assert down.returncode == 0
    assert capfd.readouterr().err.count(f"Starting a company on this machine, in {home.path} …") == 1


@pytest.mark.parametrize("via", WAYS)
def test_a_client_begins_again_under_its_own_name_and_not_under_anothers(url: str, via: Via) -> None:
    name = secrets.token_hex(8)
    with CompanyosEnv(url, via=via) as env, CompanyosEnv(url, via=via) as other:
        env.reset(episode_id=name)
        env.step(LOOK)
        with pytest.raises(Refused, match="episode_exists"):
            other.reset(episode_id=name)

        assert env.step(LOOK).observation.step == 2
        assert env.reset(episode_id=name).observation.step == 0


def test_the_client_needs_neither_the_server_nor_openenv() -> None:
    heavy = "{'fastapi', 'starlette', 'sqlalchemy', 'redis', 'psycopg', 'openenv', 'pydantic', 'httpx'}"
    program = f"import sys, companyos.client; print(sorted({heavy} & sys.modules.keys()))"
    root = Path(__file__).parents[2]

    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
