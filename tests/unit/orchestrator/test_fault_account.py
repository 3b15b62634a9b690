"""The account of faults: what a record makes of each, from armed to overcome."""

from typing import Any

import pytest

from companyos.sdk.scenario import CompanyState, InjectedFault
from orchestrator.progress.fault_account import FaultAccount

WHERE = ["desk", "get_ticket", "TD-1"]


def lost(name: str = "svc.http_5xx", where: list[str] | None = None, **other: Any) -> dict[str, Any]:
    return {"fault": name, "where": where or WHERE, "attempt": 0, "state": "landed", **other}


def record(
    step: int,
    call: list[str] | None = None,
    *,
    tool: str = "",
    result: Any = None,
    code: str | None = None,
    faults: tuple[dict[str, Any], ...] = (),
    **other: Any,
) -> dict[str, Any]:
    error = None if code is None else {"code": code}
    return {
        "step": step,
        "action": {"tool_name": tool or "_".join((call or [])[:2]), "arguments": {}},
        "observation": {"result": result, "error": error},
        "call": call,
        "faults": list(faults),
        "changes": [],
        **other,
    }


def state(**ticket: Any) -> CompanyState:
    return CompanyState({"desk": {"tickets": [{"id": "TD-1", "priority": None, **ticket}]}})


TROUBLE = InjectedFault(
    fault="biz.missing_field",
    shown_by=("TD-1",),
    repairs=("desk_update_ticket",),
    overcome=lambda view: view.row("desk", "tickets", "TD-1")["priority"] is not None,
    cost=2,
    codes=("ticket_incomplete",),
)


def told(account: FaultAccount, *, done: bool = False) -> tuple[Any, ...]:
    [line] = account.documents(done=done)
    return line["state"], line["armed_at"], line["landed_at"], line["detected_at"], line["overcome_at"]


def test_a_fault_of_the_company_lands_when_it_shows_and_is_overcome_when_it_does_no_harm() -> None:
    account, company = FaultAccount([TROUBLE]), state()

    stages = [told(account)]
    for number, facts in enumerate(
        (
            {"call": ["desk", "list_people", ""], "result": [{"id": "TD-12"}]},
            {"call": WHERE, "result": {"id": "TD-1"}},
            {"call": ["desk", "update_ticket", "TD-1"], "changes": ["some"]},
        ),
        start=1,
    ):
        if "changes" in facts:
            company.apply(
                "desk", [{"table": "tickets", "id": "TD-1", "row": {"id": "TD-1", "priority": "low"}}]
            )
        account.note(record(number, **facts), company.view())
        stages.append(told(account))

    assert stages == [
        ("armed", 0, None, None, None),
        ("armed", 0, None, None, None),
        ("landed", 0, 2, None, None),
        ("overcome", 0, 2, 3, 3),
    ]


def test_a_refusal_with_its_code_shows_a_fault_too() -> None:
    account = FaultAccount([TROUBLE])

    account.note(record(1, ["desk", "verify_ticket", "TD-9"], code="ticket_incomplete"), state().view())

    assert told(account) == ("landed", 0, 1, None, None)


def test_a_repair_that_comes_undone_overcomes_nothing() -> None:
    account = FaultAccount([TROUBLE])
    account.note(record(1, WHERE, result={"id": "TD-1"}, changes=["some"]), state(priority="low").view())

    account.note(record(2, WHERE, changes=["some"]), state().view())

    assert told(account) == ("landed", 0, 1, None, None)


def test_a_fault_that_never_landed_expires_with_its_episode() -> None:
    account = FaultAccount([TROUBLE])

    assert told(account, done=True) == ("expired", 0, None, None, None)
    assert account.counts(done=True) == {"armed": 1, "landed": 0, "detected": 0, "overcome": 0, "expired": 1}


def test_a_spoilt_call_is_detected_by_calling_again_and_overcome_by_an_answer() -> None:
    account, view = FaultAccount(), state().view()

    account.note(record(1, WHERE, code="unavailable", faults=(lost(),)), view)
    landed = told(account)
    account.note(record(2, WHERE, code="unavailable", faults=(lost(attempt=1),)), view)
    detected = told(account)
    account.note(record(3, WHERE, result={}), view)

    assert landed == ("landed", 0, 1, None, None)
    assert detected == ("detected", 0, 1, 2, None)
    assert told(account) == ("overcome", 0, 1, 2, 3)


def test_a_call_of_another_tool_about_the_same_object_detects_and_does_not_overcome() -> None:
    account, view = FaultAccount(), state().view()
    account.note(
        record(1, ["desk", "verify_ticket", "TD-1"], faults=(lost(where=["desk", "verify_ticket", "TD-1"]),)),
        view,
    )

    account.note(record(2, ["desk", "get_ticket", "TD-2"], result={}), view)
    elsewhere = told(account)
    account.note(record(3, WHERE, result={}), view)

    assert elsewhere[0] == "landed"
    assert told(account) == ("detected", 0, 1, 3, None)


def test_an_operation_that_was_accepted_is_overcome_by_the_operation_that_tells_its_end() -> None:
    account, view = FaultAccount(), state().view()
    account.note(record(1, WHERE, result={"status": "accepted"}, faults=(lost("svc.slow_endpoint"),)), view)

    account.note(record(2, ["desk", "get_operation", "OP-1"], result={"status": "accepted"}), view)
    early = told(account)
    account.note(record(3, ["desk", "get_operation", "OP-1"], result={"status": "done"}), view)

    assert early == ("detected", 0, 1, 2, None)
    assert told(account) == ("overcome", 0, 1, 2, 3)


@pytest.mark.parametrize("name", ["svc.latency", "evt.duplicate"])
def test_faults_that_require_no_action_are_overcome_as_they_land(name: str) -> None:
    account = FaultAccount()

    account.note(record(1, WHERE, result={}, faults=(lost(name),)), state().view())

    assert told(account) == ("overcome", 0, 1, None, 1)


def test_an_event_is_overcome_when_it_was_delivered() -> None:
    account, view, where = FaultAccount(), state().view(), ["ticket.verified", "TD-1", "flow"]
    account.note(record(1, ["desk", "verify_ticket", "TD-1"], faults=(lost("evt.delay", where),)), view)

    account.note(record(2, None, tool="wait", faults=(lost("evt.delay", where, state="delivered"),)), view)

    assert told(account) == ("overcome", 0, 1, 2, 2)


def test_a_fault_of_a_chaos_put_in_force_later_is_armed_since_then() -> None:
    account, view = FaultAccount(), state().view()

    account.note(record(1, WHERE, result={}), view)
    account.note(record(2, WHERE, code="gone", faults=(lost(),), chaos={"level": 3}), view)

    assert told(account) == ("landed", 1, 2, None, None)


def test_a_copy_goes_its_own_way() -> None:
    account = FaultAccount([TROUBLE])
    copy = account.copy()

    copy.note(record(1, WHERE, result={"id": "TD-1"}, faults=(lost(),)), state().view())

    assert len(copy.lines) == 2
    assert told(account) == ("armed", 0, None, None, None)
