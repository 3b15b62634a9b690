"""How an engineer carries a change through: the wait for approval, the attempts, and what a reading proves."""

import pytest

from companyos.sdk.asking import Refused
from companyos.sdk.simtime import HOUR, MINUTE, to_iso
from scenarios.incident_change import agents
from tests.scenarios.answering import Call, made, work

from .platforms import METRICS, Platform

ALL = ("restart", "failover", "more_capacity")
QUIET = {"coming": False, "waiting": False}


def steps(calls: list[Call]) -> list[str]:
    """Return the procedures that were rolled out, and back, in order."""
    signs = {"ticketdesk_roll_out_change": "+", "ticketdesk_roll_back_change": "-"}
    return [
        signs[name] + arguments["change_id"].removeprefix("CHG-")
        for name, arguments in calls
        if name in signs
    ]


def end(calls: list[Call]) -> str:
    """Return how an incident ended: the last act before `finish`."""
    assert calls[-1][0] == "finish"
    return calls[-2][0]


def letter(letter_id: str = "DL-1", change_id: str = "CHG-restart") -> dict[str, str]:
    return {"id": letter_id, "object_id": change_id, "required_field": "system"}


def instant(calls: list[Call]) -> int:
    """Return when these calls had been made."""
    platform = Platform()
    for one in made(calls, "wait"):
        platform.wait(**one)
    return platform.now


@pytest.mark.parametrize(
    ("mends", "tried", "last"),
    [
        ("restart", ["+restart"], "ticketdesk_close_ticket"),
        ("failover", ["+restart", "-restart", "+failover"], "ticketdesk_close_ticket"),
        (
            None,
            ["+restart", "-restart", "+failover", "-failover", "+more_capacity", "-more_capacity"],
            "ticketdesk_assign_ticket",
        ),
    ],
    ids=["at once", "at the second attempt", "never"],
)
def test_procedures_are_tried_in_order_until_one_helps_and_only_that_one_stays(
    mends: str | None, tried: list[str], last: str
) -> None:
    calls = work(agents.oracle, Platform(procedures=ALL, mends=mends))

    assert steps(calls) == tried
    assert end(calls) == last


def test_every_attempt_is_a_change_of_its_own_under_one_approval() -> None:
    calls = work(agents.oracle, Platform(procedures=ALL, mends=None))

    changes = made(calls, "ticketdesk_plan_change")
    assert [one["procedure"] for one in changes] == list(ALL)
    assert {(one["ticket_id"], one["category"]) for one in changes} == {("TD-7", "emergency")}
    assert len(made(calls, "approvalflow_submit_approval")) == 1


def test_an_incident_that_nothing_ends_goes_to_the_owner_of_the_cause() -> None:
    calls = work(agents.oracle, Platform(mends=None))

    assert made(calls, "ticketdesk_assign_ticket") == [{"ticket_id": "TD-7", "assignee": "ledger.own"}]
    assert not made(calls, "ticketdesk_close_ticket")


@pytest.mark.parametrize(("rate", "is_well"), [(1.9, True), (2.0, True), (2.1, False)])
def test_a_system_has_recovered_at_its_limit_and_not_above_it(rate: float, is_well: bool) -> None:
    platform = Platform(mends=None, after_rollout=rate)

    assert (end(work(agents.oracle, platform)) == "ticketdesk_close_ticket") is is_well


def test_a_rate_taken_before_the_rollout_proves_nothing() -> None:
    calls = work(agents.oracle, Platform(slow_after_rollout=1))

    after = calls[[name for name, _ in calls].index("ticketdesk_roll_out_change") :]
    refreshed = made(after, "datahub_refresh_data")
    assert refreshed == [{"metric_id": METRICS["Checkout"]}] * 2
    assert end(calls) == "ticketdesk_close_ticket"


@pytest.mark.parametrize(
    ("decisions", "waits"),
    [
        (["approved"], [HOUR]),
        (["pending", "approved"], [HOUR, 2 * HOUR]),
        (["held", "approved"], [HOUR, HOUR]),
        (["escalated", "pending", "approved"], [HOUR, HOUR, 2 * HOUR]),
    ],
    ids=["decided", "due later", "held", "escalated"],
)
def test_a_decision_is_awaited_until_it_is_due_or_for_another_hour(
    decisions: list[str], waits: list[int]
) -> None:
    platform = Platform(decisions=list(decisions))

    calls = work(agents.oracle, platform)

    submitted = [name for name, _ in calls].index("approvalflow_submit_approval")
    rolled_out = [name for name, _ in calls].index("ticketdesk_roll_out_change")
    until = [one["until"] for one in made(calls[submitted:rolled_out], "wait")]
    # The rates take five minutes.
    asked_at = instant(calls[:submitted])
    assert until == [to_iso(asked_at + sum(waits[: count + 1])) for count in range(len(waits))]
    assert not platform.decisions


def test_without_a_tool_for_it_no_news_is_looked_for() -> None:
    calls = work(agents.oracle, Platform(mends=None))

    assert not made(calls, "datahub_replay_events")
    assert len(made(calls, "datahub_refresh_data")) == 4 + 1


def test_what_helped_at_once_needs_no_news() -> None:
    calls = work(agents.oracle, Platform(news=[]))

    assert not made(calls, "datahub_replay_events")


def test_a_change_that_seems_not_to_help_is_measured_again_once_its_news_has_come() -> None:
    calls = work(agents.oracle, Platform(mends=None, news=[QUIET]))

    assert made(calls, "datahub_replay_events") == [{"object_id": "CHG-restart"}]
    assert len(made(calls, "datahub_refresh_data")) == 4 + 2
    assert steps(calls) == ["+restart", "-restart"]


def test_events_that_are_on_their_way_are_replayed_until_none_is() -> None:
    coming = {"coming": True, "waiting": False}

    calls = work(agents.oracle, Platform(mends=None, news=[coming, coming, QUIET]))

    assert len(made(calls, "datahub_replay_events")) == 3
    assert len(made(calls, "datahub_list_dead_letters")) == 1


def test_events_that_wait_are_given_five_minutes() -> None:
    waiting = {"coming": False, "waiting": True}
    platform = Platform(mends=None, news=[waiting, QUIET])

    calls = work(agents.oracle, platform)

    replayed = [at for at, (name, _) in enumerate(calls) if name == "datahub_replay_events"]
    before = instant(calls[: replayed[0]])
    assert made(calls[replayed[0] : replayed[1]], "wait") == [{"until": to_iso(before + 5 * MINUTE)}]


def test_a_dead_letter_about_the_change_is_redriven_with_what_it_lacks() -> None:
    platform = Platform(mends=None, news=[QUIET, QUIET], letters=[[letter()], []])

    calls = work(agents.oracle, platform)

    redriven = made(calls, "datahub_redrive_dead_letter")
    assert redriven == [{"letter_id": "DL-1", "corrections": {"system": "SYS-3"}}]


def test_dead_letters_about_other_objects_are_left_alone() -> None:
    platform = Platform(mends=None, news=[QUIET], letters=[[letter(change_id="CHG-1")]])

    assert not made(work(agents.oracle, platform), "datahub_redrive_dead_letter")


def test_after_a_dead_letter_the_list_is_looked_at_again() -> None:
    platform = Platform(mends=None, news=[QUIET, QUIET], letters=[[letter("DL-1"), letter("DL-2")], []])

    calls = work(agents.oracle, platform)

    assert [one["letter_id"] for one in made(calls, "datahub_redrive_dead_letter")] == ["DL-1", "DL-2"]
    assert len(made(calls, "datahub_list_dead_letters")) == 2


def test_a_dead_letter_that_was_delivered_in_the_meantime_is_passed_over() -> None:
    platform = Platform(
        mends=None,
        news=[QUIET, QUIET],
        letters=[[letter()], []],
        refused={"datahub_redrive_dead_letter": "dead_letter_unknown"},
    )

    assert steps(work(agents.oracle, platform)) == ["+restart", "-restart"]


def test_any_other_refusal_of_a_dead_letter_is_not_passed_over() -> None:
    platform = Platform(
        mends=None,
        news=[QUIET, QUIET],
        letters=[[letter()], []],
        refused={"datahub_redrive_dead_letter": "not_allowed"},
    )

    with pytest.raises(Refused, match="not_allowed"):
        work(agents.oracle, platform)
