"""The oracle: an engineer who finds the cause of an incident, and does what the rules require."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.documents import read_any
from companyos.sdk.scenario import Observation, Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso, to_date, to_iso

from . import texts
from .calendar import WEEKDAYS, Freeze, Windows
from .facts import PRIORITY
from .pack import CTO, EMERGENCY, EXCEPTION, INCIDENT, METRIC, SYSTEM, TEAM

Shown = Mapping[str, Any]

_PAPERS: Final = 'handling incidents or "change freeze" or "duty managers"'
_RECENTLY_S: Final = DAY


@dataclass(frozen=True)
class Rules:
    """The rules for incidents: the severity by tier and error rate, and the windows of normal changes."""

    bands: Sequence[tuple[float, Mapping[str, Any]]]
    windows: Windows

    def severity(self, tier: str, rate: float) -> int:
        """Return the severity of an incident for a system's tier and error rate."""
        return next(int(by_tier[tier]) for least, by_tier in self.bands if rate >= least)


class Engineer:
    """The work on one incident, as a script.

    Attributes:
        papers: The headers of the documents in force about incidents.
        victim: The system that the brief names.
        metric: The id of its error rate.
        cause: The system that makes it fail.
        incident: The ticket of the incident.
    """

    papers: Sequence[Shown]
    victim: Shown
    metric: str
    cause: Shown
    incident: Shown

    def __init__(self, observation: Observation) -> None:
        self._me = Skills(observation)
        self._offered = {tool["name"] for tool in observation.get("tools") or ()}

    def work(self) -> Script:
        """Find the cause, open the incident, and do what the rules require."""
        me = self._me
        found = yield from me.ask("datahub_search_documents", q=_PAPERS, status="in_force", limit=50)
        self.papers = found["items"]
        rules = read_rules((yield from self._paper(texts.HANDLING_TITLE))["body"])
        rate = yield from self._diagnose()
        severity = rules.severity(self.victim["fields"]["tier"], rate)
        self.incident = yield from me.ask(
            "ticketdesk_create_ticket",
            kind=INCIDENT,
            title=f"{self.victim['name']} fails",
            description=f"{self.cause['name']} ({self.cause['id']}) is the cause.",
            subject=self.victim["id"],
            priority=PRIORITY[severity],
        )
        procedures, agreement = yield from self._own_papers()
        if agreement is not None:
            yield from me.ask("refuse", reason_code="run_by_provider", evidence=[agreement])
            return
        area, freezes = self.cause["fields"]["area"], (yield from self._freezes())
        holding = [one for one in freezes if one.covers(area, me.now)]
        if severity == 1 and all(one.exempt == area for one in holding):
            yield from self._change_now(procedures, severity, in_freeze=bool(holding))
            return
        window = to_iso(rules.windows.first(me.now, area, freezes))
        yield from self._plan(procedures[0], category="ordinary", starts_at=window)
        yield from self._hand_over()

    def _diagnose(self) -> Play[float]:
        """Find the victim, and the failing system furthest upstream of it; return the victim's rate."""
        me = self._me
        systems = yield from me.pages("datahub_list_records", limit=200, kind=SYSTEM)
        name = me.from_brief(r"complaining about (.+?) since")
        self.victim = next(one for one in systems if one["name"] == name)
        metrics = yield from me.ask("datahub_list_metrics", name=METRIC, subject=self.victim["id"])
        self.metric = metrics["items"][0]["id"]
        lineage = yield from me.ask("datahub_get_lineage", metric_id=self.metric)
        upstream = [one for one in lineage["upstream"] if one["name"] == METRIC]
        readings = yield from me.renewed([self.metric, *(one["id"] for one in upstream)])
        known = {one["id"]: one for one in systems}
        failing = [
            (one["distance"], one["subject"])
            for one in upstream
            if readings[one["id"]]["value"] > known[one["subject"]]["fields"]["error_limit"]
        ]
        self.cause = known[max(failing)[1]]
        return float(readings[self.metric]["value"])

    def _own_papers(self) -> Play[tuple[list[str], str | None]]:
        """Return the procedures left to try on a system, and its provider agreement, if any."""
        me = self._me
        found = yield from me.ask("datahub_search_documents", q=f'"{self.cause["name"]}"', status="in_force")
        by_title = {one["title"]: one for one in found["items"]}
        agreement = by_title.get(texts.AGREEMENT_TITLE.format(name=self.cause["name"]))
        if agreement is not None:
            read = yield from me.ask("datahub_get_document", document_id=agreement["id"])
            return [], read["id"]
        runbook = by_title[texts.RUNBOOK_TITLE.format(name=self.cause["name"])]
        read = yield from me.ask("datahub_get_document", document_id=runbook["id"])
        procedures = read_procedures(read["body"])
        changes = yield from me.pages("ticketdesk_list_changes", limit=200, system=self.cause["id"])
        tried = {one["procedure"] for one in changes if self._is_recent(one["rolled_out_at"])}
        return [one for one in procedures if one not in tried], None

    def _is_recent(self, instant: str | None) -> bool:
        return instant is not None and from_iso(instant) > self._me.now - _RECENTLY_S

    def _freezes(self) -> Play[list[Freeze]]:
        freezes = []
        for one in self.papers:
            if one["title"].startswith(texts.FREEZE_TITLE.format(campaign="")):
                notice = yield from self._me.ask("datahub_get_document", document_id=one["id"])
                freezes.append(read_freeze(notice["body"]))
        return freezes

    def _hand_over(self) -> Play[None]:
        """Assign the incident to the owner of the failing system."""
        incident, owner = self.incident["id"], self.cause["fields"]["owner"]
        yield from self._me.ask("ticketdesk_assign_ticket", ticket_id=incident, assignee=owner)
        yield from self._me.finish(f"{incident} is with {owner}.")

    def _plan(self, procedure: str, **when: str) -> Play[str]:
        """Plan a change of the failing system, and return its id."""
        plan = yield from self._me.ask(
            "ticketdesk_plan_change",
            ticket_id=self.incident["id"],
            system=self.cause["id"],
            procedure=procedure,
            **when,
        )
        return str(plan["id"])

    def _change_now(self, procedures: Sequence[str], severity: int, *, in_freeze: bool) -> Play[None]:
        """Roll out one procedure after the other until the victim has recovered; approval covers them all."""
        me = self._me
        for number, procedure in enumerate(procedures):
            plan = yield from self._plan(procedure, category="emergency")
            if number == 0:
                yield from self._approval(severity, in_freeze=in_freeze)
            change = yield from me.ask("ticketdesk_roll_out_change", change_id=plan)
            if (yield from self._has_recovered(change)):
                closing = {"ticket_id": self.incident["id"], "resolution": "Mended, and measured."}
                yield from me.ask("ticketdesk_close_ticket", **closing)
                yield from me.finish(f"{self.victim['name']} has recovered.")
                return
            yield from me.ask("ticketdesk_roll_back_change", change_id=plan, reason="It did not help.")
        yield from self._hand_over()

    def _approval(self, severity: int, *, in_freeze: bool) -> Play[None]:
        """Request the approval of the person who may approve changes now, and wait for the decision."""
        me = self._me
        approver = yield from self._approver(in_freeze=in_freeze)
        request = yield from me.ask(
            "approvalflow_submit_approval",
            type=EXCEPTION if in_freeze else EMERGENCY,
            approver=approver,
            fields={"incident": self.incident["id"], "system": self.cause["id"], "severity": severity},
        )
        yield from me.wait_until(me.now + HOUR)
        standing = yield from me.ask("approvalflow_check_status", request_id=request["id"])
        yield from me.decided(standing)

    def _approver(self, *, in_freeze: bool) -> Play[str]:
        """Return the technology officer in a freeze, else the duty manager on call."""
        if in_freeze:
            return (yield from self._me.signer(CTO))
        today = to_date(self._me.now)
        roster = yield from self._paper(texts.ROSTER_TITLE)
        person = read_roster(roster["body"], today)
        mails = yield from self._me.ask("datahub_list_messages", limit=50)
        # Newest first: the first mail about today counts.
        for one in mails["items"]:
            if one["subject"] == texts.HANDOVER_SUBJECT:
                mail = yield from self._me.ask("datahub_get_message", message_id=one["id"])
                if (given := read_handover(mail["body"], today)) is not None:
                    return given
        return person

    def _has_recovered(self, change: Shown) -> Play[bool]:
        """Return whether the victim is within its limit, by a reading taken after DataHub knew the change."""
        limit = self.victim["fields"]["error_limit"]
        rate = yield from self._rate(change["rolled_out_at"])
        if rate > limit and "datahub_replay_events" in self._offered:
            yield from self._bring_news(change)
            rate = yield from self._rate(to_iso(self._me.now))
        return bool(rate <= limit)

    def _rate(self, since: str) -> Play[float]:
        """Refresh the victim's error rate."""
        reading: Shown = {"as_of": ""}
        while reading["as_of"] <= since or reading["is_stale"]:
            yield from self._me.refresh([self.metric])
            reading = yield from self._me.ask("datahub_query_metric", metric_id=self.metric)
        return float(reading["value"])

    def _bring_news(self, change: Shown) -> Play[None]:
        """Make sure that DataHub has received the event about the change."""
        me = self._me
        while True:
            replayed = yield from me.ask("datahub_replay_events", object_id=change["id"])
            if replayed["coming"]:
                continue
            letters = yield from me.ask("datahub_list_dead_letters")
            about = [one for one in letters["items"] if one["object_id"] == change["id"]]
            for one in about:
                yield from me.redrive("datahub", one, change)
            if not about and not replayed["waiting"]:
                return
            if not about:
                yield from me.wait_until(me.now + 5 * MINUTE)

    def _paper(self, title: str) -> Play[Shown]:
        """Return the team's document in force with this title."""
        known = next(one for one in self.papers if one["title"] == title and one["department"] == TEAM)
        document: Shown = yield from self._me.ask("datahub_get_document", document_id=known["id"])
        return document


def read_rules(body: str) -> Rules:
    """Read the rules for incidents."""
    fields = texts.HANDLING.read(body)
    bands = [(float(one["least"]), one) for one in (*fields["bands"], {**fields, "least": 0})]
    first, second = (WEEKDAYS.index(fields[day]) for day in ("first_day", "second_day"))
    return Rules(bands, Windows((first, second), fields["hour"]))


def read_procedures(body: str) -> list[str]:
    """Return the procedures of a system's runbook, in order."""
    return [step["procedure"] for step in texts.RUNBOOK.read(body)["steps"]]


def read_freeze(body: str) -> Freeze:
    """Read the notice of a freeze."""
    fields = texts.FREEZE.read(body)
    starts, ends = from_iso(fields["starts"]), from_iso(fields["ends"])
    return Freeze(starts, ends, frozenset(fields["areas"]), fields.get("exempt"))


def read_roster(body: str, today: str) -> str:
    """Return the person that a roster names for a date."""
    weeks = texts.ROSTER.read(body)["weeks"]
    return next(str(week["id"]) for week in weeks if week["first"] <= today <= week["last"])


def read_handover(body: str, today: str) -> str | None:
    """Return the person who has the phone on a date according to a mail, or None if it does not say."""
    fields = read_any((texts.HANDOVER, texts.TAKEN_BACK), body)
    return fields["id"] if fields and fields["first"] <= today <= fields["last"] else None
