"""Drawn piles of invoices, and what their rows say."""

from typing import Any

from companyos.scenario import Instance, load_scenarios
from scenarios.invoice_match.scenario import Facts

Row = dict[str, Any]
SCENARIO = load_scenarios()["invoice_match"]
PRICE, SHORT = "claim:price_difference", "claim:short_delivery"


def table(instance: Instance, name: str) -> dict[str, Row]:
    return {row["id"]: dict(row) for row in instance.rows["datahub"][name]}


def pile(instance: Instance) -> list[tuple[Row, str]]:
    """Return the invoices of the pile, each with what has to become of it."""
    rows = table(instance, "invoices")
    return [(rows[key], end) for key, end in ends_of(instance).items()]


def booked(instance: Instance, invoice: Row, *, expected: bool = False) -> dict[int, int]:
    """Return what is booked for an invoice's delivery note, by line, and if asked what still will be."""
    names = ("goods_receipts", "expected_receipts") if expected else ("goods_receipts",)
    counts: dict[int, int] = {}
    for row in (row for name in names for row in table(instance, name).values()):
        if (row["order_id"], row["delivery_note"]) == (invoice["order_id"], invoice["delivery_note"]):
            for line in row["lines"]:
                counts[line["line"]] = counts.get(line["line"], 0) + line["quantity"]
    return counts


def missing(instance: Instance, invoice: Row, *, expected: bool = False) -> int:
    counts = booked(instance, invoice, expected=expected)
    return sum(max(0, line["quantity"] - counts.get(line["line"], 0)) for line in invoice["lines"])


def handbook(instance: Instance, status: str) -> str:
    chapters = [
        row for row in table(instance, "documents").values() if row["department"] == "Accounts Payable"
    ]
    [body] = [row["body"] for row in chapters if row["status"] == status]
    return str(body)


def ends_of(instance: Instance[Facts]) -> dict[str, str]:
    """Return the right disposition of each invoice, were payments not stopped."""
    return {item.invoice_id: item.disposition for item in instance.facts.week.items}
