"""Handbook update: a section to publish, and a head count that says whether People or Legal decides."""

from companyos.casework import (
    Case,
    Employee,
    Outline,
    Plot,
    Setting,
    Task,
    approving,
)
from companyos.company import Row, cost_centre, names, policy, register_number
from companyos.scenario import Action, Instance, Observation, Script

SMALL, LARGE = "small", "large"
#: What tells records of one name apart.
_MARK = "document_number"


class HandbookUpdate(Task):
    """Publish a section of the handbook: how many people work here says who decides."""

    name = "handbook_update"
    version = 3
    title = "Handbook update"
    summary = "Count the company's heads afresh, and get a handbook section approved by People or by Legal."
    causes = (SMALL, LARGE)
    persona_role = "people_partner"
    team = "People"
    rules = (
        "The head count that matters is the company's own, the hr_headcount that is about no record; departments "
        "have theirs."
    )
    outline = Outline(
        type_id=policy.HANDBOOK_APPROVAL,
        kind="handbook_section",
        title=r"^Publish (.+)",
        mark=_MARK,
        fields=lambda record, figures: {"headcount": int(figures["hr_headcount"])},
        company_wide=True,
    )
    oracle_length = 18
    least_steps = 16

    def case(self, setting: Setting) -> Case:
        """Write the section, its past edition, the head counts and the ticket."""
        edge = 50 if setting.original else setting.draws.choice("edge", (40, 50, 75, 100))
        setting.company.adopt(policy.handbook_approval(below=edge))
        section, older = _sections(setting)
        case = _case(setting, section, edge)
        _departments(setting, edge)
        setting.new_ticket(
            "handbook",
            f"Typing errors in {older['name']}",
            f"Some words of {older['name']} are misspelt.",
            older,
            priority="low",
        )
        return case

    def plot(self, case: Case, setting: Setting) -> Plot:
        """Ask for the section to be published."""
        story = (
            f"The handbook section {case.called} has been rewritten. Get its ticket "
            f"{case.ticket['id']} ready and have its publication decided ({policy.HANDBOOK_APPROVAL})."
        )
        return Plot(case, story, submits=True)

    def oracle(self, observation: Observation) -> Script:
        """Count the heads first, then get the ticket ready and ask who decides."""
        me = Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = ticket["title"].removeprefix("Publish ")
        record = yield from me.record(ticket, kind="handbook_section", name=name, mark=_MARK)
        terms = yield from me.ask("approvalflow_get_policy", type_id=policy.HANDBOOK_APPROVAL)
        heads = yield from me.figure(terms["metric_name"], None)
        yield from me.prepare(ticket, record)
        yield from me.get_approved(ticket, terms, {"headcount": int(heads["value"])}, heads)
        yield from me.finish("The section is approved.")

    def blind_plan(self, instance: Instance) -> list[Action]:
        """Refresh, prepare and ask who decides for this instance's head count."""
        return approving(instance.goal)


SCENARIO = HandbookUpdate()


def _sections(setting: Setting) -> tuple[Row, Row]:
    """Return the goal's section and its edition of the year before."""
    company = setting.company
    section = setting.draws.choice("goal.section", names.SECTIONS)
    made = []
    for number, (edition, status) in enumerate((("2030", "pending"), ("2029", "active"))):
        fields = {
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "D", number),
            "edition": edition,
        }
        record_id = company.numbers.reserve("HB")
        made.append(company.keep(record_id, "handbook_section", f"{section} {edition}", fields, status))
    return made[0], made[1]


def _case(setting: Setting, section: Row, edge: int) -> Case:
    stale, fresh = _heads(setting, edge)
    ticket = setting.goal_ticket(
        "handbook",
        f"Publish {section['name']}",
        f"{section['name']} is ready to be published. We were {stale} people when we last counted.",
        section,
    )
    return Case(
        persona=setting.cast.persona,
        ticket=ticket,
        record=section,
        type_id=policy.HANDBOOK_APPROVAL,
        figure=setting.stale_figure("hr_headcount", None, "people", stale=float(stale), fresh=float(fresh)),
        priorities=setting.priorities(ticket),
        cost_centre=section["fields"]["cost_centre"],
        verifier_roles=tuple(setting.rule("handbook")["verifier_roles"]),
        fields={"headcount": fresh},
        route={
            SMALL: setting.route("hr_lead", policy.HANDBOOK_APPROVAL, amount=edge),
            LARGE: setting.route("legal_counsel", policy.HANDBOOK_APPROVAL, amount=edge),
        }[setting.cause],
        start=setting.company.start,
        mark=_MARK,
    )


def _heads(setting: Setting, edge: int) -> tuple[int, int]:
    """Return how many people there were when last counted, and now: on either side of the edge."""
    if setting.original:
        return 44, 48 if setting.cause == SMALL else 52
    draws = setting.draws
    stale = edge - draws.integer("heads.stale", 8, 12)
    small, large = edge - draws.integer("heads.small", 1, 6), edge + draws.integer("heads.large", 0, 12)
    return stale, small if setting.cause == SMALL else large


def _departments(setting: Setting, edge: int) -> None:
    """Write the head counts of departments, which are fresh and easily taken for the company's."""
    for number, (team, _) in enumerate(names.TEAMS[:2]):
        record_id = setting.company.numbers.reserve("ORG")
        fields = {"cost_centre": cost_centre(setting.company, number, "department.cost_centre")}
        setting.company.keep(record_id, "department", team, fields, "active")
        heads = setting.draws.integer("department.heads", edge // 5, edge // 3, number)
        setting.fresh_figure("hr_headcount", record_id, "people", float(heads))
