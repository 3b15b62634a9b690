"""The drawn pile: what each invoice bills, and why its outcome is right."""

from collections.abc import Callable, Iterator
from datetime import date

import pytest

from companyos.scenario import Instance
from companyos.sdk.simtime import DAY
from scenarios.invoice_match.cases import GROUPS
from scenarios.invoice_match.reading import booked_by, comes_later
from scenarios.invoice_match.words import COUNTING, LATER, NEVER

from ..conftest import instance_of
from .drawn_piles import PRICE, SCENARIO, SHORT, booked, ends_of, handbook, missing, pile, table


def pairs(instances: list[Instance]) -> Iterator[tuple[Instance, Instance]]:
    yield from zip(instances[::2], instances[1::2], strict=True)


def test_a_pile_holds_twenty_to_twenty_four_invoices_of_several_ends(instances: list[Instance]) -> None:
    for instance in instances:
        ends = [end.rpartition(":")[0] or end for end in ends_of(instance).values()]
        assert 20 <= len(ends) <= 24
        assert len({end.partition(":")[0] for end in ends}) >= 2

    every = {":".join(end.split(":")[:2]) for one in instances for end in ends_of(one).values()}
    assert {end for end in every if not end.startswith("pay")} == {
        "hold:goods_missing",
        "hold:bank_unconfirmed",
        "hold:already_paid",
        "return:duplicate",
        "return:no_order",
        "return:order_closed",
        "return:wrong_currency",
        PRICE,
        SHORT,
    }


def test_about_one_task_in_eight_is_to_be_refused(instances: list[Instance]) -> None:
    refused = [instance for instance in instances if not instance.feasible]

    assert len(instances) / 16 <= len(refused) <= len(instances) / 4
    assert {instance.refusal.reason_codes[0] for instance in refused if instance.refusal} == {"payment_stop"}


def test_a_pair_differs_in_what_is_still_booked_or_in_one_notice(instances: list[Instance]) -> None:
    for first, second in pairs(instances):
        causes = {first.cause, second.cause}
        assert causes in ({"covers", "lacks"}, {"over", "lasts"})
        assert first.brief == second.brief
        differ = {
            (service, name, row["id"])
            for service, tables in first.rows.items()
            for name, rows in tables.items()
            for row, other in zip(rows, second.rows[service][name], strict=True)
            if row != other
        }
        [(_, name, row_id)] = differ
        if causes == {"covers", "lacks"}:
            assert name == "expected_receipts"
            assert ends_of(first) != ends_of(second)
        else:
            [refusal] = [one.refusal for one in (first, second) if one.refusal]
            assert (name, [row_id]) == ("documents", refusal.evidence)


def test_only_invoices_with_missing_goods_are_held_or_claimed(instances: list[Instance]) -> None:
    for instance in instances:
        held = "hold the invoice then, too" in handbook(instance, "in_force")
        for invoice, end in pile(instance):
            if invoice["kind"] == "credit_note" or end.startswith("return:"):
                continue
            lacks = missing(instance, invoice, expected=True)
            assert (lacks > 0) == (end.startswith((SHORT, "hold:goods_missing"))), (instance.seed, end)
            assert not (held and end.startswith(SHORT))


def test_only_what_was_billed_before_is_a_duplicate(instances: list[Instance]) -> None:
    for instance in instances:
        every = table(instance, "invoices").values()
        for invoice, end in pile(instance):
            same = [one for one in every if one["id"] != invoice["id"] and one["kind"] == "invoice"]
            same = [one for one in same if one["delivery_note"] == invoice["delivery_note"] is not None]
            before = [one for one in same if one["invoiced_at"] < invoice["invoiced_at"]]
            assert bool(before) == (end == "return:duplicate")
            assert all(one["number"] != invoice["number"] for one in same)


def test_money_goes_elsewhere_only_after_a_call_to_the_number_on_record(instances: list[Instance]) -> None:
    elsewhere = 0
    for instance in instances:
        tickets = instance.rows["ticketdesk"]["tickets"]
        for invoice, end in pile(instance):
            fields = table(instance, "records")[invoice["supplier_id"]]["fields"]
            told = [
                row["resolution"]
                for row in tickets
                if row["subject"] == invoice["supplier_id"] and row["status"] == "closed"
            ]
            called = any(fields["phone"] in one and str(invoice["account"]) in one for one in told)
            strange = invoice["account"] != fields["account"]
            assert (strange and not called) == (end == "hold:bank_unconfirmed")
            if end.startswith("pay:"):
                assert end == f"pay:{invoice['account'] if strange else fields['account']}"
                elsewhere += strange

    assert elsewhere >= 3


def test_invoices_of_a_supplier_have_different_numbers(instances: list[Instance]) -> None:
    for instance in instances:
        rows = table(instance, "invoices").values()
        assert len({(row["supplier_id"], row["number"]) for row in rows}) == len(rows), instance.seed


def test_a_supplier_numbers_its_invoices_apart_even_if_the_same_number_is_drawn(
    draw_alike: Callable[[str], None],
) -> None:
    draw_alike("number")

    rows = table(instance_of(SCENARIO, 0), "invoices").values()

    assert len({(row["supplier_id"], row["number"]) for row in rows}) == len(rows)
    assert len({row["number"] for row in rows}) < len(rows)


def test_delivery_notes_belong_to_one_order(instances: list[Instance]) -> None:
    for instance in instances:
        rows = [*table(instance, "invoices").values(), *table(instance, "goods_receipts").values()]
        orders = {(row["delivery_note"], row["order_id"]) for row in rows if row["delivery_note"]}
        assert len(orders) == len({note for note, _ in orders})


def test_returned_invoices_state_the_reason_of_their_return(instances: list[Instance]) -> None:
    for instance in instances:
        orders = table(instance, "purchase_orders")
        for invoice, end in pile(instance):
            order = orders.get(invoice["order_id"])
            unknown = order is None or order["supplier_id"] != invoice["supplier_id"]
            assert unknown == (end == "return:no_order")
            if order is not None and not unknown:
                assert (order["currency"] != invoice["currency"]) == (end == "return:wrong_currency")
                closed = order["status"] == "closed" and not booked(instance, invoice)
                assert closed == (end == "return:order_closed")


def test_the_count_comes_after_the_answer_and_on_the_same_day(instances: list[Instance]) -> None:
    for instance in instances:
        [expected] = table(instance, "expected_receipts").values()
        [told] = [
            row for row in instance.rows["datahub"]["knowledge"] if row["about"] == expected["order_id"]
        ]
        promised = booked_by(told["body"], instance.start)
        assert promised is not None
        assert instance.start + told["delay_s"] < expected["at"] <= promised < instance.start + DAY / 2


def test_an_older_edition_says_something_else(instances: list[Instance]) -> None:
    for instance in instances:
        chapters = {status: handbook(instance, status) for status in ("superseded", "in_force", "draft")}
        assert len(set(chapters.values())) == 3
        for words in ("hold the invoice then, too", "only what goes beyond"):
            assert (words in chapters["superseded"]) != (words in chapters["in_force"])


def test_the_newest_word_about_the_stop_is_this_mornings(instances: list[Instance]) -> None:
    for instance in instances:
        notices = [row for row in table(instance, "documents").values() if row["kind"] == "notice"]
        spoken = [row for row in notices if "payment stop" in row["body"] and row["department"] == "Finance"]
        newest = max(spoken, key=lambda row: int(row["written_at"]))
        assert len(spoken) == 2
        assert ("lasts" in newest["body"]) == (not instance.feasible)


def test_an_invoice_of_the_pile_looks_like_those_of_others(instances: list[Instance]) -> None:
    for instance in instances[::8]:
        ids = ends_of(instance).keys()
        rows = table(instance, "invoices").values()
        mine = {tuple(sorted(row)) for row in rows if row["id"] in ids}
        others = {tuple(sorted(row)) for row in rows if row["id"] not in ids}
        assert mine == others
        waiting = [row for row in rows if row["status"] == "open" and row["id"] not in ids]
        assert waiting
        assert all(row["clerk"] != instance.persona.id for row in waiting)
        assert len(rows) >= 2 * len(ids)


@pytest.mark.parametrize(
    "kind", [(group, kind) for group, kinds in GROUPS.items() for kind in kinds], ids="-".join
)
def test_every_kind_of_case_can_be_drawn_alone(
    kind: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    group, name = kind
    monkeypatch.setattr("scenarios.invoice_match.cases.GROUPS", {group: {name: GROUPS[group][name]}})

    instance = instance_of(SCENARIO, 4, size="small")

    others = [end for _, end in pile(instance) if not end.startswith(("pay", "hold:already_paid"))]
    assert 13 <= len(ends_of(instance)) <= 17
    assert len(others) <= 3


@pytest.mark.parametrize("size", ["small", 1200])
def test_a_pile_is_of_the_same_kinds_in_a_company_of_any_size(size: str | int) -> None:
    usual, other = instance_of(SCENARIO, 6), instance_of(SCENARIO, 6, size=size)

    ends = [[end.partition(":")[0] for end in ends_of(one).values()] for one in (usual, other)]
    assert ends[0] == ends[1]


def test_an_answer_is_understood_in_every_wording() -> None:
    facts = {"note": "DN-1", "supplier": "Ahrens", "day": date(2030, 5, 3).isoformat(), "time": "13:05"}

    assert {booked_by(one.write(**facts), 5 * DAY + 60) for one in COUNTING} == {5 * DAY + 13 * 3600 + 300}
    assert {booked_by(one.write(**facts), 5 * DAY) for one in (*LATER, *NEVER)} == {None}
    assert [comes_later(one.write(**facts)) for one in (*LATER, *NEVER, *COUNTING)] == [True] * 3 + [
        False
    ] * 6
