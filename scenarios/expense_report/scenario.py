"""Expense report: an amount in foreign currency whose fresh rate may move it into another approver's band."""

from companyos.casework import (
    Case,
    Employee,
    Outline,
    Plot,
    Route,
    Setting,
    Task,
    approving,
)
from companyos.company import Row, cost_centre, names, policy, register_number
from companyos.scenario import Action, Instance, Observation, Script

ABOVE, BELOW = "above", "below"

#: The amounts at which another role begins to decide, with the roles below and above.
_EDGES = {1000: ("manager", "finance_director"), 10000: ("finance_director", "cfo")}
#: What tells records of one name apart.
_MARK = "claim_number"


class ExpenseReport(Task):
    """Settle an expense report: its amount at today's rate says who decides."""

    name = "expense_report"
    version = 3
    title = "Expense report"
    summary = (
        "Bring the amount of an expense report up to date, and get it approved by who decides that much."
    )
    causes = (ABOVE, BELOW)
    persona_role = "accountant"
    team = "Finance"
    rules = (
        "An expense report is paid at today's rate, so its amount in DataHub counts, not what the ticket says. The "
        "amount decides who decides."
    )
    outline = Outline(
        type_id=policy.EXPENSE_APPROVAL,
        kind="expense",
        title=r": (.+)",
        mark=_MARK,
        fields=lambda record, figures: {"report_id": record["id"], "amount": figures["expense_amount"]},
    )
    oracle_length = 18
    least_steps = 18

    def case(self, setting: Setting) -> Case:
        """Write the report, one like it, its amount and its ticket."""
        report, other = _reports(setting)
        edge = 10000 if setting.original else setting.draws.choice("edge", tuple(_EDGES))
        case = _case(setting, report, edge)
        _other_file(setting, other)
        return case

    def plot(self, case: Case, setting: Setting) -> Plot:
        """Ask for the report to be paid."""
        story = (
            f"The expense report {case.called} of {case.record['fields']['employee']} is to be paid. Get its ticket "
            f"{case.ticket['id']} ready and have it decided ({policy.EXPENSE_APPROVAL})."
        )
        return Plot(case, story, submits=True)

    def oracle(self, observation: Observation) -> Script:
        """Get the amount first, then the ticket ready, then whoever decides that much."""
        me = Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = ticket["title"].partition(": ")[2]
        record = yield from me.record(ticket, kind="expense", name=name, mark=_MARK)
        terms = yield from me.ask("approvalflow_get_policy", type_id=policy.EXPENSE_APPROVAL)
        amount = yield from me.figure(terms["metric_name"], record["id"])
        yield from me.prepare(ticket, record)
        fields = {"report_id": record["id"], "amount": amount["value"]}
        yield from me.get_approved(ticket, terms, fields, amount)
        yield from me.finish("The expense report is approved.")

    def blind_plan(self, instance: Instance) -> list[Action]:
        """Refresh, prepare and ask who decides this instance's amount."""
        return approving(instance.goal)


SCENARIO = ExpenseReport()


def _reports(setting: Setting) -> tuple[Row, Row]:
    """Return the goal's report and another one of the same employee."""
    company, draws, employee = setting.company, setting.draws, setting.cast.reporter
    made = []
    for number, purpose in enumerate(draws.sample("goal.purpose", names.PURPOSES, 2)):
        fields = {
            "employee": employee.id,
            "currency": draws.choice("goal.currency", ("USD", "GBP", "CHF", "JPY")),
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "R", number),
        }
        record_id = company.numbers.reserve("EXP", 447 if setting.original and number == 0 else None)
        made.append(company.keep(record_id, "expense", f"{purpose}, {employee.name}", fields, "pending"))
    return made[0], made[1]


def _case(setting: Setting, report: Row, edge: int) -> Case:
    stale, fresh = _amounts(setting, edge)
    ticket = setting.goal_ticket(
        "expense",
        f"Expense report {report['id']}: {report['name']}",
        f"{report['name']} claims {stale:.2f} EUR, paid in {report['fields']['currency']}. Please settle it.",
        report,
        priority="medium",
    )
    return Case(
        persona=setting.cast.persona,
        ticket=ticket,
        record=report,
        type_id=policy.EXPENSE_APPROVAL,
        figure=setting.stale_figure("expense_amount", report["id"], "EUR", stale=stale, fresh=fresh),
        priorities=setting.priorities(ticket),
        cost_centre=report["fields"]["cost_centre"],
        verifier_roles=tuple(setting.rule("expense")["verifier_roles"]),
        fields={"report_id": report["id"], "amount": fresh},
        route=_routes(setting, edge)[setting.cause],
        start=setting.company.start,
        mark=_MARK,
    )


def _amounts(setting: Setting, edge: int) -> tuple[float, float]:
    """Return the amount at the old rate and at today's: a little under the edge, then on either side of it."""
    if setting.original:
        return 9900.0, 10050.0 if setting.cause == ABOVE else 9940.0
    draws = setting.draws
    stale = edge * draws.integer("amount.stale", 9500, 9800) / 10000
    above = edge * draws.integer("amount.above", 10010, 10300) / 10000
    below = edge * draws.integer("amount.below", 9820, 9990) / 10000
    return round(stale, 2), round(above if setting.cause == ABOVE else below, 2)


def _routes(setting: Setting, edge: int) -> dict[str, Route]:
    """Return who decides under the edge and from it on; the chief financial officer is always away."""
    lower, upper = _EDGES[edge]
    type_id = policy.EXPENSE_APPROVAL
    return {
        BELOW: setting.route(lower, type_id, amount=edge),
        ABOVE: setting.route(upper, type_id, amount=edge, away=upper == "cfo"),
    }


def _other_file(setting: Setting, other: Row) -> None:
    """Write the file of a report that is easily taken for the goal's."""
    claimed = setting.draws.integer("other.amount", 30000, 95000) / 100
    setting.fresh_figure("expense_amount", other["id"], "EUR", claimed)
    setting.new_ticket(
        "expense",
        f"Expense report {other['id']}: {other['name']}",
        f"{other['name']} claims {claimed:.2f} EUR. Please settle it.",
        other,
        priority="low",
    )
