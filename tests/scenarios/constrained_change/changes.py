"""Planned changes of the scenario, without a stack."""

from functools import cache

from companyos.company import Cast, Company, fill, hire_cast
from companyos.scenario import Action, call
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import to_iso
from scenarios.constrained_change.change import Author, PlannedChange
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act


def cast_of(company: Company) -> Cast:
    return hire_cast(company, persona_role=SCENARIO.role, team=SCENARIO.team, original=False)


@cache
def planned(pair: int, cause: str) -> PlannedChange:
    """Return the change of a pair with one of its causes, and the order found for it."""
    draws = Draws("companyos-public", "constrained_change", SCENARIO.version, pair)
    company = Company(draws, SCENARIO.start, SCENARIO.packs)
    change = Author(company, cast_of(company), cause).change()
    fill(change.company, change.cast)
    change.decide(*change.search())
    return change


@cache
def behind(pair: int, cause: str) -> PlannedChange:
    """Return the change behind the instances of a pair, on their own day and without an order."""
    draws = Draws("companyos-public", "constrained_change", SCENARIO.version, pair)
    company, cast = SCENARIO.open_company(draws, "default")
    change = Author(company, cast, cause).change()
    fill(company, cast)
    return change


def call_of(act: Act) -> Action:
    """Return the call that carries an act out."""
    match act.kind:
        case "assign":
            return call("datahub_assign_asset", asset_id=act.object, person_id=act.to)
        case "return":
            return call("datahub_return_asset", asset_id=act.object)
        case "begin":
            ends = {"to": "in_progress", "reason": "It begins."}
            return call("ticketdesk_transition_ticket", ticket_id=act.object, **ends)
        case "priority":
            return call("ticketdesk_update_ticket", ticket_id=act.object, priority=act.to)
    return call("wait", until=to_iso(act.until))
