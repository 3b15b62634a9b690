"""Weeks of invoices made by hand, as the tools show them, and what an agent makes of each invoice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from companyos.scenario import Action, Observation, Script
from companyos.sdk.asking import Asker
from companyos.sdk.simtime import DAY, to_iso
from scenarios.invoice_match import agents
from scenarios.invoice_match.documents import write_documents
from scenarios.invoice_match.terms import Version
from scenarios.invoice_match.words import TRANSFERS

from .. import replies
from ..replies import NOON, replied
from .piles import SPARING, empty_pile, rows

Shown = dict[str, Any]

#: The cash discount that every supplier grants.
DISCOUNT = {"discount_percent": 2, "discount_days": 8}
RECORD, ELSEWHERE, PHONE = "DE-RECORD", "DE-ELSEWHERE", "+49 221 445566"
BOOKED_AT = NOON - 8 * DAY


def observation() -> Observation:
    """Return the first observation of a clerk."""
    return replies.observation("Hi Ann,\n\nthe supplier invoices under your name (ann.clerk) are still open.")


def asker() -> Asker:
    """Return the asker of a clerk who has just read the brief."""
    return Asker(observation())


@cache
def documents(now: Version = SPARING, *, stopped: bool = False) -> tuple[Shown, ...]:
    """Return the handbook and the notices of a company with these rules, as they are shown."""
    pile = empty_pile(now=now, stopped=stopped)
    write_documents(pile.company, pile.people, pile.terms)
    return tuple({**one, "written_at": to_iso(one["written_at"])} for one in rows(pile, "documents"))


def line(quantity: int, price: float, per: int = 1, number: int = 1) -> Shown:
    """Return a line of gear oil, or of whatever else its number stands for."""
    text = "Gear oil" if number == 1 else f"Article {number}"
    amount = round(quantity * price / per, 2)
    return {
        "line": number,
        "text": text,
        "quantity": quantity,
        "unit_price": price,
        "price_per": per,
        "amount": amount,
    }


def invoice(invoice_id: str = "INV-1", *lines: Shown, **columns: Any) -> Shown:
    """Return an open invoice of 100 units at 10.00 on an order that its number names."""
    number = invoice_id.rpartition("-")[2]
    billed = [*(lines or [line(100, 10.0)])]
    usual = {
        "id": invoice_id,
        "kind": "invoice",
        "number": f"RE-{number}",
        "supplier_id": "SUP-1",
        "invoiced_at": to_iso(NOON - 3 * DAY),
        "currency": "EUR",
        "lines": billed,
        "total": round(sum(one["amount"] for one in billed), 2),
        "account": RECORD,
        "order_id": f"PO-{number}",
        "delivery_note": f"DN-{number}",
        "credits": None,
        "status": "open",
    }
    return {**usual, **columns}


def credit_note(credited: Shown, total: float, **columns: Any) -> Shown:
    """Return a credit note for an invoice."""
    about = {"kind": "credit_note", "credits": credited["number"], "delivery_note": None, "number": "CN-1"}
    return invoice("INV-9", line(1, total), **{**about, "order_id": credited["order_id"], **columns})


def receipt(note: str, *counts: int, at: int = BOOKED_AT) -> Shown:
    """Return a receipt with the units counted of line 1, 2 and so on."""
    counted = [{"line": number, "quantity": count} for number, count in enumerate(counts, start=1)]
    return {"delivery_note": note, "at": to_iso(at), "lines": counted}


def order(order_id: str = "PO-1", *lines: Shown, **columns: Any) -> Shown:
    """Return an order of 100 units at 10.00, delivered in full."""
    number = order_id.rpartition("-")[2]
    ordered = [*(lines or [line(100, 10.0)])]
    usual = {
        "id": order_id,
        "supplier_id": "SUP-1",
        "currency": "EUR",
        "receiver": "rob.gate",
        "status": "open",
        "lines": ordered,
        "receipts": [receipt(f"DN-{number}", *(one["quantity"] for one in ordered))],
        "invoices": [],
    }
    return {**usual, **columns}


def transfer(amount: float, text: str = TRANSFERS[0], **columns: Any) -> Shown:
    """Return Treasury's mail about a transfer to the usual supplier, two days ago."""
    day = to_iso(NOON - 2 * DAY)[:10]
    body = text.format(amount=f"{amount:.2f}", supplier="Supplier SUP-1", day=day, clerk="Ann Clerk")
    usual = {"id": "MSG-1", "about": "SUP-1", "sender": "tom.bank", "subject": "Transfer to Supplier SUP-1"}
    return {**usual, "body": body, **columns}


@dataclass(frozen=True)
class Week:
    """What the tools answer during a week.

    Attributes:
        tickets: The call-back tickets.
        amendments: The price amendments in force.
        mails: The messages that are there from the start.
        answers: What the receivers answer, by order.
        counts: The receipt that is booked of an order while the agent works, and when.
    """

    invoices: tuple[Shown, ...]
    orders: tuple[Shown, ...]
    now: Version = SPARING
    stopped: bool = False
    tickets: tuple[Shown, ...] = ()
    amendments: tuple[Shown, ...] = ()
    mails: tuple[Shown, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, tuple[int, Shown]] = field(default_factory=dict)

    def reply(self, action: Action, now: int) -> Any:
        """Return the answer of a tool at a time."""
        given, texts = action["arguments"], (*documents(self.now, stopped=self.stopped), *self.amendments)
        match action["tool_name"]:
            case "datahub_list_invoices":
                return {"items": self.invoices}
            case "datahub_get_invoice":
                return _with_id(self.invoices, given["invoice_id"])
            case "datahub_get_order":
                return self._order(given["order_id"], now)
            case "datahub_get_record":
                fields = {"account": RECORD, "phone": PHONE, **DISCOUNT}
                return {"id": given["record_id"], "name": f"Supplier {given['record_id']}", "fields": fields}
            case "datahub_search_documents":
                wanted = {name: given[name] for name in ("kind", "status") if name in given}
                return {"items": [one for one in texts if wanted.items() <= one.items()]}
            case "datahub_get_document":
                return _with_id(texts, given["document_id"])
            case "ticketdesk_search_tickets":
                return {"items": self.tickets}
            case "datahub_list_messages":
                told = [
                    {"id": about, "about": about, "sender": "rob.gate", "subject": f"Re: About {about}"}
                    for about in self.answers
                ]
                return {"items": [*self.mails, *told]}
            case "datahub_get_message":
                bodies = {**self.answers, **{one["id"]: one["body"] for one in self.mails}}
                return {"body": bodies[given["message_id"]]}
        return {}

    def _order(self, order_id: str, now: int) -> Shown | str:
        found = _with_id(self.orders, order_id)
        at, counted = self.counts.get(order_id, (0, None))
        if isinstance(found, str) or counted is None or now < at:
            return found
        return {**found, "receipts": [*found["receipts"], counted]}


def _with_id(shown: tuple[Shown, ...], wanted: str) -> Shown | str:
    return next((one for one in shown if one["id"] == wanted), "not_found")


def week(*facts: Shown, **given: Any) -> Week:
    """Return a week of these invoices and orders; an invoice without its order gets the usual one."""
    bills = tuple(one for one in facts if "number" in one)
    orders = {one["id"]: one for one in facts if "receipts" in one}
    for one in bills:
        if one["order_id"] is not None:
            orders.setdefault(one["order_id"], order(one["order_id"]))
    return Week(bills, tuple(orders.values()), **given)


def without_order(of: Week, order_id: str) -> Week:
    """Return a week in which an order does not exist."""
    return replace(of, orders=tuple(one for one in of.orders if one["id"] != order_id))


def played(of: Week, agent: Callable[[Observation], Script] = agents.oracle) -> list[Action]:
    """Return everything that an agent does in a week."""
    return replied(agent(observation()), of.reply)[1]


def settled(of: Week, agent: Callable[[Observation], Script] = agents.oracle) -> dict[str, Shown]:
    """Return how an agent settles each invoice, without its id."""
    calls = [one["arguments"] for one in played(of, agent) if one["tool_name"] == "datahub_settle_invoice"]
    return {
        one["invoice_id"]: {name: value for name, value in one.items() if name != "invoice_id"}
        for one in calls
    }


def outcome(of: Week, agent: Callable[[Observation], Script] = agents.oracle) -> Shown:
    """Return how an agent settles the first invoice of a week."""
    return settled(of, agent)[of.invoices[0]["id"]]


def paid(account: str = RECORD) -> Shown:
    return {"disposition": "pay", "account": account}


def held(reason: str) -> Shown:
    return {"disposition": "hold", "reason_code": reason}


def returned(reason: str) -> Shown:
    return {"disposition": "return", "reason_code": reason}


def claimed(amount: float, reason: str = "price_difference") -> Shown:
    return {"disposition": "claim", "reason_code": reason, "amount": amount, "account": RECORD}
