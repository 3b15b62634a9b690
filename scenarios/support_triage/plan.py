"""The open-loop plan of a morning: everything that is right for one instance, in order of deadlines."""

from collections.abc import Iterator

from companyos.scenario import Action, Instance, call
from companyos.sdk.simtime import MINUTE, to_iso

from .cases import TAKEN, WITHDRAWN, SupportCase
from .world import REFRESH_S


def plan_for(instance: Instance) -> list[Action]:
    """Return the actions that are right for this instance."""
    metrics, cases = instance.goal["metrics"], instance.goal["cases"]
    refresh = [call("datahub_refresh_data", metric_id=metric) for metric in metrics]
    read = [call("datahub_query_metric", metric_id=metric) for metric in metrics]
    look = [*refresh, call("wait", seconds=REFRESH_S), *read]
    if instance.refusal:
        return [*look, instance.refusal.action]
    early = sorted(
        (one for one in cases if one.is_due_first or _ready_at(one) <= instance.start),
        key=lambda one: one.due or 0,
    )
    late = sorted((one for one in cases if _ready_at(one) > instance.start), key=_ready_at)
    begun = [
        action for case in early for action in ([_first_answer(case)] if case.is_due_first else _acts(case))
    ]
    came = [
        action
        for case in late
        for action in [call("wait", until=to_iso(_ready_at(case) + MINUTE)), *_acts(case)]
    ]
    return [*look, *begun, *came, call("finish", answer="Done.")]


def _ready_at(case: SupportCase) -> int:
    """Return when it is certain whose a ticket is, and what its customer wants."""
    return case.intervention.at if case.intervention else case.at


def _acts(case: SupportCase) -> Iterator[Action]:
    ticket_id = case.ticket_id
    if case.has(TAKEN):
        return
    if case.has(WITHDRAWN):
        yield call("ticketdesk_close_ticket", ticket_id=ticket_id, resolution="Withdrawn.")
        return
    match case.sort:
        case "duplicate":
            yield call("ticketdesk_merge_ticket", ticket_id=ticket_id, into=case.into)
        case "vague":
            yield call("ticketdesk_return_ticket", ticket_id=ticket_id, question="Which one?")
        case _:
            yield _answer(case, case.document)
            yield from _after_the_answer(case)


def _first_answer(case: SupportCase) -> Action:
    """Return the answer that is due before the customer writes again."""
    return _answer(case, case.first_document or case.document)


def _answer(case: SupportCase, document: str | None) -> Action:
    return call(
        "ticketdesk_answer_ticket", ticket_id=case.ticket_id, body="See this.", document_ids=[document]
    )


def _after_the_answer(case: SupportCase) -> Iterator[Action]:
    ticket_id = case.ticket_id
    if case.sort == "fixed":
        yield call("ticketdesk_close_ticket", ticket_id=ticket_id, resolution="Fixed.")
        return
    yield call("datahub_get_document", document_id=case.contract)
    yield call("ticketdesk_update_ticket", ticket_id=ticket_id, priority=case.priority)
    yield call("ticketdesk_route_ticket", ticket_id=ticket_id, queue=case.queue)
    if case.relates:
        yield call("ticketdesk_link_ticket", ticket_id=ticket_id, kind="relates", target=case.relates)
    if case.assignee:
        yield call("ticketdesk_assign_ticket", ticket_id=ticket_id, assignee=case.assignee)
