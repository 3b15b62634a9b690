"""Joint purchase: buy what two departments want together, within both of their budgets."""

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
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso
from scenarios.packs import finance, office

from . import agents, grading, words
from .allowances import allowed
from .facts import Facts, write
from .pack import PACK, PERSONA_ROLE, TEAM

PACKS: Final = (office.PACK, finance.PACK, PACK)
BRIEF: Final = Path(__file__).with_name("brief.txt").read_text(encoding="utf-8").strip()
#: Mornings in the middle of each quarter.
STARTS: Final = tuple(
    from_iso(f"2031-{month:02}-0{day}T08:30:00Z") for month, day in ((2, 3), (5, 5), (8, 4), (9, 1), (6, 2))
)
#: The oracle's steps in the longest purchase: 9 for the rules, the offer and both departments, 13 to refresh
#: everything, 9 for a first request, 9 to find another remedy and withdraw the request, 9 for the second
#: request, the order and `finish`, and a few to spare.
ORACLE_STEPS: Final = 52
#: More time than all stages of signatures together take.
SIGNED_S: Final = 5 * HOUR


class JointPurchase(Scenario):
    """Split a price, find the budgets that can pay it, get every signature, and order once."""

    name = "joint_purchase"
    version = 2
    title = "Joint purchase"
    summary = "Buy what two departments want together: split the price, keep both budgets, and order once."
    tools = (
        "datahub_search_documents",
        "datahub_get_document",
        "datahub_list_messages",
        "datahub_get_message",
        "datahub_list_records",
        "datahub_get_record",
        "datahub_list_metrics",
        "datahub_query_metric",
        "datahub_refresh_data",
        "datahub_list_budgets",
        "datahub_get_budget",
        "datahub_get_person",
        "datahub_get_approver",
        "approvalflow_request_purchase",
        "approvalflow_list_purchases",
        "approvalflow_withdraw_purchase",
        "approvalflow_place_order",
        "wait",
        "finish",
        "refuse",
    )

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw a company with two departments that want the same thing, and which budget is short."""
        draws = Draws(salt, self.name, self.version, seed // 2)
        start = draws.choice("start", STARTS) + draws.integer("day", 0, 17) * DAY
        company = Company(draws, start, PACKS, size)
        cast = hire_cast(company, persona_role=PERSONA_ROLE, team=TEAM, original=False)
        facts = write(draws, company, cast, seed)
        fill(company, cast)
        known = frozenset(str(row["id"]) for row in company.rows["approvalflow"]["purchases"])
        return self._instance(seed, company, facts, known, ORACLE_STEPS + cost_bound(chaos, business=False))

    def oracle(self, observation: Observation) -> Script:
        """Do as the handbook says, and check the budgets again before ordering."""
        return agents.oracle(observation)

    def careful(self, observation: Observation) -> Script:
        """Do as the handbook says, but order without checking the budgets again."""
        return agents.careful(observation)

    def naive(self, observation: Observation) -> Script:
        """Split the price in half, and believe the budgets as shown."""
        return agents.naive(observation)

    def open_loop_plan(self, instance: Instance) -> list[Action]:
        """Refresh what has to be fresh, read what decides, wait until all signers are present, and order."""
        goal = instance.goal
        offer, *mails = goal["papers"]
        plan = [call("datahub_refresh_data", metric_id=one) for one in goal["metrics"]]
        plan.append(call("datahub_get_document", document_id=offer))
        plan += [call("datahub_get_message", message_id=one) for one in mails]
        plan.append(call("wait", seconds=goal["ready_in_s"]))
        if not instance.feasible:
            refusal = goal["refusal"]
            return [*plan, call("refuse", reason_code=agents.NO_BUDGET, evidence=refusal["evidence"])]
        return [
            *plan,
            call("approvalflow_request_purchase", **goal["purchase"]),
            call("wait", seconds=SIGNED_S),
            call("approvalflow_place_order", purchase_id=goal["purchase_id"]),
            call("finish"),
        ]

    def _instance(
        self, seed: int, company: Company, facts: Facts, known: frozenset[str], steps: int
    ) -> Instance:
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(facts.me.id, facts.me.name, facts.me.role),
            brief=_brief(company, facts),
            guidance=Guidance((words.POLICY_TITLE,), str(facts.handbook["body"])),
            goal=_goal(company, facts, known),
            private=(*facts.budgets, *(row["id"] for row in facts.ledgers), facts.offer["id"]),
            start=company.start,
            oracle_steps=steps,
            max_steps=horizon(steps),
            milestones=grading.milestones(facts),
            musts=grading.musts(facts),
            forbidden=grading.forbidden(facts),
            orders=grading.orders(facts),
            allowances=allowed(facts),
            feasible=facts.ending.lot is not None,
        )


SCENARIO = JointPurchase()


def _brief(company: Company, facts: Facts) -> str:
    one, other = (department.name for department in facts.departments)
    return BRIEF.format(
        first=facts.me.name.split()[0],
        name=facts.me.name,
        id=facts.me.id,
        employer=company.draws.choice("employer", company.content.workplace.employers),
        one=one,
        other=other,
        item=facts.item["name"],
        item_id=facts.item["id"],
        wanted=facts.case.wanted,
        sender=facts.reporter.name,
    )


def _goal(company: Company, facts: Facts, known: frozenset[str]) -> dict[str, Any]:
    ending = facts.ending
    goal: dict[str, Any] = {
        "cause": f"short:{facts.case.cause}",
        "persona": facts.me.id,
        "item_id": facts.item["id"],
        "ending": ending.kind,
        "metrics": [row["id"] for row in [*facts.ledgers, *facts.bases]],
        "papers": [row["id"] for row in facts.papers],
        "ready_in_s": facts.ready_at - company.start + MINUTE,
    }
    if ending.lot is None:
        goal["refusal"] = {"reason_codes": [agents.NO_BUDGET], "evidence": list(ending.short)}
        return goal
    goal["purchase"] = {
        "item": facts.item["name"],
        "quantity": ending.lot.quantity,
        "quote": facts.offer["id"],
        "shares": [
            {"budget_id": budget_id, "amount": amount, "approver": facts.signers[budget_id]}
            for budget_id, amount in ending.shares.items()
        ],
        "also": list(facts.also),
    }
    # A colleague's order during the episode takes the preceding number.
    goal["purchase_id"] = f"PUR-{max(int(one.partition('-')[2]) for one in known) + 2:04}"
    return goal
