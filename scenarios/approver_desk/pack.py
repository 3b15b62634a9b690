"""The pack of a unit that spends money: its approval types, its people, and its past spending."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    FormField,
    Office,
    Pack,
    Person,
    Row,
    cost_centre,
    somebody,
)
from companyos.sdk.company.areas.spending import Line, add_waiting_request, decide_in_the_past
from companyos.sdk.simtime import DAY, HOUR

from . import words

PURCHASE, INVOICE, TRAINING = "purchase_approval", "invoice_approval", "training_approval"
TYPES: Final = (PURCHASE, INVOICE, TRAINING)
#: The kind of record that an approved invoice leaves.
PAID: Final = "paid_invoice"
HEAD, PERSONA_ROLE, TEAM = "unit_head", "unit_coordinator", "Unit Office"
#: The version of the policy in force.
VERSION: Final = 3


@dataclass(frozen=True)
class Scale:
    """The size and the value of purchases.

    Attributes:
        below: The amount of a purchase that needs no quotes.
        beyond: How far a purchase is beyond the amount that needs quotes, in percent of the way to its limit.
        points: Benefit points per 1,000 EUR.
        hours: Setup hours.
    """

    below: tuple[int, int] = (300, 1900)
    beyond: tuple[int, int] = (5, 90)
    points: tuple[int, int] = (40, 90)
    hours: tuple[int, int] = (1, 8)


USUAL: Final = Scale()


def lines_of(company: Company, amount: float, texts: Sequence[str], key: str) -> list[Line]:
    """Return one line for each text; the lines add up to an amount."""
    draws, lines, left = company.draws, list[Line](), amount
    for number, text in enumerate(texts[:-1]):
        quantity = draws.integer("quantity", 1, 4, key, number)
        price = float(int(left * draws.integer("share", 20, 50, key, number) / 100 / quantity))
        lines.append(Line(text, quantity, price))
        left -= quantity * price
    return [*lines, Line(texts[-1], 1, left)]


def _past(company: Company, cast: Cast, number: int) -> None:
    """Add a request of the past and its decision."""
    draws, key = company.draws, f"past{number}"
    type_id = draws.choice("past.type", TYPES, number)
    amount = 10.0 * draws.integer("past.amount", 12, 240, number)
    fields = stated(
        amount,
        cost_centre(company, number),
        draws.choice("past.supplier", words.SUPPLIERS, number),
        draws.integer("past.priority", 1, 3, number),
        draws.choice("past.purpose", words.PURPOSES, number),
    )
    if type_id == INVOICE:
        fields["invoice_number"] = invoice_number(company, fields["supplier"], key)
    if type_id == PURCHASE:
        fields |= drawn_value(company, amount, USUAL, key)
    rejected = draws.chance("past.rejected", 0.2, number)
    request = add_waiting_request(
        company,
        company.numbers.next("APR"),
        type_id,
        fields,
        lines_of(company, amount, texts_of(company, type_id, key), key),
        somebody(company, "past.requester", number),
        cast.offices[HEAD],
        age_s=draws.integer("past.age", 12, 80, number) * DAY,
        due=company.start,
        policy_version=draws.integer("past.version", 1, VERSION - 1, number),
    )
    settle_past(company, request, cast.offices[HEAD], rejected=rejected)
    if rejected:
        request["reason_code"] = draws.choice("past.reason", ("over_budget", "evidence_missing"), number)


def settle_past(company: Company, request: Row, head: Person, *, rejected: bool = False) -> None:
    """Add the decision of a past request; an approved invoice is also recorded as paid."""
    decide_in_the_past(company, request, head, "rejected" if rejected else "approved", after_s=3 * HOUR)
    number = request["fields"].get("invoice_number")
    if number is not None and not rejected:
        fields = {name: request["fields"][name] for name in ("supplier", "amount", "cost_centre")}
        record_id = company.numbers.next("INV")
        name = f"Invoice {number}, {fields['supplier']}"
        company.add_record(record_id, PAID, name, {**fields, "request": request["id"]}, "active")


def stated(amount: float, centre: str, supplier: str, priority: int, purpose: str) -> Row:
    """Return the fields that requests of all types have."""
    return {
        "amount": amount,
        "cost_centre": centre,
        "supplier": supplier,
        "priority": priority,
        "purpose": purpose,
    }


def value(points: int, hours: int) -> Row:
    """Return the fields that only purchases have."""
    return {"benefit_points": points, "setup_hours": hours}


def drawn_value(company: Company, amount: float, scale: Scale, key: str) -> Row:
    """Return the fields that only purchases have, drawn for an amount."""
    draws = company.draws
    points = round(amount * draws.integer("points", *scale.points, key) / 1000)
    return value(points, draws.integer("hours", *scale.hours, key))


def invoice_number(company: Company, supplier: str, key: str) -> str:
    """Return a drawn invoice number, which no other invoice of the supplier has."""
    return f"RE-{company.numbers.draw_unused('invoice', 20000, 98999, key, owner=supplier)}"


def texts_of(company: Company, type_id: str, key: str) -> list[str]:
    """Return the line items of a request of a type."""
    if type_id == PURCHASE:
        count = company.draws.integer("things.count", 1, 3, key)
        return company.draws.sample("things", words.THINGS, count, key)
    names = words.COURSES if type_id == TRAINING else words.SERVICES
    return [company.draws.choice("service", names, key)]


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
