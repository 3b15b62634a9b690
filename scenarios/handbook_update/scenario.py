"""Handbook update: publish a section; the head count determines whether People or Legal decides."""

from companyos.sdk.approval_task import (
    ApprovalTask,
    TaskBuilder,
    TaskFacts,
    TaskProfile,
    TaskSpec,
)
from companyos.sdk.company import Row, cost_centre, register_number

from ..packs import engineering, finance, office, people, procurement

SMALL, LARGE = "small", "large"
#: The field that distinguishes records of the same name.
_MARK = "document_number"


class HandbookUpdate(ApprovalTask):
    """Publish a section of the handbook; the head count determines the approver."""

    name = "handbook_update"
    version = 8
    title = "Handbook update"
    summary = "Refresh the company's head count, and get a handbook section approved by People or by Legal."
    packs = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK)
    causes = (SMALL, LARGE)
    persona_role = "people_partner"
    team = "People"
    rules = (
        "The head count that matters is that of the whole company: the hr_headcount without a subject. Departments "
        "have head counts of their own."
    )
    profile = TaskProfile(
        type_id=people.HANDBOOK_APPROVAL,
        kind="handbook_section",
        title=r"^Publish (.+)",
        mark=_MARK,
        form="Publication form",
        exclusions="Sections on hold",
        fields=lambda record, metrics: {"headcount": int(metrics["hr_headcount"])},
        company_wide=True,
    )
    oracle_length = 22
    least_steps = 16

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the section, its previous edition, the head counts and the ticket."""
        edge = 50 if builder.original else builder.draws.choice("edge", (40, 50, 75, 100))
        builder.company.set_approval_type(people.handbook_approval(below=edge))
        section, older = _sections(builder)
        facts = _facts(builder, section, edge)
        _departments(builder, edge)
        builder.new_ticket(
            "handbook",
            f"Publish {older['name']}",
            None,
            older,
            priority="low",
        )
        return facts

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the task of publishing the section."""
        story = (
            f"The handbook section {facts.called} has been rewritten. Prepare its ticket {facts.ticket['id']} and "
            f"obtain a decision on its publication ({people.HANDBOOK_APPROVAL})."
        )
        return TaskSpec(facts, story, submits=True)


SCENARIO = HandbookUpdate()


def _sections(builder: TaskBuilder) -> tuple[Row, Row]:
    """Return the goal's section and its edition of the year before."""
    company = builder.company
    section = builder.draws.choice("goal.section", people.names.SECTIONS)
    made = []
    for number, (edition, status) in enumerate((("2030", "pending"), ("2029", "active"))):
        fields = {
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "D", number),
            "edition": edition,
        }
        record_id = company.numbers.reserve("HB")
        made.append(company.add_record(record_id, "handbook_section", f"{section} {edition}", fields, status))
    return made[0], made[1]


def _facts(builder: TaskBuilder, section: Row, edge: int) -> TaskFacts:
    stale, fresh = _heads(builder, edge)
    ticket = builder.goal_ticket(
        "handbook",
        f"Publish {section['name']}",
        None,
        section,
        value=f"{stale} people",
    )
    return builder.task_facts(
        ticket=ticket,
        record=section,
        type_id=people.HANDBOOK_APPROVAL,
        measurement=builder.stale_metric(
            "hr_headcount", None, "people", stale=float(stale), fresh=float(fresh)
        ),
        fields={"headcount": fresh},
        route={
            SMALL: builder.route("hr_lead", people.HANDBOOK_APPROVAL, amount=edge),
            LARGE: builder.route("legal_counsel", people.HANDBOOK_APPROVAL, amount=edge),
        }[builder.cause],
        mark=_MARK,
    )


def _heads(builder: TaskBuilder, edge: int) -> tuple[int, int]:
    """Return the last head count, and the fresh one on either side of the edge."""
    if builder.original:
        return 44, 48 if builder.cause == SMALL else 52
    draws = builder.draws
    stale = edge - draws.integer("heads.stale", 8, 12)
    small, large = edge - draws.integer("heads.small", 1, 6), edge + draws.integer("heads.large", 0, 12)
    return stale, small if builder.cause == SMALL else large


def _departments(builder: TaskBuilder, edge: int) -> None:
    """Write the fresh head counts of departments, which look like the company's."""
    for number, (team, _) in enumerate(builder.company.content.teams[:2]):
        record_id = builder.company.numbers.reserve("ORG")
        fields = {"cost_centre": cost_centre(builder.company, number, "department.cost_centre")}
        builder.company.add_record(record_id, "department", team, fields, "active")
        heads = builder.draws.integer("department.heads", edge // 5, edge // 3, number)
        builder.fresh_metric("hr_headcount", record_id, "people", float(heads))
