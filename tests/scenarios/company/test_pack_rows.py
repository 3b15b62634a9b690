"""What packs describe becomes rows that the services can store, with nothing of it lost or made up."""

from typing import Any

import pytest

from companyos.evaluation.conformance.rows import fits, tables_of
from companyos.sdk.company import (
    DECISION_S,
    ApprovalType,
    Band,
    FormField,
    Office,
    Pack,
    TicketKind,
    cost_centre_field,
    reporter_field,
    words,
)
from companyos.sdk.company.packs.pack import ABOUT_A_RECORD, ABOUT_ANYTHING
from companyos.sdk.simtime import DAY
from scenarios.incident_change import pack as platform
from scenarios.packs import staffing

from .building import PACKS

KINDS = [kind for pack in PACKS for kind in pack.ticket_kinds]
TYPES = [one for pack in PACKS for one in pack.approval_types]
BANDED = ApprovalType(
    "buying",
    "Buying",
    "Lets buy.",
    (FormField("amount", "number", "How much.", synonym="sum"), FormField("note", "string", "Why.")),
    (Band("clerk", 10.0), Band("chief", 100.0), Band("board")),
    route_field="amount",
)


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


def test_a_new_approval_type_is_in_its_first_version_and_decided_within_the_hour() -> None:
    row = BANDED.row

    assert (row["policy_version"], row["decision_s"], row["expires_s"]) == (1, DECISION_S, 14 * DAY)
    assert DECISION_S == 3600


def test_a_row_keeps_the_order_of_fields_and_bands() -> None:
    row = BANDED.row

    assert [field["name"] for field in row["fields"]] == ["amount", "note"]
    assert row["routes"] == [
        {"role": "clerk", "below": 10.0},
        {"role": "chief", "below": 100.0},
        {"role": "board", "below": None},
    ]
    assert BANDED.roles == ("clerk", "chief", "board")


@pytest.mark.parametrize("hidden", ["synonym", "other_unit"])
def test_a_field_does_not_show_what_it_may_become(hidden: str) -> None:
    field = FormField("amount", "number", "How much.", synonym="sum", other_unit=("cents", 100.0))

    assert hidden not in field.row


@pytest.mark.parametrize(("name", "found"), [("amount", True), ("note", True), ("sum", False), ("", False)])
def test_a_type_finds_a_field_by_its_present_name_only(name: str, found: bool) -> None:
    field = BANDED.field(name)

    assert (field is not None and field.name == name) == found


def test_rows_of_one_kind_do_not_share_their_lists() -> None:
    kind = TicketKind("order", "Order", ("low",), ("lead",))

    kind.row["verifier_roles"].append("thief")

    assert kind.row["verifier_roles"] == ["lead"]


def test_a_ticket_about_a_record_needs_all_that_any_ticket_needs_and_its_subject() -> None:
    assert set(ABOUT_A_RECORD) - set(ABOUT_ANYTHING) == {"subject"}
    assert set(ABOUT_ANYTHING) == {"priority", "assignee", "cost_centre"}
    assert TicketKind("order", "Order", ("low",), ("lead",)).row["required_fields"] == list(ABOUT_A_RECORD)


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize(
    ("field", "name"), [(cost_centre_field, "cost_centre"), (reporter_field, "reporter")]
)
def test_a_field_that_approvers_may_miss_can_be_required_or_not(
    field: Any, name: str, required: bool
) -> None:
    row = field(required=required).row

    assert (row["name"], row["type"], row["required"]) == (name, "string", required)


def test_an_office_is_not_trusted_unless_it_says_so() -> None:
    trusted = {one.role for pack in PACKS for one in pack.offices if one.is_trusted}

    assert not Office("cook", "Hall").is_trusted
    assert trusted == {"operations_lead", "chief_of_staff", "finance_director", "controller"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ()), ("one", ("one",)), ("\n  one two\n\tthree\n", ("one", "two", "three"))],
    ids=["empty", "one", "over lines"],
)
def test_words_are_split_at_any_white_space(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(("pack", "name"), [(platform.PACK, "incident"), (staffing.PACK, "equipment")])
def test_a_kind_requires_no_field_that_its_handbook_does_without(pack: Pack, name: str) -> None:
    [kind] = [one for one in pack.ticket_kinds if one.id == name]

    assert kind.row["required_fields"] == ["priority", "subject"]
