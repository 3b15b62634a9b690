"""Invoice match: settle supplier invoices against orders and deliveries, each in its own way."""

from pathlib import Path
from typing import Any, Final

from companyos.chaos import Chaos, cost_bound
from companyos.company import Cast, Company, fill, hire_cast, new_name
from companyos.scenario import (
    HELD_OUT,
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
from scenarios.packs import office

from . import agents, grading, words
from .allowances import allowed
from .cases import draw_cases, rest
from .documents import DEPARTMENT, write_documents
from .grading import Week
from .pack import CLERK, GOODS_IN, PACK, RECEIVER, TEAM, add_supplier
from .pile import Pile
from .terms import STOPPED, People, draw_terms
from .transfer_case import add_transfer

PACKS: Final = (office.PACK, PACK)
#: The hidden causes: whether the count covers the rest of a delivery, or whether the payment stop continues.
COVERS, LACKS, OVER, LASTS = "covers", "lacks", "over", "lasts"
START: Final = from_iso("2030-05-13T08:00:00Z")
BRIEF: Final = Path(__file__).with_name("brief.txt").read_text(encoding="utf-8").strip()
#: The time by which all of today's counts are booked.
COUNTED_S: Final = 7 * HOUR
#: The oracle's steps in the longest week, and a few to spare; the same for every seed.
ORACLE_STEPS: Final = 92


class InvoiceMatch(Scenario):
    """Pay, hold, return or claim every invoice of a pile, by rules that are in documents."""

    name = "invoice_match"
    version = 5
    splits = HELD_OUT
    title = "Invoice match"
    summary = "Match a week's supplier invoices with orders and deliveries, and settle each of them once."
    tools = (
        "datahub_list_invoices",
        "datahub_get_invoice",
        "datahub_get_order",
        "datahub_settle_invoice",
        "datahub_list_records",
        "datahub_get_record",
        "datahub_search_documents",
        "datahub_get_document",
        "datahub_list_messages",
        "datahub_get_message",
        "datahub_message_colleague",
        "datahub_get_person",
        "ticketdesk_search_tickets",
        "ticketdesk_get_ticket",
        "wait",
        "finish",
        "refuse",
    )
    #: This morning's notice says whether the payment stop is over.
    readable_clues = ("datahub.documents.body",)

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        """Draw a company, a pile of invoices, and one of the two causes."""
        draws = Draws(salt, self.name, self.version, seed // 2)
        causes = (OVER, LASTS) if draws.chance("stopped", 0.25) else (COVERS, LACKS)
        cause = causes[(seed + draws.chance("swapped", 0.5)) % 2]
        company = Company(draws, START + draws.integer("day", 0, 300) * DAY, PACKS, size)
        cast = hire_cast(company, persona_role=CLERK, team=TEAM, original=False)
        people = _hire(company, cast)
        suppliers = [add_supplier(company, name) for name in draws.shuffled("suppliers", words.SUPPLIERS)]
        terms = draw_terms(company, stopped=cause == LASTS)
        notice = write_documents(company, people, terms)
        pile = Pile(company, people, terms, draws.shuffled("unused", suppliers))
        rest(pile, covers=cause != LACKS)
        add_transfer(pile)
        draw_cases(pile)
        fill(company, cast)
        week = Week(people.me.id, tuple(pile.items), notice["id"], terms.stopped)
        return self._instance(seed, cause, pile, week, ORACLE_STEPS + cost_bound(chaos, business=False))

    def oracle(self, observation: Observation) -> Script:
        """Read the rules that count, then each invoice and order; ask, wait, and settle each invoice once."""
        return agents.oracle(observation)

    def careful(self, observation: Observation) -> Script:
        """Do the same, but look for no notices, settle each invoice by itself, and guess what a transfer paid."""
        return agents.careful(observation)

    def naive(self, observation: Observation) -> Script:
        """Pay every invoice in full to the account that is printed on it."""
        return agents.naive(observation)

    def open_loop_plan(self, instance: Instance) -> list[Action]:
        """Settle this instance's invoices correctly, regardless of what is read on the way."""
        goal = instance.goal
        if not instance.feasible:
            [notice] = goal["refusal"]["evidence"]
            return [
                call("datahub_get_document", document_id=notice),
                call("refuse", reason_code=STOPPED, evidence=[notice]),
            ]
        asks = [
            call("datahub_message_colleague", to=receiver, about=order_id, body="Does the rest come?")
            for order_id, receiver in goal["asked"].items()
        ]
        settled = [_settling(invoice_id, end) for invoice_id, end in goal["dispositions"].items()]
        return [*asks, call("wait", seconds=COUNTED_S), *settled, call("finish")]

    def _instance(self, seed: int, cause: str, pile: Pile, week: Week, steps: int) -> Instance:
        company, me = pile.company, pile.people.me
        return Instance(
            scenario=self.name,
            version=self.version,
            seed=seed,
            rows=company.rows,
            persona=Persona(me.id, me.name, me.role),
            brief=_brief(company, pile.people),
            guidance=_guidance(company),
            goal=_goal(cause, week),
            private=(week.notice, *(item.invoice_id for item in week.items)),
            start=company.start,
            oracle_steps=steps,
            max_steps=horizon(steps),
            milestones=grading.milestones(week),
            musts=grading.musts(week),
            forbidden=grading.forbidden(week),
            orders=grading.orders(week),
            allowances=allowed(pile),
            feasible=not week.stopped,
            sets=() if week.stopped else (week.dispositions,),
        )


SCENARIO = InvoiceMatch()


def _hire(company: Company, cast: Cast) -> People:
    others = [company.hire(new_name(company, "clerk", number), CLERK, TEAM) for number in range(2)]
    receivers = [
        company.hire(new_name(company, "receiver", number), RECEIVER, GOODS_IN) for number in range(3)
    ]
    lead = company.hire(new_name(company, "lead"), "payables_lead", TEAM)
    buyer = company.hire(new_name(company, "buyer"), "buyer", "Purchasing")
    treasurer = company.hire(new_name(company, "treasurer"), "treasurer", "Treasury")
    return People(cast.persona, lead, buyer, treasurer, tuple(others), tuple(receivers))


def _brief(company: Company, people: People) -> str:
    employer = company.draws.choice("employer", company.content.workplace.employers)
    return BRIEF.format(
        first=people.me.name.split()[0],
        name=people.me.name,
        id=people.me.id,
        employer=employer,
        sender=people.lead.name,
    )


def _guidance(company: Company) -> Guidance:
    own = [row for row in company.rows["datahub"]["documents"] if row["department"] == DEPARTMENT]
    [rules] = [row for row in own if row["status"] == "in_force"]
    return Guidance(pointers=(rules["title"], "Notice to Accounts Payable"), rules=rules["body"])


def _goal(cause: str, week: Week) -> dict[str, Any]:
    goal = {
        "cause": cause,
        "persona": week.me,
        "dispositions": {item.invoice_id: item.disposition for item in week.items},
        "asked": {item.order_id: item.receiver for item in week.items if item.receiver},
    }
    refusal = {"reason_codes": [STOPPED], "evidence": [week.notice]}
    return {**goal, "refusal": refusal} if week.stopped else goal


def _settling(invoice_id: str, disposition: str) -> Action:
    kind, *details = disposition.split(":")
    given: dict[str, Any] = {}
    match kind, details:
        case "pay", [account]:
            given = {"account": account}
        case "claim", [reason, amount, account]:
            given = {"reason_code": reason, "amount": float(amount), "account": account}
        case _, [reason]:
            given = {"reason_code": reason}
    return call("datahub_settle_invoice", invoice_id=invoice_id, disposition=kind, **given)
