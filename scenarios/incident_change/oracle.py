"""The oracle: an engineer who finds the cause of an incident, and does what the rules require."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.documents import read_any
from companyos.sdk.scenario import Script
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso, to_date, to_iso

from . import texts
from .calendar import WEEKDAYS, Freeze, Windows
from .facts import PRIORITY, RUN_BY_PROVIDER
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


class Engineer(Skills):
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

    def work(self) -> Script:
        """Find the cause, open the incident, and do what the rules require."""
        found = yield from self.ask("datahub_search_documents", q=_PAPERS, status="in_force", limit=50)
        self.papers = found["items"]
        rules = read_rules((yield from self._paper(texts.HANDLING_TITLE)))
        rate = yield from self._diagnose()
        severity = rules.severity(self.victim["fields"]["tier"], rate)
        self.incident = yield from self.ask(
            "ticketdesk_create_ticket",
            kind=INCIDENT,
            title=f"{self.victim['name']} fails",
            description=f"{self.cause['name']} ({self.cause['id']}) is the cause.",
            subject=self.victim["id"],
            priority=PRIORITY[severity],
        )
        procedures, agreement = yield from self._own_papers()
        if agreement is not None:
            yield from self.ask("refuse", reason_code=RUN_BY_PROVIDER, evidence=[agreement])
            return
        area, freezes = self.cause["fields"]["area"], (yield from self._freezes())
        holding = [one for one in freezes if one.covers(area, self.now)]
        if severity == 1 and all(one.exempt == area for one in holding):
            yield from self._change_now(procedures, severity, in_freeze=bool(holding))
            return
        window = to_iso(rules.windows.first(self.now, area, freezes))
        yield from self._plan(procedures[0], category="ordinary", starts_at=window)
        yield from self._hand_over()

    def _diagnose(self) -> Play[float]:
        """Find the victim, and the failing system furthest upstream of it; return the victim's rate."""
        systems = yield from self.pages("datahub_list_records", limit=200, kind=SYSTEM)
        name = self.from_brief(r"complaining about (.+?) since")
        self.victim = next(one for one in systems if one["name"] == name)
        metrics = yield from self.ask("datahub_list_metrics", name=METRIC, subject=self.victim["id"])
        self.metric = metrics["items"][0]["id"]
        lineage = yield from self.ask("datahub_get_lineage", metric_id=self.metric)
        upstream = [one for one in lineage["upstream"] if one["name"] == METRIC]
        readings = yield from self.renewed([self.metric, *(one["id"] for one in upstream)])
        known = {one["id"]: one for one in systems}
        failing = [
            (one["distance"], one["subject"])
            for one in upstream
            if readings[one["id"]]["value"] > known[one["subject"]]["fields"]["error_limit"]
        ]
        self.cause = known[max(failing)[1]]
        return float(readings[self.metric]["value"])

    def _own_papers(self) -> Play[tuple[list[str], str | None]]:
        """Return the procedures left to try on the failing system, or its provider agreement."""
        name, system_id = self.cause["name"], self.cause["id"]
        found = yield from self.ask("datahub_search_documents", q=f'"{name}"', status="in_force")
        by_title = {one["title"]: one["id"] for one in found["items"]}
        agreement = by_title.get(texts.AGREEMENT_TITLE.format(name=name))
        if agreement is not None:
            yield from self.text_of(agreement)
            return [], agreement
        runbook = yield from self.text_of(by_title[texts.RUNBOOK_TITLE.format(name=name)])
        changes = yield from self.pages("ticketdesk_list_changes", limit=200, system=system_id)
        went_live = [one for one in changes if one["rolled_out_at"] is not None]
        since = self.now - _RECENTLY_S
        tried = {one["procedure"] for one in went_live if from_iso(one["rolled_out_at"]) > since}
        steps = texts.RUNBOOK.read(runbook)["steps"]
        return [one["procedure"] for one in steps if one["procedure"] not in tried], None

    def _freezes(self) -> Play[list[Freeze]]:
        freezes = []
        for one in self.papers:
            if one["title"].startswith(texts.FREEZE_TITLE.format(campaign="")):
                notice = yield from self.text_of(one["id"])
                freezes.append(read_freeze(notice))
        return freezes

    def _hand_over(self) -> Play[None]:
        """Assign the incident to the owner of the failing system."""
        incident, owner = self.incident["id"], self.cause["fields"]["owner"]
        yield from self.ask("ticketdesk_assign_ticket", ticket_id=incident, assignee=owner)
        yield from self.finish(f"{incident} is with {owner}.")

    def _plan(self, procedure: str, **when: str) -> Play[str]:
        """Plan a change of the failing system, and return its id."""
        about = {"ticket_id": self.incident["id"], "system": self.cause["id"]}
        plan = yield from self.ask("ticketdesk_plan_change", **about, procedure=procedure, **when)
        return str(plan["id"])

    def _change_now(self, procedures: Sequence[str], severity: int, *, in_freeze: bool) -> Play[None]:
        """Roll out one procedure after the other until the victim has recovered; approval covers them all."""
        for number, procedure in enumerate(procedures):
            plan = yield from self._plan(procedure, category="emergency")
            if number == 0:
                yield from self._approval(severity, in_freeze=in_freeze)
            change = yield from self.ask("ticketdesk_roll_out_change", change_id=plan)
            if (yield from self._has_recovered(change)):
                closing = {"ticket_id": self.incident["id"], "resolution": "Mended, and measured."}
                yield from self.ask("ticketdesk_close_ticket", **closing)
                yield from self.finish(f"{self.victim['name']} has recovered.")
                return
            yield from self.ask("ticketdesk_roll_back_change", change_id=plan, reason="It did not help.")
        yield from self._hand_over()

    def _approval(self, severity: int, *, in_freeze: bool) -> Play[None]:
        """Request the approval of the person who may approve changes now, and wait for the decision."""
        approver = yield from self.signer(CTO) if in_freeze else self._on_call()
        request = yield from self.ask(
            "approvalflow_submit_approval",
            type=EXCEPTION if in_freeze else EMERGENCY,
            approver=approver,
            fields={"incident": self.incident["id"], "system": self.cause["id"], "severity": severity},
        )
        yield from self.wait_until(self.now + HOUR)
        standing = yield from self.ask("approvalflow_check_status", request_id=request["id"])
        yield from self.decided(standing)

    def _on_call(self) -> Play[str]:
        """Return the duty manager who has the phone today: by the newest mail about it, or by the roster."""
        today = to_date(self.now)
        roster = yield from self._paper(texts.ROSTER_TITLE)
        # Newest first.
        for one in (yield from self.ask("datahub_list_messages", limit=50))["items"]:
            if one["subject"] == texts.HANDOVER_SUBJECT:
                holder = read_handover((yield from self.text_of(one["id"])), today)
                if holder is not None:
                    return holder
        return read_roster(roster, today)

    def _has_recovered(self, change: Shown) -> Play[bool]:
        """Return whether the victim is within its limit, by a reading taken after DataHub knew the change."""
        limit = self.victim["fields"]["error_limit"]
        rate = yield from self._rate(change["rolled_out_at"])
        if rate > limit and "datahub_replay_events" in self._takes:
            yield from self._bring_news(change)
            rate = yield from self._rate(to_iso(self.now))
        return bool(rate <= limit)

    def _rate(self, since: str) -> Play[float]:
        """Refresh the victim's error rate."""
        reading: Shown = {"as_of": ""}
        while reading["as_of"] <= since or reading["is_stale"]:
            yield from self.refresh([self.metric])
            reading = yield from self.ask("datahub_query_metric", metric_id=self.metric)
        return float(reading["value"])

    def _bring_news(self, change: Shown) -> Play[None]:
        """Make sure that DataHub has received the event about the change."""
        while True:
            replayed = yield from self.ask("datahub_replay_events", object_id=change["id"])
            if replayed["coming"]:
                continue
            letters = yield from self.ask("datahub_list_dead_letters")
            about = [one for one in letters["items"] if one["object_id"] == change["id"]]
            for one in about:
                yield from self.redrive("datahub", one, change)
            if not about and not replayed["waiting"]:
                return
            if not about:
                yield from self.wait_until(self.now + 5 * MINUTE)

    def _paper(self, title: str) -> Play[str]:
        """Read the team's document in force with this title."""
        own = (one["id"] for one in self.papers if one["title"] == title and one["department"] == TEAM)
        return (yield from self.text_of(next(own)))


def read_rules(body: str) -> Rules:
    """Read the rules for incidents."""
    fields = texts.HANDLING.read(body)
    bands = [(float(one["least"]), one) for one in (*fields["bands"], {**fields, "least": 0})]
    first, second = (WEEKDAYS.index(fields[day]) for day in ("first_day", "second_day"))
    return Rules(bands, Windows((first, second), fields["hour"]))


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
