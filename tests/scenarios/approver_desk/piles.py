"""Piles under construction, in companies with nobody but the people of the desk."""

from collections.abc import Iterator

from companyos.sdk.company import Company, Row, hire_cast
from companyos.sdk.draws import Draws
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.pack import PERSONA_ROLE, TEAM
from scenarios.approver_desk.pile import Pile
from scenarios.approver_desk.scenario import SCENARIO
from scenarios.approver_desk.terms import draw_terms, hire_people

SEEDS = range(12)


def new_pile(seed: int = 0, *, ended: bool = False) -> Pile:
    """Return a pile without requests."""
    company = Company(Draws("piles", seed), SCENARIO.start, SCENARIO.packs, "small")
    people = hire_people(company, hire_cast(company, persona_role=PERSONA_ROLE, team=TEAM, original=False))
    return Pile(company, people, draw_terms(company, ended=ended), {}, {}, {})


def piles_with(kind: str) -> Iterator[tuple[Pile, list[Row], list[str]]]:
    """Yield piles of one kind of case each, with its requests and their right outcomes."""
    for seed in SEEDS:
        pile = new_pile(seed)
        KINDS[kind](pile.case(kind))
        yield pile, [*pile.requests.values()], [*pile.right.values()]


def lines_of_request(pile: Pile, of: Row) -> list[Row]:
    rows = pile.company.rows["approvalflow"]["line_items"]
    return [dict(row) for row in rows if row["request_id"] == of["id"]]
