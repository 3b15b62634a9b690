"""What an approver decides, and who takes over from one who is away."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.approvalflow.decisions import (
    Attempt,
    Case,
    Objection,
    Outcome,
    Reason,
    Remedy,
    decide,
    escalation_target,
    unsettled,
)
from services.approvalflow.domain import FieldSpec, FieldType, FieldValue, Policy, Route

VENDORS = Policy(
    "vendor_approval",
    metric_name="compliance_score",
    metric_field="score",
    minimum=80,
    maximum=100,
    routes=(Route("cfo"),),
    fields=(FieldSpec("cost_centre", FieldType.STRING, "What pays for it.", required=False),),
)
GOOD = Case(fields={"score": 85}, figure=85.0, approver="sarah.chen", deciders=["sarah.chen"])
DOCUMENT = Objection(1, "missing_attachment", Remedy.ADD_EVIDENCE)
SECOND_LOOK = Objection(1, "needs_second_look", Remedy.RESUBMIT)
BUDGET = Objection(1, "budget_code_missing", Remedy.FIX_FIELD, {"cost_centre": "CC-310"})
SECOND_OPINION = Objection(1, "second_opinion_wanted", Remedy.SECOND_APPROVER)


def attempt(number: int, **brings: object) -> Attempt:
    return replace(Attempt(number, "sarah.chen"), **brings)


def code(case: Case, policy: Policy = VENDORS) -> str | None:
    return decide(policy, case).code


def test_a_good_request_is_approved_without_a_reason() -> None:
    verdict = decide(VENDORS, GOOD)

    assert (verdict.outcome, verdict.code, verdict.reason) == (Outcome.APPROVED, None, None)


def test_a_person_the_route_does_not_lead_to_rejects_and_says_where_it_leads() -> None:
    verdict = decide(VENDORS, replace(GOOD, approver="tom.baker"))

    assert (verdict.outcome, verdict.code) == (Outcome.REJECTED, Reason.NOT_MY_APPROVAL)
    assert "tom.baker" in (verdict.reason or "")
    assert "the role cfo" in (verdict.reason or "")


def test_an_amount_that_no_route_covers_is_nobodys_approval() -> None:
    policy = Policy("small", routes=(Route("manager", 100),), route_field="amount")
    case = Case(fields={"amount": 100}, figure=None, approver="mia.boss", deciders=[])

    verdict = decide(policy, case)

    assert verdict.code == Reason.NOT_MY_APPROVAL
    assert "no route" in (verdict.reason or "")


@pytest.mark.parametrize("stated", [84, 85.01, "85", None])
def test_a_figure_other_than_the_pinned_one_is_rejected_without_giving_the_pinned_one_away(
    stated: FieldValue,
) -> None:
    verdict = decide(VENDORS, replace(GOOD, fields={"score": stated}))

    assert verdict.code == Reason.FIGURE_MISMATCH
    assert "85" not in (verdict.reason or "")


def test_a_whole_number_equals_the_same_figure_with_a_point() -> None:
    assert code(replace(GOOD, fields={"score": 85})) is None
    assert code(replace(GOOD, fields={"score": 85.0})) is None


@pytest.mark.parametrize(
    ("figure", "expected"),
    [(79.9, Reason.BELOW_THRESHOLD), (80, None), (100, None), (100.1, Reason.ABOVE_THRESHOLD)],
)
def test_the_bounds_of_the_range_are_acceptable(figure: float, expected: Reason | None) -> None:
    assert code(replace(GOOD, fields={"score": figure}, figure=figure)) == expected


def test_a_policy_without_a_figure_looks_at_none() -> None:
    assert code(replace(GOOD, fields={}, figure=None), Policy("plain", routes=(Route("cfo"),))) is None


def test_an_objection_comes_after_the_policys_own_reasons() -> None:
    assert code(replace(GOOD, objection=DOCUMENT)) == "missing_attachment"
    assert (
        code(replace(GOOD, objection=DOCUMENT, figure=79.0, fields={"score": 79})) == Reason.BELOW_THRESHOLD
    )


@pytest.mark.parametrize(
    ("objection", "words", "tool"),
    [
        (DOCUMENT, "Missing attachment.", "add_evidence"),
        (SECOND_LOOK, "Needs second look.", "resubmit"),
        (BUDGET, "Budget code missing.", "cost_centre in its fields: What pays for it."),
        (SECOND_OPINION, "Second opinion wanted.", "sarah.chen counts as away"),
    ],
)
def test_an_objection_says_what_settles_it(objection: Objection, words: str, tool: str) -> None:
    verdict = decide(VENDORS, replace(GOOD, objection=objection))
    reason = verdict.reason or ""

    assert reason.startswith(words)
    assert tool in reason
    assert verdict.remedy == objection.remedy


def test_an_objection_to_a_field_does_not_give_its_value_away() -> None:
    assert "CC-310" not in (decide(VENDORS, replace(GOOD, objection=BUDGET)).reason or "")


def test_what_the_policy_rejects_has_no_remedy_of_the_approvers_own() -> None:
    assert decide(VENDORS, replace(GOOD, approver="tom.baker", objection=DOCUMENT)).remedy is None


def test_a_second_look_is_settled_by_the_next_attempt() -> None:
    assert unsettled([SECOND_LOOK], attempt(1, has_attachments=True)) == SECOND_LOOK
    assert unsettled([SECOND_LOOK], attempt(2)) is None


def test_a_missing_document_is_settled_by_a_document_and_not_by_another_attempt() -> None:
    assert unsettled([DOCUMENT], attempt(3)) == DOCUMENT
    assert unsettled([DOCUMENT], attempt(1, has_attachments=True)) is None


@pytest.mark.parametrize(
    "stated", [{}, {"cost_centre": "CC-311"}, {"cost_centre": None}, {"reporter": "CC-310"}]
)
def test_a_missing_field_is_settled_by_the_right_value_only(stated: dict[str, FieldValue]) -> None:
    assert unsettled([BUDGET], attempt(3, fields=stated, has_attachments=True)) == BUDGET
    assert unsettled([BUDGET], attempt(2, fields={**stated, "cost_centre": "CC-310"})) is None


def test_a_wish_for_a_second_approver_is_settled_by_asking_somebody_else() -> None:
    assert unsettled([SECOND_OPINION], attempt(1)) == SECOND_OPINION
    assert unsettled([SECOND_OPINION], attempt(2, objectors={"sarah.chen"})) == SECOND_OPINION
    assert unsettled([SECOND_OPINION], attempt(2, objectors={"david.kim"})) is None


def test_a_wish_for_a_second_approver_that_nobody_has_uttered_yet_stands_at_a_later_attempt() -> None:
    assert unsettled([DOCUMENT, SECOND_OPINION], attempt(2, has_attachments=True)) == SECOND_OPINION


def test_an_objection_to_a_later_attempt_does_not_stand_yet() -> None:
    later = replace(SECOND_LOOK, attempt=2)

    assert unsettled([later], attempt(1)) is None
    assert unsettled([later, DOCUMENT], attempt(2)) == DOCUMENT


@given(
    st.lists(st.builds(Objection, st.integers(1, 4), st.just("reason"), st.sampled_from(Remedy))),
    st.integers(5, 9),
)
def test_objections_end_with_their_attempts_once_all_they_ask_for_is_done(
    objections: list[Objection], number: int
) -> None:
    done = attempt(number, has_attachments=True, objectors={"david.kim"})

    assert unsettled(objections, done) is None


def test_a_request_goes_to_the_approvers_delegate_before_others() -> None:
    assert escalation_target(["ada", "david"], approver="sarah", delegate="david", barred=[]) == "david"
    assert escalation_target(["ada", "david"], approver="sarah", delegate="eve", barred=[]) == "ada"
    assert escalation_target(["ada"], approver="sarah", delegate=None, barred=[]) == "ada"


def test_a_request_never_goes_to_its_approver_or_somebody_barred() -> None:
    assert escalation_target(["sarah"], approver="sarah", delegate="david", barred=[]) is None
    assert escalation_target(["david"], approver="sarah", delegate="david", barred=["david"]) is None
    assert escalation_target([], approver="sarah", delegate=None, barred=[]) is None
