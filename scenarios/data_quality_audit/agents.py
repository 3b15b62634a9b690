"""The auditor: a script that finds failed feeds by the rules in force."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.sdk.documents import Fields, read_any
from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import to_date
from scenarios.packs.analytics import texts

Shown = Mapping[str, Any]
_AREA: Final = r"the dashboards of ([A-Z][\w ]+?),"
REASON = "Rests on a feed that has failed silently, by the rules for audits."


def oracle(observation: Observation) -> Script:
    """Read the rules, find the suspects by their history, check them, and act on their dashboards."""
    me = Skills(observation)
    area = me.from_brief(_AREA)
    tolerance, reason = yield from _rules(me)
    notices = yield from _notices(me, area)
    feeds = yield from _listed(me, "data_feed", area)
    suspects = yield from _suspects(me, feeds)
    failed = yield from _checked(me, suspects, tolerance, notices)
    boards = {one["id"]: one for one in (yield from _listed(me, "dashboard", area))}
    totals = yield from _resting_on(me, failed, boards)
    for board_id in sorted(totals):
        if boards[board_id]["fields"]["use"] == "statutory" and not (
            yield from _is_released(me, boards[board_id])
        ):
            yield from me.ask("refuse", reason_code=reason, evidence=[board_id])
            return
    lost = yield from _act(me, totals, boards)
    for ticket_id in lost:
        yield from me.ask("ticketdesk_link_ticket", ticket_id=ticket_id, kind="relates", target=me.ticket_id)
    yield from me.finish([feed["id"] for feed in failed])


def _rules(me: Skills) -> Play[tuple[float, str]]:
    """Return the tolerance of the rules in force, in percent, and their reason code for a refusal."""
    rules = yield from me.document(
        "feed failed quarantine dashboard", where={"kind": "policy", "department": "Data"}
    )
    fields = texts.POLICY.read(rules["body"])
    return fields["tolerance"], fields["reason"]


def _notices(me: Skills, area: str) -> Play[dict[str, Fields]]:
    """Return what the area's notices say that apply today, by the feed that they name."""
    closes, notices, today = (yield from _close(me, area)), dict[str, Fields](), to_date(me.now)
    for document in (yield from _in_force(me, area, "notice")):
        notice = read_any([texts.LEDGER_NOTICE, texts.COUNT_NOTICE], document["body"])
        if notice is None:
            continue
        last = closes if notice["last"] == texts.THE_CLOSE else notice["last"]
        if notice["first"] <= today <= last:
            notices[notice["feed_id"]] = notice
    return notices


def _close(me: Skills, area: str) -> Play[str]:
    """Return the day on which the area's ledger is closed."""
    calendar, *_ = yield from _in_force(me, area, "calendar")
    return str(texts.CALENDAR.read(calendar["body"])["day"])


def _in_force(me: Skills, area: str, kind: str) -> Play[list[Shown]]:
    """Return the area's documents of a kind that are in force."""
    found = yield from me.ask("datahub_search_documents", q=area, kind=kind, status="in_force", limit=200)
    documents: list[Shown] = []
    for one in found["items"]:
        document = yield from me.ask("datahub_get_document", document_id=one["id"])
        documents.append(document)
    return documents


def _ledger_item(notice: Fields) -> float:
    """Return what the ledger holds on top of a feed by a notice; negative if it lacks something."""
    return float(notice.get("amount", 0.0)) * (1 if notice.get("holds") else -1)


def _listed(me: Skills, kind: str, area: str) -> Play[list[Shown]]:
    """Return the records of a kind in the area."""
    found = yield from me.ask("datahub_list_records", kind=kind, q=area, limit=200)
    return [one for one in found["items"] if one["fields"]["area"] == area]


def _suspects(me: Skills, feeds: Sequence[Shown]) -> Play[list[Shown]]:
    """Return the feeds whose last two values are equal, with their total, its value and their control total."""
    suspects: list[Shown] = []
    for feed in feeds:
        metrics = yield from me.ask("datahub_list_metrics", subject=feed["id"])
        total = _named(metrics["items"], "feed_total")
        history = yield from me.ask("datahub_get_metric_history", metric_id=total, limit=200)
        *_, before, last = [one["value"] for one in history["items"]]
        if before == last:
            control = _named(metrics["items"], "control_total")
            suspects.append({**feed, "total": total, "value": last, "control": control})
    return suspects


def _checked(
    me: Skills, suspects: Sequence[Shown], tolerance: float, notices: Mapping[str, Fields]
) -> Play[list[Shown]]:
    """Return the suspects that differ from their checks by more than the tolerance."""
    yield from me.refresh(feed["control"] for feed in suspects if feed["control"])
    failed: list[Shown] = []
    for feed in suspects:
        right = yield from _right_value(me, feed, notices.get(feed["id"], {}))
        if abs(feed["value"] - right) > tolerance / 100 * abs(right):
            failed.append(feed)
    return failed


def _right_value(me: Skills, feed: Shown, notice: Fields) -> Play[float]:
    """Return what a feed is compared with, as the notice about it says."""
    if feed["control"]:
        reading = yield from me.fresh(feed["control"])
        return float(reading["value"]) - _ledger_item(notice)
    found = yield from me.ask("datahub_list_datasets", q=feed["name"])
    dataset = next(one for one in found["items"] if feed["total"] in one["metrics"])
    states = [notice["state"]] if "state" in notice else []
    result = yield from me.ask(
        "datahub_query_dataset",
        dataset_id=dataset["id"],
        where=[{"column": "state", "op": "in", "value": ["booked", *states]}],
        aggregates=[{"function": "sum", "column": "amount"}],
    )
    return float(result["rows"][0]["sum_amount"])


def _resting_on(me: Skills, feeds: Sequence[Shown], boards: Mapping[str, Shown]) -> Play[dict[str, str]]:
    """Return the totals of the active dashboards that are computed from these feeds, by dashboard."""
    totals: dict[str, str] = {}
    for feed in feeds:
        lineage = yield from me.ask("datahub_get_lineage", metric_id=feed["total"])
        totals |= {
            node["subject"]: node["id"]
            for node in lineage["downstream"]
            if node["name"] == "dashboard_total" and boards[node["subject"]]["status"] == "active"
        }
    return totals


def _is_released(me: Skills, board: Shown) -> Play[bool]:
    """Return whether the quarantine of a statutory dashboard is released."""
    name = board["name"].partition(",")[0]
    found = yield from me.ask(
        "datahub_search_documents", q=f"release quarantine {name}", kind="release", status="in_force"
    )
    for one in found["items"]:
        release = yield from me.ask("datahub_get_document", document_id=one["id"])
        if board["id"] in release["links"]:
            return True
    return False


def _act(me: Skills, totals: Mapping[str, str], boards: Mapping[str, Shown]) -> Play[list[str]]:
    """Quarantine these totals, release the area's others, and return the tickets of the voided requests."""
    requests = yield from _pending(me)
    quarantined = yield from _in_quarantine(me, boards)
    for metric_id in sorted(set(totals.values()) - quarantined):
        yield from me.ask("datahub_quarantine_metric", metric_id=metric_id, reason=REASON)
    for metric_id in sorted(quarantined - set(totals.values())):
        yield from me.ask("datahub_release_metric", metric_id=metric_id, reason="Rests on no failed feed.")
    new = set(totals.values()) - quarantined
    return sorted({one["ticket_id"] for one in requests if one["evidence"].get("metric_id") in new})


def _pending(me: Skills) -> Play[list[Shown]]:
    found = yield from me.ask(
        "approvalflow_list_approvals", status="pending", type="spending_approval", limit=200
    )
    return list(found["items"])


def _in_quarantine(me: Skills, boards: Mapping[str, Shown]) -> Play[set[str]]:
    totals = yield from me.pages("datahub_list_metrics", name="dashboard_total", limit=200)
    return {one["id"] for one in totals if one["subject"] in boards and one["status"] != "ok"}


def _named(metrics: Sequence[Shown], name: str) -> str | None:
    return next((str(one["id"]) for one in metrics if one["name"] == name), None)
