"""Background of procurement: past vendors and licenses."""

from companyos.sdk.company import Cast, Company, cost_centre, old_metric, old_ticket, settle, unused_name

from . import names
from .approvals import LICENSE_APPROVAL, VENDOR_APPROVAL


def vendor_onboarding(company: Company, cast: Cast, number: int) -> None:
    """Write a vendor, its score and its onboarding."""
    draws, record_id = company.draws, company.numbers.next("V")
    stem, trade = draws.choice("vendor", names.VENDORS, number), draws.choice("trade", names.TRADES, number)
    name = f"{stem} {draws.choice('trade.name', trade, number)}"
    name = unused_name(company, name, record_id)
    score = float(draws.integer("score", 81, 98, number))
    fields = {
        "country": draws.choice("country", names.COUNTRIES, number),
        "cost_centre": cost_centre(company, number),
    }
    record = company.add_record(record_id, "vendor", name, fields, "active")
    old_metric(company, "compliance_score", record_id, score, "points", number)
    ticket = old_ticket(
        company,
        number,
        "vendor_onboarding",
        f"Onboard {name}",
        record,
        name=name,
        value=f"{score:g} points",
    )
    settle(company, cast, ticket, VENDOR_APPROVAL, {"vendor_name": name, "compliance_score": score})


def license_renewal(company: Company, cast: Cast, number: int) -> None:
    """Write a contract, its seats and days, and its renewal."""
    draws, record_id = company.draws, company.numbers.next("LIC")
    seats = draws.integer("seats", 5, 150, number)
    product = draws.choice("product", names.PRODUCTS, number)
    fields = {"seats": seats, "cost_centre": cost_centre(company, number)}
    name = unused_name(company, f"{product} Q{draws.integer('quarter', 1, 4, number)}", record_id)
    record = company.add_record(record_id, "contract", name, fields, "active")
    old_metric(company, "active_seats", record_id, float(seats), "seats", number)
    days = draws.integer("days", 10, 300, number)
    old_metric(company, "days_to_expiry", record_id, float(days), "days", number)
    ticket = old_ticket(
        company,
        number,
        "license",
        f"Renew {name}",
        record,
        name=name,
        value=f"{days} days",
    )
    settle(company, cast, ticket, LICENSE_APPROVAL, {"seats": seats, "days_to_expiry": days})
