"""Off-boardings drawn for a cause of one's choice, in companies of people and of more."""

from functools import cache

from companyos.company import Cast, Company, fill, hire_cast
from companyos.sdk.draws import Draws
from scenarios.offboarding.estate import keep_to_these
from scenarios.offboarding.facts import Facts, draw_facts
from scenarios.offboarding.scenario import SCENARIO


def founded(number: int = 0) -> tuple[Company, Cast]:
    """Return a company with the people of its offices, and nothing else yet."""
    company = Company(Draws("test", "offboarding", number), SCENARIO.start, SCENARIO.packs, "small")
    return company, hire_cast(company, persona_role="people_partner", team="People", original=False)


@cache
def drawn(number: int, cause: str) -> tuple[Company, Facts]:
    """Return a company and the off-boarding in it, as the scenario writes them."""
    company, cast = founded(number)
    facts = draw_facts(company, cast, cause)
    fill(company, cast)
    keep_to_these(company, facts.staff, facts.tickets, facts.data)
    return company, facts
