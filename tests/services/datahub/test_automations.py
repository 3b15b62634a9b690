"""Automations of DataHub run on its own events and changed rows, in their order, in time, and once."""

from pathlib import Path
from typing import Any

import pytest

from companyos.sdk.automations import given
from companyos.sdk.simtime import DAY, HOUR
from services.datahub.app import create_app
from tests.live_services import Desk, World, databases_in, running

from .company import NOW, person, source
from .test_assets import asset

Row = dict[str, Any]

ANA, BEN = "ana.lopez", "ben.okafor"
HELD = {"count": "assets", "where": {"holder": "$holder", "asset_class": "A"}}


def rule(number: int, **changes: Any) -> Row:
    """Whoever is given an asset of class A and has more than one loses a level."""
    row = {
        "id": f"AUT-{number}",
        "name": "Class A",
        "description": "Too many assets of class A cost a level.",
        "number": number,
        "trigger": "asset.assigned",
        "when": [given(HELD, "gt", 1)],
        "do": {"action": "change_clearance", "with": {"person": "$holder", "by": -1}},
    }
    return {**row, **changes}


async def company(datahub: Desk, *rules: Row, like: World | None = None, **tables: list[Row]) -> World:
    """Ana holds one asset of class A and is cleared to level 3; two more are in the pool."""
    rows = {
        "people": [person(ANA), person(BEN)],
        "assets": [asset(1, ANA), asset(2), asset(3)],
        "clearances": [{"id": ANA, "level": 3}, {"id": BEN, "level": 1}],
        "automations": list(rules),
    }
    return await datahub.world({**rows, **tables}, now=NOW, like=like)


async def assigned(world: World, number: int = 2, to: str = ANA) -> Row:
    """Assign an asset, wait for the automations, and return the clearances."""
    effects = await world.effects("POST", f"/assets/AST-{number}/assign", json={"person_id": to})
    for event in effects["events"]:
        if event["name"] == "datahub.triggered":
            await world.applied(event["id"])
    return {key: row["level"] for key, row in (await world.rows("clearances")).items()}


async def test_companies_in_the_same_layer_of_two_databases_keep_their_own_rules(
    datahub: Desk, tmp_path: Path
) -> None:
    ruled = await company(datahub, rule(1))
    with databases_in(tmp_path) as databases:
        async with running(create_app, databases) as elsewhere:
            free = await company(elsewhere, like=ruled)

            levels = [await assigned(free), await assigned(ruled)]

    assert levels == [{ANA: 3, BEN: 1}, {ANA: 2, BEN: 1}]


async def test_a_rule_runs_after_the_call_under_a_cause_of_its_own(datahub: Desk) -> None:
    world = await company(datahub, rule(1))

    effects = await world.effects("POST", "/assets/AST-2/assign", json={"person_id": ANA})

    assert {change["table"] for change in effects["changes"]} == {"assets", "changes"}
    triggered = effects["events"][-1]
    followed = await world.applied(triggered["id"])
    assert triggered["name"] == "datahub.triggered"
    assert followed["events"][0] == {"id": f"{triggered['id']}.datahub.1", "name": "clearance.changed"}
    [lowered] = [change["row"] for change in followed["changes"] if change["table"] == "clearances"]
    assert lowered["level"] == 2
    [noted] = [change["row"] for change in followed["changes"] if change["table"] == "changes"]
    assert (noted["actor"], noted["action"]) == ("AUT-1", "lowered")


async def test_a_rule_whose_conditions_do_not_hold_does_nothing(datahub: Desk) -> None:
    world = await company(datahub, rule(1, when=[given(HELD, "gt", 2)]))

    assert await assigned(world) == {ANA: 3, BEN: 1}
    assert await world.rows("automation_runs") == {}


async def test_a_company_without_rules_on_it_records_no_event_more(datahub: Desk) -> None:
    world = await company(datahub, rule(1, trigger="asset.returned"))

    effects = await world.effects("POST", "/assets/AST-2/assign", json={"person_id": ANA})

    assert [event["name"] for event in effects["events"]] == ["asset.assigned"]


async def test_rules_on_one_trigger_run_in_their_order(datahub: Desk) -> None:
    up = {"action": "change_clearance", "with": {"person": "$holder", "by": 5}}
    level = {"first": "clearances", "where": {"id": "$holder"}, "column": "level"}
    raised = rule(2, do=up, when=[given(level, "lt", 3)])

    lowered_first = await assigned(await company(datahub, rule(1), raised))
    raised_first = await assigned(await company(datahub, rule(3), raised))

    assert (lowered_first[ANA], raised_first[ANA]) == (5, 2)


async def test_a_changed_row_starts_rules_which_see_what_it_was(datahub: Desk) -> None:
    was = {"count": "assets", "where": {"holder": "$was_holder", "asset_class": "A"}}
    last = rule(
        1,
        trigger="assets",
        when=[given("$changed", "has", "holder"), given("$was_holder", "ne", None), given(was, "lt", 1)],
        do={"action": "change_clearance", "with": {"person": "$was_holder", "by": -1}},
    )
    world = await company(datahub, last)

    assert await assigned(world, 2, BEN) == {ANA: 3, BEN: 1}
    assert await assigned(world, 1, BEN) == {ANA: 2, BEN: 1}


async def test_rules_chain_within_the_service(datahub: Desk) -> None:
    back = rule(
        1,
        trigger="clearance.changed",
        when=[given("$level", "lt", "$before")],
        do={"action": "set_record_status", "with": {"record": "$person_id", "status": "inactive"}},
    )
    record = {"id": ANA, "kind": "badge", "name": "Badge of Ana", "status": "active"}
    world = await company(datahub, rule(1), {**back, "id": "AUT-9"}, records=[record])

    effects = await world.effects("POST", "/assets/AST-2/assign", json={"person_id": ANA})
    first = await world.applied(effects["events"][-1]["id"])
    await world.applied(first["events"][-1]["id"])

    assert (await world.rows("records"))[ANA]["status"] == "inactive"


@pytest.mark.parametrize(
    ("columns", "level"),
    [
        ({"paused": True}, 3),
        ({"active_from": NOW + HOUR}, 3),
        ({"active_until": NOW}, 3),
        ({"active_from": NOW, "active_until": NOW + HOUR}, 2),
    ],
)
async def test_a_rule_runs_only_while_it_is_active(datahub: Desk, columns: Row, level: int) -> None:
    world = await company(datahub, rule(1, **columns))

    assert (await assigned(world))[ANA] == level


async def test_an_announced_change_takes_effect_when_it_is_due(datahub: Desk) -> None:
    coming = {
        "id": "AC-1",
        "automation_id": "AUT-1",
        "at": NOW + DAY,
        "changes": {"paused": False},
        "notice": "It resumes.",
    }
    world = await company(datahub, rule(1, paused=True), automation_changes=[coming])
    [listed] = (await world.get("/automations")).json()["items"]

    await world.advance(DAY)

    assert (listed["paused"], listed["announced"][0]["notice"]) == (True, "It resumes.")
    assert (await assigned(world))[ANA] == 2
    [resumed] = (await world.get("/automations")).json()["items"]
    assert (resumed["paused"], resumed["announced"], resumed["version"]) == (False, [], 2)


async def test_a_limit_taken_from_a_metric_is_that_of_its_source(datahub: Desk) -> None:
    live = rule(1, when=[given(HELD, "gt", {"value": "live_metric", "of": "MET-0104"})])
    strict = await company(datahub, live, sources=[source(values=[1.0])])
    lenient = await company(datahub, live, sources=[source(values=[2.0])])

    assert ((await assigned(strict))[ANA], (await assigned(lenient))[ANA]) == (2, 3)


async def test_a_rule_may_not_do_what_nobody_may(datahub: Desk) -> None:
    back = {"action": "return_asset", "with": {"asset": "AST-3"}}
    world = await company(datahub, rule(1, do=back), rule(2))

    assert (await assigned(world))[ANA] == 2


async def test_only_registered_rules_are_listed_page_by_page(datahub: Desk) -> None:
    world = await company(datahub, rule(1), rule(2, listed=False), rule(3, trigger="asset.returned"))

    first = (await world.get("/automations", params={"limit": 1})).json()
    of_trigger = (await world.get("/automations", params={"trigger": "asset.returned"})).json()

    assert (first["total"], [one["id"] for one in first["items"]]) == (2, ["AUT-1"])
    assert [one["id"] for one in of_trigger["items"]] == ["AUT-3"]


async def test_a_chain_that_nobody_proved_is_cut_off(datahub: Desk) -> None:
    endless = rule(
        1,
        trigger="clearance.changed",
        when=[],
        do={"action": "change_clearance", "with": {"person": BEN, "by": 1}},
    )
    back = rule(
        2, trigger="clearance.changed", when=[], do={**endless["do"], "with": {"person": BEN, "by": -1}}
    )
    world = await company(datahub, rule(3), endless, {**back, "id": "AUT-8"})

    effects = await world.effects("POST", "/assets/AST-2/assign", json={"person_id": ANA})
    events, runs = effects["events"], 0
    while events := [event for event in events if event["name"] == "datahub.triggered"]:
        events, runs = (await world.applied(events[0]["id"]))["events"], runs + 1

    assert 4 < runs < 20


async def test_change_outside_every_rule_records_no_additional_event(datahub: Desk) -> None:
    others = [rule(number, when=[given("$asset_class", "eq", "B")]) for number in range(1, 61)]
    world = await company(datahub, *others)

    effects = await world.effects("POST", "/assets/AST-2/assign", json={"person_id": ANA})

    assert [event["name"] for event in effects["events"]] == ["asset.assigned"]


async def test_conditions_change_by_announcement(datahub: Desk) -> None:
    coming = {
        "id": "AC-1",
        "automation_id": "AUT-1",
        "at": NOW + DAY,
        "changes": {"when": []},
        "notice": "It applies to every class.",
    }
    other = rule(1, when=[given("$asset_class", "eq", "B")])
    world = await company(datahub, other, automation_changes=[coming])

    before = (await assigned(world, 2))[ANA]
    await world.advance(DAY)

    assert (before, (await assigned(world, 3))[ANA]) == (3, 2)
