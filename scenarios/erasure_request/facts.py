"""The facts of an instance: the customer, the sender, the scope of a hold, and the right outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.company import Cast, Company, Person, Row
from companyos.sdk.simtime import DAY

from . import documents, words
from .dossier import Filing, file_namesake
from .files import Customer, FileWriter, HeldObject
from .pack import OFFICER, TEAM, add_hold, open_request
from .terms import ERASE, REDACT, draw_terms

#: The hidden causes of a pair: what a hold covers, or whether the sender's identity is proven.
HELD_PART, HELD_ALL, LIFTED = "held_part", "held_all", "lifted"
PROVEN, UNPROVEN = "proven", "unproven"
EVERYTHING: Final = "everything"


@dataclass(frozen=True)
class Request:
    """How the request came in.

    Attributes:
        mail: The mail.
        attorney: The power of attorney, if somebody other than the customer writes.
    """

    ticket: Row
    mail: Row
    attorney: Row | None

    @property
    def references(self) -> frozenset[str]:
        """Ids of the evidence that identity is not proven."""
        return frozenset({self.mail["id"], *([self.attorney["id"]] if self.attorney else [])})


@dataclass(frozen=True)
class Facts:
    """The facts of an instance. The agent is told only the customer's name and the ticket.

    Attributes:
        acts: `erase` or `redact` for each object that neither stays nor is covered, by id.
        covered: Ids that a hold in force covers.
        strangers: Ids of the namesake's objects.
        namesake: Another customer of that name.
        special: How many records of special categories have to be erased.
        rules: Ids of the procedure and of the retention schedule in force.
        approver: The person who approves their erasure, or their delegate at the start.
        template: The document to answer with.
    """

    cause: str
    me: Person
    customer: Customer
    request: Request
    held: Mapping[str, HeldObject]
    acts: Mapping[str, str]
    covered: frozenset[str]
    strangers: frozenset[str]
    namesake: Customer
    hold: Row
    metric: Row
    special: int
    rules: tuple[str, str]
    approver: str
    template: str

    @property
    def erases(self) -> bool:
        """Whether anything has to be erased."""
        return self.cause not in (HELD_ALL, UNPROVEN)

    def ids(self, mode: str) -> list[str]:
        """Return the ids of the objects to erase or to redact, in order."""
        return sorted(key for key, act in self.acts.items() if act == mode)

    @property
    def evidence(self) -> frozenset[str]:
        """Ids of the request's own evidence, which stays."""
        return frozenset({self.request.ticket["id"], self.hold["id"], *self.request.references})

    @property
    def related(self) -> frozenset[str]:
        """Ids that a request goes back with: its evidence, and what says that it is not enough."""
        own = {self.request.ticket["id"], self.customer.record["id"], self.rules[0]}
        return self.request.references | own

    @property
    def clues_to_namesake(self) -> frozenset[str]:
        """What tells of the namesake: the ids of their objects, their number and their address."""
        return self.strangers | {self.namesake.number, self.namesake.mail}

    @property
    def asked_for(self) -> dict[str, Any]:
        """The fields of the request for approval."""
        return {"customer_no": self.customer.number, "objects": self.special}


def draw_facts(company: Company, cast: Cast, causes: tuple[str, str], cause: str) -> Facts:
    """Draw a customer who wants to be forgotten, and write everything about them into the company."""
    draws = company.draws
    writer = FileWriter(company, company.numbers.reserve, cast.reporter)
    customer = writer.customer()
    namesake = writer.customer(name=customer.name)
    terms = draw_terms(draws)
    filing = Filing(writer, cast, terms, is_clean=draws.chance("clean", 0.3))
    held = {one.id: one for one in filing.file(customer, writer.customer())}
    strangers = file_namesake(writer, namesake)
    covers = _scope(company, held, causes)
    known = draws.chance("hold.known", 0.5)
    hold, metric = add_hold(writer, customer, covers, known=known, fresh=cause in (HELD_PART, HELD_ALL))
    covered = frozenset(covers.split(", ") if cause == HELD_PART else held if cause == HELD_ALL else ())
    acts = {key: terms[0].mode(one.kind, one.age_days) for key, one in held.items() if key not in covered}
    officer = cast.offices[OFFICER]
    rules = documents.write_rules(company, officer, *terms)
    templates = documents.write_templates(company, officer)
    _send_officer_away(company, officer)
    return Facts(
        cause=cause,
        me=cast.persona,
        customer=customer,
        request=_request(company, cast, customer, namesake, is_proven=cause != UNPROVEN),
        held=held,
        acts=acts,
        covered=covered,
        strangers=strangers,
        namesake=namesake,
        hold=hold,
        metric=metric,
        special=sum(mode == ERASE and held[key].kind in terms[0].special for key, mode in acts.items()),
        rules=rules,
        approver=officer.id,
        template=templates[_ending(acts, cause)],
    )


def _scope(company: Company, held: Mapping[str, HeldObject], causes: tuple[str, str]) -> str:
    """Return what the hold would cover: everything, or the ids of objects of which one is not an order."""
    partly = HELD_PART in causes or (HELD_ALL not in causes and company.draws.chance("hold.partly", 0.5))
    if not partly:
        return EVERYTHING
    orders = [key for key, one in held.items() if one.kind in ("order", "invoice")]
    others = [key for key, one in held.items() if one.kind not in ("order", "invoice", "customer")]
    return ", ".join(sorted([*orders[:2], company.draws.choice("hold.other", others)]))


def _ending(acts: Mapping[str, str], cause: str) -> str:
    if cause == HELD_PART:
        return documents.ON_HOLD
    return documents.BY_LAW if REDACT in acts.values() else documents.FULL


def _request(
    company: Company, cast: Cast, customer: Customer, namesake: Customer, *, is_proven: bool
) -> Request:
    draws, ticket_id = company.draws, company.numbers.reserve("TD")
    mail_id = company.numbers.reserve("MSG")
    lawyer = draws.choice("lawyer", words.LAWYERS) if draws.chance("attorney", 0.4) else None
    claimed = draws.choice("claimed", (customer.number, namesake.number, namesake.number))
    ticket, age_s = open_request(
        company,
        ticket_id,
        customer.name,
        mail_id,
        claimed,
        cast.reporter,
        acts=("assigned",),
        status="triage",
        assignee=cast.persona.id,
        priority="medium",
    )
    attorney, sender = None, customer.mail if is_proven else _other_address(customer, namesake)
    subject, texts = "My data", words.OWN_MAIL
    if lawyer is not None:
        sender, subject, texts = lawyer, "Data of my client", words.FOR_ANOTHER
        attorney = documents.write_attorney(
            company, cast.reporter, customer, lawyer, before_s=age_s, is_in_force=is_proven
        )
    text = draws.choice("request", texts).format(who=customer.name, number=customer.number)
    mail = company.add_message(sender, TEAM, subject, text, age_s=age_s, message_id=mail_id)
    return Request(ticket, mail, attorney)


def _other_address(customer: Customer, namesake: Customer) -> str:
    """Return an address that looks like the customer's and is not on file."""
    local, host = customer.mail.split("@")
    theirs = namesake.mail.split("@")[1]
    return f"{local}@{theirs}" if theirs != host else f"{local.rstrip('0123456789')}@{host}"


def _send_officer_away(company: Company, officer: Person) -> None:
    """Send the data protection officer on leave in some pairs."""
    draws = company.draws
    if draws.chance("officer.away", 0.4):
        began, days = draws.integer("officer.since", 1, 4) * DAY, draws.integer("officer.days", 5, 12) * DAY
        reason = draws.choice("officer.why", company.content.workplace.leaves)
        company.send_away(officer, company.start - began, company.start + days, reason)
