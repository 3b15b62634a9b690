"""A name that is not known leads to the ones that are near, always the same."""

import pytest

from orchestrator.agent.suggestions import did_you_mean, suggested, undecorated

TOOLS = ["ticketdesk_get_ticket", "ticketdesk_update_ticket", "datahub_get_record", "wait", "finish"]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("get_ticket", "ticketdesk_get_ticket"),
        ("ticketdesk.get_ticket", "ticketdesk_get_ticket"),
        ("TicketDesk_Get_Ticket", "ticketdesk_get_ticket"),
        ("ticketdesk_get_tickets", "ticketdesk_get_ticket"),
        ("finsh", "finish"),
    ],
)
def test_a_near_name_is_suggested_first(name: str, first: str) -> None:
    assert suggested(name, TOOLS)[0] == first


def test_distant_names_get_no_suggestion() -> None:
    assert suggested("", TOOLS) == []
    assert suggested("launch_rocket", TOOLS) == []
    assert did_you_mean("x" * 1_000_000, TOOLS) == ""


def test_suggestions_are_asked_as_a_question_whatever_the_order_of_the_names() -> None:
    assert did_you_mean("finsh", TOOLS) == " Did you mean finish?"
    question = did_you_mean("ticketdesk_set_ticket", TOOLS)

    assert question == " Did you mean ticketdesk_get_ticket or ticketdesk_update_ticket?"
    assert did_you_mean("ticketdesk_set_ticket", TOOLS[::-1]) == question


COMPANY = ("wait", "finish", "ticketdesk_get_ticket", "datahub_get_metric")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("functions.finish", "finish"),
        ("default_api.finish", "finish"),
        ("companyos:finish", "finish"),
        ("companyos_finish", "finish"),
        ("mcp__companyos__ticketdesk_get_ticket", "ticketdesk_get_ticket"),
        ("functions.ticketdesk.get_ticket", "ticketdesk_get_ticket"),
        ("companyos/datahub_get_metric", "datahub_get_metric"),
        ("finish", "finish"),
        (" finish\n", "finish"),
        ("ticketdesk.finish", "ticketdesk.finish"),
        ("functions.get_ticket", "functions.get_ticket"),
        ("finish.", "finish."),
        ("", ""),
    ],
)
def test_a_name_with_prefixes_means_the_one_tool_that_it_can_mean(name: str, meant: str) -> None:
    assert undecorated(name, COMPANY, ("ticketdesk", "datahub")) == meant
