"""A run tells when its model's endpoint keeps it waiting, and how long it may."""

from __future__ import annotations

import asyncio

import pytest

from companyos.cli.commands.run_options import AgentOptions, ModelOptions
from companyos.cli.run.agents import chosen_agent
from companyos.evaluation.models import pauses
from tests.scripted_endpoint import Scripted, completion, function_call, scripted_endpoint, shown
from tests.unit.evaluation.runs.samples import REQUEST


async def test_a_wait_for_an_endpoint_is_told_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pauses, "TOLD_S", 0)
    busy = Scripted({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0.05"})
    async with scripted_endpoint() as endpoint:
        endpoint.will_answer(busy, completion("", function_call("finish")))
        options = ModelOptions(model="m", base_url=f"{endpoint.url}/v1", max_wait=9.0)
        chosen = await asyncio.to_thread(chosen_agent, AgentOptions("openai", options))
        agent = chosen.source(next(iter(REQUEST.tasks())))
        await agent.start(shown())
        turn = await agent.act(shown())
        await agent.close()

    assert turn.output["tool_name"] == "finish"
    assert chosen.spec.settings["max_wait_s"] == 9.0
    said = capsys.readouterr()
    assert "slow down" in said.err
    assert "The request is repeated in 0.05 s." in said.err
    assert said.out == ""
