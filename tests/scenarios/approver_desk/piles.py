"""Piles under construction, in companies with nobody but the people of the desk."""

from collections.abc import Iterator

from companyos.sdk.company import Company, Row, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Instance
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.documents import Papers
from scenarios.approver_desk.pack import PERSONA_ROLE, TEAM
from scenarios.approver_desk.pile import Pile
from scenarios.approver_desk.scenario import SCENARIO
from scenarios.approver_desk.terms import draw_terms, hire_people

SEEDS = range(12)
SHORT, APART = "CC-300", "CC-900"
CENTRES = ("CC-310", "CC-320", "CC-330")


def new_pile(seed: int = 0, *, ended: bool = False) -> Pile:
    """Return a pile without requests."""
    company = Company(Draws("piles", seed), SCENARIO.start, SCENARIO.packs, "small")
    cast = hire_cast(company, persona_role=PERSONA_ROLE, team=TEAM, original=False)
    people = hire_people(company, cast)
    terms = draw_terms(company, apart=APART, ended=ended)
    return Pile(company, people, terms, CENTRES, SHORT, Papers({}, {}, {}))


def piles_with(kind: str) -> Iterator[tuple[Pile, list[Row], list[str]]]:
    """Yield piles of one kind of case each, with its requests and their right outcomes."""
    for seed in SEEDS:
        pile = new_pile(seed)
        KINDS[kind](pile.case(kind))
        yield pile, [pile.row(one) for one in pile.requests], [one.disposition for one in pile.requests]


def lines_of_request(pile: Pile, of: Row) -> list[Row]:
    rows = pile.company.rows["approvalflow"]["line_items"]
    return [dict(row) for row in rows if row["request_id"] == of["id"]]


def quotes_of(pile: Pile, of: Row) -> list[Row]:
    """Return the documents attached to a request."""
    attached = of["evidence"].get("attachments", [])
    return [pile.company.row("datahub", "documents", one["reference"]) for one in attached]


def ends_of(instance: Instance[Pile]) -> dict[str, str]:
    """Return the right disposition of each request at the desk."""
    return {case.request_id: case.disposition for case in instance.facts.requests}
