"""The orchestrator's own tools tell the truth where nothing is the matter, and refuse what there is not."""

from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes

from ..orchestrator.toy_stack import begin

OWN = ("get_operation", "resume_operation", "renew_session", "service_health")


async def test_without_faults_every_service_works_as_usual(episodes: Episodes) -> None:
    play = await begin(episodes)

    told = (await play.call("service_health")).observation["result"]
    renewed = (await play.call("renew_session", service="shop")).observation["result"]

    usual = {"status": "ok", "session": "valid", "operations": []}
    assert told == {"services": [{"service": name, **usual} for name in ("shop", "depot")]}
    assert renewed == {"service": "shop", "session": "valid"}


@pytest.mark.parametrize(
    ("tool_name", "arguments", "code"),
    [
        ("get_operation", {"operation_id": "op-1"}, "operation_unknown"),
        ("resume_operation", {"operation_id": "op-1"}, "operation_unknown"),
        ("renew_session", {"service": "bakery"}, "service_unknown"),
        ("service_health", {"service": "bakery"}, "service_unknown"),
        ("renew_session", {}, "invalid_arguments"),
        ("get_operation", {"operation_id": 7}, "invalid_arguments"),
    ],
)
async def test_recovery_tools_refuse_unknown_ids_and_invalid_arguments(
    episodes: Episodes, tool_name: str, arguments: dict[str, Any], code: str
) -> None:
    play = await begin(episodes)

    error = (await play.call(tool_name, **arguments)).observation["error"]

    assert (error["code"], error["retryable"]) == (code, False)


@pytest.mark.parametrize("tool_name", OWN)
async def test_they_take_a_minute_as_any_call_does(episodes: Episodes, tool_name: str) -> None:
    play = await begin(episodes)
    arguments = {
        "get_operation": "operation_id",
        "resume_operation": "operation_id",
        "renew_session": "service",
    }

    seen = await play.call(tool_name, **({arguments[tool_name]: "shop"} if tool_name in arguments else {}))

    assert seen.observation["elapsed_s"] == 60


async def test_calls_meet_no_fault_without_chaos(episodes: Episodes) -> None:
    play = await begin(episodes)
    for name in ("shop_list_orders", "service_health", "depot_list_parcels"):
        await play.call(name)

    records = (await episodes.trace(play.id))[1:]

    assert [record["faults"] for record in records] == [[]] * 3
