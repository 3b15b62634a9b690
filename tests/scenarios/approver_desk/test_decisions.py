"""What the oracle decides about requests written by hand: the cover, the statements and the invoices."""

from typing import Any

import pytest

from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.approver_desk import agents

from ..paper import Shown
from .waiting import (
    APART,
    BEFORE_FROM,
    BOSS,
    IN_FORCE_S,
    INVOICE,
    KEEPER,
    ME,
    PURCHASE,
    SECOND,
    TRAINING,
    Inbox,
    dossier,
    quote,
)

TO_SECOND, TO_KEEPER = f"passed_on:{SECOND}", f"passed_on:{KEEPER}"


def decided(*dossiers: Shown, records: dict[str, str] | None = None) -> list[str]:
    """Return what the oracle does with each of these requests."""
    inbox = Inbox(*dossiers)
    inbox.records = records or {}
    inbox.worked_by(agents.oracle)
    return [inbox.settled[one["id"]] for one in dossiers]


def invoice(request_id: str, number: str, **columns: Any) -> Shown:
    return dossier(request_id, type=INVOICE, invoice_number=number, **columns)


def test_a_request_with_nothing_wrong_is_approved() -> None:
    assert decided(dossier("APR-1")) == ["approved"]


def test_every_request_is_settled_once_and_the_task_finished_last() -> None:
    inbox = Inbox(*(dossier(f"APR-{number}") for number in range(1, 6)))

    inbox.worked_by(agents.oracle)

    ended = [name for name, _ in inbox.calls if name in ("approvalflow_decide_request", "finish")]
    assert ended == [*["approvalflow_decide_request"] * 5, "finish"]
    assert inbox.calls[-1][0] == "finish"


@pytest.mark.parametrize(
    ("type_id", "limit"),
    [(PURCHASE, 8000.0), (INVOICE, 5000.0), (TRAINING, 2000.0)],
    ids=["purchase", "invoice", "training"],
)
def test_what_is_above_the_limit_of_its_type_is_passed_on_and_the_limit_itself_is_not(
    type_id: str, limit: float
) -> None:
    within, above = (
        dossier(f"APR-{number}", amount, type=type_id, quotes=["Q-1", "Q-2"])
        for number, amount in ((1, limit), (2, limit + 0.01))
    )
    inbox = Inbox(within, above)
    inbox.documents += [quote("Q-1", "Linden Works"), quote("Q-2", "Harbor Tools")]

    inbox.worked_by(agents.oracle)

    assert inbox.settled == {"APR-1": "approved", "APR-2": TO_SECOND}


@pytest.mark.parametrize("requester", [ME, BOSS], ids=["the-agent", "the-agents-manager"])
def test_what_the_agent_or_their_manager_made_is_passed_on(requester: str) -> None:
    assert decided(dossier("APR-1", requester=requester)) == [TO_SECOND]


@pytest.mark.parametrize(
    "columns",
    [{}, {"amount": 9000.0}, {"requester": ME}, {"things": {"Gift card": 1.0}}],
    ids=["small", "above-the-limit", "the-agents-own", "wrong-in-itself"],
)
def test_everything_on_the_cost_centre_apart_goes_to_its_keeper(columns: dict[str, Any]) -> None:
    assert decided(dossier("APR-1", cost_centre=APART, **columns)) == [TO_KEEPER]


@pytest.mark.parametrize(
    ("cost", "end"),
    [
        (390.0, "rejected:amount_mismatch"),
        (399.98, "rejected:amount_mismatch"),
        (400.02, "rejected:amount_mismatch"),
        (399.995, "approved"),
        (400.0, "approved"),
    ],
)
def test_line_items_have_to_add_up_but_for_less_than_a_cent(cost: float, end: str) -> None:
    asked = dossier("APR-1", 400.0, things={"Whiteboard": cost - 100.0, "Hand scanner": 100.0})

    assert decided(asked) == [end]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Mobile phone", "rejected:not_eligible"),
        ("MOBILE PHONE, 128 GB", "rejected:not_eligible"),
        ("Gift card", "rejected:not_eligible"),
        ("Case for a mobile phone", "approved"),
        ("Tablet computer", "approved"),
    ],
)
def test_what_the_version_in_force_excludes_is_not_eligible(text: str, end: str) -> None:
    assert decided(dossier("APR-1", things={"Whiteboard": 300.0, text: 100.0})) == [end]


@pytest.mark.parametrize(
    ("age_s", "ends"),
    [
        (IN_FORCE_S - 1, ["rejected:not_eligible", "approved"]),
        (IN_FORCE_S, ["rejected:not_eligible", "approved"]),
        (IN_FORCE_S + 1, ["approved", "rejected:not_eligible"]),
        (400 * 24 * HOUR, ["approved", "rejected:not_eligible"]),
    ],
    ids=["after", "of-the-same-second", "before", "before-any-version"],
)
def test_the_version_that_counts_is_the_one_in_force_on_submission(age_s: int, ends: list[str]) -> None:
    now_excluded = dossier("APR-1", age_s=age_s, things={"Gift card": 400.0})
    excluded_before = dossier("APR-2", age_s=age_s, things={"Tablet computer": 400.0})

    assert decided(now_excluded, excluded_before) == ends


def test_a_wrong_amount_is_told_before_an_exclusion() -> None:
    assert decided(dossier("APR-1", things={"Gift card": 1.0})) == ["rejected:amount_mismatch"]


def test_an_invoice_on_record_as_paid_is_a_duplicate() -> None:
    records = {"Invoice RE-30001, Linden Works": "Linden Works"}

    assert decided(invoice("APR-1", "RE-30001"), records=records) == ["rejected:duplicate"]


def test_the_same_number_of_another_supplier_is_another_invoice() -> None:
    records = {"Invoice RE-30001, Harbor Tools": "Harbor Tools"}

    assert decided(invoice("APR-1", "RE-30001"), records=records) == ["approved"]


def test_another_number_of_the_same_supplier_is_another_invoice() -> None:
    records = {"Invoice RE-30001, Linden Works": "Linden Works"}

    assert decided(invoice("APR-1", "RE-30002"), records=records) == ["approved"]


def test_of_two_waiting_requests_for_one_invoice_the_later_is_the_duplicate() -> None:
    later = invoice("APR-1", "RE-30001", age_s=MINUTE)
    earlier = invoice("APR-2", "RE-30001", age_s=HOUR)

    assert decided(later, earlier) == ["rejected:duplicate", "approved"]


def test_three_waiting_requests_for_one_invoice_leave_one() -> None:
    ends = decided(*(invoice(f"APR-{number}", "RE-30001", age_s=number * HOUR) for number in (1, 2, 3)))

    assert ends == ["rejected:duplicate", "rejected:duplicate", "approved"]


def test_two_suppliers_may_use_one_number() -> None:
    ends = decided(invoice("APR-1", "RE-30001"), invoice("APR-2", "RE-30001", supplier="Harbor Tools"))

    assert ends == ["approved", "approved"]


def test_invoices_of_one_second_are_taken_by_id_whatever_the_order_of_the_inbox() -> None:
    ends = decided(invoice("APR-2", "RE-30001"), invoice("APR-1", "RE-30001"))

    assert ends == ["rejected:duplicate", "approved"]


def test_nothing_is_looked_up_among_the_records_but_invoices() -> None:
    inbox = Inbox(dossier("APR-1"), invoice("APR-2", "RE-30001"))

    inbox.worked_by(agents.oracle)

    assert inbox.called("datahub_list_records") == [{"q": "RE-30001"}]


def test_an_amount_below_that_of_the_version_before_needs_no_quotes_if_older() -> None:
    older = dossier("APR-1", BEFORE_FROM - 10.0, age_s=IN_FORCE_S + HOUR)

    inbox = Inbox(older)
    inbox.worked_by(agents.oracle)

    assert inbox.settled == {"APR-1": "approved"}
    assert inbox.called("approvalflow_ask_requester") == []
