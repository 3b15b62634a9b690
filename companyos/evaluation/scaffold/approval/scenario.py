"""Workshop access: an incident count decides who may admit a team."""

from typing import ClassVar

from companyos.sdk.approval_task import ApprovalTask, TaskBuilder, TaskFacts, TaskProfile, TaskSpec
from companyos.sdk.company import Pack, Row, cost_centre, register_number
from scenarios.packs import office

from .pack import ACCESS, ACCESS_APPROVAL, INCIDENTS, PACK, ROLE, ROOMS, WORKSHOP, access_approval

FEW, MANY = "few", "many"
_MARK = "door_number"


class WorkshopAccess(ApprovalTask):
    """Get a team admitted to a workshop; the number of incidents decides who approves."""

    name = "workshop_access"
    version = 1
    title = "Workshop access"
    summary = "Count a workshop's incidents afresh, and get access approved by its head or by safety."
    packs: ClassVar[tuple[Pack, ...]] = (office.PACK, PACK)
    causes = (FEW, MANY)
    persona_role = ROLE
    team = "Workshops"
    profile = TaskProfile(
        type_id=ACCESS_APPROVAL,
        kind=WORKSHOP,
        title=r"^Access to (.+)",
        mark=_MARK,
        form="Access form",
        exclusions="Rooms on hold",
        fields=lambda record, metrics: {"room": record["id"], "incidents": metrics[INCIDENTS]},
    )
    oracle_length = 22
    least_steps = 16

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Add the workshop, a similar one, its incidents and the ticket."""
        edge = builder.draws.choice("edge", (30, 40, 50))
        builder.company.set_approval_type(access_approval(below=edge))
        room, other = _rooms(builder)
        builder.fresh_metric(INCIDENTS, other["id"], "incidents", float(edge // 3))
        builder.new_ticket(ACCESS, f"Access to {other['name']}", "Another team asks.", other)
        return _facts(builder, room, edge)

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Request the access."""
        story = (
            f"A team needs the workshop {facts.called}. Get its ticket {facts.ticket['id']} ready and have it "
            f"decided ({ACCESS_APPROVAL})."
        )
        return TaskSpec(facts, story, submits=True)


SCENARIO = WorkshopAccess()


def _rooms(builder: TaskBuilder) -> tuple[Row, Row]:
    company, made = builder.company, []
    for number, name in enumerate(builder.draws.sample("goal.room", ROOMS, 2)):
        fields = {
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "L", number),
        }
        made.append(company.add_record(company.numbers.reserve("WS"), WORKSHOP, name, fields, "active"))
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
        FEW: builder.route("workshop_head", ACCESS_APPROVAL, amount=edge),
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
