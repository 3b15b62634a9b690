"""Piles of chosen cases under chosen rules, and what their rows say, without a stack."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from companyos.company import Company, Row, hire_cast
from companyos.sdk.draws import Draws
from scenarios.invoice_match import words
from scenarios.invoice_match.cases import GROUPS
from scenarios.invoice_match.pack import CLERK, TEAM, add_supplier
from scenarios.invoice_match.pile import Item, Pile
from scenarios.invoice_match.scenario import SCENARIO, _hire
from scenarios.invoice_match.terms import Terms, Version

#: Rules that claim all but a fixed amount, and what is missing.
SPARING = Version(percent=2.0, cap=30.0, spared=1.5, claims_missing=True)
#: Rules that claim what is beyond the tolerance, and hold what is incomplete.
EXCESS = Version(percent=2.0, cap=30.0, spared=None, claims_missing=False)
BEFORE = Version(percent=4.5, cap=70.0, spared=None, claims_missing=False)
DRAFT = Version(percent=1.0, cap=20.0, spared=None, claims_missing=False)
SEEDS = range(10)
KINDS = {kind: case for kinds in GROUPS.values() for kind, case in kinds.items()}


def empty_pile(seed: int = 0, now: Version = SPARING, *, stopped: bool = False) -> Pile:
    """Return a pile without invoices, in a company of people and suppliers alone."""
    company = Company(Draws("companyos-public", "piles", seed), SCENARIO.start, SCENARIO.packs, "small")
    cast = hire_cast(company, persona_role=CLERK, team=TEAM, original=False)
    people = _hire(company, cast)
    suppliers = [add_supplier(company, name) for name in words.SUPPLIERS]
    return Pile(company, people, Terms(now, BEFORE, DRAFT, stopped), suppliers)


@cache
def pile_of(kind: str, seed: int = 0, now: Version = SPARING) -> Pile:
    """Return a pile with one case of a kind; nobody may change it."""
    pile = empty_pile(seed, now)
    KINDS[kind](pile, kind)
    return pile


def piles_of(kind: str, *rules: Version) -> Iterator[Pile]:
    """Return a pile with a case of a kind for each of a few seeds, under each of these rules or under both."""
    return (pile_of(kind, seed, now) for now in rules or (SPARING, EXCESS) for seed in SEEDS)


def rows(pile: Pile, table: str) -> list[Row]:
    return list(pile.company.rows["datahub"][table])


def row(pile: Pile, table: str, row_id: str) -> Row:
    return pile.company.row("datahub", table, row_id)


def billed(pile: Pile) -> list[tuple[Row, str]]:
    """Return the invoices of the pile without credit notes, each with its right outcome."""
    every = [(row(pile, "invoices", one.invoice_id), one.disposition) for one in pile.items]
    return [(invoice, end) for invoice, end in every if invoice["kind"] == "invoice"]


def only(pile: Pile) -> tuple[Row, str]:
    """Return the only invoice of a pile with its right outcome."""
    [found] = billed(pile)
    return found


def credit_note(pile: Pile) -> Row:
    """Return the only credit note of a pile."""
    [found] = [one for one in rows(pile, "invoices") if one["kind"] == "credit_note"]
    return found


def item_of(pile: Pile, invoice: Row) -> Item:
    return next(one for one in pile.items if one.invoice_id == invoice["id"])


def account_on_record(pile: Pile, invoice: Row) -> str:
    return str(row(pile, "records", invoice["supplier_id"])["fields"]["account"])


def order_lines(pile: Pile, invoice: Row) -> dict[int, Row]:
    order = row(pile, "purchase_orders", invoice["order_id"])
    return {line["line"]: line for line in order["lines"]}


def worth(line: Mapping[str, Any], quantity: int) -> float:
    """Return what so many units cost at a line's price."""
    return float(round(quantity * line["unit_price"] / line["price_per"], 2))


def dearer_by(pile: Pile, invoice: Row) -> float:
    """Return how much more the only line of an invoice costs than at the ordered price."""
    [line] = invoice["lines"]
    ordered = order_lines(pile, invoice)[line["line"]]
    return float(round(line["amount"] - worth(ordered, line["quantity"]), 2))


def ordered_cost(pile: Pile, invoice: Row) -> float:
    """Return what the only line of an invoice costs at the ordered price."""
    [line] = invoice["lines"]
    return worth(order_lines(pile, invoice)[line["line"]], line["quantity"])


def booked(pile: Pile, invoice: Row, table: str = "goods_receipts") -> dict[int, int]:
    """Return the units booked for an invoice's delivery note, by order line."""
    counts: dict[int, int] = {}
    for receipt in rows(pile, table):
        for line in receipt["lines"] if receipt["delivery_note"] == invoice["delivery_note"] else ():
            counts[line["line"]] = counts.get(line["line"], 0) + line["quantity"]
    return counts


def amount_claimed(end: str) -> float:
    """Return the amount of a right outcome, 0.0 if nothing is claimed."""
    return float(end.split(":")[2]) if end.startswith("claim:") else 0.0
