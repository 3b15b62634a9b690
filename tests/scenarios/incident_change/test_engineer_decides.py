"""What an engineer decides: the cause, the severity, what may be changed now, and whom to ask for it."""

from collections.abc import Callable
from typing import Any

import pytest

from companyos.scenario import Observation, Script
from companyos.sdk.asking import Refused
from companyos.sdk.simtime import DAY, to_iso
from scenarios.incident_change import agents, texts
from scenarios.incident_change.pack import EMERGENCY, EXCEPTION
from scenarios.incident_change.texts import TAKEN_BACK
from tests.scenarios.answering import made, work

from .platforms import BY_ROSTER, IDS, METRICS, NOW, Platform, approval, freeze, handover

#: After all rates have been taken.
TAKEN = NOW + 5 * 60


def opened(platform: Platform, agent: Callable[[Observation], Script] = agents.oracle) -> dict[str, Any]:
    """Return the incident that an engineer opens."""
    [incident] = made(work(agent, platform), "ticketdesk_create_ticket")
    return incident


def planned(platform: Platform, agent: Callable[[Observation], Script] = agents.oracle) -> dict[str, Any]:
    """Return the first change that an engineer plans."""
    return made(work(agent, platform), "ticketdesk_plan_change")[0]


def asked(
    platform: Platform, agent: Callable[[Observation], Script] = agents.oracle
) -> tuple[str, str] | None:
    """Return the type and the approver of the request that an engineer makes, if there is one."""
    return approval(work(agent, platform))


def ago(seconds: int) -> str:
    """Return an instant before the engineer looks for earlier attempts."""
    return to_iso(TAKEN - seconds)


@pytest.mark.parametrize(
    ("rates", "cause"),
    [
        ({"Stock": 4.0, "Ledger": 5.0}, "Ledger"),
        ({"Stock": 40.0, "Ledger": 2.1}, "Ledger"),
        ({"Stock": 4.0, "Ledger": 2.0}, "Stock"),
        ({"Stock": 4.0}, "Stock"),
        ({"Tax": 3.0}, "Tax"),
        ({"Tax": 3.0, "Ledger": 3.0}, "Ledger"),
    ],
    ids=[
        "the farther",
        "however mildly",
        "not at its limit",
        "alone",
        "another branch",
        "farther than another",
    ],
)
def test_the_cause_is_the_failing_system_furthest_upstream(rates: dict[str, float], cause: str) -> None:
    platform = Platform(rates={"Checkout": 12.0, **rates})

    assert planned(platform)["system"] == IDS[cause]


def test_the_cause_is_found_by_fresh_rates_of_the_system_and_of_all_it_is_computed_from() -> None:
    calls = work(agents.oracle, Platform())

    refreshed = [one["metric_id"] for one in made(calls, "datahub_refresh_data")[:4]]
    assert refreshed == [METRICS[name] for name in ("Checkout", "Stock", "Ledger", "Tax")]


def test_a_rate_that_a_refresh_left_stale_is_taken_again() -> None:
    calls = work(agents.oracle, Platform(failed_refreshes=2))

    before = [name for name, _ in calls].index("ticketdesk_create_ticket")
    assert len(made(calls[:before], "datahub_refresh_data")) == 4 + 2
    assert made(calls, "ticketdesk_create_ticket")[0]["priority"] == "urgent"


@pytest.mark.parametrize(
    ("tier", "rate", "priority"),
    [
        ("core", 10.0, "urgent"),
        ("core", 9.9, "high"),
        ("core", 3.0, "high"),
        ("core", 2.9, "medium"),
        ("standard", 10.0, "high"),
        ("standard", 9.9, "medium"),
        ("standard", 2.9, "low"),
        ("internal", 99.0, "medium"),
        ("internal", 9.9, "low"),
    ],
)
def test_the_priority_follows_from_the_tier_and_the_fresh_rate(tier: str, rate: float, priority: str) -> None:
    platform = Platform(tier=tier, rates={"Checkout": rate, "Ledger": 5.0})

    assert opened(platform)["priority"] == priority


def test_the_incident_is_about_the_system_that_people_complain_about() -> None:
    incident = opened(Platform())

    assert (incident["kind"], incident["subject"]) == ("incident", IDS["Checkout"])


def test_what_a_provider_runs_is_reported_and_refused_with_the_agreement() -> None:
    calls = work(agents.oracle, Platform(has_agreement=True))

    refusal = {"reason_code": "run_by_provider", "evidence": ["Service agreement about Ledger"]}
    assert made(calls, "ticketdesk_create_ticket")
    assert calls[-1] == ("refuse", refusal)
    assert not made(calls, "ticketdesk_plan_change")


@pytest.mark.parametrize(
    ("past", "procedure"),
    [
        ([], "restart"),
        ([("restart", ago(60))], "failover"),
        ([("restart", ago(DAY - 1))], "failover"),
        ([("restart", ago(DAY))], "restart"),
        ([("restart", ago(7 * DAY))], "restart"),
        ([("restart", None)], "restart"),
        ([("failover", ago(60))], "restart"),
        ([("restart", ago(7 * DAY)), ("restart", ago(60))], "failover"),
    ],
    ids=[
        "nothing tried",
        "tried just now",
        "within a day",
        "a day ago",
        "last week",
        "planned only",
        "another was tried",
        "tried again",
    ],
)
def test_the_first_procedure_not_tried_within_a_day_is_planned(
    past: list[tuple[str, str | None]], procedure: str
) -> None:
    platform = Platform(past=past, procedures=("restart", "failover"), mends=procedure)

    assert planned(platform)["procedure"] == procedure


def test_an_open_incident_of_severity_1_is_an_emergency_of_the_manager_on_call() -> None:
    calls = work(agents.oracle, Platform())

    assert made(calls, "ticketdesk_plan_change")[0]["category"] == "emergency"
    assert approval(calls) == BY_ROSTER
    fields = made(calls, "approvalflow_submit_approval")[0]["fields"]
    assert fields == {"incident": "TD-7", "system": IDS["Ledger"], "severity": 1}


@pytest.mark.parametrize(
    ("tier", "freezes", "starts_at"),
    [
        ("standard", [], "2031-06-06T20:00:00Z"),
        ("standard", [freeze("Payments")], "2031-06-10T20:00:00Z"),
        ("core", [freeze("Payments")], "2031-06-10T20:00:00Z"),
        ("core", [freeze("Payments", exempt="Catalog")], "2031-06-10T20:00:00Z"),
        (
            "core",
            [freeze("Payments", exempt="Payments"), freeze("Payments", until="2031-06-11")],
            "2031-06-13T20:00:00Z",
        ),
        ("standard", [freeze("Payments", exempt="Payments")], "2031-06-10T20:00:00Z"),
    ],
    ids=[
        "severity 2",
        "severity 2 in a freeze",
        "a freeze",
        "an exception for another area",
        "exempt from one of two",
        "severity 2 with an exception",
    ],
)
def test_what_is_no_emergency_waits_for_the_first_window_outside_the_freezes(
    tier: str, freezes: list[str], starts_at: str
) -> None:
    calls = work(agents.oracle, Platform(tier=tier, freezes=freezes))

    [change] = made(calls, "ticketdesk_plan_change")
    assert (change["category"], change["starts_at"]) == ("ordinary", starts_at)
    assert approval(calls) is None
    assert not made(calls, "ticketdesk_roll_out_change")
    assert made(calls, "ticketdesk_assign_ticket") == [{"ticket_id": "TD-7", "assignee": "ledger.own"}]
    assert calls[-1][0] == "finish"


@pytest.mark.parametrize(
    "held",
    [freeze("Catalog"), freeze("Accounts"), freeze("Payments", until="2031-06-03")],
    ids=["another area", "the area of the victim", "over"],
)
def test_a_freeze_that_does_not_hold_the_cause_changes_nothing(held: str) -> None:
    assert asked(Platform(freezes=[held])) == BY_ROSTER


def test_an_exception_is_asked_of_the_technology_officer() -> None:
    platform = Platform(freezes=[freeze("Payments", exempt="Payments")])

    assert asked(platform) == (EXCEPTION, "vi.kay")


@pytest.mark.parametrize(
    ("mails", "person"),
    [
        ([], "bo.roy"),
        ([handover("al.day")], "al.day"),
        ([handover("al.day", first="2031-06-10", last="2031-06-12")], "bo.roy"),
        ([handover("al.day", TAKEN_BACK), handover("al.day")], "bo.roy"),
        ([handover("di.fox"), handover("al.day")], "di.fox"),
        ([handover("di.fox", first="2031-06-10", last="2031-06-12"), handover("al.day")], "al.day"),
        ([{**handover("al.day"), "subject": "Lunch"}], "bo.roy"),
        ([{"subject": texts.HANDOVER_SUBJECT, "body": "I keep it."}, handover("al.day")], "al.day"),
    ],
    ids=[
        "no mail",
        "given",
        "another week",
        "taken back",
        "given twice",
        "the newer is about another week",
        "another subject",
        "the newer says nothing",
    ],
)
def test_the_newest_mail_about_today_overrules_the_roster(mails: list[dict[str, str]], person: str) -> None:
    assert asked(Platform(mails=mails)) == (EMERGENCY, person)


def test_a_careful_engineer_looks_for_no_handover_no_agreement_and_no_earlier_attempt() -> None:
    platform = Platform(mails=[handover("al.day")], has_agreement=True, past=[("restart", ago(60))])

    calls = work(agents.careful, platform)

    assert approval(calls) == BY_ROSTER
    assert made(calls, "ticketdesk_plan_change")[0]["procedure"] == "restart"
    assert not {"ticketdesk_list_changes", "datahub_list_messages", "refuse"} & {name for name, _ in calls}


def test_a_careful_engineer_respects_a_freeze_and_its_exception() -> None:
    held = Platform(freezes=[freeze("Payments")])
    exempt = Platform(freezes=[freeze("Payments", exempt="Payments")])

    assert planned(held, agents.careful)["category"] == "ordinary"
    assert asked(exempt, agents.careful) == (EXCEPTION, "vi.kay")


def test_a_naive_engineer_believes_the_colleague_and_the_reading_at_hand() -> None:
    calls = work(agents.naive, Platform())

    assert made(calls, "ticketdesk_create_ticket")[0]["priority"] == "high"
    assert made(calls, "ticketdesk_plan_change")[0]["system"] == IDS["Mail"]
    assert not made(calls, "datahub_refresh_data")


def test_a_naive_engineer_asks_the_manager_of_the_directory_in_spite_of_a_freeze() -> None:
    platform = Platform(measured={"Checkout": (12.0, NOW - 60)}, freezes=[freeze("Messaging")])

    assert asked(platform, agents.naive) == (EMERGENCY, "al.day")


@pytest.mark.parametrize("left_out", [" since this morning", "is sure that"])
def test_a_brief_that_does_not_name_the_systems_cannot_be_worked_on(left_out: str) -> None:
    platform = Platform()
    observation = {**platform.seen(), "text": platform.seen()["text"].replace(left_out, "")}
    agent = agents.oracle if left_out.startswith(" since") else agents.naive

    with pytest.raises(LookupError, match="the brief says nothing like"):
        work(lambda _: agent(observation), platform)


def test_a_refusal_that_no_rule_foresees_ends_the_script() -> None:
    platform = Platform(refused={"ticketdesk_create_ticket": "not_allowed"})

    with pytest.raises(Refused, match="not_allowed"):
        work(agents.oracle, platform)
