"""The amounts of drawn invoices: what their lines cost, and how much of it is claimed."""

import re
from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from companyos.scenario import Instance
from scenarios.invoice_match.reading import Rules
from scenarios.invoice_match.terms import Version

from .drawn_piles import PRICE, SHORT, Row, handbook, missing, pile, table

EUROS = st.integers(1, 10**6).map(lambda cents: cents / 100)


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


def test_every_line_costs_what_it_says_and_every_total_is_their_sum(instances: list[Instance]) -> None:
    for instance in instances:
        for invoice in table(instance, "invoices").values():
            for line in invoice["lines"]:
                assert abs(line["quantity"] * line["unit_price"] / line["price_per"] - line["amount"]) < 0.006
                assert line["quantity"] > 0
            assert round(fsum(line["amount"] for line in invoice["lines"]), 2) == invoice["total"] > 0


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
