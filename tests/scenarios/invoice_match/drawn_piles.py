"""Drawn piles of invoices, and what their rows say."""

from typing import Any

from companyos.scenario import Instance, find
from scenarios.invoice_match.scenario import Facts

Row = dict[str, Any]
SCENARIO = find("invoice_match")


def table(instance: Instance[Facts], name: str) -> dict[str, Row]:
    return {row["id"]: dict(row) for row in instance.rows["datahub"][name]}


def ends_of(instance: Instance[Facts]) -> dict[str, str]:
    """Return the right disposition of each invoice, were payments not stopped."""
    return {item.invoice_id: item.disposition for item in instance.facts.week.items}


def pile(instance: Instance[Facts]) -> list[tuple[Row, str]]:
    """Return the invoices of the pile, each with what has to become of it."""
    rows = table(instance, "invoices")
    return [(rows[key], end) for key, end in ends_of(instance).items()]


def handbook(instance: Instance[Facts], status: str) -> str:
    """Return the text of an edition of the chapter."""
    documents = table(instance, "documents").values()
    [body] = [
        row["body"] for row in documents if (row["department"], row["status"]) == ("Accounts Payable", status)
    ]
    return str(body)
