"""What an approver decides, and who takes over from one who is away."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.approvalflow.decisions import (
    Attempt,
    Objection,
    Outcome,
    PendingRequest,
    Reason,
    Remedy,
    decide,
    escalation_target,
    open_objection,
)
from services.approvalflow.domain import EvidenceKind, FieldSpec, FieldType, FieldValue, Policy, Route

VENDORS = Policy(
    "vendor_approval",
    metric_name="compliance_score",
    metric_field="score",
    minimum=80,
    maximum=100,
    routes=(Route("cfo"),),
    fields=(FieldSpec("cost_centre", FieldType.STRING, "What pays for it.", required=False),),
)
GOOD = PendingRequest(fields={"score": 85}, metric=85.0, approver="sarah.chen", deciders=["sarah.chen"])
DOCUMENT = Objection(1, "missing_attachment", Remedy.ADD_EVIDENCE, evidence=EvidenceKind.RECORD)
ATTACHED = {EvidenceKind.RECORD}
SECOND_LOOK = Objection(1, "needs_second_look", Remedy.RESUBMIT)
BUDGET = Objection(1, "budget_code_missing", Remedy.FIX_FIELD, {"cost_centre": "CC-310"})
SECOND_OPINION = Objection(1, "second_opinion_wanted", Remedy.SECOND_APPROVER)


def attempt(number: int, **brings: object) -> Attempt:
    return replace(Attempt(number, "sarah.chen"), **brings)


def code(pending: PendingRequest, policy: Policy = VENDORS) -> str | None:
    return decide(policy, pending).code


def test_a_person_the_route_does_not_lead_to_rejects_and_says_where_it_leads() -> None:
    verdict = decide(VENDORS, replace(GOOD, approver="tom.baker"))

    assert (verdict.outcome, verdict.code) == (Outcome.REJECTED, Reason.NOT_MY_APPROVAL)
    assert "tom.baker" in (verdict.reason or "")
    assert "the role cfo" in (verdict.reason or "")


def test_an_amount_that_no_route_covers_is_nobodys_approval() -> None:
    policy = Policy("small", routes=(Route("manager", 100),), route_field="amount")
    pending = PendingRequest(fields={"amount": 100}, metric=None, approver="mia.boss", deciders=[])

    verdict = decide(policy, pending)

    assert verdict.code == Reason.NOT_MY_APPROVAL
    assert "no route" in (verdict.reason or "")


@pytest.mark.parametrize("stated", [84, 85.01, "85", None])
def test_a_metric_other_than_the_pinned_one_is_rejected_without_giving_the_pinned_one_away(
    stated: FieldValue,
) -> None:
    verdict = decide(VENDORS, replace(GOOD, fields={"score": stated}))

    assert verdict.code == Reason.METRIC_MISMATCH
    assert "85" not in (verdict.reason or "")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [(79.9, Reason.BELOW_THRESHOLD), (80, None), (100, None), (100.1, Reason.ABOVE_THRESHOLD)],
)
def test_the_bounds_of_the_range_are_acceptable(metric: float, expected: Reason | None) -> None:
    assert code(replace(GOOD, fields={"score": metric}, metric=metric)) == expected


def test_an_objection_comes_after_the_policys_own_reasons() -> None:
    assert code(replace(GOOD, objection=DOCUMENT)) == "missing_attachment"
    assert (
        code(replace(GOOD, objection=DOCUMENT, metric=79.0, fields={"score": 79})) == Reason.BELOW_THRESHOLD
    )


@pytest.mark.parametrize(
    ("objection", "words", "advice", "field"),
    [
        (DOCUMENT, "Missing attachment.", "with approvalflow_add_evidence, then resubmit", None),
        (SECOND_LOOK, "Needs second look.", "resubmit", None),
        (BUDGET, "Budget code missing.", "cost_centre in its fields: What pays for it.", "cost_centre"),
        (SECOND_OPINION, "Second opinion wanted.", "sarah.chen counts as absent", "approver"),
    ],
)
def test_an_objection_says_what_settles_it_in_words_and_as_fields(
    objection: Objection, words: str, advice: str, field: str | None
) -> None:
    verdict = decide(VENDORS, replace(GOOD, ticket_id="TD-1042", objection=objection))
    reason = verdict.reason or ""

    assert reason.startswith(words)
    assert advice in reason
    assert (verdict.remedy, verdict.required_field) == (objection.remedy, field)
    assert verdict.required_evidence is objection.evidence


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (EvidenceKind.RECORD, "Attach the record that the ticket is about"),
        (EvidenceKind.METRIC, "Attach the metric that the request rests on"),
        (EvidenceKind.TICKET, "Attach the ticket of the request"),
    ],
)
def test_an_approver_names_the_attachment_that_is_missing(kind: EvidenceKind, words: str) -> None:
    verdict = decide(VENDORS, replace(GOOD, objection=replace(DOCUMENT, evidence=kind)))

    assert words in (verdict.reason or "")
    assert f"kind `{kind}`" in (verdict.reason or "")
    assert verdict.required_evidence is kind


@pytest.mark.parametrize(
    ("pending", "remedy", "field"),
    [
        (replace(GOOD, approver="tom.baker", objection=DOCUMENT), Remedy.RESUBMIT, "approver"),
        (replace(GOOD, fields={"score": 84}), Remedy.FIX_FIELD, "score"),
        (replace(GOOD, fields={"score": 79}, metric=79.0), None, None),
    ],
)
def test_policy_rejection_names_its_remedy_and_the_field_to_change(
    pending: PendingRequest, remedy: Remedy | None, field: str | None
) -> None:
    verdict = decide(VENDORS, pending)

    assert (verdict.remedy, verdict.required_field) == (remedy, field)


def test_a_wish_for_a_second_approver_that_nobody_has_uttered_yet_stands_at_a_later_attempt() -> None:
    assert open_objection([DOCUMENT, SECOND_OPINION], attempt(2, attached=ATTACHED)) == SECOND_OPINION


def test_an_objection_to_a_later_attempt_does_not_stand_yet() -> None:
    later = replace(SECOND_LOOK, attempt=2)

    assert open_objection([later], attempt(1)) is None
    assert open_objection([later, DOCUMENT], attempt(2)) == DOCUMENT


@given(
    st.lists(
        st.builds(
            Objection,
            st.integers(1, 4),
            st.just("reason"),
            st.sampled_from(Remedy),
            evidence=st.sampled_from([EvidenceKind.RECORD, EvidenceKind.METRIC, EvidenceKind.TICKET]),
        )
    ),
    st.integers(5, 9),
)
def test_objections_end_with_their_attempts_once_all_they_ask_for_is_done(
    objections: list[Objection], number: int
) -> None:
    done = attempt(number, attached=set(EvidenceKind), objectors={"david.kim"})

    assert open_objection(objections, done) is None


def test_a_request_goes_to_the_approvers_delegate_before_others() -> None:
    assert escalation_target(["ada", "david"], approver="sarah", delegate="david", barred=[]) == "david"
    assert escalation_target(["ada", "david"], approver="sarah", delegate="eve", barred=[]) == "ada"
    assert escalation_target(["ada"], approver="sarah", delegate=None, barred=[]) == "ada"


def test_a_request_never_goes_to_its_approver_or_somebody_barred() -> None:
    assert escalation_target(["sarah"], approver="sarah", delegate="david", barred=[]) is None
    assert escalation_target(["david"], approver="sarah", delegate="david", barred=["david"]) is None
    assert escalation_target([], approver="sarah", delegate=None, barred=[]) is None
