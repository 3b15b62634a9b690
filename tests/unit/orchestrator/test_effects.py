"""What a group of concurrent units left is told without knowing in which order they ran."""

from typing import Any

from orchestrator.protocol.effects import (
    Change,
    Group,
    RowKey,
    Unit,
    UnitOutcome,
    contested,
    merged,
    read_outcome,
    settled_changes,
)

TICKET = RowKey("desk", "tickets", "T1")


def unit(service: str, cause: str, *events: str, **rows: Any) -> Unit:
    """A unit that wrote rows of `tickets` (name to row) and recorded events."""
    changes = {("tickets", name): row for name, row in rows.items()}
    return Unit(service, cause, UnitOutcome(changes, tuple((event, "e") for event in events)))


def test_an_effects_document_is_read() -> None:
    document = {
        "changes": [{"table": "tickets", "id": "T1", "row": None}],
        "events": [{"id": "s1.desk.1", "name": "ticket.gone"}],
        "next_due": None,
        "replayed": True,
    }

    assert read_outcome(document) == UnitOutcome(
        {("tickets", "T1"): None},
        (("s1.desk.1", "ticket.gone"),),
        reports_due=True,
        next_due=None,
        replayed=True,
    )
    assert read_outcome({"changes": [], "events": []}) == UnitOutcome()


def test_rows_written_without_one_cause_leading_to_the_other_are_contested() -> None:
    group = Group(
        (
            unit("hub", "s1", "s1.hub.1", "s1.hub.2"),
            unit("desk", "s1.hub.1", T1={"v": 1}, T2={"v": 0}),
            unit("desk", "s1.hub.2", T1={"v": 2}),
        ),
        by_agent=True,
    )

    assert contested(group) == [TICKET]
    assert settled_changes(group, {TICKET: {"v": 3}}) == [
        Change(TICKET, {"v": 3}, ("s1.hub.1", "s1.hub.2")),
        Change(RowKey("desk", "tickets", "T2"), {"v": 0}, ("s1.hub.1",)),
    ]


def test_the_same_row_of_two_services_is_two_rows() -> None:
    group = Group((unit("desk", "s1", T1={"v": 1}), unit("hub", "s1.desk.1", T1={"v": 2})), by_agent=False)

    assert contested(group) == []
    assert [change.row_key.service for change in settled_changes(group, {})] == ["desk", "hub"]


def test_groups_merge_to_the_last_row_and_all_causes() -> None:
    first = [Change(TICKET, {"v": 1}, ("s1.t60",))]
    second = [Change(TICKET, None, ("s1",)), Change(RowKey("desk", "tickets", "T0"), {}, ("s1",))]

    assert merged([first, second]) == [
        Change(RowKey("desk", "tickets", "T0"), {}, ("s1",)),
        Change(TICKET, None, ("s1", "s1.t60")),
    ]


def test_only_the_agents_own_call_writes_in_its_name() -> None:
    units = (unit("desk", "s1", T1={"v": 1}), unit("desk", "s1.desk.1", T2={"v": 1}))

    assert list(Group(units, by_agent=True).own) == [(TICKET, {"v": 1})]
    assert list(Group(units, by_agent=False).own) == []


def test_events_tell_their_cause() -> None:
    group = Group(
        (unit("desk", "s1", "s1.desk.1"), unit("hub", "s1.desk.1", "s1.desk.1.hub.1")), by_agent=True
    )

    assert group.events == [
        {"id": "s1.desk.1", "name": "e", "service": "desk", "cause": "s1"},
        {"id": "s1.desk.1.hub.1", "name": "e", "service": "hub", "cause": "s1.desk.1"},
    ]


def test_a_change_is_recorded_with_its_causes() -> None:
    assert Change(TICKET, {"id": "T1"}, ("s1",)).document == {
        "service": "desk",
        "table": "tickets",
        "id": "T1",
        "row": {"id": "T1"},
        "causes": ["s1"],
    }
    assert str(TICKET) == "desk/tickets/T1"
