"""License renewal: renew a license about to expire; the number of seats determines the approver."""

from companyos.sdk.approval_task import (
    ApprovalTask,
    TaskBuilder,
    TaskFacts,
    TaskProfile,
    TaskSpec,
    checks,
)
from companyos.sdk.company import Row, cost_centre, register_number
from companyos.sdk.scenario import Check, View
from companyos.sdk.simtime import DAY

from ..packs import engineering, finance, office, people, procurement

WITHIN, BEYOND = "within", "beyond"
#: The field that distinguishes records of the same name.
_MARK = "contract_number"
_DAYS = "days_to_expiry"


class LicenseRenewal(ApprovalTask):
    """Renew a license for the seats in use, before it expires."""

    name = "license_renewal"
    version = 8
    title = "License renewal"
    summary = (
        "Refresh a license's seat count, and get its renewal approved by the role that decides about so many."
    )
    packs = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK)
    causes = (WITHIN, BEYOND)
    persona_role = "analyst"
    team = "Purchasing"
    rules = (
        "Licenses are renewed for the seats in use as DataHub counts them now, whatever the contract or the ticket "
        "says. The request also states the days to expiry. Both metrics are about the contract's record."
    )
    profile = TaskProfile(
        type_id=procurement.LICENSE_APPROVAL,
        kind="contract",
        title=r"^Renew (.+)",
        mark=_MARK,
        form="Renewal form",
        exclusions="Contracts on hold",
        fields=lambda record, metrics: {
            "seats": int(metrics["active_seats"]),
            _DAYS: int(metrics[_DAYS]),
        },
        metrics=(_DAYS,),
    )
    oracle_length = 24
    least_steps = 16

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the license, a look-alike, the metrics and the ticket."""
        edge = 200 if builder.original else builder.draws.choice("edge", (100, 150, 200, 250))
        builder.company.set_approval_type(procurement.license_approval(below=edge))
        contract, other = _contracts(builder)
        facts = _facts(builder, contract, edge)
        _other_file(builder, other)
        return facts

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the task of renewing the license."""
        story = (
            f"The license {facts.called} is up for renewal. Prepare the renewal, ticket {facts.ticket['id']}, and "
            f"obtain a decision ({procurement.LICENSE_APPROVAL})."
        )
        [days] = [row["value"] for row in builder.company.about(facts.record["id"]) if row["name"] == _DAYS]
        expires_at = facts.start + days * DAY
        why = "The renewal was approved before the license expired."
        in_time = Check("renewed_in_time", lambda view: _is_decided_by(facts, expires_at, view), why)
        return TaskSpec(facts, story, submits=True, musts=(in_time,))


SCENARIO = LicenseRenewal()


def _contracts(builder: TaskBuilder) -> tuple[Row, Row]:
    """Return the goal's contract and one for the same product in another quarter."""
    company, draws = builder.company, builder.draws
    product = draws.choice("goal.product", procurement.names.PRODUCTS)
    quarters = (3, 4) if builder.original else draws.sample("goal.quarter", (1, 2, 3, 4), 2)
    made = []
    for number, quarter in enumerate(quarters):
        fields = {
            "seats": draws.integer("goal.contract_seats", 60, 90, number),
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "C", number),
        }
        name = f"{product} Q{quarter}"
        made.append(company.add_record(company.numbers.reserve("LIC"), "contract", name, fields, "pending"))
    return made[0], made[1]


def _facts(builder: TaskBuilder, contract: Row, edge: int) -> TaskFacts:
    stale, fresh = _seats(builder, edge)
    days = 21 if builder.original else builder.draws.integer("days", 10, 300)
    builder.fresh_metric(_DAYS, contract["id"], "days", float(days))
    ticket = builder.goal_ticket(
        "license",
        f"Renew {contract['name']}",
        None,
        contract,
        value=f"{days} days",
        priority="high",
    )
    return builder.task_facts(
        ticket=ticket,
        record=contract,
        type_id=procurement.LICENSE_APPROVAL,
        measurement=builder.stale_metric(
            "active_seats", contract["id"], "seats", stale=float(stale), fresh=float(fresh)
        ),
        fields={"seats": fresh, _DAYS: days},
        route={
            WITHIN: builder.route("procurement", procurement.LICENSE_APPROVAL, amount=edge),
            BEYOND: builder.route("finance_director", procurement.LICENSE_APPROVAL, amount=edge),
        }[builder.cause],
        mark=_MARK,
    )


def _seats(builder: TaskBuilder, edge: int) -> tuple[int, int]:
    """Return the last count of seats in use, and the fresh one on either side of the edge."""
    if builder.original:
        return 168, 180 if builder.cause == WITHIN else 215
    draws = builder.draws
    stale = edge - draws.integer("seats.stale", 25, 40)
    within, beyond = edge - draws.integer("seats.within", 1, 20), edge + draws.integer("seats.beyond", 0, 30)
    return stale, within if builder.cause == WITHIN else beyond


def _other_file(builder: TaskBuilder, other: Row) -> None:
    """Write the metrics and the ticket of a look-alike license."""
    draws = builder.draws
    builder.fresh_metric("active_seats", other["id"], "seats", float(draws.integer("other.seats", 40, 90)))
    days = draws.integer("other.days", 10, 300)
    builder.fresh_metric(_DAYS, other["id"], "days", float(days))
    builder.new_ticket(
        "license",
        f"Renew {other['name']}",
        None,
        other,
        value=f"{days} days",
        priority="medium",
    )


def _is_decided_by(facts: TaskFacts, instant: int, view: View) -> bool:
    approved = [one for one in checks.goal_requests(facts, view) if one["status"] == "approved"]
    return any(one["decided_at"] <= instant for one in approved)
