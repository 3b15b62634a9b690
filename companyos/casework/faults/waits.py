"""What a ticket can wait for in another service: a figure that is to be refreshed, a request that is to be decided."""

from typing import Final

from companyos.casework.case import Awaited
from companyos.casework.setting import Setting
from companyos.company import Row, names, new_name, policy
from companyos.simtime import DAY, MINUTE

#: From how many minutes after the start to how many a request is decided; it takes an hour from when it was made.
_DECIDED_MIN: Final = (20, 55)


def wait_for_figure(setting: Setting, ticket: Row, what: str) -> Awaited:
    """Have a ticket wait for a stale figure of the company, which anybody who may refresh figures can refresh.

    Args:
        setting: Where it is written.
        ticket: Who waits.
        what: Names it in the draws.
    """
    company, draws = setting.company, setting.draws
    name, unit = draws.choice(f"{what}.figure", names.WAITED_FOR)
    stale, change = draws.integer(f"{what}.stale", 20, 90), draws.integer(f"{what}.change", 1, 19)
    metric = company.measure(
        name,
        None,
        float(stale),
        unit,
        metric_id=company.numbers.reserve("MET"),
        age_s=draws.integer(f"{what}.age", 3, 9) * DAY,
        ttl_s=2 * DAY,
        refresh_s=draws.integer(f"{what}.refresh", 5, 15) * MINUTE,
        values=[float(stale - change)],
    )
    company.hold_up(ticket, metric, "figure")
    return Awaited("data", metric["id"], metric["refresh_s"])


def wait_for_decision(setting: Setting, ticket: Row, what: str) -> Awaited:
    """Have a ticket wait for a budget that a colleague has asked for, and that its owner releases before long.

    Args:
        setting: Where it is written.
        ticket: Who waits.
        what: Names it in the draws.
    """
    company, draws = setting.company, setting.draws
    takes_s = draws.integer(f"{what}.decided", *_DECIDED_MIN) * MINUTE
    owner = company.hire(new_name(company, policy.BUDGET_OWNER), policy.BUDGET_OWNER, "Finance")
    company.introduce(policy.budget_release())
    request = company.submitted(
        _asked_for(setting, what),
        policy.BUDGET_RELEASE,
        {"amount": draws.integer(f"{what}.amount", 5, 80) * 100.0},
        setting.cast.offices["chief_of_staff"],
        owner,
        due=company.start + takes_s,
    )
    company.hold_up(ticket, request, "request")
    return Awaited("approval", request["id"], takes_s)


def _asked_for(setting: Setting, what: str) -> Row:
    """Write the ticket that the request is about: it belongs to others, and is about nothing of the case."""
    title = f"Release the budget for {setting.draws.choice(f'{what}.reserve', names.RESERVES)}"
    return setting.company.open(
        setting.company.numbers.reserve("TD"),
        "task",
        title,
        f"{title}. Work of other teams waits for it.",
        setting.cast.reporter,
        acts=("assigned", "approval_requested"),
        priority="medium",
        cost_centre=f"CC-{setting.draws.integer(f'{what}.cost_centre', 100, 899)}",
        assignee=setting.cast.offices["chief_of_staff"].id,
    )
