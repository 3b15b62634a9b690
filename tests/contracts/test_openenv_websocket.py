"""OpenEnv's WebSocket: its messages, its error codes, and the session that survives whatever is sent."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

from tests.patience import PATIENCE_S

from .trainer_calls import LOOK, Socket, socket_to, started

RESET = {"type": "reset", "data": {"seed": 5}}
STEP = {"type": "step", "data": LOOK}
STATE = {"type": "state"}
MEBIBYTE = 1024 * 1024


async def goes_on(socket: Socket) -> bool:
    """Return whether the session still plays."""
    assert (await socket.ask(RESET))["type"] == "observation"
    return (await socket.ask(STEP))["data"]["observation"]["step"] == 1


async def test_a_session_resets_steps_and_tells_its_state(url: str) -> None:
    async with socket_to(url) as socket:
        first = await socket.ask(RESET)
        later = await socket.ask(STEP)
        state = await socket.ask(STATE)

    assert first["type"] == later["type"] == "observation"
    assert first["data"].keys() == later["data"].keys() == {"observation", "reward", "done", "metadata"}
    assert (first["data"]["reward"], first["data"]["metadata"]["seed"]) == (0.0, 5)
    assert isinstance(later["data"]["reward"], float)
    assert (state["type"], state["data"]["step_count"]) == ("state", 1)
    assert state["data"]["episode_id"] == first["data"]["metadata"]["episode_id"]


async def test_reset_needs_no_data(url: str) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask({"type": "reset"})

    assert answer["type"] == "observation"


async def test_close_is_not_answered_and_closes_normally(url: str) -> None:
    async with socket_to(url) as socket:
        await socket.say(json.dumps({"type": "close"}))
        with pytest.raises(ConnectionClosedOK) as closed:
            await socket.hear()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1000


async def test_pipelined_messages_are_answered_in_order(url: str) -> None:
    async with socket_to(url) as socket:
        for message in [RESET, *[STEP] * 5, STATE, {"type": "nonsense"}, STEP]:
            await socket.say(json.dumps(message))
        answers = [await socket.hear() for _ in range(9)]

    steps = [answer["data"]["observation"]["step"] for answer in answers if answer["type"] == "observation"]
    assert steps == [0, 1, 2, 3, 4, 5, 6]
    assert [answer["type"] for answer in answers[6:8]] == ["state", "error"]
    assert answers[6]["data"]["step_count"] == 5


async def test_before_any_reset_the_state_is_of_no_episode(url: str) -> None:
    async with socket_to(url) as socket:
        state = await socket.ask(STATE)

    assert (state["data"]["episode_id"], state["data"]["step_count"]) == (None, 0)


async def test_a_step_before_reset_says_what_to_do(url: str) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask(STEP)

        assert answer["data"]["code"] == "EXECUTION_ERROR"
        assert answer["data"]["message"].startswith("no episode: send reset first")
        assert await goes_on(socket)


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({}, "The message has no type"),
        ({"type": None}, "The message has no type"),
        ({"type": "dance"}, "Unknown message type: dance"),
        ({"type": 7}, "Unknown message type: int"),
        ({"type": ["reset"]}, "Unknown message type: list"),
        ({"type": {"a": 1}}, "Unknown message type: dict"),
        ({"type": True}, "Unknown message type: bool"),
        ({"type": "RESET"}, "Unknown message type: RESET"),
    ],
)
async def test_an_unknown_type_is_named(url: str, message: dict[str, Any], named: str) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask(message)

        assert answer["data"]["code"] == "UNKNOWN_TYPE"
        assert answer["data"]["message"].startswith(f"type: {named}; there are reset, ")
        assert await goes_on(socket)


@pytest.mark.parametrize(
    "message",
    [
        {"type": "reset", "data": {}, "seed": 1},
        {"type": "reset", "data": [1]},
        {"type": "reset", "data": None},
        {"type": "reset", "data": {"seed": -1}},
        {"type": "reset", "data": {"seed": "seven"}},
        {"type": "reset", "data": {"episode_id": "x" * 256}},
        {"type": "reset", "data": {"chaos": 99}},
        {"type": "step"},
        {"type": "step", "data": "look"},
        {"type": "step", "data": LOOK, "timeout_s": 3},
        {"type": "state", "data": {}},
        {"type": "close", "reason": "tired"},
        {"type": "mcp"},
        {"type": "mcp", "data": "tools/list"},
        [],
        "reset",
        7,
        None,
    ],
)
async def test_a_message_of_the_wrong_form_is_a_validation_error_with_places(url: str, message: Any) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask(json.dumps(message))

        assert answer["type"] == "error"
        assert answer["data"]["code"] == "VALIDATION_ERROR"
        assert answer["data"]["errors"][0].keys() >= {"type", "loc", "msg"}
        assert await goes_on(socket)


@pytest.mark.parametrize(
    "action",
    [{}, {"message": "hello"}, {"type": "dance"}, {"tool_name": ""}, {"tool_name": 3, "arguments": [1]}],
)
async def test_malformed_action_is_a_validation_error_without_a_step(url: str, action: Any) -> None:
    async with socket_to(url) as socket:
        await socket.ask(RESET)

        answer = await socket.ask({"type": "step", "data": action})

        assert answer["data"]["code"] == "VALIDATION_ERROR"
        assert (await socket.ask(STATE))["data"]["step_count"] == 0


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "not json",
        '{"type": "step", "data": {"tool_name": NaN}}',
        '{"type": "reset", "data": {"seed": Infinity}}',
        '{"type": "reset", "data": {"seed": 1e400}}',
        '{"type": "reset", "data": {"seed": ' + "9" * 5000 + "}}",
        '{"type": "reset", "data": {"episode_id": "\\ud800"}}',
        "[" * 100_000,
        '{"type": "reset", "data": ' + '{"a":' * 50_000,
        b'{"type": "state"}',
        b"\xff\xfe\x00",
        b"",
    ],
    ids=[
        "empty",
        "cut",
        "text",
        "nan",
        "infinity",
        "1e400",
        "digits",
        "surrogate",
        "nested-lists",
        "nested-objects",
        "binary-json",
        "binary-garbage",
        "binary-empty",
    ],
)
async def test_malformed_json_is_an_error_and_the_session_continues(url: str, raw: str | bytes) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask(raw)

        assert answer["data"]["code"] == "INVALID_JSON"
        assert await goes_on(socket)


@pytest.mark.parametrize(
    "raw",
    [
        '{"type": "reset", "data": {"x": ' + "[" * 40 + "]" * 40 + "}}",
        '{"type": "reset", "data": {"episode_id": "a\\u0000b"}}',
    ],
    ids=["deep", "nul"],
)
async def test_json_that_no_store_can_hold_is_a_validation_error(url: str, raw: str) -> None:
    async with socket_to(url) as socket:
        answer = await socket.ask(raw)

        assert answer["data"]["code"] == "VALIDATION_ERROR"
        assert await goes_on(socket)


async def test_text_that_is_no_utf8_ends_only_its_own_connection(url: str, http: httpx.AsyncClient) -> None:
    """RFC 6455 leaves no choice about the connection; the episode is another matter."""
    async with socket_to(url) as socket:
        episode_id = (await socket.ask(RESET))["data"]["metadata"]["episode_id"]
        await socket.say(b'{"type": "\xff"}', text=True)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.hear()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1007
    assert (await http.get("/state", params={"episode_id": episode_id})).status_code == 200


async def test_a_message_of_sixteen_mebibytes_is_answered_and_the_session_goes_on(url: str) -> None:
    envelope = '{"type": "reset", "data": {"padding": "%s"}}'
    async with socket_to(url) as socket:
        answer = await socket.ask(envelope % ("x" * (16 * MEBIBYTE - len(envelope))))

        assert answer["data"]["code"] == "VALIDATION_ERROR"
        assert answer["data"]["errors"][0]["type"] == "body_too_large"
        assert await goes_on(socket)


async def test_a_second_reset_begins_another_episode_and_closes_the_first(
    url: str, http: httpx.AsyncClient
) -> None:
    async with socket_to(url) as socket:
        first = (await socket.ask(RESET))["data"]["metadata"]["episode_id"]
        second = (await socket.ask(RESET))["data"]["metadata"]["episode_id"]
        state = await socket.ask(STATE)

        assert first != second
        assert state["data"]["episode_id"] == second
        assert (await http.get(f"/episodes/{first}")).status_code == 404


async def test_a_second_reset_under_the_same_name_begins_that_episode_anew(url: str) -> None:
    named = {"type": "reset", "data": {"episode_id": secrets.token_hex(8)}}
    async with socket_to(url) as socket:
        await socket.ask(named)
        await socket.ask(STEP)
        await socket.ask(named)

        assert (await socket.ask(STEP))["data"]["observation"]["step"] == 1


async def test_a_closed_session_closes_its_unfinished_episode(url: str, http: httpx.AsyncClient) -> None:
    async with socket_to(url) as socket:
        episode_id = (await socket.ask(RESET))["data"]["metadata"]["episode_id"]
        await socket.say(json.dumps({"type": "close"}))
        await socket.connection.wait_closed()

    # That happens just after its socket is closed.
    async with asyncio.timeout(PATIENCE_S):
        while (gone := await http.get(f"/episodes/{episode_id}")).status_code == 200:
            await asyncio.sleep(0.02)
    assert gone.status_code == 404


async def test_a_cut_connection_leaves_its_episode_to_be_continued(url: str, http: httpx.AsyncClient) -> None:
    async with socket_to(url) as socket:
        episode_id = (await socket.ask(RESET))["data"]["metadata"]["episode_id"]
        await socket.ask(STEP)
        socket.connection.transport.abort()

    async with socket_to(url, f"/ws?episode_id={episode_id}") as socket:
        answer = await socket.ask(STEP)

    assert answer["data"]["observation"]["step"] == 2


async def test_the_metadata_of_an_action_carries_its_step_number(url: str) -> None:
    numbered = {"type": "step", "data": {**LOOK, "metadata": {"step": 1}}}
    async with socket_to(url) as socket:
        await socket.ask(RESET)

        first, again = await socket.ask(numbered), await socket.ask(numbered)

    assert first == again


@pytest.mark.parametrize("query", ["session_id=nobody", "episode_id=nothing"])
async def test_an_unknown_session_is_refused_and_closed_normally(url: str, query: str) -> None:
    async with socket_to(url, f"/ws?{query}") as socket:
        answer = await socket.hear()
        with pytest.raises(ConnectionClosedOK) as closed:
            await socket.hear()

    assert answer["data"]["code"] == "SESSION_ERROR"
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1000


async def test_sessions_play_side_by_side(url: str) -> None:
    async def play(seed: int) -> list[Any]:
        async with socket_to(url) as socket:
            await socket.ask({"type": "reset", "data": {"seed": seed}})
            return [(await socket.ask(STEP))["data"]["observation"]["step"] for _ in range(4)]

    assert await asyncio.gather(*(play(seed) for seed in range(16))) == [[1, 2, 3, 4]] * 16


async def test_http_and_sockets_share_episodes(url: str, http: httpx.AsyncClient) -> None:
    episode_id = await started(http)

    async with socket_to(url, f"/ws?episode_id={episode_id}") as socket:
        await socket.ask(STEP)
        state = (await http.get("/state", params={"episode_id": episode_id})).json()

    assert state["step_count"] == 1
