"""The accountant: a script that closes a quarter by the manual in force."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from companyos.sdk.documents import Fields, read_any
from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, role_for
from companyos.sdk.simtime import HOUR, MINUTE, from_iso

from . import texts
from .books import ENTITY
from .pack import VARIANCE_TICKET

Shown = Mapping[str, Any]


class Postponed(Exception):
    """The quarter cannot be closed for now; the reason and the object that proves it are attached."""

    def __init__(self, reason: str, evidence: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence


def oracle(observation: Observation) -> Script:
    """Close the quarter by the manual in force, or refuse with the reason code that the manual names."""
    me = Skills(observation)
    found = yield from me.document(
        "quarter variance tolerance lock", where={"department": "Finance"}, kind="policy"
    )
    manual = texts.MANUAL.read(found["body"])
    entity = yield from me.record(ENTITY, me.from_brief(r"please close Q\d \d{4} for ([\w ]+)\."))
    try:
        period = yield from _Figures(me, manual).take_all((yield from _find_period(me, entity, manual)))
    except Postponed as postponed:
        yield from me.ask("refuse", reason_code=postponed.reason, evidence=[postponed.evidence])
        return
    left = yield from _unexplained(me, entity, period, manual)
    yield from _file_all(me, left, period["lines"], manual)
    fields = {
        "period": period["id"],
        "variances": len(left),
        "unexplained": round(fsum(left.values()), 2),
        "manual": found["id"],
    }
    yield from _sign_off_and_lock(me, manual["approval"], fields)


def _find_period(me: Skills, entity: Shown, manual: Fields) -> Play[Shown]:
    """Return the period, unless an earlier period of the entity is reopened.

    Raises:
        Postponed: An earlier period is reopened.
    """
    periods = yield from me.ask("datahub_list_periods", entity=entity["id"])
    asked = me.from_brief(r"please close (Q\d \d{4}) for")
    own = next(one for one in periods["items"] if one["name"] == asked)
    for one in periods["items"]:
        if one["starts_at"] < own["starts_at"] and one["status"] == "reopened":
            raise Postponed(manual["prior"], one["id"])
    period: Shown = yield from me.ask("datahub_get_period", period_id=own["id"])
    return period


class _Figures:
    """The figures of a period that have to be taken, each after its sources."""

    def __init__(self, me: Skills, manual: Fields) -> None:
        self._me = me
        self._manual = manual
        self._due = set[str]()
        self._upstream = dict[str, set[str]]()
        self._failed = Counter[str]()

    def take_all(self, period: Shown) -> Play[Shown]:
        """Refresh what is not current, and return the period.

        Raises:
            Postponed: A source is unavailable.
        """
        lines = {one["metric_id"] for one in period["lines"]}
        yield from self._look_upstream(period, lines)
        while self._due:
            ready = sorted(one for one in self._due if not self._upstream.get(one, set()) & self._due)
            jobs = yield from self._me.refresh(ready)
            period = yield from self._me.ask("datahub_get_period", period_id=period["id"])
            current = lines - _not_current(period)
            for metric_id in ready:
                if metric_id in current or (yield from self._has_succeeded(jobs[metric_id])):
                    self._due.remove(metric_id)
                elif self._failed[metric_id] >= self._manual["runs"]:
                    raise Postponed(self._manual["source"], metric_id)
        while _not_current(period):
            period = yield from self._me.ask("datahub_get_period", period_id=period["id"])
        return period

    def _look_upstream(self, period: Shown, lines: set[str]) -> Play[None]:
        """Read the lineage of every line that is not current, and mark its stale sources as due."""
        self._due = _not_current(period)
        for metric_id in sorted(self._due):
            lineage = yield from self._me.ask("datahub_get_lineage", metric_id=metric_id)
            self._upstream[metric_id] = {one["id"] for one in lineage["upstream"]}
            self._due |= {one["id"] for one in lineage["upstream"] if one["is_stale"]} - lines

    def _has_succeeded(self, job_id: str) -> Play[bool]:
        """Return whether a job succeeded, and count it if it failed."""
        job = yield from self._me.ask("datahub_get_job", job_id=job_id)
        while job["status"] == "running":
            yield from self._me.wait_until(self._me.now + MINUTE)
            job = yield from self._me.ask("datahub_get_job", job_id=job_id)
        self._failed[job["metric_id"]] += job["status"] == "failed"
        return bool(job["status"] == "succeeded")


def _not_current(period: Shown) -> set[str]:
    return {one["metric_id"] for one in period["lines"] if one["freshness"] != "current"}


def _unexplained(me: Skills, entity: Shown, period: Shown, manual: Fields) -> Play[dict[str, float]]:
    """Return the unexplained part of each variance beyond the tolerance, by metric."""
    lines, size = {one["metric_id"]: one for one in period["lines"]}, entity["fields"]["size_class"]
    allowed = {
        key: manual[f"{size}_{one['category']}"] / 100 * abs(one["reference"]) for key, one in lines.items()
    }
    left = _deduct({}, {key: abs(one["variance"]) for key, one in lines.items()}, allowed)
    if left:
        left = _deduct((yield from _read_memo(me, entity, period)), left, allowed)
    if left:
        owners = {key: lines[key]["owner"] for key in left}
        left = _deduct((yield from _Owners(me, period["id"], owners).ask_all()), left, allowed)
    return left


def _deduct(
    explained: Mapping[str, float], sizes: Mapping[str, float], allowed: Mapping[str, float]
) -> dict[str, float]:
    """Return what remains of variances, of those alone that are still beyond the tolerance."""
    left = {key: round(size - explained.get(key, 0.0), 2) for key, size in sizes.items()}
    return {key: size for key, size in left.items() if size > allowed[key]}


def _read_memo(me: Skills, entity: Shown, period: Shown) -> Play[dict[str, float]]:
    """Return what the controller's memo in force explains, by metric."""
    title = f"Differences of {entity['name']}, {period['name']}"
    items = yield from me.ask(
        "datahub_search_documents", q=title.replace(",", ""), kind="memo", status="in_force"
    )
    memos = [one for one in items["items"] if one["title"] == title]
    controller = (yield from me.ask("datahub_get_approver", role="controller")) if memos else {}
    for one in memos:
        memo = yield from me.ask("datahub_get_document", document_id=one["id"])
        if memo["author"] == controller["id"]:
            return {one["metric_id"]: one["amount"] for one in texts.MEMO.read(memo["body"])["lines"]}
    return {}


class _Owners:
    """The owners of some metrics, who are asked what explains the variances of these.

    Args:
        me: The accountant.
        period_id: The period.
        owners: The owner of each metric.
    """

    def __init__(self, me: Skills, period_id: str, owners: Mapping[str, str]) -> None:
        self._me = me
        self._period_id = period_id
        self._owners = owners
        self._asked_at = me.now
        self._answers = dict[str, float]()
        self._informed = set[str]()

    def ask_all(self) -> Play[dict[str, float]]:
        """Ask about each metric, and return what the answers explain."""
        for metric_id, owner in sorted(self._owners.items()):
            yield from self._ask(owner, metric_id)
        while {*self._owners} - {*self._answers}:
            yield from self._me.wait_until(self._me.now + HOUR)
            for mail in (yield from self._me.news(self._is_answer)):
                yield from self._read_mail(mail["id"])
        return self._answers

    def _is_answer(self, mail: Shown) -> bool:
        return from_iso(mail["sent_at"]) >= self._asked_at and mail["sender"] in self._owners.values()

    def _read_mail(self, message_id: str) -> Play[None]:
        """Read an answer; if it asks which quarter is meant, reply once to each owner."""
        mail = yield from self._me.ask("datahub_get_message", message_id=message_id)
        owner = mail["sender"]
        theirs = [one for one, other in self._owners.items() if other == owner]
        if "?" not in mail["body"]:
            # An owner of a single metric can only mean that metric, even in a reply about the quarter.
            about = theirs[0] if len(theirs) == 1 else mail["about"]
            if about in theirs:
                explained = read_any(texts.EXPLANATIONS, mail["body"])
                self._answers[about] = explained["amount"] if explained else 0.0
        elif owner not in self._informed:
            self._informed.add(owner)
            for about in (self._period_id, *(theirs if len(theirs) > 1 else ())):
                yield from self._ask(owner, about)

    def _ask(self, owner: str, about: str) -> Play[None]:
        body = "What explains the variance of this quarter?"
        yield from self._me.ask("datahub_message_colleague", to=owner, about=about, body=body)


def _file_all(me: Skills, left: Mapping[str, float], lines: Sequence[Shown], manual: Fields) -> Play[None]:
    """File a ticket about every unexplained variance that has no open ticket."""
    for line in (one for one in lines if one["metric_id"] in left):
        subject, amount = line["metric_id"], left[line["metric_id"]]
        about = yield from me.ask("ticketdesk_search_tickets", q=subject, kind=VARIANCE_TICKET)
        if not any(one["subject"] == subject and one["status"] != "closed" for one in about["items"]):
            share = 100 * amount / abs(line["reference"])
            yield from me.ask(
                "ticketdesk_create_ticket",
                kind=VARIANCE_TICKET,
                title=f"Variance in {line['name'].replace('_', ' ')}",
                description=f"{amount:.2f} EUR remain unexplained.",
                subject=subject,
                priority="high" if share > manual["high"] else "medium",
            )


def _sign_off_and_lock(me: Skills, type_id: str, fields: Mapping[str, Any]) -> Script:
    """Get the close approved by the person whom the policy names, lock the period, and finish."""
    policy = yield from me.ask("approvalflow_get_policy", type_id=type_id)
    approver = yield from me.signer(role_for(policy, fields["unexplained"]))
    request = yield from me.ask(
        "approvalflow_submit_approval", type=type_id, approver=approver, fields=dict(fields)
    )
    request = yield from me.decided(request, look_up="approvalflow_get_request")
    if request["status"] == "approved":
        yield from me.ask("datahub_lock_period", period_id=fields["period"])
    yield from me.finish("The quarter is locked.")
