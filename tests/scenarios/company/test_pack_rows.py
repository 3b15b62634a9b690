"""What packs describe becomes rows that the services can store, with nothing of it lost or made up."""

import pytest

from companyos.evaluation.conformance.rows import fits, tables_of
from companyos.sdk.company import (
    ApprovalType,
    FormField,
    TicketKind,
)

from .building import PACKS

KINDS = [kind for pack in PACKS for kind in pack.ticket_kinds]
TYPES = [one for pack in PACKS for one in pack.approval_types]


def columns(service: str, table: str) -> set[str]:
    """Return the columns of a service's table."""
    return set(tables_of(service)[table].columns)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_a_ticket_kind_fits_the_table_of_kinds(kind: TicketKind) -> None:
    assert set(kind.row) == columns("ticketdesk", "ticket_kinds")


@pytest.mark.parametrize("one", TYPES, ids=lambda one: one.id)
def test_an_approval_type_fits_the_table_of_types(one: ApprovalType) -> None:
    assert set(one.row) <= columns("approvalflow", "approval_types")
    assert fits(one.row["minimum"], float | None)
    assert fits(one.row["maximum"], float | None)


@pytest.mark.parametrize("hidden", ["synonym", "other_unit"])
def test_a_field_does_not_show_what_it_may_become(hidden: str) -> None:
    field = FormField("amount", "number", "How much.", synonym="sum", other_unit=("cents", 100.0))

    assert hidden not in field.row


def test_rows_of_one_kind_do_not_share_their_lists() -> None:
    kind = TicketKind("order", "Order", ("low",), ("lead",))

    kind.row["verifier_roles"].append("thief")

    assert kind.row["verifier_roles"] == ["lead"]
