"""The right outcome of a ticket, from rules, services and documents written by hand."""

import pytest

from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.content import DEFECTS, FAILURE, QUESTIONS, TIERS, Topic
from scenarios.support_triage.rulebook import answer_s

from .mornings import ARRIVED, LIBRARY, NORTH, SOUTH, answering, rulebook, support_case

INVOICES, CARDS = QUESTIONS[0], QUESTIONS[1]
IMPORTS, CALENDARS = DEFECTS


@pytest.mark.parametrize(("topic", "queue"), [(INVOICES, "billing"), (CARDS, "care")])
def test_a_question_goes_to_its_topics_queue_with_its_topics_article(topic: Topic, queue: str) -> None:
    settled = answering(rulebook()).settled(support_case("question", topic))

    assert (settled.queue, settled.document) == (queue, LIBRARY.articles[topic.id])
    assert settled.relates is None


@pytest.mark.parametrize("tier", TIERS)
def test_a_question_is_minor_and_ranked_by_the_tier_of_the_contract(tier: str) -> None:
    rules = rulebook(**{f"{tier}_minor": "high"})

    settled = answering(rules).settled(support_case("question", INVOICES, tier))

    assert settled.priority == "high"


def test_the_tier_on_file_does_not_count() -> None:
    rules = rulebook(plus_minor="medium", standard_minor="urgent")

    settled = answering(rules).settled(support_case("question", INVOICES, "plus"))

    assert settled.account["fields"]["tier"] == "standard"
    assert settled.priority == "medium"


def test_a_failing_export_of_a_service_that_is_down_is_an_incident() -> None:
    rules = rulebook(plus_critical="high", plus_normal="medium")

    settled = answering(rules, NORTH).settled(support_case("failure", FAILURE, served_by=NORTH))

    assert (settled.queue, settled.priority) == ("platform", "high")
    assert (settled.document, settled.relates) == ("DOC-NORTH", "TD-801")


def test_a_failing_export_of_a_service_that_is_up_is_the_customers_own_affair() -> None:
    rules = rulebook(plus_critical="high", plus_normal="medium")

    settled = answering(rules, NORTH).settled(support_case("failure", FAILURE, served_by=SOUTH))

    assert (settled.queue, settled.priority) == ("integrations", "medium")
    assert (settled.document, settled.relates) == (LIBRARY.articles["exports"], None)


@pytest.mark.parametrize(
    ("service", "notice", "incident"), [(NORTH, "DOC-NORTH", "TD-801"), (SOUTH, "DOC-SOUTH", "TD-802")]
)
def test_each_service_has_its_own_notice_and_incident(service: str, notice: str, incident: str) -> None:
    case = support_case("failure", FAILURE, served_by=service)

    settled = answering(rulebook(), NORTH, SOUTH).settled(case)

    assert (settled.document, settled.relates) == (notice, incident)


def test_an_open_defect_goes_to_the_defects_queue_with_the_known_issues() -> None:
    settled = answering(rulebook(plus_normal="medium")).settled(support_case("defect", CALENDARS))

    assert (settled.queue, settled.priority, settled.document) == ("engineering", "medium", "DOC-ISSUES")


def test_a_fixed_defect_is_answered_with_the_release_notes_and_keeps_its_place() -> None:
    settled = answering(rulebook(plus_normal="urgent")).settled(support_case("fixed", IMPORTS))

    assert settled.document == "DOC-NOTES"
    assert (settled.queue, settled.priority, settled.assignee) == (None, None, None)


def test_a_fixed_defect_is_answered_as_soon_as_its_priority_would_ask() -> None:
    settled = answering(rulebook(plus_normal="high")).settled(support_case("fixed", IMPORTS))

    assert settled.due == ARRIVED + answer_s()["plus", "high"]


@pytest.mark.parametrize("sort", ["vague", "duplicate"])
def test_unanswered_sorts_have_only_their_own_requirement(sort: str) -> None:
    case = support_case(sort, None)

    assert answering(rulebook(plus_minor="urgent"), NORTH).settled(case) == case
    assert not case.is_answered


@pytest.mark.parametrize("sort", ["question", "failure", "fixed", "defect"])
def test_every_other_ticket_is_answered(sort: str) -> None:
    assert support_case(sort, INVOICES).is_answered


@pytest.mark.parametrize(
    ("priority", "assignee"), [("urgent", "call.billing"), ("high", None), ("medium", None), ("low", None)]
)
def test_only_an_urgent_ticket_is_assigned_to_who_is_on_call_for_its_queue(
    priority: str, assignee: str | None
) -> None:
    settled = answering(rulebook(plus_minor=priority)).settled(support_case("question", INVOICES))

    assert settled.assignee == assignee


def test_an_incident_is_assigned_to_who_is_on_call_for_services_that_are_down() -> None:
    case = support_case("failure", FAILURE)

    settled = answering(rulebook(plus_critical="urgent"), NORTH).settled(case)

    assert settled.assignee == "call.platform"


@pytest.mark.parametrize(
    ("tier", "priority", "minutes"),
    [
        ("standard", "urgent", 210),
        ("standard", "low", 240),
        ("plus", "high", 205),
        ("premium", "urgent", 180),
        ("premium", "medium", 200),
    ],
)
def test_an_answer_is_due_by_tier_and_priority_from_the_arrival_on(
    tier: str, priority: str, minutes: int
) -> None:
    rules = rulebook(**{f"{tier}_minor": priority})

    settled = answering(rules).settled(support_case("question", INVOICES, tier))

    assert settled.due == ARRIVED + minutes * MINUTE


def test_urgent_tickets_leave_time_to_refresh_both_rates() -> None:
    assert min(answer_s().values()) > 2 * HOUR


def test_an_outcome_changes_nothing_of_the_ticket_itself() -> None:
    case = support_case("failure", FAILURE)

    settled = answering(rulebook(), NORTH).settled(case)

    for name in ("ticket_id", "sort", "topic", "account", "thing", "at", "tier", "title", "text", "into"):
        assert getattr(settled, name) == getattr(case, name)
