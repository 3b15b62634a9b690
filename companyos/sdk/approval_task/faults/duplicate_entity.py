"""The goal's record has look-alikes with the same name; the ticket identifies it by a number, not its id."""

from dataclasses import replace
from typing import Any

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import Row, cost_centre, register_number
from companyos.sdk.scenario import InjectedFault, Predicate, View

from .business_fault import BusinessFault


class DuplicateEntity(BusinessFault):
    """Adds records with the same name and fresh, acceptable metrics, and removes the id from the tickets."""

    fault = FaultId.DUPLICATE_ENTITY

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Offered where a number distinguishes records with the same name."""
        return bool(facts.record["fields"].get(facts.mark))

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Write the look-alikes, and replace the id in the ticket with the number."""
        count = builder.draws.integer(f"{self.fault}.n", 1, self.params(builder)["n"])
        alike = tuple(self._look_alike(facts, builder, number) for number in range(1, count + 1))
        for ticket in (facts.ticket, *facts.blockers):
            _leave_open(ticket, facts, builder)
        label = facts.mark.replace("_", " ").capitalize()
        facts.ticket["description"] += f" {label}: {facts.record['fields'][facts.mark]}."
        injected = InjectedFault(
            fault=self.fault,
            shown_by=tuple(record["id"] for record in alike),
            repairs=("ticketdesk_update_ticket",),
            overcome=_is_told_apart(facts),
            cost=3,
        )
        return replace(facts, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once the right record was chosen."""
        return _is_told_apart(facts)

    def _look_alike(self, facts: TaskFacts, builder: TaskBuilder, number: int) -> Row:
        company, record = builder.company, facts.record
        prefix, _, _ = record["id"].partition("-")
        fields = {
            **{name: value for name, value in record["fields"].items() if name not in ("see_also", "note")},
            facts.mark: register_number(company, record["fields"][facts.mark][0], 100 + number),
            "cost_centre": cost_centre(company, number, f"{self.fault}.cost_centre"),
        }
        made = company.add_record(
            company.numbers.reserve(prefix), record["kind"], record["name"], fields, record["status"]
        )
        for metric in company.about(record["id"]):
            value = self._fine(facts, builder, metric, number)
            builder.fresh_metric(metric["name"], made["id"], metric["unit"], value)
        return made

    def _fine(self, facts: TaskFacts, builder: TaskBuilder, metric: Row, number: int) -> float:
        """Return a value that the policy accepts, other than the goal's."""
        more = builder.draws.integer(f"{self.fault}.value", 1, 9, metric["name"], number)
        least = builder.approval_type(facts.type_id).minimum if metric["id"] == facts.metric["id"] else None
        return float(max(least or 0.0, metric["value"]) + more)


FAULT = DuplicateEntity()


def _leave_open(ticket: Row, facts: TaskFacts, builder: TaskBuilder) -> None:
    """Remove the record's id from a ticket."""
    columns: dict[str, Any] = {
        column: ticket[column].replace(f" {facts.record['id']}", "") for column in ("title", "description")
    }
    builder.company.amend(ticket, subject=None, **columns)


def _is_told_apart(facts: TaskFacts) -> checks.Fact:
    """The ticket names the right record, or the right metric was refreshed and nothing is requested."""
    named, refreshed, requested = (
        checks.subject_is_right(facts),
        checks.is_refreshed(facts),
        checks.is_requested(facts),
    )

    def holds(view: View) -> bool:
        return named(view) or (refreshed(view) and not requested(view))

    return holds
