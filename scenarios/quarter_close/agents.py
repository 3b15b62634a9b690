"""The accountant: a script that closes a quarter by the manual in force."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from companyos.sdk.documents import Fields, read_any
from companyos.sdk.scenario import Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, role_for
from companyos.sdk.simtime import HOUR, MINUTE, from_iso

from . import texts
from .books import ENTITY, label
from .pack import VARIANCE_TICKET

Shown = Mapping[str, Any]


class Accountant(Skills):
    """The work on one close."""

    _rules: Fields

    def work(self) -> Script:
        """Close the quarter by the manual in force, or refuse with the reason code that the manual names."""
        manual = yield from self.document(
            "quarter variance tolerance lock", where={"department": "Finance"}, kind="policy"
        )
        self._rules = texts.MANUAL.read(manual["body"])
        entity = yield from self.record(ENTITY, self.from_brief(r"please close Q\d \d{4} for ([\w ]+)\."))
        period = yield from self._take_figures((yield from self._find_period(entity["id"])))
        left = yield from self._unexplained(entity, period)
        yield from self._file_tickets(left, period["lines"])
        fields = {
            "period": period["id"],
            "variances": len(left),
            "unexplained": round(fsum(left.values()), 2),
            "manual": manual["id"],
        }
        yield from self._sign_off_and_lock(fields)

    def _postpone(self, cause: str, evidence: str) -> Play[None]:
        """Refuse the task for now, which ends the episode; the manual has the reason code of each cause."""
        yield from self.ask("refuse", reason_code=self._rules[cause], evidence=[evidence])

    def _find_period(self, entity_id: str) -> Play[str]:
        """Return the period's id; refuse if an earlier period of the entity is reopened."""
        periods = yield from self.ask("datahub_list_periods", entity=entity_id)
        name = self.from_brief(r"please close (Q\d \d{4}) for")
        own = next(one for one in periods["items"] if one["name"] == name)
        for one in periods["items"]:
            if one["starts_at"] < own["starts_at"] and one["status"] == "reopened":
                yield from self._postpone("prior", one["id"])
        return str(own["id"])

    def _take_figures(self, period_id: str) -> Play[Shown]:
        """Refresh what is not current, each figure after its sources; refuse if a source is unavailable.

        Returns:
            The period once every line is current.
        """
        period: Shown = yield from self.ask("datahub_get_period", period_id=period_id)
        lines, due = {one["metric_id"] for one in period["lines"]}, _not_current(period)
        upstream, failures = dict[str, set[str]](), Counter[str]()
        for metric_id in sorted(due):
            lineage = yield from self.ask("datahub_get_lineage", metric_id=metric_id)
            upstream[metric_id] = {one["id"] for one in lineage["upstream"]}
            due |= {one["id"] for one in lineage["upstream"] if one["is_stale"]} - lines
        while due or _not_current(period):
            ready = sorted(one for one in due if not upstream.get(one, set()) & due)
            jobs = yield from self.refresh(ready)
            period = yield from self.ask("datahub_get_period", period_id=period_id)
            current = lines - _not_current(period)
            for metric_id in ready:
                if metric_id in current or (yield from self._has_succeeded(jobs[metric_id])):
                    due.remove(metric_id)
                    continue
                failures[metric_id] += 1
                if failures[metric_id] >= self._rules["runs"]:
                    yield from self._postpone("source", metric_id)
        return period

    def _has_succeeded(self, job_id: str) -> Play[bool]:
        """Return whether a job succeeds, once it has ended."""
        job = yield from self.ask("datahub_get_job", job_id=job_id)
        while job["status"] == "running":
            yield from self.wait_until(self.now + MINUTE)
            job = yield from self.ask("datahub_get_job", job_id=job_id)
        return bool(job["status"] == "succeeded")

    def _unexplained(self, entity: Shown, period: Shown) -> Play[dict[str, float]]:
        """Return the unexplained part of each variance beyond the tolerance, by metric."""
        lines, size = {one["metric_id"]: one for one in period["lines"]}, entity["fields"]["size_class"]
        allowed = {
            key: self._rules[f"{size}_{one['category']}"] / 100 * abs(one["reference"])
            for key, one in lines.items()
        }
        left = _deduct({}, {key: abs(one["variance"]) for key, one in lines.items()}, allowed)
        if left:
            left = _deduct((yield from self._read_memo(entity, period)), left, allowed)
        if left:
            owners = {key: lines[key]["owner"] for key in left}
            left = _deduct((yield from self._ask_owners(period["id"], owners)), left, allowed)
        return left

    def _read_memo(self, entity: Shown, period: Shown) -> Play[dict[str, float]]:
        """Return what the controller's memo in force explains, by metric."""
        title = f"Differences of {entity['name']}, {period['name']}"
        found = yield from self.ask(
            "datahub_search_documents", q=title.replace(",", ""), kind="memo", status="in_force"
        )
        memos = [one for one in found["items"] if one["title"] == title]
        controller = (yield from self.ask("datahub_get_approver", role="controller")) if memos else {}
        for one in memos:
            memo = yield from self.ask("datahub_get_document", document_id=one["id"])
            if memo["author"] == controller["id"]:
                return {one["metric_id"]: one["amount"] for one in texts.MEMO.read(memo["body"])["lines"]}
        return {}

    def _ask_owners(self, period_id: str, owners: Mapping[str, str]) -> Play[dict[str, float]]:
        """Ask the owner of each metric what explains its variance, and return what the answers explain."""
        asked_at, answers, informed = self.now, dict[str, float](), set[str]()

        def is_answer(mail: Shown) -> bool:
            return from_iso(mail["sent_at"]) >= asked_at and mail["sender"] in owners.values()

        for metric_id, owner in sorted(owners.items()):
            yield from self._ask_about(owner, metric_id)
        while owners.keys() - answers.keys():
            yield from self.wait_until(self.now + HOUR)
            for one in (yield from self.news(is_answer)):
                mail = yield from self.ask("datahub_get_message", message_id=one["id"])
                sender = mail["sender"]
                theirs = [metric_id for metric_id, owner in owners.items() if owner == sender]
                # An owner of a single metric can only mean that metric, even in a reply about the quarter.
                means = theirs[0] if len(theirs) == 1 else mail["about"]
                if "?" in mail["body"] and sender not in informed:
                    informed.add(sender)
                    for about in (period_id, *(theirs if len(theirs) > 1 else ())):
                        yield from self._ask_about(sender, about)
                elif "?" not in mail["body"] and means in theirs:
                    explained = read_any(texts.EXPLANATIONS, mail["body"])
                    answers[means] = explained["amount"] if explained else 0.0
        return answers

    def _ask_about(self, owner: str, about: str) -> Play[None]:
        body = "What explains the variance of this quarter?"
        yield from self.ask("datahub_message_colleague", to=owner, about=about, body=body)

    def _file_tickets(self, left: Mapping[str, float], lines: Sequence[Shown]) -> Play[None]:
        """File a ticket about every unexplained variance that has no open ticket."""
        for line in (one for one in lines if one["metric_id"] in left):
            subject, amount = line["metric_id"], left[line["metric_id"]]
            about = yield from self.ask("ticketdesk_search_tickets", q=subject, kind=VARIANCE_TICKET)
            if not any(one["subject"] == subject and one["status"] != "closed" for one in about["items"]):
                share = 100 * amount / abs(line["reference"])
                yield from self.ask(
                    "ticketdesk_create_ticket",
                    kind=VARIANCE_TICKET,
                    title=f"Variance in {label(line['name'])}",
                    description=f"{amount:.2f} EUR remain unexplained.",
                    subject=subject,
                    priority="high" if share > self._rules["high"] else "medium",
                )

    def _sign_off_and_lock(self, fields: Mapping[str, Any]) -> Play[None]:
        """Get the close approved by the person whom the policy names, lock the period, and finish."""
        type_id = self._rules["approval"]
        policy = yield from self.ask("approvalflow_get_policy", type_id=type_id)
        approver = yield from self.signer(role_for(policy, fields["unexplained"]))
        request = yield from self.ask(
            "approvalflow_submit_approval", type=type_id, approver=approver, fields=fields
        )
        request = yield from self.decided(request, look_up="approvalflow_get_request")
        if request["status"] == "approved":
            yield from self.ask("datahub_lock_period", period_id=fields["period"])
        yield from self.finish("The quarter is locked.")


def _not_current(period: Shown) -> set[str]:
    return {one["metric_id"] for one in period["lines"] if one["freshness"] != "current"}


def _deduct(
    explained: Mapping[str, float], sizes: Mapping[str, float], allowed: Mapping[str, float]
) -> dict[str, float]:
    """Return what remains of variances, of those alone that are still beyond the tolerance."""
    left = {key: round(size - explained.get(key, 0.0), 2) for key, size in sizes.items()}
    return {key: size for key, size in left.items() if size > allowed[key]}
