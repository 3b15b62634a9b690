"""REST for agents: requests become calls of tools, paths match exactly, and refusals are problem documents."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from orchestrator.episodes.facade import Episodes

from .agent_client import LAMP, agent_of, begun, id_of, token_of

PROBLEM = "application/problem+json"


async def steps(agent: httpx.AsyncClient) -> int:
    """Return how many steps the agent has taken."""
    return int((await agent.get("/task")).json()["step"])


async def test_the_task_is_what_the_first_observation_says(episodes: Episodes) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        task = (await agent.get("/task")).json()

    assert task == {
        "text": reply.observation["text"],
        "step": 0,
        "steps_remaining": 10,
        "sim_now": reply.observation["sim_now"],
    }


async def test_the_tools_say_how_each_is_called(agent: httpx.AsyncClient) -> None:
    tools = {tool["name"]: tool for tool in (await agent.get("/tools")).json()["tools"]}

    place, cancel = tools["shop_place_order"], tools["shop_cancel_order"]
    assert (place["method"], place["path"]) == ("POST", "/shop/orders")
    assert place["places"] == {"item": "body", "idempotency_key": "header"}
    assert (cancel["path"], cancel["places"]["order_id"]) == ("/shop/orders/{order_id}/cancel", "path")
    assert (tools["wait"]["path"], tools["wait"]["places"]["seconds"]) == ("/wait", "body")
    assert set(place["output_schema"]["properties"]) == {"id", "item", "status", "parcel"}
    assert place["input_schema"]["required"] == ["item"]


async def test_a_result_has_the_services_status_and_body(agent: httpx.AsyncClient) -> None:
    placed = await agent.post("/shop/orders", json=LAMP)
    read = await agent.get(f"/shop/orders/{placed.json()['id']}")

    assert (placed.status_code, read.status_code) == (201, 200)
    assert placed.headers["content-type"] == "application/json"
    assert read.json() == {"id": "ORD-0001", "item": "lamp", "status": "placed", "parcel": "P-ORD-0001"}


async def test_the_headers_tell_where_the_agent_stands(agent: httpx.AsyncClient) -> None:
    listed = await agent.get("/shop/orders")
    finished = await agent.post("/finish", json={"answer": "done"})

    told = {name: value for name, value in listed.headers.items() if name.startswith("companyos-")}
    assert told == {
        "companyos-step": "1",
        "companyos-steps-remaining": "9",
        "companyos-sim-now": "2030-01-12T13:47:40Z",
        "companyos-elapsed-s": "60",
        "companyos-done": "false",
    }
    assert finished.headers["companyos-done"] == "true"


async def test_a_refusal_is_a_problem_document_with_what_helps(agent: httpx.AsyncClient) -> None:
    refused = await agent.get("/shop/orders/ORD-9999")

    assert (refused.status_code, refused.headers["content-type"]) == (404, PROBLEM)
    assert refused.json() == {
        "type": "order_unknown",
        "title": "Order unknown",
        "status": 404,
        "detail": "There is no order 'ORD-9999'.",
        "retryable": False,
        "field": "order_id",
    }
    assert await steps(agent) == 1


async def test_a_violation_looks_like_any_refusal(agent: httpx.AsyncClient) -> None:
    order = (await agent.post("/shop/orders", json=LAMP)).json()["id"]

    refused = await agent.post(f"/shop/orders/{order}/approve")

    assert (refused.status_code, refused.json()["type"]) == (403, "separation_of_duties")
    assert "violation" not in refused.text


async def test_a_query_has_the_types_of_its_schema(agent: httpx.AsyncClient) -> None:
    listed = await agent.get("/depot/parcels", params={"limit": 1})
    refused = await agent.get("/depot/parcels", params={"limit": "one"})

    assert listed.status_code == 200
    assert (refused.status_code, refused.json()["field"]) == (422, "limit")
    assert "must be of type integer" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "flaw"),
    [
        ("GET", "/shop/orders?colour=red", None, "colour: there is no such argument"),
        ("GET", "/shop/orders?limit=1&limit=2", None, 'limit: must be of type integer, not ["1","2"]'),
        (
            "POST",
            "/shop/orders?item=lamp",
            "{}",
            "query.item: there is no such argument (item goes in the body)",
        ),
        (
            "POST",
            "/shop/orders/ORD-1/rename",
            '{"item":"x","order_id":"ORD-2"}',
            "body.order_id: there is no such argument (order_id goes in the path)",
        ),
        (
            "POST",
            "/shop/orders",
            '{"item":"lamp","idempotency_key":"k"}',
            "body.idempotency_key: there is no such argument (idempotency_key goes in the header Idempotency-Key)",
        ),
        ("POST", "/shop/orders", "{", "arguments: must be a JSON object; this text is not JSON"),
        ("POST", "/shop/orders", "[1]", "arguments: must be a JSON object"),
        ("POST", "/shop/orders", '"{}"', "item: is required"),
        ("POST", "/shop/orders/ORD-1/rename", '"{}"', "item: is required."),
        ("POST", "/shop/orders/ORD-1/rename", "null", "item: is required."),
        (
            "POST",
            "/wait?seconds=3600",
            '{"seconds":60}',
            "query.seconds: there is no such argument (seconds goes in the body)",
        ),
        ("POST", "/shop/orders", "", "item: is required"),
        ("POST", "/wait", '{"seconds":1}', "seconds: must be at least 60"),
        ("POST", "/refuse", "{}", "reason_code: is required"),
    ],
)
async def test_wrong_values_in_a_known_operation_are_a_step(
    agent: httpx.AsyncClient, method: str, path: str, body: str | None, flaw: str
) -> None:
    refused = await agent.request(method, path, content=body)

    assert (refused.status_code, refused.json()["type"]) == (422, "invalid_arguments")
    assert flaw in refused.json()["detail"]
    assert await steps(agent) == 1


@pytest.mark.parametrize(
    "path",
    [
        "/shop", "/shop/", "/shop//orders", "/shop/orders/", "/shop/%2e/orders", "/Shop/orders", "/shop/Orders",
        "/shop/orders/..%2f..%2fadmin", "/shop/orders/%2e%2e", "/shop/orders/a%5cb", "/%73hop/orders",
        "/shop/%6frders", "/shop%2forders", "/shop/openapi.json", "/shop/docs", "/shop/metrics", "/shop/health",
        "/shop/admin/manifest", "/shop/ready", "/openapi.json", "/docs", "/metrics", "/ready", "/", "/tools/",
        "//tools", "/state", "/episodes", "/scenarios", "/manifest", "/schema", "/render", "/snapshots", "/%74ools",
    ],
)  # fmt: skip
async def test_unknown_paths_are_not_found_and_take_no_step(agent: httpx.AsyncClient, path: str) -> None:
    refused = await agent.get(path)

    assert (refused.status_code, refused.headers["content-type"]) == (404, PROBLEM)
    assert await steps(agent) == 0


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/wait", "POST"),
        ("POST", "/task", "GET"),
        ("DELETE", "/tools", "GET"),
        ("GET", "/mcp", "DELETE, POST"),
        ("PUT", "/shop/orders", "GET, POST"),
        ("OPTIONS", "/shop/orders", "GET, POST"),
        ("HEAD", "/shop/orders", "GET, POST"),
        ("DELETE", "/shop/orders/ORD-0001", "GET"),
    ],
)
async def test_another_method_is_refused_with_those_there_are(
    agent: httpx.AsyncClient, method: str, path: str, allowed: str
) -> None:
    refused = await agent.request(method, path)

    assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
    assert await steps(agent) == 0


async def test_override_headers_change_neither_method_nor_path(agent: httpx.AsyncClient) -> None:
    tricks = {"X-HTTP-Method-Override": "POST", "X-Original-URL": "/finish", "X-Rewrite-URL": "/finish"}

    assert (await agent.get("/shop/orders", headers=tricks)).status_code == 200
    assert (await agent.get("/task")).status_code == 200


async def test_a_path_segment_may_be_encoded(agent: httpx.AsyncClient) -> None:
    refused = await agent.get("/shop/orders/%C3%A9%20%3F")

    assert (refused.status_code, refused.json()["detail"]) == (404, "There is no order 'é ?'.")


async def test_a_tool_that_the_agent_was_not_given_is_a_refused_step(episodes: Episodes) -> None:
    reply = await begun(episodes, tools=["shop_list_orders"])

    async with agent_of(episodes, token_of(reply)) as agent:
        names = [tool["name"] for tool in (await agent.get("/tools")).json()["tools"]]
        refused = await agent.post("/shop/orders", json=LAMP)

        assert names == ["shop_list_orders"]
        assert (refused.status_code, refused.json()["type"]) == (403, "tool_not_offered")
        assert await steps(agent) == 1


@pytest.mark.parametrize("key", ["mine", '"mine"', '"my \\"own\\" key"'])
async def test_a_request_repeated_with_its_key_has_one_effect(agent: httpx.AsyncClient, key: str) -> None:
    answers = [
        await agent.post("/shop/orders", json=LAMP, headers={"Idempotency-Key": key}) for _ in range(3)
    ]

    listed = (await agent.get("/shop/orders")).json()["items"]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert len({answer.text for answer in answers}) == 1
    assert [order["item"] for order in listed].count("lamp") == 1


async def test_a_key_on_a_read_is_not_looked_at(agent: httpx.AsyncClient) -> None:
    assert (await agent.get("/shop/orders", headers={"Idempotency-Key": "x"})).status_code == 200


async def test_calls_at_the_same_time_are_played_one_after_the_other(agent: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(agent.post("/shop/orders", json={"item": f"i{n}"}) for n in range(5)))

    assert [answer.status_code for answer in answers] == [201] * 5
    assert sorted(answer.headers["companyos-step"] for answer in answers) == list("12345")


async def test_more_calls_at_the_same_time_than_can_wait_are_refused_for_now(episodes: Episodes) -> None:
    reply = await begun(episodes, max_steps=100)

    async with agent_of(episodes, token_of(reply)) as agent:
        answers = await asyncio.gather(*(agent.get("/shop/orders") for _ in range(60)))

    refused = [answer for answer in answers if answer.status_code == 409]
    assert refused
    assert {answer.json()["type"] for answer in refused} == {"call_in_progress"}
    assert {answer.headers["retry-after"] for answer in refused} == {"1"}
    assert {answer.json()["retryable"] for answer in refused} == {True}
    assert (await episodes.state(id_of(reply)))["step_count"] == 60 - len(refused)


async def test_the_last_step_ends_the_agents_work(episodes: Episodes) -> None:
    reply = await begun(episodes, max_steps=1)

    async with agent_of(episodes, token_of(reply)) as agent:
        last = await agent.get("/shop/orders")
        after = await agent.get("/shop/orders")

    assert (last.status_code, last.headers["companyos-done"]) == (200, "true")
    assert (after.status_code, after.json()["type"]) == (401, "agent_token_expired")


async def test_a_body_larger_than_any_call_is_refused_and_no_step(agent: httpx.AsyncClient) -> None:
    refused = await agent.post("/shop/orders", content=b'{"item":"' + b"x" * 300_000 + b'"}')

    assert (refused.status_code, refused.json()["type"]) == (413, "body_too_large")
    assert await steps(agent) == 0


@pytest.mark.parametrize("body", [b'{"item":"\\u0000"}', b"[" * 40 + b"]" * 40])
async def test_json_that_nothing_can_hold_is_refused_and_no_step(
    agent: httpx.AsyncClient, body: bytes
) -> None:
    refused = await agent.post("/shop/orders", content=body)

    assert (refused.status_code, refused.json()["type"]) == (422, "json_invalid")
    assert await steps(agent) == 0


@pytest.mark.parametrize("body", [b"\x00", b"\xff\xfe", b"{\x00}", "é".encode("latin-1")])
async def test_bytes_that_are_no_text_are_a_slip_like_any_other(
    agent: httpx.AsyncClient, body: bytes
) -> None:
    refused = await agent.post("/shop/orders", content=body)

    assert (refused.status_code, refused.json()["type"]) == (422, "invalid_arguments")
    assert await steps(agent) == 1


@pytest.mark.parametrize("letter", [b"\xe9", b"\0"])
async def test_a_text_with_other_bytes_than_utf_8_is_not_played_with_other_letters(
    agent: httpx.AsyncClient, letter: bytes
) -> None:
    paths = {"/shop/orders/ORD-1/rename": "item", "/finish": "answer"}
    for path, field in paths.items():
        refused = await agent.post(path, content=b'{"%s":"caf%s"}' % (field.encode(), letter))

        assert (refused.status_code, refused.json()["type"]) == (422, "invalid_arguments")
        assert "it has bytes that are not UTF-8" in refused.json()["detail"]
    assert await steps(agent) == len(paths)


async def test_a_query_that_is_no_text_is_no_call(agent: httpx.AsyncClient) -> None:
    refused = await agent.get("/shop/orders?limit=%ff")

    assert (refused.status_code, refused.json()["type"]) == (400, "url_not_utf8")
    assert await steps(agent) == 0


async def test_a_nul_in_the_url_is_refused(agent: httpx.AsyncClient) -> None:
    assert (await agent.get("/shop/orders/%00")).status_code == 400


async def test_responses_forbid_caching_and_content_sniffing(agent: httpx.AsyncClient) -> None:
    answers = [await agent.get(path) for path in ("/health", "/task", "/shop/orders", "/nowhere")]

    for answer in answers:
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
