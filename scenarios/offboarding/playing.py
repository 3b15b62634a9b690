"""A script that solves the task with tools and observations alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play, Refused
from companyos.sdk.scripts.skills import Skills
from scenarios.packs.staffing import EQUIPMENT
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS

from .documents import (
    ACCESS,
    CHECKLIST,
    CHECKLIST_IN_FORCE,
    FORM,
    LAST_NAMED,
    LEAVERS_MANAGER,
    RETENTION,
    SENIOR,
    SYSTEMS,
    Rules,
)

_DOCUMENT = re.compile(r"\b(DOC-\d+)\b")
#: The longest delay of an event in seconds, and how often a script polls for it.
_NEWS_S, _TRIES = 600, 8
Found = dict[str, Any]


@dataclass
class Leaver:
    """What an agent has found out about the person who leaves or moves."""

    record: Found
    person: Found
    manager: str
    heir: str = ""
    successors: dict[str, str] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether the person stays with the company."""
        return bool(self.record["fields"]["change"] == "moves")

    def takes_over(self, project: str | None) -> str:
        """Return the person who takes over work of a project."""
        return self.successors.get(project or "", self.heir)


def solve(observation: Observation) -> Script:
    """Find the leaver, check for a legal hold, hand everything over, and end access last."""
    me = Skills(observation)
    leaver = yield from _read_up(me)
    rules = _rules((yield from me.document_text(CHECKLIST, limit=5)))
    holds = yield from _look_into_registers(me, leaver)
    if holds[HOLDS]["value"]:
        yield from me.ask("refuse", reason_code=rules.reason, evidence=[holds[HOLDS]["id"]])
    yield from _find_successors(me, leaver, rules.heir)
    yield from _hand_over_tickets(me, leaver)
    yield from _hand_over_data(me, leaver)
    in_force = bool(holds[DELEGATIONS]["value"])
    yield from _hand_over_decisions(
        me, leaver, in_force=in_force, to_manager=rules.delegate == LEAVERS_MANAGER
    )
    yield from _end_access(me, leaver)
    if not leaver.moves:
        yield from _end_account(me, leaver, rules.priority)
    yield from _pass_on(me, rules.closer)
    yield from me.finish("Everything of theirs has its new place.")


def _rules(checklist: str) -> Rules:
    """Return the rules of the checklist in force."""
    fields = CHECKLIST_IN_FORCE.read(checklist)
    return Rules(**{name: text for name, text in fields.items() if name != "title"})


def _read_up(me: Skills) -> Play[Leaver]:
    ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    record = yield from me.ask("datahub_get_record", record_id=ticket["subject"])
    person = yield from me.ask("datahub_get_person", person_id=record["fields"]["person"])
    return Leaver(record, person, person["manager"])


def _look_into_registers(me: Skills, leaver: Leaver) -> Play[dict[str, Found]]:
    """Refresh both metrics of the employee record and return them."""
    found = yield from me.ask("datahub_list_metrics", subject=leaver.record["id"])
    ids = {one["name"]: one["id"] for one in found["items"]}
    readings = yield from me.renewed(ids[name] for name in (HOLDS, DELEGATIONS))
    return {name: readings[ids[name]] for name in (HOLDS, DELEGATIONS)}


def _find_successors(me: Skills, leaver: Leaver, heir: str) -> Play[None]:
    """Read the handover form, leaving out successors who are on leave."""
    named: list[str] = []
    text = yield from me.document_text(f"Handover form of {leaver.person['name']}", limit=5)
    for line in FORM.read(text)["successors"]:
        name = line["person"]
        found = yield from me.ask("datahub_list_people", q=name)
        person_id = next(one["id"] for one in found["items"] if one["name"] == name)
        person = yield from me.ask("datahub_get_person", person_id=person_id)
        named.append(person_id)
        if not person["is_away"]:
            leaver.successors[line["project"]] = person_id
    if heir == SENIOR:
        manager = yield from me.ask("datahub_get_person", person_id=leaver.manager)
        leaver.heir = manager["manager"]
    else:
        leaver.heir = named[-1] if heir == LAST_NAMED else leaver.manager


def _hand_over_tickets(me: Skills, leaver: Leaver) -> Play[None]:
    found = yield from me.ask("ticketdesk_list_tickets", assignee=leaver.person["id"])
    for ticket in found["items"]:
        if ticket["status"] != "closed":
            to = leaver.takes_over(ticket["subject"])
            yield from me.ask("ticketdesk_assign_ticket", ticket_id=ticket["id"], assignee=to)


def _hand_over_data(me: Skills, leaver: Leaver) -> Play[None]:
    found = yield from me.ask("datahub_list_ownerships", owner=leaver.person["id"])
    for owned in found["items"]:
        record = yield from me.ask("datahub_get_record", record_id=owned["object_id"])
        to = leaver.takes_over(record["fields"]["project"])
        yield from me.ask("datahub_transfer_ownership", object_id=owned["object_id"], to=to)


def _hand_over_decisions(me: Skills, leaver: Leaver, *, in_force: bool, to_manager: bool) -> Play[None]:
    """Settle the delegations to the leaver, then hand over the requests that wait for them."""
    found = yield from me.ask("approvalflow_list_approvals", status="pending")
    for request in found["items"]:
        if request["approver"] != leaver.person["id"]:
            continue
        policy = yield from me.ask("approvalflow_get_policy", type_id=request["type"])
        role = policy["routes"][-1]["role"]
        holders = yield from _holders(me, role)
        for absent in [one for one in holders if one["delegate"] == leaver.person["id"]]:
            heir = (leaver.manager if to_manager else absent["manager"]) if in_force else None
            given = {} if heir is None else {"delegate": heir}
            yield from me.ask("datahub_set_delegate", person_id=absent["id"], **given)
            other = next(one["id"] for one in holders if one["id"] != absent["id"])
            yield from _reassign(me, request["id"], to=heir or other, after=absent["id"])


def _reassign(me: Skills, request_id: str, *, to: str, after: str) -> Play[None]:
    """Reassign a request once ApprovalFlow has received the new delegation of a person."""
    for _ in range(_TRIES):
        try:
            yield from me.ask(
                "approvalflow_reassign_request",
                request_id=request_id,
                to=to,
                reason="A colleague leaves the team.",
            )
            return
        except Refused as refused:
            if refused.code != "may_not_decide":
                raise
        replayed = yield from me.ask("approvalflow_replay_events", object_id=after)
        if not replayed["coming"]:
            yield from me.wait_until(me.now + _NEWS_S)


def _holders(me: Skills, role: str) -> Play[list[Found]]:
    listed = yield from me.ask("datahub_list_people", role=role)
    holders = []
    for one in listed["items"]:
        person = yield from me.ask("datahub_get_person", person_id=one["id"])
        holders.append(person)
    return holders


def _end_access(me: Skills, leaver: Leaver) -> Play[None]:
    """Hand over shared accounts, then revoke the access that does not stay."""
    found = yield from me.ask("datahub_list_entitlements", person=leaver.person["id"])
    active = [one for one in found["items"] if one["status"] == "active"]
    remain = yield from _systems_of_the_new_team(me, leaver)
    ending = []
    for one in active:
        if one["shared_with"]:
            yield from me.ask("datahub_transfer_ownership", object_id=one["id"], to=leaver.manager)
        elif one["basis"] == "exception":
            stays = yield from _has_to_stay(me, leaver, one)
            ending += [] if stays else [one]
        elif one["system"] not in remain:
            ending.append(one)
    for one in ending:
        yield from me.ask("datahub_revoke_entitlement", entitlement_id=one["id"], reason="No longer needed.")


def _systems_of_the_new_team(me: Skills, leaver: Leaver) -> Play[Iterable[str]]:
    if not leaver.moves:
        return ()
    text = yield from me.document_text(SYSTEMS, limit=5)
    team = leaver.record["fields"]["new_team"]
    return next(list[str](one["systems"]) for one in ACCESS.read(text)["teams"] if one["team"] == team)


def _has_to_stay(me: Skills, leaver: Leaver, entitlement: Found) -> Play[bool]:
    """Return whether the document that an exception's note names requires access beyond the last day."""
    named = _DOCUMENT.findall(entitlement["note"])[0]
    text = yield from me.ask("datahub_get_document", document_id=named)
    return str(RETENTION.read(text["body"])["until"]) > str(leaver.record["fields"]["effective_on"])


def _end_account(me: Skills, leaver: Leaver, priority: str) -> Play[None]:
    yield from me.ask("datahub_deactivate_person", person_id=leaver.person["id"], mode="suspend")
    yield from me.ask(
        "ticketdesk_create_ticket",
        kind=EQUIPMENT,
        title=f"Equipment of {leaver.person['name']}",
        description="Please collect it on the last day.",
        subject=leaver.record["id"],
        priority=priority,
    )


def _pass_on(me: Skills, closer: str) -> Play[None]:
    """Assign the off-boarding ticket to the holder of this role."""
    holders = yield from me.ask("datahub_list_people", role=closer)
    yield from me.ask("ticketdesk_assign_ticket", ticket_id=me.ticket_id, assignee=holders["items"][0]["id"])
