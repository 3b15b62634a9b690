"""Instances: what differs within a pair, what the agent is told, and the plan that solves one but not the other."""

from functools import cache

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Instance, call
from companyos.sdk.simtime import to_iso
from scenarios.constrained_change.change import CEILINGS, FOUR, THREE
from scenarios.constrained_change.documents import ARRANGEMENTS, ON_CALL, TITLE
from scenarios.constrained_change.reading import ALL_OR_NOTHING
from scenarios.constrained_change.scenario import SCENARIO, _call
from scenarios.constrained_change.simulation import Act

from ..conftest import SALT

SEEDS = range(14)


@cache
def made(seed: int, size: str = "small", level: int = 0) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(level), SALT, size)


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_only_the_source_of_the_ceiling_differs_within_a_pair(seed: int) -> None:
    one, other = made(seed), made(seed + 1)

    differing = [
        (service, table, row["id"])
        for service, tables in one.rows.items()
        for table, rows in tables.items()
        for row, twin in zip(rows, other.rows[service][table], strict=True)
        if row != twin
    ]

    assert differing == [("datahub", "sources", one.goal["metric_id"])]
    assert (one.brief, one.guidance, one.persona) == (other.brief, other.guidance, other.persona)
    assert {one.cause, other.cause} == {THREE, FOUR}


def test_the_number_of_a_seed_does_not_tell_its_cause() -> None:
    assert {made(seed).cause for seed in SEEDS[::2]} == {THREE, FOUR}


@pytest.mark.parametrize("seed", SEEDS)
def test_only_a_ceiling_of_three_in_a_project_of_all_or_nothing_cannot_be_done(seed: int) -> None:
    instance = made(seed)
    wants_all = ALL_OR_NOTHING in instance.brief

    assert instance.feasible == (instance.cause == FOUR or not wants_all)
    assert (instance.goal["left_out"] is not None) == (instance.cause == THREE and not wants_all)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_goal_names_the_ceiling_as_its_source_has_it(seed: int) -> None:
    instance = made(seed)
    [source] = [row for row in instance.rows["datahub"]["sources"] if row["id"] == instance.goal["metric_id"]]

    assert source["values"] == [instance.goal["ceiling"]] == [CEILINGS[instance.cause]]


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_the_brief_names_the_ticket_the_on_call_and_who_is_asked(seed: int) -> None:
    instance = made(seed)
    rows = instance.rows["ticketdesk"]["tickets"]
    [project] = [row for row in rows if row["kind"] == "project" and row["assignee"] == instance.persona.id]

    assert f"{project['id']} says what goes to whom" in instance.brief
    assert f"You are {instance.persona.name} ({instance.persona.id}), asset coordinator" in instance.brief
    assert project["title"] == f"Equipment for {instance.brief.partition('equipment for ')[2].split()[0]}"


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_the_pointers_are_titles_of_documents_in_force(seed: int) -> None:
    documents = made(seed).rows["datahub"]["documents"]

    assert made(seed).guidance.pointers == (TITLE, ARRANGEMENTS, ON_CALL)
    for title in made(seed).guidance.pointers:
        assert [row for row in documents if row["title"] == title and row["status"] == "in_force"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_refreshes_the_ceiling_acts_and_ends(seed: int) -> None:
    instance = made(seed)
    goal = instance.goal

    refresh, wait, *acts, end = SCENARIO.open_loop_plan(instance)

    assert refresh == call("datahub_refresh_data", metric_id=goal["metric_id"])
    assert wait == call("wait", seconds=goal["refresh_s"])
    assert acts == [_call(Act(**act)) for act in goal["order"]]
    assert end == (instance.refusal.action if instance.refusal else call("finish"))


@pytest.mark.parametrize(
    ("act", "action"),
    [
        (Act("assign", "AST-1", "ann.lee"), call("datahub_assign_asset", asset_id="AST-1", person_id="ann.lee")),
        (Act("return", "AST-1"), call("datahub_return_asset", asset_id="AST-1")),
        (
            Act("begin", "TD-1"),
            call("ticketdesk_transition_ticket", ticket_id="TD-1", to="in_progress", reason="It begins."),
        ),
        (Act("priority", "TD-1", "high"), call("ticketdesk_update_ticket", ticket_id="TD-1", priority="high")),
        (Act("wait", "", until=3600), call("wait", until=to_iso(3600))),
    ],
    ids=["assign", "return", "begin", "priority", "wait"],
)  # fmt: skip
def test_an_act_of_a_plan_is_one_call(act: Act, action: object) -> None:
    assert _call(act) == action
