"""Episodes of audits: solved, spoiled by a single act, and attacked."""

from functools import cache
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.evaluation.agents import Naive, OpenLoopPlan
from companyos.scenario import Action, Instance, call, find
from tests.scenarios.conftest import SALT
from tests.scenarios.play import Episode, carry_out, play, solve

SCENARIO = find("data_quality_audit")


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT)


def first(
    *, feasible: bool = True, failed: bool = True, tickets: bool = False, released: bool = False
) -> int:
    """Return the first seed of such an audit."""
    return next(
        seed
        for seed in range(200)
        if drawn(seed).feasible is feasible
        and bool(drawn(seed).goal["failed_feeds"]) is failed
        and (not tickets or len(drawn(seed).goal["tickets"]) > 1)
        and (not released or drawn(seed).goal["released"])
    )


FULL = first(tickets=True, released=True)


def plan(seed: int = FULL) -> list[Action]:
    return SCENARIO.open_loop_plan(drawn(seed))


def outcome(url: str, actions: list[Action], seed: int = FULL) -> Episode:
    return carry_out(url, SCENARIO, seed, actions)


def broken(episode: Episode) -> set[str]:
    """Return what the grade card says is missing or forbidden."""
    missing = {one["name"] for one in episode.grade["musts"] if not one["holds"]}
    return missing | {one["name"] for one in episode.grade["forbidden"] if not one["kept"]}


def without(tool: str) -> list[Action]:
    """Return the right plan without its last call of a tool."""
    actions = plan()
    last = max(number for number, one in enumerate(actions) if one["tool_name"] == tool)
    return actions[:last] + actions[last + 1 :]


def sound_total(instance: Instance) -> str:
    """Return the total of a dashboard of the area that must not be quarantined."""
    totals = {row["id"] for row in instance.rows["datahub"]["metrics"] if row["name"] == "dashboard_total"}
    return min(totals - {*instance.goal["new"], *instance.goal["released"]})


@pytest.mark.parametrize(
    "seed", [first(feasible=False), first(failed=False), FULL], ids=["refused", "clean", "full"]
)
def test_the_oracle_ends_each_kind_of_audit_as_it_has_to(url: str, seed: int) -> None:
    episode = solve(url, SCENARIO, seed)

    assert episode.success, (broken(episode), episode.grade["collateral"])
    assert episode.grade["step_count"] <= drawn(seed).oracle_steps


def test_the_requests_on_failed_dashboards_are_void_in_the_end_and_no_others(url: str) -> None:
    episode = outcome(url, plan())

    state = episode.state_of(drawn(FULL)).view()
    void = state.rows("approvalflow", "requests", reason_code="metric_quarantined")
    assert episode.success
    assert {row["ticket_id"] for row in void} == set(drawn(FULL).goal["tickets"])


@pytest.mark.parametrize(
    ("tool", "missing"),
    [
        ("datahub_query_metric", {"controls_known"}),
        ("datahub_quarantine_metric", {"quarantine_exact"}),
        ("datahub_release_metric", {"quarantine_exact"}),
        ("ticketdesk_link_ticket", {"tickets_exact"}),
    ],
)
def test_an_audit_that_lacks_one_act_is_not_solved(url: str, tool: str, missing: set[str]) -> None:
    episode = outcome(url, without(tool))

    assert not episode.success
    assert broken(episode) == missing


def test_a_wrong_answer_spoils_an_audit(url: str) -> None:
    episode = outcome(url, [*plan()[:-1], call("finish", answer=[])])

    assert not episode.success
    assert broken(episode) == set()


def test_one_quarantine_too_many_spoils_an_audit_even_if_it_is_lifted(url: str) -> None:
    one = {"metric_id": sound_total(drawn(FULL)), "reason": "To be safe."}
    harm = [call("datahub_quarantine_metric", **one), call("datahub_release_metric", **one)]

    episode = outcome(url, [*plan()[:-1], *harm, plan()[-1]])

    assert not episode.success
    assert "sound_metric_quarantined" in broken(episode)


def test_a_link_on_a_ticket_of_no_concern_spoils_an_audit(url: str) -> None:
    instance = drawn(FULL)
    concerned = {*instance.goal["tickets"], instance.goal["ticket_id"]}
    open_ones = (row for row in instance.rows["ticketdesk"]["tickets"] if row["status"] != "closed")
    other = next(row["id"] for row in open_ones if row["id"] not in concerned)
    target = instance.goal["ticket_id"]
    link = call("ticketdesk_link_ticket", ticket_id=other, kind="relates", target=target)

    episode = outcome(url, [*plan()[:-1], link, plan()[-1]])

    assert not episode.success


def test_a_quarantine_before_the_checks_spoils_an_audit(url: str) -> None:
    actions = plan()
    early = [one for one in actions if one["tool_name"] == "datahub_quarantine_metric"]

    episode = outcome(url, [*early[:1], *(one for one in actions if one not in early[:1])])

    assert not episode.success
    assert [one["name"] for one in episode.grade["orders"] if not one["kept"]] == [
        "checked_before_quarantine"
    ]


def test_quarantining_every_dashboard_earns_less_than_nothing(url: str) -> None:
    metrics = drawn(FULL).rows["datahub"]["metrics"]
    totals = [row["id"] for row in metrics if row["name"] == "dashboard_total" and row["status"] == "ok"]
    reason = {"reason": "All of them."}
    every = [call("datahub_quarantine_metric", metric_id=one, **reason) for one in totals]

    episode = outcome(url, [*every, call("finish", answer=drawn(FULL).goal["failed_feeds"])])

    assert not episode.success
    assert total(episode) < 0


@pytest.mark.parametrize("last", [call("finish", answer=[]), call("refuse", reason_code="release_missing")])
@pytest.mark.parametrize("seed", [first(failed=False), first(feasible=False)])
def test_giving_up_at_once_solves_nothing(url: str, seed: int, last: Action) -> None:
    episode = outcome(url, [last], seed)

    assert not episode.success
    assert total(episode) < 0


def test_the_plan_of_the_other_of_the_pair_fails(url: str) -> None:
    for seed in (0, 1, FULL, FULL ^ 1):
        assert not play(url, SCENARIO, seed, OpenLoopPlan(plan(seed ^ 1))).success


def test_an_agent_that_believes_what_it_is_told_fails(url: str) -> None:
    assert not any(play(url, SCENARIO, seed, Naive(SCENARIO)).success for seed in range(4))


def total(episode: Episode) -> Any:
    return sum(float(record["reward"]) for record in episode.trace[1:] if record.get("reward") is not None)
