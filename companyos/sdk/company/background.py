"""The background of a company: staff and stories from its packs, added until the company has its size."""

from math import fsum
from typing import Any, Final

from companyos.sdk.simtime import DAY

from .areas.library import fill_library
from .areas.org_chart import complete_org_chart
from .cast import Cast, new_name
from .company import Company
from .rows import Row
from .staff import Person

_MAX_STAFF: Final = 1500
#: Background metrics expired long ago or live this long, beyond any episode, so none of them changes.
_LONG_S: Final = 500 * DAY
#: One in DataHub, and its copy in ApprovalFlow.
_ROWS_OF_AN_AVERAGE: Final = 2

#: The least and the most rules that a company has besides those of its task.
_AUTOMATIONS: Final = (10, 60)

#: Statuses that a past ticket can have, each with the acts that led to it.
_LIVES: Final = (
    ("new", ()),
    ("triage", ("assigned",)),
    ("verified", ("assigned", "verified")),
    ("in_progress", ("assigned", "verified", "transitioned")),
    ("done", ("assigned", "verified", "transitioned", "transitioned")),
    ("closed", ("assigned", "verified", "transitioned", "closed")),
    ("closed", ("assigned", "verified", "transitioned", "closed")),
)


def fill(company: Company, cast: Cast) -> None:
    """Add staff and stories until the company has about as many rows as its size says."""
    for number in range(len(company.people), min(company.size // 25, _MAX_STAFF)):
        team, role = company.draws.choice("team", company.content.teams, number)
        person = company.hire(new_name(company, "staff", number), role, team)
        _past_absence(company, person, number)
    averages, number = _Averages(company), 0
    while company.content.stories and company.count() + averages.count() < company.size:
        company.draws.choice("story", company.content.stories, number)(company, cast, number)
        number += 1
    averages.add()
    complete_org_chart(company)
    fill_library(company, cast)
    add_automations(company, company.draws.integer("automations", *_AUTOMATIONS))
    company.prove_automations()


def add_automations(company: Company, count: int) -> None:
    """Add `count` rules from the packs; numbers continue after existing rules, so that no draw repeats."""
    content, known = company.content, len(company.automation_rules())
    for number in range(known, known + count if content.automations else known):
        company.draws.choice("automation", content.automations, number)(company, number)


class _Averages:
    """The company-wide average of every metric that several objects have."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._seen = 0
        self._by_name: dict[str, list[Row]] = {}

    def count(self) -> int:
        """Return how many rows the averages of the current metrics take."""
        metrics = self._company.rows["datahub"]["metrics"]
        for metric in metrics[self._seen :]:
            if metric["subject"] is not None:
                self._by_name.setdefault(metric["name"], []).append(metric)
        self._seen = len(metrics)
        return _ROWS_OF_AN_AVERAGE * sum(len(metrics) > 1 for metrics in self._by_name.values())

    def add(self) -> None:
        """Add the averages of the company's current metrics."""
        self.count()
        for name, metrics in sorted(self._by_name.items()):
            if len(metrics) > 1:
                # Not `sum`, because it rounds floats differently since Python 3.12.
                value = round(fsum(metric["value"] for metric in metrics) / len(metrics), 2)
                average = self._company.add_metric(
                    f"average_{name}", None, value, metrics[0]["unit"], age_s=DAY, ttl_s=_LONG_S
                )
                average["upstream"] = sorted(metric["id"] for metric in metrics)


def _past_absence(company: Company, person: Person, number: int) -> None:
    if company.draws.chance("absence", 0.3, number):
        ended = company.start - company.draws.integer("absence.end", 1, 90, number) * DAY
        length = company.draws.integer("absence.length", 1, 14, number) * DAY
        reason = company.draws.choice("absence.reason", company.content.workplace.absences, number)
        company.send_away(person, ended - length, ended, reason)


def cost_centre(company: Company, number: int, draw_name: str = "cost_centre") -> str:
    """Return a drawn cost centre."""
    return f"CC-{company.draws.integer(draw_name, 100, 899, number)}"


def unused_name(company: Company, name: str, record_id: str) -> str:
    """Return a name for a record, with the record's id appended if another record already has the name."""
    return f"{name} {record_id}" if name in company.record_names else name


def register_number(company: Company, letter: str, number: int) -> str:
    """Return a drawn external registration number: a letter and eight digits."""
    return f"{letter}{company.draws.integer('goal.register', 10**7, 10**8 - 1, number)}"


def somebody(company: Company, draw_name: str, number: int) -> Person:
    """Return a person drawn from everybody hired so far."""
    return company.draws.choice(draw_name, company.people, number)


def old_metric(company: Company, name: str, subject: str, value: float, unit: str, number: int) -> None:
    """Add a metric that either expired long ago or outlasts every episode."""
    days = company.draws.integer("age", 3, 45, name, number)
    expired = company.draws.chance("expired", 0.5, name, number)
    company.add_metric(name, subject, value, unit, age_s=days * DAY, ttl_s=2 * DAY if expired else _LONG_S)


def old_ticket(
    company: Company,
    number: int,
    kind: str,
    title: str,
    about: Row | None,
    *,
    name: str | None = None,
    value: str | None = None,
) -> Row:
    """Add a past ticket about a record, or about nothing, at a drawn stage of its lifecycle.

    Its description uses `name` for the record, and `value` for the record's metric with its unit.
    """
    draws, reporter = company.draws, somebody(company, "reporter", number)
    status, acts = draws.choice("life", _LIVES, number)
    worker = somebody(company, "assignee", number)
    columns = _worked_on(company, worker, number, checked="verified" in acts) if acts else {}
    ticket_id = company.numbers.next("TD")
    ticket = company.add_ticket(
        ticket_id,
        kind,
        title,
        _described(company, ticket_id, kind, title, reporter, name=name, value=value),
        reporter,
        acts=acts,
        status=status,
        subject=about["id"] if about else None,
        cost_centre=about["fields"]["cost_centre"] if about else cost_centre(company, number),
        resolution="Done as asked." if status == "closed" else None,
        **columns,
    )
    for remark in range(1, draws.integer("remarks", 0, 2, number) + 1):
        body = draws.choice("remark", company.content.workplace.remarks, number, remark)
        company.add_comment(ticket, somebody(company, f"author{remark}", number), body, number=remark)
    return ticket


def _described(
    company: Company, ticket_id: str, kind: str, title: str, reporter: Person, **facts: str | None
) -> str:
    if company.content.ticket_kinds[kind].phrases is None:
        return f"{title}. Asked for by {reporter.team}."
    return company.describe(ticket_id, kind, reporter, **facts)


def _worked_on(company: Company, worker: Person, number: int, *, checked: bool) -> dict[str, object]:
    given: dict[str, object] = {
        "assignee": worker.id,
        "priority": company.draws.choice("priority", ("low", "medium"), number),
    }
    if checked:
        checker = somebody(company, "checker", number)
        given |= {
            "verified_by": checker.id,
            "verified_at": company.start - 2 * DAY,
            "evidence": "Checked the file.",
        }
    return given


def settle(
    company: Company, cast: Cast, ticket: Row, type_id: str, fields: dict[str, Any], role: str | None = None
) -> None:
    """Approve the request of a ticket that is in progress or completed.

    By default the role that decides the lowest band of its type approves it.
    """
    if ticket["status"] not in ("in_progress", "done", "closed"):
        return
    requester = next(person for person in company.people if person.id == ticket["assignee"])
    company.decided(
        ticket,
        type_id,
        fields,
        requester,
        cast.offices[role or company.content.approval_types[type_id].roles[0]],
        "approved",
    )
