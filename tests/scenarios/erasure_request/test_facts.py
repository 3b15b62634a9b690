"""The facts of a request by its cause: what a hold covers, who asks, who approves, and which answer fits."""

import pytest

from companyos.sdk.simtime import DAY
from scenarios.erasure_request.documents import ANSWERS, BY_LAW, FULL, ON_HOLD
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, LIFTED, PROVEN, UNPROVEN, Facts
from scenarios.erasure_request.pack import OFFICER
from scenarios.erasure_request.terms import ERASE, REDACT
from scenarios.erasure_request.words import LAWYERS

from .erasures import facts_of
from .registered import PAIRS, SEEDS, Drawn, drawn

CAUSES = tuple(PAIRS)
each_cause = pytest.mark.parametrize("cause", CAUSES)


def all_of(cause: str) -> list[Drawn]:
    return [drawn(cause, seed) for seed in SEEDS]


def scope(one: Drawn) -> str:
    return str(one.facts.hold["fields"]["covers"])


def title(one: Drawn) -> str:
    return str(one.row("documents", one.facts.template)["title"])


def sender_is_on_file(facts: Facts) -> bool:
    return bool(facts.request.mail["sender"] == facts.customer.mail)


@each_cause
def test_every_object_is_treated_or_covered_and_never_both(cause: str) -> None:
    for one in all_of(cause):
        facts = one.facts

        assert facts.acts.keys() | facts.covered == facts.held.keys()
        assert not facts.acts.keys() & facts.covered


@each_cause
def test_customers_objects_include_neither_namesake_data_nor_evidence(cause: str) -> None:
    for one in all_of(cause):
        facts = one.facts

        assert not facts.strangers & facts.held.keys()
        assert not facts.evidence & (facts.held.keys() | facts.strangers)


@pytest.mark.parametrize(
    ("cause", "in_force"),
    [(HELD_PART, 1.0), (HELD_ALL, 1.0), (LIFTED, 0.0), (PROVEN, 0.0), (UNPROVEN, 0.0)],
)
def test_only_a_refresh_shows_whether_the_hold_is_in_force(cause: str, in_force: float) -> None:
    found = all_of(cause)

    assert {tuple(one.company.source(one.facts.metric["id"])["values"]) for one in found} == {(in_force,)}
    assert {one.facts.metric["value"] for one in found} == {0.0, 1.0}


def test_a_hold_on_everything_covers_everything() -> None:
    for one in all_of(HELD_ALL):
        assert scope(one) == "everything"
        assert one.facts.covered == one.facts.held.keys()
        assert not one.facts.acts


def test_a_hold_on_some_objects_covers_those_that_its_record_names() -> None:
    for one in all_of(HELD_PART):
        assert scope(one) == ", ".join(sorted(one.facts.covered))


def test_a_hold_on_some_objects_covers_orders_or_invoices_and_one_other_but_not_the_record() -> None:
    for one in all_of(HELD_PART):
        covered = [one.facts.held[key].kind for key in one.facts.covered]
        others = [kind for kind in covered if kind not in ("order", "invoice")]

        assert len(others) == 1
        assert others != ["customer"]
        assert 1 <= len(covered) - len(others) <= 2
        assert one.facts.acts


@pytest.mark.parametrize("cause", [LIFTED, PROVEN, UNPROVEN])
def test_a_hold_that_is_not_in_force_covers_nothing(cause: str) -> None:
    assert {one.facts.covered for one in all_of(cause)} == {frozenset()}


def test_the_hold_of_a_pair_about_the_sender_would_cover_everything_or_a_part() -> None:
    assert {scope(one) == "everything" for one in all_of(PROVEN)} == {True, False}


def test_a_lifted_hold_whose_twin_covers_a_part_would_have_covered_a_part() -> None:
    assert not any(scope(one) == "everything" for one in all_of(LIFTED))


@pytest.mark.parametrize(("cause", "status"), [(PROVEN, "in_force"), (UNPROVEN, "withdrawn")])
def test_a_lawyer_has_a_power_of_attorney_that_is_in_force_if_they_may_ask(cause: str, status: str) -> None:
    by_lawyers = [one for one in all_of(cause) if one.facts.request.attorney is not None]

    assert 0 < len(by_lawyers) < len(SEEDS)
    for one in by_lawyers:
        paper, mail = one.facts.request.attorney, one.facts.request.mail
        assert paper is not None
        assert paper["status"] == status
        assert mail["sender"] in paper["body"]
        assert mail["sender"] in LAWYERS
        assert one.facts.customer.number in paper["body"]


@each_cause
def test_without_a_lawyer_the_sender_is_on_file_exactly_if_they_may_ask(cause: str) -> None:
    for one in all_of(cause):
        if one.facts.request.attorney is None:
            assert sender_is_on_file(one.facts) is (cause != UNPROVEN)


def test_a_sender_who_may_not_ask_has_an_address_like_the_customers() -> None:
    for one in all_of(UNPROVEN):
        facts = one.facts
        if facts.request.attorney is None:
            local, host = facts.request.mail["sender"].split("@")
            own, own_host = facts.customer.mail.split("@")

            assert own.startswith(local)
            assert (local == own) is not (host == own_host)


@each_cause
def test_the_mail_names_the_customer_and_the_ticket_names_the_mail(cause: str) -> None:
    for one in all_of(cause):
        facts = one.facts

        assert facts.customer.number in facts.request.mail["body"]
        assert facts.customer.name in facts.request.mail["body"]
        assert facts.request.ticket["subject"] == facts.request.mail["id"]
        assert facts.request.ticket["assignee"] == facts.me.id


def test_a_ticket_may_claim_the_number_of_the_namesake() -> None:
    found = [one for one in all_of(LIFTED) if "K-" in one.facts.request.ticket["description"]]
    right = [one for one in found if one.facts.customer.number in one.facts.request.ticket["description"]]

    assert 0 < len(right) < len(found)


@each_cause
def test_special_records_are_counted_that_are_erased_and_not_covered(cause: str) -> None:
    for one in all_of(cause):
        facts = one.facts
        erased = [facts.held[key].kind for key in facts.ids(ERASE)]
        [procedure] = [
            row
            for row in one.company.rows["datahub"]["documents"]
            if row["title"].startswith("Erasing") and row["status"] == "in_force"
        ]
        told = procedure["body"].partition("Records of the kinds ")[2].partition(" are special")[0]

        assert facts.special == sum(f"`{kind}`" in told for kind in erased)


@pytest.mark.parametrize(("cause", "titles"), [(HELD_PART, {ON_HOLD}), (LIFTED, {FULL, BY_LAW})])
def test_the_template_is_about_the_hold_or_else_about_the_law_or_about_all(
    cause: str, titles: set[str]
) -> None:
    found = {title(one) for one in all_of(cause)}

    assert found == {ANSWERS[ending] for ending in titles}


def test_the_template_about_the_law_is_for_requests_with_something_to_redact() -> None:
    for one in all_of(LIFTED):
        assert (title(one) == ANSWERS[BY_LAW]) is (REDACT in one.facts.acts.values())


def test_the_officer_approves_unless_they_are_on_leave() -> None:
    away = 0
    for one in all_of(LIFTED):
        officer = one.cast.offices[OFFICER]
        absences = [row for row in one.company.rows["datahub"]["absences"] if row["person_id"] == officer.id]
        away += bool(absences)

        expected = one.cast.deputy(OFFICER).id if absences else officer.id
        assert one.company.on_duty(one.facts.approver) == expected
        assert all(row["starts_at"] < one.company.start - DAY / 2 for row in absences)
        assert all(row["ends_at"] > one.company.start + 4 * DAY for row in absences)
    assert 0 < away < len(SEEDS)


@pytest.mark.parametrize(
    ("cause", "erases"),
    [(HELD_PART, True), (LIFTED, True), (PROVEN, True), (HELD_ALL, False), (UNPROVEN, False)],
)
def test_something_is_erased_unless_all_is_on_hold_or_nobody_may_ask(cause: str, erases: bool) -> None:
    assert facts_of(cause).erases is erases


def test_the_objects_of_a_treatment_are_listed_in_order() -> None:
    facts = facts_of(acts={"TD-5": ERASE, "CUS-1": ERASE, "ORD-1": REDACT})

    assert (facts.ids(ERASE), facts.ids(REDACT)) == (["CUS-1", "TD-5"], ["ORD-1"])


@pytest.mark.parametrize(
    ("cause", "other"), [(HELD_PART, LIFTED), (PROVEN, UNPROVEN)], ids=["hold", "sender"]
)
def test_the_two_of_a_pair_hold_the_same_objects(cause: str, other: str) -> None:
    for seed in SEEDS:
        one, twin = drawn(cause, seed).facts, drawn(other, seed).facts

        assert one.held == twin.held
        assert one.strangers == twin.strangers
        assert one.approver == twin.approver
