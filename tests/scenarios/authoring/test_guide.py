"""The code that the guide gives for approvals runs, and survives an event that was lost."""

import re
from pathlib import Path
from typing import Any

from companyos.approval_task import Employee
from companyos.scenario import CompanyState, Footprint, View
from companyos.sdk.simtime import HOUR, to_iso
from tests.scenarios.scripted import Conversation

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-scenario.md"
NOW = 1000 * HOUR
FIELDS = {"amount": 5.0}


def code_of_the_guide() -> list[dict[str, Any]]:
    """Return the names that each Python block of the section about approvals defines."""
    section = GUIDE.read_text(encoding="utf-8").partition("### A task that asks for an approval")[2]
    blocks = re.findall(r"```python\n(.*?)```", section.partition("\n### ")[0], re.DOTALL)
    given = {"View": View, "Footprint": Footprint, "ticket_id": "TD-1", "type_id": "recall", "fields": FIELDS}
    defined = [dict(given) for _ in blocks]
    for block, names in zip(blocks, defined, strict=True):
        exec(compile(block, str(GUIDE), "exec"), names)
    return defined


def test_the_guides_request_is_followed_until_it_is_decided_although_an_event_was_lost() -> None:
    [names, _] = code_of_the_guide()
    due = {"id": "APR-1", "decision_due_at": to_iso(NOW + HOUR)}
    followed = iter([{**due, "status": "pending"}, {**due, "status": "approved"}])
    talk = Conversation(
        {
            "ticketdesk_verify_ticket": {"id": "TD-1"},
            "datahub_get_approver": {"id": "cy.roe"},
            "approvalflow_submit_approval": {"id": "APR-1", "status": "held"},
            "approvalflow_replay_events": {"coming": 1},
            "approvalflow_check_status": lambda request_id: next(followed),
        },
        NOW,
    )

    status = talk.run(
        names["get_approved"](
            Employee(talk.first), "TD-1", {"id": "MET-1", "value": 5.0}, "lead", "recall", FIELDS
        )
    )

    assert status == "approved"
    assert talk.calls_of("approvalflow_replay_events") == [{"object_id": "TD-1"}]
    assert [arguments["approver"] for arguments in talk.calls_of("approvalflow_submit_approval")] == [
        "cy.roe"
    ]


def test_the_guides_predicate_holds_for_an_approved_request_with_the_right_fields_alone() -> None:
    [_, names] = code_of_the_guide()

    def judged(**columns: Any) -> bool:
        row = {"id": "APR-1", "ticket_id": "TD-1", "type": "recall", "status": "approved", "fields": FIELDS}
        company = CompanyState({"approvalflow": {"requests": [{**row, **columns}]}})
        return bool(names["is_approved"](company.view()))

    assert judged()
    assert not judged(status="pending")
    assert not judged(fields={"amount": 6.0})
    assert not judged(ticket_id="TD-2")
