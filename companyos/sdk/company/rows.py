"""Rows as the services store them, with a default value for every column that is not given."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]

#: What ApprovalFlow knows about the presence of a person who is not absent.
_ANNOUNCED = {
    "away": False,
    "away_until": None,
    "version": 0,
    "active": True,
    "delegation_version": 0,
    "by_hand": False,
}

#: Statuses in which a ticket's facts are still unchecked.
_UNCHECKED = ("new", "triage")


def directory_entry(person_id: str, name: str, role: str, team: str) -> Row:
    """Return a person in DataHub's directory, without a delegate."""
    return {
        "id": person_id,
        "name": name,
        "role": role,
        "team": team,
        "email": f"{person_id}@company.example",
        "delegate": None,
        "delegate_types": [],
        "delegate_limit": None,
        "manager": None,
        "active": True,
    }


def approver(person: Row) -> Row:
    """Return ApprovalFlow's copy of a directory entry: present, and with the same delegate."""
    known = ("id", "name", "role", "delegate", "delegate_types", "delegate_limit")
    return {**{key: person[key] for key in known}, **_ANNOUNCED}


def colleague(person: Row) -> Row:
    """Return TicketDesk's copy of a directory entry."""
    return {**{key: person[key] for key in ("id", "name", "role", "team")}, "active": True}


def known_permission(name: str) -> Row:
    """Return another service's copy of a DataHub permission that everybody has, without grants."""
    return {"id": name, "roles": [], "people": []}


def absence(absence_id: str, person_id: str, starts_at: int, ends_at: int, reason: str) -> Row:
    """Return a DataHub absence."""
    return {
        "id": absence_id,
        "person_id": person_id,
        "starts_at": starts_at,
        "ends_at": ends_at,
        "reason": reason,
    }


def record(record_id: str, kind: str, name: str, fields: Mapping[str, Any], status: str) -> Row:
    """Return a DataHub record."""
    return {
        "id": record_id,
        "kind": kind,
        "name": name,
        "fields": dict(fields),
        "status": status,
        "version": 1,
    }


def metric(metric_id: str, name: str, subject: str | None, **columns: Any) -> Row:
    """Return a DataHub metric; `columns` give value, unit, as_of, ttl_s and any non-default column."""
    usual = {
        "source": f"{name.replace('_', '-')}-sync",
        "upstream": [],
        "status": "ok",
        "refresh_s": 600,
        "version": 1,
    }
    return {"id": metric_id, "name": name, "subject": subject, **usual, **columns}


def known_metric(measured: Row) -> Row:
    """Return ApprovalFlow's copy of a metric."""
    known = {key: measured[key] for key in ("id", "name", "subject", "value", "as_of", "version")}
    return {**known, "expires_at": measured["as_of"] + measured["ttl_s"]}


def source(metric_id: str, values: Sequence[float], failures: Sequence[int]) -> Row:
    """Return the source of a metric: its refresh results, and which refreshes fail."""
    return {"id": metric_id, "values": list(values), "failures": list(failures)}


def document(
    document_id: str, kind: str, title: str, department: str, author: str, body: str, **columns: Any
) -> Row:
    """Return a DataHub document: the first edition, in force, unless `columns` say otherwise.

    `columns` must include written_at.
    """
    usual: Row = {"effective_from": None, "status": "in_force", "version": 1, "supersedes": None, "links": []}
    return {
        "id": document_id,
        "kind": kind,
        "title": title,
        "department": department,
        "author": author,
        "body": body,
        **usual,
        **columns,
    }


def message(message_id: str, sender: str, recipient: str, subject: str, body: str) -> Row:
    """Return a DataHub message without its thread, time and subject object."""
    return {"id": message_id, "sender": sender, "recipient": recipient, "subject": subject, "body": body}


def knowledge(person_id: str, about: str, body: str, delay_s: int) -> Row:
    """Return what a person in DataHub's directory knows about an object."""
    return {
        "id": f"{person_id}:{about}",
        "person": person_id,
        "about": about,
        "body": body,
        "delay_s": delay_s,
    }


def ticket(ticket_id: str, kind: str, title: str, description: str, **columns: Any) -> Row:
    """Return a TicketDesk ticket, with status new unless `columns` say otherwise.

    `columns` must include reporter and created_at.
    """
    usual = {
        "status": "new",
        "priority": None,
        "assignee": None,
        "subject": None,
        "cost_centre": None,
        "blocked_by": [],
        "resolution": None,
        "evidence": None,
        "references": [],
        "verified_by": None,
        "verified_at": None,
        "requires_approval": False,
        "approval": "none",
        "updated_at": columns["created_at"],
        "version": 1,
    }
    return {"id": ticket_id, "kind": kind, "title": title, "description": description, **usual, **columns}


def known_ticket(opened: Row) -> Row:
    """Return ApprovalFlow's copy of a ticket."""
    known = {key: opened[key] for key in ("id", "kind", "subject", "version", "reporter", "verified_by")}
    verified = opened["verified_by"] is not None and opened["status"] not in _UNCHECKED
    return {**known, "verified": verified}


def comment(comment_id: str, ticket_id: str, author: str, body: str, created_at: int) -> Row:
    """Return a TicketDesk comment."""
    return {
        "id": comment_id,
        "ticket_id": ticket_id,
        "author": author,
        "body": body,
        "created_at": created_at,
    }


def link(link_id: str, ticket_id: str, kind: str, target: str, created_at: int) -> Row:
    """Return a link of a ticket to something else."""
    return {
        "id": link_id,
        "ticket_id": ticket_id,
        "kind": kind,
        "target": target,
        "created_at": created_at,
    }


def external_blocker(object_id: str, kind: str, since: int) -> Row:
    """Return TicketDesk's entry for a metric or request that blocks a ticket and has had no news yet."""
    return {"id": object_id, "kind": kind, "status": "open", "since": since}


def history_line(opened: Row, number: int, at: int, actor: str, action: str) -> Row:
    """Return a line of a ticket's history that concerns no particular field."""
    return {
        "id": f"{opened['id']}-H{number}",
        "ticket_id": opened["id"],
        "at": at,
        "actor": actor,
        "action": action,
        "field": None,
        "before": None,
        "after": None,
    }


def request(request_id: str, type_id: str, about: Row, **columns: Any) -> Row:
    """Return a request about a ticket; `columns` give its people, status and times."""
    usual = {
        "policy_version": 1,
        "ticket_id": about["id"],
        "subject": about["subject"],
        "fields": {},
        "evidence": {},
        "waiting_for": [],
        "decision_due": None,
        "decided_at": None,
        "decided_by": None,
        "reason_code": None,
        "reason": None,
        "remedy": None,
        "required_field": None,
        "required_evidence": None,
        "attempt": 1,
        "supersedes": None,
        "version": 2,
    }
    return {"id": request_id, "type": type_id, **usual, **columns}


def audit_entry(request_id: str, number: int, at: int, actor: str, action: str, detail: str) -> Row:
    """Return an entry of a request's audit trail."""
    return {
        "id": f"{request_id}-A{number}",
        "request_id": request_id,
        "at": at,
        "actor": actor,
        "action": action,
        "detail": detail,
    }


def rejection(
    type_id: str,
    about: str,
    attempt: int,
    reason_code: str,
    remedy: str,
    states: Mapping[str, Any],
    evidence: str | None,
) -> Row:
    """Return an approver's objection that rejects an attempt at an approval.

    Args:
        states: The fields that it asks for, with their required values.
        evidence: The kind of evidence that must be attached: `record`, `metric` or `ticket`.
    """
    return {
        "id": f"{type_id}:{about}:{attempt}",
        "reason_code": reason_code,
        "remedy": remedy,
        "states": dict(states),
        "evidence": evidence,
    }
