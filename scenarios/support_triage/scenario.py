"""Support triage: work the intake queue for a morning, each ticket by the handbook's rules."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from companyos.chaos import Chaos, cost_bound
from companyos.company import Cast, Company, Person, fill, hire_cast, new_name
from companyos.company.areas.support import add_queue, add_service_levels
from companyos.scenario import (
    Action,
    Guidance,
    Instance,
    Observation,
    Persona,
    Scenario,
    Script,
    horizon,
)
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso
from scenarios.packs import office

from . import allowances, grading, rulebook
from .agents import Habits, SupportDesk
from .cases import Answering, Morning
from .content import QUEUES
from .facts import Facts
from .interventions import Interventions
from .pack import PACK, ROLE, TEAM
from .plan import plan_for
from .rulebook import FROZEN
from .world import HANDBOOK_TITLE, Customers, Librarian, add_services

PACKS: Final = (office.PACK, PACK)
BRIEF: Final = Path(__file__).with_name("brief.txt").read_text(encoding="utf-8").strip()
START: Final = from_iso("2030-03-04T09:00:00Z")
FIRST, SECOND, BOTH = "first_down", "second_down", "both_down"
_DOWN: Final = {FIRST: (True, False), SECOND: (False, True), BOTH: (True, True)}
#: The oracle's steps in the longest morning: the rules, the services, and about eight calls for each of
#: eleven tickets.
ORACLE_STEPS: Final = 110


class SupportTriage(Scenario):
    """Work a queue of tickets, each with its own right outcome and deadline."""

    name = "support_triage"
    version = 4
    title = "Support triage"
    summary = "Work a support queue for a morning: route, rank, merge, answer, close or return every ticket in time."
    tools = (
        "datahub_get_document",
        "datahub_get_record",
        "datahub_list_metrics",
        "datahub_list_records",
        "datahub_query_metric",
        "datahub_refresh_data",
        "datahub_search_documents",
        "ticketdesk_answer_ticket",
        "ticketdesk_assign_ticket",
        "ticketdesk_close_ticket",
        "ticketdesk_link_ticket",
        "ticketdesk_list_comments",
        "ticketdesk_list_queues",
        "ticketdesk_merge_ticket",
        "ticketdesk_query_tickets",
        "ticketdesk_return_ticket",
        "ticketdesk_route_ticket",
        "ticketdesk_update_ticket",
        "wait",
        "finish",
        "refuse",
    )

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw a morning, and which services are down."""
        draws = Draws(salt, self.name, self.version, seed // 2)
        causes = (FIRST, BOTH if draws.chance("frozen", 0.25) else SECOND)
        cause = causes[(seed + draws.chance("swapped", 0.5)) % 2]
        company = Company(draws, START + draws.integer("day", 0, 300) * DAY, PACKS, size)
        cast = hire_cast(company, persona_role=ROLE, team=TEAM, original=False)
        facts = _facts(company, cast, cause)
        fill(company, cast)
        steps = ORACLE_STEPS + cost_bound(chaos, business=False)
        return self._instance(seed, company, facts, steps)

    def oracle(self, observation: Observation) -> Script:
        return SupportDesk(observation, Habits()).work()

    def careful(self, observation: Observation) -> Script:
        """Return the script of an employee who checks everything once, in order of arrival."""
        return SupportDesk(observation, Habits(by_deadline=False, looks_again=False)).work()

    def naive(self, observation: Observation) -> Script:
        """Return the script of an employee who believes the tier on file, old rates, and urgent tones."""
        return SupportDesk(observation, Habits(checks=False, by_deadline=False, looks_again=False)).work()

    def open_loop_plan(self, instance: Instance) -> list[Action]:
        return plan_for(instance)

    def _instance(self, seed: int, company: Company, facts: Facts, steps: int) -> Instance:
        cases, metrics, feasible = facts.cases, facts.metrics, facts.is_feasible
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(facts.me.id, facts.me.name, facts.me.role),
            brief=_brief(company, facts),
            guidance=Guidance(pointers=(HANDBOOK_TITLE, facts.handbook), rules=facts.text),
            goal=_goal(facts),
            private=(facts.handbook, *(metric["id"] for metric in metrics)),
            start=company.start,
            oracle_steps=steps,
            max_steps=horizon(steps),
            milestones=grading.milestones(cases, metrics, facts.me.id, feasible=feasible),
            musts=grading.musts(cases, metrics, facts.me.id, feasible=feasible),
            forbidden=grading.forbidden(cases, facts.me.id, feasible=feasible),
            orders=grading.orders(cases, metrics, facts.me.id),
            allowances=allowances.allowed(facts),
            feasible=feasible,
        )


SCENARIO = SupportTriage()


def _facts(company: Company, cast: Cast, cause: str) -> Facts:
    """Write the goal's objects, and return the facts about them."""
    rules, before = rulebook.draw(company.draws)
    operator = company.hire(new_name(company, "operator"), "operator", "Operations")
    lead = company.hire(new_name(company, "lead"), "support_lead", TEAM)
    on_call = _add_queues(company)
    add_service_levels(company, rulebook.answer_s())
    services = add_services(company, rules, operator, _DOWN[cause])
    library = Librarian(company, lead, services).write(rules, before)
    customers = Customers(company, services.both, cast.author)
    morning = Morning(company, customers, services)
    interventions = Interventions(company, rules)
    cases = interventions.drawn(morning.cases())
    contacts = morning.write(cases)
    colleague = company.hire(new_name(company, "colleague"), ROLE, TEAM)
    for case in cases:
        interventions.write(case, contacts[case.ticket_id], colleague)
    down = tuple(service for service, is_down in zip(services.both, _DOWN[cause], strict=True) if is_down)
    answering = Answering(rules, library, services, down, on_call)
    text = company.row("datahub", "documents", library.handbook)["body"]
    settled = [
        replace(answering.settled(case), contract=customers.contracts[case.account["id"]]) for case in cases
    ]
    return Facts(
        cause, cause != BOTH, cast.persona, lead, services, settled, contacts, library.handbook, rules, text
    )


def _add_queues(company: Company) -> dict[str, Person]:
    """Add the queues, and return who is on call for each."""
    on_call = {
        queue: company.hire(new_name(company, f"on_call.{queue}"), "engineer", name)
        for queue, (name, _) in QUEUES.items()
    }
    for queue, (name, about) in QUEUES.items():
        add_queue(company, queue, name, name, about, on_call[queue])
    return on_call


def _brief(company: Company, facts: Facts) -> str:
    employer = company.draws.choice("employer", company.content.workplace.employers)
    return BRIEF.format(name=facts.me.name, id=facts.me.id, employer=employer, lead=facts.lead.name)


def _goal(facts: Facts) -> dict[str, Any]:
    metric_ids = [metric["id"] for metric in facts.metrics]
    refusal = {"reason_codes": [FROZEN], "evidence": metric_ids}
    return {
        "cause": facts.cause,
        "metrics": metric_ids,
        "limit": facts.rules.limit,
        "cases": list(facts.cases),
        **({} if facts.is_feasible else {"refusal": refusal}),
    }
