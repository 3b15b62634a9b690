"""What an agent makes of single answers: rules, pages and readings; and the call that carries out each act."""

from typing import Any

import pytest

from companyos.sdk.asking import Asker
from companyos.sdk.simtime import from_iso, to_iso
from scenarios.constrained_change.reading import Known, _all, _read_limits, _rule, _stated, do
from scenarios.constrained_change.simulation import Act
from scenarios.constrained_change.statements import FREEZE, LAST

from .conversation import Tools, answered, called, first_observation
from .hand_built import KEY, asset, begin, hand_over, limit, raise_to, take_back, ticket, wait

BRIEF = "You are Ann Lee (ann.lee)."
NOON = "2032-05-03T12:00:00Z"
SHOWN = {
    "id": "AUT-1",
    "number": 1,
    "trigger": "asset.assigned",
    "when": [],
    "do": {"action": "return_asset", "with": {}},
    "paused": False,
    "active_from": None,
    "active_until": None,
    "announced": [],
}


def asker() -> Asker:
    return Asker(first_observation(BRIEF))


def test_the_times_of_a_listed_rule_are_read() -> None:
    read = _rule("datahub", {**SHOWN, "active_from": to_iso(100), "active_until": to_iso(200)})

    assert (read.service, read.active_from, read.active_until) == ("datahub", 100, 200)


@pytest.mark.parametrize(
    ("notices", "paused", "begins"),
    [
        ([], True, None),
        ([{"at": to_iso(300), "notice": "AUT-1 will be renamed."}], True, None),
        ([{"at": to_iso(300), "notice": "AUT-1 is paused and resumes then."}], False, 300),
        (
            [{"at": to_iso(100), "notice": "Renamed."}, {"at": to_iso(300), "notice": "It resumes."}],
            False,
            300,
        ),
    ],
    ids=["nothing announced", "another change", "it resumes", "another change, then it resumes"],
)
def test_a_paused_rule_counts_from_when_it_resumes(
    notices: list[dict[str, str]], *, paused: bool, begins: int | None
) -> None:
    read = _rule("datahub", {**SHOWN, "paused": True, "announced": notices})

    assert (read.paused, read.active_from) == (paused, begins)


def test_a_rule_that_is_not_paused_does_not_wait_for_an_announcement() -> None:
    announced = [{"at": to_iso(300), "notice": "It resumes."}]

    assert _rule("datahub", {**SHOWN, "announced": announced}).active_from is None


@pytest.mark.parametrize(
    ("statement", "fields", "ends"),
    [(LAST, KEY.fields, None), (FREEZE, {**KEY.fields, "until": NOON}, from_iso(NOON))],
    ids=["without an end", "with an end"],
)
def test_a_stated_rule_ends_when_its_sentence_says(
    statement: Any, fields: dict[str, str], ends: int | None
) -> None:
    read = _stated("DOC-1/5", statement, fields)

    assert (read.id, read.service, read.trigger) == ("DOC-1/5", statement.service, statement.trigger)
    assert (read.when, read.do) == (statement.when(fields), statement.do(fields))
    assert (read.active_from, read.active_until) == (None, ends)


def test_a_list_of_several_pages_is_read_as_one() -> None:
    pages = [
        {"items": [asset(1), asset(2)], "next_cursor": "b"},
        {"items": [asset(3)], "next_cursor": "c"},
        {"items": [], "next_cursor": None},
    ]

    items, calls = answered(
        _all(asker(), "datahub_list_assets", q="x"), Tools({"datahub_list_assets": pages})
    )

    assert items == [asset(1), asset(2), asset(3)]
    assert [one.get("cursor") for one in called(calls, "datahub_list_assets")] == [None, "b", "c"]
    assert all((one["limit"], one["q"]) == (50, "x") for one in called(calls, "datahub_list_assets"))


def test_a_limit_is_refreshed_until_its_reading_is_fresh() -> None:
    """A refresh may fail, and then the reading is as stale as before."""
    found = Known(BRIEF, ticket(7), assets={"AST-1": asset(1)}, rules=[limit(KEY.id, "MET-1")])
    tools = Tools(
        {
            "datahub_refresh_data": [{"due_at": to_iso(600)}, {"due_at": to_iso(1500)}],
            "datahub_query_metric": [{"value": 4.0, "is_stale": True}, {"value": 3.0, "is_stale": False}],
        }
    )

    _, calls = answered(_read_limits(asker(), found), tools)

    assert found.values == {"MET-1": 3.0}
    assert called(calls, "wait") == [{"until": to_iso(600)}, {"until": to_iso(1500)}]


@pytest.mark.parametrize(
    ("act", "tool", "arguments"),
    [
        (hand_over(1, "ann.lee"), "datahub_assign_asset", {"asset_id": "AST-1", "person_id": "ann.lee"}),
        (take_back(1), "datahub_return_asset", {"asset_id": "AST-1"}),
        (
            begin(1),
            "ticketdesk_transition_ticket",
            {"ticket_id": "TD-1", "to": "in_progress", "reason": "The hand-over begins."},
        ),
        (raise_to(1, "high"), "ticketdesk_update_ticket", {"ticket_id": "TD-1", "priority": "high"}),
        (wait(600), "wait", {"until": to_iso(600)}),
    ],
    ids=lambda one: one.kind if isinstance(one, Act) else "",
)
def test_an_act_is_one_call(act: Act, tool: str, arguments: dict[str, str]) -> None:
    _, calls = answered(do(asker(), act), Tools({tool: [{"id": "AST-1"}]}))

    assert [(action["tool_name"], action["arguments"]) for action in calls] == [(tool, arguments)]


def test_what_has_passed_is_not_waited_for() -> None:
    _, calls = answered(do(Asker(first_observation(BRIEF, now=600)), wait(600)), Tools(now=600))

    assert calls == []
