"""What the company writes about a customer: which identifier each kind of object bears, and which it does not."""

import json
from collections.abc import Callable

import pytest

from companyos.sdk.simtime import DAY, to_iso
from scenarios.erasure_request.files import Customer, FileWriter, HeldObject
from scenarios.erasure_request.pack import add_hold

from .registered import Row, writer

SEEDS = range(30)


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


@pytest.mark.parametrize("kind", KINDS)
def test_held_objects_state_their_location(kind: str) -> None:
    files = writer()

    held = KINDS[kind][0](files, files.customer())

    row = row_of(files, held)
    assert row["id"] == held.id
    assert row.get("kind", row.get("system", held.kind)) == held.kind


def test_a_case_bears_the_number_the_address_or_an_order_and_never_nothing() -> None:
    seen = []
    for seed in SEEDS:
        files = writer(seed)
        customer = files.customer()
        held, row = files.case(customer, order_of(files, customer))
        said = {"description": row["description"]}
        seen.append(borne(files, customer, said) - {"name"})

        assert len(seen[-1]) == 1
        assert row["subject"] == customer.record["id"]
        assert held.id == row["id"]
    assert set().union(*seen) == {"number", "mail", "order"}


def test_an_open_case_is_in_triage_and_a_closed_one_has_an_answer() -> None:
    seen = set()
    for seed in SEEDS:
        files = writer(seed)
        customer = files.customer()
        held, row = files.case(customer, order_of(files, customer))
        seen.add((held.is_open, row["status"], row["resolution"]))

    assert seen == {(True, "triage", None), (False, "closed", "Answered.")}


def test_a_remark_is_a_comment_about_one_customer_in_the_ticket_of_another() -> None:
    files = writer()
    customer, other = files.customer(), files.customer()
    _, case = files.case(other, order_of(files, other))

    held = files.remark(customer, case)

    row = row_of(files, held)
    assert row["ticket_id"] == case["id"]
    assert borne(files, customer, row) == {"name", "number"}
    assert borne(files, other, {"body": row["body"]}) == set()


def test_a_payment_is_an_approved_request_about_the_customers_number() -> None:
    files = writer()
    customer = files.customer()
    _, case = files.case(customer, order_of(files, customer))

    held = files.goodwill(customer, case, files.staff)

    row = row_of(files, held)
    assert (row["status"], row["fields"]["customer_no"]) == ("approved", customer.number)
    assert isinstance(row["fields"]["amount"], float)


@pytest.mark.parametrize("age_days", [0, 1, 400])
def test_the_day_of_an_order_and_of_an_invoice_is_their_age_ago(age_days: int) -> None:
    files = writer()
    customer = files.customer()
    order = files.order(customer, age_days)
    invoice = files.invoice(customer, order, age_days)

    days = [row_of(files, order)["fields"]["ordered_on"], row_of(files, invoice)["fields"]["issued_on"]]

    assert days == [to_iso(files.company.start - age_days * DAY)[:10]] * 2
    assert (order.age_days, invoice.age_days) == (age_days, age_days)


def test_namesakes_share_a_name_and_neither_number_nor_address() -> None:
    for seed in SEEDS:
        files = writer(seed)
        customer = files.customer()
        namesake = files.customer(name=customer.name)

        assert namesake.name == customer.name
        assert not {customer.number, customer.mail} & {namesake.number, namesake.mail}


def test_the_digits_of_a_customers_address_are_even_and_a_namesakes_odd() -> None:
    digits: dict[bool, set[int]] = {}
    for seed in SEEDS:
        files = writer(seed)
        customer = files.customer()
        for one in (customer, files.customer(name=customer.name)):
            local = one.mail.split("@")[0]
            digits.setdefault(one is customer, set()).add(int(local[-2:]) % 2)

    assert digits == {True: {0}, False: {1}}


@pytest.mark.parametrize(
    ("known", "fresh"), [(True, True), (True, False), (False, True), (False, False)], ids=str
)
def test_a_hold_shows_what_was_known_until_its_metric_is_refreshed(known: bool, fresh: bool) -> None:
    files = writer()
    customer = files.customer()

    hold, metric = add_hold(files, customer, "everything", known=known, fresh=fresh)

    assert (hold["fields"]["customer_no"], hold["fields"]["covers"]) == (customer.number, "everything")
    assert metric["subject"] == hold["id"]
    assert metric["value"] == float(known)
    assert files.company.source(metric["id"])["values"] == [float(fresh)]


def test_the_flag_of_a_hold_is_out_of_date() -> None:
    for seed in SEEDS:
        files = writer(seed)
        _, metric = add_hold(files, files.customer(), "everything", known=True, fresh=True)

        assert files.company.start - metric["as_of"] >= 4 * DAY > metric["ttl_s"]


def test_people_of_one_name_have_different_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.erasure_request.files.new_name", lambda company, draw_name: "Ada Hansen")
    monkeypatch.setattr("scenarios.erasure_request.words.HOSTS", ("inbox.example",))
    files = writer()

    customers = [files.customer() for _ in range(20)] + [files.customer(name="Ada Hansen") for _ in range(20)]

    assert len({customer.mail for customer in customers}) == 40
