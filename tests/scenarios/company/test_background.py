"""The background of a company: past tickets, metrics and averages that nothing in an episode can disturb."""

from functools import cache
from math import fsum
from typing import Any

import pytest

from companyos.sdk.company import (
    Cast,
    Company,
    fill,
    hire_cast,
    old_ticket,
    settle,
)
from companyos.sdk.company.rows import Row
from scenarios.packs import engineering, finance, office, people
from scenarios.packs.finance import EXPENSE_APPROVAL

from .building import company


def staffed(seed: int = 0) -> tuple[Company, Cast]:
    built = company(seed)
    return built, hire_cast(built, persona_role="analyst", team="Purchasing", original=False)


@cache
def filled(seed: int = 0, size: int = 300) -> Company:
    """Return a company with its background; do not change it."""
    built = company(seed, size=size)
    fill(built, hire_cast(built, persona_role="analyst", team="Purchasing", original=False))
    return built


def record(built: Company) -> Row:
    return built.add_record("V-1", "vendor", "Acorn Supplies", {"cost_centre": "CC-123"}, "active")


def test_an_old_ticket_is_at_one_stage_of_its_lifecycle() -> None:
    built, _ = staffed()
    about = record(built)

    for number in range(40):
        ticket = old_ticket(built, number, "task", "Order chairs", about)
        assert ticket["status"] in {"new", "triage", "verified", "in_progress", "done", "closed"}
        assert (ticket["assignee"] is None) == (ticket["status"] == "new")
        assert (ticket["verified_by"] is None) == (ticket["status"] in {"new", "triage"})
        assert (ticket["verified_by"] is None) == (ticket["evidence"] is None)
        assert (ticket["resolution"] is not None) == (ticket["status"] == "closed")
        assert ticket["priority"] in ({None} if ticket["status"] == "new" else {"low", "medium"})


@pytest.mark.parametrize(
    ("status", "requests"),
    [
        ("new", 0),
        ("triage", 0),
        ("verified", 0),
        ("in_progress", 1),
        ("done", 1),
        ("closed", 1),
        ("blocked", 0),
    ],
)
def test_only_a_ticket_that_work_has_begun_on_was_approved(status: str, requests: int) -> None:
    built, cast = staffed()
    columns: dict[str, Any] = {"status": status, "assignee": cast.worker.id}
    ticket = built.add_ticket("TD-1005", "expense", "Pay", "Pay.", cast.reporter, **columns)

    settle(built, cast, ticket, EXPENSE_APPROVAL, {"amount": 5.0})

    assert len(built.rows["approvalflow"]["requests"]) == requests
    assert ticket["approval"] == ("approved" if requests else "none")


def test_every_metric_of_several_objects_has_one_average_and_no_other_has() -> None:
    metrics = filled().rows["datahub"]["metrics"]
    by_name: dict[str, list[Row]] = {}
    for row in metrics:
        if row["subject"] is not None:
            by_name.setdefault(row["name"], []).append(row)

    averages = {row["name"]: row for row in metrics if row["name"].startswith("average_")}

    assert set(averages) == {f"average_{name}" for name, listed in by_name.items() if len(listed) > 1}
    for name, row in averages.items():
        parts = by_name[name.removeprefix("average_")]
        assert row["value"] == round(fsum(part["value"] for part in parts) / len(parts), 2)
        assert row["upstream"] == sorted(part["id"] for part in parts)
        assert (row["subject"], row["unit"]) == (None, parts[0]["unit"])


def test_every_pack_of_the_background_has_left_something() -> None:
    kinds = {row["kind"] for row in filled(size=1000).rows["ticketdesk"]["tickets"]}

    assert kinds == {
        kind.id for pack in (office, finance, engineering, people) for kind in pack.PACK.ticket_kinds
    } | {
        "vendor_onboarding",
        "license",
    }
