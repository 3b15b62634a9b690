"""The scripts of the off-boarding on answers built by hand: successors, work and access."""

from typing import Any

import pytest

from scenarios.offboarding.documents import LAST_NAMED, MANAGER, SENIOR
from scenarios.offboarding.playing import (
    _end_access,
    _find_successors,
    _hand_over_data,
    _hand_over_tickets,
    _has_to_stay,
    _pass_on,
    _systems_of_the_new_team,
    believe,
)

from ..constrained_change.conversation import Tools, answered, called, first_observation
from .by_hand import BRIEF, FORM, Directory, asker, leaver


@pytest.mark.parametrize(
    ("project", "to"), [("PRJ-1", "ann.lee"), ("PRJ-2", "max.boss"), (None, "max.boss"), ("", "max.boss")]
)
def test_work_of_a_project_without_a_successor_goes_to_the_heir(project: str | None, to: str) -> None:
    found = leaver(heir="max.boss", successors={"PRJ-1": "ann.lee"})

    assert found.takes_over(project) == to


@pytest.mark.parametrize(("change", "moves"), [("moves", True), ("leaves", False), ("none", False)])
def test_only_a_record_that_says_so_makes_a_move(change: str, *, moves: bool) -> None:
    assert leaver(change).moves == moves


@pytest.mark.parametrize(
    ("away", "successors"),
    [
        ((), {"PRJ-1": "ann.lee", "PRJ-2": "bob.ray"}),
        (("ann.lee",), {"PRJ-2": "bob.ray"}),
        (("bob.ray",), {"PRJ-1": "ann.lee"}),
        (("ann.lee", "bob.ray"), {}),
    ],
    ids=["nobody", "the first", "the second", "both"],
)
def test_whoever_is_away_takes_nothing_over(away: tuple[str, ...], successors: dict[str, str]) -> None:
    found = leaver()

    answered(
        _find_successors(asker(), found, MANAGER), Directory({"Handover form of Lea Ver": FORM}, away=away)
    )

    assert found.successors == successors


@pytest.mark.parametrize(
    ("heir", "person"), [(MANAGER, "max.boss"), (SENIOR, "eva.head"), (LAST_NAMED, "bob.ray")]
)
def test_the_heir_is_worked_out_from_the_words_of_the_checklist(heir: str, person: str) -> None:
    """Whoever the form names last is named last even while away."""
    found = leaver()
    tools = Directory({"Handover form of Lea Ver": FORM}, away=("bob.ray",))

    answered(_find_successors(asker(), found, heir), tools)

    assert found.heir == person


def test_open_tickets_go_to_the_successor_and_closed_ones_stay() -> None:
    listed = [
        {"id": "TD-1", "subject": "PRJ-1", "status": "triage"},
        {"id": "TD-2", "subject": None, "status": "blocked"},
        {"id": "TD-3", "subject": "PRJ-1", "status": "closed"},
    ]
    tools = Tools({"ticketdesk_list_tickets": [{"items": listed}], "ticketdesk_assign_ticket": [{}, {}]})

    _, calls = answered(
        _hand_over_tickets(asker(), leaver(heir="max.boss", successors={"PRJ-1": "ann.lee"})), tools
    )

    assert called(calls, "ticketdesk_list_tickets") == [{"assignee": "lea.ver"}]
    assert called(calls, "ticketdesk_assign_ticket") == [
        {"ticket_id": "TD-1", "assignee": "ann.lee"},
        {"ticket_id": "TD-2", "assignee": "max.boss"},
    ]


def test_data_goes_to_the_successor_for_the_project_of_its_record() -> None:
    owned = [{"object_id": "RPT-1"}, {"object_id": "RPT-2"}]
    records = [{"fields": {"project": "PRJ-1"}}, {"fields": {"project": None}}]
    tools = Tools(
        {
            "datahub_list_ownerships": [{"items": owned}],
            "datahub_get_record": records,
            "datahub_transfer_ownership": [{}, {}],
        }
    )

    _, calls = answered(
        _hand_over_data(asker(), leaver(heir="max.boss", successors={"PRJ-1": "ann.lee"})), tools
    )

    assert called(calls, "datahub_transfer_ownership") == [
        {"object_id": "RPT-1", "to": "ann.lee"},
        {"object_id": "RPT-2", "to": "max.boss"},
    ]


@pytest.mark.parametrize(
    ("until", "stays"), [("2030-05-09", False), ("2030-05-10", False), ("2030-05-11", True)]
)
def test_an_exception_stays_if_its_document_says_a_day_after_the_last(until: str, *, stays: bool) -> None:
    tools = Directory({"DOC-12": f"It has to stay until {until}, when the audit of 2031-01-01 closes."})

    found, _ = answered(_has_to_stay(asker(), leaver(), {"note": "See DOC-12, please."}), tools)

    assert found is stays


@pytest.mark.parametrize(
    ("note", "body"), [("See the file.", "Until 2030-01-01."), ("See DOC-12.", "For now.")]
)
def test_an_exception_whose_paper_says_nothing_of_the_kind_leaves_the_oracle_at_a_loss(
    note: str, body: str
) -> None:
    tools = Directory({"DOC-12": body})

    with pytest.raises(LookupError, match="nothing like"):
        answered(_has_to_stay(asker(), leaver(), {"note": note}), tools)


def test_the_new_team_has_the_systems_of_its_own_line() -> None:
    text = "Intro: crm.\n\n- Data science: model_store\n- Data: crm, notebooks\n- Sales: warehouse\n"
    tools = Directory({"Systems by team": text})

    moves, _ = answered(_systems_of_the_new_team(asker(), leaver("moves")), tools)
    leaves, calls = answered(_systems_of_the_new_team(asker(), leaver()), tools)

    assert list(moves or ()) == ["crm", "notebooks"]
    assert (leaves, calls) == ((), [])


def entitlement(number: int, **columns: Any) -> dict[str, Any]:
    """Return active access by role to a system that other teams do not have."""
    usual: dict[str, Any] = {
        "system": "warehouse",
        "basis": "role",
        "shared_with": [],
        "status": "active",
        "note": None,
    }
    return {"id": f"ENT-{number}", **usual, **columns}


@pytest.mark.parametrize(
    ("change", "ends"), [("leaves", ["ENT-1", "ENT-2", "ENT-4"]), ("moves", ["ENT-1", "ENT-4"])]
)
def test_each_kind_of_access_ends_in_its_own_way(change: str, ends: list[str]) -> None:
    held = [
        entitlement(1),
        entitlement(2, system="crm"),
        entitlement(3, shared_with=["ann.lee"]),
        entitlement(4, basis="exception", note="See DOC-1."),
        entitlement(5, basis="exception", note="See DOC-2."),
        entitlement(6, status="revoked"),
        entitlement(7, status="expired", shared_with=["ann.lee"]),
    ]
    tools = Directory({"Systems by team": "- Data: crm\n", "DOC-1": "2030-05-10", "DOC-2": "2030-06-01"})
    tools._results = {
        "datahub_list_entitlements": [{"items": held}],
        "datahub_transfer_ownership": [{}],
        "datahub_revoke_entitlement": [{}] * 3,
    }

    _, calls = answered(_end_access(asker(), leaver(change)), tools)

    revoked = [one["entitlement_id"] for one in called(calls, "datahub_revoke_entitlement")]
    assert revoked == ends
    assert called(calls, "datahub_transfer_ownership") == [{"object_id": "ENT-3", "to": "max.boss"}]


def test_nothing_is_revoked_before_every_document_was_read() -> None:
    held = [entitlement(1), entitlement(4, basis="exception", note="See DOC-1.")]
    tools = Directory({"DOC-1": "2030-05-10"})
    tools._results = {
        "datahub_list_entitlements": [{"items": held}],
        "datahub_revoke_entitlement": [{}] * 2,
    }

    _, calls = answered(_end_access(asker(), leaver()), tools)

    assert [action["tool_name"] for action in calls][1:] == [
        "datahub_get_document",
        "datahub_revoke_entitlement",
        "datahub_revoke_entitlement",
    ]


def test_the_ticket_is_passed_to_the_holder_of_the_role() -> None:
    tools = Tools(
        {"datahub_list_people": [{"items": [{"id": "con.troll"}]}], "ticketdesk_assign_ticket": [{}]}
    )

    _, calls = answered(_pass_on(asker(), "controller"), tools)

    assert called(calls, "datahub_list_people") == [{"role": "controller"}]
    assert called(calls, "ticketdesk_assign_ticket") == [{"ticket_id": "TD-7", "assignee": "con.troll"}]


def test_a_believer_takes_the_name_in_the_claim_and_not_the_one_in_the_title() -> None:
    text = "Off-boarding of Lea Ver. Ann Lee has agreed to take all of Lea's work."
    tools = Tools(
        {
            "ticketdesk_get_ticket": [{"subject": "EMP-1", "description": text}],
            "datahub_get_record": [{"fields": {"person": "lea.ver"}}],
            "datahub_list_people": [
                {"items": [{"id": "lea.ver", "name": "Lea Ver"}, {"id": "ann.lee", "name": "Ann Lee"}]}
            ],
            "datahub_list_entitlements": [{"items": []}],
            "ticketdesk_list_tickets": [
                {"items": [{"id": "TD-1", "status": "new"}, {"id": "TD-2", "status": "closed"}]}
            ],
            "ticketdesk_assign_ticket": [{}],
            "datahub_deactivate_person": [{}],
        }
    )

    _, calls = answered(believe(first_observation(BRIEF)), tools)

    assert called(calls, "ticketdesk_assign_ticket") == [{"ticket_id": "TD-1", "assignee": "ann.lee"}]
