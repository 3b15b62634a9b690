"""Bug escalation: unblock a bug, and escalate it if the fresh error rate still warrants it."""

from collections.abc import Sequence

from companyos.sdk.approval_task import (
    APPROVAL_TOOLS,
    ApprovalTask,
    TaskBuilder,
    TaskFacts,
    TaskProfile,
    TaskSpec,
    checks,
    grading,
)
from companyos.sdk.company import Row, cost_centre, register_number
from companyos.sdk.company.allowances import TICKETS
from companyos.sdk.scenario import Allowance, Check, call
from companyos.sdk.simtime import DAY

from ..packs import engineering, finance, office, people, procurement

ESCALATES, SETTLES = "escalates", "settles"
#: The field that distinguishes records of the same name.
_MARK = "asset_tag"
#: How much finished groundwork on the two services the company has, so that its subject does not betray the blocker.
_EARLIER_WORK = 6


class BugEscalation(ApprovalTask):
    """Escalate a bug if the service's fresh error rate warrants it; otherwise lower its priority."""

    name = "bug_escalation"
    version = 9
    title = "Bug escalation"
    summary = "Free a bug from a blocker that is done, and escalate it if the error rate still warrants that."
    packs = (office.PACK, finance.PACK, procurement.PACK, engineering.PACK, people.PACK)
    causes = (ESCALATES, SETTLES)
    persona_role = "engineer"
    team = "Engineering"
    rules = (
        "If the service's fresh error rate is below what the policy accepts, do not escalate the bug. Set its "
        "priority to `low` (the only change allowed to a field that is set), request no decision, and finish."
    )
    tools = (*APPROVAL_TOOLS, "ticketdesk_resolve_blocker")
    profile = TaskProfile(
        type_id=engineering.ESCALATION_APPROVAL,
        kind="service",
        title=r"^(.+?): ",
        mark=_MARK,
        form="Incident form",
        exclusions="Services on hold",
        fields=lambda record, metrics: {"error_rate": metrics["error_rate"]},
        instead=lambda ticket_id, record_id: call(
            "ticketdesk_update_ticket", ticket_id=ticket_id, priority="low"
        ),
        blocked=True,
    )
    oracle_length = 24
    least_steps = 18

    def facts(self, builder: TaskBuilder) -> TaskFacts:
        """Write the service and one like it, the error rate, the bug and what blocks it."""
        minimum = 5.0 if builder.original else builder.draws.choice("minimum", (3.0, 4.0, 5.0, 6.0))
        builder.company.set_approval_type(engineering.escalation_approval(minimum=minimum))
        service, other = _services(builder)
        facts = _facts(builder, service, minimum)
        _other_file(builder, other)
        _earlier_work(builder, (service, other))
        return facts

    def spec(self, facts: TaskFacts, builder: TaskBuilder) -> TaskSpec:
        """Return the task of handling the complaints; the right outcome depends on the rate."""
        story = (
            f"Customers complain about {facts.called}. Get the bug, ticket {facts.ticket['id']}, unblocked and "
            f"verified, and obtain a decision on its escalation ({engineering.ESCALATION_APPROVAL})."
        )
        if builder.cause == ESCALATES:
            return TaskSpec(facts, story, submits=True)
        return _settled(facts, story)


SCENARIO = BugEscalation()


def _services(builder: TaskBuilder) -> tuple[Row, Row]:
    """Return the goal's service and one of nearly the same name."""
    company, draws = builder.company, builder.draws
    component = "auth" if builder.original else draws.choice("goal.component", engineering.names.COMPONENTS)
    parts = engineering.names.PARTS
    made = []
    for number, part in enumerate(parts[:2] if builder.original else draws.sample("goal.part", parts, 2)):
        fields = {
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "A", number),
            "team": "Engineering",
        }
        made.append(
            company.add_record(
                company.numbers.reserve("SVC"), "service", f"{component} {part}", fields, "active"
            )
        )
    return made[0], made[1]


def _facts(builder: TaskBuilder, service: Row, minimum: float) -> TaskFacts:
    stale, fresh = _rates(builder, minimum)
    symptom = builder.draws.choice("goal.symptom", engineering.names.SYMPTOMS)
    ticket = builder.new_ticket(
        "bug",
        f"{service['name']}: {symptom.lower()}",
        None,
        service,
        value=f"{stale:g} %",
        acts=("blocked",),
        priority="high",
    )
    blocker = _blocker(builder, service)
    builder.company.block(ticket, blocker)
    return builder.task_facts(
        ticket=ticket,
        record=service,
        type_id=engineering.ESCALATION_APPROVAL,
        measurement=builder.stale_metric("error_rate", service["id"], "%", stale=stale, fresh=fresh),
        priorities=("high",) if builder.cause == ESCALATES else ("low",),
        fields={"error_rate": fresh},
        route=builder.route("cto", engineering.ESCALATION_APPROVAL),
        mark=_MARK,
        blockers=(blocker,),
        fillable=("cost_centre",),
    )


def _blocker(builder: TaskBuilder, service: Row) -> Row:
    """Write the ticket that blocks the bug: done, but nobody has verified it."""
    worker = builder.cast.worker
    title, _ = builder.draws.choice("goal.groundwork", office.names.GROUNDWORK)
    return builder.new_ticket(
        "task",
        title.format(name=service["name"]),
        None,
        service,
        acts=("assigned", "transitioned", "transitioned"),
        status="done",
        priority="medium",
        assignee=worker.id,
    )


def _earlier_work(builder: TaskBuilder, services: Sequence[Row]) -> None:
    """Write groundwork on both services that was verified and closed long ago, worded like the blocker."""
    company, cast = builder.company, builder.cast
    for number in range(_EARLIER_WORK):
        service = services[number % len(services)]
        title, result = builder.draws.choice("earlier.groundwork", office.names.GROUNDWORK, number)
        builder.new_ticket(
            "task",
            title.format(name=service["name"]),
            None,
            service,
            acts=("assigned", "verified", "transitioned", "closed"),
            status="closed",
            priority="medium",
            assignee=cast.worker.id,
            evidence=result,
            verified_by=cast.checker.id,
            verified_at=company.start - 2 * DAY,
            resolution="Done as asked.",
        )


def _rates(builder: TaskBuilder, minimum: float) -> tuple[float, float]:
    """Return the last known error rate, and the fresh one on either side of the policy's minimum."""
    if builder.original:
        return 6.2, 7.4 if builder.cause == ESCALATES else 2.1
    draws, least = builder.draws, round(10 * minimum)
    stale = draws.integer("rate.stale", 61, 120)
    escalates = least + draws.integer("rate.escalates", 10, 60)
    settles = least - draws.integer("rate.settles", 2, 20)
    fresh = escalates if builder.cause == ESCALATES else settles
    # After a refresh that returned the last known rate, the metric would look as if it had not been refreshed.
    return stale / 10, (fresh + 1 if fresh == stale else fresh) / 10


def _other_file(builder: TaskBuilder, other: Row) -> None:
    """Write the metric and the ticket of a look-alike service, with a rate that every policy would escalate."""
    draws, rate = builder.draws, 7.5
    symptom = "Answers arrive twice"
    if not builder.original:
        rate = draws.integer("other.rate", 61, 120) / 10
        symptom = draws.choice("other.symptom", engineering.names.SYMPTOMS)
    builder.fresh_metric("error_rate", other["id"], "%", rate)
    builder.new_ticket(
        "bug",
        f"{other['name']}: {symptom.lower()}",
        None,
        other,
        value=f"{rate:g} %",
        priority="medium",
    )


def _settled(facts: TaskFacts, story: str) -> TaskSpec:
    """Return the task for a settled rate: the priority is lowered, and no request is made."""
    return TaskSpec(
        facts,
        story,
        submits=False,
        musts=(
            *grading.metric_known(facts),
            grading.sound(facts),
            Check("priority_lowered", checks.priority_is_right(facts), "The bug's priority is low."),
        ),
        forbidden=(grading.no_request(facts),),
        orders=(grading.read_before(facts, "lowering", checks.priority_is_right(facts)),),
        allowances=(Allowance(TICKETS, {"priority": "low"}, key=facts.ticket["id"]),),
    )
