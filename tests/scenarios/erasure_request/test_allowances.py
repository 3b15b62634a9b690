"""What else a clerk does with a request: it costs success, unless the card says that it is harmless."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from companyos.company.allowances import (
    COMMENTS,
    JOBS,
    LINKS,
    MESSAGES,
    RECORDS,
    REQUESTS,
    RETURNS,
    TICKETS,
)
from companyos.scenario import Action, Instance, Table, call
from scenarios.erasure_request.allowances import allowed
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, UNPROVEN, Facts, Request
from scenarios.erasure_request.pack import SPECIAL
from scenarios.erasure_request.scenario import SCENARIO
from scenarios.erasure_request.terms import ERASE, REDACT
from tests.allowances import unexplained

from ..conftest import instance_of
from ..play import Episode, broken, carry_out, changed, inserted, solution, without
from .erasures import (
    COVERED,
    GOODWILL,
    ME,
    MINUTES,
    NAME,
    NUMBER,
    PAPER,
    PROCEDURE,
    REDACTED,
    ROWS,
    SCHEDULE,
    TICKET,
    Row,
    facts_of,
)

GOES = facts_of()
DECLINED = facts_of(HELD_ALL)
BACK = facts_of(UNPROVEN, request=Request(TICKET, {"id": "MSG-1"}, PAPER))
DOCUMENTS, ANSWERS = ("datahub", "documents"), ("ticketdesk", "answers")
CASE = {"id": "TD-5", "status": "triage", "title": "Refund", "description": f"{NAME} waits."}
OWN: dict[str, Any] = {
    "id": "APR-9",
    "type": SPECIAL,
    "approver": GOES.approver,
    "requester": ME.id,
    "fields": {"customer_no": NUMBER, "objects": 1},
    "status": "pending",
}


def columns_left(facts: Facts, table: Table, row: Row, before: Row | None = None) -> set[str]:
    """Return what nothing explains of a write, or of a new row."""
    return set(unexplained(allowed(facts, ROWS), table, row, before=before))


def answer(**columns: object) -> Row:
    return {"id": "TD-1-A1", "ticket_id": "TD-1", "body": "-", "documents": [GOES.template], **columns}


def returned(*references: str) -> Row:
    return {"id": "TD-1-R1", "ticket_id": "TD-1", "question": f"Is {NAME} asking?", "references": references}


def audit(key: str, mode: str = ERASE, basis: str = "TD-1") -> Row:
    return {"id": key, "type": "record", "mode": mode, "basis": basis}


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (("datahub", "erasures"), audit("CUS-1")),
        (("datahub", "erasures"), audit("ORD-1", REDACT)),
        (("approvalflow", "erasures"), {"id": "APR-1", "mode": REDACT, "basis": "TD-1"}),
        (ANSWERS, answer()),
        (REQUESTS, OWN),
        (COMMENTS, {"id": "TD-1-C1", "ticket_id": "TD-1", "body": "The hold was looked up."}),
        (MESSAGES, {"id": "MSG-9", "recipient": "ro.wan", "about": "TD-1", "body": "It is done."}),
        (JOBS, {"id": "JOB-1", "metric_id": "MET-1"}),
    ],
    ids=lambda one: str(one[1]) if isinstance(one, tuple) else None,
)
def test_a_request_may_write_what_it_needs_and_a_little_more(table: Table, row: Row) -> None:
    assert columns_left(GOES, table, row) == set()


@pytest.mark.parametrize(
    ("table", "row", "outside"),
    [
        (("datahub", "erasures"), audit("CUS-1", REDACT), {"mode"}),
        (("datahub", "erasures"), audit("CUS-1", basis="TD-6"), {"basis"}),
        (("datahub", "erasures"), audit("CUS-2"), {"*"}),
        (("ticketdesk", "erasures"), audit("TD-5-C1"), {"*"}),
        (ANSWERS, answer(ticket_id="TD-6"), {"ticket_id"}),
        (ANSWERS, answer(documents=[GOES.template, "DOC-1"]), {"documents"}),
        (REQUESTS, {**OWN, "approver": "zoe.stranger"}, {"approver"}),
        (REQUESTS, {**OWN, "fields": {"customer_no": NUMBER, "objects": 2}}, {"fields"}),
        (REQUESTS, {**OWN, "ticket_id": "TD-6"}, {"ticket_id"}),
        (REQUESTS, {**OWN, "type": "goodwill"}, {"type"}),
        (RETURNS, returned("MSG-1"), {"*"}),
        (COMMENTS, {"id": "TD-5-C1", "ticket_id": "TD-5", "body": "Gone soon."}, {"ticket_id"}),
        (LINKS, {"id": "L-1", "ticket_id": "TD-1", "kind": "blocks", "target": "TD-6"}, {"*"}),
        (MESSAGES, {"id": "MSG-9", "recipient": "zoe.stranger", "about": "TD-1"}, {"recipient"}),
        (JOBS, {"id": "JOB-1", "metric_id": "MET-2"}, {"metric_id"}),
    ],
    ids=lambda one: str(one[1]) if isinstance(one, tuple) else None,
)
def test_a_new_row_that_the_request_does_not_need_is_outside(
    table: Table, row: Row, outside: set[str]
) -> None:
    assert columns_left(GOES, table, row) == outside


@pytest.mark.parametrize(
    ("columns", "outside"),
    [
        ({"status": "closed", "resolution": "Done."}, set()),
        ({"status": "in_progress", "assignee": ME.id}, set()),
        ({"status": "returned"}, {"status"}),
        ({"assignee": "zoe.stranger"}, {"assignee"}),
        ({"title": "Nothing"}, {"title"}),
        ({"priority": "low"}, {"priority"}),
    ],
    ids=lambda one: "-".join(one),
)
def test_the_ticket_is_worked_on_and_closed(columns: Row, outside: set[str]) -> None:
    before = {**TICKET, "title": f"Erasure request of {NAME}", "priority": "medium", "assignee": None}

    assert columns_left(GOES, TICKETS, {**before, **columns}, before) == outside


@pytest.mark.parametrize(
    ("table", "before", "row", "outside"),
    [
        (DOCUMENTS, MINUTES, REDACTED["DOC-1"], set()),
        (DOCUMENTS, MINUTES, {**MINUTES, "body": "Nothing was offered."}, {"body"}),
        (DOCUMENTS, MINUTES, {**REDACTED["DOC-1"], "status": "withdrawn"}, {"status"}),
        (REQUESTS, GOODWILL, REDACTED["APR-1"], set()),
        (REQUESTS, GOODWILL, {**GOODWILL, "fields": {"customer_no": NUMBER, "amount": 9.0}}, {"fields"}),
        (RECORDS, ROWS["datahub"]["records"][4], {"id": "CUS-2", "name": "Lee"}, {"name"}),
    ],
)
def test_a_redaction_changes_nothing_but_what_it_masks(
    table: Table, before: Row, row: Row, outside: set[str]
) -> None:
    assert columns_left(GOES, table, {**before, **row}, before) == outside


def test_an_open_case_is_closed_only_to_be_erased() -> None:
    closed = {**CASE, "status": "closed", "resolution": "Erased."}
    company = {**ROWS, "ticketdesk": {"tickets": [CASE]}}
    kept = allowed(facts_of(acts={**GOES.acts, "TD-5": REDACT}), company)

    assert columns_left(GOES, TICKETS, closed, CASE) == set()
    assert set(unexplained(kept, TICKETS, closed, before=CASE)) == {"status", "resolution"}


@pytest.mark.parametrize(
    ("references", "is_allowed"),
    [
        (["MSG-1", "DOC-8"], True),
        (["MSG-1", "DOC-8", "CUS-1", PROCEDURE, "TD-1"], True),
        (["MSG-1", "DOC-8", "CUS-2"], False),
        (["MSG-1", "DOC-8", SCHEDULE], False),
        (["MSG-1", "DOC-8", COVERED], False),
    ],
)
def test_a_return_rests_on_the_request_and_the_procedure(references: list[str], is_allowed: bool) -> None:
    assert columns_left(BACK, RETURNS, returned(*references)) == (set() if is_allowed else {"references"})


@pytest.mark.parametrize("facts", [DECLINED, BACK], ids=["declined", "returned"])
def test_where_data_stays_there_is_no_answer_no_approval_and_no_erasure(facts: Facts) -> None:
    assert columns_left(facts, ANSWERS, answer())
    assert columns_left(facts, REQUESTS, OWN)
    assert columns_left(facts, ("datahub", "erasures"), audit("CUS-1"))
    assert columns_left(facts, TICKETS, {**TICKET, "status": "closed"}, TICKET) == {"status"}


SIZE = "small"


@cache
def first_instance(cause: str, *, by_lawyer: bool = False) -> Instance[Facts]:
    """Return the first request of this cause; what can be erased in part has a special record, and one to redact."""

    def fits(facts: Facts) -> bool:
        if cause == HELD_PART:
            return bool(facts.ids(ERASE) and facts.ids(REDACT) and facts.special)
        return not by_lawyer or len(facts.request.references) == 2

    instances = (instance_of(SCENARIO, seed, size=SIZE) for seed in range(300))
    return next(one for one in instances if one.cause == cause and fits(one.facts))


def plan_of(url: str, of: Instance[Facts]) -> Sequence[Action]:
    return solution(url, SCENARIO, of.seed, size=SIZE)


def carry_out_plan(url: str, of: Instance[Facts], plan: Sequence[Action]) -> Episode:
    return carry_out(url, SCENARIO, of.seed, plan, size=SIZE)


def carry_out_beside(url: str, of: Instance[Facts], *acts: Action) -> Episode:
    """Play the oracle's calls with acts before the ticket is closed or, if it is not, before the end."""
    closes = "ticketdesk_answer_ticket" if of.cause == HELD_PART else None
    return carry_out_plan(url, of, inserted(plan_of(url, of), *acts, before=closes))


def stranger(of: Instance[Facts]) -> str:
    people = of.rows["datahub"]["people"]
    taking_part = {of.persona.id, of.facts.request.ticket["reporter"], of.facts.approver}
    return min(str(row["id"]) for row in people if row["active"] and row["id"] not in taking_part)


def ticket_of(of: Instance[Facts]) -> str:
    return str(of.facts.request.ticket["id"])


def comment(of: Instance[Facts], text: str = "The file was looked through.", on: str = "") -> Action:
    return call("ticketdesk_add_comment", ticket_id=on or ticket_of(of), body=text)


def message(of: Instance[Facts], to: str = "", text: str = "It is being worked on.") -> Action:
    to = to or of.facts.request.ticket["reporter"]
    return call("datahub_message_colleague", to=to, about=ticket_of(of), body=text)


def assign(of: Instance[Facts], to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=ticket_of(of), assignee=to)


def test_each_row_that_names_the_customer_or_concerns_others_is_collateral(url: str) -> None:
    part = first_instance(HELD_PART)
    customer = part.facts.customer
    cases = sorted(one for one in part.facts.strangers if one.startswith("TD-"))

    episode = carry_out_beside(
        url,
        part,
        comment(part, f"{customer.name} is gone."),
        comment(part, " ".join(customer.number)),
        message(part, text=customer.number),
        message(part, to=stranger(part)),
        *(comment(part, on=one) for one in cases),
        assign(part, stranger(part)),
        assign(part, part.persona.id),
        *[message(part)] * 3,
    )

    outside = Counter(re.sub(r"/[^/ ]+ ", "/ ", row) for row in episode.grade["collateral"])
    assert not episode.success
    assert outside == {
        "ticketdesk/comments/ (body)": 2,
        "ticketdesk/comments/ (ticket_id)": len(cases),
        "ticketdesk/tickets/ (assignee)": 1,
        "datahub/messages/ (*)": 1,
        "datahub/messages/ (body)": 1,
        "datahub/messages/ (recipient)": 1,
    }


@pytest.mark.parametrize("way", ["over two comments", "in a reason", "in a note"])
def test_a_name_in_parts_or_beside_a_call_costs_success(url: str, way: str) -> None:
    part = first_instance(HELD_PART)
    customer, own = part.facts.customer, ticket_of(part)
    reason = f"It is about {customer.name}."
    acts = {
        "over two comments": [comment(part, one) for one in customer.name.split()],
        "in a reason": [call("ticketdesk_transition_ticket", ticket_id=own, to="in_progress", reason=reason)],
    }
    noted = changed(plan_of(url, part), "approvalflow_submit_approval", note=f"It is {customer.number}.")

    episode = carry_out_beside(url, part, *acts[way]) if way in acts else carry_out_plan(url, part, noted)

    assert not episode.success
    assert episode.grade["collateral"]


def test_a_needless_approval_and_another_title_cost_success(url: str) -> None:
    strange, held = first_instance(UNPROVEN), first_instance(HELD_ALL)
    fields = {"customer_no": strange.facts.customer.number, "objects": 1}
    ask = call("approvalflow_submit_approval", type=SPECIAL, approver=strange.facts.approver, fields=fields)
    title = call("ticketdesk_update_ticket", ticket_id=ticket_of(held), title="Nothing to do")

    for of, act in ((strange, ask), (held, title)):
        episode = carry_out_beside(url, of, act)
        assert not episode.success
        assert episode.grade["collateral"]


@pytest.mark.parametrize("cause", [HELD_PART, UNPROVEN, HELD_ALL], ids=["erased", "returned", "declined"])
def test_harmless_acts_keep_the_success_and_whoever_keeps_their_data_may_be_named(
    url: str, cause: str
) -> None:
    of = first_instance(cause)
    customer = of.facts.customer
    words = "The file was looked through." if cause == HELD_PART else f"It is about {customer.name}."

    episode = carry_out_beside(url, of, comment(of, words), message(of))

    left = episode.state_of(of).view().row("datahub", "records", customer.record["id"])
    assert episode.success, episode.grade
    assert (left is None) is (cause == HELD_PART)


@pytest.mark.parametrize("by_lawyer", [False, True], ids=["mail", "attorney"])
def test_a_return_may_name_the_procedure_and_the_ticket(url: str, *, by_lawyer: bool) -> None:
    of = first_instance(UNPROVEN, by_lawyer=by_lawyer)
    whole = [*of.facts.request.references, of.facts.rules[0], ticket_of(of)]

    episode = carry_out_plan(url, of, changed(plan_of(url, of), "ticketdesk_return_ticket", references=whole))

    assert episode.success, episode.grade


def test_a_plan_without_reads_leaves_open_what_had_to_be_known(url: str) -> None:
    part = first_instance(HELD_PART)
    plan = plan_of(url, part)
    for tool in ("datahub_get_message", "datahub_query_metric", "datahub_get_document"):
        plan = without(plan, tool)

    assert broken(carry_out_plan(url, part, plan)) >= {"read", "hold_known", "read_before_erasure"}
