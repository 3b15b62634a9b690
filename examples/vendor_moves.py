"""What an employee can do about a vendor's onboarding: moves made of tool calls, decision by decision.

A move reads and notes what is known of the case, calls tools, and ends where a call comes to nothing. Which moves are
right in a case is not here: that is for who plays them to find out.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Known = dict[str, Any]


class Caller(Protocol):
    """Who makes a move."""

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a tool answers."""


Move = Callable[[Caller, Known], None]


def each_of(*moves: Move) -> Move:
    """Return the move that makes these, one after another."""

    def make(me: Caller, known: Known) -> None:
        for move in moves:
            move(me, known)

    return make


def leave_it(me: Caller, known: Known) -> None:
    """Do nothing, which may be best."""


def look(me: Caller, known: Known) -> None:
    """Read the ticket and the rules of its kind."""
    known["ticket"] = me.call("ticketdesk_get_ticket", ticket_id=known["ticket_id"])
    known["rules"] = me.call("ticketdesk_get_rules", kind=known["ticket"]["kind"])


def by_subject(me: Caller, known: Known) -> None:
    """Take the vendor that the ticket is about."""
    known["vendor"] = me.call("datahub_get_record", record_id=known["ticket"]["subject"])


def by_name(number: int) -> Move:
    """Return the move that takes one of the vendors of the name in the ticket's title."""

    def take(me: Caller, known: Known) -> None:
        name = known["ticket"]["title"].removeprefix("Onboard ")
        known["vendor"] = me.call("datahub_list_records", kind="vendor", q=name)["items"][number]

    return take


def refresh(me: Caller, known: Known) -> None:
    """Have the vendor's score brought up to date, and read it."""
    scores = me.call("datahub_list_metrics", name="compliance_score", subject=known["vendor"]["id"])
    known["score"] = scores["items"][0]
    _renew(me, known)


def freshen(me: Caller, known: Known) -> None:
    """Read the score, and have it brought up to date as long as it is stale."""
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
    """Send the ticket back to its reporter, since self-declaration and record differ."""
    named = [known["form"]["id"], known["vendor"]["id"]]
    question = "The self-declaration and the record differ. Which of them is right?"
    me.call("ticketdesk_return_ticket", ticket_id=known["ticket_id"], question=question, references=named)
    finish(me, known)


def refuse_it(me: Caller, known: Known) -> None:
    """Read the list of vendors on hold, and refuse because of it."""
    listed = _found(me, "Vendors on hold", "policy")[0]["id"]
    me.call("datahub_get_document", document_id=listed)
    me.call("refuse", reason_code="policy_forbids", evidence=[listed, known["vendor"]["id"]])


def trust_this(me: Caller, known: Known) -> None:
    """Have the record that the vendor's points to name the vendor's cost centre."""
    right = {"cost_centre": known["vendor"]["fields"]["cost_centre"]}
    me.call("datahub_update_record", record_id=known["vendor"]["fields"]["see_also"], fields=right)


def trust_the_other(me: Caller, known: Known) -> None:
    """Have the vendor's record name the cost centre of the record it points to."""
    vendor = known["vendor"]
    other = me.call("datahub_get_record", record_id=vendor["fields"]["see_also"])
    right = {"cost_centre": other["fields"]["cost_centre"]}
    me.call("datahub_update_record", record_id=vendor["id"], fields=right)
    known["vendor"] = {**vendor, "fields": {**vendor["fields"], **right}}


def unblock(me: Caller, known: Known) -> None:
    """Free the ticket of what blocks it."""
    _free(me, known["ticket"])


def prepare(me: Caller, known: Known) -> None:
    """Fill in what the ticket leaves open as its record has it, take it, and verify it."""
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
    """Ask nobody, and have the vendor mend what is wrong first."""
    text = {"title": "Raise the compliance score", "description": "The policy does not accept it as it is."}
    about = {"subject": known["vendor"]["id"], "blocks": known["ticket_id"]}
    me.call("ticketdesk_create_ticket", kind="remediation", **text, **about)
    finish(me, known)


def who_is_in(me: Caller, known: Known) -> None:
    """Choose the financial officer, or the delegate while the officer is away."""
    officer = me.call("datahub_get_approver", role="cfo")
    known["approver"] = officer if officer["available"] else officer["delegate"]


def in_line(number: int) -> Move:
    """Return the move that chooses the financial officer, or who is so many further along the delegates."""

    def choose(me: Caller, known: Known) -> None:
        person_id = me.call("datahub_get_approver", role="cfo")["id"]
        known["approver"] = me.call("datahub_get_person", person_id=person_id)
        for _ in range(number):
            person_id = known["approver"]["delegate"]
            known["approver"] = me.call("datahub_get_person", person_id=person_id)

    return choose


def another(me: Caller, known: Known) -> None:
    """Choose another one who holds the officer's role."""
    known["approver"] = {"id": me.call("datahub_get_approver", role="cfo")["others"][0]}


def until_back(me: Caller, known: Known) -> None:
    """Wait until the chosen one is back."""
    me.call("wait", until=known["approver"]["away_until"])


def submit(me: Caller, known: Known) -> None:
    """Ask the chosen one to decide."""
    fields = {"vendor_name": known["vendor"]["name"], "compliance_score": known["score"]["value"]}
    about = {"type": "vendor_approval", "ticket_id": known["ticket_id"]}
    who = known["approver"]["id"]
    known["request"] = me.call("approvalflow_submit_approval", **about, approver=who, fields=fields)


def await_decision(me: Caller, known: Known) -> None:
    """Let time pass until the decision falls."""
    me.call("wait", until=known["request"]["decision_due_at"])


def ask_after_it(me: Caller, known: Known) -> None:
    """See where the request is, and let time pass until the decision falls."""
    known["request"] = me.call("approvalflow_check_status", request_id=known["request"]["id"])
    await_decision(me, known)


def pass_on(service: str) -> Move:
    """Return the move that has a service told at once what it has not heard yet of the case."""

    def tell(me: Caller, known: Known) -> None:
        for object_id in (known["ticket_id"], known["score"]["id"], known["request"]["id"]):
            me.call(f"{service}_replay_events", object_id=object_id)

    return tell


def let_time_pass(me: Caller, known: Known) -> None:
    """Wait for a quarter of an hour, in which news gets about."""
    me.call("wait", seconds=900)


def attach(me: Caller, known: Known) -> None:
    """Attach to the request what its approver asks for."""
    status = me.call("approvalflow_check_status", request_id=known["request"]["id"])
    kind = status["required_evidence"] or "ticket"
    of_kind = {"record": known["vendor"]["id"], "metric": known["score"]["id"], "ticket": known["ticket_id"]}
    me.call("approvalflow_add_evidence", request_id=status["id"], kind=kind, reference=of_kind[kind])


def resubmit(me: Caller, known: Known) -> None:
    """Make a rejected request again while its score is fresh, and wait for the decision."""
    freshen(me, known)
    known["request"] = me.call("approvalflow_resubmit_request", request_id=known["request"]["id"])
    await_decision(me, known)


def finish(me: Caller, known: Known) -> None:
    """Say that the task is done."""
    me.call("finish", answer="The vendor's onboarding is dealt with.")


def _found(me: Caller, title: str, kind: str) -> Any:
    """Return what a search among the documents in force finds; signs that it reads otherwise are left out."""
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

#: The decisions in order. The first move of each is what the text of the task suggests where nothing goes wrong.
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
