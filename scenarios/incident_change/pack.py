"""The pack of a platform team: systems with error rates and runbooks, past incidents, and past changes."""

from collections.abc import Sequence
from typing import Any, Final

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    Edition,
    FormField,
    Office,
    Pack,
    Person,
    Phrases,
    Row,
    TicketKind,
    cost_centre,
    old_ticket,
    somebody,
)
from companyos.sdk.company.areas.changes import add_change
from companyos.sdk.company.areas.datasets import add_history, compute_from
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import names, texts

INCIDENT: Final = "incident"
SYSTEM: Final = "system"
METRIC: Final = "error_rate"
EMERGENCY, EXCEPTION = "emergency_change", "freeze_exception"
MANAGER, CTO, ROLE, TEAM = "duty_manager", "chief_technology_officer", "service_engineer", "Platform"
TIERS: Final = ("core", "standard", "internal")
PROCEDURES: Final = tuple(names.STEPS)
TTL_S: Final = 3 * HOUR
REFRESH_S: Final = 5 * MINUTE


def add_system(
    company: Company, system_id: str, name: str, owner: Person, *, area: str, tier: str, limit: float
) -> Row:
    """Add a system's record."""
    fields = {
        "area": area,
        "tier": tier,
        "error_limit": limit,
        "owner": owner.id,
        "cost_centre": cost_centre(company, int(system_id.partition("-")[2])),
    }
    return company.add_record(system_id, SYSTEM, name, fields, "active")


def add_error_rate(
    company: Company,
    system: Row,
    metric_id: str,
    shown: float,
    *,
    age_s: int,
    past: list[tuple[int, float]],
    truly: float | None = None,
) -> Row:
    """Add a system's error rate: the current value, past values, and the refreshed value if it differs."""
    metric = company.add_metric(
        METRIC,
        system["id"],
        shown,
        "%",
        age_s=age_s,
        ttl_s=TTL_S,
        refresh_s=REFRESH_S,
        values=() if truly is None else (truly,),
        metric_id=metric_id,
    )
    add_history(company, metric, past)
    return metric


def add_runbook(
    company: Company, system: Row, owner: Person, *editions: tuple[str, Sequence[str], int], **columns: Any
) -> Row:
    """Add the editions of a system's runbook, each with its status, its procedures in order and its age in seconds.

    Returns the edition in force.
    """
    draws, written = company.draws, []
    for status, procedures, age_s in editions:
        key = f"{system['id']}{age_s}"
        purpose = draws.choice("runbook.purpose", names.PURPOSES, key)
        body = texts.RUNBOOK.write(
            name=system["name"],
            system_id=system["id"],
            owner=f"{owner.name} ({owner.id})",
            purpose=purpose.format(count=draws.integer("runbook.count", 2, 90, key)),
            steps=[
                {"number": number, "procedure": one, "advice": names.STEPS[one]}
                for number, one in enumerate(procedures, start=1)
            ],
        )
        written.append(Edition(status, body, age_s))
    title = texts.RUNBOOK_TITLE.format(name=system["name"])
    return company.add_editions("runbook", title, TEAM, owner, *written, links=[system["id"]], **columns)


def _old_incident(company: Company, cast: Cast, number: int) -> None:
    """Write a system, its error rate and runbook, and a past incident with its rollout."""
    draws = company.draws
    owner, limit = somebody(company, "owner", number), draws.integer("limit", 10, 30, number) / 10
    system = _old_system(company, owner, limit, number)
    _old_rate(company, system, limit, number)
    count = draws.integer("procedures.count", 1, 3, number)
    procedures = draws.sample("procedures", PROCEDURES, count, number)
    edition = ("in_force", procedures, draws.integer("runbook.age", 10, 400, number) * DAY)
    add_runbook(company, system, owner, edition, document_id=company.numbers.next("DOC"))
    name = system["name"]
    title = f"{name}: {draws.choice('symptom', names.SYMPTOMS, number).lower()}"
    ticket = old_ticket(company, number, INCIDENT, title, system, name=name, value=f"{limit:g} %")
    if draws.chance("old.change", 0.6, number):
        change_id, step = company.numbers.next("CHG"), procedures[0]
        age_s = draws.integer("old.change.age", 2, 40, number) * DAY
        undone = HOUR if draws.chance("old.change.undone", 0.4, number) else None
        add_change(company, change_id, ticket, system, step, owner, age_s=age_s, undone_after_s=undone)


def _old_system(company: Company, owner: Person, limit: float, number: int) -> Row:
    draws = company.draws
    name = f"{draws.choice('system', names.SYSTEMS, number)} {draws.choice('region', names.REGIONS, number)}"
    unused = f"{name} {number}" if name in company.record_names else name
    area, tier = draws.choice("area", names.AREAS, number), draws.choice("tier", TIERS, number)
    system_id = company.numbers.next("SYS")
    return add_system(company, system_id, unused, owner, area=area, tier=tier, limit=limit)


def _old_rate(company: Company, system: Row, limit: float, number: int) -> None:
    draws = company.draws
    shown = round(limit * draws.integer("rate", 20, 150, number) / 100, 1)
    shares = [draws.integer("rate.past", 20, 95, number, at) for at in range(4)]
    past = [((24 - at) * 3 * HOUR, round(limit * share / 100, 1)) for at, share in enumerate(shares)]
    drawn = {row["id"] for row in company.rows["datahub"]["sources"]}
    recent = company.rows["datahub"]["metrics"][-4:]
    before = [one for one in recent if one["name"] == METRIC and one["id"] not in drawn]
    age_s = draws.integer("rate.age", 4 * HOUR, 9 * HOUR, number)
    metric = add_error_rate(company, system, company.numbers.next("MET"), shown, age_s=age_s, past=past)
    if before and draws.chance("rate.upstream", 0.6, number):
        compute_from(metric, draws.choice("rate.from", before, number))


_PHRASES: Final = Phrases(
    openings=(
        "{name} fails again.",
        "Customers cannot use {name}.",
        "{name} is slow to the point of being useless.",
        "Something is wrong with {name}.",
    ),
    details=(
        "The board showed more than {value}.",
        "It began in the night.",
        "A restart helped last time.",
        "{team} sees it as well.",
        "Only some customers are affected, it seems.",
    ),
    closings=("Please look at once.", "Thanks.", "I am at my desk until noon."),
)
_FIELDS: Final = (
    FormField("incident", "string", "Id of the incident's ticket, such as TD-1042."),
    FormField("system", "string", "Id of the record of the failing system, which is changed."),
    FormField("severity", "integer", "Severity of the incident, as a number: 1 for an urgent one."),
)

PACK: Final = Pack(
    name="platform",
    ticket_kinds=(
        TicketKind(
            INCIDENT,
            "Incident",
            ("low", "medium", "high", "urgent"),
            (ROLE,),
            ("priority", "subject"),
            needs_approval=False,
            phrases=_PHRASES,
        ),
    ),
    approval_types=(
        ApprovalType(
            EMERGENCY,
            "Emergency change",
            "Lets changes go live at once to end an incident. Needs no ticket: the fields name it.",
            _FIELDS,
            (Band(MANAGER),),
        ),
        ApprovalType(
            EXCEPTION,
            "Freeze exception",
            "Lets changes go live at once in spite of a freeze whose exceptions cover them. Needs no ticket: the "
            "fields name it.",
            _FIELDS,
            (Band(CTO),),
        ),
    ),
    record_kinds=(SYSTEM,),
    offices=(Office(MANAGER, TEAM), Office(CTO, TEAM)),
    teams=((TEAM, ROLE),),
    stories=(_old_incident, _old_incident),
)
