"""Off-boardings drawn for a cause of one's choice, and their companies behind tools without services."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from companyos.company import Cast, Company, fill, hire_cast
from companyos.scenario import Action, Instance, Row
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import to_iso
from scenarios.offboarding.estate import keep_to_these
from scenarios.offboarding.facts import Facts, draw_facts
from scenarios.offboarding.scenario import PACKS, START

from ..constrained_change.conversation import Tools, page

#: The calls that change something, apart from refreshes.
ACTS = (
    "ticketdesk_assign_ticket",
    "ticketdesk_create_ticket",
    "datahub_transfer_ownership",
    "datahub_set_delegate",
    "datahub_revoke_entitlement",
    "datahub_deactivate_person",
    "approvalflow_reassign_request",
)
#: Arguments in an agent's own words.
WORDS = ("reason", "title", "description", "idempotency_key")


def founded(number: int = 0) -> tuple[Company, Cast]:
    """Return a company with the people of its offices, and nothing else yet."""
    company = Company(Draws("test", "offboarding", number), START, PACKS, "small")
    return company, hire_cast(company, persona_role="people_partner", team="People", original=False)


@cache
def drawn(number: int, cause: str) -> tuple[Company, Facts]:
    """Return a company and the off-boarding in it, as the scenario writes them."""
    company, cast = founded(number)
    facts = draw_facts(company, cast, cause)
    fill(company, cast)
    keep_to_these(company, facts.staff, facts.tickets, facts.data)
    return company, facts


def acts(calls: list[Action]) -> list[tuple[str, tuple[tuple[str, Any], ...]]]:
    """Return the calls that change something, without words of the agent's own."""
    return [
        (
            action["tool_name"],
            tuple(sorted((name, one) for name, one in action["arguments"].items() if name not in WORDS)),
        )
        for action in calls
        if action["tool_name"] in ACTS
    ]


class CompanyOfRows(Tools):
    """Answers the reads of an agent from the rows of an instance; whatever it changes is accepted."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(now=instance.start)
        self.rows = instance.rows
        self.fresh_from: dict[str, int] = {}

    def _answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return {} if tool in ACTS else super()._answer(tool, arguments)

    def _row(self, service: str, table: str, row_id: str) -> dict[str, Any]:
        return next(row for row in self.rows[service][table] if row["id"] == row_id)

    def ticketdesk_get_ticket(self, ticket_id: str) -> Row:
        return self._row("ticketdesk", "tickets", ticket_id)

    def ticketdesk_list_tickets(self, assignee: str) -> dict[str, Any]:
        return whole(row for row in self.rows["ticketdesk"]["tickets"] if row["assignee"] == assignee)

    def datahub_get_record(self, record_id: str) -> Row:
        return self._row("datahub", "records", record_id)

    def datahub_get_person(self, person_id: str) -> Row:
        absences = [row for row in self.rows["datahub"]["absences"] if row["person_id"] == person_id]
        is_away = any(row["starts_at"] <= self.now < row["ends_at"] for row in absences)
        return {**self._row("datahub", "people", person_id), "is_away": is_away}

    def datahub_list_people(self, q: str = "", role: str | None = None, limit: int = 50) -> dict[str, Any]:
        return whole(
            row
            for row in self.rows["datahub"]["people"]
            if q.casefold() in row["name"].casefold() and role in (None, row["role"])
        )

    def datahub_search_documents(self, q: str, status: str, limit: int) -> dict[str, Any]:
        words = q.casefold().split()
        found = [
            {"id": row["id"], "title": row["title"]}
            for row in self.rows["datahub"]["documents"]
            if row["status"] == status
            and all(word in f"{row['title']} {row['body']}".casefold() for word in words)
        ]
        return page(sorted(found, key=lambda one: q.casefold() not in one["title"].casefold()))

    def datahub_get_document(self, document_id: str) -> Row:
        return self._row("datahub", "documents", document_id)

    def datahub_list_metrics(self, subject: str) -> dict[str, Any]:
        return whole(row for row in self.rows["datahub"]["metrics"] if row["subject"] == subject)

    def datahub_refresh_data(self, metric_id: str) -> dict[str, Any]:
        self.fresh_from[metric_id] = self.now + self._row("datahub", "metrics", metric_id)["refresh_s"]
        return {"due_at": to_iso(self.fresh_from[metric_id])}

    def datahub_query_metric(self, metric_id: str) -> Row:
        metric = self._row("datahub", "metrics", metric_id)
        if self.fresh_from.get(metric_id, self.now + 1) <= self.now:
            metric = {**metric, "value": self._row("datahub", "sources", metric_id)["values"][-1]}
        return metric

    def datahub_list_ownerships(self, owner: str) -> dict[str, Any]:
        owned = [row for row in self.rows["datahub"]["ownerships"] if row["owner"] == owner]
        return whole({**row, "object_id": row["id"]} for row in owned)

    def datahub_list_entitlements(self, person: str) -> dict[str, Any]:
        held = [row for row in self.rows["datahub"]["entitlements"] if row["person_id"] == person]
        return whole({**row, "status": "revoked" if row["revoked_at"] else "active"} for row in held)

    def approvalflow_list_approvals(self, status: str) -> dict[str, Any]:
        return whole(row for row in self.rows["approvalflow"]["requests"] if row["status"] == status)

    def approvalflow_get_policy(self, type_id: str) -> Row:
        return self._row("approvalflow", "approval_types", type_id)


def whole(items: Any) -> dict[str, Any]:
    """Return a list that fits on one page, in the order of ids."""
    listed = sorted(items, key=lambda one: str(one["id"]))
    return {"items": listed, "total": len(listed), "next_cursor": None}
