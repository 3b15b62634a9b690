"""InjectedFault that lasts makes an episode invalid, says why, and is counted wherever episodes are counted."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from .stacks import Stack, stack_in
from .trainers import Answer, PlainTrainer

LIST = {"tool_name": "ticketdesk_list_tickets", "arguments": {}}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that gives up soon."""
    patience = {"COMPANYOS_PATIENCE_S": "1", "COMPANYOS_CALL_S": "0.5"}
    with stack_in(tmp_path_factory.mktemp("hasty"), replicas=1, **patience) as stack:
        yield stack


@contextmanager
def frozen(stack: Stack, name: str) -> Iterator[None]:
    """Stop a process that the supervisor does not miss."""
    pid = stack.process(name).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def test_an_episode_that_a_stopped_service_failed_is_invalid_and_counted_everywhere(
    hasty: Stack,
) -> None:
    trainer = PlainTrainer(hasty.url)
    began = await trainer.reset({"scenario": "vendor_onboarding", "seed": 3})
    with frozen(hasty, "ticketdesk"):
        ended: Answer = await trainer.step(LIST, 1)
    await trainer.close()

    assert (ended.done, ended.reward) == (True, 0.0)
    assert (ended.metadata["invalid"], ended.metadata["success"]) == (True, None)
    assert "service_unavailable: ticketdesk" in ended.metadata["invalid_reason"]
    listed = await hasty.get("/episodes")
    assert listed["counts"]["invalid"] == 1
    [one] = [item for item in listed["items"] if item["episode_id"] == began.metadata["episode_id"]]
    assert one["invalid_reason"] == ended.metadata["invalid_reason"]
    async with httpx.AsyncClient(base_url=hasty.url, trust_env=False) as client:
        metrics = (await client.get("/metrics")).text
    assert 'companyos_episodes_ended_total{outcome="invalid",scenario="vendor_onboarding"} 1.0' in metrics
    assert 'companyos_outages_total{part="ticketdesk"}' in metrics
