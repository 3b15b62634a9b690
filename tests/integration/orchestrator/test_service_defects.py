"""A service that fails on one input is no outage: the call is refused, the step counts, and the episode goes on."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from orchestrator.episodes.facade import Episodes

from . import toy_depot, toy_shop
from .agent_client import agent_of, begun, id_of, rpc, token_of
from .altering_proxy import AlteringProxy, behind_altering_proxy, problem
from .test_outages import orders, refused
from .toy_stack import Play, ToyStack, begin

CURSED = "cursed"


@pytest.fixture
def cursed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shop that fails on the orders of one item."""
    place = toy_shop.place

    async def fail_on_cursed(item: str, unit: Any) -> Any:
        placed = await place(item, unit)
        if item == CURSED:
            raise ZeroDivisionError("cursed")
        return placed

    monkeypatch.setattr(toy_shop, "place", fail_on_cursed)


def defects(episodes: Episodes, service: str) -> float:
    value = episodes._components.metrics.registry.get_sample_value(
        "companyos_service_defects_total", {"service": service}
    )
    return value or 0.0


@pytest.mark.usefixtures("cursed")
async def test_a_call_on_which_a_service_fails_is_refused_and_the_episode_goes_on(episodes: Episodes) -> None:
    play = await begin(episodes)

    reply = await play.call("shop_place_order", item=CURSED)

    error = reply.observation["error"]
    assert (error["error_type"], error["code"], error["retryable"]) == (
        "execution_error",
        "service_error",
        False,
    )
    assert reply.observation["text"].startswith("Refused (service_error)")
    assert (reply.reward, reply.done, reply.metadata["invalid"]) == (-0.1, False, False)
    assert reply.observation["step"] == 1
    assert (await play.call("shop_place_order", item="lamp")).reward == 0.9
    assert await orders(play) == ["lamp"]


@pytest.mark.usefixtures("cursed")
async def test_a_defect_is_counted_logged_with_its_input_and_shown_to_the_trainer_only(
    episodes: Episodes,
) -> None:
    play, before = await begin(episodes), defects(episodes, "shop")

    with capture_logs() as logs:
        reply = await play.call("shop_place_order", item=CURSED)

    assert defects(episodes, "shop") == before + 1
    [told] = [line for line in logs if line["event"] == "service_defect"]
    assert (told["log_level"], told["service"], told["step"], told["episode"]) == (
        "error",
        "shop",
        1,
        play.id,
    )
    assert told["action"]["arguments"] == {"item": CURSED}
    shown = [{"service": "shop", "reason": "status 500"}]
    assert reply.metadata["defects"] == shown
    [_, record] = await episodes.trace(play.id)
    assert (record["defects"], record["outcome"], record["changes"]) == (shown, "failed", [])
    assert "500" not in str(reply.observation)


@pytest.mark.usefixtures("cursed")
async def test_the_same_defect_gives_the_same_trace(episodes: Episodes) -> None:
    first, second = await begin(episodes), await begin(episodes)

    hashes = [
        [(await play.call("shop_place_order", item=item)).metadata["trace_hash"] for item in (CURSED, "lamp")]
        for play in (first, second)
    ]

    assert hashes[0] == hashes[1]


async def test_a_reading_call_on_which_a_service_fails_is_refused_too(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(order_id: str, unit: Any) -> Any:
        raise RecursionError(order_id)

    play = await begin(episodes)
    await play.call("shop_list_orders")
    monkeypatch.setattr(toy_shop, "load", fail)

    reply = await play.call("shop_get_order", order_id="OLD-0")

    assert reply.observation["error"]["code"] == "service_error"
    assert reply.metadata["invalid"] is False


@pytest.mark.usefixtures("cursed")
async def test_an_agent_gets_the_refusal_over_rest_and_mcp_without_details(episodes: Episodes) -> None:
    reply = await begun(episodes)
    async with agent_of(episodes, token_of(reply)) as agent:
        answer = await agent.post("/shop/orders", json={"item": CURSED})
        result = await rpc(agent, "tools/call", name="shop_place_order", arguments={"item": CURSED})
        placed = await agent.post("/shop/orders", json={"item": "lamp"})

    assert (answer.status_code, answer.json()["type"]) == (422, "service_error")
    assert result["result"]["structuredContent"]["error"]["code"] == "service_error"
    assert placed.status_code == 201
    for text in (answer.text, str(result)):
        assert "ZeroDivision" not in text
        assert "500" not in text


@pytest.fixture(scope="module")
async def patient(toy_stack: ToyStack) -> AsyncIterator[tuple[Episodes, AlteringProxy]]:
    """An orchestrator that reaches the shop through a proxy, and waits long for it."""
    async with behind_altering_proxy(toy_stack, patience_s=30.0) as reached:
        yield reached


async def test_a_failure_that_passes_is_not_noticed(patient: tuple[Episodes, Any]) -> None:
    episodes, proxy = patient
    play = await begin(episodes)
    proxy.answer, proxy.answered = problem(500, type="internal_error", detail="It failed."), 0
    original = episodes._components.gateway.is_ready

    async def heal(service: str) -> bool:
        proxy.answer = None
        return await original(service)

    episodes._components.gateway.is_ready = heal  # type: ignore[method-assign]
    try:
        reply = await play.call("shop_place_order", item="lamp")
    finally:
        episodes._components.gateway.is_ready = original  # type: ignore[method-assign]

    assert (reply.reward, proxy.answered) == (0.9, 1)
    assert "defects" not in reply.metadata


async def test_a_service_that_fails_and_is_not_ready_is_an_outage(
    patient: tuple[Episodes, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    episodes, proxy = patient
    play = await begin(episodes)

    async def unready(_service: str) -> bool:
        return False

    monkeypatch.setattr(episodes._components.gateway, "is_ready", unready)
    proxy.answer = problem(500, type="internal_error", detail="It failed.")
    for _ in range(4):
        told = await refused(play, "shop_place_order", item="lamp")
        assert (told.status, told.code, told.retryable) == (503, "service_unavailable", True)

    proxy.answer = None
    assert (await play.call("shop_place_order", item="lamp")).reward == 0.9


async def test_a_call_that_was_carried_out_before_the_service_failed_is_graded(
    patient: tuple[Episodes, Any],
) -> None:
    episodes, proxy = patient
    play = await begin(episodes)
    proxy.answer, proxy.passes_on = problem(500, type="internal_error", detail="It failed."), True

    reply = await play.call("shop_place_order", item="lamp")
    proxy.answer, proxy.passes_on = None, False

    assert reply.observation["error"]["code"] == "service_error"
    assert "carried out" in reply.observation["error"]["message"]
    assert reply.reward == 0.9
    assert await orders(play) == ["lamp"]


async def test_due_work_on_which_a_service_fails_ends_the_episode_at_once_and_names_it(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_due: Any, _unit: Any) -> None:
        raise ZeroDivisionError("due")

    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    due, _ = toy_shop.reactions._due["deliver"]
    monkeypatch.setitem(toy_shop.reactions._due, "deliver", (due, fail))
    before = defects(episodes, "shop")

    reply = await play.call("wait", seconds=7200)

    assert (reply.done, reply.metadata["invalid"]) == (True, True)
    assert reply.metadata["invalid_reason"] == "service_error: shop: status 500"
    assert "shop" not in reply.observation["text"]
    assert defects(episodes, "shop") == before + 1


async def test_an_event_on_which_a_consumer_fails_ends_the_episode_at_once_and_names_it(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_event: Any, _unit: Any) -> None:
        raise ZeroDivisionError("packed")

    view, _ = toy_depot.reactions._events["order.placed"]
    monkeypatch.setitem(toy_depot.reactions._events, "order.placed", (view, [fail]))
    play = await begin(episodes)

    reply = await play.call("shop_place_order", item="lamp")

    assert (reply.done, reply.metadata["invalid"]) == (True, True)
    reason = "service_error: depot: fails on event s1.shop.1: ZeroDivisionError"
    assert reply.metadata["invalid_reason"] == reason
    assert (await episodes.episode(play.id))["invalid_reason"] == reason


async def test_an_event_on_which_a_consumer_fails_once_is_applied(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, reactions = toy_depot.reactions._events["order.placed"]
    failures = iter([ZeroDivisionError("once")])

    async def fail_once(event: Any, unit: Any) -> None:
        if (failure := next(failures, None)) is not None:
            raise failure
        await reactions[0](event, unit)

    monkeypatch.setitem(toy_depot.reactions._events, "order.placed", (view, [fail_once]))
    play = await begin(episodes)

    reply = await play.call("shop_place_order", item="lamp")

    assert reply.reward == 0.9
    [_, record] = await episodes.trace(play.id)
    assert [event["id"] for event in record["events"]] == ["s1.shop.1", "s1.shop.1.depot.1"]


async def test_a_step_in_which_the_orchestrator_itself_fails_is_not_left_open(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise ZeroDivisionError("in the pipeline")

    play = await begin(episodes)
    monkeypatch.setattr("orchestrator.step.playing.carry_out_intent", fail)

    reply = await play.call("shop_place_order", item="lamp")

    assert reply.metadata["invalid_reason"].startswith("orchestrator_error: orchestrator: ZeroDivisionError")
    assert "ZeroDivision" not in str(reply.observation)


async def test_why_a_grader_failed_is_for_the_trainer_only(episodes: Episodes) -> None:
    play = Play(episodes, [await begun(episodes, scenario="riddle")])

    reply = await play.call("shop_place_order", item="lamp")

    assert "an orderless shop was expected" in reply.metadata["invalid_reason"]
    assert "orderless" not in str(reply.observation)
    assert "grader" not in str(reply.observation)
    assert "orderless" not in (await refused(play, "shop_list_orders")).detail
    assert "orderless" in (await episodes.grade(play.id))["invalid_reason"]
    assert (await episodes.episode(id_of(reply)))["invalid_reason"].startswith("grader_failed")
