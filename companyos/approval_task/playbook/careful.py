"""A script that follows the house rules: it retries temporary failures, verifies its own changes, and waits.

It is not an oracle. It knows only the brief and the tools' answers, handles failing calls as any employee
would, and knows nothing about particular faults.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from companyos.scenario import Observation, Script
from companyos.sdk.asking import Answer, Play, Refused
from companyos.sdk.simtime import MINUTE, from_iso

from ..delegation import Link, covers, first_in_line
from ..profile import TaskProfile
from .library import Library
from .records import Records
from .tickets import Tickets

_OPEN: Final = ("held", "pending", "escalated")
#: How many times it tries something that was refused or came out wrong.
_TRIES: Final = 3
#: How long it waits for events to arrive before it looks again.
_NEWS_S: Final = 5 * MINUTE


class CarefulWorker(Tickets, Records, Library):
    """Works on a task according to its profile, and does not finish before everything is in place."""

    def __init__(self, profile: TaskProfile, observation: Observation) -> None:
        super().__init__(observation)
        self._profile = profile
        self._barred: set[str] = set()

    def work(self) -> Script:
        """Work on the task until it is done, or until everything was tried."""
        try:
            yield from self._worked()
        except (Refused, LookupError):
            return

    def _worked(self) -> Script:
        """Find out what to do, do it, and verify the result."""
        profile = self._profile
        ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        name = profile.name_in(ticket["title"])
        record = yield from self.record(ticket, kind=profile.kind, name=name, mark=profile.mark)
        documents = yield from self.settled_by_documents(profile, self.ticket_id, record)
        terms = yield from self.ask("approvalflow_get_policy", type_id=profile.type_id)
        about = None if profile.company_wide else record["id"]
        metric = yield from self.metric(terms["metric_name"], about)
        if profile.instead and terms["minimum"] is not None and metric["value"] < terms["minimum"]:
            yield from self._do_instead(record)
        else:
            values = {}
            for further in profile.metrics:
                values[further] = (yield from self.metric(further, about))["value"]
            yield from self._persist(lambda: self._made_ready(record, metric, documents))
            yield from self._persist(lambda: self._approved(terms, record, metric, values))
        yield from self.finish("Everything asked for is in place.")

    def _persist(self, attempt: Callable[[], Play[Any]]) -> Play[Any]:
        """Make an attempt, and start again if a tool refuses along the way."""
        for _ in range(_TRIES - 1):
            try:
                return (yield from attempt())
            except Refused:
                yield from self.wait_until(self.now + _NEWS_S)
        return (yield from attempt())

    def _do_instead(self, record: Answer) -> Script:
        assert self._profile.instead is not None
        action = self._profile.instead(self.ticket_id, record["id"])
        before = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        yield from self.ask(action["tool_name"], **action["arguments"])
        after = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
        if after["version"] == before["version"]:
            yield from self.ask(action["tool_name"], **action["arguments"])

    def _made_ready(self, record: Answer, metric: Answer, documents: Sequence[str]) -> Script:
        """Prepare the ticket, and check that it is ready."""
        for _ in range(_TRIES):
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
            if ticket["verified_by"] is not None and ticket["assignee"] == self.id:
                return
            yield from self.prepare(ticket, record, metric, documents)

    def _approved(self, terms: Answer, record: Answer, metric: Answer, values: Mapping[str, float]) -> Script:
        """Request the decision and follow it until the ticket shows the approval."""
        request = yield from self._requested(terms, record, metric, values)
        status = yield from self._decided(request, metric)
        while status["status"] == "rejected":
            status = yield from self._again(terms, request, status, metric)
        for _ in range(_TRIES):
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
            if ticket["approval"] == "approved":
                return
            yield from self.wait_until(self.now + _NEWS_S)

    def _requested(
        self, terms: Answer, record: Answer, metric: Answer, values: Mapping[str, float]
    ) -> Play[Answer]:
        """Return the open request, or make one."""
        standing = yield from self.ask("approvalflow_list_approvals", ticket_id=self.ticket_id)
        if standing["items"]:
            return standing["items"][-1]
        while True:
            fields = self._profile.fields(record, {**values, terms["metric_name"]: metric["value"]})
            approver = yield from self._approver(terms, fields, until=self.now + metric["refresh_s"])
            renewed = yield from self.fresh(metric)
            if renewed["value"] != metric["value"]:
                metric = renewed
                continue
            try:
                return (
                    yield from self.ask(
                        "approvalflow_submit_approval",
                        type=self._profile.type_id,
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

    def _approver(self, terms: Answer, fields: Mapping[str, Any], until: int) -> Play[str]:
        """Return a person who may decide, waiting until the first one returns if nobody can stand in."""
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
        """Return another holder of the role who is present."""
        for other in [one for one in others if one not in self._barred]:
            person = yield from self.ask("datahub_get_person", person_id=other)
            if not person["is_away"]:
                return other
        return None

    def _stands_in(
        self, person_id: str, terms: Answer, amount: float | None, soon: int
    ) -> Play[tuple[str | None, int | None]]:
        """Return the first present person along the chain of delegates, or the time of the earliest return.

        The chain ends at a person who returns `soon`, because they will decide themselves.
        """
        links: list[Link] = []
        while person_id not in [link.person for link in links]:
            person = yield from self.ask("datahub_get_person", person_id=person_id)
            links.append(self._link(person, terms["id"], amount))
            if (found := first_in_line(links, self.now)) is not None:
                return found, None
            if not links[-1].covers or any(at <= soon for at in _returns(links)):
                break
            person_id = person["delegate"]
        return None, min(_returns(links), default=None)

    def _link(self, person: Answer, type_id: str, amount: float | None) -> Link:
        types, limit = person["delegate_types"], person["delegate_limit"]
        return Link(
            str(person["id"]),
            from_iso(person["away_until"]) if person["is_away"] else 0,
            covers=person["delegate"] is not None and covers(type_id, amount, types=types, limit=limit),
            barred=person["id"] in self._barred,
        )

    def _decided(self, request: Answer, metric: Answer) -> Play[Answer]:
        status = request
        while status["status"] in _OPEN:
            due_at = status["decision_due_at"]
            if due_at is None and "metric_fresh" in status["waiting_for"]:
                yield from self._read_anew(metric)
            yield from self.wait_until(self.now + _NEWS_S if due_at is None else from_iso(due_at))
            status = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        return status

    def _read_anew(self, metric: Answer) -> Play[Answer]:
        reading = yield from self.ask("datahub_query_metric", metric_id=metric["id"])
        return (yield from self.fresh(reading))

    def _again(self, terms: Answer, asked: Answer, status: Answer, metric: Answer) -> Play[Answer]:
        """Apply the remedy of a rejection, and follow the new request."""
        changes = dict[str, Any]()
        if status["remedy"] == "add_evidence":
            yield from self.attach(status, {"id": self.ticket_id}, metric)
        if status["remedy"] == "fix_field":
            ticket = yield from self.ask("ticketdesk_get_ticket", ticket_id=self.ticket_id)
            changes["fields"] = _stated(status["required_field"], ticket)
        if status["remedy"] == "second_approver":
            self._barred.add(status["decided_by"])
            changes["approver"] = yield from self._approver(terms, asked["fields"], until=self.now)
        yield from self._read_anew(metric)
        request = yield from self.permitted(
            "approvalflow_resubmit_request", request_id=status["id"], **changes
        )
        return (yield from self._decided(request, metric))


def _stated(field: str, ticket: Answer) -> Answer:
    return {field: ticket[field]} if field in ticket else {}


def _returns(links: Sequence[Link]) -> list[int]:
    """Return when the authorized people return."""
    return [link.back_at for link in links if not link.barred]
