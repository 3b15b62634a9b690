"""Quarter-end close: refresh figures in lineage order, settle variances, get the sign-off, and lock."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from companyos.chaos import Chaos, cost_bound
from companyos.company import Company, fill, hire_cast
from companyos.scenario import (
    Action,
    Guidance,
    Instance,
    Observation,
    Persona,
    Scenario,
    Script,
    call,
    horizon,
)
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, from_iso
from scenarios.packs import finance, office

from . import agents, grading, plan
from .allowances import allowed
from .facts import Facts, write
from .pack import CLOSE_APPROVAL, PACK, VARIANCE_TICKET
from .words import QUARTERS

PACKS: Final = (office.PACK, finance.PACK, PACK)
BRIEF: Final = Path(__file__).with_name("brief.txt").read_text(encoding="utf-8").strip()
#: The oracle's steps in the longest close: five lineages and waves of runs with a source that recovers, and
#: three owners who ask a question first.
ORACLE_STEPS: Final = 66


class QuarterClose(Scenario):
    """Close an entity's quarter by the manual, in the order that the lineage requires."""

    name = "quarter_close"
    version = 3
    title = "Quarter-end close"
    summary = (
        "Take an entity's figures in the order of their lineage, settle its variances, and lock the quarter."
    )
    tools = (
        "ticketdesk_get_ticket",
        "ticketdesk_search_tickets",
        "ticketdesk_create_ticket",
        "datahub_search_documents",
        "datahub_get_document",
        "datahub_list_records",
        "datahub_list_periods",
        "datahub_get_period",
        "datahub_lock_period",
        "datahub_get_lineage",
        "datahub_refresh_data",
        "datahub_get_job",
        "datahub_list_messages",
        "datahub_get_message",
        "datahub_message_colleague",
        "datahub_get_approver",
        "approvalflow_get_approval_type",
        "approvalflow_get_policy",
        "approvalflow_submit_approval",
        "approvalflow_get_request",
        "wait",
        "finish",
        "refuse",
    )
    #: Of two figures, either may be computed from the other; the quarter before may have been reopened.
    readable_clues = ("datahub.metrics.upstream", "datahub.periods.status")

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw a company with a quarter to close, and one of the two causes of the pair."""
        draws = Draws(salt, self.name, self.version, seed // 2)
        _, _, ends = draws.choice("quarter", QUARTERS[1:-1])
        start = from_iso(ends) + draws.integer("day", 4, 9) * DAY + 9 * HOUR
        company = Company(draws, start, PACKS, size)
        cast = hire_cast(company, persona_role="accountant", team="Finance", original=False)
        facts = write(company, cast, seed)
        fill(company, cast)
        brief = BRIEF.format(
            name=facts.me.name,
            id=facts.me.id,
            employer=draws.choice("employer", company.content.workplace.employers),
            entity=facts.books.entity["name"],
            quarter=facts.books.period["name"],
            ticket_id=facts.ticket["id"],
            reporter=cast.reporter.name,
        )
        return self._instance(seed, company, facts, brief, ORACLE_STEPS + cost_bound(chaos, business=False))

    def oracle(self, observation: Observation) -> Script:
        """Read the manual and the lineage, and close the quarter by them."""
        return agents.oracle(observation)

    def naive(self, observation: Observation) -> Script:
        """Refresh the list from top to bottom, and file a ticket for every large variance."""
        return agents.naive(observation)

    def careful(self, observation: Observation) -> Script:
        """Refresh the figures in order, believe any memo, and ask nobody."""
        return agents.careful(observation)

    def open_loop_plan(self, instance: Instance) -> list[Action]:
        """Return the runs in this instance's order, its tickets, the sign-off and the lock."""
        goal = instance.goal
        actions: list[Action] = []
        for metric_id, refresh_s in goal["runs"]:
            actions += [call("datahub_refresh_data", metric_id=metric_id), call("wait", seconds=refresh_s)]
        if "refusal" in goal:
            refusal = goal["refusal"]
            reason = refusal["reason_codes"][0]
            return [*actions, call("refuse", reason_code=reason, evidence=refusal["evidence"])]
        actions += _asking(goal)
        for metric_id, priority in goal["tickets"].items():
            actions.append(_ticket(metric_id, priority))
        return [
            *actions,
            call("approvalflow_submit_approval", type=CLOSE_APPROVAL, **goal["request"]),
            call("wait", seconds=2 * HOUR),
            call("datahub_lock_period", period_id=goal["period"]),
            call("finish"),
        ]

    def _instance(self, seed: int, company: Company, facts: Facts, brief: str, steps: int) -> Instance:
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(facts.me.id, facts.me.name, facts.me.role),
            brief=brief,
            goal=_goal(facts, company),
            private=(facts.books.entity["id"], facts.books.period["id"]),
            start=company.start,
            oracle_steps=steps,
            max_steps=horizon(steps),
            milestones=grading.milestones(facts),
            musts=grading.musts(facts),
            forbidden=grading.forbidden(facts),
            orders=grading.orders(facts),
            allowances=allowed(facts),
            feasible=facts.is_feasible,
            guidance=Guidance((facts.manual["title"],), str(facts.manual["body"])),
            sets=grading.sets(facts),
        )


SCENARIO = QuarterClose()


def _asking(goal: Mapping[str, Any]) -> list[Action]:
    """Return messages to the owners, about the period and then each metric, and the reads of their answers."""
    asked: Mapping[str, str] = goal["asked"]
    letters = [(owner, goal["period"]) for owner in sorted({*asked.values()})]
    letters += [(owner, metric_id) for metric_id, owner in asked.items()]
    if not letters:
        return []
    first = int(goal["first_message"].removeprefix("MSG-")) + len(letters)
    return [
        *(
            call("datahub_message_colleague", to=owner, about=about, body="What explains it?")
            for owner, about in letters
        ),
        call("wait", seconds=3 * HOUR),
        *(
            call("datahub_get_message", message_id=f"MSG-{first + number:04d}")
            for number in range(len(letters))
        ),
    ]


def _ticket(metric_id: str, priority: str) -> Action:
    return call(
        "ticketdesk_create_ticket",
        kind=VARIANCE_TICKET,
        title="Variance",
        description="Unexplained.",
        subject=metric_id,
        priority=priority,
    )


def _goal(facts: Facts, company: Company) -> dict[str, Any]:
    goal: dict[str, Any] = {
        "cause": facts.cause,
        "persona": facts.me.id,
        "ticket_id": facts.ticket["id"],
        "period": facts.books.period["id"],
        "runs": _runs(facts),
        "asked": dict(facts.owners_to_ask),
        "first_message": company.numbers.following("MSG"),
        "first_request": company.numbers.following("APR"),
        "tickets": dict(facts.wanted),
        "request": {
            "approver": facts.approver,
            "fields": {
                "period": facts.books.period["id"],
                "variances": len(facts.beyond),
                "unexplained": facts.unexplained,
                "manual": facts.manual["id"],
            },
        },
    }
    if facts.down is not None:
        goal["refusal"] = {"reason_codes": [facts.rules.source], "evidence": [facts.metric(facts.down)]}
    elif not facts.is_feasible:
        goal["refusal"] = {"reason_codes": [facts.rules.prior], "evidence": [facts.prior["id"]]}
    return goal


def _runs(facts: Facts) -> list[tuple[str, int]]:
    """Return the metrics to run, failing runs included, in a right order, with the duration of each run."""
    if facts.down is None and not facts.is_feasible:
        return []
    runs: list[tuple[str, int]] = []
    for name in facts.needed:
        metric, fails = facts.books.metrics[name], facts.failures.get(name, 0)
        if fails == plan.NEVER:
            return [*runs, *[(metric["id"], metric["refresh_s"])] * facts.rules.runs]
        runs += [(metric["id"], metric["refresh_s"])] * (fails + 1)
    return runs
