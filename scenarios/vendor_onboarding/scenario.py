"""Vendor onboarding: a score to refresh, a chief financial officer who is away, and a vendor that may not pass."""

from companyos.casework import (
    Case,
    Employee,
    Outline,
    Plot,
    Setting,
    Task,
    approving,
    correcting,
    refreshing,
)
from companyos.company import Row, cost_centre, names, policy
from companyos.scenario import Action, Instance, Observation, Script, call

from .remediation import held_back, remediation

PASSES, FAILS = "passes", "fails"
#: What tells records of one name apart.
_MARK = "tax_id"


class VendorOnboarding(Task):
    """Get a vendor's onboarding ticket ready and approved; or held, where the vendor does not pass."""

    name = "vendor_onboarding"
    version = 3
    title = "Vendor onboarding"
    summary = (
        "Bring a vendor's compliance score up to date, and get its onboarding approved by who may decide."
    )
    causes = (PASSES, FAILS)
    persona_role = "analyst"
    team = "Purchasing"
    rules = (
        "A vendor whose fresh compliance score is below what the policy accepts is not submitted. File a ticket of "
        "kind `remediation` with the vendor's record as its subject that blocks the onboarding ticket, and finish."
    )
    outline = Outline(
        type_id=policy.VENDOR_APPROVAL,
        kind="vendor",
        title=r"^Onboard (.+)",
        mark=_MARK,
        fields=lambda record, figures: {
            "vendor_name": record["name"],
            "compliance_score": figures["compliance_score"],
        },
        instead=lambda ticket_id, record_id: call(
            "ticketdesk_create_ticket", **remediation(ticket_id, record_id)
        ),
    )
    oracle_length = 18
    least_steps = 20

    def case(self, setting: Setting) -> Case:
        """Write the vendor, its namesake and its past, its score and its ticket."""
        company, draws = setting.company, setting.draws
        vendor, namesake = _vendors(setting)
        minimum = 80 if setting.original else draws.choice("minimum", (70, 75, 80))
        company.adopt(policy.vendor_approval(minimum=float(minimum)))
        _past(setting, vendor, minimum)
        case = _case(setting, vendor, minimum)
        _namesake_file(setting, namesake, minimum)
        return case

    def plot(self, case: Case, setting: Setting) -> Plot:
        """Ask for the onboarding; a vendor that does not pass is held back."""
        vendor = case.record
        story = (
            f"{vendor['name']} is to become a vendor. Get its onboarding, ticket {case.ticket['id']}, ready and have "
            f"it decided ({policy.VENDOR_APPROVAL})."
        )
        if setting.cause == PASSES:
            return Plot(case, story, submits=True)
        return held_back(case, story)

    def oracle(self, observation: Observation) -> Script:
        """Look at the fresh score first: it says whether there is anything to ask for."""
        me = Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = ticket["title"].removeprefix("Onboard ")
        record = yield from me.record(ticket, kind="vendor", name=name, mark=_MARK)
        terms = yield from me.ask("approvalflow_get_policy", type_id=policy.VENDOR_APPROVAL)
        score = yield from me.figure(terms["metric_name"], record["id"])
        if score["value"] < terms["minimum"]:
            yield from me.ask("ticketdesk_create_ticket", **remediation(ticket["id"], record["id"]))
            yield from me.finish("The vendor does not pass; its onboarding waits for a remediation.")
            return
        yield from me.prepare(ticket, record)
        fields = {"vendor_name": record["name"], "compliance_score": score["value"]}
        yield from me.get_approved(ticket, terms, fields, score)
        yield from me.finish("The vendor's onboarding is approved.")

    def blind_plan(self, instance: Instance) -> list[Action]:
        """Refresh, then do what is right for this instance's score without looking at it."""
        goal = instance.goal
        if goal["cause"] == FAILS:
            remedy = call("ticketdesk_create_ticket", **remediation(goal["ticket_id"], goal["subject"]))
            return [*correcting(goal), *refreshing(goal), remedy, call("finish")]
        return approving(goal)


SCENARIO = VendorOnboarding()


def _vendors(setting: Setting) -> tuple[Row, Row]:
    company, draws = setting.company, setting.draws
    stem, (trade, other) = (
        draws.choice("goal.vendor", names.VENDORS),
        draws.choice("goal.trade", names.TRADES),
    )
    made = []
    for number, name in enumerate((f"{stem} {trade}", f"{stem} {other}")):
        fields = {
            "country": draws.choice("goal.country", names.COUNTRIES, number),
            "tax_id": f"T{draws.integer('goal.tax', 10**7, 10**8 - 1, number)}",
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
        }
        made.append(company.keep(company.numbers.reserve("V"), "vendor", name, fields, "pending"))
    return made[0], made[1]


def _case(setting: Setting, vendor: Row, minimum: int) -> Case:
    stale, fresh = _scores(setting, minimum)
    ticket = setting.goal_ticket(
        "vendor_onboarding",
        f"Onboard {vendor['name']}",
        f"{vendor['name']} asks to be let into the supplier base. Its compliance score was {stale:g} when we last "
        "looked.",
        vendor,
    )
    return Case(
        persona=setting.cast.persona,
        ticket=ticket,
        record=vendor,
        type_id=policy.VENDOR_APPROVAL,
        figure=setting.stale_figure("compliance_score", vendor["id"], "points", stale=stale, fresh=fresh),
        priorities=setting.priorities(ticket),
        cost_centre=vendor["fields"]["cost_centre"],
        verifier_roles=tuple(setting.rule("vendor_onboarding")["verifier_roles"]),
        fields={"vendor_name": vendor["name"], "compliance_score": fresh},
        route=setting.route("cfo", policy.VENDOR_APPROVAL, away=True),
        start=setting.company.start,
        mark=_MARK,
    )


def _scores(setting: Setting, minimum: int) -> tuple[float, float]:
    """Return the score as it stands and as a refresh brings it."""
    if setting.original:
        return 72.0, 85.0 if setting.cause == PASSES else 76.0
    draws = setting.draws
    stale = minimum - draws.integer("score.stale", 6, 12)
    passes, fails = draws.integer("score.passes", 1, 15), -draws.integer("score.fails", 1, 5)
    return float(stale), float(minimum + (passes if setting.cause == PASSES else fails))


def _past(setting: Setting, vendor: Row, minimum: int) -> None:
    """Write that the vendor was approved once before, which is over."""
    company, cast = setting.company, setting.cast
    clerk, checker = cast.offices["procurement"], cast.offices["manager"]
    ticket = company.open(
        company.numbers.next("TD"),
        "vendor_onboarding",
        f"Onboard {vendor['name']} for a year",
        f"{vendor['name']} delivers for one year.",
        cast.reporter,
        acts=("assigned", "verified", "transitioned", "closed"),
        status="closed",
        subject=vendor["id"],
        priority="medium",
        assignee=clerk.id,
        cost_centre=vendor["fields"]["cost_centre"],
        evidence="Checked against the file.",
        verified_by=checker.id,
        resolution="Delivered for a year. The approval has expired with the contract.",
    )
    fields = {"vendor_name": vendor["name"], "compliance_score": float(minimum + 3)}
    company.decided(ticket, policy.VENDOR_APPROVAL, fields, clerk, cast.offices["cfo"], "approved")


def _namesake_file(setting: Setting, namesake: Row, minimum: int) -> None:
    """Write the file of a vendor that is easily taken for the goal's: its score is fresh and fine."""
    score = minimum + setting.draws.integer("namesake.score", 5, 18)
    setting.fresh_figure("compliance_score", namesake["id"], "points", float(score))
    setting.new_ticket(
        "vendor_onboarding",
        f"Onboard {namesake['name']}",
        f"{namesake['name']} asks to be let into the supplier base.",
        namesake,
    )
