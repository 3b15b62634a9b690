"""Piles of chosen cases under chosen rules, in companies of people and suppliers alone."""

from collections.abc import Iterable

from companyos.company import Company, Row, hire_cast
from companyos.sdk.draws import Draws
from scenarios.invoice_match.cases import GROUPS
from scenarios.invoice_match.documents import write_documents
from scenarios.invoice_match.pack import CLERK, TEAM, add_supplier
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.scenario import SCENARIO, _hire
from scenarios.invoice_match.terms import Terms, Version

#: Rules that claim all but a fixed amount, and what is missing.
SPARING = Version(percent=2.0, cap=30.0, spared=1.5, claims_missing=True)
#: Rules that claim what is beyond the tolerance, and hold what is incomplete.
EXCESS = Version(percent=2.0, cap=30.0, spared=None, claims_missing=False)
BEFORE = Version(percent=4.5, cap=70.0, spared=None, claims_missing=False)
DRAFT = Version(percent=1.0, cap=20.0, spared=None, claims_missing=False)
KINDS = {kind: case for kinds in GROUPS.values() for kind, case in kinds.items()}


def pile_of(kinds: Iterable[str], seed: int = 0, now: Version = SPARING) -> Pile:
    """Return a pile with a case of each kind."""
    company = Company(Draws("companyos-public", "piles", seed), SCENARIO.start, SCENARIO.packs, "small")
    people = _hire(company, hire_cast(company, persona_role=CLERK, team=TEAM, original=False))
    terms = Terms(now, BEFORE, DRAFT, stopped=False)
    suppliers = [add_supplier(company, f"Works {number}") for number in range(50)]
    write_documents(company, people, terms)
    pile = Pile(company, people, terms, suppliers)
    for kind in kinds:
        KINDS[kind](pile, kind)
    return pile


def ends_of(pile: Pile) -> list[str]:
    """Return the right outcomes without accounts and amounts, in the order of the pile."""
    return [
        "pay" if one.disposition.startswith("pay") else ":".join(one.disposition.split(":")[:2])
        for one in pile.items
    ]


def invoice_of(pile: Pile, number: int = 0) -> Row:
    """Return an invoice of the pile."""
    return pile.company.row("datahub", "invoices", pile.items[number].invoice_id)
