"""The chaos of a running episode at the trainer API and as the client sets it; nobody without the token can."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import AsyncCompanyosEnv, InvalidRequest, Via

from .trainer_calls import LOOK, started

FAILING: dict[str, Any] = {"faults": {"svc.http_5xx": {"p": 1, "match": {"operation": "list_tickets"}}}}


@pytest.mark.parametrize("via", list(Via))
def test_a_client_sets_the_chaos_of_its_episode(url: str, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        env.reset(seed=2, chaos=0)
        shown = env.set_chaos(FAILING)
        failed = env.step(LOOK)
        env.set_chaos("calm")
        looked = env.step(LOOK)

    assert (shown.chaos_name, failed.metadata.chaos_name, looked.metadata.chaos_name) == (
        "custom",
        "custom",
        "calm",
    )
    assert failed.observation.error["retryable"]
    assert looked.observation.error is None


async def test_an_awaiting_client_sets_it_too_and_is_told_what_is_wrong(url: str) -> None:
    async with AsyncCompanyosEnv(url) as env:
        await env.reset(seed=2, chaos=0)

        assert (await env.set_chaos(FAILING))["chaos_name"] == "custom"
        with pytest.raises(InvalidRequest, match="no chaos level 7"):
            await env.set_chaos(7)
        await env.step({"tool_name": "finish", "arguments": {}})
        with pytest.raises(InvalidRequest, match="over"):
            await env.set_chaos(0)


@pytest.mark.parametrize("body", [b"", b"{", b"[3]", b"null", b"true", b"2.5", b"NaN", b'{"chaos": 3}'])
async def test_invalid_chaos_is_refused_and_changes_nothing(http: httpx.AsyncClient, body: bytes) -> None:
    episode_id = await started(http, chaos=0)

    answer = await http.put(f"/episodes/{episode_id}/chaos", content=body)

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert (await http.get(f"/episodes/{episode_id}")).json()["chaos"] == 0


async def test_observations_do_not_reveal_chaos(http: httpx.AsyncClient) -> None:
    answer = (await http.post("/reset", json={"seed": 2, "chaos": "storm"})).json()

    words = [name for name in ("svc.", "evt.", "biz.", "chaos") if name in str(answer["observation"]).lower()]
    assert words == []
