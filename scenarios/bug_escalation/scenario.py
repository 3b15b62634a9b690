"""Bug escalation: a blocked bug to free, and an error rate that says whether it is still worth escalating."""

from companyos.casework import (
    Case,
    Employee,
    Outline,
    Plot,
    Setting,
    Task,
    approving,
    checks,
    correcting,
    grading,
    refreshing,
)
from companyos.company import Row, cost_centre, names, policy, register_number
from companyos.scenario import Action, Check, Instance, Observation, Order, Script, call

ESCALATES, SETTLES = "escalates", "settles"
#: What tells records of one name apart.
_MARK = "asset_tag"


class BugEscalation(Task):
    """Escalate a bug for what the service's error rate is now; or lower its priority, where it has settled."""

    name = "bug_escalation"
    version = 3
    title = "Bug escalation"
    summary = "Free a bug from a blocker that is done, and escalate it if the error rate still warrants that."
    causes = (ESCALATES, SETTLES)
    persona_role = "engineer"
    team = "Engineering"
    rules = (
        "A bug whose service's fresh error rate is below what the policy accepts is not escalated. Set its priority "
        "to `low`, which is the one change to a field that is set already, ask for no decision, and finish."
    )
    outline = Outline(
        type_id=policy.ESCALATION_APPROVAL,
        kind="service",
        title=r"^(.+?): ",
        mark=_MARK,
        fields=lambda record, figures: {"error_rate": figures["error_rate"]},
        instead=lambda ticket_id, record_id: call(
            "ticketdesk_update_ticket", ticket_id=ticket_id, priority="low"
        ),
        blocked=True,
    )
    oracle_length = 20
    least_steps = 18

    def case(self, setting: Setting) -> Case:
        """Write the service and one like it, the error rate, the bug and what blocks it."""
        minimum = 5.0 if setting.original else setting.draws.choice("minimum", (3.0, 4.0, 5.0, 6.0))
        setting.company.adopt(policy.escalation_approval(minimum=minimum))
        service, other = _services(setting)
        case = _case(setting, service, minimum)
        _other_file(setting, other, minimum)
        return case

    def plot(self, case: Case, setting: Setting) -> Plot:
        """Tell of the complaints; what is right depends on the rate."""
        story = (
            f"Customers complain about {case.called}. Get the bug, ticket "
            f"{case.ticket['id']}, unblocked and verified, and its escalation decided ({policy.ESCALATION_APPROVAL})."
        )
        if setting.cause == ESCALATES:
            return Plot(case, story, submits=True)
        return _settled(case, story)

    def oracle(self, observation: Observation) -> Script:
        """Look at the fresh error rate first: it says whether there is anything to escalate."""
        me = Employee(observation)
        ticket = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
        name = ticket["title"].partition(": ")[0]
        record = yield from me.record(ticket, kind="service", name=name, mark=_MARK)
        terms = yield from me.ask("approvalflow_get_policy", type_id=policy.ESCALATION_APPROVAL)
        rate = yield from me.figure(terms["metric_name"], record["id"])
        if rate["value"] < terms["minimum"]:
            yield from me.ask("ticketdesk_update_ticket", ticket_id=ticket["id"], priority="low")
            yield from me.finish("The error rate has settled; the bug's priority is low now.")
            return
        yield from me.prepare(ticket, record)
        yield from me.get_approved(ticket, terms, {"error_rate": rate["value"]}, rate)
        yield from me.finish("The escalation is approved.")

    def blind_plan(self, instance: Instance) -> list[Action]:
        """Refresh, then do what is right for this instance's rate without looking at it."""
        goal = instance.goal
        if goal["cause"] == SETTLES:
            lower = call("ticketdesk_update_ticket", ticket_id=goal["ticket_id"], priority="low")
            return [*correcting(goal), *refreshing(goal), lower, call("finish")]
        return approving(goal)


SCENARIO = BugEscalation()


def _services(setting: Setting) -> tuple[Row, Row]:
    """Return the goal's service and one of nearly the same name."""
    company, draws = setting.company, setting.draws
    component = "auth" if setting.original else draws.choice("goal.component", names.COMPONENTS)
    made = []
    for number, name in enumerate((f"{component} service", f"{component} services proxy")):
        fields = {
            "cost_centre": cost_centre(company, number, "goal.cost_centre"),
            _MARK: register_number(company, "A", number),
            "team": "Engineering",
        }
        made.append(company.keep(company.numbers.reserve("SVC"), "service", name, fields, "active"))
    return made[0], made[1]


def _case(setting: Setting, service: Row, minimum: float) -> Case:
    stale, fresh = _rates(setting, minimum)
    symptom = setting.draws.choice("goal.symptom", names.SYMPTOMS)
    ticket = setting.new_ticket(
        "bug",
        f"{service['name']}: {symptom.lower()}",
        f"{symptom}. {stale:g} % of the calls failed when we last looked.",
        service,
        acts=("blocked",),
        priority="high",
    )
    blocker = _blocker(setting, service)
    setting.company.block(ticket, blocker)
    return Case(
        persona=setting.cast.persona,
        ticket=ticket,
        record=service,
        type_id=policy.ESCALATION_APPROVAL,
        figure=setting.stale_figure("error_rate", service["id"], "%", stale=stale, fresh=fresh),
        priorities=("high",) if setting.cause == ESCALATES else ("low",),
        cost_centre=service["fields"]["cost_centre"],
        verifier_roles=tuple(setting.rule("bug")["verifier_roles"]),
        fields={"error_rate": fresh},
        route=setting.route("cto", policy.ESCALATION_APPROVAL),
        start=setting.company.start,
        mark=_MARK,
        blockers=(blocker,),
        fillable=("cost_centre",),
    )


def _blocker(setting: Setting, service: Row) -> Row:
    """Write the ticket that blocks the bug: done, but nobody has verified it."""
    worker = setting.cast.offices["chief_of_staff"]
    return setting.new_ticket(
        "task",
        f"Collect the logs of {service['name']}",
        f"The logs of {service['name']} are needed to look into a bug.",
        service,
        acts=("assigned", "transitioned", "transitioned"),
        status="done",
        priority="medium",
        assignee=worker.id,
    )


def _rates(setting: Setting, minimum: float) -> tuple[float, float]:
    """Return the error rate when last looked at, and now: on either side of what is accepted."""
    if setting.original:
        return 6.2, 7.4 if setting.cause == ESCALATES else 2.1
    draws = setting.draws
    stale = minimum + draws.integer("rate.stale", 1, 9) / 10
    escalates = minimum + draws.integer("rate.escalates", 10, 60) / 10
    settles = minimum - draws.integer("rate.settles", 2, 20) / 10
    return round(stale, 1), round(escalates if setting.cause == ESCALATES else settles, 1)


def _other_file(setting: Setting, other: Row, minimum: float) -> None:
    """Write the file of a service that is easily taken for the goal's."""
    rate = round(minimum + setting.draws.integer("other.rate", 15, 50) / 10, 1)
    setting.fresh_figure("error_rate", other["id"], "%", rate)
    setting.new_ticket(
        "bug",
        f"{other['name']}: answers arrive twice",
        "Answers arrive twice. Reported by one customer.",
        other,
        priority="medium",
    )


def _settled(case: Case, story: str) -> Plot:
    """Return the plot where the rate has settled: the priority goes down, and nobody is asked."""
    return Plot(
        case,
        story,
        submits=False,
        musts=(
            grading.refreshed(case),
            grading.sound(case),
            Check("priority_lowered", checks.priority_is_right(case), "The bug's priority is low."),
        ),
        nevers=(grading.no_request(case),),
        orders=(
            Order("refreshed_before_lowering", checks.is_refreshed(case), checks.priority_is_right(case)),
        ),
    )
