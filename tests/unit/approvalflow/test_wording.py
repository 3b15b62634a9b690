"""How rules and requests are put into words."""

import pytest

from companyos.sdk.simtime import DAY, HOUR
from services.approvalflow.domain import Policy, Route, Waiting
from services.approvalflow.wording import (
    duration,
    policy_in_words,
    wants,
)

METRIC_RULE = (
    "The request waits until the metric compliance_score is fresh in DataHub: the one about the ticket's subject, or, "
    "where there is none, the one about the company as a whole. Its field score must equal the metric."
)
DELEGATION_RULE = (
    "While the holder of that role is away, their delegate decides, provided that the delegation names this type of "
    "approval and its limit covers the amount; while the delegate is away too, the delegate's delegate on the same "
    "terms, and so on. If that chain ends or loops, another holder of the role decides, or nobody until one of them "
    "is back."
)
SOD_RULE = (
    "Separation of duties: neither the requester nor the person who reported or verified the ticket may decide; they "
    "count as absent."
)

VENDORS = Policy(
    "vendor_approval",
    ticket_kind="vendor_onboarding",
    metric_name="compliance_score",
    metric_field="score",
    minimum=80,
    maximum=100,
    routes=(Route("manager", 1000), Route("cfo")),
    route_field="amount",
)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (DAY, "1 day"),
        (7 * DAY, "7 days"),
        (36 * HOUR, "36 hours"),
        (HOUR, "1 hour"),
        (90 * 60, "90 minutes"),
        (61, "61 seconds"),
        (0, "0 seconds"),
    ],
)
def test_a_duration_is_said_in_its_largest_whole_unit(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def test_a_full_policy_says_every_rule() -> None:
    assert policy_in_words(VENDORS, decision_s=2 * HOUR, expires_s=7 * DAY, activates_record=True) == [
        "The request is about a ticket of kind vendor_onboarding and waits until that ticket is verified.",
        METRIC_RULE,
        "compliance_score must be at least 80 and at most 100.",
        "The role manager decides if amount is below 1000.",
        "Otherwise, the role cfo decides.",
        DELEGATION_RULE,
        SOD_RULE,
        "An approver decides within 2 hours of being asked, unless away.",
        "A request that is not decided within 7 days of its submission expires.",
        "Approval activates the record that the ticket is about.",
    ]


def test_a_policy_says_nothing_about_what_it_does_not_ask_for() -> None:
    rules = policy_in_words(
        Policy("plain", metric_name="hr_headcount", routes=(Route("hr_lead"),), sod=False),
        decision_s=60,
        expires_s=DAY,
        activates_record=False,
    )

    assert rules[0].startswith(
        "The request waits until the metric hr_headcount is fresh in DataHub: the one about "
    )
    assert rules[1] == "The role hr_lead decides."
    assert not [rule for rule in rules if "ticket of kind" in rule or "must" in rule or "requester" in rule]
    barest = policy_in_words(Policy("barest"), decision_s=60, expires_s=DAY, activates_record=False)
    assert not [rule for rule in barest if "DataHub" in rule or "The role" in rule]


def test_a_held_request_names_everything_it_waits_for() -> None:
    said = wants(list(Waiting), policy=VENDORS, ticket_id="TD-1", subject=None)

    assert said == "TD-1 is verified in TicketDesk and compliance_score of the company is fresh in DataHub"
