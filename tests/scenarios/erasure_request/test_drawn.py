"""Drawn requests: what a hold covers, who asks, which answer fits, and what each kind of object says of a person."""

import json
from collections.abc import Callable

import pytest

from scenarios.erasure_request.documents import ANSWERS, BY_LAW, FULL, ON_HOLD
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, LIFTED, PROVEN, UNPROVEN
from scenarios.erasure_request.files import Customer, FileWriter, HeldObject
from scenarios.erasure_request.terms import DATED, ERASE, REDACT, Terms, draw_terms
from scenarios.erasure_request.words import LAWYERS

from .registered import PAIRS, SEEDS, Drawn, Row, drawn, staffed, writer

CAUSES = tuple(PAIRS)
each_cause = pytest.mark.parametrize("cause", CAUSES)


def all_of(cause: str) -> list[Drawn]:
    return [drawn(cause, seed) for seed in SEEDS]


def scope(one: Drawn) -> str:
    return str(one.facts.hold["fields"]["covers"])


def title(one: Drawn) -> str:
    return str(one.row("documents", one.facts.template)["title"])


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


def test_a_hold_on_some_objects_covers_orders_or_invoices_and_one_other_but_not_the_record() -> None:
    for one in all_of(HELD_PART):
        covered = [one.facts.held[key].kind for key in one.facts.covered]
        others = [kind for kind in covered if kind not in ("order", "invoice")]

        assert len(others) == 1
        assert others != ["customer"]
        assert 1 <= len(covered) - len(others) <= 2
        assert one.facts.acts


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


def test_a_sender_who_may_not_ask_has_an_address_like_the_customers() -> None:
    for one in all_of(UNPROVEN):
        facts = one.facts
        if facts.request.attorney is None:
            local, host = facts.request.mail["sender"].split("@")
            own, own_host = facts.customer.mail.split("@")

            assert own.startswith(local)
            assert (local == own) is not (host == own_host)


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


@pytest.mark.parametrize(
    ("cause", "other"), [(HELD_PART, LIFTED), (PROVEN, UNPROVEN)], ids=["hold", "sender"]
)
def test_the_two_of_a_pair_hold_the_same_objects(cause: str, other: str) -> None:
    for seed in SEEDS:
        one, twin = drawn(cause, seed).facts, drawn(other, seed).facts

        assert one.held == twin.held
        assert one.strangers == twin.strangers
        assert one.approver == twin.approver


def order_of(files: FileWriter, customer: Customer) -> HeldObject:
    return files.order(customer, 400)


#: How each kind of object is written, and the identifiers that it bears.
KINDS: dict[str, tuple[Callable[[FileWriter, Customer], HeldObject], set[str]]] = {
    "record": (lambda files, customer: files.held_record(customer), {"name", "number", "mail"}),
    "order": (order_of, {"number"}),
    "invoice": (lambda files, one: files.invoice(one, order_of(files, one), 30), {"name", "order"}),
    "form": (lambda files, customer: files.form(customer, "voice_sample"), {"mail"}),
    "letter": (lambda files, customer: files.letter(customer), {"name", "number"}),
    "minutes": (lambda files, one: files.minutes(one, order_of(files, one)), {"name", "order"}),
    "mail": (lambda files, customer: files.mail(customer), {"name", "mail"}),
    "portal": (lambda files, customer: files.portal(customer), {"mail"}),
}


def row_of(files: FileWriter, held: HeldObject) -> Row:
    return files.company.row(held.service, held.table, held.id)


def borne(files: FileWriter, customer: Customer, row: Row) -> set[str]:
    """Return which identifiers of a customer a row bears, its own id aside."""
    orders = [one for one in files.company.rows["datahub"]["records"] if one["kind"] == "order"]
    text = json.dumps({name: value for name, value in row.items() if name != "id"}, ensure_ascii=False)
    known = {"name": customer.name, "number": customer.number, "mail": customer.mail}
    found = {what for what, identifier in known.items() if identifier in text}
    mine = [one["id"] for one in orders if one["fields"]["customer_no"] == customer.number]
    numbers = {"order"} if row.get("kind") != "order" and any(one in text for one in mine) else set[str]()
    return found | numbers


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_object_bears_its_own_identifiers_and_no_others(kind: str) -> None:
    write, identifiers = KINDS[kind]
    for seed in range(8):
        files = writer(seed)
        customer = files.customer()

        held = write(files, customer)

        assert borne(files, customer, row_of(files, held)) == identifiers


def test_people_of_one_name_have_different_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.erasure_request.files.new_name", lambda company, draw_name: "Ada Hansen")
    monkeypatch.setattr("scenarios.erasure_request.words.HOSTS", ("inbox.example",))
    files = writer()

    customers = [files.customer() for _ in range(20)] + [files.customer(name="Ada Hansen") for _ in range(20)]

    assert len({customer.mail for customer in customers}) == 40


@pytest.mark.parametrize(
    ("kind", "age_days", "mode"),
    [
        ("order", 2 * 365 - 1, REDACT),
        ("order", 2 * 365, ERASE),
        ("invoice", 8 * 365 - 1, REDACT),
        ("invoice", 8 * 365, ERASE),
        ("minutes", 10_000, REDACT),
        ("customer", 0, ERASE),
    ],
)
def test_a_dated_kind_is_kept_until_its_years_are_over(kind: str, age_days: int, mode: str) -> None:
    terms = Terms({"order": 2, "invoice": 8}, {"customer": ERASE, "minutes": REDACT}, frozenset())

    assert terms.mode(kind, age_days) == mode


def test_ages_are_far_from_every_limit_and_the_editions_often_disagree_about_them() -> None:
    disagreeing = []
    for seed in SEEDS:
        now, before = draw_terms(staffed(seed)[0].draws)
        for one in (one for one in drawn(LIFTED, seed).facts.held.values() if one.kind in DATED):
            assert one.age_days is not None
            assert all(abs(one.age_days - 365 * edition.years[one.kind]) >= 60 for edition in (now, before))
            disagreeing.append(now.mode(one.kind, one.age_days) != before.mode(one.kind, one.age_days))

    assert 0.25 < sum(disagreeing) / len(disagreeing) < 0.75


def test_a_remark_about_the_customer_is_in_the_ticket_of_somebody_else() -> None:
    remarks = 0
    for one in all_of(LIFTED):
        for held in (held for held in one.facts.held.values() if held.kind == "comment"):
            comment = one.row("comments", held.id, "ticketdesk")
            ticket = one.row("tickets", comment["ticket_id"], "ticketdesk")
            remarks += 1
            assert ticket["id"] not in one.facts.held
            assert one.facts.customer.number in comment["body"]
            assert one.facts.customer.number not in ticket["description"]
    assert remarks
