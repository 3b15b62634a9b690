"""A database that stands still: every request is answered in time, and after the thaw nothing is lost or doubled."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from time import monotonic
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.protocol.problems import Outage
from orchestrator.storage.store import Store
from tests.frozen import frozen_database
from tests.patience import PATIENCE_S

from .agent_client import LAMP, agent_of, begun, id_of, token_of
from .toy_stack import ToyStack, begin, ready_orchestrator

PLACE_LAMP = {"tool_name": "shop_place_order", "arguments": LAMP}
LIST = {"tool_name": "shop_list_orders"}
#: Far above the limits of the orchestrator here, and far below any freeze worth the name.
SOON_S = 15.0


@pytest.fixture
async def hurried(toy_stack: ToyStack) -> AsyncIterator[Episodes]:
    """An orchestrator that waits for its database only briefly."""
    async with ready_orchestrator(toy_stack, statement_s=0.3, connection_s=1.0) as opened:
        yield opened


async def refused(request: Awaitable[Any]) -> tuple[int, str, bool]:
    begun_at = monotonic()
    with pytest.raises(Refusal) as caught:
        await request
    assert monotonic() - begun_at < SOON_S
    return caught.value.status, caught.value.code, caught.value.retryable


async def answer_once_settled(request: Callable[[], Awaitable[Any]]) -> Any:
    """Send a request until the stack serves it."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await request()
            except Refusal as refusal:
                if not refusal.retryable:
                    raise
            await asyncio.sleep(0.1)


async def test_every_request_to_a_frozen_database_is_refused_in_time(
    toy_stack: ToyStack, hurried: Episodes
) -> None:
    play = await begin(hurried)
    await play.call("shop_place_order", item="lamp")

    with frozen_database(toy_stack.databases.admin_url):
        begun_at = monotonic()
        ready = await hurried.ready()
        ready_took = monotonic() - begun_at
        answers = await asyncio.gather(
            refused(hurried.state(play.id)),
            refused(hurried.step(play.id, PLACE_LAMP)),
            refused(hurried.step(play.id, LIST)),
            refused(hurried.trace(play.id)),
            refused(hurried.grade(play.id)),
            refused(hurried.close(play.id)),
            refused(hurried.reset(ResetOptions(scenario="errand", seed=91))),
            refused(hurried.branches.snapshot(play.id)),
        )

    assert (ready["ready"], ready_took < SOON_S) == (False, True)
    assert {status for status, _, _ in answers} <= {503, 409}
    assert all(retryable for _, _, retryable in answers)


async def test_a_thawed_database_goes_on_where_it_stood(toy_stack: ToyStack, hurried: Episodes) -> None:
    play = await begin(hurried)
    with frozen_database(toy_stack.databases.admin_url):
        await refused(hurried.step(play.id, PLACE_LAMP))
        await refused(hurried.reset(ResetOptions(scenario="errand", seed=92, episode_id=play.id)))

    reply = await answer_once_settled(lambda: hurried.step(play.id, PLACE_LAMP))

    assert (await answer_once_settled(hurried.ready))["ready"]
    assert reply.observation["step"] == 1
    listed = await hurried.step(play.id, LIST)
    assert [order["item"] for order in listed.observation["result"]["items"]].count("lamp") == 1


@pytest.fixture(params=["frozen before", "answer lost"])
def lost_commit(request: pytest.FixtureRequest, toy_stack: ToyStack) -> Callable[[], ExitStack]:
    """Leave the commits of steps unanswered, before or after they are carried out, until the returned stack closes."""

    def leave_unanswered() -> ExitStack:
        frozen, patched = ExitStack(), pytest.MonkeyPatch()
        frozen.callback(patched.undo)
        for name in ("commit", "commit_read"):
            patched.setattr(Store, name, unanswered(getattr(Store, name), frozen))
        return frozen

    def unanswered(commit: Any, frozen: ExitStack) -> Any:
        async def sent(*arguments: Any, **options: Any) -> bool:
            if request.param == "answer lost":
                await commit(*arguments, **options)
                raise Outage("database", "the connection was lost")
            frozen.enter_context(frozen_database(toy_stack.databases.admin_url))
            return bool(await commit(*arguments, **options))

        return sent

    return leave_unanswered


@pytest.mark.parametrize("action", [PLACE_LAMP, LIST], ids=["write", "read"])
async def test_a_step_whose_commit_was_not_answered_is_played_once_though_it_has_no_number(
    hurried: Episodes, lost_commit: Callable[[], ExitStack], action: dict[str, Any]
) -> None:
    play = await begin(hurried)
    await play.call("shop_place_order", item="table")

    with lost_commit():
        assert (await refused(hurried.step(play.id, action)))[0] == 503
    reply = await answer_once_settled(lambda: hurried.step(play.id, action))
    following = await hurried.step(play.id, action)

    assert (reply.observation["step"], following.observation["step"]) == (2, 3)
    assert [record["step"] for record in await hurried.trace(play.id)] == [0, 1, 2, 3]


async def test_an_agents_call_whose_commit_was_not_answered_is_played_once(
    hurried: Episodes, lost_commit: Callable[[], ExitStack]
) -> None:
    reply = await begun(hurried)
    async with agent_of(hurried, token_of(reply)) as agent:
        with lost_commit():
            first = await agent.post("/shop/orders", json=LAMP)
        # If the database is back before the agent's client gives up, the agent notices nothing.
        answer = first if first.is_success else await agent.post("/shop/orders", json=LAMP)

    assert first.is_success or (first.status_code, bool(first.headers["retry-after"])) == (503, True)
    assert answer.status_code == 201
    assert [record["step"] for record in await hurried.trace(id_of(reply))] == [0, 1]
