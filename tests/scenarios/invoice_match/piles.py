"""Piles of chosen cases under chosen rules, in companies of people and suppliers alone, and piles as they are drawn."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from companyos.sdk.company import Company, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Instance
from scenarios.invoice_match.cases import GROUPS
from scenarios.invoice_match.documents import write_documents
from scenarios.invoice_match.pack import CLERK, TEAM, add_supplier
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.scenario import SCENARIO
from scenarios.invoice_match.terms import Terms, Version, hire_people

from ..conftest import instance_of

Row = dict[str, Any]
#: Rules that claim all but a fixed amount, and what is missing.
SPARING = Version(percent=2.0, cap=30.0, spared=1.5, claims_missing=True)
#: Rules that claim what is beyond the tolerance, and hold what is incomplete.
EXCESS = Version(percent=2.0, cap=30.0, spared=None, claims_missing=False)
RULES = {"sparing": SPARING, "excess": EXCESS}
BEFORE = Version(percent=4.5, cap=70.0, spared=None, claims_missing=False)
DRAFT = Version(percent=1.0, cap=20.0, spared=None, claims_missing=False)
KINDS = {kind: case for kinds in GROUPS.values() for kind, case in kinds.items()}


def pile_of(kinds: Iterable[str], seed: int = 0, now: Version = SPARING) -> Pile:
    """Return a pile with a case of each kind."""
    company = Company(Draws("companyos-public", "piles", seed), SCENARIO.start, SCENARIO.packs, "small")
    people = hire_people(company, hire_cast(company, persona_role=CLERK, team=TEAM, original=False))
    terms = Terms(now, BEFORE, DRAFT, stopped=False)
    suppliers = [add_supplier(company, f"Works {number}") for number in range(50)]
    rules, notice = write_documents(company, people, terms)
    pile = Pile(company, people, terms, "", rules, notice["id"], suppliers)
    for kind in kinds:
        KINDS[kind](pile.case(kind))
    return pile


def kind_of(disposition: str) -> str:
    """Return a right outcome without accounts and amounts."""
    return "pay" if disposition.startswith("pay") else ":".join(disposition.split(":")[:2])


def ends_of(pile: Pile) -> list[str]:
    """Return the right outcomes without accounts and amounts, in the order of the pile."""
    return [kind_of(item.disposition) for item in pile.items]


def invoice_of(pile: Pile, number: int = 0) -> Row:
    """Return an invoice of the pile."""
    return dict(pile.company.row("datahub", "invoices", pile.items[number].invoice_id))


@cache
def drawn_instances() -> list[Instance[Pile]]:
    return [instance_of(SCENARIO, seed) for seed in range(40)]


def table(instance: Instance[Pile], name: str) -> dict[str, Row]:
    return {row["id"]: dict(row) for row in instance.rows["datahub"][name]}


def drawn_pile(instance: Instance[Pile]) -> list[tuple[Row, str]]:
    """Return the invoices of the pile, each with its right disposition, were payments not stopped."""
    rows = table(instance, "invoices")
    return [(rows[item.invoice_id], item.disposition) for item in instance.facts.items]


def handbook(instance: Instance[Pile], status: str) -> str:
    """Return the text of an edition of the chapter."""
    documents = table(instance, "documents").values()
    [body] = [
        row["body"] for row in documents if (row["department"], row["status"]) == ("Accounts Payable", status)
    ]
    return str(body)
