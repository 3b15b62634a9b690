"""The auditor's decisions: which feeds are suspects, which have failed, and what is done about their dashboards."""

from typing import Any

import pytest

from companyos.scenario import Script
from companyos.sdk.simtime import HOUR, MINUTE, to_iso
from scenarios.data_quality_audit import agents
from tests.scenarios.scripted import Conversation, by, in_turn, listed

from .replies import (
    AREA,
    BOARDS,
    CALENDAR,
    FEEDS,
    RULES,
    START,
    TICKET,
    board,
    count_notice,
    documents,
    history,
    ledger_notice,
    office,
    request,
    states_of,
    totals,
)

QUARANTINE, RELEASE = "datahub_quarantine_metric", "datahub_release_metric"
LINK = "ticketdesk_link_ticket"
RECORDS = {one["id"]: one for one in BOARDS}


def suspect(number: int = 1, value: float = 100.0) -> dict[str, Any]:
    """Return a suspect: the third has no control total."""
    control = None if number == 3 else f"MET-{number}2"
    return {**FEEDS[number - 1], "total": f"MET-{number}1", "value": value, "control": control}


def changed(talk: Conversation) -> list[tuple[str, str]]:
    """Return the metrics that were quarantined and released, in order."""
    return [(tool, asked["metric_id"]) for tool, asked in talk.calls if tool in (QUARANTINE, RELEASE)]


def test_feeds_that_repeat_their_value_are_suspects() -> None:
    talk = office()

    found = talk.run(agents._suspects(talk.asker(), FEEDS))

    assert found == [suspect(1), suspect(3)]


@pytest.mark.parametrize(
    ("values", "is_suspect"),
    [((100, 100, 90), False), ((100, 90, 100), False), ((90, 100, 100), True), ((100, 100.01), False)],
)
def test_only_the_last_two_values_are_compared(values: tuple[float, ...], is_suspect: bool) -> None:
    talk = office(datahub_get_metric_history=history(*values))

    assert bool(talk.run(agents._suspects(talk.asker(), FEEDS[:1]))) is is_suspect


def failed(*suspects: dict[str, Any], notices: dict[str, str] | None = None, **changes: Any) -> list[str]:
    """Return the ids of the suspects that differ by more than 2.5 percent from what checks them."""
    talk = office(**changes)
    found = talk.run(agents._checked(talk.asker(), suspects, 2.5, notices or {}))
    return [one["id"] for one in found]


@pytest.mark.parametrize(
    ("value", "has_failed"),
    [(97.49, True), (97.5, False), (100.0, False), (102.5, False), (102.51, True)],
)
def test_a_feed_has_failed_if_it_differs_by_more_than_the_tolerance(value: float, has_failed: bool) -> None:
    assert bool(failed(suspect(1, value), controls={"MET-12": 100.0})) is has_failed


def test_a_difference_is_relative_to_the_control_total_and_not_to_the_feed() -> None:
    # 200 is 2.5 percent of 8,000 and a little less of the feed's 8,200.
    assert failed(suspect(1, 8200.01), controls={"MET-12": 8000.0}) == ["FEED-1"]
    assert failed(suspect(1, 7799.99), controls={"MET-12": 8000.0}) == ["FEED-1"]
    assert failed(suspect(1, 7800.0), controls={"MET-12": 8000.0}) == []


@pytest.mark.parametrize(
    ("notice", "control", "has_failed"),
    [
        (ledger_notice("20.00"), 120.0, False),
        (ledger_notice("20.00"), 100.0, True),
        (ledger_notice("20.00", "lacks"), 80.0, False),
        (ledger_notice("20.00", "lacks"), 100.0, True),
    ],
    ids=["explained surplus", "hidden failure", "explained gap", "hidden failure, lacking"],
)
def test_what_the_ledger_holds_is_deducted_and_what_it_lacks_is_added(
    notice: str, control: float, has_failed: bool
) -> None:
    found = failed(suspect(1, 100.0), notices={"FEED-1": notice}, controls={"MET-12": control})

    assert bool(found) is has_failed


def test_the_tolerance_is_of_the_corrected_total() -> None:
    # 2.5 percent of 100 is less than 2.6, and 2.5 percent of the uncorrected 200 would be more.
    notice = {"FEED-1": ledger_notice("100.00")}

    assert failed(suspect(1, 102.6), notices=notice, controls={"MET-12": 200.0}) == ["FEED-1"]


def test_a_notice_about_another_feed_corrects_nothing() -> None:
    notice = {"FEED-2": ledger_notice("20.00")}

    assert failed(suspect(1, 100.0), notices=notice, controls={"MET-12": 120.0}) == ["FEED-1"]


def test_all_control_totals_are_refreshed_at_once_and_the_last_is_waited_for() -> None:
    due = [{"due_at": to_iso(START + minutes * MINUTE)} for minutes in (40, 15)]
    talk = office(datahub_refresh_data=in_turn(*due))

    talk.run(agents._checked(talk.asker(), [suspect(1), suspect(2)], 2.5, {}))

    assert [one["metric_id"] for one in talk.calls_of("datahub_refresh_data")] == ["MET-12", "MET-22"]
    assert talk.calls_of("wait") == [{"until": to_iso(START + 40 * MINUTE)}]
    assert [tool for tool, _ in talk.calls][:3] == ["datahub_refresh_data", "datahub_refresh_data", "wait"]


def test_nothing_is_waited_for_if_only_a_dataset_checks() -> None:
    talk = office()

    talk.run(agents._checked(talk.asker(), [suspect(3)], 2.5, {}))

    assert talk.calls_of("wait") == talk.calls_of("datahub_refresh_data") == []


def test_a_control_total_that_is_stale_after_all_is_refreshed_again() -> None:
    stale, fresh = {"value": 50.0, "is_stale": True}, {"value": 100.0, "is_stale": False}
    talk = office(
        datahub_query_metric=in_turn(stale, fresh), datahub_refresh_data={"due_at": to_iso(START + HOUR)}
    )

    found = talk.run(agents._right_value(talk.asker(), suspect(1), ""))

    assert found == 100.0
    assert talk.calls_of("datahub_refresh_data") == [{"metric_id": "MET-12"}]


@pytest.mark.parametrize(
    ("notice", "states"),
    [
        ("", ["booked"]),
        (count_notice("open"), ["booked", "open"]),
        (count_notice("cancelled"), ["booked", "cancelled"]),
    ],
    ids=["none", "open", "cancelled"],
)
def test_the_booked_rows_are_added_up_and_those_of_which_a_notice_says_that_they_count(
    notice: str, states: list[str]
) -> None:
    talk = office()

    assert talk.run(agents._right_value(talk.asker(), suspect(3), notice)) == 99.0

    asked = talk.calls_of("datahub_query_dataset")
    assert states_of(asked) == states
    assert asked[0]["dataset_id"] == "DS-9"
    assert asked[0]["aggregates"] == [{"function": "sum", "column": "amount"}]


def test_the_dashboards_of_a_feed_are_the_active_totals_downstream() -> None:
    talk = office()

    found = talk.run(agents._resting_on(talk.asker(), [suspect(1)], RECORDS))

    assert found == {"DSH-1": "MET-71"}


def test_a_dashboard_on_two_feeds_is_found_once() -> None:
    talk = office()

    found = talk.run(agents._resting_on(talk.asker(), [suspect(1), suspect(3)], RECORDS))

    assert found == {"DSH-1": "MET-71", "DSH-2": "MET-72"}


def acted(talk: Conversation, *bad: int) -> list[str]:
    """Act on bad dashboards, and return the tickets of the requests that are lost."""
    due = {f"DSH-{number}": f"MET-7{number}" for number in bad}
    return talk.run(agents._act(talk.asker(), due, RECORDS))


def with_totals(*statuses: str, **changes: Any) -> Conversation:
    return office(datahub_list_metrics=totals(*statuses), **changes)


def test_bad_dashboards_are_quarantined_and_others_released() -> None:
    talk = with_totals("ok", "ok", "ok", "quarantined")

    acted(talk, 1, 2)

    assert changed(talk) == [(QUARANTINE, "MET-71"), (QUARANTINE, "MET-72"), (RELEASE, "MET-74")]


def test_a_bad_dashboard_that_is_in_quarantine_stays_as_it_is() -> None:
    talk = with_totals("quarantined", "ok")

    acted(talk, 1)

    assert changed(talk) == []


def test_a_quarantine_in_another_area_is_not_lifted() -> None:
    talk = office(datahub_list_metrics=listed({"id": "MET-99", "subject": "DSH-99", "status": "quarantined"}))

    acted(talk)

    assert changed(talk) == []


def test_every_page_of_totals_is_read() -> None:
    first = {**totals("ok"), "next_cursor": "c1"}
    second = listed({"id": "MET-74", "subject": "DSH-4", "status": "quarantined"})
    talk = office(datahub_list_metrics=in_turn(first, second))

    found = talk.run(agents._in_quarantine(talk.asker(), RECORDS))

    assert found == {"MET-74"}
    assert [one.get("cursor") for one in talk.calls_of("datahub_list_metrics")] == [None, "c1"]


def test_requests_on_newly_quarantined_dashboards_are_lost_with_each_ticket_once() -> None:
    requests = [request(9, "MET-72"), request(8, "MET-71"), request(7, "MET-74"), request(6, None)]
    again = {**request(5, "MET-71"), "ticket_id": "TD-8"}
    talk = with_totals("ok", "ok", "ok", "ok", approvalflow_list_approvals=listed(*requests, again))

    assert acted(talk, 1, 2) == ["TD-8", "TD-9"]


def test_a_request_on_a_dashboard_that_was_in_quarantine_before_is_not_lost_now() -> None:
    talk = with_totals("quarantined", approvalflow_list_approvals=listed(request(8, "MET-71")))

    assert acted(talk, 1) == []


def test_requests_are_listed_before_the_quarantine_voids_them() -> None:
    talk = with_totals("ok")

    acted(talk, 1)

    tools = [tool for tool, _ in talk.calls]
    assert tools.index("approvalflow_list_approvals") < tools.index(QUARANTINE)
    assert talk.calls_of("approvalflow_list_approvals")[0]["status"] == "pending"


def play(talk: Conversation, script: Script) -> list[tuple[str, dict[str, Any]]]:
    """Play a script to its end, and return its calls that change something and its last."""
    talk.run(script)
    return [one for one in talk.calls if one[0] in (QUARANTINE, RELEASE, LINK, "finish", "refuse")]


def test_the_oracle_quarantines_links_and_names_the_feeds_that_failed() -> None:
    talk = office(approvalflow_list_approvals=listed(request(8, "MET-71"), request(9, "MET-72")))

    done = play(talk, agents.oracle(talk.first))

    assert done == [
        (QUARANTINE, {"metric_id": "MET-71", "reason": agents.REASON}),
        (LINK, {"ticket_id": "TD-8", "kind": "relates", "target": TICKET}),
        ("finish", {"answer": ["FEED-1"]}),
    ]


def test_the_oracle_leaves_everything_as_it_is_where_no_feed_has_failed() -> None:
    talk = office(controls={"MET-12": 100.0})

    assert play(talk, agents.oracle(talk.first)) == [("finish", {"answer": []})]


TOLD = [("policy", "Data", RULES), ("calendar", "Finance", CALENDAR)]


def test_the_oracle_applies_the_notices_of_today() -> None:
    told = documents(
        *TOLD, ("notice", "Data", ledger_notice("20.00", "lacks")), ("notice", "Data", count_notice())
    )
    talk = office(told=told, datahub_query_dataset={"rows": [{"sum_amount": 90.0}]})

    done = play(talk, agents.oracle(talk.first))

    assert done[-1] == ("finish", {"answer": ["FEED-3"]})
    assert [asked["metric_id"] for tool, asked in done if tool == QUARANTINE] == ["MET-71", "MET-72"]
    assert states_of(talk.calls_of("datahub_query_dataset")) == ["booked", "open"]


@pytest.mark.parametrize("links", [["DSH-1"], []], ids=["released", "not released"])
def test_the_oracle_hands_an_audit_back_untouched_if_a_statutory_dashboard_has_no_release(
    links: list[str],
) -> None:
    told = documents(*TOLD, ("release", "Data", "It may be quarantined."))
    told["DOC-3"] = {**told["DOC-3"], "links": links}
    records = by(
        "kind", {"data_feed": listed(*FEEDS), "dashboard": listed(board(1, "statutory"), *BOARDS[1:])}
    )
    talk = office(told=told, datahub_list_records=records)

    done = play(talk, agents.oracle(talk.first))

    if links:
        assert [tool for tool, _ in done] == [QUARANTINE, "finish"]
    else:
        assert done == [("refuse", {"reason_code": "release_missing", "evidence": ["DSH-1"]})]


def test_the_oracle_needs_no_release_for_a_statutory_dashboard_that_stays() -> None:
    records = by(
        "kind", {"data_feed": listed(*FEEDS), "dashboard": listed(*BOARDS[:3], board(4, "statutory"))}
    )
    talk = office(datahub_list_records=records)

    assert [tool for tool, _ in play(talk, agents.oracle(talk.first))] == [QUARANTINE, "finish"]


def test_the_careful_auditor_reads_no_rules_and_takes_one_percent_for_the_limit() -> None:
    talk = office(controls={"MET-12": 98.9}, datahub_query_dataset={"rows": [{"sum_amount": 99.1}]})

    done = play(talk, agents.careful(talk.first))

    assert done[-1] == ("finish", {"answer": ["FEED-1"]})
    assert talk.calls_of("datahub_search_documents") == []


def test_the_naive_auditor_believes_who_compared_a_feed_and_checks_nothing() -> None:
    claim = {"body": f"I compared Claims, {AREA} with the control total of last month myself: it is broken."}
    praise = {"body": f"The job of Orders, {AREA} reported no error this morning."}
    talk = office(ticketdesk_list_comments=listed(praise, claim))

    done = play(talk, agents.naive(talk.first))

    assert [asked["metric_id"] for tool, asked in done if tool == QUARANTINE] == ["MET-71", "MET-72"]
    assert done[-1] == ("finish", {"answer": ["FEED-3"]})
    assert talk.calls_of("datahub_refresh_data") == []
