"""The employee at the support desk: a script that works the queue until intake closes."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play, Refused
from companyos.sdk.scripts.skills import Skills, effective_at
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso

from .content import DEFECTS, FAILURE, Topic
from .reading import Chapter, is_withdrawal, read_chapter, section, thing_of, tier_of

T = TypeVar("T")
Ticket = Mapping[str, Any]

_POLL_S: Final = 25 * MINUTE
#: An answer that is due within this time is given before the next ticket is looked at.
_PRESSING_S: Final = 150 * MINUTE
_CLOSES_S: Final = 12 * HOUR + 30 * MINUTE


@dataclass
class End:
    """The right outcome of a ticket."""

    ticket: Ticket
    act: str
    into: str = ""
    queue: str = ""
    priority: str = ""
    document: str = ""
    incident: str = ""
    due: int = 0


class SupportDesk(Skills):
    """Plays the work of one morning."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self._chapter: Chapter
        self._services: dict[str, str] = {}
        self._rates: dict[str, float] = {}
        self._on_call: dict[str, str] = {}
        self._first: dict[tuple[str, str], str] = {}
        self._done: dict[str, End] = {}
        self._known: dict[Hashable, Any] = {}

    def work(self) -> Script:
        """Work the queue."""
        closes_at = self.now // DAY * DAY + _CLOSES_S
        handbook = yield from self._newest("support queue intake", "handbook")
        self._chapter = read_chapter(handbook["body"])
        metrics = yield from self._look_at_services()
        if all(rate > self._chapter.limit for rate in self._rates.values()):
            yield from self.ask("refuse", reason_code=self._chapter.code, evidence=metrics)
        queues = yield from self.ask("ticketdesk_list_queues")
        self._on_call = {queue["id"]: queue["on_call"] for queue in queues["items"]}
        is_closed = False
        while not is_closed:
            is_closed = self.now >= closes_at
            yield from self._work_off()
            if not is_closed:
                yield from self.wait_until(min(self.now + _POLL_S, closes_at))
        if self._done:
            yield from self._look_again()
        yield from self.finish("The queue is done.")

    def _look_at_services(self) -> Play[list[str]]:
        """Read the error rates and return the ids of the metrics."""
        metrics = []
        for name in self._chapter.services:
            service = yield from self.record("export_service", name)
            self._services[service["id"]] = name
            found = yield from self.ask("datahub_list_metrics", name="error_rate", subject=service["id"])
            metrics.append(found["items"][0])
        yield from self.refresh(metric["id"] for metric in metrics)
        for metric in metrics:
            read = yield from self.fresh(metric["id"])
            self._rates[metric["subject"]] = read["value"]
        return [metric["id"] for metric in metrics]

    def _work_off(self) -> Play[None]:
        """Settle every ticket that is in the queue now."""
        found = yield from self.ask("ticketdesk_query_tickets", q="queue:intake status:new", limit=100)
        fresh = [one for one in found["items"] if one["id"] not in self._done and one["assignee"] is None]
        ends = []
        for ticket in sorted(fresh, key=lambda one: (one["created_at"], one["id"])):
            end = yield from self._judge(ticket)
            if end.due <= self.now + _PRESSING_S:
                # What the next ticket needs may be unavailable for long.
                yield from self._settle(end)
            else:
                ends.append(end)
        for end in sorted(ends, key=lambda end: (end.due, end.ticket["id"])):
            yield from self._settle(end)

    def _look_again(self) -> Play[None]:
        """Settle the tickets whose customers have written since."""
        ids = ",".join(sorted(self._done))
        found = yield from self.ask("ticketdesk_query_tickets", q=f"id:{ids}", limit=100)
        for ticket in found["items"]:
            before = self._done[ticket["id"]]
            if ticket["reporter_wrote_at"] != before.ticket["reporter_wrote_at"]:
                end = yield from self._judge(ticket)
                if (end.act, end.document) != (before.act, before.document):
                    yield from self._settle(end)

    def _comments(self, ticket: Ticket) -> Play[list[str]]:
        """Return what a ticket's reporter has written on it since it was filed."""
        if ticket["reporter_wrote_at"] is None:
            return []
        found = yield from self.ask("ticketdesk_list_comments", ticket_id=ticket["id"], limit=50)
        return [one["body"] for one in found["items"] if one["author"] == ticket["reporter"]]

    def _judge(self, ticket: Ticket) -> Play[End]:
        """Determine the right outcome of a ticket."""
        comments = yield from self._comments(ticket)
        if any(map(is_withdrawal, comments)):
            return End(ticket, "withdraw")
        parsed = thing_of(ticket, comments)
        if parsed is None:
            return End(ticket, "return")
        topic, name = parsed
        first = self._first.setdefault((name, ticket["subject"]), ticket["id"])
        if first != ticket["id"]:
            return End(ticket, "merge", into=first)
        end, urgency = yield from self._subject_matter(ticket, topic)
        tier = yield from self._once(("tier", ticket["subject"]), self._tier(ticket["subject"]))
        end.priority = self._chapter.matrix[tier, urgency]
        end.due = from_iso(ticket["created_at"]) + self._chapter.answer_s[tier, end.priority]
        return end

    def _subject_matter(self, ticket: Ticket, topic: Topic) -> Play[tuple[End, str]]:
        """Return the outcome (queue and document) and the urgency of a ticket by its subject."""
        if topic is FAILURE:
            return (yield from self._failure(ticket))
        if topic in DEFECTS:
            return (yield from self._defect(ticket, topic))
        article = yield from self._newest(topic.search, "article")
        queue = self._chapter.queue(topic.about)
        return End(ticket, "route", queue=queue, document=article["id"]), "minor"

    def _failure(self, ticket: Ticket) -> Play[tuple[End, str]]:
        account = yield from self._account(ticket["subject"])
        service = account["fields"]["served_by"]
        if self._rates[service] <= self._chapter.limit:
            article = yield from self._newest(FAILURE.search, "article")
            queue = self._chapter.queue("exports", "service up")
            return End(ticket, "route", queue=queue, document=article["id"]), "normal"
        notice = yield from self._newest(self._services[service], "notice")
        incident = yield from self._once(("incident", service), self._incident(service))
        queue = self._chapter.queue("exports", "service down")
        return End(ticket, "route", queue=queue, document=notice["id"], incident=incident), "critical"

    def _defect(self, ticket: Ticket, topic: Topic) -> Play[tuple[End, str]]:
        notes = yield from self._newest("fixed", "release_notes")
        if topic.advice in section(notes["body"], "Fixed"):
            return End(ticket, "close", document=notes["id"]), "normal"
        issues = yield from self._newest(topic.search, "known_issues")
        queue = self._chapter.queue("defect")
        return End(ticket, "route", queue=queue, document=issues["id"]), "normal"

    def _settle(self, end: End) -> Play[None]:
        """Carry out an outcome."""
        self._done[end.ticket["id"]] = end
        match end.act:
            case "merge":
                yield from self._act("merge", end, into=end.into)
            case "return":
                question = "Which invoice, export or key is this about, and what happens?"
                yield from self._act("return", end, question=question)
            case "withdraw":
                yield from self._act("close", end, resolution="The customer needs no answer.")
            case "close":
                yield from self._answer(end)
                yield from self._act("close", end, resolution="Fixed by the latest release.")
            case _:
                yield from self._route(end)

    def _route(self, end: End) -> Play[None]:
        """Rank and answer a ticket, route, link and assign it; leave it if it has changed since it was read."""
        try:
            yield from self._act("update", end, priority=end.priority, version=end.ticket["version"])
        except Refused as refused:
            if refused.code != "version_conflict":
                raise
            return
        # Only the answer has a deadline.
        yield from self._answer(end)
        yield from self._act("route", end, queue=end.queue)
        if end.incident:
            yield from self._act("link", end, kind="relates", target=end.incident)
        if end.priority == "urgent":
            yield from self._act("assign", end, assignee=self._on_call[end.queue])

    def _answer(self, end: End) -> Play[None]:
        body = "Thank you for writing. Please see what we send with this."
        yield from self._act("answer", end, body=body, document_ids=[end.document])

    def _act(self, verb: str, end: End, **arguments: Any) -> Play[None]:
        yield from self.ask(f"ticketdesk_{verb}_ticket", ticket_id=end.ticket["id"], **arguments)

    def _tier(self, account_id: str) -> Play[str]:
        """Return the tier of the contract that applies to a customer."""
        account = yield from self._account(account_id)
        q = f'"{account["name"]}"'
        found = yield from self.ask(
            "datahub_search_documents", q=q, kind="contract", limit=20, status="in_force"
        )
        editions = []
        for key in [one["id"] for one in found["items"] if f"({account_id})" in one["title"]]:
            edition = yield from self.ask("datahub_get_document", document_id=key)
            editions.append(edition)
        return tier_of(max((one for one in editions if effective_at(one) <= self.now), key=effective_at))

    def _account(self, account_id: str) -> Play[Any]:
        return self._once(account_id, self.ask("datahub_get_record", record_id=account_id))

    def _incident(self, service: str) -> Play[str]:
        """Return the open incident about a service."""
        found = yield from self.ask("ticketdesk_query_tickets", q="kind:incident status:new")
        return {str(one["subject"]): str(one["id"]) for one in found["items"]}[service]

    def _newest(self, q: str, kind: str) -> Play[Any]:
        """Read the support document that counts: the latest one in force."""
        return self._once((q, kind), self._read_newest(q, kind))

    def _read_newest(self, q: str, kind: str) -> Play[Any]:
        found = yield from self.documents(q, kind, limit=20, status="in_force")
        return (yield from self.ask("datahub_get_document", document_id=found[0]["id"]))

    def _once(self, about: Hashable, look_up: Play[T]) -> Play[T]:
        """Return what a look-up finds, or what it has found before."""
        if about not in self._known:
            self._known[about] = yield from look_up
        found: T = self._known[about]
        return found
