"""An episode from reset to finish: the clock, the reactions, the ledger, the grade."""

from typing import Any

import pytest

from companyos.sdk.simtime import to_iso
from orchestrator.agent.agent_schemas import shared_text
from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions

from .toy_scenario import START
from .toy_stack import begin, solve


async def test_the_first_observation_has_the_brief_and_the_tools(episodes: Episodes) -> None:
    reply = (await begin(episodes, color="red")).last

    assert reply.reward == 0.0
    assert reply.done is False
    brief, ending, shared = reply.observation["text"].split("\n\n", 2)
    assert brief == "Order a lamp, wait until it is delivered, and finish."
    assert "`finish`" in ending
    assert "`refuse`" in ending
    assert shared == shared_text(tool["input_schema"] for tool in reply.observation["tools"])
    assert reply.observation["sim_now"] == to_iso(START)
    assert (reply.observation["step"], reply.observation["steps_remaining"]) == (0, 10)
    names = [tool["name"] for tool in reply.observation["tools"]]
    assert names[0] == "shop_approve_order"
    assert names[-2:] == ["finish", "refuse"]
    assert reply.metadata["ignored"] == ["color"]
    assert reply.metadata["scenario"] == "errand"


async def test_an_agent_without_exits_reads_of_none_and_ends_with_its_last_step(episodes: Episodes) -> None:
    play = await begin(episodes, tools=["shop_place_order", "refuse"], max_steps=1)
    drill = await begin(episodes, tools=["shop_place_order"], max_steps=1)
    await drill.call("shop_place_order", item="lamp")

    assert "`refuse`" in play.last.observation["text"]
    assert "This ends the task." in play.last.observation["text"]
    assert not {"`finish`", "`refuse`"} & set(drill.replies[0].observation["text"].split())
    assert drill.last.done
    assert drill.last.metadata["truncated"] is True


async def test_a_task_that_is_done_succeeds_and_the_ledger_adds_up(episodes: Episodes) -> None:
    play = await solve(await begin(episodes))

    assert [reply.reward for reply in play.replies] == [0.0, 0.9, 1.9, 14.9]
    assert play.last.done
    assert play.last.metadata["success"] is True
    assert play.last.metadata["terminated"] is True
    assert play.last.metadata["episode_return"] == 17.7
    grade = await episodes.grade(play.id)
    assert grade["success"] is True
    assert [must["holds"] for must in grade["musts"]] == [True]
    assert grade["musts"][0]["rows"] == ["shop/orders/ORD-0001"]
    assert round(sum(line["amount"] for line in grade["ledger"]), 2) == 17.7


async def test_events_due_during_a_wait_happen_at_their_instant(episodes: Episodes) -> None:
    play = await begin(episodes)
    placed = await play.call("shop_place_order", item="lamp")
    waited = await play.call("wait", until=to_iso(START + 60 + 4000))

    assert placed.observation["sim_now"] == to_iso(START + 60)
    assert waited.observation["sim_now"] == to_iso(START + 60 + 4000)
    assert waited.observation["elapsed_s"] == 4000
    [_, _, record] = await episodes.trace(play.id)
    due = START + 60 + 3600
    assert [event["id"] for event in record["events"]] == [f"s2.t{due}.shop.1"]
    assert [(c["table"], c["causes"]) for c in record["changes"]] == [
        ("parcels", [f"s2.t{due}.shop.1"]),
        ("orders", [f"s2.t{due}"]),
    ]


async def test_a_step_ends_when_everything_it_set_off_has_ended(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")

    read = await play.call("shop_get_order", order_id="ORD-0001")

    assert read.observation["result"]["parcel"] == "P-ORD-0001"
    [_, record, _] = await episodes.trace(play.id)
    assert [event["id"] for event in record["events"]] == ["s1.shop.1", "s1.shop.1.depot.1"]


async def test_rows_that_concurrent_reactions_both_wrote_are_recorded_as_they_ended(
    episodes: Episodes,
) -> None:
    play = await begin(episodes)
    await play.call("shop_place_pair", first="lamp", second="table")

    [_, record] = await episodes.trace(play.id)
    tally = next(change for change in record["changes"] if change["table"] == "tally")
    assert tally["row"]["orders"] == ["ORD-0001", "ORD-0002"]
    assert tally["causes"] == ["s1.shop.1", "s1.shop.2"]


@pytest.mark.parametrize(
    ("tool_name", "arguments", "error_type", "code", "reward"),
    [
        ("shop_steal", {}, "tool_not_found", "tool_not_found", -1.1),
        ("shop_get_order", {"order_id": 5}, "invalid_args", "invalid_arguments", -0.6),
        ("shop_place_order", {"item": ""}, "invalid_args", "invalid_arguments", -0.6),
        ("shop_place_order", {"item": "x" * 201}, "invalid_args", "invalid_arguments", -0.6),
        ("shop_place_order", {"item": "lamp", "free": True}, "invalid_args", "invalid_arguments", -0.6),
        ("wait", {}, "invalid_args", "invalid_arguments", -0.6),
        ("shop_get_order", {"order_id": "ORD-9"}, "execution_error", "order_unknown", -0.4),
        ("shop_approve_order", {"order_id": "ORD-9"}, "execution_error", "separation_of_duties", -5.1),
    ],
)
async def test_each_mistake_is_an_observation_at_its_price(
    episodes: Episodes,
    tool_name: str,
    arguments: dict[str, Any],
    error_type: str,
    code: str,
    reward: float,
) -> None:
    play = await begin(episodes)

    reply = await play.call(tool_name, **arguments)

    error = reply.observation["error"]
    assert (error["error_type"], error["code"], reply.reward) == (error_type, code, reward)
    assert reply.observation["step"] == 1
    assert reply.done is False


async def test_a_mistake_that_reached_no_service_takes_no_time(episodes: Episodes) -> None:
    play = await begin(episodes)

    unknown = await play.call("shop_steal")
    refused = await play.call("shop_get_order", order_id="ORD-9")

    assert (unknown.observation["elapsed_s"], refused.observation["elapsed_s"]) == (0, 60)


async def test_a_spent_budget_truncates(episodes: Episodes) -> None:
    play = await begin(episodes, max_steps=2)
    await play.call("shop_list_orders")

    reply = await play.call("shop_list_orders")

    assert (reply.reward, reply.done) == (-5.1, True)
    assert reply.metadata["truncated"] is True
    assert reply.metadata["terminated"] is False
    assert reply.metadata["success"] is False
    assert reply.observation["steps_remaining"] == 0


async def test_a_refusal_is_right_where_the_task_cannot_be_done(episodes: Episodes) -> None:
    impossible, possible = await begin(episodes, seed=1), await begin(episodes, seed=0)

    right = await impossible.call("refuse", reason_code="no_assistant", explanation="Nobody is there.")
    wrong = await possible.call("refuse", reason_code="no_assistant")

    assert (right.reward, right.metadata["success"]) == (14.9, True)
    assert (wrong.reward, wrong.metadata["success"]) == (-2.1, False)


async def test_a_duplicate_and_what_no_allowance_explains_cost_success(episodes: Episodes) -> None:
    twice, aside = await begin(episodes), await begin(episodes)

    await twice.call("shop_place_order", item="lamp")
    again = await twice.call("shop_place_order", item="lamp")
    await aside.call("shop_rename_order", order_id="OLD-0", item="stool")
    await solve(twice)
    await solve(aside)

    assert "duplicate:two" in [line["name"] for line in again.metadata["reward_breakdown"]]
    assert again.reward == -4.1
    assert twice.last.metadata["success"] is False
    assert aside.last.metadata["success"] is False
    assert (await episodes.grade(aside.id))["collateral"] == ["shop/orders/OLD-0 (item)"]
    assert (await episodes.grade(twice.id))["duplicates"] == ["two"]


async def test_injected_failures_are_bounded_and_cost_the_step_only(episodes: Episodes) -> None:
    play = await begin(episodes, chaos={"faults": {"svc.restart": {"p": 1, "F": 1}}})

    failed = await play.call("shop_place_order", item="lamp")
    retried = await play.call("shop_place_order", item="lamp")

    assert failed.observation["error"] == {
        "error_type": "transport_error",
        "code": "connection_refused",
        "message": "shop refused the connection; nothing was done. Call again.",
        "retryable": True,
    }
    assert failed.reward == -0.1
    assert retried.observation["result"]["id"] == "ORD-0001"
    [_, record, _] = await episodes.trace(play.id)
    assert record["faults"] == [
        {
            "fault": "svc.restart",
            "where": ["shop", "place_order", ""],
            "attempt": 0,
            "state": "landed",
            "lasts": {"left": 0},
        }
    ]


async def test_the_agents_own_idempotency_key_does_a_thing_once(episodes: Episodes) -> None:
    play = await begin(episodes)

    first = await play.call("shop_place_order", item="lamp", idempotency_key="mine")
    again = await play.call("shop_place_order", item="lamp", idempotency_key="mine")

    assert first.observation["result"] == again.observation["result"]
    listed = await play.call("shop_list_orders")
    assert [o["item"] for o in listed.observation["result"]["items"]].count("lamp") == 1


async def test_episode_whose_grading_crashes_is_invalid_and_unrewarded(episodes: Episodes) -> None:
    play = await begin(episodes, scenario="riddle")

    reply = await play.call("shop_place_order", item="lamp")

    assert (reply.reward, reply.done) == (0.0, True)
    assert reply.metadata["invalid"] is True
    assert "ZeroDivisionError" in reply.metadata["invalid_reason"]
    assert reply.metadata["success"] is None
    assert (await episodes.episode(play.id))["invalid"] is True


async def test_reset_refuses_what_it_cannot_do(episodes: Episodes) -> None:
    for options, status, code in (
        ({"scenario": "holiday"}, 404, "scenario_unknown"),
        ({"chaos": 9}, 422, "invalid_chaos"),
        ({"chaos": "mild"}, 422, "invalid_chaos"),
    ):
        with pytest.raises(Refusal) as refused:
            await episodes.reset(ResetOptions.model_validate(options))
        assert (refused.value.status, refused.value.code) == (status, code)


async def test_the_company_is_shown_without_what_no_tool_shows(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")

    company = await episodes.company(play.id)

    shop = company["services"][0]
    orders = next(table for table in shop["tables"] if table["name"] == "orders")
    assert (shop["name"], shop["title"], orders["total"]) == ("shop", "Shop", len(orders["rows"]))
    assert orders["rows"][0] == {
        "id": "ORD-0001",
        "item": "lamp",
        "status": "placed",
        "parcel": "P-ORD-0001",
        "changed": True,
    }
    assert company["steps"][0]["tool_name"] == "shop_place_order"
    assert "the-hidden-answer" not in str(company)
