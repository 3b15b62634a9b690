"""The code that the guide gives for approvals runs, and survives an event that was lost."""

import re
from pathlib import Path
from typing import Any

from companyos.sdk.approval_task import Employee
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.company import allowances
from companyos.sdk.scenario import ANYTHING, Allowance, CompanyState, Observation, Script, View, find
from companyos.sdk.scripts.scripted import Scripted
from tests.scenarios.conftest import SALT
from tests.scenarios.faults.faulty import certain
from tests.scenarios.play import play, solution

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-scenario.md"
#: A seed whose approver is present.
SEED = 3
FIELDS = {"amount": 5.0}


def code_of_the_guide() -> list[dict[str, Any]]:
    """Return the names that each Python block of the section about approvals defines."""
    section = GUIDE.read_text(encoding="utf-8").partition("### A task that asks for an approval")[2]
    blocks = re.findall(r"```python\n(.*?)```", section.partition("\n### ")[0], re.DOTALL)
    given = {
        "View": View,
        "ANYTHING": ANYTHING,
        "Allowance": Allowance,
        "allowances": allowances,
        "ticket_id": "TD-1",
        "type_id": "recall",
        "approver": "cy.roe",
        "fields": FIELDS,
    }
    defined = [dict(given) for _ in blocks]
    for block, names in zip(blocks, defined, strict=True):
        exec(compile(block, str(GUIDE), "exec"), names)
    return defined


def test_the_guides_request_is_followed_until_it_is_decided_although_an_event_was_lost(url: str) -> None:
    [names, _] = code_of_the_guide()
    scenario, chaos = find("expense_report"), certain("evt.drop")
    instance = scenario.generate(SEED, parse_chaos(chaos), SALT)
    facts, plan = instance.facts, solution(url, scenario, SEED, chaos)
    prepared = plan[: [action["tool_name"] for action in plan].index("ticketdesk_verify_ticket")]
    metric = {"id": facts.metric["id"], "value": facts.value}
    decided: list[str] = []

    def work(observation: Observation) -> Script:
        yield from (action for action in prepared)
        asked = (facts.ticket["id"], metric, facts.route.role, facts.type_id, facts.fields)
        decided.append((yield from names["get_approved"](Employee(observation), *asked)))

    episode = play(url, scenario, SEED, Scripted(work), chaos=chaos)

    assert decided == ["approved"]
    assert "approvalflow_replay_events" in [one["action"]["tool_name"] for one in episode.trace[1:]]


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
