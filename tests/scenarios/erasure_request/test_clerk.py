"""What a clerk decides: who may ask, what belongs to the customer, and what becomes of each object."""

from collections.abc import Sequence
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.erasure_request import playing
from scenarios.erasure_request.documents import BY_LAW, FULL, ON_HOLD
from scenarios.erasure_request.scenario import SCENARIO
from tests.scenarios.answering import Call, made, work

from .registries import (
    ADDRESS,
    CASE,
    COMMENT,
    FORM,
    GOODWILL,
    HOLD,
    INVOICE,
    MAIL,
    NAME,
    NUMBER,
    ORDER,
    PAPER,
    SECOND_HOLD,
    TWO_YEARS_AGO,
    Item,
    Registry,
    template,
)

LAWYER = "desk@silva.example"
IDENTIFIERS = [NAME, NUMBER, ADDRESS]


def solved(**facts: Any) -> list[Call]:
    return work(playing.solve, Registry(**facts))


def treated(calls: Sequence[Call]) -> dict[str, str]:
    """Return what was done to each object: `erase` or `redact`."""
    found = {}
    for tool, arguments in calls:
        if tool.endswith("_erase_personal_data"):
            found[arguments["object_id"]] = arguments["mode"]
        elif tool.endswith("_redact_personal_data"):
            found[arguments["request_id"]] = "redact"
    return found


def answered(calls: Sequence[Call]) -> list[str]:
    """Return the documents with which the ticket was answered."""
    [answer] = made(calls, "ticketdesk_answer_ticket")
    return list(answer["document_ids"])


def test_the_customer_asks_from_the_address_on_file() -> None:
    calls = solved()

    assert treated(calls) == {"CUS-1": "erase", "ORD-1": "redact"}
    assert calls[-1][0] == "finish"


@pytest.mark.parametrize(
    ("found", "paper", "may_ask"),
    [
        ([ORDER, PAPER], ("in_force", LAWYER), True),
        ([ORDER, PAPER], ("withdrawn", LAWYER), False),
        ([ORDER, PAPER], ("in_force", "office@brandt.example"), False),
        ([ORDER], ("in_force", LAWYER), False),
    ],
    ids=["in force", "withdrawn", "names another", "none"],
)
def test_another_sender_needs_a_power_of_attorney_in_force_that_names_them(
    found: list[Item], paper: tuple[str, str], may_ask: bool
) -> None:
    calls = solved(sender=LAWYER, found=found, paper=paper)

    assert bool(treated(calls)) is may_ask
    assert bool(made(calls, "ticketdesk_return_ticket")) is not may_ask
    assert calls[-1][0] == "finish"


@pytest.mark.parametrize(
    ("found", "references"),
    [([ORDER], ["MSG-1"]), ([ORDER, PAPER], ["MSG-1", "DOC-5"])],
    ids=["none", "invalid"],
)
def test_a_ticket_that_goes_back_refers_to_the_mail_and_to_a_paper_that_does_not_hold(
    found: list[Item], references: list[str]
) -> None:
    calls = solved(sender=LAWYER, found=found, paper=("withdrawn", LAWYER))

    [returned] = made(calls, "ticketdesk_return_ticket")
    assert (returned["ticket_id"], returned["references"]) == ("TD-1", references)


def test_the_number_is_that_of_the_mail() -> None:
    with pytest.raises(LookupError, match="states no customer number"):
        solved(body="Please delete everything that you hold on me.")


def test_everything_that_bears_the_number_the_address_or_an_order_is_found_in_all_services() -> None:
    calls = solved(found=[ORDER, INVOICE, FORM, CASE, COMMENT, GOODWILL])

    assert set(treated(calls)) == {"CUS-1", "ORD-1", "INV-1", "FRM-1", "TD-5", "TD-9-C1", "APR-1"}
    for service in ("ticketdesk", "approvalflow"):
        [asked] = made(calls, f"{service}_find_personal_data")
        assert asked["identifiers"] == [NUMBER, ADDRESS, "ORD-1"]


def test_a_careful_clerk_misses_what_names_only_an_order_and_believes_the_sender() -> None:
    registry = Registry(found=[ORDER, INVOICE], sender="mallory@post.example")

    calls = work(SCENARIO.careful, registry)

    assert set(treated(calls)) == {"CUS-1", "ORD-1"}


def test_the_evidence_of_the_request_stays() -> None:
    ticket = Item("TD-1", "erasure_request", [NUMBER], service="ticketdesk", type="ticket", status="triage")

    calls = solved(found=[ORDER, HOLD, PAPER, MAIL, ticket])

    assert set(treated(calls)) == {"CUS-1", "ORD-1"}


@pytest.mark.parametrize(
    ("held", "covers", "left"),
    [
        (0.0, "everything", {"CUS-1", "ORD-1", "FRM-1"}),
        (0.0, "FRM-1, ORD-1", {"CUS-1", "ORD-1", "FRM-1"}),
        (1.0, "FRM-1, ORD-1", {"CUS-1"}),
        (1.0, "FRM-1", {"CUS-1", "ORD-1"}),
    ],
    ids=["lifted", "lifted in part", "in force", "on a single object"],
)
def test_what_a_hold_in_force_covers_is_left_alone(held: float, covers: str, left: set[str]) -> None:
    calls = solved(found=[ORDER, FORM, HOLD], held=held, covers=covers)

    assert set(treated(calls)) == left


def test_a_hold_is_refreshed_before_it_is_believed() -> None:
    calls = solved(found=[ORDER, HOLD])

    names = [name for name, _ in calls]
    refresh = names.index("datahub_refresh_data")
    assert calls[refresh][1] == {"metric_id": "MET-LH-1"}
    assert names[refresh + 1 : refresh + 3] == ["wait", "datahub_query_metric"]


def test_two_holds_cover_what_either_covers() -> None:
    calls = solved(found=[ORDER, FORM, HOLD, SECOND_HOLD], held=1.0, covers="ORD-1", covers_too="FRM-1")

    assert [one["metric_id"] for one in made(calls, "datahub_refresh_data")] == ["MET-LH-1", "MET-LH-2"]
    assert set(treated(calls)) == {"CUS-1"}


def test_a_hold_on_everything_is_the_reason_to_refuse() -> None:
    script = playing.solve(Registry().seen())
    registry, action = Registry(found=[ORDER, HOLD], held=1.0), next(script)
    while action["tool_name"] != "refuse":
        action = script.send(registry.answer(action["tool_name"], action["arguments"]))

    assert action["arguments"] == {"reason_code": "legal_hold", "evidence": ["LH-1"]}


@pytest.mark.parametrize(
    ("ordered_on", "mode"),
    [
        (TWO_YEARS_AGO - DAY, "erase"),
        (TWO_YEARS_AGO, "erase"),
        (TWO_YEARS_AGO + DAY, "redact"),
    ],
    ids=["a day longer", "two years", "a day less"],
)
def test_an_order_is_kept_and_redacted_until_its_years_are_over(ordered_on: int, mode: str) -> None:
    assert treated(solved(ordered_on=ordered_on))["ORD-1"] == mode


def test_the_years_of_an_order_are_over_with_the_first_second_of_the_day() -> None:
    midnight = TWO_YEARS_AGO - TWO_YEARS_AGO % DAY

    calls = solved(now=midnight + 2 * 365 * DAY, ordered_on=midnight)

    assert treated(calls)["ORD-1"] == "erase"


def test_each_dated_kind_has_years_of_its_own() -> None:
    calls = solved(found=[ORDER, INVOICE], ordered_on=TWO_YEARS_AGO)

    assert treated(calls) == {"CUS-1": "erase", "INV-1": "redact", "ORD-1": "erase"}


@pytest.mark.parametrize(("rule", "mode"), [("erased", "erase"), ("always redacted", "redact")])
def test_the_schedule_decides_about_every_other_kind(rule: str, mode: str) -> None:
    rules = [f"- `customer`: {rule}", "- `order`: erased"]

    assert treated(solved(rules=rules))["CUS-1"] == mode


def test_a_comment_is_treated_as_a_comment_whatever_its_ticket_is() -> None:
    assert treated(solved(found=[ORDER, COMMENT]))["TD-9-C1"] == "redact"


def test_what_is_redacted_is_masked_by_name_number_and_address_and_what_is_erased_is_not() -> None:
    calls = solved(found=[ORDER, GOODWILL])

    acts = [one for name, one in calls if name.endswith(("erase_personal_data", "redact_personal_data"))]
    masked = {one.get("object_id", one.get("request_id")): one.get("identifiers") for one in acts}
    assert masked == {"CUS-1": None, "ORD-1": IDENTIFIERS, "APR-1": IDENTIFIERS}
    assert {one["basis"] for one in acts} == {"TD-1"}


@pytest.mark.parametrize(
    ("status", "rule", "is_closed"),
    [("triage", "erased", True), ("closed", "erased", False), ("triage", "always redacted", False)],
    ids=["open", "closed already", "open and kept"],
)
def test_an_open_case_that_has_to_go_is_closed_first(status: str, rule: str, is_closed: bool) -> None:
    case = Item("TD-5", "customer_case", [NUMBER], service="ticketdesk", type="ticket", status=status)
    rules = ["- `customer`: erased", f"- `customer_case`: {rule}"]

    calls = solved(found=[case], rules=rules)

    closed = [one["ticket_id"] for one in made(calls, "ticketdesk_close_ticket")]
    assert closed == (["TD-5", "TD-1"] if is_closed else ["TD-1"])
    if is_closed:
        names = [(name, one.get("ticket_id", one.get("object_id"))) for name, one in calls]
        erased = names.index(("ticketdesk_erase_personal_data", "TD-5"))
        assert names.index(("ticketdesk_close_ticket", "TD-5")) < erased


def test_special_records_are_approved_by_the_officer_before_anything_is_erased() -> None:
    calls = solved(found=[ORDER, FORM])

    [request] = made(calls, "approvalflow_submit_approval")
    assert (request["type"], request["approver"]) == ("special_erasure", "di.fox")
    assert request["fields"] == {"customer_no": NUMBER, "objects": 1}
    names = [name for name, _ in calls]
    assert names.index("approvalflow_check_status") < names.index("datahub_erase_personal_data")


@pytest.mark.parametrize(
    "facts",
    [
        {"found": [ORDER]},
        {"found": [ORDER, FORM], "special": "`voice_sample`"},
        {"found": [ORDER, FORM, HOLD], "held": 1.0, "covers": "FRM-1"},
        {
            "found": [FORM],
            "rules": ["- `customer`: erased", "- `allergy_form`: always redacted"],
        },
    ],
    ids=["no form", "another kind is special", "on hold", "only redacted"],
)
def test_nobody_is_asked_if_no_special_record_is_to_be_erased(facts: dict[str, Any]) -> None:
    assert not made(solved(**facts), "approvalflow_submit_approval")


def test_a_decision_is_awaited_until_it_falls() -> None:
    registry = Registry(found=[ORDER, FORM], decisions=["pending", "escalated", "approved"])

    calls = work(playing.solve, registry)

    start = Registry().now
    assert [one["until"] for one in made(calls, "wait")] == [to_iso(start + HOUR), to_iso(start + 2 * HOUR)]
    assert not registry.decisions


@pytest.mark.parametrize(
    ("facts", "ending"),
    [
        ({"ordered_on": TWO_YEARS_AGO}, FULL),
        ({}, BY_LAW),
        ({"found": [ORDER, HOLD], "held": 1.0, "covers": "ORD-1"}, ON_HOLD),
        ({"found": [ORDER, FORM, HOLD], "held": 1.0, "covers": "FRM-1"}, ON_HOLD),
        ({"found": [ORDER, HOLD], "held": 0.0}, BY_LAW),
    ],
    ids=["everything gone", "kept by law", "on hold", "on hold and kept by law", "lifted"],
)
def test_the_answer_is_the_template_that_fits_and_a_hold_comes_before_the_law(
    facts: dict[str, Any], ending: str
) -> None:
    assert answered(solved(**facts)) == [template(ending)]


def test_the_ticket_is_answered_last_and_then_closed() -> None:
    assert [name for name, _ in solved()][-4:] == [
        "datahub_search_documents",
        "ticketdesk_answer_ticket",
        "ticketdesk_close_ticket",
        "finish",
    ]


def test_a_naive_clerk_erases_whatever_bears_the_name_but_for_the_ticket() -> None:
    ticket = Item("TD-1", "erasure_request", [NAME], service="ticketdesk", type="ticket", status="triage")

    calls = work(SCENARIO.naive, Registry(found=[ORDER, INVOICE, CASE, FORM, HOLD, ticket]))

    assert treated(calls) == dict.fromkeys(["CUS-1", "CUS-2", "INV-1", "TD-5"], "erase")
    assert answered(calls) == [template(FULL)]
