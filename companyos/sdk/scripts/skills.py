"""The skills of an employee: what everybody in a company knows how to do with its tools."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from companyos.sdk.actions import Observation
from companyos.sdk.documents import Fields, Template
from companyos.sdk.simtime import HOUR, MINUTE, from_iso

from .asking import Answer, Asker, Play, Refused

_ACCESS: Final = "datahub_request_access"
#: How long an event takes to arrive if nothing disturbs it, in simulated seconds.
_NEWS_S: Final = 10 * MINUTE
_UNDECIDED: Final = ("held", "pending", "escalated")


class Statement(NamedTuple):
    """A passage of a document or a message: the paper's id, the wording of the passage, and its fields."""

    paper_id: str
    wording: Template
    fields: Fields


class Skills(Asker):
    """An employee at work."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self._heard: set[str] = set()
        self._granted: set[str] = set()

    def ask(self, tool_name: str, **arguments: Any) -> Play[Answer]:
        """Call a tool as `Asker` does; if a permission is missing, obtain it and call again."""
        while True:
            try:
                return (yield from super().ask(tool_name, **arguments))
            except Refused as refusal:
                if refusal.code != "permission_required" or tool_name == _ACCESS:
                    raise
                yield from self.obtain(refusal.facts["permission"], tool_name)

    def obtain(self, permission: str, tool_name: str) -> Play[None]:
        """Request a permission that a tool needs and wait until it is granted, or until the tool's service knows it."""
        if permission in self._granted:
            yield from self.wait_until(self.now + _NEWS_S)
            return
        access = yield from self.ask(_ACCESS, permission=permission, reason=f"{tool_name} needs it.")
        yield from self.wait_until(from_iso(access["due_at"]))
        self._granted.add(permission)

    def pages(self, tool_name: str, **arguments: Any) -> Play[list[Answer]]:
        """Read a list to its end."""
        page = yield from self.ask(tool_name, **arguments)
        items = list(page["items"])
        while page.get("next_cursor"):
            page = yield from self.ask(tool_name, cursor=page["next_cursor"], **arguments)
            items += page["items"]
        return items

    def record(self, kind: str, name: str) -> Play[Answer]:
        """Return the record of a kind that has exactly this name; of several, the first that a search lists."""
        found = yield from self.ask("datahub_list_records", kind=kind, q=name)
        return next(one for one in found["items"] if one["name"] == name)

    def document(self, q: str, *, where: Mapping[str, str] | None = None, **filters: Any) -> Play[Answer]:
        """Read the document in force that a search finds first, among those with these columns.

        Raises:
            LookupError: There is none.
        """
        found = yield from self.ask("datahub_search_documents", q=q, status="in_force", **filters)
        columns = (where or {}).items()
        for one in found["items"]:
            if columns <= one.items():
                return (yield from self.ask("datahub_get_document", document_id=one["id"]))
        raise LookupError(f"no document in force is found by {q!r}")

    def document_text(self, q: str, *, where: Mapping[str, str] | None = None, **filters: Any) -> Play[str]:
        """Read the text of the document that `document` returns; raises as it does."""
        return str((yield from self.document(q, where=where, **filters))["body"])

    def documents(self, q: str, kind: str, **filters: Any) -> Play[list[Answer]]:
        """Search for documents of a kind and return them without their texts, newest first."""
        found = yield from self.ask("datahub_search_documents", q=q, kind=kind, **filters)
        return sorted(found["items"], key=lambda one: str(one["written_at"]), reverse=True)

    def statement(
        self,
        papers: Iterable[Answer],
        *wordings: Template,
        is_meant: Callable[[Fields], bool] = lambda fields: True,
    ) -> Play[Statement | None]:
        """Read documents or messages one by one until one has a passage of one of these wordings; None if none has.

        Args:
            papers: Them without their texts, the most important first.
            wordings: The wordings.
            is_meant: Whether a passage with these fields counts.
        """
        for paper in papers:
            body = yield from self.text_of(paper["id"])
            for wording in wordings:
                for fields in filter(is_meant, wording.find(body)):
                    return Statement(paper["id"], wording, fields)
        return None

    def text_of(self, paper_id: str) -> Play[str]:
        """Read the text of a document or of a message."""
        if paper_id.startswith("MSG"):
            return str((yield from self.ask("datahub_get_message", message_id=paper_id))["body"])
        return str((yield from self.ask("datahub_get_document", document_id=paper_id))["body"])

    def refresh(self, metric_ids: Iterable[str]) -> Play[dict[str, str]]:
        """Refresh metrics, wait until the last job should have ended, and return the jobs by metric."""
        jobs, due_at = dict[str, str](), self.now
        for metric_id in metric_ids:
            job = yield from self.ask("datahub_refresh_data", metric_id=metric_id)
            jobs[metric_id] = job["id"]
            due_at = max(due_at, from_iso(job["due_at"]))
        yield from self.wait_until(due_at)
        return jobs

    def renewed(self, metric_ids: Iterable[str]) -> Play[dict[str, Answer]]:
        """Refresh metrics and read them, and do so again with those whose refresh failed."""
        readings, due = dict[str, Answer](), list(metric_ids)
        while due:
            yield from self.refresh(due)
            for metric_id in due:
                readings[metric_id] = yield from self.ask("datahub_query_metric", metric_id=metric_id)
            due = [metric_id for metric_id in due if readings[metric_id]["is_stale"]]
        return readings

    def fresh(self, metric_id: str) -> Play[Answer]:
        """Read a metric, and refresh it while it is stale."""
        reading = yield from self.ask("datahub_query_metric", metric_id=metric_id)
        while reading["is_stale"]:
            yield from self.refresh([metric_id])
            reading = yield from self.ask("datahub_query_metric", metric_id=metric_id)
        return reading

    def fresh_budget(self, budget_id: str) -> Play[Answer]:
        """Read a budget, and refresh its ledger while it is stale."""
        budget = yield from self.ask("datahub_get_budget", budget_id=budget_id)
        while budget["is_stale"]:
            yield from self.refresh([budget["metric_id"]])
            budget = yield from self.ask("datahub_get_budget", budget_id=budget_id)
        return budget

    def signer(self, role: str) -> Play[str]:
        """Return the person who decides for a role now."""
        holder = yield from self.ask("datahub_get_approver", role=role)
        if holder["on_duty"] is not None:
            return str(holder["on_duty"])
        following = holder["delegate"]["delegate"]
        person = yield from self.ask("datahub_get_person", person_id=following)
        while person["is_away"]:
            person = yield from self.ask("datahub_get_person", person_id=person["delegate"])
        return str(person["id"])

    def decided(self, request: Answer, *, look_up: str = "approvalflow_check_status") -> Play[Answer]:
        """Follow a request until it is decided, and return its last state."""
        while request["status"] in _UNDECIDED:
            due_at = request.get("decision_due_at")
            yield from self.wait_until(from_iso(due_at) if due_at else self.now + HOUR)
            request = yield from self.ask(look_up, request_id=request["id"])
        return request

    def news(self, is_relevant: Callable[[Answer], bool]) -> Play[list[Answer]]:
        """Return the headers of relevant messages that were not returned before, newest first."""
        inbox = yield from self.ask("datahub_list_messages", limit=50)
        new = [one for one in inbox["items"] if one["id"] not in self._heard and is_relevant(one)]
        self._heard |= {one["id"] for one in new}
        return new


def role_for(policy: Answer, amount: float | None) -> str:
    """Return the role that decides about an amount by a policy."""
    return str(
        next(
            route["role"]
            for route in policy["routes"]
            if route["below"] is None or (amount is not None and amount < route["below"])
        )
    )


def current_budget(budgets: Iterable[Answer], now: int) -> Answer:
    """Return the budget that may be spent now."""
    return next(one for one in budgets if from_iso(one["starts_at"]) <= now < from_iso(one["ends_at"]))


def effective_at(document: Answer) -> int:
    """Return when an edition of a document takes effect."""
    return from_iso(document["effective_from"] or document["written_at"])
