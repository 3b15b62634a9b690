"""The laws of service faults: same actions, same faults; nothing re-rolls them, and nothing tells of them."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from companyos.chassis.world.public_ids import public_operation_id
from companyos.sdk.chaos import CATALOG, FaultId, Layer
from orchestrator.episodes.facade import Episodes, Reply
from tests.forks import forked

from ..orchestrator.toy_stack import Play, ToyStack, begin, ready_orchestrator
from .conftest import one_fault

SERVICE = [fault for fault, spec in CATALOG.items() if spec.layer is Layer.SERVICE]
EVERYTHING: dict[str, Any] = {
    "faults": {
        str(fault): {"p": 0.2, "F": CATALOG[fault].most_incidents, "B": CATALOG[fault].longest_burst}
        for fault in SERVICE
    },
    "limits": {"service": 20, "stack": 3},
}
#: Two rounds of everything, so that what was met once is met again.
ROUND: list[dict[str, Any]] = [
    {"tool_name": "shop_list_orders", "arguments": {}},
    {"tool_name": "shop_place_order", "arguments": {"item": "lamp", "idempotency_key": "one"}},
    {"tool_name": "shop_list_orders", "arguments": {}},
    {"tool_name": "shop_get_order", "arguments": {"order_id": "OLD-0"}},
    {"tool_name": "service_health", "arguments": {}},
    {"tool_name": "depot_list_parcels", "arguments": {}},
    {"tool_name": "renew_session", "arguments": {"service": "shop"}},
    {"tool_name": "get_operation", "arguments": {"operation_id": public_operation_id("s1")}},
    {"tool_name": "shop_cancel_order", "arguments": {"order_id": "OLD-1"}},
    {"tool_name": "resume_operation", "arguments": {"operation_id": public_operation_id("s1")}},
    {"tool_name": "wait", "arguments": {"seconds": 300}},
]
ACTIONS = [*ROUND, *ROUND]


async def opened(episodes: Episodes, seed: int, **options: Any) -> Play:
    return await begin(episodes, seed=seed, chaos=EVERYTHING, max_steps=40, **options)


async def played(episodes: Episodes, seed: int, **options: Any) -> Play:
    play = await opened(episodes, seed, **options)
    for action in ACTIONS:
        play.replies.append(await episodes.step(play.id, action))
    return play


def told(reply: Reply) -> Any:
    return reply.observation, reply.reward, reply.metadata["trace_hash"]


def course(play: Play) -> list[Any]:
    return [told(reply) for reply in play.replies]


async def met(episodes: Episodes, play: Play) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return every fault that landed, with its step and place."""
    return [
        (record["step"], fault["fault"], tuple(fault["where"]))
        for record in (await episodes.trace(play.id))[1:]
        for fault in record["faults"]
        if fault["state"] == "landed"
    ]


@pytest.fixture
async def another(toy_stack: ToyStack) -> AsyncIterator[Episodes]:
    """Another process over the same databases, which has seen none of the episodes."""
    async with ready_orchestrator(toy_stack) as opened:
        yield opened


async def test_the_same_actions_meet_the_same_faults_in_any_company(
    episodes: Episodes, another: Episodes
) -> None:
    seeds = [2 * pair for pair in range(4) for _ in range(4)]
    alone = {seed: course(await played(episodes, seed)) for seed in range(0, 8, 2)}

    together = await asyncio.gather(
        *(played((episodes, another)[number % 2], seed) for number, seed in enumerate(seeds))
    )

    assert [course(play) == alone[seed] for play, seed in zip(together, seeds, strict=True)] == [True] * 16


async def test_every_service_fault_lands_on_these_actions(episodes: Episodes) -> None:
    missing = set(SERVICE)
    for pair in range(24):
        missing -= {fault for _, fault, _ in await met(episodes, await played(episodes, 2 * pair))}
        if not missing:
            break

    assert missing == set()


@pytest.mark.parametrize("seed", range(0, 8, 2))
async def test_a_process_that_goes_on_after_another_forgets_nothing(
    episodes: Episodes, another: Episodes, seed: int
) -> None:
    stayed = await played(episodes, seed)
    play = await opened(episodes, seed)

    for number, action in enumerate(ACTIONS):
        play.replies.append(await (episodes, another)[number % 2].step(play.id, action))

    assert course(play) == course(stayed)


@pytest.mark.parametrize(
    ("fault", "faulty", "asking"),
    [
        (
            FaultId.SLOW_ENDPOINT,
            "place_order",
            {"get_operation": {"operation_id": public_operation_id("s2")}},
        ),
        (FaultId.WRONG_CONTENT, "get_order", {"shop_get_order": {"order_id": "ORD-0001"}}),
        (FaultId.STALE_REPLICA, "list_orders", {"shop_list_orders": {}}),
    ],
)
async def test_a_process_that_knows_a_step_from_its_record_tells_of_it_in_the_same_words(
    episodes: Episodes, another: Episodes, fault: FaultId, faulty: str, asking: dict[str, dict[str, Any]]
) -> None:
    setting, texts = one_fault(fault, match={"operation": faulty}), []
    [(tool_name, arguments)] = asking.items()
    for process in (episodes, another):
        play = await begin(episodes, chaos=setting)
        await play.call("shop_list_orders")
        await play.call("shop_place_order", item="lamp")
        await play.call("wait", seconds=3600)
        reply = await process.step(play.id, {"tool_name": tool_name, "arguments": arguments})
        texts.append(reply.observation["text"])

    assert texts[0] == texts[1]


async def test_field_order_does_not_reveal_a_stale_response(episodes: Episodes) -> None:
    play = await begin(episodes, chaos=one_fault(FaultId.WRONG_CONTENT, match={"operation": "get_order"}))
    await play.call("shop_place_order", item="lamp")
    await play.call("wait", seconds=3600)

    old, new = [(await play.call("shop_get_order", order_id="ORD-0001")).observation for _ in range(2)]

    assert old["result"] != new["result"]
    assert list(old["result"]) == list(new["result"])


async def test_a_repeated_step_is_answered_as_the_first_time(episodes: Episodes) -> None:
    play = await opened(episodes, 1)

    for number, action in enumerate(ACTIONS, start=1):
        first = await episodes.step(play.id, action, step=number)
        again = await episodes.step(play.id, action, step=number)
        assert told(first) == told(again)


#: The same attempts at one operation: under keys, with other items, with waiting or other calls between them.
WORDINGS: dict[str, list[dict[str, Any]]] = {
    "plain": [{"item": "lamp"}] * 6,
    "keys": [{"item": "lamp", "idempotency_key": f"try-{number}"} for number in range(6)],
    "items": [{"item": f"thing number {number}"} for number in range(6)],
    "padding": [{"item": "lamp" + " " * number} for number in range(6)],
}


@pytest.mark.parametrize(
    ("wording", "between"),
    [("plain", "wait"), ("plain", "list"), ("keys", None), ("items", "wait"), ("padding", "list")],
)
async def test_rewording_or_detours_do_not_redraw_a_fault(
    episodes: Episodes, wording: str, between: str | None
) -> None:
    setting = one_fault(FaultId.HTTP_5XX, p=0.5, B=3, F=9, match={"operation": "place_order"})
    detours = {"wait": ("wait", {"seconds": 60}), "list": ("shop_list_orders", {})}
    spoilt = {}

    for how, arguments in (("plain", WORDINGS["plain"]), (wording, WORDINGS[wording])):
        for seed in range(0, 8, 2):
            play = await begin(episodes, seed=seed, chaos=setting, max_steps=20)
            errors = []
            for given in arguments:
                errors.append((await play.call("shop_place_order", **given)).observation["error"])
                if between is not None and how == wording:
                    tool_name, other = detours[between]
                    await play.call(tool_name, **other)
            spoilt[how, seed] = errors

    assert [spoilt[wording, seed] for seed in range(0, 8, 2)] == [
        spoilt["plain", seed] for seed in range(0, 8, 2)
    ]


@pytest.mark.parametrize("fault", SERVICE)
async def test_observations_do_not_reveal_service_faults(episodes: Episodes, fault: FaultId) -> None:
    spec = CATALOG[fault]
    setting = one_fault(fault, B=spec.longest_burst, F=spec.most_incidents)
    play = await begin(episodes, chaos=setting, max_steps=40)
    for action in ACTIONS:
        play.replies.append(await episodes.step(play.id, action))

    seen = str([reply.observation for reply in play.replies]).lower()

    assert await met(episodes, play) != []
    assert not [word for word in ("svc.", "evt.", "chaos", "inject", "armed", "incident") if word in seen]


async def test_public_ids_do_not_count_steps(episodes: Episodes) -> None:
    plays = [await played(episodes, seed) for seed in range(8)]
    for play in plays:
        for service in ("depot", "shop"):
            await play.call(f"{service}_list_undelivered")
            await play.call(f"{service}_list_dead_letters")

    seen = str([reply.observation for play in plays for reply in play.replies])

    assert "op-" in seen
    assert re.findall(r"\bs\d+\.[a-z]+\.\d|\bop-\d{1,3}\b", seen) == []


async def test_a_lasting_fault_goes_on_in_a_fork(episodes: Episodes) -> None:
    play = await begin(episodes, chaos=one_fault(FaultId.AUTH_EXPIRY, match={"operation": "place_order"}))
    await play.call("shop_place_order", item="lamp")

    [fork] = await forked(episodes.branches, play.id, 1)
    reply = await episodes.step(fork, {"tool_name": "shop_list_orders", "arguments": {}})

    assert reply.observation["error"]["code"] == "session_expired"


async def test_slept_and_virtual_delays_leave_the_same_trace(episodes: Episodes) -> None:
    setting = one_fault(FaultId.LATENCY, F=3, params={"base_s": 2, "jitter_s": 2})

    plays = []
    for latency in ("virtual", "slept"):
        play = await begin(episodes, chaos=setting, latency=latency, max_steps=40)
        for action in ROUND:
            play.replies.append(await episodes.step(play.id, action))
        plays.append(course(play))

    assert plays[0] == plays[1]
