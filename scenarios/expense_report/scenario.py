"""Expense report: at the fresh rate, an amount in foreign currency may fall into another approver's band."""

from companyos.sdk.approval_task import (
    ApprovalTask,
    Route,
    TaskBuilder,
    TaskFacts,
    TaskProfile,
    TaskSpec,
)
from companyos.sdk.company import Row, cost_centre, register_number

from ..packs import engineering, finance, office, people, procurement

ABOVE, BELOW = "above", "below"

#: The amounts from which another role decides, with the roles below and above.
_EDGES = {1000: ("manager", "finance_director"), 10000: ("finance_director", "cfo")}
#: The field that distinguishes records of the same name.
_MARK = "claim_number"


class ExpenseReport(ApprovalTask):
    """Settle an expense report whose amount at today's rate determines the approver."""

    name = "expense_report"
    version = 8
    title = "Expense report"
    summary = "Bring an expense report's amount up to date, and get it approved by the role that decides such amounts."
    packs = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK)
    causes = (ABOVE, BELOW)
    persona_role = "accountant"
    team = "Finance"
    rules = (
        "Expense reports are paid at today's rate: the amount in DataHub counts, not the one in the ticket. The "
        "amount determines which role decides."
    )
    profile = TaskProfile(
        type_id=finance.EXPENSE_APPROVAL,
        kind="expense",
        title=r": (.+)",
        mark=_MARK,
        form="Expense claim",
        exclusions="Claims on hold",
        fields=lambda record, metrics: {"report_id": record["id"], "amount": metrics["expense_amount"]},
    )
    oracle_length = 22
    least_steps = 18

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the report, a look-alike, the amount and the ticket."""
        report, other = _reports(builder)
        edge = 10000 if builder.original else builder.draws.choice("edge", tuple(_EDGES))
        facts = _facts(builder, report, edge)
        _other_file(builder, other)
        return facts

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the task of getting the report paid."""
        story = (
            f"The expense report {facts.called} of {facts.record['fields']['employee']} is to be paid. Prepare its "
            f"ticket {facts.ticket['id']} and obtain a decision ({finance.EXPENSE_APPROVAL})."
        )
        return TaskSpec(facts, story, submits=True)


SCENARIO = ExpenseReport()


def _reports(builder: TaskBuilder) -> tuple[Row, Row]:
    """Return the goal's report and another one of the same employee."""
    company, draws, employee = builder.company, builder.draws, builder.cast.reporter
    made = []
    for number, purpose in enumerate(draws.sample("goal.purpose", finance.names.PURPOSES, 2)):
        fields = {
            "employee": employee.id,
            "currency": draws.choice("goal.currency", ("USD", "GBP", "CHF", "JPY")),
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "R", number),
        }
        record_id = company.numbers.reserve("EXP", 447 if builder.original and number == 0 else None)
        made.append(
            company.add_record(record_id, "expense", f"{purpose}, {employee.name}", fields, "pending")
        )
    return made[0], made[1]


def _facts(builder: TaskBuilder, report: Row, edge: int) -> TaskFacts:
    stale, fresh = _amounts(builder, edge)
    ticket = builder.goal_ticket(
        "expense",
        f"Expense report {report['id']}: {report['name']}",
        None,
        report,
        value=f"{stale:.2f} EUR",
        priority="medium",
    )
    return builder.task_facts(
        ticket=ticket,
        record=report,
        type_id=finance.EXPENSE_APPROVAL,
        measurement=builder.stale_metric("expense_amount", report["id"], "EUR", stale=stale, fresh=fresh),
        fields={"report_id": report["id"], "amount": fresh},
        route=_routes(builder, edge)[builder.cause],
        mark=_MARK,
    )


def _amounts(builder: TaskBuilder, edge: int) -> tuple[float, float]:
    """Return the amount at the old rate, just under the edge, and at today's rate, on either side of it."""
    if builder.original:
        return 9900.0, 10050.0 if builder.cause == ABOVE else 9940.0
    draws = builder.draws
    stale = edge * draws.integer("amount.stale", 9500, 9800) / 10000
    above = edge * draws.integer("amount.above", 10010, 10300) / 10000
    below = edge * draws.integer("amount.below", 9820, 9990) / 10000
    return round(stale, 2), round(above if builder.cause == ABOVE else below, 2)


def _routes(builder: TaskBuilder, edge: int) -> dict[str, Route]:
    """Return who decides below the edge and from it on; the chief financial officer is always away."""
    lower, upper = _EDGES[edge]
    type_id = finance.EXPENSE_APPROVAL
    return {
        BELOW: builder.route(lower, type_id, amount=edge),
        ABOVE: builder.route(upper, type_id, amount=edge, away=upper == "cfo"),
    }


def _other_file(builder: TaskBuilder, other: Row) -> None:
    """Write the metric and the ticket of a look-alike report."""
    claimed = builder.draws.integer("other.amount", 30000, 95000) / 100
    builder.fresh_metric("expense_amount", other["id"], "EUR", claimed)
    builder.new_ticket(
        "expense",
        f"Expense report {other['id']}: {other['name']}",
        None,
        other,
        value=f"{claimed:.2f} EUR",
        priority="low",
    )
