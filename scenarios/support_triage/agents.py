"""The employee at the support desk: a script that works the queue until intake closes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play, Refused
from companyos.sdk.scripts.skills import Skills, effective_at
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso

from .reading import (
    ABOUT,
    DEFECTS,
    SEARCHES,
    Chapter,
    is_withdrawal,
    read_chapter,
    section,
    thing_of,
    tier_of,
)

Ticket = Mapping[str, Any]
Document = Mapping[str, Any]

_POLL_S: Final = 25 * MINUTE
#: An answer that is due within this time is given before the next ticket is looked at.
_PRESSING_S: Final = 150 * MINUTE
_CLOSES_S: Final = 12 * HOUR + 30 * MINUTE


@dataclass
class End:
    """The right outcome of a ticket."""

    ticket: Ticket
    act: str
    tier: str = ""
    into: str = ""
    queue: str = ""
    priority: str = ""
    document: str = ""
    incident: str = ""
    due: int = 0


@dataclass
class _Known:
    """What the agent has found out so far.

    Attributes:
        done: How each ticket was settled.
    """

    tickets: dict[tuple[str, str], str] = field(default_factory=dict)
    tiers: dict[str, str] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    accounts: dict[str, Any] = field(default_factory=dict)
    incidents: dict[str, str] = field(default_factory=dict)
    done: dict[str, End] = field(default_factory=dict)


class SupportDesk:
    """Plays the work of one morning."""

    def __init__(self, observation: Observation) -> None:
        self._me = Skills(observation)
        self._known = _Known()
        self._on_call: dict[str, str] = {}
        self._rates: dict[str, float] = {}
        self._names: dict[str, str] = {}

    def work(self) -> Script:
        """Work the queue."""
        closes_at = self._me.now // DAY * DAY + _CLOSES_S
        handbook = yield from self._document("support queue intake", "handbook")
        chapter = read_chapter(handbook["body"])
        metrics = yield from self._look_at_services(chapter)
        if all(rate > chapter.limit for rate in self._rates.values()):
            yield from self._me.ask("refuse", reason_code=chapter.code, evidence=metrics)
        queues = yield from self._me.ask("ticketdesk_list_queues")
        self._on_call = {queue["id"]: queue["on_call"] for queue in queues["items"]}
        is_closed = False
        while not is_closed:
            is_closed = self._me.now >= closes_at
            yield from self._work_off(chapter)
            if not is_closed:
                yield from self._me.wait_until(min(self._me.now + _POLL_S, max(closes_at, self._me.now)))
        if self._known.done:
            yield from self._look_again(chapter)
        yield from self._me.finish("The queue is done.")

    def _look_at_services(self, chapter: Chapter) -> Play[list[str]]:
        """Read the error rates and return the ids of the metrics."""
        metrics = []
        for name in chapter.services:
            service = yield from self._me.record("export_service", name)
            self._names[service["id"]] = name
            found = yield from self._me.ask("datahub_list_metrics", name="error_rate", subject=service["id"])
            metrics.append(found["items"][0])
        yield from self._me.refresh(metric["id"] for metric in metrics)
        for metric in metrics:
            read = yield from self._me.fresh(metric["id"])
            self._rates[metric["subject"]] = read["value"]
        return [metric["id"] for metric in metrics]

    def _work_off(self, chapter: Chapter) -> Play[None]:
        """Settle every ticket that is in the queue now."""
        found = yield from self._me.ask("ticketdesk_query_tickets", q="queue:intake status:new", limit=100)
        fresh = [
            one for one in found["items"] if one["id"] not in self._known.done and one["assignee"] is None
        ]
        ends = []
        for ticket in sorted(fresh, key=lambda one: (one["created_at"], one["id"])):
            end = yield from self._judge(ticket, chapter)
            if end.due <= self._me.now + _PRESSING_S:
                # What the next ticket needs may be unavailable for long.
                yield from self._settle(end)
            else:
                ends.append(end)
        for end in sorted(ends, key=lambda end: (end.due, end.ticket["id"])):
            yield from self._settle(end)

    def _look_again(self, chapter: Chapter) -> Play[None]:
        """Settle the tickets whose customers have written since."""
        found = yield from self._me.ask(
            "ticketdesk_query_tickets", q=f"id:{','.join(sorted(self._known.done))}", limit=100
        )
        for ticket in found["items"]:
            before = self._known.done[ticket["id"]]
            if ticket["reporter_wrote_at"] != before.ticket["reporter_wrote_at"]:
                end = yield from self._judge(ticket, chapter)
                if (end.act, end.document) != (before.act, before.document):
                    yield from self._settle(end)

    def _comments(self, ticket: Ticket) -> Play[list[str]]:
        """Return what a ticket's reporter has written on it since it was filed."""
        if ticket["reporter_wrote_at"] is None:
            return []
        found = yield from self._me.ask("ticketdesk_list_comments", ticket_id=ticket["id"], limit=50)
        return [one["body"] for one in found["items"] if one["author"] == ticket["reporter"]]

    def _judge(self, ticket: Ticket, chapter: Chapter) -> Play[End]:
        """Determine the right outcome of a ticket."""
        comments = yield from self._comments(ticket)
        if any(is_withdrawal(text) for text in comments):
            return End(ticket, "withdraw")
        parsed = thing_of(ticket, comments)
        if parsed is None:
            return End(ticket, "return")
        series, name = parsed
        key = (name, ticket["subject"])
        if (first := self._known.tickets.setdefault(key, ticket["id"])) != ticket["id"]:
            return End(ticket, "merge", into=first)
        end, urgency = yield from self._subject_matter(ticket, series, chapter)
        end.tier = yield from self._tier(ticket)
        end.priority = chapter.matrix[end.tier, urgency]
        end.due = from_iso(ticket["created_at"]) + chapter.answer_s[end.tier, end.priority]
        return end

    def _subject_matter(self, ticket: Ticket, series: str, chapter: Chapter) -> Play[tuple[End, str]]:
        """Return the outcome (queue and document) and the urgency of a ticket by its subject."""
        if series == "EXP":
            return (yield from self._failure(ticket, chapter))
        if series in DEFECTS:
            return (yield from self._defect(ticket, DEFECTS[series], chapter))
        article = yield from self._document(SEARCHES[series], "article")
        return End(ticket, "route", queue=chapter.queue(ABOUT[series]), document=article["id"]), "minor"

    def _failure(self, ticket: Ticket, chapter: Chapter) -> Play[tuple[End, str]]:
        account = yield from self._account(ticket["subject"])
        service = account["fields"]["served_by"]
        if self._rates[service] <= chapter.limit:
            article = yield from self._document(SEARCHES["EXP"], "article")
            queue = chapter.queue("exports", "service up")
            return End(ticket, "route", queue=queue, document=article["id"]), "normal"
        notice = yield from self._document(self._names[service], "notice")
        incident = yield from self._incident(service)
        queue = chapter.queue("exports", "service down")
        return End(ticket, "route", queue=queue, document=notice["id"], incident=incident), "critical"

    def _defect(self, ticket: Ticket, words: str, chapter: Chapter) -> Play[tuple[End, str]]:
        notes = yield from self._document("fixed", "release_notes")
        if words in section(notes["body"], "Fixed"):
            return End(ticket, "close", document=notes["id"]), "normal"
        issues = yield from self._document("open", "known_issues")
        return End(ticket, "route", queue=chapter.queue("defect"), document=issues["id"]), "normal"

    def _settle(self, end: End) -> Play[None]:
        """Carry out an outcome."""
        ticket_id = end.ticket["id"]
        self._known.done[ticket_id] = end
        if end.act == "merge":
            yield from self._me.ask("ticketdesk_merge_ticket", ticket_id=ticket_id, into=end.into)
        elif end.act == "return":
            question = "Which invoice, export or key is this about, and what happens?"
            yield from self._me.ask("ticketdesk_return_ticket", ticket_id=ticket_id, question=question)
        elif end.act == "withdraw":
            yield from self._me.ask(
                "ticketdesk_close_ticket", ticket_id=ticket_id, resolution="The customer needs no answer."
            )
        elif end.act == "close" or (yield from self._claim(ticket_id, end)):
            yield from self._answer(ticket_id, end)

    def _claim(self, ticket_id: str, end: End) -> Play[bool]:
        """Set a ticket's priority; return False if the ticket has changed since it was read."""
        version = end.ticket["version"]
        try:
            yield from self._me.ask(
                "ticketdesk_update_ticket", ticket_id=ticket_id, priority=end.priority, version=version
            )
        except Refused as refused:
            if refused.code != "version_conflict":
                raise
            return False
        return True

    def _answer(self, ticket_id: str, end: End) -> Play[None]:
        """Send the answer, which has a deadline; then close the ticket, or route, link and assign it."""
        yield from self._me.ask(
            "ticketdesk_answer_ticket",
            ticket_id=ticket_id,
            body="Thank you for writing. Please see what we send with this.",
            document_ids=[end.document],
        )
        if end.act == "close":
            yield from self._me.ask(
                "ticketdesk_close_ticket", ticket_id=ticket_id, resolution="Fixed by the latest release."
            )
            return
        yield from self._me.ask("ticketdesk_route_ticket", ticket_id=ticket_id, queue=end.queue)
        if end.incident:
            yield from self._me.ask(
                "ticketdesk_link_ticket", ticket_id=ticket_id, kind="relates", target=end.incident
            )
        if end.priority == "urgent":
            on_call = self._on_call[end.queue]
            yield from self._me.ask("ticketdesk_assign_ticket", ticket_id=ticket_id, assignee=on_call)

    def _tier(self, ticket: Ticket) -> Play[str]:
        """Return the tier of the contract that applies to a ticket's customer."""
        account_id = ticket["subject"]
        if account_id not in self._known.tiers:
            account = yield from self._account(account_id)
            editions = yield from self._found(f'"{account["name"]}"', "contract")
            texts = []
            for one in editions:
                if f"({account_id})" not in one["title"]:
                    continue
                text = yield from self._me.ask("datahub_get_document", document_id=one["id"])
                texts.append(text)
            self._known.tiers[account_id] = tier_of(self._applying(texts))
        return self._known.tiers[account_id]

    def _applying(self, editions: Sequence[Document]) -> Document:
        """Return the edition that applies now."""
        begun = [one for one in editions if effective_at(one) <= self._me.now]
        return max(begun, key=effective_at)

    def _account(self, account_id: str) -> Play[Any]:
        if account_id not in self._known.accounts:
            account = yield from self._me.ask("datahub_get_record", record_id=account_id)
            self._known.accounts[account_id] = account
        return self._known.accounts[account_id]

    def _incident(self, service: str) -> Play[str]:
        """Return the open incident about a service."""
        if service not in self._known.incidents:
            found = yield from self._me.ask("ticketdesk_query_tickets", q="kind:incident status:new")
            self._known.incidents |= {one["subject"]: one["id"] for one in found["items"]}
        return self._known.incidents[service]

    def _document(self, q: str, kind: str) -> Play[Document]:
        """Read the support document that counts: the latest one in force."""
        if q not in self._known.documents:
            found = yield from self._found(q, kind)
            newest = max(found, key=lambda one: str(one["written_at"]))
            document = yield from self._me.ask("datahub_get_document", document_id=newest["id"])
            self._known.documents[q] = document
        return self._known.documents[q]

    def _found(self, q: str, kind: str) -> Play[list[Document]]:
        found = yield from self._me.ask(
            "datahub_search_documents", q=q, kind=kind, limit=20, status="in_force"
        )
        return list(found["items"])
