"""A script that solves the task with tools and observations alone."""

import re
from collections.abc import Mapping
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


class PrivacyClerk(Skills):
    """Plays the work on one request."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self._found: dict[str, Found] = {}
        # Of the person who wants to be forgotten.
        self._name = self._number = self._address = ""

    def work(self) -> Script:
        """Check the sender, find the objects and the hold, erase in the right order, and answer."""
        ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        mail = yield from self.ask("datahub_get_message", message_id=ticket["subject"])
        rules = yield from self.document_text(PROCEDURE, where={"title": PROCEDURE}, limit=5)
        yield from self._look_up(mail)
        proven = yield from self._may_ask(mail)
        if not proven:
            return
        covered = yield from self._ask_about_holds()
        yield from self._find_all()
        stays = {ticket["id"], mail["id"], *covered}
        objects = {
            key: one
            for key, one in sorted(self._found.items())
            if key not in stays and one["kind"] not in _EVIDENCE
        }
        modes = yield from self._modes(objects)
        yield from self._get_approval(rules, objects, modes)
        for key, one in objects.items():
            yield from self._treat(one, modes[key])
        yield from self._answer(ON_HOLD if covered else BY_LAW if REDACT in modes.values() else FULL)
        yield from self.finish("It is done.")

    def _find(self, service: str, *identifiers: str) -> Play[None]:
        """Note everything in a system that contains one of these identifiers."""
        found = yield from self.ask(f"{service}_find_personal_data", identifiers=list(identifiers))
        self._found |= {one["id"]: {**one, "service": service} for one in found["items"]}

    def _of_kind(self, kind: str) -> list[str]:
        """Return the ids of the objects of a kind, in order."""
        return sorted(key for key, one in self._found.items() if one["kind"] == kind)

    def _look_up(self, mail: Found) -> Play[None]:
        """Find the customer whose number the mail states, with the DataHub objects that contain it."""
        self._number = _NUMBER.findall(mail["body"])[0]
        yield from self._find("datahub", self._number)
        record_id = next(key for key, one in self._found.items() if one["kind"] == "customer")
        record = yield from self.ask("datahub_get_record", record_id=record_id)
        self._name, self._address = record["name"], record["fields"]["email"]

    def _may_ask(self, mail: Found) -> Play[bool]:
        """Return whether the sender may ask; if not, the ticket is returned to its reporter."""
        if mail["sender"] == self._address:
            return True
        references = [mail["id"]]
        for paper_id in self._of_kind("power_of_attorney"):
            paper = yield from self.ask("datahub_get_document", document_id=paper_id)
            if paper["status"] == "in_force" and mail["sender"] in paper["body"]:
                return True
            references.append(paper_id)
        yield from self.ask(
            "ticketdesk_return_ticket",
            ticket_id=self.ticket_id,
            question="Who is asking? The sender's address is not on file, and nobody may act for the customer.",
            references=references,
        )
        yield from self.finish("Identity is not proven.")
        return False

    def _ask_about_holds(self) -> Play[set[str]]:
        """Return the ids that holds in force cover; refuse if one covers everything."""
        covered = set[str]()
        for hold_id in self._of_kind("legal_hold"):
            hold = yield from self.ask("datahub_get_record", record_id=hold_id)
            metrics = yield from self.ask("datahub_list_metrics", subject=hold_id, name=HOLD_METRIC)
            metric_id = metrics["items"][0]["id"]
            readings = yield from self.renewed([metric_id])
            if not readings[metric_id]["value"]:
                continue
            if hold["fields"]["covers"] == "everything":
                yield from self.ask("refuse", reason_code="legal_hold", evidence=[hold_id])
            covered |= set(hold["fields"]["covers"].split(", "))
        return covered

    def _find_all(self) -> Play[None]:
        """Find everything in all systems that contains the address, the number or an order's number."""
        known = [self._number, self._address, *self._of_kind("order")]
        for service in ("datahub", "ticketdesk", "approvalflow"):
            yield from self._find(service, *known)

    def _modes(self, objects: Mapping[str, Found]) -> Play[dict[str, str]]:
        """Return what the schedule in force prescribes for each object."""
        schedule = yield from self.document_text(SCHEDULE, where={"title": SCHEDULE}, limit=5)
        rules = {one["kind"]: one for one in SCHEDULE_TEXT.read(schedule)["lines"]}
        modes = {}
        for key, one in objects.items():
            rule = rules["comment" if one.get("type") == "comment" else one["kind"]]
            modes[key] = rule["rule"]
            if rule["rule"] == KEPT:
                record = yield from self.ask("datahub_get_record", record_id=key)
                ends = from_iso(record["fields"][rule["dated"]]) + rule["years"] * _YEAR_S
                modes[key] = REDACT if self.now < ends else ERASE
        return modes

    def _get_approval(self, rules: str, objects: Mapping[str, Found], modes: Mapping[str, str]) -> Play[None]:
        """Get the erasure of special records approved, if there are any."""
        kinds = PROCEDURE_IN_FORCE.read(rules)["special"]
        special = [key for key, one in objects.items() if one["kind"] in kinds and modes[key] == ERASE]
        if not special:
            return
        approver = yield from self.signer(OFFICER)
        fields = {"customer_no": self._number, "objects": len(special)}
        request = yield from self.ask(
            "approvalflow_submit_approval", type=SPECIAL, approver=approver, fields=fields
        )
        status = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        yield from self.decided(status)

    def _treat(self, one: Found, mode: str) -> Play[None]:
        """Erase or redact an object."""
        act: dict[str, Any] = {"basis": self.ticket_id}
        if mode == REDACT or one["service"] == "approvalflow":
            act["identifiers"] = [self._name, self._number, self._address]
        if one["service"] == "approvalflow":
            yield from self.ask("approvalflow_redact_personal_data", request_id=one["id"], **act)
            return
        if mode == ERASE and one.get("type") == "ticket" and one["status"] != "closed":
            yield from self._close(one["id"], "The data is erased on request.")
        tool = f"{one['service']}_erase_personal_data"
        yield from self.ask(tool, object_id=one["id"], mode=mode, **act)

    def _answer(self, ending: str) -> Play[None]:
        """Answer the ticket with the template in force for this ending, and close it."""
        title, own = ANSWERS[ending], self.ticket_id
        found = yield from self.ask(
            "datahub_search_documents", q=title, kind=TEMPLATE, status="in_force", limit=5
        )
        template = next(one["id"] for one in found["items"] if one["title"] == title)
        yield from self.ask(
            "ticketdesk_answer_ticket", ticket_id=own, body="See below.", document_ids=[template]
        )
        yield from self._close(own, "Done and answered.")

    def _close(self, ticket_id: str, resolution: str) -> Play[None]:
        yield from self.ask("ticketdesk_close_ticket", ticket_id=ticket_id, resolution=resolution)
