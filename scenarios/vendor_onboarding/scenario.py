"""Vendor onboarding: refresh a score while the approver is away; the vendor may not pass."""

from companyos.sdk.approval_task import (
    APPROVAL_TOOLS,
    ApprovalTask,
    TaskBuilder,
    TaskFacts,
    TaskProfile,
    TaskSpec,
)
from companyos.sdk.company import Row, cost_centre
from companyos.sdk.scenario import call

from ..packs import engineering, finance, office, people, procurement
from .pack import PACK
from .remediation import held_back, remediation

PASSES, FAILS = "passes", "fails"
#: The field that distinguishes records of the same name.
_MARK = "tax_id"


class VendorOnboarding(ApprovalTask):
    """Prepare a vendor's onboarding and get it approved, or block it if the vendor does not pass."""

    name = "vendor_onboarding"
    version = 8
    title = "Vendor onboarding"
    summary = "Bring a vendor's compliance score up to date, and get its onboarding approved by an authorized approver."
    packs = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK, PACK)
    causes = (PASSES, FAILS)
    persona_role = "analyst"
    team = "Purchasing"
    rules = (
        "If a vendor's fresh compliance score is below what the policy accepts, submit no request. File a ticket of "
        "kind `remediation` about the vendor's record that blocks the onboarding ticket, and finish."
    )
    tools = (*APPROVAL_TOOLS, "ticketdesk_create_ticket")
    profile = TaskProfile(
        type_id=procurement.VENDOR_APPROVAL,
        kind="vendor",
        title=r"^Onboard (.+)",
        mark=_MARK,
        form="Supplier self-declaration",
        exclusions="Vendors on hold",
        fields=lambda record, metrics: {
            "vendor_name": record["name"],
            "compliance_score": metrics["compliance_score"],
        },
        instead=lambda ticket_id, record_id: call(
            "ticketdesk_create_ticket", **remediation(ticket_id, record_id)
        ),
    )
    oracle_length = 22
    least_steps = 20

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the vendor, its namesake, its history, the score and the ticket."""
        company, draws = builder.company, builder.draws
        vendor, namesake = _vendors(builder)
        minimum = 80 if builder.original else draws.choice("minimum", (70, 75, 80))
        company.set_approval_type(procurement.vendor_approval(minimum=float(minimum)))
        _past(builder, vendor, minimum)
        facts = _facts(builder, vendor, minimum)
        _namesake_file(builder, namesake, minimum)
        return facts

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the task of onboarding the vendor, or of blocking a vendor that does not pass."""
        vendor = facts.record
        story = (
            f"{vendor['name']} is to become a vendor. Prepare its onboarding, ticket {facts.ticket['id']}, and obtain "
            f"a decision ({procurement.VENDOR_APPROVAL})."
        )
        if builder.cause == PASSES:
            return TaskSpec(facts, story, submits=True)
        return held_back(facts, story)


SCENARIO = VendorOnboarding()


def _vendors(builder: TaskBuilder) -> tuple[Row, Row]:
    company, draws = builder.company, builder.draws
    stem, (trade, other) = (
        draws.choice("goal.vendor", procurement.names.VENDORS),
        draws.choice("goal.trade", procurement.names.TRADES),
    )
    if not builder.original and draws.chance("goal.trade.swapped", 0.5):
        trade, other = other, trade
    made = []
    for number, name in enumerate((f"{stem} {trade}", f"{stem} {other}")):
        fields = {
            "country": draws.choice("goal.country", procurement.names.COUNTRIES, number),
            "tax_id": f"T{draws.integer('goal.tax', 10**7, 10**8 - 1, number)}",
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
        }
        made.append(company.add_record(company.numbers.reserve("V"), "vendor", name, fields, "pending"))
    return made[0], made[1]


def _facts(builder: TaskBuilder, vendor: Row, minimum: int) -> TaskFacts:
    stale, fresh = _scores(builder, minimum)
    ticket = builder.goal_ticket(
        "vendor_onboarding",
        f"Onboard {vendor['name']}",
        None,
        vendor,
        value=f"{stale:g} points",
    )
    return builder.task_facts(
        ticket=ticket,
        record=vendor,
        type_id=procurement.VENDOR_APPROVAL,
        measurement=builder.stale_metric(
            "compliance_score", vendor["id"], "points", stale=stale, fresh=fresh
        ),
        fields={"vendor_name": vendor["name"], "compliance_score": fresh},
        route=builder.route("cfo", procurement.VENDOR_APPROVAL, away=True),
        mark=_MARK,
    )


def _scores(builder: TaskBuilder, minimum: int) -> tuple[float, float]:
    """Return the score before and after a refresh."""
    if builder.original:
        return 72.0, 85.0 if builder.cause == PASSES else 76.0
    draws = builder.draws
    stale = minimum - draws.integer("score.stale", 6, 12)
    passes, fails = draws.integer("score.passes", 1, 15), -draws.integer("score.fails", 1, 5)
    return float(stale), float(minimum + (passes if builder.cause == PASSES else fails))


def _past(builder: TaskBuilder, vendor: Row, minimum: int) -> None:
    """Write an earlier approval of the vendor that no longer counts."""
    company, cast = builder.company, builder.cast
    clerk, checker = cast.offices["procurement"], cast.offices["manager"]
    ticket_id = company.numbers.next("TD")
    ticket = company.add_ticket(
        ticket_id,
        "vendor_onboarding",
        f"Onboard {vendor['name']}",
        company.describe(ticket_id, "vendor_onboarding", cast.reporter, name=vendor["name"]),
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
    company.decided(ticket, procurement.VENDOR_APPROVAL, fields, clerk, cast.offices["cfo"], "approved")


def _namesake_file(builder: TaskBuilder, namesake: Row, minimum: int) -> None:
    """Write the metric and the ticket of a look-alike vendor with a fresh, passing score."""
    score = minimum + builder.draws.integer("namesake.score", 5, 18)
    builder.fresh_metric("compliance_score", namesake["id"], "points", float(score))
    builder.new_ticket(
        "vendor_onboarding",
        f"Onboard {namesake['name']}",
        None,
        namesake,
        value=f"{score:g} points",
    )
