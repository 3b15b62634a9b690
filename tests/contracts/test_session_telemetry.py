"""OpenEnv's session telemetry: `validation_open` and `validation_read`, for trainers who know the token only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home

from .openenv_plan import PLAN
from .trainer_calls import LOOK, Socket, socket_to

TOKEN = "a-token-of-one-validation-run-0123456789"
OPEN = {"type": "validation_open", "data": {"schema_version": 1, "token": TOKEN}}
RESET = {"type": "reset", "data": {"seed": 5, "episode_id": "validated"}}
STEP = {"type": "step", "data": LOOK}
STATE = {"type": "state"}
PLAYED = [RESET, STATE, STEP, STATE]
#: What lets an agent in, or tells one run of an episode from another.
RUN_ONLY = ("agent_token", "agent_urls", "episode_uid", "cosagent_")


@contextmanager
def validated_stack(path: Path) -> Iterator[str]:
    with ExitStack() as stacks:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENENV_VALIDATION_TOKEN", TOKEN)
            stack = stacks.enter_context(running_stack(Home.at(path)))
        yield stack.url


@pytest.fixture(scope="module")
def validated_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with validated_stack(tmp_path_factory.mktemp("validated")) as url:
        yield url


async def opened(socket: Socket) -> str:
    answer = await socket.ask(OPEN)
    assert answer["type"] == "validation_open", answer
    capability: str = answer["data"]["capability"]
    return capability


async def read_telemetry(socket: Socket, capability: str) -> dict[str, Any]:
    data = {"schema_version": 1, "capability": capability}
    return await socket.ask({"type": "validation_read", "data": data})


async def played(url: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a validated session answers, and its telemetry as the last answer."""
    async with socket_to(url) as socket:
        capability = await opened(socket)
        answers = [await socket.ask(message) for message in messages]
        answers.append(await read_telemetry(socket, capability))
        await socket.say(json.dumps({"type": "close"}))
        return answers


async def test_the_record_is_what_was_sent_and_answered(validated_url: str) -> None:
    *answers, telemetry = await played(validated_url, PLAYED)

    assert telemetry["type"] == "validation"
    trajectory = telemetry["data"]["trajectory"]
    assert trajectory["records"] == [
        {"operation": message["type"], "request": message, "response": answer}
        for message, answer in zip(PLAYED, answers, strict=True)
    ]
    assert (trajectory["schema_version"], trajectory["source"]) == (1, "openenv-server")
    assert (trajectory["complete"], trajectory["reason"]) == (True, None)


@pytest.mark.parametrize(
    ("options", "seed"),
    [
        ({"seed": 42}, {"requested": True, "value": 42, "accepted": True}),
        ({}, {"requested": False, "value": None, "accepted": False}),
        ({"split": "test", "index": 3, "seed": 42}, {"requested": True, "value": 42, "accepted": False}),
    ],
)
async def test_a_seed_counts_as_accepted_only_if_the_episode_has_it(
    validated_url: str, options: dict[str, Any], seed: dict[str, Any]
) -> None:
    telemetry = (await played(validated_url, [{"type": "reset", "data": options}]))[-1]

    assert telemetry["data"]["seed"] == seed


async def test_each_step_is_attributed_to_the_rubric_with_its_reward(validated_url: str) -> None:
    *answers, telemetry = await played(validated_url, [RESET, STEP, STEP])

    data = telemetry["data"]
    rewards = [answer["data"]["reward"] for answer in answers[1:]]
    assert [record["step_index"] for record in data["attribution"]] == [0, 1]
    assert [record["rubric"][0]["score"] for record in data["attribution"]] == rewards
    assert [node["name"] for node in data["rubric"]] == ["root"]
    assert data["rubric_error"] is None


async def test_before_a_step_nothing_of_the_rubric_is_evaluated(validated_url: str) -> None:
    telemetry = (await played(validated_url, [RESET]))[-1]

    [root] = telemetry["data"]["rubric"]
    assert (root["evaluated"], root["score"]) == (False, None)


async def test_a_refused_operation_is_not_in_the_record(validated_url: str) -> None:
    broken = {"type": "reset", "data": {"seed": -1}}

    telemetry = (await played(validated_url, [broken, STEP, RESET]))[-1]

    records = telemetry["data"]["trajectory"]["records"]
    assert [record["request"] for record in records] == [RESET]


async def test_a_record_that_reaches_its_limit_says_so(validated_url: str) -> None:
    telemetry = (await played(validated_url, [RESET, *[STATE] * 202]))[-1]

    trajectory = telemetry["data"]["trajectory"]
    assert len(trajectory["records"]) == 202
    assert (trajectory["complete"], trajectory["reason"]) == (False, "Session telemetry budget exceeded")


async def test_a_validated_session_is_equal_in_everything_twice_and_on_another_host(
    validated_url: str, tmp_path: Path
) -> None:
    plan = json.loads(PLAN.read_text())
    reset = {**plan["reset"]["options"], "seed": plan["reset"]["seed"], "episode_id": "validated"}
    messages = [{"type": "reset", "data": reset}, STATE]
    for action in plan["actions"]:
        messages += [{"type": "step", "data": action}, STATE]

    first, second = [await played(validated_url, messages) for _ in range(2)]
    with validated_stack(tmp_path / "elsewhere") as other_url:
        elsewhere = await played(other_url, messages)

    assert first == second == elsewhere
    assert first[-2]["data"]["done"] is True
    assert [word for word in RUN_ONLY if word in json.dumps(first)] == []


async def test_an_earlier_play_cannot_be_left_out_of_the_record(validated_url: str) -> None:
    async with socket_to(validated_url) as socket:
        await socket.ask(STATE)
        refused = await socket.ask(OPEN)

    assert (refused["type"], refused["data"]["code"]) == ("error", "VALIDATION_ERROR")


async def test_a_socket_that_continues_an_episode_has_no_telemetry(validated_url: str) -> None:
    async with socket_to(validated_url) as player:
        begun = await player.ask({"type": "reset"})
        episode_id = begun["data"]["metadata"]["episode_id"]
        async with socket_to(validated_url, f"/ws?episode_id={episode_id}") as socket:
            refused = await socket.ask(OPEN)

    assert refused["data"]["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"schema_version": 1, "token": "wrong-" * 8},
        {"schema_version": 999, "token": TOKEN},
        {"schema_version": True, "token": TOKEN},
        {"schema_version": 1, "token": TOKEN, "more": 1},
        {"schema_version": 1, "token": f"{TOKEN}\n"},
        [TOKEN],
    ],
)
async def test_a_wrong_proof_opens_nothing_and_is_not_repeated(validated_url: str, data: Any) -> None:
    async with socket_to(validated_url) as socket:
        refused = await socket.ask({"type": "validation_open", "data": data})
        begun = await socket.ask(RESET)

    assert refused["data"]["code"] == "VALIDATION_ERROR"
    assert not any(secret in json.dumps(refused) for secret in (TOKEN, "wrong-"))
    assert "agent_token" in begun["data"]["metadata"]


async def test_a_capability_reads_its_own_socket_only(validated_url: str) -> None:
    async with socket_to(validated_url) as first, socket_to(validated_url) as second:
        capabilities = [await opened(first), await opened(second)]

        crossed = [
            await read_telemetry(first, capabilities[1]),
            await read_telemetry(second, capabilities[0]),
        ]
        own = [await read_telemetry(first, capabilities[0]), await read_telemetry(second, capabilities[1])]
        again = await first.ask(OPEN)

    assert [answer["data"]["code"] for answer in (*crossed, again)] == ["VALIDATION_ERROR"] * 3
    assert [answer["type"] for answer in own] == ["validation"] * 2
    assert not any(secret in json.dumps(own) for secret in (TOKEN, *capabilities))


async def test_without_the_token_where_the_server_runs_nothing_opens_it(url: str) -> None:
    async with socket_to(url) as socket:
        answers = [await socket.ask(OPEN), await read_telemetry(socket, "x" * 43)]

    assert [answer["data"]["code"] for answer in answers] == ["VALIDATION_ERROR"] * 2
