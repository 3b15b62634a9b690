"""Laboratory access: a count of incidents that says who may let a team in."""

from typing import ClassVar

from companyos.approval_task import ApprovalTask, TaskBuilder, TaskFacts, TaskProfile, TaskSpec
from companyos.company import Pack, Row, cost_centre, register_number
from scenarios.packs import office

from .pack import ACCESS, ACCESS_APPROVAL, INCIDENTS, LABORATORY, PACK, ROLE, ROOMS, access_approval

FEW, MANY = "few", "many"
_MARK = "door_number"


class LabAccess(ApprovalTask):
    """Get a team into a laboratory: how many incidents there were says who decides."""

    name = "lab_access"
    version = 1
    title = "Laboratory access"
    summary = "Count a laboratory's incidents afresh, and get access approved by its head or by safety."
    packs: ClassVar[tuple[Pack, ...]] = (office.PACK, PACK)
    #: Whether its approval type may change.
    with_changes = True
    causes = (FEW, MANY)
    persona_role = ROLE
    team = "Laboratories"
    profile = TaskProfile(
        type_id=ACCESS_APPROVAL,
        kind=LABORATORY,
        title=r"^Access to (.+)",
        mark=_MARK,
        form="Access form",
        exclusions="Laboratories on hold",
        fields=lambda record, metrics: {"room": record["id"], "incidents": metrics[INCIDENTS]},
    )
    oracle_length = 22
    least_steps = 16

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the laboratory, one like it, its incidents and the ticket."""
        edge = builder.draws.choice("edge", (30, 40, 50))
        builder.company.set_approval_type(access_approval(below=edge, with_changes=self.with_changes))
        room, other = _rooms(builder)
        builder.fresh_metric(INCIDENTS, other["id"], "incidents", float(edge // 3))
        builder.new_ticket(ACCESS, f"Access to {other['name']}", "Another team asks.", other)
        return _facts(builder, room, edge)

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Ask for the access."""
        story = (
            f"A team needs the laboratory {facts.called}. Get its ticket {facts.ticket['id']} ready and have it "
            f"decided ({ACCESS_APPROVAL})."
        )
        return TaskSpec(facts, story, submits=True)


SCENARIO = LabAccess()


def _rooms(builder: TaskBuilder) -> tuple[Row, Row]:
    company, made = builder.company, []
    for number, name in enumerate(builder.draws.sample("goal.room", ROOMS, 2)):
        fields = {
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "L", number),
        }
        made.append(company.add_record(company.numbers.reserve("LAB"), LABORATORY, name, fields, "active"))
    return made[0], made[1]


def _facts(builder: TaskBuilder, room: Row, edge: int) -> TaskFacts:
    draws = builder.draws
    stale = edge - draws.integer("incidents.stale", 12, 20)
    few, many = edge - draws.integer("incidents.few", 1, 9), edge + draws.integer("incidents.many", 0, 9)
    fresh = few if builder.cause == FEW else many
    ticket = builder.goal_ticket(
        ACCESS, f"Access to {room['name']}", f"There were {stale} incidents when we last counted.", room
    )
    measurement = builder.stale_metric(
        INCIDENTS, room["id"], "incidents", stale=float(stale), fresh=float(fresh)
    )
    routes = {
        FEW: builder.route("lab_head", ACCESS_APPROVAL, amount=edge),
        MANY: builder.route("safety_officer", ACCESS_APPROVAL, amount=edge),
    }
    return builder.task_facts(
        ticket,
        room,
        ACCESS_APPROVAL,
        measurement,
        fields={"room": room["id"], "incidents": float(fresh)},
        route=routes[builder.cause],
        mark=_MARK,
    )
