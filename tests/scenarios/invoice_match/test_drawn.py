"""The drawn pile: what each invoice bills, and why its outcome is right."""

import re
from collections.abc import Iterator
from datetime import date
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.scenario import Instance, load_scenarios
from companyos.sdk.simtime import DAY
from scenarios.invoice_match.cases import GROUPS
from scenarios.invoice_match.reading import Rules, booked_by, comes_later
from scenarios.invoice_match.terms import Version
from scenarios.invoice_match.words import COUNTING, LATER, NEVER

from ..conftest import instance_of

Row = dict[str, Any]

SCENARIO = load_scenarios()["invoice_match"]
SEEDS = range(100)
EUROS = st.integers(1, 10**6).map(lambda cents: cents / 100)
PRICE, SHORT = "claim:price_difference", "claim:short_delivery"


@pytest.fixture(scope="module")
def instances() -> list[Instance]:
    return [instance_of(SCENARIO, seed) for seed in SEEDS]


def table(instance: Instance, name: str) -> dict[str, Row]:
    return {row["id"]: dict(row) for row in instance.rows["datahub"][name]}


def pile(instance: Instance) -> list[tuple[Row, str]]:
    """Return the invoices of the pile, each with what has to become of it."""
    rows = table(instance, "invoices")
    return [(rows[key], end) for key, end in instance.goal["dispositions"].items()]


def booked(instance: Instance, invoice: Row, *, expected: bool = False) -> dict[int, int]:
    """Return what is booked for an invoice's delivery note, by line, and if asked what still will be."""
    names = ("goods_receipts", "expected_receipts") if expected else ("goods_receipts",)
    counts: dict[int, int] = {}
    for row in (row for name in names for row in table(instance, name).values()):
        if (row["order_id"], row["delivery_note"]) == (invoice["order_id"], invoice["delivery_note"]):
            for line in row["lines"]:
                counts[line["line"]] = counts.get(line["line"], 0) + line["quantity"]
    return counts


def missing(instance: Instance, invoice: Row, *, expected: bool = False) -> int:
    counts = booked(instance, invoice, expected=expected)
    return sum(max(0, line["quantity"] - counts.get(line["line"], 0)) for line in invoice["lines"])


def handbook(instance: Instance, status: str) -> str:
    chapters = [
        row for row in table(instance, "documents").values() if row["department"] == "Accounts Payable"
    ]
    [body] = [row["body"] for row in chapters if row["status"] == status]
    return str(body)


def pairs(instances: list[Instance]) -> Iterator[tuple[Instance, Instance]]:
    yield from zip(instances[::2], instances[1::2], strict=True)


def test_a_pile_holds_nine_to_thirteen_invoices_of_several_ends(instances: list[Instance]) -> None:
    for instance in instances:
        ends = [end.rpartition(":")[0] or end for end in instance.goal["dispositions"].values()]
        assert 9 <= len(ends) <= 13
        assert len({end.partition(":")[0] for end in ends}) >= 2

    every = {":".join(end.split(":")[:2]) for one in instances for end in one.goal["dispositions"].values()}
    assert {end for end in every if not end.startswith("pay")} == {
        "hold:goods_missing",
        "hold:bank_unconfirmed",
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
    assert {instance.goal["refusal"]["reason_codes"][0] for instance in refused} == {"payment_stop"}


def test_every_pile_has_a_surplus_and_an_amendment_that_changes_midway(instances: list[Instance]) -> None:
    for instance in instances:
        rules, amended = Rules(*terms_of(instance), claims_missing=True, stopped_code=""), 0
        for invoice, end in pile(instance):
            name = table(instance, "records")[invoice["supplier_id"]]["name"]
            known = amendments_of(instance, name)
            ordered = table(instance, "purchase_orders").get(invoice["order_id"], {"lines": []})["lines"]
            if known and end.startswith(("pay", PRICE)) and invoice["kind"] == "invoice":
                agreed = agreed_costs(instance, invoice, known)
                claims = [rules.claim(agreed[one["line"]], one["amount"]) for one in invoice["lines"]]
                claimed = float(end.split(":")[2]) if end.startswith(PRICE) else 0.0
                assert abs(fsum(claims) - claimed) < 0.011, (instance.seed, invoice["id"])
                simple = [rules.claim(_cost(one, ordered), one["amount"]) for one in invoice["lines"]]
                amended += abs(fsum(simple) - claimed) > 0.02
        assert amended


def test_a_surplus_lowers_only_the_claim_on_a_later_invoice(instances: list[Instance]) -> None:
    ways = set()
    for instance in instances:
        rules = Rules(*terms_of(instance), claims_missing=True, stopped_code="")
        for note, _ in ((one, end) for one, end in pile(instance) if one["credits"]):
            both = [
                (one, end)
                for one, end in pile(instance)
                if one["supplier_id"] == note["supplier_id"] and one["kind"] == "invoice"
            ]
            if len(both) == 2:
                ways.add(_check_surplus(instance, rules, note, both))

    assert ways == {"lowered", "covered", "too late"}


def _check_surplus(instance: Instance, rules: Rules, note: Row, both: list[tuple[Row, str]]) -> str:
    """Check how a credit note's surplus changes what is claimed, and return how."""
    [(credited, its_end)] = [one for one in both if one[0]["number"] == note["credits"]]
    [(other, end)] = [one for one in both if one[0]["number"] != note["credits"]]
    orders = table(instance, "purchase_orders")
    first, second = (
        fsum(rules.claim(_cost(one, orders[row["order_id"]]["lines"]), one["amount"]) for one in row["lines"])
        for row in (credited, other)
    )
    surplus, is_later = note["total"] - first, other["invoiced_at"] > credited["invoiced_at"]
    left = max(0.0, second - surplus) if is_later else second
    assert surplus > 0
    assert its_end.startswith("pay:")
    assert abs((float(end.split(":")[2]) if end.startswith(PRICE) else 0.0) - left) < 0.011
    return ("lowered" if left else "covered") if is_later else "too late"


def terms_of(instance: Instance) -> tuple[float, float, float | None]:
    """Return the percentage, the cap, and what a claim leaves, of the handbook in force."""
    body = handbook(instance, "in_force")
    spared = re.findall(r"price, less ([\d.]+), is claimed", body)
    [percent], [cap] = re.findall(r"to ([\d.]+) percent", body), re.findall(r"than ([\d.]+) more\.", body)
    return float(percent), float(cap), float(spared[0]) if spared else None


def _cost(line: Row, ordered: list[Row]) -> float:
    price = ordered[line["line"] - 1]
    return float(round(line["quantity"] * price["unit_price"] / price["price_per"], 2))


def amendments_of(instance: Instance, supplier: str) -> list[Row]:
    """Return the signed amendments and withdrawals of a supplier, the earliest first."""
    every = (row for row in table(instance, "documents").values() if row["kind"] == "amendment")
    known = [row for row in every if row["title"].endswith(f": {supplier}") and row["status"] == "in_force"]
    return sorted(known, key=lambda row: int(row["effective_from"]))


def agreed_costs(instance: Instance, invoice: Row, known: list[Row]) -> dict[int, float]:
    """Return what each line costs if every unit has the price of the day of its booking."""
    costs: dict[int, float] = {}
    ordered = table(instance, "purchase_orders")[invoice["order_id"]]["lines"]
    for row in table(instance, "goods_receipts").values():
        for count in row["lines"] if row["delivery_note"] == invoice["delivery_note"] else ():
            line = ordered[count["line"] - 1]
            price = line["unit_price"] / line["price_per"]
            for document in (one for one in known if one["effective_from"] <= row["at"]):
                new = re.findall(
                    rf"^{re.escape(line['text'])}: ([\d.]+) EUR for (\d+) ", document["body"], re.M
                )
                if new:
                    price = float(new[0][0]) / int(new[0][1])
                elif f"{line['text']}: the price of the order again" in document["body"]:
                    price = line["unit_price"] / line["price_per"]
            costs[count["line"]] = costs.get(count["line"], 0.0) + count["quantity"] * price
    return {number: round(cost, 2) for number, cost in costs.items()}


def test_a_pair_differs_in_what_is_still_booked_or_in_one_notice(instances: list[Instance]) -> None:
    for first, second in pairs(instances):
        causes = {first.goal["cause"], second.goal["cause"]}
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
            assert first.goal["dispositions"] != second.goal["dispositions"]
        else:
            assert (name, row_id) == (
                "documents",
                first.goal.get("refusal", second.goal.get("refusal"))["evidence"][0],
            )


def test_every_line_costs_what_it_says_and_every_total_is_their_sum(instances: list[Instance]) -> None:
    for instance in instances:
        for invoice in table(instance, "invoices").values():
            for line in invoice["lines"]:
                assert abs(line["quantity"] * line["unit_price"] / line["price_per"] - line["amount"]) < 0.006
                assert line["quantity"] > 0
            assert round(fsum(line["amount"] for line in invoice["lines"]), 2) == invoice["total"] > 0


def test_whose_goods_are_missing_is_held_or_claimed_and_nobody_elses(instances: list[Instance]) -> None:
    for instance in instances:
        held = "hold the invoice then, too" in handbook(instance, "in_force")
        for invoice, end in pile(instance):
            if invoice["kind"] == "credit_note" or end.startswith("return:"):
                continue
            lacks = missing(instance, invoice, expected=True)
            assert (lacks > 0) == (end.startswith((SHORT, "hold:goods_missing"))), (instance.seed, end)
            assert not (held and end.startswith(SHORT))


def test_a_short_delivery_is_claimed_at_the_ordered_price(instances: list[Instance]) -> None:
    for instance in instances:
        for invoice, end in pile(instance):
            if end.startswith(SHORT):
                [line] = invoice["lines"]
                ordered = table(instance, "purchase_orders")[invoice["order_id"]]["lines"][line["line"] - 1]
                price = ordered["unit_price"] / ordered["price_per"]
                lacks = missing(instance, invoice, expected=True)
                assert abs(lacks * price - float(end.split(":")[2])) < 0.006


def test_a_price_is_claimed_beyond_what_the_handbook_in_force_tolerates(instances: list[Instance]) -> None:
    for instance in instances:
        body = handbook(instance, "in_force")
        percent = float(re.findall(r"up to ([\d.]+) percent more", body)[0])
        cap = float(re.findall(r"never more than ([\d.]+) more", body)[0])
        orders = table(instance, "purchase_orders")
        for invoice, end in pile(instance):
            if invoice["kind"] == "credit_note" or end.startswith(("return", "hold", SHORT)):
                continue
            [*more] = [
                (line["amount"] - worth, min(worth * percent / 100, cap))
                for line in invoice["lines"]
                for ordered in [orders[invoice["order_id"]]["lines"][line["line"] - 1]]
                for worth in [line["quantity"] * ordered["unit_price"] / ordered["price_per"]]
            ]
            beyond = any(dearer > tolerated + 0.01 for dearer, tolerated in more)
            excused = f"Price amendment: {table(instance, 'records')[invoice['supplier_id']]['name']}"
            amended = any(row["title"] == excused for row in table(instance, "documents").values())
            suppliers = {one["supplier_id"] for one, _ in pile(instance) if one["credits"]}
            credited = invoice["supplier_id"] in suppliers
            assert beyond >= end.startswith(PRICE)
            assert beyond == end.startswith(PRICE) or amended or credited, (instance.seed, invoice["id"])


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


def test_no_two_suppliers_use_a_delivery_note(instances: list[Instance]) -> None:
    for instance in instances:
        rows = [*table(instance, "invoices").values(), *table(instance, "goods_receipts").values()]
        orders = {(row["delivery_note"], row["order_id"]) for row in rows if row["delivery_note"]}
        assert len(orders) == len({note for note, _ in orders})


def test_what_goes_back_has_the_reason_it_goes_back_for(instances: list[Instance]) -> None:
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


def test_the_brief_is_short_and_names_no_rule(instances: list[Instance]) -> None:
    for instance in instances:
        assert len(instance.brief.split()) <= 120
        assert not any(
            word in instance.brief for word in ("tolera", "percent", "call-back", "stop", "amend", "count")
        )


def test_an_invoice_of_the_pile_looks_like_those_of_others(instances: list[Instance]) -> None:
    for instance in instances[::8]:
        ids = instance.goal["dispositions"].keys()
        rows = table(instance, "invoices").values()
        mine = {tuple(sorted(row)) for row in rows if row["id"] in ids}
        others = {tuple(sorted(row)) for row in rows if row["id"] not in ids}
        assert mine == others
        waiting = [row for row in rows if row["status"] == "open" and row["id"] not in ids]
        assert waiting
        assert all(row["clerk"] != instance.persona.id for row in waiting)
        assert len(rows) >= 3 * len(ids)


@pytest.mark.parametrize(
    "kind", [(group, kind) for group, kinds in GROUPS.items() for kind in kinds], ids="-".join
)
def test_every_kind_of_case_can_be_drawn_alone(
    kind: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    group, name = kind
    monkeypatch.setattr("scenarios.invoice_match.cases.GROUPS", {group: {name: GROUPS[group][name]}})

    instance = instance_of(SCENARIO, 4, size="small")

    assert len(instance.goal["dispositions"]) in (2, 3, 4)


@pytest.mark.parametrize("size", ["small", 1200])
def test_a_pile_is_of_the_same_kinds_in_a_company_of_any_size(size: str | int) -> None:
    usual, other = instance_of(SCENARIO, 6), instance_of(SCENARIO, 6, size=size)

    ends = [[end.partition(":")[0] for end in one.goal["dispositions"].values()] for one in (usual, other)]
    assert ends[0] == ends[1]


@given(
    EUROS,
    EUROS,
    st.sampled_from((1.5, 2.0, 3.0)),
    st.sampled_from((25.0, 40.0)),
    st.sampled_from((None, 1.5)),
)
def test_a_claim_is_what_the_handbook_says_of_it(
    ordered: float, billed: float, percent: float, cap: float, spared: float | None
) -> None:
    version = Version(percent, cap, spared, claims_missing=True)
    rules = Rules(percent, cap, spared, claims_missing=True, stopped_code="payment_stop")

    claimed = version.claim(ordered, billed)

    assert claimed == rules.claim(ordered, billed)
    assert 0 <= claimed <= max(0.0, round(billed - ordered, 2))
    assert (claimed > 0) == (round(billed - ordered, 2) > max(version.tolerated(ordered), spared or 0.0))
    assert version.tolerated(ordered) <= cap


def test_an_answer_is_understood_in_every_wording() -> None:
    facts = {"note": "DN-1", "supplier": "Ahrens", "day": date(2030, 5, 3).isoformat(), "time": "13:05"}

    assert {booked_by(one.format(**facts), 5 * DAY + 60) for one in COUNTING} == {5 * DAY + 13 * 3600 + 300}
    assert {booked_by(one.format(**facts), 5 * DAY) for one in (*LATER, *NEVER)} == {None}
    assert [comes_later(one) for one in (*LATER, *NEVER, *COUNTING)] == [True] * 3 + [False] * 6
