"""Data-quality audit: find silently failed feeds, their dashboards, and the requests that relied on them."""

from pathlib import Path
from typing import Final

from companyos.chaos import Chaos, cost_bound
from companyos.company import Company, fill, hire_cast
from companyos.scenario import (
    HELD_OUT,
    Action,
    Guidance,
    IdsAnswer,
    Instance,
    Observation,
    Persona,
    Scenario,
    Script,
    call,
    horizon,
)
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso
from scenarios.packs import analytics, office

from . import grading
from .agents import careful, naive, oracle
from .allowances import allowed
from .facts import Facts, write

PACKS: Final = (office.PACK, analytics.PACK)
BRIEF: Final = Path(__file__).with_name("brief.txt").read_text(encoding="utf-8").strip()
START: Final = from_iso("2031-03-03T09:00:00Z")
#: The oracle's steps in the longest audit: the rules, three notices and a calendar, six feeds with their histories, two
#: control totals and a dataset, three lineages, the releases, a dozen quarantines, and a link for every request.
ORACLE_STEPS: Final = 68


class DataQualityAudit(Scenario):
    """Find the dashboards that depend on failed feeds, and quarantine only those."""

    name = "data_quality_audit"
    version = 4
    splits = HELD_OUT
    title = "Data-quality audit"
    summary = (
        "Find which dashboards of an area rest on feeds that failed silently, and quarantine only those."
    )
    tools = (
        "ticketdesk_get_ticket",
        "ticketdesk_list_comments",
        "ticketdesk_add_comment",
        "ticketdesk_link_ticket",
        "datahub_list_records",
        "datahub_get_record",
        "datahub_list_metrics",
        "datahub_query_metric",
        "datahub_get_metric_history",
        "datahub_get_lineage",
        "datahub_refresh_data",
        "datahub_quarantine_metric",
        "datahub_release_metric",
        "datahub_list_datasets",
        "datahub_get_dataset",
        "datahub_query_dataset",
        "datahub_search_documents",
        "datahub_get_document",
        "approvalflow_list_approvals",
        "approvalflow_get_request",
        "wait",
        "finish",
        "refuse",
    )

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw a company with an area under audit, and which of its feeds have failed."""
        draws = Draws(salt, self.name, self.version, seed // 2)
        company = Company(draws, START + draws.integer("day", 0, 300) * DAY, PACKS, size)
        cast = hire_cast(company, persona_role="data_steward", team="Data", original=False)
        facts = write(draws, company, cast, seed)
        fill(company, cast)
        brief = BRIEF.format(
            name=facts.me.name,
            id=facts.me.id,
            employer=draws.choice("employer", company.content.workplace.employers),
            area=facts.area.name,
            ticket_id=facts.ticket["id"],
            reporter=cast.reporter.name,
        )
        return self._instance(seed, company, facts, brief, ORACLE_STEPS + cost_bound(chaos, business=False))

    def oracle(self, observation: Observation) -> Script:
        """Check every suspect by the rules in force, then act on their dashboards."""
        return oracle(observation)

    def naive(self, observation: Observation) -> Script:
        """Quarantine what depends on the feeds that colleagues say are broken."""
        return naive(observation)

    def careful(self, observation: Observation) -> Script:
        """Refresh what is stale and follow the lineage, without reading the rules."""
        return careful(observation)

    def open_loop_plan(self, instance: Instance) -> list[Action]:
        """Refresh and read the control totals, then do what is right in this instance."""
        goal = instance.goal
        plan = [call("datahub_refresh_data", metric_id=metric_id) for metric_id in goal["controls"]]
        plan.append(call("wait", seconds=analytics.REFRESH_S))
        plan += [call("datahub_query_metric", metric_id=metric_id) for metric_id in goal["controls"]]
        if "refusal" in goal:
            codes, evidence = goal["refusal"]["reason_codes"], goal["refusal"]["evidence"]
            return [*plan, call("refuse", reason_code=codes[0], evidence=evidence)]
        reason = "Rests on a feed that has failed."
        plan += [call("datahub_quarantine_metric", metric_id=one, reason=reason) for one in goal["new"]]
        plan += [call("datahub_release_metric", metric_id=one, reason="Sound.") for one in goal["released"]]
        plan += [
            call("ticketdesk_link_ticket", ticket_id=one, kind="relates", target=goal["ticket_id"])
            for one in goal["tickets"]
        ]
        return [*plan, call("finish", answer=goal["failed_feeds"])]

    def _instance(self, seed: int, company: Company, facts: Facts, brief: str, steps: int) -> Instance:
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(facts.me.id, facts.me.name, facts.me.role),
            brief=brief,
            goal=_goal(facts),
            private=tuple(feed.record["id"] for feed in facts.feeds),
            start=company.start,
            oracle_steps=steps,
            max_steps=horizon(steps),
            milestones=grading.milestones(facts),
            musts=grading.musts(facts),
            forbidden=grading.forbidden(facts),
            orders=grading.orders(facts),
            allowances=allowed(facts),
            feasible=facts.missing is None,
            guidance=Guidance((facts.rules["title"],), str(facts.rules["body"])),
            answer=IdsAnswer(facts.failed_feeds),
            sets=(grading.quarantined(facts), grading.linked(facts)),
        )


SCENARIO = DataQualityAudit()


def _goal(facts: Facts) -> dict[str, object]:
    goal: dict[str, object] = {
        "cause": f"failed:{facts.cause}",
        "persona": facts.me.id,
        "ticket_id": facts.ticket["id"],
        "controls": [control["id"] for control in facts.controls],
        "failed_feeds": facts.failed_feeds,
        "new": sorted(facts.new),
        "released": [facts.earlier] if facts.earlier and facts.earlier not in facts.wanted else [],
        "tickets": sorted({request["ticket_id"] for request in facts.voided}),
    }
    if facts.missing is not None:
        goal["refusal"] = {"reason_codes": [facts.reason], "evidence": [facts.missing["id"]]}
    return goal
