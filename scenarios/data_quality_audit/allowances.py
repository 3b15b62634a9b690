"""The rows that an agent may write while it audits an area."""

from collections.abc import Iterator
from typing import Final

from companyos.sdk.company import allowances
from companyos.sdk.scenario import ANYTHING, Allowance, one_of

from .facts import Facts

_METRICS: Final = ("datahub", "metrics")
_QUARANTINES: Final = ("datahub", "quarantines")


def allowed(facts: Facts) -> tuple[Allowance, ...]:
    """Return what an audit may write, and what one that is handed back may."""
    acts = () if facts.missing is not None else (*_quarantines(facts), *_links(facts))
    return (*_shared(facts), *acts)


def _shared(facts: Facts) -> Iterator[Allowance]:
    ticket = facts.ticket
    for metric_id in sorted(facts.refreshable):
        yield allowances.refreshes(metric_id, at_most=5, harmless="a run of a metric of the area")
    yield allowances.progress(
        ticket["id"],
        facts.me.id,
        ends=facts.missing is None,
        harmless="taking the ticket of the audit, and its progress",
    )
    yield allowances.messages(
        ticket["reporter"],
        [ticket["id"], facts.area.name],
        at_most=3,
        harmless="a message about the audit to its reporter",
    )
    if facts.missing is not None or not facts.voided:
        # By the rules, nothing but the link is entered on a ticket that is linked.
        yield allowances.comments(
            ticket["id"], at_most=3, harmless="a comment on the ticket of an audit that links none"
        )


def _quarantines(facts: Facts) -> Iterator[Allowance]:
    """Yield the quarantines of dashboards on failed feeds, and the release of the one that is sound."""
    if facts.new:
        metrics = one_of(*facts.new)
        yield Allowance(_METRICS, {"status": "quarantined"}, key=metrics)
        columns = {"metric_id": metrics, "reason": ANYTHING}
        yield Allowance(_QUARANTINES, columns, created=len(facts.new))
    if facts.earlier is not None and facts.earlier not in facts.wanted:
        yield Allowance(_METRICS, {"status": "ok"}, key=facts.earlier)
        lifted = {"release_reason": ANYTHING}
        yield Allowance(_QUARANTINES, lifted, where={"metric_id": facts.earlier})


def _links(facts: Facts) -> Iterator[Allowance]:
    """Yield one link of the kind `relates` between each lost request's ticket and the audit's, either way."""
    for lost in sorted({request["ticket_id"] for request in facts.voided}):
        ends = one_of(lost, facts.ticket["id"])
        columns = {"ticket_id": ends, "kind": "relates", "target": ends}
        yield Allowance(allowances.LINKS, columns, created=1)
