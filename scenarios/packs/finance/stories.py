"""Background of finance: past expense reports."""

from companyos.sdk.company import Cast, Company, cost_centre, old_metric, old_ticket, settle, somebody

from . import names
from .approvals import EXPENSE_APPROVAL, role_deciding


def expense_report(company: Company, cast: Cast, number: int) -> None:
    """Write an expense report, its amount and its ticket."""
    draws, record_id = company.draws, company.numbers.next("EXP")
    employee = somebody(company, "employee", number)
    amount = (
        draws.integer("amount", 4000, draws.choice("amount.most", (90_000, 1_500_000), number), number) / 100
    )
    title = f"{draws.choice('purpose', names.PURPOSES, number)}, {employee.name}"
    fields = {"employee": employee.id, "cost_centre": cost_centre(company, number)}
    record = company.add_record(record_id, "expense", title, fields, "pending")
    old_metric(company, "expense_amount", record_id, amount, "EUR", number)
    ticket = old_ticket(
        company,
        number,
        "expense",
        f"Expense report {record_id}: {title}",
        record,
        name=title,
        value=f"{amount:.2f} EUR",
    )
    stated = {"report_id": record_id, "amount": amount}
    settle(company, cast, ticket, EXPENSE_APPROVAL, stated, role_deciding(amount))
