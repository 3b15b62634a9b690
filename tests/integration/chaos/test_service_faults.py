"""Each service fault by itself: what a call meets, what came of it in truth, and by what it is overcome."""

from typing import Any

import pytest

from companyos.chassis.world.public_ids import public_operation_id
from companyos.sdk.chaos import FaultId
from companyos.sdk.simtime import to_iso
from orchestrator.episodes.facade import Episodes

from ..orchestrator.toy_scenario import START
from ..orchestrator.toy_stack import Play, begin
from .conftest import one_fault

#: The operation that the first call of an episode begins.
FIRST = public_operation_id("s1")


async def meets(episodes: Episodes, fault: FaultId, operation: str, **params: Any) -> Play:
    """Begin an errand in which one operation meets one incident."""
    setting = one_fault(fault, match={"operation": operation}, params=params)
    return await begin(episodes, chaos=setting)


async def code(play: Play, tool_name: str, **arguments: Any) -> str | None:
    """Call, and return the error's code."""
    error = (await play.call(tool_name, **arguments)).observation["error"]
    return None if error is None else str(error["code"])


async def shown(play: Play, tool_name: str, **arguments: Any) -> Any:
    """Call, and return the result."""
    return (await play.call(tool_name, **arguments)).observation["result"]


async def lamps(play: Play) -> int:
    orders = await shown(play, "shop_list_orders")
    return sum(order["item"] == "lamp" for order in orders["items"])


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (500, ("internal_error", None)),
        (502, ("answer_lost", "unknown")),
        (503, ("database_unavailable", None)),
        (504, ("answer_late", "unknown")),
    ],
)
async def test_a_failing_service_does_nothing_and_works_when_called_again(
    episodes: Episodes, status: int, expected: tuple[str, str | None]
) -> None:
    play = await meets(episodes, FaultId.HTTP_5XX, "place_order", status=[status])

    error = (await play.call("shop_place_order", item="lamp")).observation["error"]

    assert (error["code"], error.get("outcome"), error["retryable"]) == (*expected, True)
    assert await lamps(play) == 0
    assert await code(play, "shop_place_order", item="lamp") is None


async def test_too_many_calls_are_taken_again_after_so_many_attempts(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.HTTP_429, "place_order", retry_after_s=180)

    assert await code(play, "shop_place_order", item="lamp") == "rate_limited"
    assert await code(play, "shop_place_order", item="lamp") is None


async def test_a_rate_limit_binds_the_call_that_its_refusal_names_and_no_other(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.HTTP_429, "place_order", retry_after_s=180)

    limited = (await play.call("shop_place_order", item="lamp")).observation["error"]

    assert limited["code"] == "rate_limited"
    assert "does not bind other calls" in limited["message"]
    assert await code(play, "shop_list_orders") is None
    assert await code(play, "wait", seconds=60) is None


async def test_too_many_calls_are_taken_again_once_the_time_has_passed(episodes: Episodes) -> None:
    setting = one_fault(FaultId.HTTP_429, B=3, params={"retry_after_s": 120})
    seeds = [await begin(episodes, seed=2 * pair, chaos=setting) for pair in range(8)]
    told = []

    for play in seeds:
        error = (await play.call("shop_place_order", item="lamp")).observation["error"]
        await play.call("wait", seconds=error["retry_after_s"])
        told.append(await code(play, "shop_place_order", item="lamp"))

    assert told == [None] * 8


@pytest.mark.parametrize(
    ("fault", "params", "was_done"),
    [
        (FaultId.TIMEOUT_BEFORE, {}, False),
        (FaultId.LOST_ACK, {}, True),
        (FaultId.CONN_RESET, {"direction": ["request"]}, False),
        (FaultId.CONN_RESET, {"direction": ["reply"]}, True),
        (FaultId.SLOW_CLOSE, {"after_s": 300}, True),
        (FaultId.TRUNCATED_BODY, {}, True),
    ],
)
async def test_a_change_whose_outcome_is_unknown_is_done_once_under_its_key(
    episodes: Episodes, fault: FaultId, params: dict[str, Any], was_done: bool
) -> None:
    play = await meets(episodes, fault, "place_order", **params)

    lost = await play.call("shop_place_order", item="lamp", idempotency_key="mine")
    done_then = await lamps(play)
    again = await play.call("shop_place_order", item="lamp", idempotency_key="mine")

    assert lost.observation["error"]["outcome"] == "unknown"
    assert (lost.reward, done_then) == ((0.9, 1) if was_done else (-0.1, 0))
    assert again.observation["result"]["id"] == "ORD-0001"
    assert await lamps(play) == 1


async def test_without_a_key_a_lost_answer_makes_two_of_one(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.LOST_ACK, "place_order")

    await play.call("shop_place_order", item="lamp")
    again = await play.call("shop_place_order", item="lamp")

    assert "duplicate:two" in [line["name"] for line in again.metadata["reward_breakdown"]]


async def test_a_slow_answer_takes_its_time_on_the_clock(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.LATENCY, "place_order", base_s=90, jitter_s=0, distribution="fixed")

    slow = await play.call("shop_place_order", item="lamp")

    assert slow.observation["error"] is None
    assert slow.observation["elapsed_s"] == 60 + 90


async def test_a_replica_that_lags_shows_what_was_until_the_call_is_repeated(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.STALE_REPLICA, "list_orders")
    before = await shown(play, "shop_list_orders")
    await play.call("shop_place_order", item="lamp")

    assert await shown(play, "shop_list_orders") == before
    assert await lamps(play) == 1


async def test_wrong_content_shows_the_state_right_after_the_last_write(
    episodes: Episodes,
) -> None:
    play = await meets(episodes, FaultId.WRONG_CONTENT, "get_order")
    placed = await shown(play, "shop_place_order", item="lamp")
    await play.call("wait", seconds=3600)

    old, new = [await shown(play, "shop_get_order", order_id=placed["id"]) for _ in range(2)]

    assert (old["status"], new["status"]) == ("placed", "delivered")


async def test_wrong_content_does_not_apply_to_unchanged_objects(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.WRONG_CONTENT, "list_orders")

    first, second = [await shown(play, "shop_list_orders") for _ in range(2)]

    assert first == second
    assert all(record["faults"] == [] for record in (await episodes.trace(play.id))[1:])


async def test_a_page_that_ends_early_goes_on_at_its_cursor(episodes: Episodes) -> None:
    whole = await shown(await begin(episodes), "shop_list_orders")
    play = await meets(episodes, FaultId.PARTIAL_RESPONSE, "list_orders")

    first = await shown(play, "shop_list_orders")
    rest = await shown(play, "shop_list_orders", cursor=first["next_cursor"])

    assert first["partial"] is True
    assert 0 < len(first["items"]) < len(whole["items"])
    assert [*first["items"], *rest["items"]] == whole["items"]


async def test_an_object_names_what_it_leaves_out_and_shows_it_the_next_time(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.PARTIAL_RESPONSE, "get_order")

    part, whole = [await shown(play, "shop_get_order", order_id="OLD-0") for _ in range(2)]

    assert part.pop("partial") is True
    assert sorted([*part.pop("omitted"), *part]) == sorted(whole)
    assert part.items() < whole.items()


async def test_partial_write_reaches_other_services_when_the_operation_is_resumed(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.PARTIAL_WRITE, "place_order")

    placed = await shown(play, "shop_place_order", item="lamp")
    await play.call("wait", seconds=1800)
    waiting = await shown(play, "depot_list_parcels")
    told = await shown(play, "get_operation", operation_id=FIRST)
    await play.call("resume_operation", operation_id=FIRST)

    assert placed["operation"] == {"id": FIRST, "status": "incomplete"}
    assert (waiting["items"], told["status"]) == ([], "incomplete")
    assert len((await shown(play, "depot_list_parcels"))["items"]) == 1
    assert (await shown(play, "shop_get_order", order_id="ORD-0001"))["parcel"] == "P-ORD-0001"
    assert (await shown(play, "get_operation", operation_id=FIRST))["status"] == "complete"


async def test_an_answer_that_is_no_object_names_its_operation_too(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.PARTIAL_WRITE, "place_pair")

    placed = await shown(play, "shop_place_pair", first="lamp", second="chair")
    await play.call("resume_operation", operation_id=placed["operation"]["id"])

    assert [order["id"] for order in placed["result"]] == ["ORD-0001", "ORD-0002"]
    assert len((await shown(play, "depot_list_parcels"))["items"]) == 2


async def test_accepted_operation_reports_when_it_is_ready(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.SLOW_ENDPOINT, "place_order", after_s=180)

    accepted = await shown(play, "shop_place_order", item="lamp")
    early = await shown(play, "get_operation", operation_id=accepted["operation_id"])
    await play.call("wait", seconds=120)
    late = await shown(play, "get_operation", operation_id=accepted["operation_id"])

    assert "evidence that expires before it completes still counts" in accepted.pop("detail")
    assert accepted == {"status": "accepted", "operation_id": FIRST}
    assert (early["status"], early["ready_at"]) == ("running", to_iso(START + 60 + 180))
    assert (late["status"], late["result"]["id"]) == ("succeeded", "ORD-0001")


async def test_a_refusal_is_told_when_the_operation_is_ready_too(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.SLOW_ENDPOINT, "cancel_order", after_s=60)

    await play.call("shop_cancel_order", order_id="ORD-0404")
    told = await shown(play, "get_operation", operation_id=FIRST)

    assert (told["status"], told["error"]["code"]) == ("failed", "order_unknown")


async def test_a_service_that_takes_no_changes_still_shows_what_it_has(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.READ_ONLY, "place_order", window_s=600)

    told = (await play.call("shop_place_order", item="lamp")).observation["error"]
    other = await code(play, "shop_cancel_order", order_id="OLD-0")
    health = await shown(play, "service_health", service="shop")

    assert (told["code"], told["retry_after_s"], other) == ("read_only", 600, "read_only")
    assert await lamps(play) == 0
    assert health["services"][0]["status"] == "read_only"
    await play.call("wait", until=health["services"][0]["until"])
    assert await code(play, "shop_place_order", item="lamp") is None


async def test_a_service_that_restarts_refuses_every_call_for_a_while(episodes: Episodes) -> None:
    setting = one_fault(FaultId.RESTART, B=3, match={"operation": "place_order"})
    refusals = []

    for pair in range(12):
        play = await begin(episodes, seed=2 * pair, chaos=setting)
        codes = [await code(play, "shop_place_order", item="lamp")]
        codes += [await code(play, "shop_list_orders") for _ in range(3)]
        refusals.append(codes.index(None))
        assert set(codes[: refusals[-1]]) == {"connection_refused"}

    assert set(refusals) == {1, 2, 3}


async def test_an_expired_session_is_renewed_and_by_nothing_else(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.AUTH_EXPIRY, "place_order")

    before = [
        await code(play, "shop_place_order", item="lamp"),
        await code(play, "shop_list_orders"),
        await code(play, "wait", seconds=3600),
        await code(play, "renew_session", service="depot"),
        await code(play, "shop_place_order", item="lamp"),
    ]
    await play.call("renew_session", service="shop")

    assert before == ["session_expired", "session_expired", None, None, "session_expired"]
    assert await code(play, "shop_place_order", item="lamp") is None


async def test_a_brown_out_spares_the_other_operations_and_names_another_way(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.BROWNOUT, "get_order", window_s=1800)

    first = await code(play, "shop_get_order", order_id="OLD-0")
    health = await shown(play, "service_health", service="shop")
    another = await code(play, "shop_get_order", order_id="OLD-1")

    assert (first, another) == ("operation_unavailable", "operation_unavailable")
    [operation] = health["services"][0]["operations"]
    assert health["services"][0]["status"] == "degraded"
    assert (operation["operation"], operation["instead"]) == ("shop_get_order", "shop_list_orders")
    assert await code(play, "shop_list_orders") is None
    await play.call("wait", until=operation["until"])
    assert await code(play, "shop_get_order", order_id="OLD-0") is None


async def test_brownout_spares_operations_without_an_alternative(episodes: Episodes) -> None:
    play = await meets(episodes, FaultId.BROWNOUT, "list_orders")

    assert await code(play, "shop_list_orders") is None
