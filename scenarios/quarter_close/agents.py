"""The accountant: a script that closes a quarter by the manual in force."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Final

from companyos.scenario import Observation, Script
from companyos.sdk.asking import Play
from companyos.sdk.documents import Fields, read_any
from companyos.sdk.simtime import HOUR, MINUTE, from_iso
from companyos.sdk.skills import Skills, role_for

from . import texts

Shown = Mapping[str, Any]
_QUARTER: Final = r"please close (Q\d \d{4}) for"


class Postponed(Exception):
    """The quarter cannot be closed for now; the reason and the object that proves it are attached."""

    def __init__(self, reason: str, evidence: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence


def oracle(observation: Observation) -> Script:
    """Close the quarter by the manual in force, or refuse with the reason code that the manual names."""
    yield from _Accountant(observation).close()


class _Accountant:
    """The work on one close.

    Attributes:
        manual: What the manual says, and the id of its edition.
        upstream: What each metric is computed from, directly or through others.
        due: The metrics that have to be refreshed.
        failed: How many runs of each metric failed.
        answers: What the owner's answer about each metric explains.
        informed: The owners who know which quarter is meant.
    """

    def __init__(self, observation: Observation) -> None:
        self._me = Skills(observation)
        self.manual: Fields = {}
        self.upstream = dict[str, set[str]]()
        self.due = set[str]()
        self.failed = Counter[str]()
        self.answers = dict[str, float]()
        self.informed = set[str]()

    def close(self) -> Script:
        """Close the quarter, or refuse the task."""
        me = self._me
        try:
            yield from self._read_up()
            entity = yield from _find_entity(me)
            period = yield from self._take_all((yield from self._begin(entity)))
        except Postponed as postponed:
            yield from me.ask("refuse", reason_code=postponed.reason, evidence=[postponed.evidence])
            return
        left = yield from self._unexplained(entity, period)
        yield from self._file_all(left, period["lines"])
        fields = {
            "period": period["id"],
            "variances": len(left),
            "unexplained": round(fsum(left.values()), 2),
            "manual": self.manual["id"],
        }
        yield from _sign_off_and_lock(me, self.manual["approval"], fields)

    def _read_up(self) -> Play[None]:
        text = yield from self._me.document(
            "quarter variance tolerance lock", where={"department": "Finance"}, kind="policy"
        )
        self.manual = {**texts.MANUAL.read(text["body"]), "id": text["id"]}

    def _begin(self, entity: Shown) -> Play[Shown]:
        """Return the period, unless an earlier period of the entity is reopened.

        Raises:
            Postponed: An earlier period is reopened.
        """
        periods = yield from self._me.ask("datahub_list_periods", entity=entity["id"])
        asked = self._me.from_brief(_QUARTER)
        own = next(one for one in periods["items"] if one["name"] == asked)
        for one in periods["items"]:
            if one["starts_at"] < own["starts_at"] and one["status"] == "reopened":
                raise Postponed(self.manual["prior"], one["id"])
        period: Shown = yield from self._me.ask("datahub_get_period", period_id=own["id"])
        return period

    def _take_all(self, period: Shown) -> Play[Shown]:
        """Refresh what is not current, each figure after its sources, and return the period.

        Raises:
            Postponed: A source is unavailable.
        """
        lines = {one["metric_id"] for one in period["lines"]}
        yield from self._look_upstream(period, lines)
        while self.due:
            ready = sorted(one for one in self.due if not self.upstream.get(one, set()) & self.due)
            jobs = yield from self._me.refresh(ready)
            period = yield from self._me.ask("datahub_get_period", period_id=period["id"])
            seen = lines - _not_current(period)
            for metric_id in ready:
                if metric_id in seen or (yield from self._succeeded(jobs[metric_id])):
                    self.due.remove(metric_id)
                elif self.failed[metric_id] >= self.manual["runs"]:
                    raise Postponed(self.manual["source"], metric_id)
        while _not_current(period):
            period = yield from self._me.ask("datahub_get_period", period_id=period["id"])
        return period

    def _look_upstream(self, period: Shown, lines: Iterable[str]) -> Play[None]:
        """Read the lineage of every line that is not current, and mark its stale sources as due."""
        self.due = _not_current(period)
        for metric_id in sorted(self.due):
            lineage = yield from self._me.ask("datahub_get_lineage", metric_id=metric_id)
            self.upstream[metric_id] = {one["id"] for one in lineage["upstream"]}
            others = {one["id"] for one in lineage["upstream"] if one["is_stale"]}
            self.due |= others - {*lines}

    def _succeeded(self, job_id: str) -> Play[bool]:
        """Return whether a job succeeded, and count it if it failed."""
        job = yield from self._me.ask("datahub_get_job", job_id=job_id)
        while job["status"] == "running":
            yield from self._me.wait_until(self._me.now + MINUTE)
            job = yield from self._me.ask("datahub_get_job", job_id=job_id)
        if job["status"] == "failed":
            self.failed[job["metric_id"]] += 1
        return bool(job["status"] == "succeeded")

    def _unexplained(self, entity: Shown, period: Shown) -> Play[dict[str, float]]:
        """Return the unexplained part of each variance beyond the tolerance, by metric."""
        lines = {one["metric_id"]: one for one in period["lines"]}
        size, manual = entity["fields"]["size_class"], self.manual
        allowed = {
            key: manual[f"{size}_{one['category']}"] / 100 * abs(one["reference"])
            for key, one in lines.items()
        }
        left = {
            key: abs(one["variance"]) for key, one in lines.items() if abs(one["variance"]) > allowed[key]
        }
        if left:
            memo = yield from self._memo(entity, period)
            left = _beyond(_less(left, memo), allowed)
        if left:
            answers = yield from self._ask_owners(period["id"], {key: lines[key]["owner"] for key in left})
            left = _beyond(_less(left, answers), allowed)
        return left

    def _memo(self, entity: Shown, period: Shown) -> Play[dict[str, float]]:
        """Return what the controller's memo in force explains, by metric."""
        title = f"Differences of {entity['name']}, {period['name']}"
        items = yield from self._me.ask(
            "datahub_search_documents", q=title.replace(",", ""), kind="memo", status="in_force"
        )
        memos = [one for one in items["items"] if one["title"] == title]
        if not memos:
            return {}
        controller = yield from self._me.ask("datahub_get_approver", role="controller")
        for one in memos:
            memo = yield from self._me.ask("datahub_get_document", document_id=one["id"])
            if memo["author"] == controller["id"]:
                return {one["metric_id"]: one["amount"] for one in texts.MEMO.read(memo["body"])["lines"]}
        return {}

    def _ask_owners(self, period_id: str, owners: Mapping[str, str]) -> Play[dict[str, float]]:
        """Ask the owner of each metric about its variance, and return what the answers explain."""
        asked_at = self._me.now
        for metric_id, owner in sorted(owners.items()):
            yield from self._ask_owner(owner, metric_id)
        while {*owners} - {*self.answers}:
            yield from self._me.wait_until(self._me.now + HOUR)
            for mail in (
                yield from self._me.news(
                    lambda one: from_iso(one["sent_at"]) >= asked_at and one["sender"] in owners.values()
                )
            ):
                theirs = [one for one, owner in owners.items() if owner == mail["sender"]]
                yield from self._read_mail(mail["id"], period_id, theirs)
        return self.answers

    def _read_mail(self, message_id: str, period_id: str, theirs: Sequence[str]) -> Play[None]:
        """Read an answer about one of these metrics; if it asks which quarter is meant, reply once to each owner."""
        mail = yield from self._me.ask("datahub_get_message", message_id=message_id)
        owner = mail["sender"]
        if "?" not in mail["body"]:
            # An owner of a single metric can only mean that metric, even in a reply about the quarter.
            about = theirs[0] if len(theirs) == 1 else mail["about"]
            if about in theirs:
                explained = read_any(texts.EXPLANATIONS, mail["body"])
                self.answers[about] = explained["amount"] if explained else 0.0
        elif owner not in self.informed:
            self.informed.add(owner)
            yield from self._ask_owner(owner, period_id)
            for metric_id in theirs if len(theirs) > 1 else ():
                yield from self._ask_owner(owner, metric_id)

    def _ask_owner(self, owner: str, about: str) -> Play[None]:
        body = "What explains the variance of this quarter?"
        yield from self._me.ask("datahub_message_colleague", to=owner, about=about, body=body)

    def _file_all(self, left: Mapping[str, float], lines: Sequence[Shown]) -> Play[None]:
        """File a ticket about every unexplained variance that has no open ticket."""
        for line in (one for one in lines if one["metric_id"] in left):
            subject, amount = line["metric_id"], left[line["metric_id"]]
            about = yield from self._me.ask("ticketdesk_search_tickets", q=subject, kind="variance")
            if not any(one["subject"] == subject and one["status"] != "closed" for one in about["items"]):
                share = 100 * amount / abs(line["reference"])
                yield from self._me.ask(
                    "ticketdesk_create_ticket",
                    kind="variance",
                    title=f"Variance in {line['name'].replace('_', ' ')}",
                    description=f"{amount:.2f} EUR remain unexplained.",
                    subject=subject,
                    priority="high" if share > self.manual["high"] else "medium",
                )


def _find_entity(me: Skills) -> Play[Shown]:
    name = me.from_brief(r"please close Q\d \d{4} for ([\w ]+)\.")
    records = yield from me.ask("datahub_list_records", kind="legal_entity", q=name)
    return next(one for one in records["items"] if one["name"] == name)


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


def _not_current(period: Shown) -> set[str]:
    return {one["metric_id"] for one in period["lines"] if one["freshness"] != "current"}


def _less(left: Mapping[str, float], explained: Mapping[str, float]) -> dict[str, float]:
    return {key: round(size - explained.get(key, 0.0), 2) for key, size in left.items()}


def _beyond(left: Mapping[str, float], allowed: Mapping[str, float]) -> dict[str, float]:
    return {key: size for key, size in left.items() if size > allowed[key]}
