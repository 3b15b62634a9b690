"""Delegations to the leaver, the requests that wait under them, and the registers that tell which are in force."""

from typing import Any

import pytest

from companyos.sdk.asking import Refused
from companyos.sdk.simtime import to_iso
from scenarios.offboarding.playing import _hand_over_decisions, _look_into_registers, _reassign
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS

from ..constrained_change.conversation import Refusal, Tools, answered, called
from .by_hand import asker, leaver


@pytest.mark.parametrize(
    ("in_force", "to_manager", "delegate", "decider"),
    [
        (True, True, {"delegate": "max.boss"}, "max.boss"),
        (True, False, {"delegate": "eva.head"}, "eva.head"),
        (False, True, {}, "stu.ward"),
        (False, False, {}, "stu.ward"),
    ],
    ids=["in force, the leaver's manager", "in force, the absent one's manager", "lapsed", "lapsed as well"],
)
def test_a_delegation_is_settled_before_its_request_is_passed_on(
    delegate: dict[str, str], decider: str, *, in_force: bool, to_manager: bool
) -> None:
    requests = [
        {"id": "APR-1", "approver": "bob.ray", "type": "release"},
        {"id": "APR-2", "approver": "lea.ver", "type": "release"},
    ]
    stewards = [
        {"id": "abe.sent", "delegate": "lea.ver", "manager": "eva.head"},
        {"id": "stu.ward", "delegate": None, "manager": "eva.head"},
    ]
    tools = Tools(
        {
            "approvalflow_list_approvals": [{"items": requests}],
            "approvalflow_get_policy": [{"routes": [{"role": "clerk"}, {"role": "data_steward"}]}],
            "datahub_list_people": [{"items": stewards}],
            "datahub_get_person": stewards,
            "datahub_set_delegate": [{}],
            "approvalflow_reassign_request": [{}],
        }
    )
    script = _hand_over_decisions(asker(), leaver(), in_force=in_force, to_manager=to_manager)

    _, calls = answered(script, tools)

    assert called(calls, "datahub_list_people") == [{"role": "data_steward"}]
    assert called(calls, "datahub_set_delegate") == [{"person_id": "abe.sent", **delegate}]
    [passed] = called(calls, "approvalflow_reassign_request")
    assert (passed["request_id"], passed["to"]) == ("APR-2", decider)
    assert calls[-1]["tool_name"] == "approvalflow_reassign_request"


UNKNOWN = Refusal("may_not_decide")


@pytest.mark.parametrize(
    ("answers", "coming", "waits"),
    [
        ([{}], [], []),
        ([UNKNOWN, {}], [["E-1"]], []),
        ([UNKNOWN, {}], [[]], [600]),
        ([UNKNOWN, UNKNOWN, {}], [[], []], [600, 1200]),
    ],
    ids=["known at once", "replayed", "not yet announced", "announced late"],
)
def test_a_request_is_passed_on_once_the_new_delegation_is_known(
    answers: list[Any], coming: list[list[str]], waits: list[int]
) -> None:
    tools = Tools(
        {
            "approvalflow_reassign_request": answers,
            "approvalflow_replay_events": [{"coming": one} for one in coming],
        }
    )

    _, calls = answered(_reassign(asker(), "APR-1", to="max.boss", after="abe.sent"), tools)

    assert len(called(calls, "approvalflow_reassign_request")) == len(answers)
    assert called(calls, "approvalflow_replay_events") == [{"object_id": "abe.sent"}] * len(coming)
    assert called(calls, "wait") == [{"until": to_iso(at)} for at in waits]


def test_another_refusal_of_a_request_is_not_retried() -> None:
    tools = Tools({"approvalflow_reassign_request": [Refusal("request_decided"), {}]})

    with pytest.raises(Refused, match="request_decided"):
        answered(_reassign(asker(), "APR-1", to="max.boss", after="abe.sent"), tools)


def test_both_registers_are_refreshed_and_waited_for_until_the_later_is_due() -> None:
    metrics = [
        {"id": "MET-2", "name": DELEGATIONS},
        {"id": "MET-1", "name": HOLDS},
        {"id": "MET-3", "name": "x"},
    ]
    tools = Tools(
        {
            "datahub_list_metrics": [{"items": metrics}],
            "datahub_refresh_data": [{"due_at": to_iso(900)}, {"due_at": to_iso(600)}],
            "datahub_query_metric": [{"id": "MET-1", "value": 0.0}, {"id": "MET-2", "value": 1.0}],
        }
    )

    found, calls = answered(_look_into_registers(asker(), leaver()), tools)

    assert found == {HOLDS: {"id": "MET-1", "value": 0.0}, DELEGATIONS: {"id": "MET-2", "value": 1.0}}
    assert called(calls, "wait") == [{"until": to_iso(900)}]
    assert called(calls, "datahub_refresh_data") == [{"metric_id": "MET-1"}, {"metric_id": "MET-2"}]
