"""What an employee can do about a vendor's onboarding: moves made of tool calls, decision by decision.

A move reads and notes what is known of the case, calls tools, and ends where a call comes to nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Known = dict[str, Any]


class Caller(Protocol):
    """Who makes a move."""

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a tool answers."""


Move = Callable[[Caller, Known], None]


def look(me: Caller, known: Known) -> None:
    """Read the ticket, the vendor's record, the rules, the directory, and which figure it is about."""
    known["ticket"] = me.call("ticketdesk_get_ticket", ticket_id=known["ticket_id"])
    known["vendor"] = me.call("datahub_get_record", record_id=known["ticket"]["subject"])
    known["rules"] = me.call("ticketdesk_get_rules", kind=known["ticket"]["kind"])
    known["officer"] = me.call("datahub_get_approver", role="cfo")
    scores = me.call("datahub_list_metrics", name="compliance_score", subject=known["vendor"]["id"])
    known["metric_id"] = scores["items"][0]["id"]


def refresh(me: Caller, known: Known) -> None:
    """Have the score brought up to date, and read it."""
    job = me.call("datahub_refresh_data", metric_id=known["metric_id"])
    me.call("wait", until=job["due_at"])
    known["score"] = me.call("datahub_query_metric", metric_id=known["metric_id"])["value"]


def prepare(me: Caller, known: Known) -> None:
    """Fill in the ticket as its record has it, take it, and verify it."""
    ticket, vendor = {"ticket_id": known["ticket_id"]}, known["vendor"]
    priority, cost_centre = known["rules"]["allowed_priorities"][0], vendor["fields"]["cost_centre"]
    me.call("ticketdesk_update_ticket", **ticket, priority=priority, cost_centre=cost_centre)
    me.call("ticketdesk_assign_ticket", **ticket, assignee=known["me"])
    me.call("ticketdesk_verify_ticket", **ticket, evidence=f"Checked against {vendor['id']}.")


def ask_who_is_in(me: Caller, known: Known) -> None:
    """Ask the financial officer, or the delegate while the officer is away."""
    officer = known["officer"]
    _ask(me, known, officer if officer["available"] else officer["delegate"])


def ask_the_officer(me: Caller, known: Known) -> None:
    """Ask the financial officer, who may be back by now."""
    _ask(me, known, known["officer"])


def await_the_officer(me: Caller, known: Known) -> None:
    """Wait until the financial officer is back."""
    me.call("wait", until=known["officer"]["away_until"])


def hold_back(me: Caller, known: Known) -> None:
    """Ask nobody, and have the vendor mend what is wrong first."""
    text = {"title": "Raise the compliance score", "description": "The policy does not accept it as it is."}
    about = {"subject": known["vendor"]["id"], "blocks": known["ticket_id"]}
    me.call("ticketdesk_create_ticket", kind="remediation", **text, **about)
    finish(me, known)


def await_decision(me: Caller, known: Known) -> None:
    """Let time pass until the decision falls."""
    me.call("wait", until=known["request"]["decision_due_at"])


def resubmit(me: Caller, known: Known) -> None:
    """Make a rejected request again, and wait for the decision."""
    known["request"] = me.call("approvalflow_resubmit_request", request_id=known["request"]["id"])
    await_decision(me, known)


def attach(me: Caller, known: Known) -> None:
    """Attach the ticket to the request."""
    evidence = {"kind": "ticket", "reference": known["ticket_id"]}
    me.call("approvalflow_add_evidence", request_id=known["request"]["id"], **evidence)


def finish(me: Caller, known: Known) -> None:
    """Say that the task is done."""
    me.call("finish", answer="The vendor's onboarding is dealt with.")


def leave_it(me: Caller, known: Known) -> None:
    """Do nothing, which may be best."""


def each_of(*moves: Move) -> Move:
    """Return the move that makes these, one after another."""

    def make(me: Caller, known: Known) -> None:
        for move in moves:
            move(me, known)

    return make


def _ask(me: Caller, known: Known, approver: Known) -> None:
    fields = {"vendor_name": known["vendor"]["name"], "compliance_score": known["score"]}
    about = {"type": "vendor_approval", "ticket_id": known["ticket_id"], "approver": approver["id"]}
    known["request"] = me.call("approvalflow_submit_approval", **about, fields=fields)


#: The decisions in order. The first move of each is what the text of the task suggests where nothing goes wrong.
PLAN: Sequence[Sequence[Move]] = (
    (look,),
    (refresh, each_of(refresh, refresh)),
    (prepare, leave_it),
    (ask_who_is_in, ask_the_officer, each_of(await_the_officer, ask_the_officer), hold_back),
    (await_decision,),
    (leave_it, resubmit, each_of(attach, resubmit), each_of(attach, resubmit, resubmit)),
    (finish,),
)
