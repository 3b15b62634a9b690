"""A company that answers a privacy clerk's calls from facts that a test sets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso
from scenarios.erasure_request.documents import ANSWERS, PROCEDURE, SCHEDULE
from tests.scenarios.answering import Answering, Row, items

NOW = from_iso("2031-06-04T09:00:00Z")
BRIEF = "You are Cy Ito (cy.ito), privacy clerk. Ann Lee wants us to forget them, and TD-1 came in about it."
NAME, NUMBER, ADDRESS = "Ann Lee", "K-101", "ann.lee10@post.example"
#: The day on which an object of a kind kept for two years is that old.
TWO_YEARS_AGO = NOW - 2 * 365 * DAY


@dataclass(frozen=True)
class Item:
    """An object that a service finds by what it bears: the number, the address, the order or the name."""

    id: str
    kind: str
    bears: Sequence[str]
    service: str = "datahub"
    type: str = "record"
    status: str = "closed"


CUSTOMER = Item("CUS-1", "customer", [NUMBER, ADDRESS, NAME])
ORDER = Item("ORD-1", "order", [NUMBER, "ORD-1"])
#: Names the order and no customer number.
INVOICE = Item("INV-1", "invoice", ["ORD-1", NAME])
HOLD = Item("LH-1", "legal_hold", [NUMBER])
SECOND_HOLD = Item("LH-2", "legal_hold", [NUMBER])
PAPER = Item("DOC-5", "power_of_attorney", [NUMBER, NAME], type="document")
FORM = Item("FRM-1", "allergy_form", [ADDRESS])
CASE = Item("TD-5", "customer_case", [ADDRESS, NAME], service="ticketdesk", type="ticket")
COMMENT = Item("TD-9-C1", "erasure_request", [NUMBER, NAME], service="ticketdesk", type="comment")
GOODWILL = Item("APR-1", "goodwill", [NUMBER], service="approvalflow", type="request")
NAMESAKE = Item("CUS-2", "customer", ["K-102", NAME])
MAIL = Item("MSG-1", "message", [NUMBER, ADDRESS], type="message")


@dataclass
class Registry(Answering):
    """The facts of a request, by default the customer's own, about a customer with one order.

    Attributes:
        found: What there is besides the customer's record.
        sender: Who wrote the mail.
        paper: The status of the power of attorney, and whom it names.
        covers: What a hold covers, and what a second one covers.
        held: What its metric says after a refresh.
        ordered_on: The day of the order and of its invoice.
        rules: The lines of the schedule in force.
        special: The kinds that the procedure calls special.
        decisions: What the request's status is, one look after the other.
    """

    now: int = NOW
    text: str = BRIEF
    found: Sequence[Item] = (ORDER,)
    sender: str = ADDRESS
    body: str = f"Please delete everything. My customer number is {NUMBER}."
    paper: tuple[str, str] = ("in_force", "desk@silva.example")
    covers: str = "everything"
    covers_too: str = ""
    held: float = 0.0
    ordered_on: int = NOW - 30 * DAY
    rules: Sequence[str] = (
        "- `invoice`: kept for 8 years from `issued_on`",
        "- `order`: kept for 2 years from `ordered_on`",
        "- `allergy_form`: erased",
        "- `comment`: always redacted",
        "- `customer`: erased",
        "- `customer_case`: erased",
        "- `goodwill`: always redacted",
    )
    special: str = "`allergy_form`, `voice_sample`"
    decisions: list[str] = field(default_factory=lambda: ["approved"])

    def ticketdesk_get_ticket(self, ticket_id: str) -> Row:
        return {"id": ticket_id, "subject": "MSG-1", "title": f"Erasure request of {NAME}"}

    def datahub_get_message(self, message_id: str) -> Row:
        return {"id": message_id, "sender": self.sender, "body": self.body}

    def datahub_search_documents(self, q: str, **_: Any) -> Row:
        other = {"id": "DOC-99", "title": f"{q}, commented"}
        return items(other, {"id": q, "title": q})

    def datahub_get_document(self, document_id: str) -> Row:
        status, lawyer = self.paper
        known = {
            PROCEDURE: f"Records of the kinds {self.special} are special.",
            SCHEDULE: "\n".join(self.rules),
            PAPER.id: f"I, {NAME}, customer number {NUMBER}, give power of attorney to {lawyer}.",
        }
        return {"id": document_id, "status": status, "body": known[document_id]}

    def datahub_find_personal_data(self, identifiers: list[str]) -> Row:
        return self._find("datahub", identifiers)

    def ticketdesk_find_personal_data(self, identifiers: list[str]) -> Row:
        return self._find("ticketdesk", identifiers)

    def approvalflow_find_personal_data(self, identifiers: list[str]) -> Row:
        return self._find("approvalflow", identifiers)

    def datahub_get_record(self, record_id: str) -> Row:
        day = to_iso(self.ordered_on)[:10]
        covers = self.covers_too if record_id == SECOND_HOLD.id else self.covers
        fields = {"email": ADDRESS, "covers": covers, "ordered_on": day, "issued_on": day}
        return {"id": record_id, "name": NAME, "fields": fields}

    def datahub_list_metrics(self, subject: str, **_: Any) -> Row:
        return items({"id": f"MET-{subject}"})

    def datahub_refresh_data(self, **_: Any) -> Row:
        return {"due_at": to_iso(self.now + 900)}

    def datahub_query_metric(self, **_: Any) -> Row:
        return {"value": self.held}

    def datahub_get_approver(self, role: str) -> Row:
        return {"on_duty": {"data_protection_officer": "di.fox"}[role]}

    def approvalflow_submit_approval(self, **_: Any) -> Row:
        return {"id": "APR-9"}

    def approvalflow_check_status(self, **_: Any) -> Row:
        status = self.decisions.pop(0)
        return {"status": status, "decision_due_at": to_iso(self.now + HOUR)}

    def _find(self, service: str, identifiers: list[str]) -> Row:
        there = [CUSTOMER, NAMESAKE, *self.found]
        hits = [one for one in there if one.service == service and set(one.bears) & set(identifiers)]
        return items(
            *({"id": one.id, "kind": one.kind, "type": one.type, "status": one.status} for one in hits)
        )


def template(ending: str) -> str:
    """Return the template of an ending, as a registry names it."""
    return ANSWERS[ending]
