"""What the oracle of support triage does with tickets written by hand, one rule of the handbook at a time."""

from typing import Any

import pytest

from companyos.scenario import call
from companyos.sdk.simtime import DAY, MINUTE
from scenarios.support_triage.content import QUESTIONS
from scenarios.support_triage.rulebook import Rulebook
from scenarios.support_triage.scenario import SCENARIO

from ..paper import Shown
from .intake import NOW, Intake, Rate, contract, support_document, ticket
from .mornings import rulebook

INVOICE, EXPORT, IMPORT, CALENDAR = "Copy of INV-1234", "Empty EXP-1234", "IMP-1234 stops", "CAL-1234 is off"
#: The limit of the rules written by hand, in percent.
LIMIT = 5.0


def worked(*tickets: Shown, rules: Rulebook | None = None, **rates: Rate) -> Intake:
    """Return the desk as the oracle leaves it; `rates` by service, written `SVC_1`."""
    intake = Intake(*tickets, rules=rules)
    intake.rates |= {service.replace("_", "-"): rate for service, rate in rates.items()}
    intake.worked_by(SCENARIO.oracle)
    return intake


def priority_of(intake: Intake, ticket_id: str = "TD-1") -> str:
    return str(dict(intake.acts(ticket_id))["update"])


def document_of(intake: Intake, ticket_id: str = "TD-1") -> Any:
    return dict(intake.acts(ticket_id))["answer"]


def test_a_question_is_ranked_answered_and_routed_in_this_order() -> None:
    intake = worked(ticket("TD-1", INVOICE), rules=rulebook(plus_minor="medium"))

    assert intake.acts("TD-1") == [
        ("update", "medium"),
        ("answer", ["DOC-invoices"]),
        ("route", "billing"),
    ]


@pytest.mark.parametrize("topic", QUESTIONS, ids=lambda topic: topic.id)
def test_each_topic_has_its_own_article(topic: Any) -> None:
    intake = worked(ticket("TD-1", f"About {topic.prefix}-1234"))

    assert document_of(intake) == [f"DOC-{topic.id}"]


@pytest.mark.parametrize("status", ["draft", "superseded", "withdrawn"])
def test_a_newer_article_that_is_not_in_force_is_not_sent(status: str) -> None:
    intake = Intake(ticket("TD-1", INVOICE))
    other = support_document("DOC-X", "article", "A copy of an invoice", "…", days=1, status=status)
    intake.documents.insert(0, other)

    intake.worked_by(SCENARIO.oracle)

    assert document_of(intake) == ["DOC-invoices"]


@pytest.mark.parametrize("place", [0, 99], ids=["found-first", "found-last"])
def test_of_two_articles_in_force_the_newer_is_sent(place: int) -> None:
    intake = Intake(ticket("TD-1", INVOICE))
    intake.documents.insert(place, support_document("DOC-X", "article", "A copy of an invoice", "…", days=40))

    intake.worked_by(SCENARIO.oracle)

    assert document_of(intake) == ["DOC-invoices"]


@pytest.mark.parametrize(
    ("rate", "is_down"),
    [(LIMIT - 0.1, False), (LIMIT, False), (LIMIT + 0.1, True)],
    ids=["below", "at", "above"],
)
def test_a_service_is_down_only_above_the_limit(rate: float, *, is_down: bool) -> None:
    intake = worked(ticket("TD-1", EXPORT), SVC_1=Rate(rate))

    assert document_of(intake) == (["DOC-SVC-1"] if is_down else ["DOC-exports"])
    assert dict(intake.acts("TD-1"))["route"] == ("platform" if is_down else "integrations")
    assert dict(intake.acts("TD-1")).get("link") == ("TD-801" if is_down else None)


def test_an_export_is_judged_by_the_service_that_serves_its_customer() -> None:
    intake = Intake(ticket("TD-1", EXPORT, "ACC-1"), ticket("TD-2", EXPORT, "ACC-2"))
    intake.documents.append(contract("DOC-C2", "ACC-2", "plus", customer="Birk & Sons"))
    intake.rates["SVC-2"] = Rate(LIMIT + 5)
    intake.served_by["ACC-2"] = "SVC-2"

    intake.worked_by(SCENARIO.oracle)

    assert document_of(intake, "TD-1") == ["DOC-exports"]
    assert dict(intake.acts("TD-2"))["link"] == "TD-802"


def test_an_export_is_critical_while_its_service_is_down_and_normal_otherwise() -> None:
    rules = rulebook(plus_critical="high", plus_normal="medium")

    down, up = (worked(ticket("TD-1", EXPORT), rules=rules, SVC_1=Rate(rate)) for rate in (9.0, 1.0))

    assert (priority_of(down), priority_of(up)) == ("high", "medium")


def test_the_rate_that_counts_is_the_refreshed_one() -> None:
    intake = worked(ticket("TD-1", EXPORT), SVC_1=Rate(0.2, [9.0]))

    assert document_of(intake) == ["DOC-SVC-1"]


def test_a_rate_that_is_still_stale_is_refreshed_again() -> None:
    intake = worked(ticket("TD-1", EXPORT), SVC_1=Rate(9.0, [9.0, 9.0, 0.2]))

    assert document_of(intake) == ["DOC-exports"]
    refreshed = [given["metric_id"] for given in intake.called("datahub_refresh_data")]
    assert refreshed == ["MET-SVC-1", "MET-SVC-2", "MET-SVC-1", "MET-SVC-1"]


def test_two_services_down_are_a_major_incident_in_which_nothing_is_touched() -> None:
    intake = worked(ticket("TD-1", EXPORT), SVC_1=Rate(9.0), SVC_2=Rate(9.0))

    expected = call("refuse", reason_code="major_incident", evidence=["MET-SVC-1", "MET-SVC-2"])
    assert intake.calls[-1] == (expected["tool_name"], expected["arguments"])
    assert intake.worked == []


@pytest.mark.parametrize(("first", "second"), [(9.0, LIMIT), (LIMIT, 9.0), (LIMIT, LIMIT)])
def test_less_than_two_services_down_are_worked(first: float, second: float) -> None:
    intake = worked(ticket("TD-1", INVOICE), SVC_1=Rate(first), SVC_2=Rate(second))

    assert intake.worked == ["TD-1"]
    assert intake.called("refuse") == []


def test_a_defect_that_the_release_fixed_is_answered_and_closed() -> None:
    intake = worked(ticket("TD-1", IMPORT))

    assert [act for act, _ in intake.acts("TD-1")] == ["answer", "close"]
    assert document_of(intake) == ["DOC-NOTES"]


def test_a_defect_that_is_only_named_as_changed_is_still_open() -> None:
    intake = worked(ticket("TD-1", CALENDAR), rules=rulebook(plus_normal="high"))

    assert intake.acts("TD-1") == [("update", "high"), ("answer", ["DOC-ISSUES"]), ("route", "engineering")]


def test_a_draft_of_the_next_release_fixes_nothing() -> None:
    intake = Intake(ticket("TD-1", CALENDAR))
    body = "## Fixed\n\nCalendar dates are a day off.\n"
    intake.documents.append(
        support_document("DOC-X", "release_notes", "Release 31", body, days=1, status="draft")
    )

    intake.worked_by(SCENARIO.oracle)

    assert document_of(intake) == ["DOC-ISSUES"]


def test_a_ticket_that_names_nothing_is_returned_with_a_question() -> None:
    [(act, question)] = worked(ticket("TD-1", "Problem")).acts("TD-1")

    assert act == "return"
    assert question.endswith("?")


@pytest.mark.parametrize(
    ("second", "is_duplicate"),
    [
        (ticket("TD-2", INVOICE, age_s=MINUTE), True),
        (ticket("TD-2", "Where is INV-1234?", age_s=MINUTE), True),
        (ticket("TD-2", "Copy of INV-9999", age_s=MINUTE), False),
        (ticket("TD-2", INVOICE, "ACC-2", age_s=MINUTE), False),
        (ticket("TD-2", "Copy of ARC-1234", age_s=MINUTE), False),
    ],
    ids=["the-same", "in-other-words", "another-invoice", "another-customer", "another-series"],
)
def test_a_duplicate_is_the_same_thing_of_the_same_customer(second: Shown, *, is_duplicate: bool) -> None:
    intake = Intake(ticket("TD-1", INVOICE), second)
    intake.documents.append(contract("DOC-C2", "ACC-2", "plus", customer="Birk & Sons"))

    intake.worked_by(SCENARIO.oracle)

    assert (intake.acts("TD-2") == [("merge", "TD-1")]) is is_duplicate


def test_the_later_ticket_is_merged_whatever_its_number() -> None:
    intake = worked(ticket("TD-1", INVOICE, age_s=MINUTE), ticket("TD-2", INVOICE, age_s=9 * MINUTE))

    assert intake.acts("TD-1") == [("merge", "TD-2")]


def test_of_two_tickets_of_one_second_the_higher_number_is_merged() -> None:
    intake = worked(ticket("TD-2", INVOICE), ticket("TD-1", INVOICE))

    assert intake.acts("TD-2") == [("merge", "TD-1")]


def test_every_repetition_is_merged_into_the_first_ticket() -> None:
    intake = worked(*(ticket(f"TD-{number}", INVOICE, age_s=(9 - number) * MINUTE) for number in (1, 2, 3)))

    assert intake.acts("TD-2") == intake.acts("TD-3") == [("merge", "TD-1")]


@pytest.mark.parametrize("priority", ["urgent", "high", "medium", "low"])
def test_only_an_urgent_ticket_is_assigned_to_who_is_on_call_for_its_queue(priority: str) -> None:
    intake = worked(ticket("TD-1", INVOICE), rules=rulebook(plus_minor=priority))

    assigned = dict(intake.acts("TD-1")).get("assign")
    assert assigned == ("call.billing" if priority == "urgent" else None)


def test_shouting_changes_no_priority() -> None:
    intake = worked(ticket("TD-1", f"URGENT: {INVOICE}"), rules=rulebook(plus_minor="low"))

    assert priority_of(intake) == "low"


RENEWED = [
    contract("DOC-C1", "ACC-1", "standard", status="superseded"),
    contract("DOC-C2", "ACC-1", "plus", age_s=DAY),
]
EDITIONS: dict[str, list[Shown]] = {
    "renewed-yesterday": RENEWED,
    "a-draft": [contract("DOC-C1", "ACC-1", "plus"), contract("DOC-C2", "ACC-1", "premium", status="draft")],
    "not-yet-in-effect": [
        contract("DOC-C1", "ACC-1", "plus"),
        contract("DOC-C2", "ACC-1", "premium", age_s=DAY, effective_from=NOW + DAY),
    ],
    "of-another-customer-with-the-name": [
        contract("DOC-C1", "ACC-1", "plus"),
        contract("DOC-C2", "ACC-11", "premium", age_s=DAY),
    ],
    "two-in-force": [
        contract("DOC-C1", "ACC-1", "standard", age_s=90 * DAY),
        contract("DOC-C2", "ACC-1", "plus", age_s=30 * DAY),
    ],
    "in-effect-from-later-than-written": [
        contract("DOC-C1", "ACC-1", "standard", age_s=20 * DAY),
        contract("DOC-C2", "ACC-1", "plus", age_s=30 * DAY, effective_from=NOW - DAY),
    ],
}


@pytest.mark.parametrize("editions", EDITIONS.values(), ids=EDITIONS)
def test_the_tier_is_that_of_the_edition_in_effect(editions: list[Shown]) -> None:
    intake = Intake(
        ticket("TD-1", INVOICE),
        rules=rulebook(plus_minor="high", standard_minor="medium", premium_minor="urgent"),
    )
    intake.documents[:] = [*(one for one in intake.documents if one["kind"] != "contract"), *editions]

    intake.worked_by(SCENARIO.oracle)

    assert priority_of(intake) == "high"


def test_an_edition_applies_from_the_very_second_it_takes_effect() -> None:
    intake = Intake(ticket("TD-1", INVOICE), rules=rulebook(plus_minor="medium", premium_minor="high"))
    # The rates are refreshed first, which takes a quarter of an hour.
    begun = contract("DOC-C2", "ACC-1", "premium", age_s=DAY, effective_from=NOW + 15 * MINUTE)
    intake.documents.append(begun)

    intake.worked_by(SCENARIO.oracle)

    assert priority_of(intake) == "high"
