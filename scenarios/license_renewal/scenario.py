"""Licence renewal: a licence about to expire, and a count of seats that says who decides about renewing it."""

from companyos.casework import (
    Case,
    Employee,
    Outline,
    Plot,
    Setting,
    Task,
    approving,
)
from companyos.company import Row, cost_centre, names, policy, register_number
from companyos.scenario import Action, Instance, Observation, Script

WITHIN, BEYOND = "within", "beyond"
#: What tells records of one name apart.
_MARK = "contract_number"


class LicenseRenewal(Task):
    """Renew a licence for the seats in use, before it expires."""

    name = "license_renewal"
    version = 3
    title = "Licence renewal"
    summary = (
        "Count the seats of a licence afresh, and get its renewal approved by who decides about that many."
    )
    causes = (WITHIN, BEYOND)
    persona_role = "analyst"
    team = "Purchasing"
    rules = (
        "A licence is renewed for the seats in use as DataHub counts them now, whatever the contract or the ticket "
        "says. The request also states the days to expiry; both figures are about the contract's record."
    )
    outline = Outline(
        type_id=policy.LICENSE_APPROVAL,
        kind="contract",
        title=r"^Renew (.+)",
        mark=_MARK,
        fields=lambda record, figures: {
            "seats": int(figures["active_seats"]),
            "days_to_expiry": int(figures["days_to_expiry"]),
        },
        figures=("days_to_expiry",),
    )
    oracle_length = 20
    least_steps = 16

    def case(self, setting: Setting) -> Case:
        """Write the licence, one like it, its figures and its ticket."""
        edge = 200 if setting.original else setting.draws.choice("edge", (100, 150, 200, 250))
        setting.company.adopt(policy.license_approval(below=edge))
        contract, other = _contracts(setting)
        case = _case(setting, contract, edge)
        _other_file(setting, other)
        return case

    def plot(self, case: Case, setting: Setting) -> Plot:
        """Ask for the licence to be renewed."""
        story = (
            f"The licence {case.called} expires soon. Get its renewal, ticket "
            f"{case.ticket['id']}, ready and have it decided ({policy.LICENSE_APPROVAL})."
        )
        return Plot(case, story, submits=True)

    def oracle(self, observation: Observation) -> Script:
        """Count the seats first, read the days, then get the ticket ready and ask who decides."""
        me = Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = ticket["title"].removeprefix("Renew ")
        record = yield from me.record(ticket, kind="contract", name=name, mark=_MARK)
        terms = yield from me.ask("approvalflow_get_policy", type_id=policy.LICENSE_APPROVAL)
        seats = yield from me.figure(terms["metric_name"], record["id"])
        days = yield from me.figure("days_to_expiry", record["id"])
        yield from me.prepare(ticket, record)
        fields = {"seats": int(seats["value"]), "days_to_expiry": int(days["value"])}
        yield from me.get_approved(ticket, terms, fields, seats)
        yield from me.finish("The renewal is approved.")

    def blind_plan(self, instance: Instance) -> list[Action]:
        """Refresh, prepare and ask who decides about this instance's seats."""
        return approving(instance.goal)


SCENARIO = LicenseRenewal()


def _contracts(setting: Setting) -> tuple[Row, Row]:
    """Return the goal's contract and one for another quarter of the same product."""
    company, draws = setting.company, setting.draws
    product = draws.choice("goal.product", names.PRODUCTS)
    quarters = (3, 4) if setting.original else draws.sample("goal.quarter", (1, 2, 3, 4), 2)
    made = []
    for number, quarter in enumerate(quarters):
        fields = {
            "seats": draws.integer("goal.contract_seats", 60, 90, number),
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "C", number),
        }
        name = f"{product} Q{quarter}"
        made.append(company.keep(company.numbers.reserve("LIC"), "contract", name, fields, "pending"))
    return made[0], made[1]


def _case(setting: Setting, contract: Row, edge: int) -> Case:
    stale, fresh = _seats(setting, edge)
    days = 21 if setting.original else setting.draws.integer("days", 12, 45)
    setting.fresh_figure("days_to_expiry", contract["id"], "days", float(days))
    ticket = setting.goal_ticket(
        "license",
        f"Renew {contract['name']}",
        f"{contract['name']} is about to expire. About {stale} people used it when we last counted.",
        contract,
        priority="high",
    )
    return Case(
        persona=setting.cast.persona,
        ticket=ticket,
        record=contract,
        type_id=policy.LICENSE_APPROVAL,
        figure=setting.stale_figure(
            "active_seats", contract["id"], "seats", stale=float(stale), fresh=float(fresh)
        ),
        priorities=setting.priorities(ticket),
        cost_centre=contract["fields"]["cost_centre"],
        verifier_roles=tuple(setting.rule("license")["verifier_roles"]),
        fields={"seats": fresh, "days_to_expiry": days},
        route={
            WITHIN: setting.route("procurement", policy.LICENSE_APPROVAL, amount=edge),
            BEYOND: setting.route("finance_director", policy.LICENSE_APPROVAL, amount=edge),
        }[setting.cause],
        start=setting.company.start,
        mark=_MARK,
    )


def _seats(setting: Setting, edge: int) -> tuple[int, int]:
    """Return the seats in use when last counted, and now: on either side of the edge."""
    if setting.original:
        return 168, 180 if setting.cause == WITHIN else 215
    draws = setting.draws
    stale = edge - draws.integer("seats.stale", 25, 40)
    within, beyond = edge - draws.integer("seats.within", 1, 20), edge + draws.integer("seats.beyond", 0, 30)
    return stale, within if setting.cause == WITHIN else beyond


def _other_file(setting: Setting, other: Row) -> None:
    """Write the file of a licence that is easily taken for the goal's."""
    draws = setting.draws
    setting.fresh_figure("active_seats", other["id"], "seats", float(draws.integer("other.seats", 40, 90)))
    setting.fresh_figure("days_to_expiry", other["id"], "days", float(draws.integer("other.days", 100, 200)))
    setting.new_ticket(
        "license",
        f"Renew {other['name']}",
        f"{other['name']} is to be renewed in time.",
        other,
        priority="medium",
    )
