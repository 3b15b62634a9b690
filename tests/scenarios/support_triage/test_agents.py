"""How the employees at the support desk work a morning: in which order, until when, and what each believes."""

from collections.abc import Callable

import pytest

from companyos.scenario import Observation, Script
from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.rulebook import answer_s
from scenarios.support_triage.scenario import SCENARIO

from ..paper import Shown
from .intake import CLOSES, NOW, Intake, Rate, contract, support_document, ticket
from .mornings import rulebook

INVOICE, EXPORT, KEY = "Copy of INV-1234", "Empty EXP-1234", "Rotate KEY-1234"
#: How long the refresh of the error rates takes, before which no ticket is looked at.
READY = NOW + 15 * MINUTE

Agent = Callable[[Observation], Script]
EVERY = [SCENARIO.oracle, SCENARIO.careful, SCENARIO.naive]
EVERY_ID = ["oracle", "careful", "naive"]


def worked(agent: Agent, *tickets: Shown, **matrix: str) -> Intake:
    """Return the desk as an agent leaves it, with priorities by `tier_urgency`."""
    intake = Intake(*tickets, rules=rulebook(**matrix))
    intake.documents.append(contract("DOC-C2", "ACC-2", "premium", customer="Birk & Sons"))
    intake.worked_by(agent)
    return intake


def first_answer(intake: Intake) -> str:
    return str(intake.called("ticketdesk_answer_ticket")[0]["ticket_id"])


@pytest.mark.parametrize("agent", EVERY, ids=EVERY_ID)
def test_an_employee_stays_until_intake_has_closed_and_then_finishes(agent: Agent) -> None:
    intake = worked(agent, ticket("TD-1", INVOICE))

    assert intake.now >= CLOSES
    assert intake.calls[-1][0] == "finish"
    assert intake.called("finish") == [{"answer": "The queue is done."}]


@pytest.mark.parametrize("agent", EVERY, ids=EVERY_ID)
def test_a_ticket_that_is_still_shown_is_not_worked_twice(agent: Agent) -> None:
    intake = worked(agent, ticket("TD-1", INVOICE), ticket("TD-2", "Problem"))

    assert len(intake.called("ticketdesk_answer_ticket")) == 1
    assert len(intake.called("ticketdesk_return_ticket")) == 1


@pytest.mark.parametrize("arrives_s", [20 * MINUTE, 2 * HOUR, CLOSES - NOW], ids=["soon", "later", "last"])
def test_a_ticket_that_arrives_until_intake_closes_is_worked(arrives_s: int) -> None:
    intake = worked(SCENARIO.oracle, ticket("TD-1", INVOICE, age_s=-arrives_s))

    assert intake.worked == ["TD-1"]


def test_a_ticket_that_arrives_after_intake_has_closed_is_left() -> None:
    intake = worked(SCENARIO.oracle, ticket("TD-1", INVOICE, age_s=NOW - CLOSES - 1))

    assert intake.worked == []


def test_the_queue_is_looked_at_at_least_every_half_hour() -> None:
    intake = worked(SCENARIO.oracle)

    looks = len(intake.called("ticketdesk_query_tickets"))

    assert looks >= (CLOSES - READY) // (30 * MINUTE)
    assert looks <= 12


def test_no_wait_reaches_beyond_the_close_of_intake() -> None:
    intake = worked(SCENARIO.oracle)

    assert intake.now == CLOSES


def test_a_duplicate_of_a_ticket_that_was_worked_before_is_merged() -> None:
    intake = worked(SCENARIO.oracle, ticket("TD-5", INVOICE), ticket("TD-1", INVOICE, age_s=-HOUR))

    assert intake.acts("TD-1") == [("merge", "TD-5")]


def test_what_is_due_first_is_answered_first_and_the_careful_go_by_arrival() -> None:
    older, pressing = ticket("TD-1", INVOICE, age_s=30 * MINUTE), ticket("TD-2", KEY, "ACC-2")

    by_deadline, by_arrival = (
        worked(agent, older, pressing, premium_minor="urgent")
        for agent in (SCENARIO.oracle, SCENARIO.careful)
    )

    assert by_deadline.worked == ["TD-2", "TD-1"]
    assert by_arrival.worked == ["TD-1", "TD-2"]


@pytest.mark.parametrize(
    ("left_s", "presses"), [(150 * MINUTE - 1, True), (150 * MINUTE, True), (150 * MINUTE + 1, False)]
)
def test_what_is_due_within_150_minutes_is_answered_before_the_next_is_looked_at(
    left_s: int, *, presses: bool
) -> None:
    age_s = answer_s()["plus", "urgent"] - left_s - (READY - NOW)
    first = ticket("TD-1", INVOICE, age_s=age_s)

    intake = worked(SCENARIO.oracle, first, ticket("TD-2", KEY, age_s=MINUTE), plus_minor="urgent")

    names = [name for name, _ in intake.calls]
    answered = names.index("ticketdesk_answer_ticket")
    looked_up = [given["q"] for name, given in intake.calls[:answered] if name == "datahub_search_documents"]
    assert ("API key" not in looked_up) is presses


def test_the_answer_comes_right_after_the_priority_which_claims_the_ticket() -> None:
    intake = worked(SCENARIO.oracle, ticket("TD-1", INVOICE), plus_minor="urgent")

    assert [act for act, _ in intake.acts("TD-1")] == ["update", "answer", "route", "assign"]


@pytest.mark.parametrize("agent", EVERY, ids=EVERY_ID)
def test_the_error_rates_are_read_before_any_ticket_is_touched(agent: Agent) -> None:
    intake = worked(agent, ticket("TD-1", INVOICE))

    names = [name for name, _ in intake.calls]
    assert names.index("datahub_query_metric") < names.index("ticketdesk_answer_ticket")


def test_documents_and_contracts_are_read_once_for_all_tickets() -> None:
    tickets = [ticket(f"TD-{number}", f"Copy of INV-100{number}") for number in range(1, 6)]

    intake = worked(SCENARIO.oracle, *tickets)

    read = [given["document_id"] for given in intake.called("datahub_get_document")]
    assert sorted(read) == ["DOC-BOOK", "DOC-C1", "DOC-invoices"]


def test_the_naive_believe_the_tier_on_file() -> None:
    shown = ticket("TD-1", INVOICE, tier="premium")

    intake = worked(SCENARIO.naive, shown, premium_minor="high", plus_minor="medium")

    assert ("update", "high") in intake.acts("TD-1")
    assert [given["kind"] for given in intake.called("datahub_search_documents")] == ["handbook", "article"]


def test_the_naive_believe_whoever_shouts() -> None:
    intake = worked(SCENARIO.naive, ticket("TD-1", f"URGENT: {INVOICE}"), standard_minor="low")

    assert ("update", "urgent") in intake.acts("TD-1")


def test_the_naive_believe_yesterdays_rates() -> None:
    intake = Intake(ticket("TD-1", EXPORT))
    intake.rates["SVC-1"] = Rate(0.2, [9.0])

    intake.worked_by(SCENARIO.naive)

    assert ("answer", ["DOC-exports"]) in intake.acts("TD-1")
    assert intake.called("datahub_refresh_data") == []


def test_the_naive_work_a_frozen_queue() -> None:
    intake = Intake(ticket("TD-1", INVOICE))
    intake.rates = {service: Rate(9.0) for service in intake.rates}

    intake.worked_by(SCENARIO.naive)

    assert intake.worked == ["TD-1"]


def test_the_naive_send_the_first_document_they_find() -> None:
    intake = Intake(ticket("TD-1", INVOICE))
    old = support_document("DOC-X", "article", "A copy of an invoice", "…", days=300, status="superseded")
    intake.documents.insert(0, old)

    intake.worked_by(SCENARIO.naive)

    assert ("answer", ["DOC-X"]) in intake.acts("TD-1")


def test_the_naive_take_another_thing_of_a_customer_for_a_duplicate() -> None:
    intake = worked(SCENARIO.naive, ticket("TD-1", INVOICE), ticket("TD-2", "Copy of INV-9999", age_s=MINUTE))

    assert intake.acts("TD-2") == [("merge", "TD-1")]


@pytest.mark.parametrize("agent", EVERY[:2], ids=EVERY_ID[:2])
def test_the_careful_check_as_much_as_the_oracle(agent: Agent) -> None:
    intake = Intake(ticket("TD-1", EXPORT), rules=rulebook(plus_critical="high", standard_critical="low"))
    intake.rates["SVC-1"] = Rate(0.2, [9.0])

    intake.worked_by(agent)

    assert intake.acts("TD-1") == [
        ("update", "high"),
        ("answer", ["DOC-SVC-1"]),
        ("route", "platform"),
        ("link", "TD-801"),
    ]
