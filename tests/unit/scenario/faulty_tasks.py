"""Approval tasks drawn with the business faults that a test asks for."""

from typing import Any

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Instance, find

SALT = "companyos-public"


def with_faults(name: str, seed: int, *faults: str, **params: Any) -> Instance:
    """Return an instance with these faults, the first of which has these parameters."""
    chaos: dict[str, Any] = {fault: {"p": 1.0} for fault in faults}
    if params:
        chaos[faults[0]]["params"] = params
    return find(name).generate(seed, parse_chaos({"faults": chaos}), SALT)


def one(instance: Instance, service: str, table: str, row_id: str) -> dict[str, Any]:
    return next(row for row in instance.rows[service][table] if row["id"] == row_id)


def goal_ticket(instance: Instance) -> dict[str, Any]:
    return one(instance, "ticketdesk", "tickets", instance.facts.ticket["id"])
