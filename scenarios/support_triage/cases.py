"""The tickets of a morning: when each arrives, and its right outcome."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.company.areas.support import add_arrival, place, start_clock
from companyos.sdk.simtime import MINUTE

from .content import DEFECTS, FAILURE, QUESTIONS, SHOUTS, VAGUE, Topic
from .pack import CASE, contact_of, wording
from .rulebook import Rulebook
from .world import Customers, Services

#: The first and the last arrival during the morning, in minutes after the start.
_ARRIVES_MIN: Final = (25, 150)
TAKEN, CHANGED, WITHDRAWN, NUDGED = "taken", "changed", "withdrawn", "nudged"


@dataclass(frozen=True)
class Intervention:
    """What somebody else does about a ticket during the morning.

    Attributes:
        kind: `taken` by a colleague; or the customer writes again and has `changed` their mind, has
            `withdrawn` the question, or has `nudged`, which changes nothing.
        at: When they do it.
        topic: What the customer asks about instead, if they have changed their mind.
        thing: The id that they then name, such as an invoice's.
    """

    kind: str
    at: int
    topic: Topic | None = None
    thing: str = ""


@dataclass(frozen=True)
class SupportCase:
    """A ticket of the intake queue and its right outcome; None means no requirement.

    Attributes:
        sort: What it is: question, failure, fixed, defect, vague or duplicate.
        account: The customer's record.
        thing: Its subject; empty if it does not say.
        at: When it arrives.
        tier: The tier of the contract that applies.
        contract: The edition of that contract.
        into: The ticket that it duplicates.
        document: The document that has to go with its answer.
        relates: The incident that it has to be linked to.
        due: When its first answer is due.
        intervention: What somebody else does about it.
        first_document: The document for the customer's first question, if they change their mind.
        first_queue: The queue for that question.
        number: Its number in the names of musts and milestones, from 1.
    """

    ticket_id: str
    sort: str
    topic: Topic | None
    account: Row
    thing: str
    at: int
    tier: str
    contract: str
    title: str = ""
    text: str = ""
    into: str | None = None
    queue: str | None = None
    priority: str | None = None
    document: str | None = None
    relates: str | None = None
    assignee: str | None = None
    due: int | None = None
    intervention: Intervention | None = None
    first_document: str | None = None
    first_queue: str | None = None
    number: int = 0

    @property
    def is_answered(self) -> bool:
        """Whether it has to be answered."""
        return self.sort not in ("vague", "duplicate")

    def has(self, kind: str) -> bool:
        """Return whether the ticket has an intervention of this kind."""
        return self.intervention is not None and self.intervention.kind == kind

    @property
    def writes_again_at(self) -> int | None:
        """When the customer writes again, if they do."""
        return None if self.intervention is None or self.has(TAKEN) else self.intervention.at

    @property
    def is_due_first(self) -> bool:
        """Whether the customer writes again only after the first answer is due."""
        again = self.writes_again_at
        return again is not None and self.due is not None and self.due < again


@dataclass(frozen=True)
class Answering:
    """Determines the right outcome of tickets.

    Attributes:
        library: The documents that count, by what they are about.
    """

    rules: Rulebook
    library: Mapping[str, str]
    services: Services
    on_call: Mapping[str, Person]

    def settled(self, case: SupportCase) -> SupportCase:
        """Return the case with its right outcome."""
        match case.sort:
            case "question":
                return self._question(case)
            case "failure":
                return self._failure(case)
            case "fixed" | "defect":
                return self._outcome(case, case.sort, "normal")
        return case

    def _question(self, case: SupportCase) -> SupportCase:
        """Return the case with the outcome of what the customer wants in the end."""
        assert case.topic is not None
        first, instead = case.topic.id, case.intervention.topic if case.intervention else None
        if instead is None:
            return self._outcome(case, first, "minor")
        case = replace(case, first_document=self.library[first], first_queue=self.rules.takers[first])
        return self._outcome(case, instead.id, "minor")

    def _failure(self, case: SupportCase) -> SupportCase:
        service = case.account["fields"]["served_by"]
        if service not in self.services.down:
            return self._outcome(case, FAILURE.id, "normal")
        case = replace(case, relates=self.services.incidents[service])
        return self._outcome(case, "down", "critical", document=self.library[service])

    def _outcome(
        self, case: SupportCase, about: str, urgency: str, *, document: str | None = None
    ) -> SupportCase:
        """Return the case with its document and deadline and, if it goes to a queue, its priority and assignee."""
        document = document or self.library[about]
        case = replace(case, document=document, due=case.at + self.rules.answer_s(case.tier, urgency))
        if (queue := self.rules.takers.get(about)) is None:
            return case
        priority = self.rules.matrix[case.tier, urgency]
        on_call = self.on_call[queue].id if priority == "urgent" else None
        return replace(case, queue=queue, priority=priority, assignee=on_call)


class Morning:
    """Draws the tickets of a morning and writes them into the company."""

    def __init__(self, company: Company, customers: Customers, services: Services) -> None:
        self._company = company
        self._draws = company.draws
        self._customers = customers
        self._services = services
        self._count = 0

    def cases(self) -> list[SupportCase]:
        """Return the cases in order of arrival."""
        first = [*self._failures(), *self._questions(), *self._defects(), *self._vague()]
        originals = [case for case in first if case.sort in ("failure", "question")]
        repeated = self._draws.choice("repeated", originals)
        twin = self._draws.choice("look_alike", [one for one in originals if one.sort == "question"])
        able = [case for case in first if case not in (repeated, twin)]
        late = self._draws.sample("late", able, self._draws.integer("late.count", 0, 2))
        early = [case for case in first if case not in late]
        return [*early, *self._timed([*late, self._repeat(repeated), self._look_alike(twin)])]

    def write(self, cases: list[SupportCase]) -> dict[str, Person]:
        """Write the tickets into the company, and return who has filed each.

        Some are already in the queue, and the others arrive later.
        """
        contacts: dict[str, Person] = {}
        for case in cases:
            key = case.account["id"]
            contacts[key] = contacts.get(key) or contact_of(self._company, case.account)
            self._write(case, contacts[key])
        return {case.ticket_id: contacts[case.account["id"]] for case in cases}

    def _write(self, case: SupportCase, contact: Person) -> None:
        company, subject = self._company, case.account["id"]
        on_file = case.account["fields"]["tier"]
        if case.at > company.start:
            late: dict[str, Any] = {"at": case.at, "tier": on_file, "queue": "intake", "subject": subject}
            add_arrival(company, case.ticket_id, CASE, case.title, case.text, contact, **late)
            return
        ticket = company.add_ticket(case.ticket_id, CASE, case.title, case.text, contact, subject=subject)
        place(company, ticket, "intake", at=case.at)
        start_clock(company, ticket, on_file)

    def _failures(self) -> Iterator[SupportCase]:
        """Yield a failing export on each service: the same symptom with different causes."""
        for service in self._services.names:
            yield self._new("failure", FAILURE, served_by=service)

    def _questions(self) -> Iterator[SupportCase]:
        topics = self._draws.shuffled("topics", QUESTIONS)
        for number in range(self._draws.integer("questions", 3, 4)):
            case = self._new("question", topics[number], renewed=number == 0)
            yield self._shouted(case) if number == 1 else case

    def _defects(self) -> Iterator[SupportCase]:
        for defect in DEFECTS:
            if self._draws.chance("defect", 0.6, defect.id):
                yield self._new("fixed" if defect.id == self._services.fixed_defect else "defect", defect)

    def _vague(self) -> Iterator[SupportCase]:
        if self._draws.chance("vague", 0.6):
            case = self._new("vague", None)
            title, text = self._draws.choice("vague.words", VAGUE)
            yield replace(case, title=title, text=text)

    def _timed(self, cases: list[SupportCase]) -> list[SupportCase]:
        """Return cases with their arrival times, in order of arrival."""
        start, numbers = self._company.start, range(len(cases))
        minutes = sorted(self._draws.integer("arrives", *_ARRIVES_MIN, number) for number in numbers)
        return [replace(case, at=start + at * MINUTE) for case, at in zip(cases, minutes, strict=True)]

    def _new(
        self, sort: str, topic: Topic | None, *, served_by: str | None = None, renewed: bool = False
    ) -> SupportCase:
        self._count += 1
        account, tier, contract = self._customers.next(served_by, renewed=renewed)
        thing = f"{topic.prefix}-{self._thing_number(topic)}" if topic else ""
        ticket_id = self._company.numbers.reserve("TD")
        at = self._company.start - self._draws.integer("filed", 4, 40, self._count) * MINUTE
        case = SupportCase(ticket_id, sort, topic, account, thing, at, tier, contract)
        return self._worded(case, ticket_id) if topic else case

    def _thing_number(self, topic: Topic) -> int:
        """Return a number that no other thing of its kind has, so that only a duplicate is about the same thing."""
        numbers = self._company.numbers
        return numbers.draw_unused("thing", 5000, 9999, self._count, owner=topic.prefix)

    def _worded(self, case: SupportCase, key: str) -> SupportCase:
        """Return the case in the words that belong to a key."""
        assert case.topic is not None
        title, text = wording(self._company, case.topic, case.thing, key)
        return replace(case, title=title, text=text)

    def _shouted(self, case: SupportCase) -> SupportCase:
        shout = self._draws.choice("shout", SHOUTS)
        return replace(case, title=f"URGENT: {case.title}", text=f"{shout} {case.text}")

    def _repeat(self, case: SupportCase) -> SupportCase:
        """Return a ticket in which the same customer reports the same thing again in other words."""
        ticket_id = self._company.numbers.reserve("TD")
        return self._worded(
            replace(case, ticket_id=ticket_id, sort="duplicate", into=case.ticket_id), ticket_id
        )

    def _look_alike(self, case: SupportCase) -> SupportCase:
        """Return a ticket that reads like another but is no duplicate: another thing, or another customer."""
        fresh = self._new(case.sort, case.topic)
        if self._draws.chance("look_alike.same_customer", 0.5):
            fresh = replace(fresh, account=case.account, tier=case.tier, contract=case.contract)
        return self._worded(fresh, case.ticket_id)
