"""Chains of those who stand in: how they are laid, and who decides along them at which time."""

import pytest

from companyos.sdk.approval_task.delegation import Link
from companyos.sdk.approval_task.route import Absence, Chain, Route
from companyos.sdk.company import Company, hire_cast, new_name
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR
from scenarios.packs.finance import EXPENSE_APPROVAL

from .packs import PACKS

START = 60 * DAY
LONG = START + 10 * DAY


def link(person: str, back_at: int = START, *, covers: bool = True, barred: bool = False) -> Link:
    return Link(person, back_at, covers, barred)


def route(*links: Link, others: tuple[str, ...] = ()) -> Route:
    return Route("cfo", links, others)


def laid(absence: Absence, length: int, seed: int = 0, amount: int | None = 1000) -> tuple[Route, Company]:
    company = Company(Draws("s", "chain", seed), START, PACKS, "small")
    cast = hire_cast(company, persona_role="analyst", team="Purchasing", original=False)
    people = [cast.offices["cfo"]]
    people += [
        company.hire(new_name(company, "link", number), "deputy", "Finance") for number in range(1, length)
    ]
    links = Chain(company, EXPENSE_APPROVAL, amount).lay(people, absence, "cfo")
    return Route("cfo", links, (), amount), company


def entry(company: Company, person: str):
    return next(row for row in company.rows["approvalflow"]["people"] if row["id"] == person)


def test_in_a_circle_another_holder_of_the_role_decides_at_once():
    chain = route(link("ann", LONG), link("ben", LONG, covers=False), others=("zoe",))

    assert (chain.opening(START), chain.approver(START)) == (START, "zoe")
    assert not chain.decides("ben", START)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("absence", [Absence.COVERED, Absence.BRIEF, Absence.UNCOVERED])
def test_a_chain_is_written_as_its_links_say(absence, seed):
    chain, company = laid(absence, 4, seed)

    for one, following in zip(chain.links, chain.links[1:], strict=False):
        known = entry(company, one.person)
        limit, types = known["delegate_limit"], known["delegate_types"]
        assert known["delegate"] == following.person
        assert (known["away"], known["away_until"]) == (True, one.back_at)
        assert one.covers == (EXPENSE_APPROVAL in types and limit >= 1000)
    assert not entry(company, chain.links[-1].person)["away"]


@pytest.mark.parametrize("seed", range(12))
def test_somebody_of_a_chain_that_breaks_is_back_after_some_hours_and_decides(seed):
    chain, _ = laid(Absence.UNCOVERED, 4, seed)

    at = chain.opening(START)

    assert START + 2 * HOUR <= at <= START + 6 * HOUR
    assert chain.approver(at) == chain.approver(at + 2 * HOUR)


def test_the_last_of_a_circle_delegates_to_the_first_and_nobody_is_here():
    chain, company = laid(Absence.CIRCULAR, 3)

    assert [entry(company, one.person)["away"] for one in chain.links] == [True] * 3
    assert entry(company, chain.links[-1].person)["delegate"] == chain.holder
    assert not any(chain.decides(one.person, START) for one in chain.links)
