"""A script that does the ordinary work once: it retries nothing, checks nothing, and believes every answer."""

import re
from collections.abc import Generator, Mapping
from typing import Any, Final

from companyos.scenario import Action, Observation, Script, call
from companyos.sdk.simtime import MINUTE, from_iso, to_iso

from ..profile import TaskProfile

Answer = Mapping[str, Any]
Ask = Generator[Action, Observation, Answer]

#: How long it waits when no duration is given.
_A_WHILE_S: Final = 15 * MINUTE


class NaiveWorker:
    """Works on a task according to its profile; if anything goes wrong, it goes on and finishes anyway."""

    def __init__(self, profile: TaskProfile, observation: Observation) -> None:
        self._profile = profile
        self._now: str = observation["sim_now"]
        self._me = _found(r"\(([a-z.]+)\)", observation["text"])
        self._ticket_id = _found(r"\b(TD-\d+)\b", observation["text"])
        self._read: list[str] = []

    def work(self) -> Script:
        """Look, refresh, prepare, ask and finish, each once."""
        ticket = yield from self._ask("ticketdesk_get_ticket", ticket_id=self._ticket_id)
        record = yield from self._record(ticket)
        yield from self._form(record)
        terms = yield from self._ask("approvalflow_get_policy", type_id=self._profile.type_id)
        values = yield from self._metrics(terms, record)
        value, least = values.get(terms.get("metric_name", "")), terms.get("minimum")
        if self._profile.instead and value is not None and least is not None and value < least:
            yield self._profile.instead(self._ticket_id, record.get("id", ""))
        else:
            yield from self._prepare(ticket, record)
            yield from self._request(terms, record, values)
        yield call("finish", answer="Done.")

    def _ask(self, tool_name: str, **arguments: Any) -> Ask:
        """Call a tool once and return its answer, or nothing."""
        observation = yield call(tool_name, **arguments)
        self._now = observation["sim_now"]
        result = observation["result"]
        return result if isinstance(result, Mapping) else {}

    def _wait(self, until: str | None) -> Ask:
        instant = until or to_iso(from_iso(self._now) + _A_WHILE_S)
        return (yield from self._ask("wait", until=instant))

    def _record(self, ticket: Answer) -> Ask:
        if ticket.get("subject"):
            return (yield from self._ask("datahub_get_record", record_id=ticket["subject"]))
        name = self._profile.name_in(ticket.get("title", ""))
        page = yield from self._ask("datahub_list_records", kind=self._profile.kind, q=name or None)
        return _first(page)

    def _form(self, record: Answer) -> Script:
        """Open the first form in force with the record's name, without comparing it to the record."""
        if self._profile.form:
            name = "".join(sign if sign.isalnum() else " " for sign in str(record.get("name", "")))
            page = yield from self._ask("datahub_search_documents", q=name, kind="form", status="in_force")
            if form := _first(page).get("id"):
                yield from self._ask("datahub_get_document", document_id=form)
                self._read.append(form)

    def _metrics(self, terms: Answer, record: Answer) -> Generator[Action, Observation, dict[str, float]]:
        about = None if self._profile.company_wide else record.get("id")
        values = {}
        for name in (terms.get("metric_name"), *self._profile.metrics):
            reading = yield from self._metric(name, about)
            if reading.get("value") is not None:
                values[reading["name"]] = reading["value"]
        return values

    def _metric(self, name: str | None, about: str | None) -> Ask:
        page = yield from self._ask("datahub_list_metrics", name=name, subject=about)
        metric = _first(page, subject=about)
        if not metric:
            return {}
        if metric.get("is_stale"):
            job = yield from self._ask("datahub_refresh_data", metric_id=metric["id"])
            yield from self._wait(job.get("due_at"))
        self._read.append(metric["id"])
        return (yield from self._ask("datahub_query_metric", metric_id=metric["id"]))

    def _prepare(self, ticket: Answer, record: Answer) -> Script:
        for blocker_id in ticket.get("blocked_by", ()) if self._profile.blocked else ():
            yield from self._ask(
                "ticketdesk_verify_ticket",
                ticket_id=blocker_id,
                evidence="It is done.",
                references=[blocker_id],
            )
            yield from self._ask(
                "ticketdesk_resolve_blocker", ticket_id=self._ticket_id, blocker_id=blocker_id
            )
        yield from self._fill(ticket, record)
        yield from self._ask("ticketdesk_assign_ticket", ticket_id=self._ticket_id, assignee=self._me)
        yield from self._ask(
            "ticketdesk_verify_ticket",
            ticket_id=self._ticket_id,
            evidence="Looks right.",
            references=[record.get("id", self._ticket_id), *self._read],
        )

    def _fill(self, ticket: Answer, record: Answer) -> Script:
        rules = yield from self._ask("ticketdesk_get_rules", kind=ticket.get("kind", "task"))
        right = {
            "priority": next(iter(rules.get("allowed_priorities", ())), None),
            "cost_centre": record.get("fields", {}).get("cost_centre"),
        }
        empty = {name: value for name, value in right.items() if value and ticket.get(name, value) is None}
        if empty:
            yield from self._ask("ticketdesk_update_ticket", ticket_id=self._ticket_id, **empty)

    def _request(self, terms: Answer, record: Answer, values: Mapping[str, float]) -> Script:
        """Ask the holder or their delegate; do nothing if the metrics or the role are missing."""
        try:
            fields = self._profile.fields(record, values)
            role = _role(terms, fields)
        except (LookupError, StopIteration):
            return
        holder = yield from self._ask("datahub_get_approver", role=role)
        stands_in = holder.get("delegate") or {}
        approver = (
            holder.get("id") if holder.get("available", True) else stands_in.get("id", holder.get("id"))
        )
        if approver:
            request = yield from self._ask(
                "approvalflow_submit_approval",
                type=self._profile.type_id,
                ticket_id=self._ticket_id,
                approver=approver,
                fields=fields,
            )
            yield from self._wait(request.get("decision_due_at"))


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _first(page: Answer, **equals: Any) -> Answer:
    """Return a page's first matching item, or its first item if none matches."""
    items = page.get("items") or [{}]
    matching = (item for item in items if all(item.get(name) == value for name, value in equals.items()))
    return next(matching, items[0])


def _role(terms: Answer, fields: Mapping[str, Any]) -> str:
    amount = fields.get(terms.get("route_field") or "")
    routes = terms["routes"]
    return str(
        next(
            route["role"]
            for route in routes
            if route["below"] is None or (amount is not None and amount < route["below"])
        )
    )
