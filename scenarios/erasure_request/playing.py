"""A script that solves the task with tools and observations alone."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import DAY, from_iso

from .documents import (
    ANSWERS,
    BY_LAW,
    FULL,
    KEPT,
    ON_HOLD,
    PROCEDURE,
    PROCEDURE_IN_FORCE,
    SCHEDULE,
    SCHEDULE_TEXT,
    TEMPLATE,
)
from .pack import HOLD_METRIC, OFFICER, SPECIAL
from .terms import ERASE, REDACT

_NUMBER: Final = re.compile(r"\bK-\d+\b")
_YEAR_S: Final = 365 * DAY
#: Kinds of records that are evidence of the request itself.
_EVIDENCE: Final = ("legal_hold", "power_of_attorney")
Found = dict[str, Any]


@dataclass
class Person:
    """What an agent has found out about the person who wants to be forgotten."""

    name: str
    number: str
    address: str
    found: dict[str, Found] = field(default_factory=dict)

    def take(self, service: str, found: Iterable[Found]) -> None:
        """Record objects of a service."""
        self.found |= {one["id"]: {**one, "service": service} for one in found}

    def of_kind(self, kind: str) -> list[str]:
        """Return the ids of the objects of a kind, in order."""
        return sorted(key for key, one in self.found.items() if one["kind"] == kind)


def solve(observation: Observation) -> Script:
    """Check the sender, find the objects and the hold, erase in the right order, and answer."""
    me = Skills(observation)
    ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    mail = yield from me.ask("datahub_get_message", message_id=ticket["subject"])
    rules = yield from me.document_text(PROCEDURE, where={"title": PROCEDURE}, limit=5)
    person = yield from _look_up(me, mail)
    proven = yield from _may_ask(me, person, mail)
    if not proven:
        return
    held, covers = yield from _ask_about_holds(me, person)
    yield from _find_all(me, person)
    own = {ticket["id"], mail["id"], *person.of_kind(_EVIDENCE[0]), *person.of_kind(_EVIDENCE[1])}
    objects = {key: one for key, one in person.found.items() if key not in own and key not in covers}
    modes = yield from _modes(me, objects)
    yield from _get_approval(me, rules, person, objects, modes)
    for key in sorted(objects):
        yield from _treat(me, person, objects[key], modes[key])
    ending = ON_HOLD if held else BY_LAW if REDACT in modes.values() else FULL
    yield from _answer(me, ending)
    yield from me.finish("It is done.")


def _titled(items: Iterable[Found], title: str) -> str:
    return next(str(one["id"]) for one in items if one["title"] == title)


def _look_up(me: Skills, mail: Found) -> Play[Person]:
    """Return the customer whose number the mail states, with the DataHub objects that contain it."""
    stated = _NUMBER.search(mail["body"])
    if stated is None:
        raise LookupError("the mail states no customer number")
    found = yield from me.ask("datahub_find_personal_data", identifiers=[stated[0]])
    record_id = next(one["id"] for one in found["items"] if one["kind"] == "customer")
    record = yield from me.ask("datahub_get_record", record_id=record_id)
    person = Person(record["name"], stated[0], record["fields"]["email"])
    person.take("datahub", found["items"])
    return person


def _may_ask(me: Skills, person: Person, mail: Found) -> Play[bool]:
    """Return whether the sender may ask; if not, the ticket is returned to its reporter."""
    if mail["sender"] == person.address:
        return True
    references = [mail["id"]]
    for paper_id in person.of_kind("power_of_attorney"):
        paper = yield from me.ask("datahub_get_document", document_id=paper_id)
        if paper["status"] == "in_force" and mail["sender"] in paper["body"]:
            return True
        references.append(paper_id)
    yield from me.ask(
        "ticketdesk_return_ticket",
        ticket_id=me.ticket_id,
        question="Who is asking? The sender's address is not on file, and nobody may act for the customer.",
        references=references,
    )
    yield from me.finish("Identity is not proven.")
    return False


def _ask_about_holds(me: Skills, person: Person) -> Play[tuple[bool, set[str]]]:
    """Return whether a hold is in force and the ids that it covers; refuse if it covers everything."""
    held, covered = False, set[str]()
    for hold_id in person.of_kind("legal_hold"):
        hold = yield from me.ask("datahub_get_record", record_id=hold_id)
        metrics = yield from me.ask("datahub_list_metrics", subject=hold_id, name=HOLD_METRIC)
        metric_id = metrics["items"][0]["id"]
        readings = yield from me.renewed([metric_id])
        if not readings[metric_id]["value"]:
            continue
        if hold["fields"]["covers"] == "everything":
            yield from me.ask("refuse", reason_code="legal_hold", evidence=[hold_id])
        held = True
        covered |= set(str(hold["fields"]["covers"]).split(", "))
    return held, covered


def _find_all(me: Skills, person: Person) -> Play[None]:
    """Find everything in all systems that contains the address, the number or an order's number."""
    known = [person.number, person.address, *person.of_kind("order")]
    for service in ("datahub", "ticketdesk", "approvalflow"):
        found = yield from me.ask(f"{service}_find_personal_data", identifiers=known)
        person.take(service, found["items"])


def _modes(me: Skills, objects: Mapping[str, Found]) -> Play[dict[str, str]]:
    """Return what the schedule in force prescribes for each object."""
    lines = SCHEDULE_TEXT.read((yield from me.document_text(SCHEDULE, where={"title": SCHEDULE}, limit=5)))[
        "lines"
    ]
    schedule = {one["kind"]: one for one in lines}
    modes = {}
    for key in sorted(objects):
        one = objects[key]
        rule = schedule["comment" if one.get("type") == "comment" else one["kind"]]
        if rule["rule"] != KEPT:
            modes[key] = rule["rule"]
            continue
        record = yield from me.ask("datahub_get_record", record_id=key)
        ends = from_iso(record["fields"][rule["dated"]]) + rule["years"] * _YEAR_S
        modes[key] = REDACT if me.now < ends else ERASE
    return modes


def _get_approval(
    me: Skills, rules: str, person: Person, objects: Mapping[str, Found], modes: Mapping[str, str]
) -> Play[None]:
    """Get the erasure of special records approved, if there are any."""
    kinds = PROCEDURE_IN_FORCE.read(rules)["special"]
    special = [key for key, one in objects.items() if one["kind"] in kinds and modes[key] == ERASE]
    if not special:
        return
    approver = yield from me.signer(OFFICER)
    fields = {"customer_no": person.number, "objects": len(special)}
    request = yield from me.ask(
        "approvalflow_submit_approval", type=SPECIAL, approver=approver, fields=fields
    )
    status = yield from me.ask("approvalflow_check_status", request_id=request["id"])
    yield from me.decided(status)


def _treat(me: Skills, person: Person, one: Found, mode: str) -> Play[None]:
    """Erase or redact an object."""
    basis, identifiers = me.ticket_id, [person.name, person.number, person.address]
    if one["service"] == "approvalflow":
        yield from me.ask(
            "approvalflow_redact_personal_data", request_id=one["id"], basis=basis, identifiers=identifiers
        )
        return
    if mode == ERASE and one.get("type") == "ticket" and one["status"] != "closed":
        yield from me.ask(
            "ticketdesk_close_ticket", ticket_id=one["id"], resolution="The data is erased on request."
        )
    more = {"identifiers": identifiers} if mode == REDACT else {}
    yield from me.ask(
        f"{one['service']}_erase_personal_data", object_id=one["id"], mode=mode, basis=basis, **more
    )


def _answer(me: Skills, ending: str) -> Play[None]:
    """Answer the ticket with the template in force for this ending, and close it."""
    title = ANSWERS[ending]
    found = yield from me.ask("datahub_search_documents", q=title, kind=TEMPLATE, status="in_force", limit=5)
    template = _titled(found["items"], title)
    yield from me.ask(
        "ticketdesk_answer_ticket", ticket_id=me.ticket_id, body="See below.", document_ids=[template]
    )
    yield from me.ask("ticketdesk_close_ticket", ticket_id=me.ticket_id, resolution="Done and answered.")
