"""An area written by hand, as the tools show it to an auditor: three feeds, their checks, and dashboards."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from companyos.sdk.simtime import HOUR, from_iso, to_iso
from scenarios.data_quality_audit.scenario import BRIEF
from scenarios.packs.analytics import texts
from tests.scenarios.scripted import Conversation, by, listed

START = from_iso("2031-03-03T09:00:00Z")
AREA = "Web shop North"
ME, TICKET = "ann.lee", "TD-100"
TEXT = BRIEF.format(
    name="Ann Lee", id=ME, employer="Dunmore", area=AREA, ticket_id=TICKET, reporter="Ada Singh"
)
RULES = texts.POLICY.format(title=texts.POLICY_TITLE, tolerance="2.5", reason="release_missing")
CALENDAR = texts.CALENDAR.format(area=AREA, day="2031-03-10")
LATER = to_iso(START + HOUR // 4)


def ledger_notice(
    amount: str, verb: str = "holds", last: str = "2031-03-20", first: str = "2031-02-20"
) -> str:
    """Return the notice of a ledger item about the first feed."""
    told = {"cause": "a bonus", "relation": "on top of what", "feed": "Orders", "feed_id": "FEED-1"}
    return texts.LEDGER_NOTICE.format(first=first, last=last, verb=verb, amount=amount, **told)


def count_notice(state: str = "open", last: str = "2031-03-20") -> str:
    """Return the notice that other rows of the third feed's dataset count."""
    told = {"feed": "Claims", "feed_id": "FEED-3", "first": "2031-02-20"}
    return texts.COUNT_NOTICE.format(last=last, state=state, **told)


def feed(number: int, label: str, area: str = AREA) -> dict[str, Any]:
    """Return the record of a feed."""
    return {"id": f"FEED-{number}", "name": f"{label}, {area}", "fields": {"area": area}}


def board(number: int, use: str = "management", status: str = "active") -> dict[str, Any]:
    """Return the record of a dashboard, whose total is `MET-7` and its number."""
    fields = {"area": AREA, "use": use}
    return {"id": f"DSH-{number}", "name": f"Board {number}, {AREA}", "status": status, "fields": fields}


def history(*values: float) -> dict[str, Any]:
    """Return the history of a total, oldest first."""
    return listed(*({"value": value} for value in values))


def node(number: int, name: str = "dashboard_total") -> dict[str, Any]:
    """Return a node downstream of a feed."""
    return {"id": f"MET-7{number}", "subject": f"DSH-{number}", "name": name}


FEEDS = [feed(1, "Orders"), feed(2, "Returns"), feed(3, "Claims")]
BOARDS = [board(1), board(2), board(3, status="inactive"), board(4)]
#: The first and the third feed repeat their value.
HISTORIES = {"MET-11": history(90, 100, 100), "MET-21": history(80, 100), "MET-31": history(100, 100)}
LINEAGE = {"MET-11": [node(1), node(3), node(5, "mart_total")], "MET-31": [node(1), node(2)]}


def metrics(subject: str) -> dict[str, Any]:
    """Return the metrics of a feed: `MET-11` is the first one's total and `MET-12` its control total."""
    number = subject[-1]
    found = [{"id": f"MET-{number}1", "name": "feed_total"}]
    if number != "3":
        found.append({"id": f"MET-{number}2", "name": "control_total"})
    return listed(*found)


def documents(*bodies: tuple[str, str, str]) -> dict[str, Mapping[str, Any]]:
    """Return documents by id, each given as its kind, its department and its body."""
    return {
        f"DOC-{number}": {
            "id": f"DOC-{number}",
            "kind": kind,
            "department": department,
            "body": body,
            "links": [],
        }
        for number, (kind, department, body) in enumerate(bodies, start=1)
    }


USUAL = documents(
    ("policy", "Warehouse", texts.GOODS), ("policy", "Data", RULES), ("calendar", "Finance", CALENDAR)
)


def totals(*statuses: str) -> dict[str, Any]:
    """Return the totals of the dashboards, which are in these states."""
    found = [
        {"id": f"MET-7{n}", "subject": f"DSH-{n}", "status": status} for n, status in enumerate(statuses, 1)
    ]
    return listed(*found)


def replies(
    *,
    told: Mapping[str, Mapping[str, Any]] = USUAL,
    controls: Mapping[str, float] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Return what every tool replies: with these documents and refreshed control totals, and these changes."""
    values = controls or {"MET-12": 80.0, "MET-22": 100.0}

    def searched(asked: Mapping[str, Any]) -> dict[str, Any]:
        return listed(*(one for one in told.values() if asked.get("kind") in (None, one["kind"])))

    def metrics_of(asked: Mapping[str, Any]) -> dict[str, Any]:
        return metrics(asked["subject"]) if "subject" in asked else totals("ok", "ok", "ok", "ok")

    usual: dict[str, Any] = {
        "datahub_search_documents": searched,
        "datahub_get_document": by("document_id", told),
        "datahub_list_records": by("kind", {"data_feed": listed(*FEEDS), "dashboard": listed(*BOARDS)}),
        "datahub_list_metrics": metrics_of,
        "datahub_get_metric_history": by("metric_id", HISTORIES),
        "datahub_refresh_data": {"due_at": LATER},
        "datahub_query_metric": lambda asked: {"value": values[asked["metric_id"]], "is_stale": False},
        "datahub_list_datasets": listed(
            {"id": "DS-8", "metrics": ["MET-91"]}, {"id": "DS-9", "metrics": ["MET-31"]}
        ),
        "datahub_query_dataset": {"rows": [{"sum_amount": 99.0}]},
        "datahub_get_lineage": lambda asked: {"downstream": LINEAGE[asked["metric_id"]]},
        "datahub_quarantine_metric": {},
        "datahub_release_metric": {},
        "approvalflow_list_approvals": listed(),
        "ticketdesk_link_ticket": {},
        "ticketdesk_list_comments": listed(),
    }
    return {**usual, **changes}


def office(**changes: Any) -> Conversation:
    """Return the conversation of an auditor with the tools of this company."""
    return Conversation(replies(**changes), START, TEXT)


def request(number: int, metric_id: str | None) -> dict[str, Any]:
    """Return an undecided request that relies on a total, or on none."""
    evidence = {} if metric_id is None else {"metric_id": metric_id}
    return {"id": f"APR-{number}", "ticket_id": f"TD-{number}", "evidence": evidence}


def states_of(asked: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the states whose rows a query of a dataset adds up."""
    [condition] = asked[0]["where"]
    assert (condition["column"], condition["op"]) == ("state", "in")
    return [state for state in condition["value"] if re.fullmatch(r"\w+", state)]
