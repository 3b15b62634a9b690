"""Fields of the goal's ticket are empty; the rules of its kind and the record determine the values."""

from dataclasses import replace

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.scenario import InjectedFault, Predicate, View

from .business_fault import BusinessFault


class MissingField(BusinessFault):
    """Empties one or more of the fields that the task allows to be empty."""

    fault = FaultId.MISSING_FIELD

    def fits(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Fits where a field that may be empty has a value."""
        return bool(self._full(facts, builder))

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Empty the fields, and accept any value that the rules allow."""
        full = self._full(facts, builder)
        count = builder.draws.integer(f"{self.fault}.n", 1, min(self.params(builder)["n"], len(full)))
        emptied = builder.draws.sample(f"{self.fault}.fields", full, count)
        facts.ticket.update(dict.fromkeys(emptied))
        if "priority" in emptied:
            facts = replace(facts, priorities=builder.priorities(facts.ticket))
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(facts.ticket["id"],),
            repairs=("ticketdesk_update_ticket",),
            overcome=_are_filled(facts),
            cost=2,
            codes=("ticket_incomplete",),
        )
        return replace(facts, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once every emptied field has a right value."""
        return _are_filled(facts)

    def _full(self, facts: TaskFacts, builder: TaskBuilder) -> list[str]:
        wanted = self.params(builder)["fields"]
        return [name for name in facts.fillable if name in wanted and facts.ticket[name] is not None]


FAULT = MissingField()


def _are_filled(facts: TaskFacts) -> checks.Fact:
    names = [name for name in facts.fillable if facts.ticket[name] is None]
    right = {
        "priority": checks.priority_is_right(facts),
        "cost_centre": checks.cost_centre_is_right(facts),
    }

    def holds(view: View) -> bool:
        return all(right[name](view) for name in names)

    return holds
