"""The pack of the equipment desk: assets, hand-overs, and background rules."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from companyos.sdk.company import Cast, Company, NewId, Pack, Person, Row, TicketKind, names, somebody

from .rules import BACKGROUND, HANDOVER, RuleKind

PROJECT: Final = "project"
ROLE, TEAM = "asset_coordinator", "Equipment"
#: The least ceiling of a background rule, which nobody ever reaches.
_MANY: Final = 40


@dataclass(frozen=True)
class AssetClass:
    """A class of assets, with the name of one asset."""

    name: str

    @property
    def id(self) -> str:
        """The name as the register has it."""
        return self.name.lower().replace(" ", "_")

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a rule about the class."""
        return {"name": self.name, "one": self.name.lower(), "class_": self.id}


CLASSES: Final = tuple(
    AssetClass(name)
    for name in names(
        """
        Signing key, Vault badge, Field radio, Test rig, Customer line, Lab tablet, Depot pass, Mobile scanner,
        Master seal
        """
    )
)
PROJECTS: Final = names("Falcon, Juniper, Harbor, Meridian, Cobalt, Lantern, Sequoia, Tundra, Quartz")
PRIORITIES: Final = ("low", "medium", "high", "urgent")
#: The priorities that nobody is paged for.
_USUAL: Final = PRIORITIES[:3]


def classes_of_task(company: Company) -> list[AssetClass]:
    """Return the five classes of the task; the others belong to the background."""
    return company.draws.shuffled("classes", CLASSES)[:5]


def _other_class(company: Company, number: int) -> AssetClass:
    return company.draws.choice("class", company.draws.shuffled("classes", CLASSES)[5:], number)


def add_piece(company: Company, new_id: NewId, class_: AssetClass, holder: Person | None) -> Row:
    """Add an asset of a class, held by a person or in the pool."""
    asset_id = new_id("AST")
    name = f"{class_.name} {asset_id.partition('-')[2]}"
    return company.add_asset(asset_id, name, class_.id, holder.id if holder else None)


def add_handover(company: Company, new_id: NewId, asset: Row, project: str, **columns: Any) -> Row:
    """Add the ticket about an asset that changes hands."""
    ticket_id = new_id("TD")
    return company.add_ticket(
        ticket_id,
        HANDOVER,
        f"Hand-over of {asset['id']} for {project}",
        f"{asset['name']} changes hands with {project}.",
        somebody(company, "handover.reporter", int(ticket_id.partition("-")[2])),
        subject=asset["id"],
        **columns,
    )


def _piece(company: Company, cast: Cast, number: int) -> None:
    """Add an asset that another person or the pool holds, and perhaps the ticket about its last hand-over."""
    draws, new_id = company.draws, company.numbers.next
    holder = somebody(company, "holder", number) if draws.chance("held", 0.7, number) else None
    asset = add_piece(company, new_id, _other_class(company, number), holder)
    if draws.chance("handover", 0.6, number):
        priority = draws.choice("handover.priority", _USUAL, number)
        status = draws.choice("handover.status", ("new", "triage", "in_progress", "done"), number)
        project = draws.choice("handover.project", PROJECTS[1:], number)
        add_handover(company, new_id, asset, project, priority=priority, status=status)


def _clearance(company: Company, cast: Cast, number: int) -> None:
    """Give clearance to a person who has none."""
    person = somebody(company, "cleared", number)
    if all(row["id"] != person.id for row in company.rows["datahub"]["clearances"]):
        company.set_clearance(person.id, company.draws.integer("level", 1, 4, number))


def _rule(kind: RuleKind, company: Company, number: int) -> None:
    """Add a rule of a kind unless one has the same name, because two equal rules could conflict."""
    draws = company.draws
    fields = {
        **_other_class(company, number).fields,
        "most": _MANY + draws.integer("most", 0, 9, number),
        "kind": draws.choice("kind", (HANDOVER, PROJECT, "task"), number),
        "to": draws.choice("to", _USUAL, number),
        "person": somebody(company, "voided", number).id,
    }
    name = kind.name.format(**fields)
    if all(row["name"] != name for row in company.rows[kind.service]["automations"]):
        kind.add(company, company.numbers.next("AUT"), fields)


PACK: Final = Pack(
    name="equipment",
    ticket_kinds=tuple(
        TicketKind(kind, name, PRIORITIES, (ROLE,), needs_approval=False)
        for kind, name in ((HANDOVER, "Hand-over"), (PROJECT, "Project"))
    ),
    teams=((TEAM, ROLE), ("Field", "technician"), ("Field", "engineer")),
    stories=(_piece, _piece, _piece, _clearance),
    automations=tuple(partial(_rule, kind) for kind in BACKGROUND),
)
