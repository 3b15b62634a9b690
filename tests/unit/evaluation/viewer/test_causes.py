"""The graph of a step: what the call and the clock set off."""

from companyos.evaluation.viewer.causes import CauseGraph, cause_graph

from .records import event, step, wrote


def titles(graph: CauseGraph) -> list[tuple[str, str]]:
    return [(node.kind, node.title) for node in graph.nodes]


def test_a_step_that_only_read_has_no_graph() -> None:
    graph = cause_graph(1, "wait", step())

    assert (titles(graph), graph.edges) == ([], [])


def test_a_call_leads_to_rows_and_through_events_to_rows_elsewhere() -> None:
    record = step(
        5,
        events=[event("s5.ticketdesk.1", "ticket.verified", "s5")],
        changes=[
            wrote("ticketdesk", "tickets", "TD-1", {}, "s5"),
            wrote("ticketdesk", "history", "TD-1-H1", {}, "s5"),
            wrote("approvalflow", "requests", "APR-1", {}, "s5.ticketdesk.1"),
        ],
    )

    graph = cause_graph(5, "ticketdesk_verify_ticket", record)

    assert titles(graph) == [
        ("call", "ticketdesk_verify_ticket"),
        ("event", "ticket.verified"),
        ("rows", "requests APR-1"),
        ("rows", "2 rows"),
    ]
    assert [node.service for node in graph.nodes] == ["", "ticketdesk", "approvalflow", "ticketdesk"]
    assert len(graph.edges) == 3


def test_moments_of_the_clock_stand_in_order_below_the_call() -> None:
    record = step(
        2,
        events=[event("s2.t7200.datahub.1", "metric.refreshed", "s2.t7200")],
        changes=[wrote("datahub", "jobs", "J", {}, "s2.t3600"), wrote("datahub", "jobs", "K", {}, "s2")],
    )

    graph = cause_graph(2, "wait", record)

    assert titles(graph)[::2] == [("call", "wait"), ("clock", "the clock"), ("clock", "the clock")]
    assert [node.detail for node in graph.nodes[2::2]] == ["at 01:00", "at 02:00"]


def test_late_effect_of_an_earlier_event_is_attributed_to_it() -> None:
    graph = cause_graph(9, "wait", step(9, changes=[wrote("datahub", "jobs", "J", {}, "s3.datahub.1")]))

    assert titles(graph) == [("event", "an earlier event"), ("rows", "jobs J")]
    assert graph.nodes[0].detail == "s3.datahub.1"
