"""What must hold at the end of a request: each fact that a must requires, missing or wrong by itself."""

from dataclasses import replace
from typing import Any

import pytest

from scenarios.erasure_request import grading
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, LIFTED, PROVEN, UNPROVEN, Facts, Request
from scenarios.erasure_request.files import HeldObject
from scenarios.erasure_request.terms import ERASE, REDACT

from .erasures import (
    COVERED,
    MAIL,
    METRIC,
    NAME,
    NUMBER,
    PAPER,
    TICKET,
    changed,
    facts_of,
    faults,
    graded,
    outside,
    solution,
    treatment,
    unmet,
    without,
)

CAUSES = (HELD_PART, LIFTED, PROVEN, HELD_ALL, UNPROVEN)
PART = facts_of()
BY_LAWYER = facts_of(UNPROVEN, request=Request(TICKET, {"id": "MSG-1"}, PAPER))


@pytest.mark.parametrize("facts", [*map(facts_of, CAUSES), BY_LAWYER], ids=[*CAUSES, "a lawyer"])
def test_the_right_acts_leave_nothing_open_and_violate_nothing(facts: Facts) -> None:
    rows = solution(facts)

    assert unmet(facts, rows) == set()
    assert faults(facts, rows) == set()
    assert outside(facts, rows) == []


@pytest.mark.parametrize(
    ("service", "table", "key"),
    [
        ("ticketdesk", "tickets", "TD-6"),
        ("datahub", "documents", "DOC-8"),
        ("datahub", "messages", "MSG-1"),
    ],
    ids=["a closed case", "a letter", "a mail"],
)
def test_an_object_of_any_table_may_be_gone_that_has_to_go(service: str, table: str, key: str) -> None:
    held = {key: HeldObject(service, table, key, "object")}
    goes, stays = facts_of(held=held, acts={key: ERASE}), facts_of(held=held, acts={})
    rows = treatment(goes, key, ERASE)

    assert outside(goes, rows) == []
    assert (service, table, key) in outside(stays, rows)


@pytest.mark.parametrize("cause", CAUSES)
def test_requirements_are_all_unmet_at_the_start(cause: str) -> None:
    facts = facts_of(cause)

    assert unmet(facts, {}) == {must.name for must in grading.musts(facts)}


ALL = {
    "read",
    "hold_known",
    "approved",
    "erased_exact",
    "redacted_exact",
    "masked",
    "recorded",
    "answered",
    "closed",
}


@pytest.mark.parametrize(
    ("facts", "names"),
    [
        (PART, ALL),
        (facts_of(special=0), ALL - {"approved"}),
        (facts_of(HELD_ALL), {"read", "hold_known"}),
        (facts_of(UNPROVEN), {"read", "returned"}),
    ],
    ids=["erased in part", "nothing special", "all on hold", "unproven"],
)
def test_an_ending_requires_what_it_needs(facts: Facts, names: set[str]) -> None:
    assert {must.name for must in grading.musts(facts)} == names


@pytest.mark.parametrize(("later", "is_known"), [(-1, False), (0, False), (1, True)])
def test_a_hold_is_known_by_reading_a_newer_value(later: int, is_known: bool) -> None:
    rows = changed(solution(PART), "hold", version=METRIC["version"] + later)

    assert ("hold_known" not in unmet(PART, rows)) is is_known


@pytest.mark.parametrize("name", ["mail", "schedule", "paper"])
def test_the_clerk_reads_what_decides(name: str) -> None:
    facts = facts_of(PROVEN, request=Request(TICKET, {"id": "MSG-1"}, PAPER))
    rows = solution(facts)

    assert unmet(facts, without(rows, name)) == {"read"}
    assert unmet(facts, changed(rows, name, reader="bo.roy")) == {"read"}


@pytest.mark.parametrize("cause", [HELD_ALL, UNPROVEN])
def test_the_mail_is_read_before_a_request_is_declined_or_returned(cause: str) -> None:
    facts = facts_of(cause)

    assert unmet(facts, without(solution(facts), "mail")) == {"read"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "pending"},
        {"status": "rejected"},
        {"type": "goodwill"},
        {"requester": "bo.roy"},
        {"fields": {"customer_no": "K-102", "objects": 1}},
        {"fields": {"customer_no": NUMBER, "objects": 2}},
        {"fields": {"customer_no": NUMBER, "objects": 0}},
    ],
    ids=["undecided", "rejected", "another type", "somebody else's", "a namesake's", "too many", "too few"],
)
def test_an_approval_is_of_exactly_the_special_records_of_this_customer(wrong: dict[str, Any]) -> None:
    assert unmet(PART, changed(solution(PART), "approval", **wrong)) == {"approved"}


def test_a_rejected_request_beside_the_approved_one_does_no_harm() -> None:
    rows = solution(PART)
    service, table, _, row = rows["approval"]
    assert row is not None
    rejected = (service, table, "APR-8", {**row, "id": "APR-8", "status": "rejected"})

    assert unmet(PART, {"rejected": rejected, **rows}) == set()


@pytest.mark.parametrize("key", sorted(PART.ids(ERASE)))
def test_each_object_that_has_to_go_must_be_gone(key: str) -> None:
    assert unmet(PART, without(solution(PART), f"{key} audit", key)) == {"erased_exact"}


@pytest.mark.parametrize("key", sorted(PART.ids(REDACT)))
def test_each_object_that_the_law_keeps_must_be_redacted(key: str) -> None:
    assert "redacted_exact" in unmet(PART, without(solution(PART), f"{key} audit", key))


def test_an_object_redacted_instead_of_erased_is_neither_gone_nor_rightly_kept() -> None:
    rows = {**solution(PART), **treatment(PART, "FRM-1", REDACT)}

    assert unmet(PART, rows) == {"erased_exact", "redacted_exact"}


@pytest.mark.parametrize("mode", [ERASE, REDACT])
def test_one_object_too_many_spoils_the_set(mode: str) -> None:
    rows = {**solution(PART), **treatment(PART, COVERED, mode)}

    assert unmet(PART, rows) == {"erased_exact" if mode == ERASE else "redacted_exact"}


@pytest.mark.parametrize(
    "text",
    [NAME, NAME.upper(), NUMBER, NUMBER.lower(), MAIL, f"To {MAIL}, again"],
    ids=["name", "name in capitals", "number", "number in small letters", "address", "in a sentence"],
)
@pytest.mark.parametrize("key", sorted(PART.ids(REDACT)))
def test_redacted_data_shows_neither_name_nor_number_nor_address(key: str, text: str) -> None:
    assert unmet(PART, changed(solution(PART), key, text=text)) == {"masked"}


@pytest.mark.parametrize(
    ("key", "lost"),
    [
        ("ORD-1", {"fields": {"customer_no": "[redacted]", "item": "[redacted]"}}),
        ("DOC-1", {"title": "[redacted] round"}),
        ("DOC-1", {"body": "[redacted] ([redacted]) was offered a replacement."}),
        ("APR-1", {"fields": {"customer_no": "[redacted]", "amount": 0.0}}),
    ],
    ids=["an item", "a word", "an order", "an amount"],
)
def test_redacted_data_keeps_every_other_field(key: str, lost: dict[str, Any]) -> None:
    assert unmet(PART, changed(solution(PART), key, **lost)) == {"masked"}


@pytest.mark.parametrize("key", sorted(PART.acts))
def test_each_treatment_is_recorded_for_the_ticket_of_the_request(key: str) -> None:
    assert unmet(PART, changed(solution(PART), f"{key} audit", basis="TD-6")) == {"recorded"}


def test_a_record_for_the_ticket_does_not_make_up_for_one_for_another() -> None:
    rows = changed(solution(PART), "CUS-1 audit", basis="LH-1")

    assert unmet(PART, {**rows, **treatment(PART, "FRM-1", ERASE)}) == {"recorded"}


def test_a_redacted_object_that_is_gone_is_not_masked() -> None:
    rows = solution(PART)
    service, table, key, _ = rows["ORD-1"]

    assert unmet(PART, {**rows, "ORD-1": (service, table, key, None)}) == {"masked"}


def test_an_identifier_in_letters_beyond_ascii_is_found_as_well() -> None:
    facts = facts_of(customer=replace(PART.customer, name="Zoë Öz"))

    assert unmet(facts, changed(solution(facts), "ORD-1", text="Zoë Öz")) == {"masked"}


@pytest.mark.parametrize(
    "documents",
    [[], ["DOC-7"], ["DOC-9", "DOC-7"]],
    ids=["no template", "another template", "two templates"],
)
def test_the_answer_has_the_one_template_that_fits(documents: list[str]) -> None:
    assert unmet(PART, changed(solution(PART), "answer", documents=documents)) == {"answered"}


def test_the_answer_belongs_to_the_ticket_of_the_request() -> None:
    assert unmet(PART, changed(solution(PART), "answer", ticket_id="TD-6")) == {"answered"}


def test_a_second_answer_is_one_too_many() -> None:
    rows = solution(PART)
    again = {"id": "TD-1-A2", "ticket_id": "TD-1", "documents": [PART.template]}

    twice = {**rows, "again": ("ticketdesk", "answers", "TD-1-A2", again)}

    assert unmet(PART, twice) == {"answered"}
    assert faults(PART, twice) == {"answered_twice"}


@pytest.mark.parametrize("status", ["triage", "done", "returned"])
def test_the_ticket_must_be_closed(status: str) -> None:
    assert unmet(PART, changed(solution(PART), "ticket", status=status)) == {"closed"}


@pytest.mark.parametrize("facts", [facts_of(UNPROVEN), BY_LAWYER], ids=["a stranger", "a lawyer"])
def test_a_request_that_nobody_may_make_is_returned_and_not_just_asked_about(facts: Facts) -> None:
    assert unmet(facts, without(solution(facts), "ticket")) == {"returned"}
    assert unmet(facts, without(solution(facts), "return")) == {"returned"}


@pytest.mark.parametrize(
    ("references", "is_enough"),
    [
        (["MSG-1", "DOC-8"], True),
        (["MSG-1", "DOC-8", "CUS-1"], True),
        (["MSG-1"], False),
        (["DOC-8"], False),
        ([], False),
    ],
    ids=[
        "both",
        "the record too",
        "the mail alone",
        "the paper alone",
        "nothing",
    ],
)
def test_a_return_names_the_mail_and_the_power_of_attorney(references: list[str], is_enough: bool) -> None:
    rows = changed(solution(BY_LAWYER), "return", references=references)

    assert (unmet(BY_LAWYER, rows) == set()) is is_enough


def test_evidence_may_be_named_in_several_returns() -> None:
    rows = changed(solution(BY_LAWYER), "return", references=["MSG-1"])
    more = {"id": "TD-1-R2", "ticket_id": "TD-1", "references": ["DOC-8"]}

    assert unmet(BY_LAWYER, {**rows, "more": ("ticketdesk", "returns", "TD-1-R2", more)}) == set()


def test_a_return_of_another_ticket_says_nothing_about_this_one() -> None:
    rows = changed(solution(BY_LAWYER), "return", ticket_id="TD-6")

    assert unmet(BY_LAWYER, rows) == {"returned"}


@pytest.mark.parametrize(
    ("facts", "worth"),
    [
        (PART, {"hold_known": 1.0, "approved": 1.5, "answered": 1.0, "erased": 4.0, "redacted": 2.0}),
        (facts_of(HELD_ALL), {"hold_known": 1.0}),
        (facts_of(UNPROVEN), {}),
    ],
    ids=["erased in part", "all on hold", "unproven"],
)
def test_milestones_pay_what_the_card_says(facts: Facts, worth: dict[str, float]) -> None:
    paid: dict[str, float] = {}
    for milestone in grading.milestones(facts):
        name = milestone.name.rstrip("0123456789").rstrip("_")
        paid[name] = paid.get(name, 0.0) + milestone.size

    assert paid == pytest.approx(worth, abs=0.02)


def test_all_milestones_stand_at_the_end_and_none_before_the_first_act() -> None:
    assert graded(PART, {}).standing == ()
    assert len(graded(PART, solution(PART)).standing) == len(grading.milestones(PART))
