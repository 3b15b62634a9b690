"""The pack of the equipment desk: assets, hand-overs, and background rules."""

from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.automations import given
from companyos.sdk.company import Cast, Company, Pack, Row, TicketKind, names, somebody

HANDOVER, PROJECT = "handover", "project"
ROLE, TEAM = "asset_coordinator", "Equipment"
#: The ceiling of a background rule, which nobody ever reaches.
_MANY: Final = 40


@dataclass(frozen=True)
class AssetClass:
    """A class of assets, with the name of one asset."""

    name: str

    @property
    def id(self) -> str:
        """The name as the register has it."""
        return self.one.replace(" ", "_")

    @property
    def one(self) -> str:
        """The name of one asset, for use in a sentence."""
        return self.name.lower()

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a statement about the class."""
        return {"name": self.name, "one": self.one, "class_": self.id}


CLASSES: Final = tuple(
    AssetClass(name)
    for name in (
        "Signing key",
        "Vault badge",
        "Field radio",
        "Test rig",
        "Customer line",
        "Lab tablet",
        "Depot pass",
        "Mobile scanner",
        "Master seal",
    )
)
PROJECTS: Final = names(
    """
    Falcon, Juniper, Harbor, Meridian, Cobalt, Lantern, Sequoia, Tundra, Quartz
    """
)
PRIORITIES: Final = ("low", "medium", "high", "urgent")
#: The priorities that nobody is paged for.
_USUAL: Final = PRIORITIES[:3]


def classes_of_task(company: Company) -> list[AssetClass]:
    """Return the five classes of the task; the others belong to the background."""
    return company.draws.shuffled("classes", CLASSES)[:5]


def _other_class(company: Company, number: int) -> AssetClass:
    return company.draws.choice("class", company.draws.shuffled("classes", CLASSES)[5:], number)


def add_piece(company: Company, asset_id: str, class_: AssetClass, holder: str | None) -> Row:
    """Add an asset of a class, held by a person or in the pool."""
    return company.add_asset(asset_id, f"{class_.name} {asset_id.partition('-')[2]}", class_.id, holder)


def add_handover(company: Company, ticket_id: str, asset: Row, project: str, **columns: Any) -> Row:
    """Add the ticket about an asset that changes hands."""
    number = int(ticket_id.partition("-")[2])
    return company.add_ticket(
        ticket_id,
        HANDOVER,
        f"Hand-over of {asset['id']} for {project}",
        f"{asset['name']} changes hands with {project}.",
        somebody(company, "handover.reporter", number),
        subject=asset["id"],
        **columns,
    )


def _piece(company: Company, cast: Cast, number: int) -> None:
    """Add an asset that another person or the pool holds, and perhaps the ticket about its last hand-over."""
    draws = company.draws
    class_ = _other_class(company, number)
    holder = somebody(company, "holder", number).id if draws.chance("held", 0.7, number) else None
    asset_id = company.numbers.next("AST")
    asset = add_piece(company, asset_id, class_, holder)
    if draws.chance("handover", 0.6, number):
        priority = draws.choice("handover.priority", _USUAL, number)
        status = draws.choice("handover.status", ("new", "triage", "in_progress", "done"), number)
        project = draws.choice("handover.project", PROJECTS[1:], number)
        add_handover(company, company.numbers.next("TD"), asset, project, priority=priority, status=status)


def _clearance(company: Company, cast: Cast, number: int) -> None:
    """Give clearance to a person who has none."""
    known = {row["id"] for row in company.rows["datahub"]["clearances"]}
    person = somebody(company, "cleared", number)
    if person.id not in known:
        company.set_clearance(person.id, company.draws.integer("level", 1, 4, number))


def _add(company: Company, service: str, *rule: Any, name: str, **columns: Any) -> None:
    """Add a rule unless one has the same name, because two equal rules could conflict."""
    if all(row["name"] != name for row in company.rows[service]["automations"]):
        company.add_automation(service, *rule, name=name, **columns)


def _costs_a_level(company: Company, number: int) -> None:
    class_ = _other_class(company, number)
    most = _MANY + company.draws.integer("most", 0, 9, number)
    held = {"count": "assets", "where": {"holder": "$holder", "asset_class": class_.id}}
    _add(
        company,
        "datahub",
        "asset.assigned",
        [given("$asset_class", "eq", class_.id), given(held, "gt", most)],
        {"action": "change_clearance", "with": {"person": "$holder", "by": -1}},
        name=f"{class_.name}: limit",
        description=f"A person who is given a {class_.one} and then holds more than {most} loses one level of "
        "clearance.",
    )


def _record_follows(company: Company, number: int) -> None:
    kind = company.draws.choice("kind", (HANDOVER, PROJECT, "task"), number)
    _add(
        company,
        "datahub",
        "ticket.reopened",
        [
            given("$kind", "eq", kind),
            given("$subject", "ne", None),
            given({"first": "records", "where": {"id": "$subject"}, "column": "status"}, "eq", "active"),
        ],
        {"action": "set_record_status", "with": {"record": "$subject", "status": "pending"}},
        name=f"Reopened {kind}",
        description=f"When a ticket of kind {kind} is reopened, the active record it is about is pending again.",
    )


def _goes_back(company: Company, number: int) -> None:
    class_ = _other_class(company, number)
    _add(
        company,
        "datahub",
        "ticket.reopened",
        [
            given("$kind", "eq", HANDOVER),
            given({"first": "assets", "where": {"id": "$subject"}, "column": "asset_class"}, "eq", class_.id),
        ],
        {"action": "return_asset", "with": {"asset": "$subject"}},
        name=f"{class_.name}: reopened hand-over",
        description=f"When the hand-over of a {class_.one} is reopened, it goes back to the pool.",
    )


def _moves_up(company: Company, number: int) -> None:
    class_ = _other_class(company, number)
    to = company.draws.choice("to", _USUAL, number)
    about = {"first": "tickets", "where": {"subject": "$asset_id"}, "column": "id"}
    _add(
        company,
        "ticketdesk",
        "asset.returned",
        [given("$asset_class", "eq", class_.id), given(about, "ne", None)],
        {"action": "set_priority", "with": {"ticket": about, "to": to}},
        name=f"{class_.name}: priority",
        description=f"When a {class_.one} is returned to the pool, the first ticket about it gets priority {to}.",
    )


def _void(company: Company, number: int) -> None:
    kind = company.draws.choice("kind", (HANDOVER, PROJECT, "task"), number)
    person = somebody(company, "voided", number)
    _add(
        company,
        "approvalflow",
        "ticket.reopened",
        [given("$kind", "eq", kind), given("$reporter", "eq", person.id)],
        {"action": "void", "with": {"requester": person.id, "reason": f"A {kind} ticket was reopened."}},
        name=f"Reopened {kind}: requests",
        description=f"When a ticket of kind {kind} that {person.id} reported is reopened, their pending requests are "
        "void.",
    )


PACK: Final = Pack(
    name="equipment",
    ticket_kinds=(
        TicketKind(HANDOVER, "Hand-over", PRIORITIES, (ROLE,), needs_approval=False),
        TicketKind(PROJECT, "Project", PRIORITIES, (ROLE,), needs_approval=False),
    ),
    teams=((TEAM, ROLE), ("Field", "technician"), ("Field", "engineer")),
    stories=(_piece, _piece, _piece, _clearance),
    automations=(_costs_a_level, _record_follows, _goes_back, _moves_up, _void),
)
