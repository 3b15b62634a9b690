"""Support desks under construction: their companies, services, customers and documents, and one written by hand."""

from dataclasses import dataclass

from companyos.company import Cast, Company, Person, Row, hire_cast
from companyos.sdk.draws import Draws
from scenarios.support_triage.cases import Answering, Morning, SupportCase
from scenarios.support_triage.content import FAILURE, QUESTIONS, QUEUES, TIERS, Topic
from scenarios.support_triage.pack import ROLE, TEAM
from scenarios.support_triage.rulebook import URGENCIES, Rulebook, draw
from scenarios.support_triage.scenario import SCENARIO
from scenarios.support_triage.world import Customers, Librarian, Library, Services, add_services

SEEDS = range(30)
NORTH, SOUTH = "SVC-1", "SVC-2"
ARRIVED = SCENARIO.start - 600


@dataclass(frozen=True)
class Built:
    """A support desk so far, without its tickets."""

    company: Company
    cast: Cast
    rules: Rulebook
    before: Rulebook
    services: Services

    @property
    def customers(self) -> Customers:
        return Customers(self.company, self.services.both, self.cast.author)

    @property
    def morning(self) -> Morning:
        return Morning(self.company, self.customers, self.services)

    def written(self) -> Library:
        """Write all documents."""
        return Librarian(self.company, self.cast.author, self.services).write(self.rules, self.before)


def built(seed: int = 0, down: tuple[bool, bool] = (True, False)) -> Built:
    company = Company(Draws("mornings", seed), SCENARIO.start, SCENARIO.packs, "small")
    cast = hire_cast(company, persona_role=ROLE, team=TEAM, original=False)
    rules, before = draw(company.draws)
    services = add_services(company, rules, cast.author, down)
    return Built(company, cast, rules, before, services)


def rulebook(**matrix: str) -> Rulebook:
    """Return rules by which each queue takes one topic; `matrix` are priorities by `tier_urgency`."""
    takers = {topic.id: "care" for topic in QUESTIONS}
    takers |= {"invoices": "billing", "exports": "integrations", "down": "platform", "defect": "engineering"}
    priorities = {(tier, urgency): "low" for tier in TIERS for urgency in URGENCIES}
    given = {tuple(name.split("_")): priority for name, priority in matrix.items()}
    return Rulebook(
        {**priorities, **{(tier, urgency): one for (tier, urgency), one in given.items()}}, takers, 5
    )


LIBRARY = Library(
    "DOC-BOOK",
    "DOC-NOTES",
    "DOC-ISSUES",
    {topic.id: f"DOC-{topic.id}" for topic in (*QUESTIONS, FAILURE)},
    {NORTH: "DOC-NORTH", SOUTH: "DOC-SOUTH"},
)
SERVICES = Services(
    {NORTH: "Export North", SOUTH: "Export South"},
    {NORTH: {"id": "MET-1", "as_of": 100}, SOUTH: {"id": "MET-2", "as_of": 200}},
    {NORTH: "TD-801", SOUTH: "TD-802"},
    "imports",
)
ON_CALL = {queue: Person(f"call.{queue}", f"Call {queue}", "engineer", queue) for queue in QUEUES}


def answering(rules: Rulebook, *down: str) -> Answering:
    return Answering(rules, LIBRARY, SERVICES, down, ON_CALL)


def support_case(sort: str, topic: Topic | None, tier: str = "plus", served_by: str = NORTH) -> SupportCase:
    """Return a ticket that has just been filed, before its right outcome is known."""
    account: Row = {"id": "ACC-1", "fields": {"tier": "standard", "served_by": served_by}}
    return SupportCase("TD-901", sort, topic, account, "THG-5000", ARRIVED, tier)
