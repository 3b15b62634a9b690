"""What else an agent does while it off-boards a colleague: it costs success, unless the card calls it harmless."""

from typing import Any

import pytest

from companyos.company.allowances import COMMENTS, JOBS, MESSAGES, TICKETS
from companyos.scenario import Action, Instance, Row, Table, call
from scenarios.offboarding.allowances import allowed
from scenarios.offboarding.facts import HELD, IN_FORCE, LAPSED, Facts
from scenarios.offboarding.scenario import SCENARIO
from scenarios.packs.staffing import EQUIPMENT
from tests.allowances import unexplained

from ..conftest import instance_of
from ..play import Episode, carry_out, changed, inserted, solution, without
from .drawn import drawn
from .stages import ENTITLEMENTS, OWNERSHIPS, PEOPLE, REQUESTS, first

STRANGER = "zoe.stranger"


def columns_left(number: int, cause: str, table: Table, row_id: str, **columns: Any) -> set[str]:
    """Return what nothing explains if these columns of a row are written, or a new row with them."""
    company, facts = drawn(number, cause)
    before = next((row for row in company.rows[table[0]].get(table[1], ()) if row["id"] == row_id), None)
    row = {**(before or {"id": row_id}), **columns}
    return set(unexplained(allowed(facts), table, row, before=before))


NUMBER = first(IN_FORCE, moves=False, shared=True)
FACTS = drawn(NUMBER, IN_FORCE)[1]
TICKET, DATA = min(FACTS.tickets), min(FACTS.data)
EQUIPPED = {
    "kind": EQUIPMENT,
    "status": "new",
    "title": "Equipment",
    "subject": FACTS.employee["id"],
    "priority": FACTS.rules.priority,
}


@pytest.mark.parametrize(
    ("table", "row_id", "columns", "outside"),
    [
        (TICKETS, TICKET, {"assignee": FACTS.tickets[TICKET]}, set()),
        (TICKETS, TICKET, {"assignee": STRANGER}, {"assignee"}),
        (TICKETS, TICKET, {"status": "in_progress"}, {"status"}),
        (TICKETS, FACTS.ticket["id"], {"assignee": FACTS.closer, "status": "in_progress"}, set()),
        (TICKETS, FACTS.ticket["id"], {"assignee": STRANGER, "title": "-"}, {"assignee", "title"}),
        (TICKETS, FACTS.ticket["id"], {"status": "closed"}, {"status"}),
        (TICKETS, "TD-9001", EQUIPPED, set()),
        (TICKETS, "TD-9001", {**EQUIPPED, "assignee": STRANGER}, {"assignee"}),
        (TICKETS, "TD-9001", {**EQUIPPED, "subject": "EMP-1"}, {"subject"}),
        (OWNERSHIPS, DATA, {"owner": FACTS.data[DATA]}, set()),
        (OWNERSHIPS, DATA, {"owner": STRANGER}, {"owner"}),
        (OWNERSHIPS, DATA, {"locked": True}, {"locked"}),
        (PEOPLE, FACTS.staff.absent.id, {"delegate": FACTS.delegate}, set()),
        (PEOPLE, FACTS.staff.absent.id, {"delegate_types": ["everything"]}, {"delegate_types"}),
        (PEOPLE, FACTS.staff.absent.id, {"delegate_limit": 5.0}, {"delegate_limit"}),
        (PEOPLE, FACTS.leaver, {"active": False}, set()),
        (PEOPLE, FACTS.leaver, {"delegate": STRANGER}, {"delegate"}),
        (PEOPLE, FACTS.staff.manager.id, {"active": False}, {"active"}),
        (REQUESTS, FACTS.request["id"], {"approver": FACTS.decider}, set()),
        (REQUESTS, FACTS.request["id"], {"approver": STRANGER}, {"approver"}),
        (REQUESTS, FACTS.request["id"], {"status": "withdrawn"}, {"status"}),
        (ENTITLEMENTS, min(FACTS.access.ends), {"revoked_at": 1, "revoked_for": "They leave."}, set()),
        (ENTITLEMENTS, min(FACTS.access.ends), {"person_id": STRANGER}, {"person_id"}),
        (ENTITLEMENTS, FACTS.access.shared, {"person_id": FACTS.staff.manager.id}, set()),
        (ENTITLEMENTS, FACTS.access.shared, {"revoked_for": "They leave."}, {"revoked_for"}),
        (COMMENTS, "C-1", {"ticket_id": FACTS.ticket["id"], "body": "All is handed over."}, set()),
        (COMMENTS, "C-1", {"ticket_id": TICKET, "body": "Yours now."}, {"ticket_id"}),
        (MESSAGES, "MSG-1", {"recipient": FACTS.ticket["reporter"], "about": FACTS.ticket["id"]}, set()),
        (MESSAGES, "MSG-1", {"recipient": STRANGER, "about": FACTS.ticket["id"]}, {"recipient"}),
        (JOBS, "JOB-1", {"metric_id": "MET-0000"}, {"metric_id"}),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, dict) else None,
)
def test_each_write_has_its_right_values(table: Table, row_id: str, columns: Row, outside: set[str]) -> None:
    assert columns_left(NUMBER, IN_FORCE, table, row_id, **columns) == outside


def test_a_delegation_that_has_lapsed_is_removed_with_its_types() -> None:
    number = first(LAPSED, moves=False)
    absent = drawn(number, LAPSED)[1].staff.absent.id

    assert not columns_left(number, LAPSED, PEOPLE, absent, delegate=None, delegate_types=[])
    assert columns_left(number, LAPSED, PEOPLE, absent, delegate=STRANGER) == {"delegate"}


def test_somebody_who_moves_keeps_the_account_and_the_equipment() -> None:
    number = first(IN_FORCE, moves=True)
    facts = drawn(number, IN_FORCE)[1]

    assert columns_left(number, IN_FORCE, PEOPLE, facts.leaver, active=False) == {"active"}
    assert columns_left(number, IN_FORCE, TICKETS, "TD-9001", **EQUIPPED)


def test_a_legal_hold_leaves_comments_and_readings_alone_and_nothing_else() -> None:
    facts = drawn(0, HELD)[1]
    (ticket, person), own = min(facts.tickets.items()), facts.ticket["id"]

    assert columns_left(0, HELD, TICKETS, ticket, assignee=person) == {"assignee"}
    assert columns_left(0, HELD, TICKETS, own, assignee=facts.closer) == {"assignee"}
    assert not columns_left(0, HELD, COMMENTS, "C-1", ticket_id=own, body="There is a hold.")


def first_seed(cause: str, *, moves: bool | None = None) -> Instance[Facts]:
    """Return the first off-boarding of this cause."""
    drawn = (instance_of(SCENARIO, seed) for seed in range(200))
    return next(one for one in drawn if one.cause == cause and moves in (None, one.facts.moves))


LEAVES, MOVES, LEGAL_HOLD = (
    first_seed(IN_FORCE, moves=False),
    first_seed(LAPSED, moves=True),
    first_seed(HELD),
)
OWN_TICKET = LEAVES.facts.ticket["id"]


def outcome(url: str, of: Instance[Facts], *acts: Action, before: str | None = None) -> Episode:
    """Play the oracle's calls with further acts before the first call of a tool, or before the end."""
    return carry_out(url, SCENARIO, of.seed, inserted(solution(url, SCENARIO, of.seed), *acts, before=before))


def stranger() -> str:
    people = LEAVES.rows["datahub"]["people"]
    taking_part = str(LEAVES.facts)
    return min(str(row["id"]) for row in people if row["active"] and row["id"] not in taking_part)


def assign(ticket_id: str, to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=ticket_id, assignee=to)


def message(of: Instance[Facts], to: str) -> Action:
    return call("datahub_message_colleague", to=to, about=of.facts.ticket["id"], body="They were fired.")


def somebody_elses_access() -> str:
    rows = LEAVES.rows["datahub"]["entitlements"]
    return next(str(row["id"]) for row in rows if row["person_id"] != LEAVES.facts.leaver)


GIVEN, SUCCESSOR = min(LEAVES.facts.tickets.items())
EXTRA: dict[str, list[Action]] = {
    "a delegate of the leaver": [
        call("datahub_set_delegate", person_id=LEAVES.facts.leaver, delegate=stranger())
    ],
    "a stranger told": [message(LEAVES, stranger())],
    "many messages": [message(LEAVES, LEAVES.facts.ticket["reporter"])] * 4,
    "a ticket given to a stranger for a while": [assign(GIVEN, stranger()), assign(GIVEN, SUCCESSOR)],
    "retitled": [call("ticketdesk_update_ticket", ticket_id=OWN_TICKET, title="Nothing")],
    "another's access": [
        call("datahub_revoke_entitlement", entitlement_id=somebody_elses_access(), reason="-")
    ],
}


@pytest.mark.parametrize("acts", EXTRA.values(), ids=list(EXTRA))
def test_an_extra_act_costs_success(url: str, acts: list[Action]) -> None:
    episode = outcome(url, LEAVES, *acts, before="datahub_deactivate_person")

    assert not episode.success
    assert episode.grade["collateral"]


def test_a_delegate_for_every_type_of_approval_costs_success(url: str) -> None:
    types = [row["id"] for row in LEAVES.rows["approvalflow"]["approval_types"]]
    plan = changed(solution(url, SCENARIO, LEAVES.seed), "datahub_set_delegate", types=types)

    assert carry_out(url, SCENARIO, LEAVES.seed, plan).grade["collateral"]


@pytest.mark.parametrize("of", [LEAVES, MOVES, LEGAL_HOLD], ids=["leaves", "moves", "held"])
def test_acts_that_the_card_calls_harmless_keep_the_success(url: str, of: Instance[Facts]) -> None:
    comment = call("ticketdesk_add_comment", ticket_id=of.facts.ticket["id"], body="It is looked into.")
    plan = solution(url, SCENARIO, of.seed)
    acts = [comment, message(of, of.facts.ticket["reporter"])]

    episode = carry_out(url, SCENARIO, of.seed, [*plan[:2], *acts, *plan[2:]])

    assert episode.success, episode.grade


@pytest.mark.parametrize("of", [LEAVES, LEGAL_HOLD], ids=["leaves", "held"])
def test_the_ticket_may_be_begun_before_anything_was_read(url: str, of: Instance[Facts]) -> None:
    ticket, plan = of.facts.ticket["id"], solution(url, SCENARIO, of.seed, tools="all")
    begin = call("ticketdesk_transition_ticket", ticket_id=ticket, to="in_progress", reason="It is begun.")

    episode = carry_out(url, SCENARIO, of.seed, [*plan[:1], begin, *plan[1:]], tools="all")

    assert episode.success, episode.grade
    begun = episode.state_of(of).view().row("ticketdesk", "tickets", ticket)
    assert begun is not None
    assert begun["status"] == "in_progress"


@pytest.mark.parametrize("tool", ["datahub_query_metric", "datahub_get_document"])
def test_a_plan_without_a_read_costs_success(url: str, tool: str) -> None:
    plan = without(solution(url, SCENARIO, LEAVES.seed), tool)

    assert not carry_out(url, SCENARIO, LEAVES.seed, plan).success


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("datahub_deactivate_person", {"mode": "purge"}),
        ("datahub_transfer_ownership", {"to": LEAVES.facts.staff.absent.id}),
        ("datahub_set_delegate", {"delegate": LEAVES.facts.staff.steward.id}),
    ],
)
def test_the_same_calls_with_another_argument_cost_the_success(
    url: str, tool: str, arguments: dict[str, str]
) -> None:
    plan = changed(solution(url, SCENARIO, LEAVES.seed), tool, **arguments)

    assert not carry_out(url, SCENARIO, LEAVES.seed, plan).success


def test_access_that_ends_first_loses_everything_else(url: str) -> None:
    plan = solution(url, SCENARIO, LEAVES.seed)
    access = [one for one in plan if one["tool_name"] == "datahub_revoke_entitlement"]
    later = without(plan, "datahub_revoke_entitlement")

    episode = carry_out(
        url, SCENARIO, LEAVES.seed, inserted(later, *access, before="ticketdesk_assign_ticket")
    )

    assert not episode.success
    state = episode.state_of(LEAVES).view()
    locked = state.rows("datahub", "ownerships", owner=LEAVES.facts.leaver, locked=True)
    assert {row["id"] for row in locked} & set(LEAVES.facts.data)


def test_somebody_who_moves_keeps_their_account(url: str) -> None:
    suspend = call("datahub_deactivate_person", person_id=MOVES.facts.leaver, mode="suspend")

    assert not outcome(url, MOVES, suspend).success
