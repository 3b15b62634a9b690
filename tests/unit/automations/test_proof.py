"""The proof accepts sets of automations that end alike in every order, and names what is wrong with the others."""

from typing import Any

import pytest

from companyos.sdk.automations import AutomationsUnsafe, Rule, given, prove
from companyos.sdk.company.areas.automations.offers import OFFERS

SERVICES = {"D": "datahub", "T": "ticketdesk", "A": "approvalflow"}
LOWER = {"action": "change_clearance", "with": {"person": "ana.lopez", "by": -1}}
RETURN = {"action": "return_asset", "with": {"asset": "AST-1"}}
URGENT = {"action": "set_priority", "with": {"ticket": "TD-1001", "to": "urgent"}}
PAGE = {"action": "assign", "with": {"ticket": "TD-1001", "to": "ana.lopez"}}
REOPEN = {"action": "reopen", "with": {"ticket": "TD-1001", "reason": "Look again."}}
COMMENT = {"action": "comment", "with": {"ticket": "TD-1001", "text": "Noted."}}


def rule(name: str, trigger: str, do: dict[str, Any], *when: dict[str, Any], number: int = 1) -> Rule:
    """A rule whose id begins with the letter of its service."""
    return Rule(name, SERVICES[name[0]], number, trigger, when, do)


def changed(column: str) -> dict[str, Any]:
    return given("$changed", "has", column)


def test_a_chain_across_services_is_accepted() -> None:
    prove(
        [
            rule("D1", "asset.assigned", LOWER),
            rule("T1", "clearance.changed", URGENT),
            rule("T2", "tickets", PAGE, changed("priority")),
            rule("T3", "tickets", COMMENT, changed("assignee"), number=2),
        ],
        OFFERS,
    )


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([rule("D1", "clearance.changed", LOWER)], "A cycle: D1 → D1"),
        (
            [rule("D1", "ticket.reopened", LOWER), rule("T1", "clearance.changed", REOPEN)],
            "A cycle: D1 → T1 → D1",
        ),
        ([rule("T1", "tickets", URGENT)], "A cycle: T1 → T1"),
        (
            [
                rule("D1", "asset.assigned", RETURN),
                rule("D2", "asset.returned", LOWER),
                rule("T1", "clearance.changed", URGENT),
                rule("T2", "tickets", PAGE, changed("priority")),
                rule("T3", "tickets", COMMENT, changed("assignee"), number=2),
            ],
            "More than 4 deep: D1 → D2 → T1 → T2 → T3",
        ),
        (
            # TicketDesk hears of the asset and of the clearance apart, in either order.
            [
                rule("D1", "asset.assigned", LOWER),
                rule("T1", "asset.assigned", URGENT),
                rule("T2", "clearance.changed", PAGE),
            ],
            "The order of T1 and T2 decides what becomes of tickets",
        ),
        (
            [
                rule("D1", "asset.assigned", LOWER),
                rule(
                    "T1",
                    "asset.assigned",
                    COMMENT,
                    given({"count": "tickets", "where": {"priority": "urgent"}}, "gt", 2),
                ),
                rule("T2", "clearance.changed", URGENT),
            ],
            "The order of T1 and T2 decides what becomes of tickets.priority",
        ),
        ([rule("D1", "asset.lost", LOWER)], "D1: datahub offers no trigger asset.lost"),
        ([rule("D1", "asset.assigned", URGENT)], "D1: datahub offers no action set_priority"),
        (
            [rule("D1", "asset.assigned", LOWER, given("$colour", "eq", "red"))],
            "D1: asset.assigned has no colour",
        ),
        (
            [
                rule(
                    "D1",
                    "asset.assigned",
                    LOWER,
                    given({"count": "people", "where": {}}, "gt", 2),
                    given({"first": "sources", "where": {}, "column": "values"}, "eq", 1),
                )
            ],
            "D1: datahub does not show people.id, sources.id, sources.values",
        ),
        (
            [rule("D1", "asset.assigned", LOWER), rule("D2", "asset.assigned", LOWER)],
            "D1 and D2 have the same number on asset.assigned",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_unsafe_set_is_refused_in_words(rules: list[Rule], said: str) -> None:
    with pytest.raises(AutomationsUnsafe, match=said):
        prove(rules, OFFERS)


def test_a_rule_that_asks_for_a_column_starts_from_that_column_only() -> None:
    prove([rule("T1", "tickets", URGENT, changed("assignee"))], OFFERS)
