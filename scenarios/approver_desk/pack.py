"""The pack of a unit that spends money: its approval types, its people, and its past spending."""

from typing import Final

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    FormField,
    Office,
    Pack,
    cost_centre,
    somebody,
)
from companyos.sdk.simtime import DAY

from . import words
from .spending import INVOICE, PAID, PURCHASE, TRAINING, TYPES, VERSION, Scale, Spending

HEAD, PERSONA_ROLE, TEAM = "unit_head", "unit_coordinator", "Unit Office"


def _past(company: Company, cast: Cast, number: int) -> None:
    """Add a request of the past and its decision."""
    draws = company.draws.about(number)
    spending = Spending(company, f"past{number}", cast.offices[HEAD], Scale())
    type_id = draws.choice("past.type", TYPES)
    request = spending.submit(
        company.numbers.next("APR"),
        type_id,
        {
            "amount": 10.0 * draws.integer("past.amount", 12, 240),
            "cost_centre": cost_centre(company, number),
            "supplier": draws.choice("past.supplier", words.SUPPLIERS),
            "priority": draws.integer("past.priority", 1, 3),
            "purpose": draws.choice("past.purpose", words.PURPOSES),
        },
        spending.texts(type_id),
        somebody(company, "past.requester", number),
        age_s=draws.integer("past.age", 12, 80) * DAY,
        due=company.start,
        policy_version=draws.integer("past.version", 1, VERSION - 1),
    )
    rejected = draws.chance("past.rejected", 0.2)
    spending.settle_past(request, rejected=rejected)
    if rejected:
        request["reason_code"] = draws.choice("past.reason", ("over_budget", "evidence_missing"))


def _type(type_id: str, name: str, description: str, *more: FormField) -> ApprovalType:
    fields = (
        FormField("amount", "number", "Total in EUR: the sum of the line items."),
        FormField("cost_centre", "string", "Cost centre that pays."),
        FormField("supplier", "string", "Who delivers."),
        FormField("priority", "integer", "1 is the highest, 3 the lowest."),
        FormField("purpose", "string", "What it is for.", required=False),
    )
    return ApprovalType(
        type_id,
        name,
        description,
        (*fields, *more),
        (Band(HEAD),),
        route_field="amount",
        budget_field="cost_centre",
    )


PACK: Final = Pack(
    name="unit_office",
    approval_types=(
        _type(
            PURCHASE,
            "Purchase approval",
            "Buys things for a unit.",
            FormField("benefit_points", "integer", "Benefit points that Controlling gave its business case."),
            FormField("setup_hours", "integer", "Hours that Facilities needs to set it up."),
        ),
        _type(
            INVOICE,
            "Invoice approval",
            "Pays a supplier's invoice for a unit.",
            FormField("invoice_number", "string", "The number that the supplier gave it."),
        ),
        _type(TRAINING, "Training approval", "Books a course for people of a unit."),
    ),
    record_kinds=(PAID,),
    offices=(Office(HEAD, "Unit Office", deputy="operations_lead"),),
    teams=tuple((team, "technician") for team in words.TEAMS),
    stories=(_past, _past, _past),
)
