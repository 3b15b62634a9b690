"""Scripts that solve the task with tools and observations alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from companyos.scenario import Observation, Script
from companyos.sdk.asking import Asker, Play, Refused
from companyos.sdk.simtime import from_iso
from scenarios.packs.staffing import EQUIPMENT
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS

from .documents import CHECKLIST, LAST_NAMED, LEAVERS_MANAGER, SENIOR, SYSTEMS, Rules

#: The parts of the checklist that differ between companies.
_HEIR = re.compile(r"What has no successor goes to (.+?)\. ")
_DELEGATE = re.compile(r"A delegation in force goes to (.+?), for")
_CLOSER = re.compile(r"assigned to the colleague in the role `(\w+)`")
_PRIORITY = re.compile(r"with the priority `(\w+)`")
_REASON = re.compile(r"decline with `(\w+)`")
_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_DOCUMENT = re.compile(r"\b(DOC-\d+)\b")
_SUCCESSOR = re.compile(r"^- ([A-Z]+-\d+), .*: (.+)$", re.MULTILINE)
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


def solve(observation: Observation, *, trusts_directory: bool = False) -> Script:
    """Find the leaver, check for a legal hold, hand everything over, and end access last.

    Args:
        observation: What reset showed.
        trusts_directory: Whether to assume that every delegation in the directory is in force.
    """
    me = Asker(observation)
    leaver = yield from _read_up(me)
    rules = _rules((yield from _read(me, CHECKLIST)))
    holds = yield from _look_into_registers(me, leaver)
    if holds[HOLDS]["value"]:
        yield from me.ask("refuse", reason_code=rules.reason, evidence=[holds[HOLDS]["id"]])
    yield from _find_successors(me, leaver, rules.heir)
    yield from _hand_over_tickets(me, leaver)
    yield from _hand_over_data(me, leaver)
    in_force = trusts_directory or bool(holds[DELEGATIONS]["value"])
    yield from _hand_over_decisions(
        me, leaver, in_force=in_force, to_manager=rules.delegate == LEAVERS_MANAGER
    )
    yield from _end_access(me, leaver)
    if not leaver.moves:
        yield from _end_account(me, leaver, rules.priority)
    yield from _pass_on(me, rules.closer)
    yield from me.finish("Everything of theirs has its new place.")


def _rules(checklist: str) -> Rules:
    """Parse the rules from the checklist."""
    patterns = (_HEIR, _DELEGATE, _CLOSER, _PRIORITY, _REASON)
    return Rules(*(_match(pattern, checklist) for pattern in patterns))


def _match(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    if found is None:
        raise LookupError(f"nothing like {pattern.pattern} is said")
    return found[1]


def _read_up(me: Asker) -> Play[Leaver]:
    ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    record = yield from me.ask("datahub_get_record", record_id=ticket["subject"])
    person = yield from me.ask("datahub_get_person", person_id=record["fields"]["person"])
    return Leaver(record, person, person["manager"])


def _read(me: Asker, words: str) -> Play[str]:
    """Return the document in force that a search for these words finds."""
    found = yield from me.ask("datahub_search_documents", q=words, status="in_force", limit=5)
    text = yield from me.ask("datahub_get_document", document_id=found["items"][0]["id"])
    return str(text["body"])


def _look_into_registers(me: Asker, leaver: Leaver) -> Play[dict[str, Found]]:
    """Refresh both metrics of the employee record and return them."""
    found = yield from me.ask("datahub_list_metrics", subject=leaver.record["id"])
    ids = {one["name"]: one["id"] for one in found["items"]}
    due = []
    for name in (HOLDS, DELEGATIONS):
        job = yield from me.ask("datahub_refresh_data", metric_id=ids[name])
        due.append(from_iso(job["due_at"]))
    yield from me.wait_until(max(due))
    read = {}
    for name in (HOLDS, DELEGATIONS):
        read[name] = yield from me.ask("datahub_query_metric", metric_id=ids[name])
    return read


def _find_successors(me: Asker, leaver: Leaver, heir: str) -> Play[None]:
    """Read the handover form, leaving out successors who are on leave."""
    named: list[str] = []
    text = yield from _read(me, f"Handover form of {leaver.person['name']}")
    for project, name in _SUCCESSOR.findall(text):
        found = yield from me.ask("datahub_list_people", q=name)
        person_id = next(one["id"] for one in found["items"] if one["name"] == name)
        person = yield from me.ask("datahub_get_person", person_id=person_id)
        named.append(person_id)
        if not person["is_away"]:
            leaver.successors[project] = person_id
    if heir == SENIOR:
        manager = yield from me.ask("datahub_get_person", person_id=leaver.manager)
        leaver.heir = manager["manager"]
    else:
        leaver.heir = named[-1] if heir == LAST_NAMED else leaver.manager


def _hand_over_tickets(me: Asker, leaver: Leaver) -> Play[None]:
    found = yield from me.ask("ticketdesk_list_tickets", assignee=leaver.person["id"])
    for ticket in found["items"]:
        if ticket["status"] != "closed":
            to = leaver.takes_over(ticket["subject"])
            yield from me.ask("ticketdesk_assign_ticket", ticket_id=ticket["id"], assignee=to)


def _hand_over_data(me: Asker, leaver: Leaver) -> Play[None]:
    found = yield from me.ask("datahub_list_ownerships", owner=leaver.person["id"])
    for owned in found["items"]:
        record = yield from me.ask("datahub_get_record", record_id=owned["object_id"])
        to = leaver.takes_over(record["fields"]["project"])
        yield from me.ask("datahub_transfer_ownership", object_id=owned["object_id"], to=to)


def _hand_over_decisions(me: Asker, leaver: Leaver, *, in_force: bool, to_manager: bool) -> Play[None]:
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


def _reassign(me: Asker, request_id: str, *, to: str, after: str) -> Play[None]:
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


def _holders(me: Asker, role: str) -> Play[list[Found]]:
    listed = yield from me.ask("datahub_list_people", role=role)
    holders = []
    for one in listed["items"]:
        person = yield from me.ask("datahub_get_person", person_id=one["id"])
        holders.append(person)
    return holders


def _end_access(me: Asker, leaver: Leaver) -> Play[None]:
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


def _systems_of_the_new_team(me: Asker, leaver: Leaver) -> Play[Iterable[str]]:
    if not leaver.moves:
        return ()
    text = yield from _read(me, SYSTEMS)
    team = leaver.record["fields"]["new_team"]
    line = next(line for line in text.splitlines() if line.startswith(f"- {team}: "))
    return line.partition(": ")[2].split(", ")


def _has_to_stay(me: Asker, leaver: Leaver, entitlement: Found) -> Play[bool]:
    """Return whether the document that an exception's note names requires access beyond the last day."""
    named = _match(_DOCUMENT, entitlement["note"])
    text = yield from me.ask("datahub_get_document", document_id=named)
    return _match(_DAY, text["body"]) > str(leaver.record["fields"]["effective_on"])


def _end_account(me: Asker, leaver: Leaver, priority: str) -> Play[None]:
    yield from me.ask("datahub_deactivate_person", person_id=leaver.person["id"], mode="suspend")
    yield from me.ask(
        "ticketdesk_create_ticket",
        kind=EQUIPMENT,
        title=f"Equipment of {leaver.person['name']}",
        description="Please collect it on the last day.",
        subject=leaver.record["id"],
        priority=priority,
    )


def _pass_on(me: Asker, closer: str) -> Play[None]:
    """Assign the off-boarding ticket to the holder of this role."""
    holders = yield from me.ask("datahub_list_people", role=closer)
    yield from me.ask("ticketdesk_assign_ticket", ticket_id=me.ticket_id, assignee=holders["items"][0]["id"])


def believe(observation: Observation) -> Script:
    """Revoke everything, then give all work to the colleague whom the ticket names; check nothing."""
    me = Asker(observation)
    ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    record = yield from me.ask("datahub_get_record", record_id=ticket["subject"])
    person_id = record["fields"]["person"]
    text = ticket["description"].partition(". ")[2]
    people = yield from me.ask("datahub_list_people", limit=200)
    heir = next(one["id"] for one in people["items"] if one["name"] in text)
    held = yield from me.ask("datahub_list_entitlements", person=person_id)
    for one in held["items"]:
        yield from me.ask("datahub_revoke_entitlement", entitlement_id=one["id"], reason="They leave.")
    listed = yield from me.ask("ticketdesk_list_tickets", assignee=person_id)
    for one in listed["items"]:
        if one["status"] != "closed":
            yield from me.ask("ticketdesk_assign_ticket", ticket_id=one["id"], assignee=heir)
    yield from me.ask("datahub_deactivate_person", person_id=person_id, mode="suspend")
    yield from me.finish("Done.")
