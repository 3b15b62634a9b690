"""Blockers outside TicketDesk: a metric to refresh, or a request that awaits a decision."""

from typing import Final

from companyos.sdk.company import Row, SideRequest, new_name
from companyos.sdk.simtime import DAY, MINUTE

from .builder import TaskBuilder
from .facts import ExternalBlocker

#: The window for the request's decision, in minutes after the start; a decision takes an hour from
#: submission.
_DECIDED_MIN: Final = (20, 55)


def wait_for_metric(builder: TaskBuilder, ticket: Row, draw_name: str) -> ExternalBlocker:
    """Block a ticket on one of the company's stale metrics, which anybody with the permission can refresh.

    Args:
        builder: The task's builder.
        ticket: The blocked ticket.
        draw_name: The blocker's name in the draws.
    """
    company, draws = builder.company, builder.draws
    name, unit = draws.choice(f"{draw_name}.metric", company.content.side_metrics)
    stale, change = draws.integer(f"{draw_name}.stale", 20, 90), draws.integer(f"{draw_name}.change", 1, 19)
    metric = company.add_metric(
        name,
        None,
        float(stale),
        unit,
        metric_id=company.numbers.reserve("MET"),
        age_s=draws.integer(f"{draw_name}.age", 3, 9) * DAY,
        ttl_s=2 * DAY,
        refresh_s=draws.integer(f"{draw_name}.refresh", 5, 15) * MINUTE,
        values=[float(stale - change)],
    )
    company.block_on(ticket, metric, "metric")
    return ExternalBlocker("data", metric["id"], metric["refresh_s"])


def wait_for_decision(builder: TaskBuilder, ticket: Row, draw_name: str) -> ExternalBlocker:
    """Block a ticket on a colleague's request that is approved soon.

    Args:
        builder: The task's builder.
        ticket: The blocked ticket.
        draw_name: The blocker's name in the draws.
    """
    company, draws = builder.company, builder.draws
    asked = draws.choice(f"{draw_name}.asked", company.content.side_requests)
    takes_s = draws.integer(f"{draw_name}.decided", *_DECIDED_MIN) * MINUTE
    [role] = asked.type.roles
    owner = company.hire(new_name(company, role), role, asked.department)
    company.add_approval_type(asked.type)
    request = company.submitted(
        _asked_for(builder, asked, draw_name),
        asked.type.id,
        {asked.field: draws.integer(f"{draw_name}.amount", asked.least, asked.most) * asked.unit},
        builder.cast.worker,
        owner,
        due=company.start + takes_s,
    )
    company.block_on(ticket, request, "request")
    return ExternalBlocker("approval", request["id"], takes_s)


def _asked_for(builder: TaskBuilder, asked: SideRequest, draw_name: str) -> Row:
    """Add the ticket that the request is about; it belongs to other people and is unrelated to the task."""
    title = asked.title.format(what=builder.draws.choice(f"{draw_name}.reserve", asked.things))
    return builder.company.add_ticket(
        builder.company.numbers.reserve("TD"),
        asked.ticket_kind,
        title,
        f"{title}. {asked.text}",
        builder.cast.reporter,
        acts=("assigned", "approval_requested"),
        priority="medium",
        cost_centre=f"CC-{builder.draws.integer(f'{draw_name}.cost_centre', 100, 899)}",
        assignee=builder.cast.worker.id,
    )
