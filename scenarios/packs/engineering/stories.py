"""Background of engineering: past bugs."""

from companyos.sdk.company import Cast, Company, cost_centre, old_metric, old_ticket, settle, unused_name

from . import names
from .approvals import ESCALATION_APPROVAL


def bug(company: Company, cast: Cast, number: int) -> None:
    """Write a service, its error rate and one of its bugs."""
    draws, record_id = company.draws, company.numbers.next("SVC")
    component = (
        f"{draws.choice('component', names.COMPONENTS, number)} {draws.choice('part', names.PARTS, number)}"
    )
    component = unused_name(company, component, record_id)
    rate = draws.integer("rate", 60, 120, number) / 10
    fields = {"cost_centre": cost_centre(company, number)}
    record = company.add_record(record_id, "service", component, fields, "active")
    old_metric(company, "error_rate", record_id, rate, "%", number)
    symptom = draws.choice("symptom", names.SYMPTOMS, number)
    ticket = old_ticket(
        company,
        number,
        "bug",
        f"{component}: {symptom.lower()}",
        record,
        name=component,
        value=f"{rate:g} %",
    )
    settle(company, cast, ticket, ESCALATION_APPROVAL, {"error_rate": rate})
