"""Episodes after the fact: lists, traces, grade cards and closing, and the page a person looks at."""

from __future__ import annotations

import json
import secrets
from urllib.parse import quote

import httpx
import pytest

from .trainer_calls import started, stepped


async def test_an_episode_can_be_looked_at_and_closed(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)

    seen = await http.get(f"/episodes/{episode_id}")
    closed = await http.delete(f"/episodes/{episode_id}")
    gone = await http.get(f"/episodes/{episode_id}")

    assert seen.json()["episode_id"] == episode_id
    assert (closed.status_code, closed.content) == (204, b"")
    assert (gone.status_code, gone.json()["type"]) == (404, "episode_unknown")


async def test_a_closed_episode_takes_no_step(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)
    await http.delete(f"/episodes/{episode_id}")

    answer = await stepped(http, episode_id)

    assert (answer.status_code, answer.json()["type"]) == (404, "episode_unknown")


@pytest.mark.parametrize("name", ["{}/grade", "{}/trace", "{}/a b%2Fc/fork", "{}%25"])
async def test_an_encoded_slash_belongs_to_the_id(http: httpx.AsyncClient, name: str) -> None:
    plain = secrets.token_hex(8)
    slashed = name.format(plain)
    for each in (plain, slashed):
        await started(http, episode_id=each)
    path = f"/episodes/{quote(slashed, safe='')}"

    seen, card = await http.get(path), await http.get(f"{path}/grade")
    kept = await http.post(f"{path}/snapshots")
    closed = await http.delete(path)

    assert (seen.status_code, seen.json()["episode_id"], "musts" in seen.json()) == (200, slashed, False)
    assert (card.json()["episode_id"], "musts" in card.json()) == (slashed, True)
    assert (kept.status_code, kept.json()["episode_id"]) == (200, slashed)
    assert closed.status_code == 204
    assert (await http.get(f"/episodes/{plain}")).status_code == 200


async def test_a_plain_slash_may_belong_to_the_id(http: httpx.AsyncClient) -> None:
    name = f"{secrets.token_hex(8)}/a"
    await started(http, episode_id=name)

    assert (await http.get(f"/episodes/{name}")).json()["episode_id"] == name
    assert (await http.get(f"/episodes/{name}/grade")).json()["episode_id"] == name


async def test_episodes_are_listed_page_by_page(http: httpx.AsyncClient) -> None:
    mine = {await started(http) for _ in range(3)}

    found, cursor = set(), None
    while page := (
        await http.get("/episodes", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))
    ).json():
        found |= {item["episode_id"] for item in page["items"]}
        assert len(page["items"]) <= 2
        if (cursor := page["next_cursor"]) is None:
            break

    assert mine <= found


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=many", "done=maybe", "color=blue", "cursor=%00", "cursor=garbage"],
)
async def test_a_bad_question_about_episodes_is_a_problem_document(
    http: httpx.AsyncClient, query: str
) -> None:
    answer = await http.get(f"/episodes?{query}")

    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json().keys() >= {"type", "title", "status", "detail"}


@pytest.mark.parametrize("written", ["1_0", " 5", "5 ", "+5", "5\n", "５", "٥", "1e1", "0x10", "True", ""])
async def test_a_number_in_a_query_is_written_in_digits(http: httpx.AsyncClient, written: str) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]
    numbers = [
        (path.format(episode_id=await started(http)), parameter["name"])
        for path, operations in paths.items()
        for parameter in operations.get("get", {}).get("parameters", ())
        if parameter["in"] == "query" and "'integer'" in str(parameter["schema"])
    ]

    answers = [await http.get(path, params={name: written}) for path, name in numbers]

    assert len(answers) > 2
    assert [answer.status_code for answer in answers] == [422] * len(answers)
    assert {answer.json()["type"] for answer in answers} == {"invalid_request"}


async def test_the_trace_comes_as_a_list_and_as_lines(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)
    await stepped(http, episode_id)

    listed = await http.get(f"/episodes/{episode_id}/trace")
    lines = await http.get(f"/episodes/{episode_id}/trace", params={"format": "jsonl"})

    assert lines.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(line) for line in lines.text.splitlines()] == listed.json()


async def test_there_is_a_grade_card_before_the_end(http: httpx.AsyncClient) -> None:
    card = await http.get(f"/episodes/{await started(http)}/grade")

    assert card.status_code == 200
    assert card.json()["success"] is None


@pytest.mark.parametrize("route", ["", "/trace", "/grade"])
async def test_of_an_unknown_episode_nothing_is_found(http: httpx.AsyncClient, route: str) -> None:
    answer = await http.get(f"/episodes/nobody{route}")

    assert (answer.status_code, answer.json()["type"]) == (404, "episode_unknown")


async def test_scenarios_have_cards(http: httpx.AsyncClient) -> None:
    listed = (await http.get("/scenarios")).json()

    card = await http.get("/scenarios/vendor_onboarding")

    assert "vendor_onboarding" in [each["name"] for each in listed]
    assert all(each.keys() >= {"name", "version", "source", "title", "summary", "splits"} for each in listed)
    assert card.json()["readme"]


async def test_an_unknown_scenario_has_none(http: httpx.AsyncClient) -> None:
    answer = await http.get("/scenarios/world_domination")

    assert (answer.status_code, answer.json()["type"]) == (404, "scenario_unknown")


async def test_the_manifest_is_what_chat_models_take(http: httpx.AsyncClient) -> None:
    tools = (await http.get("/manifest")).json()["tools"]

    assert all(tool["type"] == "function" for tool in tools)
    assert all(tool["function"]["parameters"]["type"] == "object" for tool in tools)
    assert {"ticketdesk_get_ticket", "wait", "finish", "refuse"} <= {
        tool["function"]["name"] for tool in tools
    }


async def test_metrics_are_for_prometheus(http: httpx.AsyncClient) -> None:
    answer = await http.get("/metrics")

    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "# HELP" in answer.text


async def test_a_ready_stack_says_so(http: httpx.AsyncClient) -> None:
    assert (await http.get("/ready")).json() == {"ready": True}


@pytest.mark.parametrize(
    ("form", "kind"), [("text", "text/plain"), ("html", "text/html"), ("json", "application/json")]
)
async def test_the_company_can_be_looked_at(http: httpx.AsyncClient, form: str, kind: str) -> None:
    episode_id = await started(http)
    await stepped(http, episode_id)

    answer = await http.get("/render", params={"episode_id": episode_id, "format": form})

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert "ticketdesk_list_tickets" in answer.text


async def test_the_page_loads_nothing_and_runs_nothing(http: httpx.AsyncClient) -> None:
    answer = await http.get("/render", params={"episode_id": await started(http), "format": "html"})

    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<script" not in answer.text
    assert "http://" not in answer.text
    assert "https://" not in answer.text


async def test_the_same_company_renders_to_the_same_bytes(http: httpx.AsyncClient) -> None:
    pages = [
        (
            await http.get("/render", params={"episode_id": await started(http, seed=4), "format": "html"})
        ).content
        for _ in range(2)
    ]

    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("query", "status"), [("", 422), ("episode_id=x&format=pdf", 422), ("episode_id=nobody", 404)]
)
async def test_a_bad_look_is_refused(http: httpx.AsyncClient, query: str, status: int) -> None:
    answer = await http.get(f"/render?{query}")

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
