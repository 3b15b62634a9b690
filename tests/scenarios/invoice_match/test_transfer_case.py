"""The transfer in every pile: some invoices make it to the cent, no others come near, and no habit finds them."""

import re
from collections.abc import Callable
from itertools import combinations

import pytest

from companyos.company import Row
from companyos.scenario import Instance
from companyos.sdk.simtime import DAY, from_iso
from scenarios.invoice_match.pile import HOLD_PAID, Pile
from scenarios.invoice_match.terms import Version
from scenarios.invoice_match.transfer_case import add_transfer
from scenarios.invoice_match.transfer_sums import first_fit, isolated_subsets

from .drawn_piles import handbook, pile, table
from .piles import SPARING, billed, booked, empty_pile, order_lines, rows

#: Rules under which a transfer takes no cash discount.
FULL = Version(percent=2.0, cap=30.0, spared=1.5, claims_missing=True, takes_discount=False)


def with_transfer(seed: int, now: Version = SPARING) -> Pile:
    """Return a pile with the transfer alone."""
    built = empty_pile(seed, now)
    add_transfer(built)
    return built


def mail(messages: list[Row]) -> Row:
    [found] = [one for one in messages if one["subject"].startswith("Transfer to ")]
    return found


def sum_and_day(message: Row) -> tuple[int, int]:
    """Return the sum in cents that a mail states, and the day of the transfer."""
    [amount], [day] = (
        re.findall(r"([\d.]+) EUR", message["body"]),
        re.findall(r"on (\d{4}-\d\d-\d\d)", message["body"]),
    )
    return round(float(amount) * 100), from_iso(f"{day}T00:00:00Z") // DAY


def candidates(instance: Instance) -> tuple[list[tuple[Row, str, int]], int]:
    """Return the supplier's invoices by date, each with its outcome and what it counts as, and the transfer's sum."""
    message = mail([*table(instance, "messages").values()])
    cents, day = sum_and_day(message)
    fields = table(instance, "records")[message["about"]]["fields"]
    takes = "take no cash discount" not in handbook(instance, "in_force")
    found = []
    for invoice, end in pile(instance):
        if invoice["supplier_id"] == message["about"]:
            is_recent = day - invoice["invoiced_at"] // DAY <= fields["discount_days"]
            percent = fields["discount_percent"] if takes and is_recent else 0
            found.append((invoice, end, round(invoice["total"] * (100 - percent))))
    return sorted(found, key=lambda one: int(one[0]["invoiced_at"])), cents


def test_the_invoices_on_hold_make_the_transfer_and_no_others_come_within_a_euro(
    instances: list[Instance],
) -> None:
    for instance in instances[::2]:
        found, cents = candidates(instance)
        numbers = range(len(found))
        sums = {
            one: sum(found[at][2] for at in one)
            for size in range(1, len(found) + 1)
            for one in combinations(numbers, size)
        }
        near = [one for one, total in sums.items() if abs(total - cents) < 100]
        assert near == [tuple(at for at in numbers if found[at][1] == HOLD_PAID)], instance.seed
        assert sums[near[0]] == cents


def test_eleven_to_thirteen_similar_invoices_wait_of_which_four_to_seven_are_paid(
    instances: list[Instance],
) -> None:
    sizes, counts = set(), set()
    for instance in instances:
        found, _ = candidates(instance)
        totals = [invoice["total"] for invoice, _, _ in found]
        counts.add(len(found))
        sizes.add(len([end for _, end, _ in found if end == HOLD_PAID]))
        assert max(totals) < 2.1 * min(totals)

    assert counts == {11, 12, 13}
    assert sizes == {4, 5, 6, 7}


ORDERS: dict[str, Callable[[tuple[Row, str, int]], float]] = {
    "oldest": lambda one: float(one[0]["invoiced_at"]),
    "newest": lambda one: -float(one[0]["invoiced_at"]),
    "largest": lambda one: -one[2],
    "smallest": lambda one: one[2],
}


@pytest.mark.parametrize("habit", ORDERS)
def test_first_fit_in_any_order_misses_the_paid_invoices(instances: list[Instance], habit: str) -> None:
    for instance in instances:
        found, cents = candidates(instance)
        found = sorted(found, key=ORDERS[habit])
        taken = first_fit([counts for _, _, counts in found], cents)
        assert {at for at, one in enumerate(found) if one[1] == HOLD_PAID} != {*taken}


def test_the_discount_counts_as_the_handbook_in_force_says(instances: list[Instance]) -> None:
    ways = set()
    for instance in instances:
        found, cents = candidates(instance)
        plain = sum(round(invoice["total"] * 100) for invoice, end, _ in found if end == HOLD_PAID)
        takes = "take no cash discount" not in handbook(instance, "in_force")
        ways.add((takes, plain > cents))
        assert any(counts != round(invoice["total"] * 100) for invoice, _, counts in found) == takes

    assert ways >= {(True, True), (False, False)}
    assert (False, True) not in ways


def test_the_other_editions_say_otherwise_which_invoices_a_transfer_has_paid(
    instances: list[Instance],
) -> None:
    for instance in instances:
        words = {"in_force": "to the cent.", "superseded": "the oldest ones", "draft": "the largest ones"}
        for status, text in words.items():
            assert [other for other in words if text in handbook(instance, other)] == [status]
        discounts = ["no cash discount" in handbook(instance, one) for one in words]
        assert discounts == [discounts[0], not discounts[0], not discounts[0]]


@pytest.mark.parametrize("now", [SPARING, FULL], ids=["discount", "full"])
@pytest.mark.parametrize("seed", range(4))
def test_each_of_these_invoices_is_as_it_should_be(seed: int, now: Version) -> None:
    built = with_transfer(seed, now)

    for invoice, end in billed(built):
        ordered = order_lines(built, invoice)
        assert end in (HOLD_PAID, f"pay:{invoice['account']}")
        assert booked(built, invoice) == {one["line"]: one["quantity"] for one in invoice["lines"]}
        for line in invoice["lines"]:
            assert line["unit_price"] == ordered[line["line"]]["unit_price"]
    notes = [invoice["delivery_note"] for invoice, _ in billed(built)]
    assert len({*notes}) == len(notes)
    assert len({invoice["order_id"] for invoice, _ in billed(built)}) == 1


@pytest.mark.parametrize("seed", range(6))
def test_an_invoice_is_dated_before_the_transfer_and_clearly_within_the_days_of_the_discount_or_beyond(
    seed: int,
) -> None:
    built = with_transfer(seed)
    message = mail(rows(built, "messages"))
    _, day = sum_and_day(message)
    [limit] = {
        one["fields"]["discount_days"] for one in rows(built, "records") if one["id"] == message["about"]
    }

    ages = [day - invoice["invoiced_at"] // DAY for invoice, _ in billed(built)]

    assert all(1 <= age < limit or limit + 1 < age for age in ages)
    assert sum(age < limit for age in ages) == (len(ages) + 1) // 2
    assert message["sent_at"] // DAY >= day
    assert message["sent_at"] < built.company.start


def test_the_mail_comes_from_treasury_and_names_the_clerk_but_no_invoice() -> None:
    for seed in range(6):
        built = with_transfer(seed)
        message = mail(rows(built, "messages"))
        assert message["sender"] == built.people.treasurer.id
        assert built.people.me.name in message["body"]
        assert not any(one["number"] in message["body"] for one in rows(built, "invoices"))


def test_invoices_are_drawn_again_while_none_of_their_sums_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def clear_at_last(*given: object) -> list[tuple[int, ...]]:
        calls.append(given)
        return isolated_subsets(*given) if len(calls) > 2 else []  # type: ignore[arg-type]

    monkeypatch.setattr("scenarios.invoice_match.transfer_case.isolated_subsets", clear_at_last)

    built = with_transfer(0)

    assert len(calls) == 3
    assert {end.partition(":")[0] for _, end in billed(built)} == {"pay", "hold"}
