"""What may be written while a pile is settled, row by row, and what else an agent does meanwhile."""

from typing import Any

import pytest

from companyos.company.allowances import MESSAGES
from companyos.scenario import Action, Instance, call
from scenarios.invoice_match.allowances import INVOICES, allowed
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.scenario import SCENARIO, Facts
from tests.allowances import unexplained

from ..conftest import instance_of
from ..play import Episode, carry_out, solution
from .drawn_piles import ends_of
from .piles import empty_pile, item_of, only, pile_of

PLAIN, SHORT = pile_of("plain"), pile_of("short")
LACKS, LASTS = (
    next(one for one in (instance_of(SCENARIO, seed) for seed in range(100)) if one.cause == cause)
    for cause in ("lacks", "lasts")
)
ROWS = LACKS.rows
PEOPLE = {row["id"]: row for row in ROWS["datahub"]["people"]}


def unexplained_columns(pile: Pile, **columns: Any) -> set[str]:
    """Return what nothing explains if the only invoice of a pile is written like this."""
    invoice, _ = only(pile)
    return set(unexplained(allowed(pile), INVOICES, {**invoice, **columns}, before=invoice))


@pytest.mark.parametrize(
    ("columns", "outside"),
    [
        ({"status": "paid", "paid_amount": 1.0, "settled_by": "me", "version": 2}, set()),
        ({"status": "paid", "paid_to": "DE-ELSEWHERE"}, {"paid_to"}),
        ({"status": "on_hold", "reason_code": "bank_unconfirmed"}, set()),
        ({"status": "returned", "reason_code": "duplicate"}, {"status", "reason_code"}),
        ({"status": "paid", "clerk": "somebody.else"}, {"clerk"}),
    ],
    ids=["paid", "elsewhere", "held", "returned", "given away"],
)
def test_an_invoice_may_get_its_right_outcome_or_be_held(columns: dict[str, Any], outside: set[str]) -> None:
    _, end = only(PLAIN)
    if "paid_to" not in columns and columns["status"] == "paid":
        columns = {**columns, "paid_to": end.removeprefix("pay:")}

    assert unexplained_columns(PLAIN, **columns) == outside


@pytest.mark.parametrize(("off", "outside"), [(0.01, set()), (0.5, {"claimed_amount"})])
def test_a_claim_may_be_off_by_cents(off: float, outside: set[str]) -> None:
    _, reason, amount, account = only(SHORT)[1].split(":")
    columns = {"status": "claimed", "reason_code": reason, "paid_to": account, "paid_amount": 1.0}

    assert unexplained_columns(SHORT, **columns, claimed_amount=float(amount) + off) == outside


def test_only_invoices_of_the_pile_may_be_held_and_only_while_payments_go_on() -> None:
    invoice, _ = only(PLAIN)
    held = {"status": "on_hold", "reason_code": "goods_missing"}
    other = {**invoice, "id": "INV-OTHER"}

    assert unexplained(allowed(PLAIN), INVOICES, {**other, **held}, before=other)
    assert not any(one.table == INVOICES for one in allowed(empty_pile(stopped=True)))


@pytest.mark.parametrize("part", ["order", "invoice"])
def test_the_receiver_of_an_order_may_be_asked_about_it_and_a_stranger_may_not(part: str) -> None:
    invoice, _ = only(SHORT)
    about = item_of(SHORT, invoice).order_id if part == "order" else invoice["id"]
    message = {"id": "MSG-1", "about": about, "subject": "Rest", "body": "Does the rest come?"}
    receiver = SHORT.company.row("datahub", "purchase_orders", invoice["order_id"])["receiver"]

    for recipient in (receiver, SHORT.people.lead.id, SHORT.people.buyer.id):
        assert not unexplained(allowed(SHORT), MESSAGES, {**message, "recipient": recipient})
    for other in ({"recipient": SHORT.people.others[0].id}, {"recipient": receiver, "about": "PO-OTHER"}):
        assert unexplained(allowed(SHORT), MESSAGES, {**message, **other})


def outcome(url: str, *first: Action, of: Instance[Facts] = LACKS) -> Episode:
    """Play the oracle's calls after other acts."""
    plan = solution(url, SCENARIO, of.seed, tools="all")
    return carry_out(url, SCENARIO, of.seed, [*first, *plan], tools="all")


def message(to: str, about: str) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="Everything has come, pay it all.")


def person(role: str) -> str:
    """Return the first colleague with a role."""
    return min(str(key) for key, one in PEOPLE.items() if one["role"] == role and key != LACKS.persona.id)


ORDER, RECEIVER = next((item.order_id, item.receiver) for item in LACKS.facts.week.items if item.receiver)
BILLED = {row["id"]: row["order_id"] for row in ROWS["datahub"]["invoices"]}
INVOICE = next(key for key in ends_of(LACKS) if BILLED[key] == ORDER)
LEAD, CLERK, STRANGER = person("payables_lead"), person("payables_clerk"), person("technician")
CALL_BACK = next(
    row["id"]
    for row in ROWS["ticketdesk"]["tickets"]
    if row["kind"] == "call_back" and row["status"] == "new"
)


@pytest.mark.parametrize(
    ("acts", "outside"),
    [
        ([message(STRANGER, INVOICE)], "datahub/messages"),
        ([message(CLERK, ORDER)], "datahub/messages"),
        ([message(RECEIVER, INVOICE)] * 4, "datahub/messages"),
        ([message(LEAD, LACKS.persona.id)], "datahub/messages"),
        (
            [call("ticketdesk_assign_ticket", ticket_id=CALL_BACK, assignee=LACKS.persona.id)],
            "ticketdesk/tickets",
        ),
        (
            [call("ticketdesk_add_comment", ticket_id=CALL_BACK, body="It was confirmed.")],
            "ticketdesk/comments",
        ),
    ],
    ids=["stranger", "other clerk", "many questions", "about nothing", "ticket", "comment"],
)
def test_an_extra_act_costs_success(url: str, acts: list[Action], outside: str) -> None:
    episode = outcome(url, *acts)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


def test_questions_to_those_who_take_part_keep_the_success(url: str) -> None:
    questions = [message(LEAD, INVOICE), message(RECEIVER, ORDER), message(person("treasurer"), INVOICE)]

    episode = outcome(url, *questions)

    assert episode.success, episode.grade["collateral"]


def test_a_question_to_the_lead_keeps_a_refusal_and_a_hold_does_not(url: str) -> None:
    invoice = next(iter(ends_of(LASTS)))
    lead = next(row["id"] for row in LASTS.rows["datahub"]["people"] if row["role"] == "payables_lead")
    held = call("datahub_settle_invoice", invoice_id=invoice, disposition="hold", reason_code="goods_missing")

    asked = outcome(url, message(lead, invoice), of=LASTS)

    assert asked.success, asked.grade["collateral"]
    assert outcome(url, held, of=LASTS).grade["collateral"]
