"""Two records name different cost centres for the same thing; a rule of precedence decides between them."""

from dataclasses import replace

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import cost_centre, precedence
from companyos.sdk.scenario import InjectedFault

from .business_fault import BusinessFault


class ConflictingRecords(BusinessFault):
    """Adds a ledger entry for the goal's record with another cost centre, and empties the ticket's field."""

    fault = FaultId.CONFLICTING_RECORDS

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Offered where a ledger exists and a rule gives one of the two records precedence."""
        content = builder.company.content
        return content.ledger is not None and facts.record["kind"] in content.record_kinds

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Write the second record, and empty the disputed field of the ticket."""
        company, record = builder.company, facts.record
        own, other = facts.cost_centre, _another(facts, builder, self.fault)
        ledger = company.content.ledger
        assert ledger is not None
        allocation = precedence.allocate(company, ledger, record, other)
        record_counts = precedence.authority(company, record["kind"]) == record["kind"]
        facts.ticket["cost_centre"] = None
        facts = replace(
            facts,
            cost_centre=own if record_counts else other,
            wrong_record=allocation if record_counts else record,
        )
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(allocation["id"],),
            repairs=("datahub_update_record",),
            overcome=checks.records_agree(facts),
            cost=4,
        )
        return replace(facts, faults=(*facts.faults, injected))


FAULT = ConflictingRecords()


def _another(facts: TaskFacts, builder: TaskBuilder, fault: FaultId) -> str:
    """Return a cost centre other than the record's."""
    drawn = (cost_centre(builder.company, number, f"{fault}.cost_centre") for number in range(100))
    return next(one for one in drawn if one != facts.cost_centre)
