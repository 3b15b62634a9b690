"""Companies announced ahead: prepared in the background, and a request that cannot be read prepares none."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import AsyncCompanyosEnv, InvalidRequest, Refused
from tests.patience import PATIENCE_S

from .trainer_calls import stepped


@pytest.fixture
def seed() -> int:
    return 2 * secrets.randbelow(2**50)


async def prepared(http: httpx.AsyncClient) -> None:
    """Wait until nothing is left to prepare, as the metrics tell."""
    async with asyncio.timeout(PATIENCE_S):
        while "\ncompanyos_prefetching 0.0" not in (await http.get("/metrics")).text:
            await asyncio.sleep(0.02)


async def test_announced_companies_are_prepared_in_the_background(http: httpx.AsyncClient, seed: int) -> None:
    body = {"scenario": "vendor_onboarding", "seeds": [seed, seed + 1], "chaos": 0, "reward_mode": "outcome"}

    told = await http.post("/prefetch", json=body)
    await prepared(http)
    again = await http.post("/prefetch", json=body)

    assert (told.status_code, told.json()) == (202, {"known": 0, "queued": 2, "refused": 0})
    assert (again.status_code, again.json()) == (202, {"known": 2, "queued": 0, "refused": 0})
    begun = (await http.post("/reset", json={"seed": seed, "chaos": 0})).json()
    assert (await stepped(http, begun["metadata"]["episode_id"])).json()["observation"]["error"] is None


async def test_resets_are_announced_as_they_will_be_sent_tasks_too(
    http: httpx.AsyncClient, seed: int
) -> None:
    coming = [{"split": "train", "index": seed % 1000}, {"seed": seed, "size": "small", "color": "blue"}]

    told = await http.post("/prefetch", json=coming)
    await prepared(http)
    again = await http.post("/prefetch", json=coming)

    assert told.status_code == 202
    assert sum(told.json().values()) == 2
    assert again.json() == {"known": 2, "queued": 0, "refused": 0}


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"scenario": "nowhere"}, 404, "scenario_unknown"),
        ({"chaos": "cosy"}, 422, "invalid_chaos"),
        ({"size": "enormous"}, 422, "invalid_request"),
        ({"sceanrio": "vendor_onboarding"}, 422, "invalid_request"),
        ({"split": "train", "index": 1}, 422, "invalid_request"),
    ],
)
async def test_a_request_that_cannot_be_read_prepares_nothing(
    http: httpx.AsyncClient, seed: int, wrong: dict[str, Any], status: int, code: str
) -> None:
    answer = await http.post("/prefetch", json={"seeds": [seed], **wrong})

    assert (answer.status_code, answer.json()["type"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    sound = await http.post("/prefetch", json={"seeds": [seed]})
    assert sound.json()["known"] == 0


def test_the_client_announces_seeds_with_the_options_of_its_resets(url: str, seed: int) -> None:
    options = {"scenario": "vendor_onboarding", "chaos": 1, "rewards": "progress", "tools": "scenario"}

    with CompanyosEnv(url) as env:
        told = env.prefetch([seed, seed + 1], **options)
        result = env.reset(seed=seed, **options)
        with pytest.raises(InvalidRequest, match="did you mean 'chaos'"):
            env.prefetch([seed], choas=1)
        with pytest.raises(Refused, match="scenario_unknown"):
            env.prefetch([seed], scenario="nowhere")

    assert (told.known, told.queued, told.refused) == (0, 2, 0)
    assert result.metadata.seed == seed


async def test_the_awaited_client_announces_seeds_too(url: str, seed: int) -> None:
    async with AsyncCompanyosEnv(url) as env:
        told = await env.prefetch(range(seed, seed + 2))

    assert told == {"known": 0, "queued": 2, "refused": 0}
