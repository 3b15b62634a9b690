"""Planned changes of the scenario, without a stack."""

from functools import cache

from companyos.company import Company, fill
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso
from scenarios.constrained_change.change import Author, PlannedChange
from scenarios.constrained_change.scenario import PACKS, SCENARIO

START = from_iso("2032-05-03T08:00:00Z")


@cache
def planned(pair: int, cause: str) -> PlannedChange:
    """Return the change of a pair with one of its causes, and the order found for it."""
    author = Author(
        Company(Draws("companyos-public", "constrained_change", SCENARIO.version, pair), START, PACKS), cause
    )
    change = author.change()
    fill(change.company, change.cast)
    change.decide(*change.search())
    return change


@cache
def behind(pair: int, cause: str) -> PlannedChange:
    """Return the change behind the instances of a pair, on their own day and without an order."""
    draws = Draws("companyos-public", "constrained_change", SCENARIO.version, pair)
    company = Company(draws, START + draws.integer("day", 0, 300) * DAY, PACKS)
    change = Author(company, cause).change()
    fill(company, change.cast)
    return change
