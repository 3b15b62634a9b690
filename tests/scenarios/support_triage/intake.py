"""A support desk on paper: tickets written by hand, and what the tools at the desk answer about them."""

from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso, to_iso
from scenarios.support_triage.content import FAILURE, QUESTIONS, QUEUES
from scenarios.support_triage.rulebook import Rulebook, handbook

from ..paper import Paper, Refusal, Shown, document
from .mornings import rulebook

NOW = from_iso("2030-03-04T09:00:00Z")
CLOSES = from_iso("2030-03-04T12:30:00Z")
NAMES = {"SVC-1": "Export North", "SVC-2": "Export South"}
#: Tools that change a ticket, each with the argument that says how.
ACTS = {
    "answer": "document_ids",
    "update": "priority",
    "route": "queue",
    "link": "target",
    "assign": "assignee",
    "close": "resolution",
    "merge": "into",
    "return": "question",
}


@dataclass
class Rate:
    """An error rate: its value now, and after each refresh that is needed until it is fresh."""

    value: float = 0.4
    after: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Written:
    """What somebody writes on a ticket; by default its reporter does."""

    ticket_id: str
    at: int
    text: str
    author: str = "ada.reporter"


def ticket(
    ticket_id: str, about: str, account: str = "ACC-1", *, age_s: int = 10 * MINUTE, **columns: Any
) -> Shown:
    usual = {
        "title": about,
        "description": "Please help.",
        "tier": "standard",
        "reporter": "ada.reporter",
        "assignee": None,
        "reporter_wrote_at": None,
        "version": 1,
    }
    return {"id": ticket_id, "subject": account, "created_at": to_iso(NOW - age_s), **usual, **columns}


def contract(document_id: str, account: str, tier: str, *, age_s: int = 90 * DAY, **columns: Any) -> Shown:
    name = columns.pop("customer", "Aldgate Foods")
    body = f"Contract with {name} ({account}).\n\nSupport tier: {tier}\n"
    return document(
        document_id, "contract", f"Contract with {name} ({account})", body, NOW - age_s, **columns
    )


def support_document(
    document_id: str, kind: str, title: str, body: str, *, days: int, **columns: Any
) -> Shown:
    return document(document_id, kind, title, body, NOW - days * DAY, **columns)


def library(rules: Rulebook) -> list[Shown]:
    """Return the documents that count, and a contract of tier plus."""
    articles = [
        support_document(f"DOC-{topic.id}", "article", topic.article, topic.advice, days=30)
        for topic in (*QUESTIONS, FAILURE)
    ]
    notices = [
        support_document(f"DOC-{service}", "notice", f"Status of {name}", "We are looking.", days=1)
        for service, name in NAMES.items()
    ]
    chapter = handbook(rules, ("Export North", "Export South"))
    notes = "## Fixed\n\nImports are cut off.\n\n## Changed\n\nCalendar icons.\n"
    return [
        support_document("DOC-BOOK", "handbook", "Working the support queue", chapter, days=9),
        *articles,
        *notices,
        support_document("DOC-NOTES", "release_notes", "Release 30", notes, days=4),
        support_document(
            "DOC-ISSUES", "known_issues", "Known issues", "## Open\n\nCalendar dates.\n", days=3
        ),
        contract("DOC-C1", "ACC-1", "plus"),
    ]


class Intake(Paper):
    """The desk on paper. A search of the queue shows every ticket that has arrived, even one that is done.

    Attributes:
        accounts: The names of customers; each is served by `served_by`, or else by the first service.
        rates: The error rates by service.
        comments: What is written on tickets during the morning.
        taken: When a colleague takes a ticket, unless somebody has changed it.
    """

    def __init__(self, *tickets: Shown, rules: Rulebook | None = None) -> None:
        super().__init__(NOW, "Hi Sam (sam.agent), work the queue.", library(rules or rulebook()))
        self.tickets = list(tickets)
        self.accounts = {"ACC-1": "Aldgate Foods", "ACC-2": "Birk & Sons"}
        self.served_by: dict[str, str] = {}
        self.rates = {service: Rate() for service in NAMES}
        self.comments: list[Written] = []
        self.taken: dict[str, int] = {}

    def acts(self, ticket_id: str) -> list[tuple[str, Any]]:
        """Return what was done to a ticket, in order, each with how."""
        found = []
        for name, given in self.calls:
            act = name.removeprefix("ticketdesk_").removesuffix("_ticket")
            if act in ACTS and given["ticket_id"] == ticket_id:
                found.append((act, given[ACTS[act]]))
        return found

    @property
    def worked(self) -> list[str]:
        """The tickets by the first act on each."""
        return list(dict.fromkeys(given["ticket_id"] for _, given in self.calls if "ticket_id" in given))

    def __getattr__(self, name: str) -> Any:
        """Accept every act on a ticket."""
        if name.removeprefix("ticketdesk_").removesuffix("_ticket") in ACTS:
            return lambda **_: {}
        raise AttributeError(name)

    def ticketdesk_query_tickets(self, *, q: str, limit: int = 0) -> Shown:
        if q.startswith("kind:incident"):
            return {"items": [{"id": f"TD-80{one[-1]}", "subject": one} for one in NAMES]}
        return {"items": [self._now(one) for one in self.tickets if from_iso(one["created_at"]) <= self.now]}

    def ticketdesk_update_ticket(self, *, ticket_id: str, priority: str, version: int) -> Shown:
        found = next(one for one in self.tickets if one["id"] == ticket_id)
        if self._now(found)["version"] != version:
            self.calls.pop()
            raise Refusal("version_conflict")
        self.taken.pop(ticket_id, None)
        return {}

    def ticketdesk_list_comments(self, *, ticket_id: str, limit: int) -> Shown:
        return {
            "items": [
                {"author": one.author, "body": one.text}
                for one in self.comments
                if one.ticket_id == ticket_id and one.at <= self.now
            ]
        }

    def _now(self, ticket: Shown) -> Shown:
        """Return a ticket as it is shown at this time."""
        written = [one.at for one in self.comments if one.ticket_id == ticket["id"] and one.at <= self.now]
        changed = {"reporter_wrote_at": to_iso(max(written))} if written else {}
        if self.taken.get(ticket["id"], self.now + 1) <= self.now:
            changed |= {"assignee": "mia.colleague", "version": 2}
        return {**ticket, **changed}

    def ticketdesk_list_queues(self) -> Shown:
        return {"items": [{"id": queue, "on_call": f"call.{queue}"} for queue in QUEUES]}

    def datahub_list_records(self, *, kind: str, q: str) -> Shown:
        # A search for words also finds what only shares one of them.
        return {"items": [{"id": service, "name": name} for service, name in NAMES.items()]}

    def datahub_get_record(self, *, record_id: str) -> Shown:
        fields = {"served_by": self.served_by.get(record_id, "SVC-1"), "tier": "standard"}
        return {"id": record_id, "name": self.accounts[record_id], "fields": fields}

    def datahub_list_metrics(self, *, name: str, subject: str) -> Shown:
        return {"items": [{"id": f"MET-{subject}", "subject": subject}]}

    def datahub_query_metric(self, *, metric_id: str) -> Shown:
        rate = self.rates[metric_id.removeprefix("MET-")]
        return {"id": metric_id, "value": rate.value, "is_stale": bool(rate.after)}

    def datahub_refresh_data(self, *, metric_id: str) -> Shown:
        rate = self.rates[metric_id.removeprefix("MET-")]
        if rate.after:
            rate.value = rate.after.pop(0)
        return {"due_at": to_iso(self.now + HOUR // 4)}
