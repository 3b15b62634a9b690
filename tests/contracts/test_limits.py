"""What the trainer API refuses whoever asks: large bodies, URLs that cannot be stored, routes that are not there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import httpx
import pytest

from tests.patience import PATIENCE_S

from .trainer_calls import started, stepped

KIBIBYTE = 1024


async def test_a_larger_body_in_chunks_is_refused_too(http: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 16 * KIBIBYTE

    answer = await http.post("/reset", content=chunks())

    assert answer.status_code == 413


async def test_an_absurd_length_is_refused_before_the_body_comes(url: str) -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(b"POST /step HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n")

    status = await asyncio.wait_for(reader.readline(), PATIENCE_S)

    assert b" 413 " in status
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("path", ["/episodes/%00", "/state?episode_id=a%00b", "/scenarios/%00"])
async def test_a_nul_in_a_url_is_refused(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)

    assert (answer.status_code, answer.json()["type"]) == (400, "nul_character")


async def test_an_unknown_route_is_a_problem_document(http: httpx.AsyncClient) -> None:
    answer = await http.get("/nowhere")

    assert (answer.status_code, answer.json()["type"]) == (404, "not_found")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_wrong_method_says_which_is_right(http: httpx.AsyncClient) -> None:
    answer = await http.get("/reset")

    assert (answer.status_code, answer.json()["type"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
async def test_a_page_of_another_machine_may_not_call(http: httpx.AsyncClient, origin: str) -> None:
    answer = await http.post("/reset", headers={"origin": origin})

    assert (answer.status_code, answer.json()["type"]) == (403, "origin_refused")


async def test_a_page_of_this_machine_may(http: httpx.AsyncClient) -> None:
    assert (await http.get("/scenarios", headers={"origin": "http://localhost:3000"})).status_code == 200


async def test_parallel_resets_and_steps_do_not_mix(http: httpx.AsyncClient) -> None:
    async def play(seed: int) -> tuple[int, int]:
        episode_id = await started(http, seed=seed)
        turn = (await stepped(http, episode_id)).json()
        episode = (await http.get(f"/episodes/{episode_id}")).json()
        return episode["seed"], turn["observation"]["step"]

    assert await asyncio.gather(*map(play, range(24))) == [(seed, 1) for seed in range(24)]
