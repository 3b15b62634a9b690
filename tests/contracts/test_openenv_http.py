"""OpenEnv's HTTP routes, row by row, and what its own server gets wrong about them."""

from __future__ import annotations

import json
import secrets
from urllib.parse import quote

import httpx
import jsonschema_rs
import pytest

from .trainer_calls import LOOK, started, stepped


async def test_health_says_healthy(http: httpx.AsyncClient) -> None:
    answer = await http.get("/health")

    assert (answer.status_code, answer.json()) == (200, {"status": "healthy"})


async def test_metadata_names_and_describes_the_environment(http: httpx.AsyncClient) -> None:
    about = (await http.get("/metadata")).json()

    assert about["name"] == "companyos"
    assert about["description"]
    assert about.keys() == {
        "name",
        "description",
        "readme_content",
        "version",
        "author",
        "documentation_url",
    }


async def test_the_openapi_document_is_of_version_one(http: httpx.AsyncClient) -> None:
    document = (await http.get("/openapi.json")).json()

    assert document["info"]["version"] == "1.0.0"
    assert {"/reset", "/step", "/state"} <= document["paths"].keys()


async def test_reset_needs_no_body(http: httpx.AsyncClient) -> None:
    answer = await http.post("/reset")

    assert answer.status_code == 200
    assert answer.json()["reward"] == 0.0
    assert answer.json()["done"] is False
    assert answer.json()["metadata"]["scenario"] == "vendor_onboarding"


async def test_observations_are_what_the_schemas_say(http: httpx.AsyncClient) -> None:
    schemas = (await http.get("/schema")).json()
    first = (await http.post("/reset", json={})).json()

    later = (await stepped(http, first["metadata"]["episode_id"])).json()

    for name, turn in (("reset_observation", first), ("observation", later)):
        whole = {**turn["observation"], "reward": turn["reward"], "done": turn["done"]}
        assert [*jsonschema_rs.validator_for(schemas[name]).iter_errors(whole)] == []


async def test_every_spelling_of_an_action_fits_its_schema(http: httpx.AsyncClient) -> None:
    action = jsonschema_rs.validator_for((await http.get("/schema")).json()["action"])

    assert action.is_valid(LOOK)
    assert action.is_valid({"type": "list_tools"})
    assert action.is_valid({"tool_name": "finish", "arguments": {"answer": "done"}})
    assert action.is_valid({"app": "ticketdesk", "method": "get_ticket", "params": {"ticket_id": "TD-1"}})
    assert not action.is_valid({"message": "hello"})
    assert not action.is_valid({})


async def test_the_state_is_what_its_schema_says(http: httpx.AsyncClient) -> None:
    schema = (await http.get("/schema")).json()["state"]
    episode_id = await started(http)
    await stepped(http, episode_id)

    state = (await http.get("/state", params={"episode_id": episode_id})).json()

    jsonschema_rs.validator_for(schema).validate(state)
    assert (state["episode_id"], state["step_count"], state["done"]) == (episode_id, 1, False)


async def test_before_any_reset_the_state_is_of_no_episode(http: httpx.AsyncClient) -> None:
    state = (await http.get("/state")).json()

    assert (state["episode_id"], state["step_count"]) == (None, 0)


async def test_an_episode_lasts_across_requests(http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=3)

    steps = [(await stepped(http, episode_id)).json()["observation"]["step"] for _ in range(3)]

    assert steps == [1, 2, 3]


async def test_a_step_answers_a_finite_reward_and_what_only_trainers_may_know(
    http: httpx.AsyncClient,
) -> None:
    turn = (await stepped(http, await started(http))).json()

    assert isinstance(turn["reward"], float)
    assert turn["metadata"].keys() >= {
        "episode_id",
        "episode_return",
        "success",
        "reward_breakdown",
        "terminated",
        "truncated",
        "invalid",
        "trace_hash",
    }
    assert turn["observation"]["metadata"] == {}


async def test_a_step_without_an_episode_says_what_to_do(http: httpx.AsyncClient) -> None:
    answer = await http.post("/step", json={"action": LOOK})

    assert answer.status_code == 409
    assert answer.json()["type"] == "no_episode"
    assert "send reset first" in answer.json()["detail"]


async def test_a_step_of_an_unknown_episode_is_not_found(http: httpx.AsyncClient) -> None:
    answer = await stepped(http, "never-started")

    assert (answer.status_code, answer.json()["type"]) == (404, "episode_unknown")


async def test_a_skipped_step_is_refused(http: httpx.AsyncClient) -> None:
    answer = await stepped(http, await started(http), step=3)

    assert (answer.status_code, answer.json()["type"]) == (409, "step_out_of_order")


async def test_unknown_arguments_of_reset_are_ignored_and_listed(http: httpx.AsyncClient) -> None:
    answer = await http.post("/reset", json={"seed": 1, "render": True, "prompt": "hello"})

    assert answer.json()["metadata"]["ignored"] == ["prompt", "render"]


async def test_a_named_episode_gets_that_name(http: httpx.AsyncClient) -> None:
    name = f"контракт/1 ?#{secrets.token_hex(4)}"
    await started(http, episode_id=name)

    state = await http.get("/state", params={"episode_id": name})
    card = await http.get(f"/episodes/{quote(name, safe='')}/grade")
    closed = await http.delete(f"/episodes/{quote(name, safe='')}")

    assert state.json()["episode_id"] == name
    assert (card.status_code, closed.status_code) == (200, 204)


async def test_a_second_reset_under_a_name_replaces_the_episode_only_on_request(
    http: httpx.AsyncClient,
) -> None:
    name = await started(http, seed=1)
    await stepped(http, name)

    refused = await http.post("/reset", json={"seed": 2, "episode_id": name})
    unharmed = (await http.get(f"/episodes/{name}")).json()
    await started(http, seed=2, episode_id=name, replace=True)

    assert (refused.status_code, refused.json()["type"]) == (409, "episode_exists")
    assert (unharmed["seed"], unharmed["step_count"]) == (1, 1)

    assert (await http.get("/state", params={"episode_id": name})).json()["step_count"] == 0
    assert (await http.get(f"/episodes/{name}")).json()["seed"] == 2


async def test_a_row_of_our_own_data_set_is_a_reset(http: httpx.AsyncClient) -> None:
    tools = [{"type": "function", "function": {"name": "finish", "parameters": {}}}]
    row = {"scenario": "erasure_request", "seed": 3.0, "chaos": "0", "tools": json.dumps(tools), "steps": 9}
    absent = {"episode_id": "", "size": "", "snapshot": "", "max_steps": None, "agent": "a", "messages": []}

    answer = await http.post("/reset", json={**row, **absent})

    metadata = answer.raise_for_status().json()["metadata"]
    assert (metadata["scenario"], metadata["seed"], metadata["chaos"]) == ("erasure_request", 3, 0)


@pytest.mark.parametrize("name", ["functions.wait", "mcp__companyos__wait"])
async def test_a_decorated_name_and_values_as_text_are_the_call_they_mean(
    http: httpx.AsyncClient, name: str
) -> None:
    episode_id = await started(http)
    step = {
        "episode_id": episode_id,
        "action": {"tool_name": name, "arguments": {"seconds": "60"}},
        "step": 1.0,
    }

    answers = [(await http.post("/step", json=step)).json() for _ in "12"]

    assert answers[0] == answers[1]
    assert answers[0]["observation"]["error"] is None
    (_, record) = (await http.get(f"/episodes/{episode_id}/trace")).json()
    assert record["action"]["tool_name"] == "wait"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"seed": -1}, ["body", "seed"]),
        ({"seed": "one"}, ["body", "seed"]),
        ({"seed": 1.5}, ["body", "seed"]),
        ({"seed": True}, ["body", "seed"]),
        ({"episode_id": "x" * 256}, ["body", "episode_id"]),
        ({"episode_id": 7}, ["body", "episode_id"]),
        ({"max_steps": 0}, ["body", "max_steps"]),
        ({"rewards": "generous"}, ["body", "rewards"]),
        ({"reward_mode": "sometimes"}, ["body", "reward_mode"]),
        ({"chaos": 9}, ["body", "chaos"]),
        ({"chaos": "typhoon"}, ["body", "chaos"]),
        ([1], ["body"]),
        ("reset", ["body"]),
    ],
)
async def test_a_bad_reset_names_the_field(http: httpx.AsyncClient, body: object, place: list[str]) -> None:
    answer = await http.post("/reset", json=body)

    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][: len(place)] == place
    assert answer.json()["detail"][0].keys() >= {"type", "loc", "msg"}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"action": "look"}, ["action"]),
        ({"action": None}, ["action"]),
        ({"action": []}, ["action"]),
        ({"action": {}}, ["action", "tool_name"]),
        ({"action": {"message": "hello"}}, ["action", "tool_name"]),
        ({"action": {"type": "dance"}}, ["action", "type"]),
        ({"action": {"type": "list_tools", "color": 1}}, ["action", "color"]),
        ({"action": {"type": "invalid", "raw": 7}}, ["action", "raw"]),
        ({"action": {"tool_name": 7}}, ["action", "tool_name"]),
        ({"action": LOOK, "step": 0}, ["step"]),
        ({"action": LOOK, "step": "first"}, ["step"]),
        ({"action": LOOK, "timeout_s": 0}, ["timeout_s"]),
        ({"action": LOOK, "timeout_s": "soon"}, ["timeout_s"]),
        ({"action": LOOK, "request_id": "x" * 256}, ["request_id"]),
        ({"action": LOOK, "unheard_of": 1}, ["unheard_of"]),
        ({"action": {**LOOK, "metadata": 3}}, ["action", "metadata"]),
        ({"action": {**LOOK, "metadata": []}}, ["action", "metadata"]),
        ({"action": {**LOOK, "metadata": {"step": -1}}}, ["action", "metadata", "step"]),
        ({"action": {**LOOK, "metadata": {"timeout_s": "soon"}}}, ["action", "metadata", "timeout_s"]),
    ],
)
async def test_malformed_action_is_refused_by_the_field_without_a_step(
    http: httpx.AsyncClient, body: dict[str, object], place: list[str]
) -> None:
    episode_id = await started(http)

    answer = await http.post("/step", json={"episode_id": episode_id, **body})

    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", *place]
    assert (await http.get("/state", params={"episode_id": episode_id})).json()["step_count"] == 0


async def test_a_made_up_uid_is_not_called_that_of_a_replaced_episode(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)

    answer = await http.get("/state", params={"episode_id": episode_id, "episode_uid": "made-up"})

    assert (answer.status_code, answer.json()["type"]) == (409, "episode_replaced")
    assert "which a later reset replaced, or of none" in answer.json()["detail"]
    assert "episode_uid" in answer.json()["detail"]


async def test_an_unknown_scenario_is_not_found(http: httpx.AsyncClient) -> None:
    answer = await http.post("/reset", json={"scenario": "world_domination"})

    assert (answer.status_code, answer.json()["type"]) == (404, "scenario_unknown")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"",
        b'{"action": NaN}',
        b'{"action": Infinity}',
        b'{"action": {"tool_name": "x", "arguments": {"n": 1e400}}}',
        b'{"action": {"tool_name": "x", "arguments": {"n": ' + b"1" * 5000 + b"}}}",
        b'{"action": {"tool_name": "\xff\xfe"}}',
        b'{"action": {"tool_name": "\\ud800"}}',
        b'{"action": {"tool_name": "a\\u0000b"}}',
        b"[" * 100_000,
        b'{"action": ' + b'{"a":' * 40 + b"1" + b"}" * 41,
    ],
    ids=["cut", "empty", "nan", "infinity", "1e400", "digits", "utf-8", "surrogate", "nul", "nested", "deep"],
)
async def test_broken_json_is_refused_by_name_and_never_a_crash(http: httpx.AsyncClient, raw: bytes) -> None:
    answer = await http.post("/step", content=raw, headers={"content-type": "application/json"})

    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] in {"json_invalid", "too_deep", "nul_character", "missing"}
