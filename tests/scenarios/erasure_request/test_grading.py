"""What a clerk does beside or instead of a right erasure, played for real: it costs success, unless it is harmless."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from companyos.sdk.scenario import Action, Instance, call
from scenarios.erasure_request.documents import ANSWERS, ON_HOLD
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, UNPROVEN, Facts
from scenarios.erasure_request.pack import SPECIAL
from scenarios.erasure_request.scenario import SCENARIO
from scenarios.erasure_request.terms import ERASE, REDACT

from ..conftest import instance_of
from ..play import Episode, broken, carry_out, changed, inserted, next_id, solution, without

Plan = Sequence[Action]
Of = Instance[Facts]
SIZE = "small"
ANSWER, CLOSE, ASK = "ticketdesk_answer_ticket", "ticketdesk_close_ticket", "approvalflow_submit_approval"
RETURN, REFRESH, QUERY = "ticketdesk_return_ticket", "datahub_refresh_data", "datahub_query_metric"


@cache
def instance_drawn_with(seed: int) -> Of:
    return instance_of(SCENARIO, seed, size=SIZE)


def first(cause: str, claim: Callable[[Facts], object] = bool) -> Of:
    return next(
        one for one in map(instance_drawn_with, range(300)) if one.cause == cause and claim(one.facts)
    )


def holds(facts: Facts, table: str, mode: str) -> list[str]:
    """Return the ids of the objects of a table that have to be erased or redacted."""
    return [key for key in facts.ids(mode) if facts.held[key].table == table]


PART = first(
    HELD_PART,
    lambda facts: facts.special and all(holds(facts, table, REDACT) for table in ("records", "requests")),
)
STRANGE = first(UNPROVEN, lambda facts: not facts.request.attorney)
BY_LAWYER = first(UNPROVEN, lambda facts: facts.request.attorney)
HELD = first(HELD_ALL)
GOES, STAYS = (holds(PART.facts, "records", mode)[0] for mode in (ERASE, REDACT))


def plan_of(url: str, of: Of) -> Plan:
    return solution(url, SCENARIO, of.seed, size=SIZE, tools="all")


def play(url: str, of: Of, plan: Plan) -> Episode:
    return carry_out(url, SCENARIO, of.seed, plan, size=SIZE, tools="all")


def play_beside(url: str, of: Of, *acts: Action) -> Episode:
    """Play the oracle's calls with acts before the ticket is answered or, if it is not, before the end."""
    plan = plan_of(url, of)
    return play(url, of, inserted(plan, *acts, before=ANSWER if of.facts.erases else None))


def ticket_of(of: Of) -> str:
    return str(of.facts.request.ticket["id"])


def treat(of: Of, key: str, mode: str, **arguments: Any) -> Action:
    """Return the call that erases or redacts an object of any service."""
    service = "ticketdesk" if key.startswith("TD-") else "datahub"
    usual: dict[str, Any] = {"object_id": key, "mode": mode, "basis": ticket_of(of)}
    if mode == REDACT:
        usual["identifiers"] = [*of.facts.customer.identifiers]
    return call(f"{service}_erase_personal_data", **{**usual, **arguments})


def retreated(plan: Plan, key: str, **arguments: Any) -> list[Action]:
    """Return the plan with other arguments in the treatment of an object."""
    return [
        call(one["tool_name"], **{**one["arguments"], **arguments})
        if key in (one["arguments"].get("object_id"), one["arguments"].get("request_id"))
        and "identifiers" in {*one["arguments"], *arguments}
        else one
        for one in plan
    ]


def moved(plan: Plan, *tools: str, before: str) -> list[Action]:
    """Return the plan with the calls of some tools before the first call whose tool ends in this."""
    kept = [one for one in plan if one["tool_name"] not in tools]
    at = next(number for number, one in enumerate(kept) if one["tool_name"].endswith(before))
    return [*kept[:at], *(one for one in plan if one["tool_name"] in tools), *kept[at:]]


def objects_treated(of: Of) -> set[tuple[str, str]]:
    """Return the tables whose objects have to be erased or redacted, each with the way."""
    return {(of.facts.held[key].table, mode) for key, mode in of.facts.acts.items()}


def instances_of_all_tables() -> list[Of]:
    """Return a few instances in which, together, objects of every table are treated in every way."""
    drawn = [of for of in map(instance_drawn_with, range(60)) if of.facts.erases]
    left, chosen = set[tuple[str, str]]().union(*map(objects_treated, drawn)), list[Of]()
    assert len(left) == 11
    while left:
        chosen.append(max(drawn, key=lambda of: len(left & objects_treated(of))))
        left -= objects_treated(chosen[-1])
    return chosen


def test_the_oracle_erases_and_redacts_objects_of_every_table(url: str) -> None:
    for of in instances_of_all_tables():
        episode = play(url, of, plan_of(url, of))

        lines = [line["name"] for record in episode.trace[1:] for line in record["ledger"]]
        assert episode.success, of.seed
        needed = {"hold_known", "answered", "approved"} if of.facts.special else {"hold_known", "answered"}
        sets = {
            f"{name}_1"
            for name, ids in (("erased", of.facts.ids(ERASE)), ("redacted", of.facts.ids(REDACT)))
            if ids
        }
        assert needed | sets <= {line.rpartition(":")[2] for line in lines}, of.seed


def leave(*keys: str) -> Callable[[Plan], list[Action]]:
    return lambda plan: [
        one for one in plan if one["arguments"].get("object_id") not in keys or "mode" not in one["arguments"]
    ]


def add(*acts: Action) -> Callable[[Plan], list[Action]]:
    return lambda plan: inserted(plan, *acts, before=ANSWER)


def arguments_of(plan: Plan, tool: str) -> Mapping[str, Any]:
    return next(one["arguments"] for one in plan if one["tool_name"] == tool)


TICKET, STRANGER = ticket_of(PART), min(PART.facts.strangers)
[PAID_OUT] = holds(PART.facts, "requests", REDACT)
DECIDER = next(
    str(row["decided_by"]) for row in PART.rows["approvalflow"]["requests"] if row["id"] == PAID_OUT
)
COVERED = min(one for one in PART.facts.covered if PART.facts.held[one].table == "records")
OTHER = next(
    str(row["id"])
    for row in PART.rows["datahub"]["documents"]
    if row["title"] in ANSWERS.values() and row["title"] != ANSWERS[ON_HOLD] and row["status"] == "in_force"
)
NUMBER = PART.facts.customer.number
FIELDS = {"customer_no": NUMBER, "objects": PART.facts.special + 1}


@pytest.mark.parametrize(
    ("change", "flaws"),
    [
        (leave(GOES), {"erased_exact", "erasure_before_answer"}),
        (leave(STAYS), {"redacted_exact", "masked", "erasure_before_answer"}),
        (
            lambda plan: retreated(plan, GOES, mode=REDACT, identifiers=[NUMBER]),
            {"erased_exact", "redacted_exact"},
        ),
        (lambda plan: retreated(plan, STAYS, mode=ERASE), {"kept_lost", "redacted_exact"}),
        (
            lambda plan: retreated(plan, PAID_OUT, identifiers=[*PART.facts.customer.identifiers, DECIDER]),
            set(),
        ),
        (lambda plan: retreated(plan, STAYS, basis="TD-1001"), set()),
        (add(treat(PART, COVERED, ERASE)), {"held_lost"}),
        (add(treat(PART, COVERED, REDACT)), {"held_lost"}),
        (add(treat(PART, str(PART.facts.hold["id"]), ERASE)), {"held_lost"}),
        (add(treat(PART, str(PART.facts.request.mail["id"]), ERASE)), {"held_lost"}),
        (add(treat(PART, STRANGER, ERASE)), {"namesake"}),
        (lambda plan: changed(plan, ANSWER, document_ids=[OTHER]), {"answered"}),
        (lambda plan: without(plan, ANSWER), {"answered"}),
        (add(call(ANSWER, ticket_id=TICKET, body="Soon.")), {"answered_twice", "answered"}),
        (lambda plan: without(plan, CLOSE, ticket_id=TICKET), {"closed"}),
        (lambda plan: without(plan, ASK), {"approval_before_erasure"}),
        (lambda plan: changed(plan, ASK, fields=FIELDS), {"approval_before_erasure"}),
        (lambda plan: moved(plan, ASK, before="refresh_data"), {"hold_before_approval"}),
        (lambda plan: inserted(plan, call(ASK, **arguments_of(plan, ASK)), before=ANSWER), {"asked_twice"}),
        (lambda plan: moved(plan, ANSWER, before="redact_personal_data"), {"erasure_before_answer"}),
        (lambda plan: without(plan, "datahub_get_message"), {"read_before_erasure"}),
        (lambda plan: without(plan, QUERY), {"hold_before_erasure"}),
    ],
)
def test_anything_but_the_right_erasure_costs_success(
    url: str, change: Callable[[Plan], list[Action]], flaws: set[str]
) -> None:
    episode = play(url, PART, change(plan_of(url, PART)))

    assert not episode.success
    assert broken(episode) >= flaws


STRANGE_RECORD, HELD_RECORD = (str(of.facts.customer.record["id"]) for of in (STRANGE, HELD))


def mail_of(of: Of) -> str:
    return str(of.facts.request.mail["id"])


def needless_request() -> Action:
    fields = {"customer_no": STRANGE.facts.customer.number, "objects": 1}
    return call(ASK, type=SPECIAL, approver=STRANGE.facts.approver, fields=fields)


@pytest.mark.parametrize(
    ("of", "change", "flaws"),
    [
        (BY_LAWYER, lambda plan: changed(plan, RETURN, references=[mail_of(BY_LAWYER)]), {"returned"}),
        (STRANGE, lambda plan: without(plan, RETURN), {"returned"}),
        (STRANGE, lambda plan: without(plan, "datahub_get_message"), {"read_before_return"}),
        (STRANGE, lambda plan: inserted(plan, treat(STRANGE, STRANGE_RECORD, ERASE)), {"touched"}),
        (HELD, lambda plan: inserted(plan, treat(HELD, HELD_RECORD, REDACT)), {"touched"}),
        (
            HELD,
            lambda plan: inserted(plan, treat(HELD, min(HELD.facts.strangers), ERASE)),
            {"touched", "namesake"},
        ),
        (HELD, lambda plan: without(plan, "datahub_get_message"), {"read"}),
        (HELD, lambda plan: without(plan, QUERY), {"hold_known"}),
        (HELD, lambda plan: inserted(plan, assign(HELD, stranger(HELD))), set()),
        (STRANGE, lambda plan: inserted(plan, needless_request()), set()),
    ],
)
def test_where_data_stays_it_is_returned_or_declined_with_what_shows_why(
    url: str, of: Of, change: Callable[[Plan], list[Action]], flaws: set[str]
) -> None:
    episode = play(url, of, change(plan_of(url, of)))

    assert not episode.success
    assert broken(episode) == flaws


def stranger(of: Of) -> str:
    people = of.rows["datahub"]["people"]
    taking_part = {of.persona.id, of.facts.request.ticket["reporter"], of.facts.approver}
    return min(str(row["id"]) for row in people if row["active"] and row["id"] not in taking_part)


def comment(of: Of, text: str = "The file was looked through.", on: str = "") -> Action:
    return call("ticketdesk_add_comment", ticket_id=on or ticket_of(of), body=text)


def message(of: Of, to: str = "", text: str = "It is being worked on.") -> Action:
    to = to or of.facts.request.ticket["reporter"]
    return call("datahub_message_colleague", to=to, about=ticket_of(of), body=text)


def assign(of: Of, to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=ticket_of(of), assignee=to)


def test_each_row_that_names_the_customer_or_concerns_others_is_collateral(url: str) -> None:
    customer = PART.facts.customer
    cases = sorted(one for one in PART.facts.strangers if one.startswith("TD-"))

    episode = play_beside(
        url,
        PART,
        comment(PART, f"{customer.name} is gone."),
        comment(PART, " ".join(customer.number)),
        message(PART, text=customer.number),
        message(PART, to=stranger(PART)),
        *(comment(PART, on=one) for one in cases),
        assign(PART, stranger(PART)),
        assign(PART, PART.persona.id),
        *[message(PART)] * 3,
    )

    outside = Counter(re.sub(r"/[^/ ]+ ", "/ ", row) for row in episode.grade["collateral"])
    assert not episode.success
    assert outside == {
        "ticketdesk/comments/ (body)": 2,
        "ticketdesk/comments/ (ticket_id)": len(cases),
        "ticketdesk/tickets/ (assignee)": 1,
        "datahub/messages/ (body)": 1,
        # The stranger's, and the reporter's fourth, which could only have gone to the approver.
        "datahub/messages/ (recipient)": 2,
    }


@pytest.mark.parametrize("of", [PART, STRANGE, HELD], ids=["erased", "returned", "declined"])
def test_harmless_acts_keep_the_success_and_whoever_keeps_their_data_may_be_named(url: str, of: Of) -> None:
    customer = of.facts.customer
    words = "The file was looked through." if of is PART else f"It is about {customer.name}."

    approver = [message(of, to=of.facts.approver)] if of is PART else []

    episode = play_beside(url, of, comment(of, words), message(of), *approver)

    left = episode.state_of(of).view().row("datahub", "records", customer.record["id"])
    assert episode.success, episode.grade
    assert (left is None) is (of is PART)


def attached(url: str, *references: str) -> Episode:
    """Play the oracle's calls with evidence attached to the request for approval."""
    plan, request_id = list(plan_of(url, PART)), next_id(PART, "approvalflow", "requests")
    asked = [one["tool_name"] for one in plan].index(ASK) + 1
    evidence = [
        call("approvalflow_add_evidence", request_id=request_id, kind="document", reference=one)
        for one in references
    ]
    return play(url, PART, [*plan[:asked], *evidence, *plan[asked:]])


def test_the_approval_may_have_the_papers_of_the_request_attached_and_no_others(url: str) -> None:
    own = attached(url, ticket_of(PART), *PART.facts.request.references, *PART.facts.rules)
    other = attached(url, ticket_of(PART), GOES)

    assert own.success, own.grade["collateral"]
    assert not other.success


@pytest.mark.parametrize("of", [STRANGE, BY_LAWYER], ids=["mail", "attorney"])
def test_a_return_may_name_the_procedure_and_the_ticket(url: str, of: Of) -> None:
    whole = [*of.facts.request.references, of.facts.rules[0], ticket_of(of)]

    episode = play(url, of, changed(plan_of(url, of), RETURN, references=whole))

    assert episode.success, episode.grade
