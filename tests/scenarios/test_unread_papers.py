"""A verdict is no success if a document or a message that it rests on was never read."""

from collections.abc import Mapping

import pytest

from companyos.sdk.scenario import Action, Instance, call, find

from .conftest import instance_of
from .play import carry_out, solution

READS = {"datahub_get_document": "document_id", "datahub_get_message": "message_id"}


def titles(instance: Instance) -> Mapping[str, str]:
    """Return the title of each document, and the subject of each message, by id."""
    tables = instance.rows["datahub"]
    documents = {str(row["id"]): f"{row['title']} ({row['status']})" for row in tables["documents"]}
    return documents | {str(row["id"]): str(row["subject"]) for row in tables["messages"]}


def is_read_of(action: Action, instance: Instance, title: str) -> bool:
    """Return whether a call reads a document or message whose title begins like this."""
    read = action["arguments"].get(READS.get(action["tool_name"], ""), "")
    return titles(instance).get(read, "").startswith(title)


@pytest.mark.parametrize(
    ("name", "seed", "title"),
    [
        ("invoice_match", 0, "Transfer to "),
        ("invoice_match", 0, "Price amendment"),
        ("invoice_match", 5, "Matching supplier invoices"),
        ("constrained_change", 1, "Arrangements of the field teams"),
        ("data_quality_audit", 4, "Ledger item"),
        ("data_quality_audit", 4, "Close of the ledger"),
        ("incident_change", 0, "Change freeze: spring campaign"),
        ("incident_change", 0, "On call: phone handed over"),
        ("incident_change", 0, "Duty managers on call"),
        ("incident_change", 2, "Service agreement about"),
        ("quarter_close", 6, "Differences of "),
        ("approver_desk", 0, "Spending rules of the units (in_force)"),
        ("approver_desk", 2, "Quote 1611"),
        ("approver_desk", 4, "Spending rules of the units (superseded)"),
    ],
)
def test_a_verdict_without_a_paper_that_it_rests_on_is_no_success(
    url: str, name: str, seed: int, title: str
) -> None:
    instance, scenario = instance_of(find(name), seed), find(name)
    plan = solution(url, scenario, seed)
    unread = [action for action in plan if not is_read_of(action, instance, title)]

    assert len(unread) < len(plan)
    assert not carry_out(url, scenario, seed, unread).success


@pytest.mark.parametrize(
    ("name", "tool"),
    [("invoice_match", "datahub_settle_invoice"), ("constrained_change", "datahub_assign_asset")],
)
def test_work_that_is_due_today_is_no_success_tomorrow(url: str, name: str, tool: str) -> None:
    plan = list(solution(url, find(name), 0))
    at = [action["tool_name"] for action in plan].index(tool)

    late = carry_out(url, find(name), 0, [*plan[:at], call("wait", seconds=86_400), *plan[at:]])

    assert not late.success
