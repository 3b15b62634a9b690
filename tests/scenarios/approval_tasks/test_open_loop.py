"""The plans that solve a task without looking: what they contain for each private fact, and in which order."""

from typing import Any

import pytest

from companyos.approval_task import approving, correcting, refreshing
from companyos.approval_task.delegation import Link
from companyos.approval_task.endings import TaskEnding
from companyos.approval_task.facts import preparing, refusing, requesting, returning
from companyos.approval_task.route import Route
from companyos.chaos import parse_chaos
from companyos.company import DECISION_S
from companyos.scenario import Action, ExpectedRefusal
from companyos.sdk.simtime import HOUR

from .made import SMALL, START, expense, family

FACTS, _ = expense()


def goal(**others: Any) -> dict[str, Any]:
    """Return the goal of a task without faults, with other facts."""
    return {**FACTS.as_goal("APR-0007"), **others}


def tools(actions: list[Action]) -> list[str]:
    return [action["tool_name"].partition("_")[2] or action["tool_name"] for action in actions]


def objection(remedy: str, attempt: int = 1, **columns: Any) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "reason_code": "x",
        "remedy": remedy,
        "states": {},
        "evidence": None,
        **columns,
    }


def test_a_task_without_faults_is_refreshed_taken_verified_requested_and_finished() -> None:
    assert tools(approving(goal())) == [
        "refresh_data",
        "wait",
        "query_metric",
        "assign_ticket",
        "get_document",
        "verify_ticket",
        "submit_approval",
        "wait",
        "finish",
    ]


@pytest.mark.parametrize(("failed", "refreshes"), [(0, 1), (1, 2), (3, 4)])
def test_every_failing_refresh_is_repeated_and_waited_for(failed: int, refreshes: int) -> None:
    plan = tools(refreshing(goal(failed_refreshes=failed)))

    assert plan == [*["refresh_data", "wait"] * refreshes, "query_metric"]


@pytest.mark.parametrize("permission", ["refresh_metrics", "verify_tickets", "submit_requests"])
def test_a_missing_permission_is_asked_for_once_and_first(permission: str) -> None:
    plan = approving(goal(lacks={"id": permission, "grant_s": 600}))

    assert tools(plan)[:3] == ["request_access", "wait", "refresh_data"]
    assert tools(plan).count("request_access") == 1
    assert plan[1]["arguments"] == {"seconds": 600}


def test_only_what_is_missing_is_filled() -> None:
    assert "update_ticket" not in tools(preparing(goal(fill={})))
    [filled] = [one for one in preparing(goal(fill={"priority": "low"})) if "update" in one["tool_name"]]
    assert filled["arguments"] == {"ticket_id": FACTS.ticket["id"], "priority": "low"}


@pytest.mark.parametrize(("wrong", "corrections"), [(None, 0), ("CA-1", 1)])
def test_a_wrong_record_is_corrected_whatever_the_outcome(wrong: str | None, corrections: int) -> None:
    given = goal(wrong_record=wrong)

    for plan in (approving(given), returning(given), refusing(given, ExpectedRefusal(["policy_forbids"]))):
        assert tools(plan).count("update_record") == corrections
        assert plan[: len(correcting(given))] == correcting(given)


def blocker(ticket_id: str, status: str = "blocked", verified_by: str | None = None) -> dict[str, Any]:
    return {"id": ticket_id, "status": status, "verified_by": verified_by}


def test_a_chain_of_blockers_is_settled_from_its_end() -> None:
    plan = preparing(goal(blockers=[blocker("TD-1"), blocker("TD-2", "done")], awaits=None))

    done = [(tools([one])[0], one["arguments"]["ticket_id"]) for one in plan[:5]]
    assert done == [
        ("verify_ticket", "TD-2"),
        ("resolve_blocker", "TD-1"),
        ("verify_ticket", "TD-1"),
        ("transition_ticket", "TD-1"),
        ("resolve_blocker", FACTS.ticket["id"]),
    ]


def test_a_blocker_that_is_verified_and_done_is_only_resolved() -> None:
    plan = preparing(goal(blockers=[blocker("TD-1", "done", "ben")]))

    assert tools(plan)[:2] == ["resolve_blocker", "assign_ticket"]


@pytest.mark.parametrize(
    ("kind", "steps"),
    [("data", ["refresh_data", "wait", "resolve_blocker"]), ("approval", ["wait", "resolve_blocker"])],
)
def test_an_awaited_metric_is_refreshed_and_an_awaited_request_waited_for(
    kind: str, steps: list[str]
) -> None:
    plan = preparing(goal(awaits={"kind": kind, "id": "X-1", "takes_s": 900}, blockers=[]))

    assert tools(plan)[: len(steps)] == steps
    assert plan[len(steps) - 1]["arguments"] == {"ticket_id": FACTS.ticket["id"], "blocker_id": "X-1"}


def test_the_last_blocker_is_the_one_that_waits_for_another_service() -> None:
    plan = preparing(
        goal(
            awaits={"kind": "approval", "id": "X-1", "takes_s": 9},
            blockers=[blocker("TD-1"), blocker("TD-2")],
        )
    )

    assert plan[1]["arguments"] == {"ticket_id": "TD-2", "blocker_id": "X-1"}


@pytest.mark.parametrize(
    ("back_at", "settled_at", "waits"),
    [(START, START, None), (START, START + HOUR, HOUR), (START + 3 * HOUR, START + HOUR, 3 * HOUR)],
    ids=["at once", "until the policy settles", "until the approver is back"],
)
def test_a_request_waits_for_the_approver_and_the_policy_whichever_is_later(
    back_at: int, settled_at: int, waits: int | None
) -> None:
    route = Route("cfo", (Link("ann", back_at),))

    plan = requesting(goal(route=route.facts, settled_at=settled_at))

    assert plan[0]["arguments"].get("seconds") == waits
    assert tools(plan)[-2:] == ["submit_approval", "wait"]


def repaired(*objections: dict[str, Any], route: Route | None = None) -> list[Action]:
    """Return the actions after the first request."""
    given = goal(objections=list(objections), **({"route": route.facts} if route else {}))
    plan = requesting(given)
    return plan[tools(plan).index("submit_approval") + 2 :]


def test_every_objection_is_answered_by_a_new_request_of_the_next_number() -> None:
    plan = repaired(objection("resubmit"), objection("resubmit", 2))

    assert tools(plan) == ["resubmit_request", "wait"] * 2
    assert [one["arguments"]["request_id"] for one in plan[::2]] == ["APR-0007", "APR-0008"]
    assert plan[1]["arguments"] == {"seconds": DECISION_S}


@pytest.mark.parametrize(
    ("kind", "reference"), [("record", FACTS.record["id"]), ("metric", FACTS.metric["id"])]
)
def test_evidence_is_attached_before_the_request_is_made_again(kind: str, reference: str) -> None:
    plan = repaired(objection("add_evidence", evidence=kind))

    assert tools(plan) == ["add_evidence", "resubmit_request", "wait"]
    assert plan[0]["arguments"] == {"request_id": "APR-0007", "kind": kind, "reference": reference}


def test_a_missing_field_is_stated_with_its_right_value() -> None:
    [again, _] = repaired(objection("fix_field", states={"cost_centre": "CC-1"}))

    assert again["arguments"] == {"request_id": "APR-0007", "fields": {"cost_centre": "CC-1"}}


def test_a_second_approver_is_the_next_on_the_route() -> None:
    route = Route("cfo", (Link("ann", START, covers=True), Link("ben", START)))

    [again, _] = repaired(objection("second_approver"), route=route)

    assert again["arguments"]["approver"] == "ben"


@pytest.mark.parametrize("ending", ["usual", "returned", "forbidden"])
@pytest.mark.parametrize("name", SMALL)
def test_the_plan_of_an_instance_ends_as_its_documents_say(name: str, ending: str) -> None:
    scenario = family(name)
    instances = (scenario.generate(seed, parse_chaos(0), "open-loop", "small") for seed in range(4, 80))
    instance = next(one for one in instances if one.goal["ending"] == ending)

    plan = tools(scenario.open_loop_plan(instance))

    assert plan[-1] == ("refuse" if ending == TaskEnding.FORBIDDEN else "finish")
    assert ("return_ticket" in plan) is (ending == TaskEnding.RETURNED)
    assert ("submit_approval" in plan) is bool(instance.goal["submits"])
