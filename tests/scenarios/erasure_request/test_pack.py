"""The background of customer care: other customers, and past erasures of which little is left."""

import json
from functools import cache

from companyos.company import Company
from companyos.sdk.simtime import HOUR
from scenarios.erasure_request import words
from scenarios.erasure_request.files import GOODWILL
from scenarios.erasure_request.pack import (
    HEAD,
    HOLD_METRIC,
    REQUEST,
    forgot,
    mail_age_s,
    open_request,
    served,
)

from .registered import Row, staffed

STORIES = 80


@cache
def serving() -> Company:
    """Return a company with many customers."""
    company, cast = staffed(1)
    for number in range(STORIES):
        served(company, cast, number)
    return company


@cache
def forgetting() -> Company:
    """Return a company that has forgotten many customers."""
    company, cast = staffed(2)
    for number in range(STORIES):
        forgot(company, cast, number)
    return company


def records(kind: str) -> list[Row]:
    return [row for row in serving().rows["datahub"]["records"] if row["kind"] == kind]


def tickets(company: Company) -> list[Row]:
    return list(company.rows["ticketdesk"]["tickets"])


def test_each_customer_has_an_order_and_a_case() -> None:
    customers = records("customer")
    numbers = [row["fields"]["customer_no"] for row in customers]

    assert len(customers) == STORIES
    assert [row["fields"]["customer_no"] for row in records("order")] == numbers
    assert [row["subject"] for row in tickets(serving())] == [row["id"] for row in customers]


def test_only_some_customers_have_an_invoice_a_hold_or_a_payment() -> None:
    counts = [len(records("invoice")), len(records("legal_hold"))]
    counts.append(len(serving().rows["approvalflow"]["requests"]))

    assert all(0 < count < STORIES for count in counts)


def test_customers_have_every_kind_of_object_among_them() -> None:
    rows = serving().rows["datahub"]

    assert {row["kind"] for row in rows["documents"]} == {"letter", "minutes"}
    assert rows["messages"]
    assert rows["entitlements"]
    assert {row["kind"] for row in rows["records"]} & set(words.FORMS)


def test_invoices_of_other_customers_name_their_order_and_no_number() -> None:
    orders = {row["id"]: row["fields"]["customer_no"] for row in records("order")}

    for invoice in records("invoice"):
        assert invoice["fields"]["order"] in orders
        assert orders[invoice["fields"]["order"]] not in json.dumps(invoice["fields"])


def test_the_flag_of_every_other_hold_says_that_it_is_in_force_and_is_sometimes_wrong() -> None:
    metrics = [row for row in serving().rows["datahub"]["metrics"] if row["name"] == HOLD_METRIC]
    fresh = {value for row in metrics for value in serving().source(row["id"])["values"]}

    assert {row["value"] for row in metrics} == {1.0}
    assert fresh == {0.0, 1.0}
    assert {row["fields"]["covers"] for row in records("legal_hold")} == {"everything"}


def test_payments_are_approved_by_the_head_of_care() -> None:
    company = serving()
    people = {row["id"]: row["role"] for row in company.rows["datahub"]["people"]}
    requests = company.rows["approvalflow"]["requests"]

    assert {(row["type"], row["status"]) for row in requests} == {(GOODWILL, "approved")}
    assert {people[row["decided_by"]] for row in requests} == {HEAD}


def test_of_a_customer_who_was_forgotten_only_the_ticket_and_the_mail_are_left() -> None:
    rows = forgetting().rows
    left = {
        (service, table)
        for service, tables in rows.items()
        for table, listed in tables.items()
        if any("K-" in str(row) for row in listed)
    }

    assert left <= {("ticketdesk", "tickets"), ("datahub", "messages"), ("approvalflow", "tickets")}
    assert not rows["datahub"]["records"]
    assert len(rows["datahub"]["messages"]) == len(tickets(forgetting())) == STORIES


def test_a_past_erasure_was_closed_after_its_mail_had_come() -> None:
    mails = {row["id"]: row for row in forgetting().rows["datahub"]["messages"]}

    for ticket in tickets(forgetting()):
        mail = mails[ticket["subject"]]
        assert (ticket["kind"], ticket["status"]) == (REQUEST, "closed")
        assert HOUR <= ticket["created_at"] - mail["sent_at"] <= 30 * HOUR
        assert mail["recipient"] == "Legal"


def test_past_requests_name_the_number_that_the_mail_states_or_none() -> None:
    mails = {row["id"]: row["body"] for row in forgetting().rows["datahub"]["messages"]}
    named = 0
    for ticket in tickets(forgetting()):
        claimed = [word.strip(".,") for word in ticket["description"].split() if word.startswith("K-")]
        named += bool(claimed)

        assert all(number in mails[ticket["subject"]] for number in claimed)
    assert 0 < named < STORIES


def test_a_request_names_its_mail_and_the_customer() -> None:
    company, cast = staffed(0)

    ticket = open_request(company, "TD-7", "Ann Lee", "MSG-0007", "K-101", cast.reporter)

    assert ticket["title"] == "Erasure request of Ann Lee"
    assert "MSG-0007" in ticket["description"]
    assert "Ann Lee" in ticket["description"]
    assert "{" not in ticket["description"]


def test_a_reporter_may_name_a_customer_number_or_say_nothing_of_it() -> None:
    said = set()
    for seed in range(30):
        company, cast = staffed(seed)
        ticket = open_request(company, "TD-7", "Ann Lee", "MSG-0007", "K-101", cast.reporter)
        said.add("K-101" in ticket["description"])

    assert said == {True, False}


def test_a_mail_is_as_old_as_its_ticket_and_some_hours() -> None:
    for seed in range(30):
        company, cast = staffed(seed)
        ticket = open_request(company, "TD-7", "Ann Lee", "MSG-0007", "K-101", cast.reporter)

        hours = (mail_age_s(company, ticket) - (company.start - ticket["created_at"])) / HOUR

        assert hours in range(1, 31)


def test_customer_care_texts_contain_no_identifiers() -> None:
    texts = [*words.CHATTER, *words.LETTERS, *(text for pair in words.MAILS for text in pair)]

    assert not [text for text in texts if "K-" in text or "@" in text or "ORD-" in text]
