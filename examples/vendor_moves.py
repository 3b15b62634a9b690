"""The moves that an employee can make in a vendor's onboarding: tool calls, decision by decision.

A move uses and updates the facts known about the case, calls tools, and ends when a call fails. This module
does not say which moves are right in a case; the player has to find out.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Known = dict[str, Any]


class Caller(Protocol):
    """The player that makes a move."""

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return a tool's answer."""


Move = Callable[[Caller, Known], None]


def each_of(*moves: Move) -> Move:
    """Return the move that makes these moves, one after another."""

    def make(me: Caller, known: Known) -> None:
        for move in moves:
            move(me, known)

    return make


def leave_it(me: Caller, known: Known) -> None:
    """Do nothing, which may be the best move."""


def look(me: Caller, known: Known) -> None:
    """Read the ticket, the rules for its kind and the list of vendors on hold."""
    known["ticket"] = me.call("ticketdesk_get_ticket", ticket_id=known["ticket_id"])
    known["rules"] = me.call("ticketdesk_get_rules", kind=known["ticket"]["kind"])
    known["listed"] = _found(me, "Vendors on hold", "policy")[0]["id"]
    me.call("datahub_get_document", document_id=known["listed"])


def by_subject(me: Caller, known: Known) -> None:
    """Take the vendor that the ticket is about."""
    known["vendor"] = me.call("datahub_get_record", record_id=known["ticket"]["subject"])


def by_name(number: int) -> Move:
    """Return the move that takes one of the vendors with the name in the ticket's title."""

    def take(me: Caller, known: Known) -> None:
        name = known["ticket"]["title"].removeprefix("Onboard ")
        known["vendor"] = me.call("datahub_list_records", kind="vendor", q=name)["items"][number]

    return take


def refresh(me: Caller, known: Known) -> None:
    """Refresh the vendor's score, and read it."""
    scores = me.call("datahub_list_metrics", name="compliance_score", subject=known["vendor"]["id"])
    known["score"] = scores["items"][0]
    _renew(me, known)


def freshen(me: Caller, known: Known) -> None:
    """Read the score, and refresh it while it is stale."""
    known["score"] = me.call("datahub_query_metric", metric_id=known["score"]["id"])
    while known["score"]["is_stale"]:
        _renew(me, known)


def read_form(number: int) -> Move:
    """Return the move that reads one of the self-declarations that a search for the vendor's name finds."""

    def read(me: Caller, known: Known) -> None:
        title = f"Supplier self-declaration: {known['vendor']['name']}"
        known["form"] = _found(me, title, "form")[number]
        me.call("datahub_get_document", document_id=known["form"]["id"])

    return read


def return_it(me: Caller, known: Known) -> None:
    """Send the ticket back to its reporter, because the self-declaration and the record differ."""
    named = [known["form"]["id"], known["vendor"]["id"]]
    question = "The self-declaration and the record differ. Which of them is right?"
    me.call("ticketdesk_return_ticket", ticket_id=known["ticket_id"], question=question, references=named)
    finish(me, known)


def refuse_it(me: Caller, known: Known) -> None:
    """Refuse because of the list of vendors on hold."""
    me.call("refuse", reason_code="policy_forbids", evidence=[known["listed"], known["vendor"]["id"]])


def trust_this(me: Caller, known: Known) -> None:
    """Copy the cost centre of the vendor's record to the record that it points to."""
    right = {"cost_centre": known["vendor"]["fields"]["cost_centre"]}
    me.call("datahub_update_record", record_id=known["vendor"]["fields"]["see_also"], fields=right)


def trust_the_other(me: Caller, known: Known) -> None:
    """Copy the cost centre of the record that the vendor's record points to into the vendor's record."""
    vendor = known["vendor"]
    other = me.call("datahub_get_record", record_id=vendor["fields"]["see_also"])
    right = {"cost_centre": other["fields"]["cost_centre"]}
    me.call("datahub_update_record", record_id=vendor["id"], fields=right)
    known["vendor"] = {**vendor, "fields": {**vendor["fields"], **right}}


def unblock(me: Caller, known: Known) -> None:
    """Resolve what blocks the ticket."""
    _free(me, known["ticket"])


def prepare(me: Caller, known: Known) -> None:
    """Fill in the ticket's empty fields from its record, take the ticket, and verify it."""
    ticket, vendor = {"ticket_id": known["ticket_id"]}, known["vendor"]
    right = {
        "subject": vendor["id"],
        "priority": known["rules"]["allowed_priorities"][0],
        "cost_centre": vendor["fields"]["cost_centre"],
    }
    empty = {name: value for name, value in right.items() if known["ticket"][name] is None}
    me.call("ticketdesk_update_ticket", **ticket, **empty)
    me.call("ticketdesk_assign_ticket", **ticket, assignee=known["me"])
    checked = {
        "evidence": f"Checked against {vendor['id']}.",
        "references": [vendor["id"], known["score"]["id"], known["form"]["id"]],
    }
    me.call("ticketdesk_verify_ticket", **ticket, **checked)


def hold_back(me: Caller, known: Known) -> None:
    """Submit no request; create a ticket to raise the vendor's score first."""
    text = {"title": "Raise the compliance score", "description": "The policy does not accept it as it is."}
    about = {"subject": known["vendor"]["id"], "blocks": known["ticket_id"]}
    me.call("ticketdesk_create_ticket", kind="remediation", **text, **about)
    finish(me, known)


def who_is_in(me: Caller, known: Known) -> None:
    """Choose the financial officer, or the delegate if the officer is away."""
    officer = me.call("datahub_get_approver", role="cfo")
    known["approver"] = officer if officer["available"] else officer["delegate"]


def in_line(number: int) -> Move:
    """Return the move that chooses the financial officer (0), or the nth delegate after them."""

    def choose(me: Caller, known: Known) -> None:
        person_id = me.call("datahub_get_approver", role="cfo")["id"]
        known["approver"] = me.call("datahub_get_person", person_id=person_id)
        for _ in range(number):
            person_id = known["approver"]["delegate"]
            known["approver"] = me.call("datahub_get_person", person_id=person_id)

    return choose


def another(me: Caller, known: Known) -> None:
    """Choose another holder of the officer's role."""
    known["approver"] = {"id": me.call("datahub_get_approver", role="cfo")["others"][0]}


def until_back(me: Caller, known: Known) -> None:
    """Wait until the chosen approver is back."""
    me.call("wait", until=known["approver"]["away_until"])


def submit(me: Caller, known: Known) -> None:
    """Submit the request to the chosen approver."""
    fields = {"vendor_name": known["vendor"]["name"], "compliance_score": known["score"]["value"]}
    about = {"type": "vendor_approval", "ticket_id": known["ticket_id"]}
    who = known["approver"]["id"]
    known["request"] = me.call("approvalflow_submit_approval", **about, approver=who, fields=fields)


def await_decision(me: Caller, known: Known) -> None:
    """Wait until the request is decided."""
    me.call("wait", until=known["request"]["decision_due_at"])


def ask_after_it(me: Caller, known: Known) -> None:
    """Check the request's status, and wait until it is decided."""
    known["request"] = me.call("approvalflow_check_status", request_id=known["request"]["id"])
    await_decision(me, known)


def pass_on(service: str) -> Move:
    """Return the move that replays to a service the events about the case that it has missed."""

    def tell(me: Caller, known: Known) -> None:
        for object_id in (known["ticket_id"], known["score"]["id"], known["request"]["id"]):
            me.call(f"{service}_replay_events", object_id=object_id)

    return tell


def let_time_pass(me: Caller, known: Known) -> None:
    """Wait for a quarter of an hour, so that delayed events arrive."""
    me.call("wait", seconds=900)


def attach(me: Caller, known: Known) -> None:
    """Attach the evidence that the request's approver asks for."""
    status = me.call("approvalflow_check_status", request_id=known["request"]["id"])
    kind = status["required_evidence"] or "ticket"
    of_kind = {"record": known["vendor"]["id"], "metric": known["score"]["id"], "ticket": known["ticket_id"]}
    me.call("approvalflow_add_evidence", request_id=status["id"], kind=kind, reference=of_kind[kind])


def resubmit(me: Caller, known: Known) -> None:
    """Resubmit a rejected request with a fresh score, and wait for the decision."""
    freshen(me, known)
    known["request"] = me.call("approvalflow_resubmit_request", request_id=known["request"]["id"])
    await_decision(me, known)


def finish(me: Caller, known: Known) -> None:
    """Finish the task."""
    me.call("finish", answer="The vendor's onboarding is dealt with.")


def _found(me: Caller, title: str, kind: str) -> Any:
    """Search the documents in force for a title, without the characters that a search interprets."""
    q = "".join(sign if sign.isalnum() else " " for sign in title)[:100]
    return me.call("datahub_search_documents", q=q, kind=kind, status="in_force")["items"]


def _renew(me: Caller, known: Known) -> None:
    job = me.call("datahub_refresh_data", metric_id=known["score"]["id"])
    me.call("wait", until=job["due_at"])
    known["score"] = me.call("datahub_query_metric", metric_id=known["score"]["id"])


def _free(me: Caller, ticket: Known) -> None:
    for blocker_id in ticket["blocked_by"]:
        _settle(me, blocker_id)
        me.call("ticketdesk_resolve_blocker", ticket_id=ticket["id"], blocker_id=blocker_id)


def _settle(me: Caller, blocker_id: str) -> None:
    if blocker_id.startswith("MET-"):
        job = me.call("datahub_refresh_data", metric_id=blocker_id)
        me.call("wait", until=job["due_at"])
    elif blocker_id.startswith("APR-"):
        status = me.call("approvalflow_check_status", request_id=blocker_id)
        if status["decision_due_at"] is not None:
            me.call("wait", until=status["decision_due_at"])
    else:
        blocker = me.call("ticketdesk_get_ticket", ticket_id=blocker_id)
        _free(me, blocker)
        _complete(me, blocker)


def _complete(me: Caller, blocker: Known) -> None:
    if blocker["verified_by"] is None:
        checked = {"evidence": "What it waited for is there.", "references": [blocker["id"]]}
        me.call("ticketdesk_verify_ticket", ticket_id=blocker["id"], **checked)
    if blocker["status"] not in ("done", "closed"):
        me.call("ticketdesk_transition_ticket", ticket_id=blocker["id"], to="done", reason="It is done.")


_OTHERS: Sequence[Move] = (
    *(in_line(number) for number in range(4)),
    another,
    *(each_of(in_line(number), until_back) for number in range(3)),
)

#: The decisions in order. The first move of each is what the text of the task suggests if nothing goes wrong.
PLAN: Sequence[Sequence[Move]] = (
    (
        each_of(look, by_subject, refresh),
        each_of(look, by_subject, refresh, freshen),
        *(each_of(look, by_name(number), refresh, freshen) for number in range(4)),
    ),
    (
        read_form(0),
        read_form(1),
        each_of(read_form(0), return_it),
        each_of(read_form(1), return_it),
        refuse_it,
    ),
    (leave_it, trust_this, trust_the_other),
    (prepare, each_of(unblock, prepare), leave_it),
    (
        each_of(who_is_in, submit),
        *(each_of(choose, freshen, submit) for choose in _OTHERS),
        hold_back,
    ),
    (
        await_decision,
        ask_after_it,
        each_of(pass_on("approvalflow"), ask_after_it),
        each_of(freshen, ask_after_it),
        each_of(let_time_pass, ask_after_it),
        let_time_pass,
    ),
    (
        leave_it,
        resubmit,
        each_of(attach, resubmit),
        each_of(resubmit, resubmit),
        each_of(attach, resubmit, resubmit),
    ),
    (finish, each_of(let_time_pass, finish), each_of(pass_on("ticketdesk"), finish)),
)
