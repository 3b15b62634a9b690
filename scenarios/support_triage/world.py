"""The objects around a morning's tickets: export services, customers, contracts, and documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.company.areas.support import place
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from .content import CUSTOMERS, DEFECTS, FAILURE, QUESTIONS, SERVICES, TIERS, Topic
from .pack import INCIDENT, SERVICE, add_contract, new_account
from .rulebook import Rulebook, handbook

HANDBOOK_TITLE: Final = "Working the support queue"
REFRESH_S: Final = 900


@dataclass(frozen=True)
class Services:
    """The two export services: their records, error rates and incidents, by the service's id.

    Attributes:
        names: Their names.
        metrics: Their error rates.
        incidents: Ids of the incidents about them, one of which is unfounded.
        fixed_defect: The defect that the latest release fixed.
        down: The services that are down.
    """

    names: dict[str, str]
    metrics: dict[str, Row]
    incidents: dict[str, str]
    fixed_defect: str
    down: list[str]


def add_services(company: Company, rules: Rulebook, operator: Person, down: tuple[bool, bool]) -> Services:
    """Add the export services with yesterday's error rates, the refreshed rates, and incidents."""
    draws = company.draws
    chosen = draws.shuffled("services", SERVICES)[:2]
    services = Services({}, {}, {}, draws.choice("fixed", DEFECTS).id, [])
    for name, is_down in zip(chosen, down, strict=True):
        owner = {"owner": operator.id}
        service = company.add_record(company.numbers.reserve("SVC"), SERVICE, name, owner, "active")
        low, high = (rules.limit + 2, rules.limit + 30) if is_down else (0, rules.limit - 2)
        metric = company.add_metric(
            "error_rate",
            service["id"],
            draws.integer("stale", 2, 19, name) / 10,
            "%",
            metric_id=company.numbers.reserve("MET"),
            age_s=draws.integer("stale.age", 14, 20, name) * HOUR,
            ttl_s=HOUR,
            refresh_s=REFRESH_S,
            values=[draws.integer("fresh", low * 10, high * 10, name, str(is_down)) / 10],
        )
        services.names[service["id"]] = name
        if is_down:
            services.down.append(service["id"])
        services.metrics[service["id"]] = metric
        services.incidents[service["id"]] = _incident(company, service, operator)
    return services


def _incident(company: Company, service: Row, operator: Person) -> str:
    title, text = f"Exports on {service['name']}", f"Customers report empty exports. {service['name']}?"
    ticket_id, about = company.numbers.reserve("TD"), service["id"]
    ticket = company.add_ticket(ticket_id, INCIDENT, title, text, operator, subject=about)
    place(company, ticket, "platform", at=company.start - 50 * MINUTE)
    return ticket_id


class Customers:
    """Adds customers, whose contracts may differ from their records."""

    def __init__(self, company: Company, services: Sequence[str], sales: Person) -> None:
        self._company = company
        self._services = services
        self._sales = sales
        self._names = iter(company.draws.shuffled("customers", CUSTOMERS))

    def next(self, served_by: str | None, *, renewed: bool) -> tuple[Row, str, str]:
        """Add a customer with a contract; return the record, and the tier and the id of the contract that applies."""
        company, draws = self._company, self._company.draws
        name = next(self._names)
        tier = draws.choice("customer.tier", TIERS, name)
        other = draws.choice("customer.other", [one for one in TIERS if one != tier], name)
        served_by = served_by or draws.choice("served_by", self._services, name)
        on_file = other if renewed else tier
        account = new_account(company, name, on_file, served_by, company.numbers.reserve("ACC"))
        contract = self._add_contracts(account, tier, other, renewed=renewed)
        return account, tier, str(contract["id"])

    def _add_contracts(self, account: Row, tier: str, other: str, *, renewed: bool) -> Row:
        """Return the edition that applies, beside which often one has ended, is not yet in effect, or is a draft."""
        draws, name = self._company.draws, account["name"]
        add = partial(add_contract, self._company, account, self._sales)
        age_s = draws.integer("contract.age", 40, 300, name) * DAY
        if renewed:
            old = add(other, age_s=age_s, status="superseded")
            return add(tier, age_s=DAY, supersedes=old["id"])
        current = add(tier, age_s=age_s)
        match draws.choice("contract.next", ("none", "none", "draft", "later"), name):
            case "draft":
                add(other, age_s=DAY, status="draft")
            case "later":
                starts = self._company.start + draws.integer("contract.starts", 5, 30, name) * DAY
                add(other, age_s=2 * DAY, supersedes=current["id"], effective_from=starts)
        return current


class Librarian:
    """Writes the documents of support, those that count and those that do not."""

    def __init__(self, company: Company, author: Person, services: Services) -> None:
        self._company = company
        self._author = author
        self._services = services

    def write(self, rules: Rulebook, before: Rulebook) -> dict[str, str]:
        """Write all documents, and return the ids of those that count by what they are about.

        That is the `handbook`, a `fixed` or still open `defect`, a topic, or a service.
        """
        library = {
            "handbook": self._handbook(rules, before),
            "fixed": self._release_notes(),
            "defect": self._known_issues(),
        }
        library |= {topic.id: self._article(topic) for topic in (*QUESTIONS, FAILURE)}
        for service, name in self._services.names.items():
            text = f"We are looking into exports on {name}."
            library[service] = self._add("notice", f"Status of {name}", text, 1, links=[service])
        return library

    def _handbook(self, rules: Rulebook, before: Rulebook) -> str:
        services = self._services.names
        texts = [handbook(one, list(services.values())) for one in (before, rules)]
        old = self._add("handbook", HANDBOOK_TITLE, texts[0], 400, "superseded")
        return self._add("handbook", HANDBOOK_TITLE, texts[1], 9, supersedes=old, links=list(services))

    def _article(self, topic: Topic) -> str:
        stale = self._company.draws.choice("article.stale", ("draft", "superseded", "withdrawn"), topic.id)
        old = self._add("article", topic.article, f"{topic.advice} This takes up to two days.", 300, stale)
        supersedes = old if stale == "superseded" else None
        return self._add("article", topic.article, topic.advice, 30, supersedes=supersedes)

    def _release_notes(self) -> str:
        fixed, other = self._defects()
        number = self._company.draws.integer("release", 20, 60)
        *_, latest = [
            self._add(
                "release_notes",
                f"Release {release}",
                f"## Fixed\n\n{defect}.\n\n## Changed\n\nMenus have new icons.\n",
                days,
                status,
            )
            for release, defect, days, status in (
                (number - 1, "Sign-in loops on old browsers", 60, "superseded"),
                (number + 1, other, 1, "draft"),
                (number, fixed, 4, "in_force"),
            )
        ]
        return latest

    def _known_issues(self) -> str:
        fixed, other = self._defects()
        title, both = "Known issues", f"## Open\n\n{fixed}.\n{other}.\n"
        old = self._add("known_issues", title, both, 35, "superseded")
        return self._add("known_issues", title, f"## Open\n\n{other}.\n", 3, supersedes=old)

    def _defects(self) -> tuple[str, str]:
        """Return the documents' texts about the fixed defect and about the open one."""
        fixed = self._services.fixed_defect
        first, second = sorted(DEFECTS, key=lambda defect: defect.id != fixed)
        return first.advice, second.advice

    def _add(
        self, kind: str, title: str, body: str, days: int, status: str = "in_force", **columns: Any
    ) -> str:
        columns |= {"age_s": days * DAY + 2 * HOUR, "status": status}
        document = self._company.add_document(kind, title, "support", self._author, body, **columns)
        return str(document["id"])
