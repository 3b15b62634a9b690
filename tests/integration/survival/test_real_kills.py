"""Evaluation mode: what chaos has restart or lose everything ends for real, and nothing else is different."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from redis.exceptions import RedisError

from companyos.chassis.events.redis_client import connect, end
from companyos.embedded.home import Process
from companyos.sdk.chaos import FaultId
from tests.sizes import whole_proof

from .cases import EpisodePlan
from .killer import MARK
from .plays import Played, play_each, wrongs
from .stacks import VALKEY, Stack, stack_in, until_it_works

PROFILE = {
    "faults": {
        "svc.restart": {"p": 0.5, "B": 2, "F": 3},
        "evt.broker_loss": {"p": 1.0, "F": 2},
    }
}


class Killing(EpisodePlan):
    """An oracle's episode under the profile."""

    @property
    def options(self) -> dict[str, Any]:
        """What reset is asked for."""
        return {**super().options, "chaos": PROFILE}


CASES = [Killing("vendor_onboarding", 2, 0), Killing("expense_report", 3, 0)]


@pytest.fixture(scope="module")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack as it is by default."""
    with stack_in(tmp_path_factory.mktemp("virtual"), replicas=1) as stack:
        yield stack


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack in evaluation mode."""
    with stack_in(tmp_path_factory.mktemp("real"), replicas=1, COMPANYOS_REAL_KILLS="true") as stack:
        yield stack


@whole_proof
async def test_real_restarts_lead_to_the_same_episodes_as_simulated_ones(virtual: Stack, real: Stack) -> None:
    before = lives(real)

    played = await play_each(real, CASES)

    undisturbed = await play_each(virtual, CASES)
    assert [wrong for case in CASES for wrong in wrongs(played[case], undisturbed[case])] == []
    assert all(one.outcome["success"] and not one.outcome["invalid"] for one in played.values())
    hit = {name for one in played.values() for name in hits(one)}
    assert VALKEY in hit
    assert len(hit) > 1
    assert {name for name, life in lives(real).items() if life != before[name]} == hit


async def test_a_bus_that_is_ended_comes_back_empty_and_is_not_ended_twice(virtual: Stack) -> None:
    redis = connect(virtual.status.addresses["redis"])
    await redis.set(MARK, "here")

    await end(redis)

    async with virtual.redis() as again:
        assert await until_it_works(lambda: again.get(MARK), RedisError) is None
    await redis.aclose()


async def test_kill_endpoint_is_refused_outside_evaluation_mode(virtual: Stack) -> None:
    token = virtual.home.secrets(["admin_token"])["admin_token"]
    before = lives(virtual)["datahub"]
    async with httpx.AsyncClient(base_url=virtual.status.addresses["datahub"], trust_env=False) as client:
        stranger = await client.post("/admin/kill")
        refused = await client.post("/admin/kill", headers={"authorization": f"Bearer {token}"})

    assert (stranger.status_code, stranger.json()["type"]) == (401, "admin_token_required")
    assert (refused.status_code, refused.json()["type"]) == (403, "kills_refused")
    assert lives(virtual)["datahub"] == before


def lives(stack: Stack) -> dict[str, Process]:
    """Return the present life of every process."""
    return {name: stack.process(name) for name in stack.names}


def hits(played: Played) -> set[str]:
    """Return which processes the faults that landed in an episode end."""
    faults = [fault for record in played.trace for fault in record.get("faults", ())]
    restarted = {fault["where"][0] for fault in faults if fault["fault"] == FaultId.RESTART}
    lost = {VALKEY for fault in faults if fault["fault"] == FaultId.BROKER_LOSS}
    return restarted | lost
