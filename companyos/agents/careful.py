"""An agent that works by the house rules: it repeats what passes, looks whether what it did is there, and waits.

It is no oracle. It knows what the brief says and what tools answer, and copes with calls that fail on the way as any
employee does; of particular faults it knows nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from companyos.casework import Outline
from companyos.casework.playbook import Answer, Play, Refused, objections
from companyos.casework.playbook.records import Records
from companyos.casework.playbook.tickets import Tickets
from companyos.scenario import Observation, Script
from companyos.simtime import MINUTE, from_iso

from .agent import Scripted

_OPEN: Final = ("held", "pending", "escalated")
#: How often it begins something anew that was refused, or is not as it should be.
_TRIES: Final = 3
#: How long it lets news get about before it looks again.
_NEWS_S: Final = 5 * MINUTE


class Careful(Scripted):
    """Works a task as its outline says, and does not finish before it sees that all is in place."""

    def __init__(self, outline: Outline) -> None:
        super().__init__(lambda observation: _work(outline, observation))


def _work(outline: Outline, observation: Observation) -> Script:
    worker = _Worker(outline, observation)
    try:
        yield from worker.work()
    except (Refused, LookupError):
        # It has tried, and is at its wits' end.
        return


class _Worker(Tickets, Records):
    """One episode's work."""

    def __init__(self, outline: Outline, observation: Observation) -> None:
        super().__init__(observation)
        self._outline = outline
        self._barred: set[str] = set()

    def work(self) -> Script:
        """Find out what is to be done, do it, and see that it is done."""
        outline = self._outline
        ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        name = outline.name_in(ticket["title"])
        record = yield from self.record(ticket, kind=outline.kind, name=name, mark=outline.mark)
        terms = yield from self.ask("approvalflow_get_policy", type_id=outline.type_id)
        about = None if outline.company_wide else record["id"]
        figure = yield from self.figure(terms["metric_name"], about)
        if outline.instead and terms["minimum"] is not None and figure["value"] < terms["minimum"]:
            yield from self._do_instead(record)
        else:
            values = {}
            for further in outline.figures:
                values[further] = (yield from self.figure(further, about))["value"]
            yield from self._persist(lambda: self._made_ready(record))
            yield from self._persist(lambda: self._approved(terms, record, figure, values))
        yield from self.finish("Everything asked for is in place.")

    def _persist(self, attempt: Callable[[], Play[Any]]) -> Play[Any]:
        """Do something, and again from its beginning where a tool refuses in the middle."""
        for _ in range(_TRIES - 1):
            try:
                return (yield from attempt())
            except Refused:
                yield from self.wait_until(self.now + _NEWS_S)
        return (yield from attempt())

    def _do_instead(self, record: Answer) -> Script:
        assert self._outline.instead is not None
        action = self._outline.instead(self.ticket_id, record["id"])
        before = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        yield from self.ask(action["tool_name"], **action["arguments"])
        after = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        if after["version"] == before["version"]:
            yield from self.ask(action["tool_name"], **action["arguments"])

    def _made_ready(self, record: Answer) -> Script:
        """Prepare the ticket, and look whether it is ready."""
        for _ in range(_TRIES):
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
            if ticket["verified_by"] is not None and ticket["assignee"] == self.id:
                return
            yield from self.prepare(ticket, record)

    def _approved(self, terms: Answer, record: Answer, figure: Answer, values: Mapping[str, float]) -> Script:
        """Ask for the decision and do what it takes until the ticket shows the approval."""
        request = yield from self._requested(terms, record, figure, values)
        status = yield from self._decided(request, figure)
        while status["status"] == "rejected":
            status = yield from self._again(terms, request, status, figure)
        for _ in range(_TRIES):
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
            if ticket["approval"] == "approved":
                return
            yield from self.wait_until(self.now + _NEWS_S)

    def _requested(
        self, terms: Answer, record: Answer, figure: Answer, values: Mapping[str, float]
    ) -> Play[Answer]:
        """Return the request that stands, or make it."""
        standing = yield from self.ask("approvalflow_list_approvals", ticket_id=self.ticket_id)
        if standing["items"]:
            return standing["items"][-1]
        while True:
            fields = self._outline.fields(record, {**values, terms["metric_name"]: figure["value"]})
            approver = yield from self._who(terms, fields, until=self.now + figure["refresh_s"])
            renewed = yield from self.fresh(figure)
            if renewed["value"] != figure["value"]:
                figure = renewed
                continue
            try:
                return (
                    yield from self.ask(
                        "approvalflow_submit_approval",
                        type=self._outline.type_id,
                        ticket_id=self.ticket_id,
                        approver=approver,
                        fields=fields,
                    )
                )
            except Refused as refusal:
                if refusal.code in ("approver_away", "separation_of_duties"):
                    self._barred.add(approver)
                else:
                    yield from self.come_by_permission(refusal)

    def _who(self, terms: Answer, fields: Mapping[str, Any], until: int) -> Play[str]:
        """Return who may decide what is asked by then, waiting for them where nobody can stand in."""
        amount = fields[terms["route_field"]] if terms["route_field"] else None
        role = next(
            route["role"]
            for route in terms["routes"]
            if route["below"] is None or (amount is not None and amount < route["below"])
        )
        while True:
            holder = yield from self.ask("datahub_get_approver", role=role)
            soon = max(until, self.now) + 2 * terms["decision_s"]
            found, back_at = yield from self._stands_in(holder["id"], terms, amount, soon)
            found = found or (yield from self._another(holder["others"]))
            if found is not None:
                return found
            if back_at is None or back_at <= self.now:
                return str(holder["id"])
            yield from self.wait_until(back_at)

    def _another(self, others: Sequence[str]) -> Play[str | None]:
        """Return another holder of the role who is here."""
        for other in [one for one in others if one not in self._barred]:
            person = yield from self.ask("datahub_get_person", person_id=other)
            if not person["is_away"]:
                return other
        return None

    def _stands_in(
        self, person_id: str, terms: Answer, amount: float | None, soon: int
    ) -> Play[tuple[str | None, int | None]]:
        """Return the first along the delegates who is here, or when the first of them is back.

        Nobody stands in for who is back `soon`.
        """
        seen, returns = set(), []
        while person_id not in seen:
            seen.add(person_id)
            person = yield from self.ask("datahub_get_person", person_id=person_id)
            if person_id not in self._barred:
                if not person["is_away"]:
                    return person_id, None
                returns.append(from_iso(person["away_until"]))
            if not _covers(person, terms["id"], amount) or (returns and min(returns) <= soon):
                break
            person_id = person["delegate"]
        return None, min(returns, default=None)

    def _decided(self, request: Answer, figure: Answer) -> Play[Answer]:
        status = request
        while status["status"] in _OPEN:
            due_at = status["decision_due_at"]
            if due_at is None and "figure_fresh" in status["waiting_for"]:
                yield from self._read_anew(figure)
            yield from self.wait_until(self.now + _NEWS_S if due_at is None else from_iso(due_at))
            status = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        return status

    def _read_anew(self, figure: Answer) -> Play[Answer]:
        reading = yield from self.ask("datahub_query_metric", metric_id=figure["id"])
        return (yield from self.fresh(reading))

    def _again(self, terms: Answer, asked: Answer, status: Answer, figure: Answer) -> Play[Answer]:
        """Do what a rejection asks for, and follow the request made anew."""
        said, changes = status["explanation"], dict[str, Any]()
        if objections.wants_evidence(said):
            yield from self.ask(
                "approvalflow_add_evidence",
                request_id=status["id"],
                kind="ticket",
                reference=self.ticket_id,
            )
        if (field := objections.field_wanted(said)) is not None:
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
            changes["fields"] = {field: ticket[field]}
        if objections.wants_somebody_else(said):
            self._barred.add(status["decided_by"])
            changes["approver"] = yield from self._who(terms, asked["fields"], until=self.now)
        yield from self._read_anew(figure)
        request = yield from self.permitted(
            "approvalflow_resubmit_request", request_id=status["id"], **changes
        )
        return (yield from self._decided(request, figure))


def _covers(person: Answer, type_id: str, amount: float | None) -> bool:
    if person["delegate"] is None or type_id not in person["delegate_types"]:
        return False
    limit = person["delegate_limit"]
    return limit is None or amount is None or bool(amount <= limit)
