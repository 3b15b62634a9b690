"""How rules and requests are put into words."""

import pytest

from companyos.simtime import DAY, HOUR
from services.approvalflow.domain import Policy, Route, Status, Waiting
from services.approvalflow.wording import (
    Away,
    asked,
    duration,
    explained,
    listed,
    pinned,
    policy_in_words,
    wants,
)

FIGURE_RULE = (
    "The request waits until compliance_score of what the ticket is about is fresh in DataHub, and its field score "
    "must equal that figure."
)
DELEGATION_RULE = (
    "While the holder of that role is away, their delegate decides instead, if the delegation names this type of "
    "approval and its limit covers the amount; while the delegate is away too, the delegate's delegate on the same "
    "terms, and so on. Where that ends at nobody or comes back to somebody passed before, another holder of the role "
    "decides, or nobody until one of them is back."
)
SOD_RULE = (
    "Separation of duties: the requester, and who reported or verified the ticket, may not be the approver; they "
    "count as away."
)
AFTER_THAT = "and decides after that; escalate hands it to somebody who may decide now."

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


def test_names_are_listed_as_people_say_them() -> None:
    assert listed(["a"], "or") == "a"
    assert listed(["a", "b"], "or") == "a or b"
    assert listed(["a", "b", "c"], "and") == "a, b and c"


def test_a_full_policy_says_every_rule() -> None:
    assert policy_in_words(VENDORS, decision_s=2 * HOUR, expires_s=7 * DAY, activates_record=True) == [
        "The request is about a ticket of kind vendor_onboarding, and waits until that is verified.",
        FIGURE_RULE,
        "compliance_score must be at least 80 and at most 100.",
        "Decided by the role manager if amount is below 1000 and no rule above applies.",
        "Decided by the role cfo, unless a rule above applies.",
        DELEGATION_RULE,
        SOD_RULE,
        "An approver decides within 2 hours of being asked, unless away.",
        "A request that is not decided within 7 days of its submission expires.",
        "An approval makes the record that the ticket is about active.",
    ]


def test_a_policy_says_nothing_about_what_it_does_not_ask_for() -> None:
    rules = policy_in_words(
        Policy("plain", metric_name="hr_headcount", routes=(Route("hr_lead"),), sod=False),
        decision_s=60,
        expires_s=DAY,
        activates_record=False,
    )

    assert rules[0] == "The request waits until hr_headcount of what the ticket is about is fresh in DataHub."
    assert not [rule for rule in rules if "ticket of kind" in rule or "must" in rule or "requester" in rule]
    barest = policy_in_words(Policy("barest"), decision_s=60, expires_s=DAY, activates_record=False)
    assert not [rule for rule in barest if "DataHub" in rule or "Decided by" in rule]


def test_a_held_request_names_everything_it_waits_for() -> None:
    said = wants(list(Waiting), policy=VENDORS, ticket_id="TD-1", subject=None)

    assert said == "TD-1 is verified in TicketDesk and compliance_score of the company is fresh in DataHub"


def test_what_was_asked_is_said_in_a_stable_order() -> None:
    assert asked("ada", {"b": 1, "a": "x"}, "Soon") == "Asked ada to approve a='x', b=1. Note: Soon"
    assert asked("ada", {}, None) == "Asked ada to approve."


def test_pinned_evidence_is_named_without_the_figure() -> None:
    evidence = {"ticket_version": 4, "metric_id": "MET-1", "metric_version": 2, "metric_value": 85.0}

    assert pinned(evidence, "TD-1") == "TD-1 at version 4 and MET-1 at version 2"
    assert pinned({}, None) == "the request alone"


@pytest.mark.parametrize(
    ("status", "facts", "said"),
    [
        (Status.HELD, {"wants": "it rains"}, "Held until it rains. Then it goes to ada by itself."),
        (Status.PENDING, {"due": HOUR}, "ada decides at 2030-01-01T01:00:00Z."),
        (Status.ESCALATED, {}, "ada has yet to decide."),
        (
            Status.PENDING,
            {"away": Away(HOUR)},
            f"ada is away until 2030-01-01T01:00:00Z {AFTER_THAT}",
        ),
        (
            Status.PENDING,
            {"away": Away(None)},
            f"ada is away for an unknown time {AFTER_THAT}",
        ),
        (Status.APPROVED, {}, "Approved by ada."),
        (
            Status.REJECTED,
            {"reason": "Too low."},
            "Rejected by ada. Too low. resubmit_request makes it again.",
        ),
        (Status.WITHDRAWN, {"reason": "Mine."}, "Withdrawn. Mine. submit_approval asks anew."),
        (Status.EXPIRED, {"reason": "Late."}, "Expired. Late. submit_approval asks anew."),
        (Status.VOIDED, {"reason": "Changed."}, "Voided. Changed. submit_approval asks anew."),
    ],
)
def test_every_status_is_explained_with_what_can_be_done(
    status: Status, facts: dict[str, object], said: str
) -> None:
    known: dict[str, object] = {"wants": "", "due": None, "away": None, "reason": None, **facts}

    assert explained(status, approver="ada", **known) == said  # type: ignore[arg-type]
