"""The engineer: a script that finds the cause of an incident, and does what the rules require."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.scenario import Observation, Script
from companyos.sdk.asking import Play
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso, to_iso
from companyos.sdk.skills import Skills

from . import texts
from .calendar import Freeze
from .facts import PRIORITY
from .pack import CTO, EMERGENCY, EXCEPTION, INCIDENT, METRIC, SYSTEM, TEAM
from .reading import (
    Rules,
    read_freeze,
    read_handover,
    read_procedures,
    read_roster,
    read_rules,
)

Shown = Mapping[str, Any]

_PAPERS: Final = 'handling incidents or "change freeze" or "duty managers"'
_RECENTLY_S: Final = DAY


class Engineer:
    """The work on one incident, as a script."""

    def __init__(self, observation: Observation) -> None:
        self._me = Skills(observation)
        self._offered = {tool["name"] for tool in observation.get("tools") or ()}
        self._papers: Sequence[Shown] = ()

    def work(self) -> Script:
        """Find the cause, open the incident, and do what the rules require."""
        me = self._me
        found = yield from me.ask("datahub_search_documents", q=_PAPERS, status="in_force", limit=50)
        self._papers = found["items"]
        rules = read_rules((yield from self._paper(texts.HANDLING_TITLE))["body"])
        systems = yield from me.pages("datahub_list_records", limit=200, kind=SYSTEM)
        victim = {**self._named(systems, r"complaining about (.+?) since")}
        cause = yield from self._cause(systems, victim)
        severity = rules.severity(victim["fields"]["tier"], victim["rate"])
        incident = yield from me.ask(
            "ticketdesk_create_ticket",
            kind=INCIDENT,
            title=f"{victim['name']} fails",
            description=f"{cause['name']} ({cause['id']}) is the cause.",
            subject=victim["id"],
            priority=PRIORITY[severity],
        )
        procedures, agreement = yield from self._own_papers(cause)
        if agreement is not None:
            yield from me.ask("refuse", reason_code="run_by_provider", evidence=[agreement])
            return
        freezes = yield from self._freezes()
        holding = [one for one in freezes if one.covers(cause["fields"]["area"], me.now)]
        exempt = all(one.exempt == cause["fields"]["area"] for one in holding)
        if severity != 1 or not exempt:
            yield from self._schedule(incident, cause, procedures, rules, freezes)
            return
        plan = yield from self._plan(incident, cause, procedures[0], category="emergency")
        yield from self._approval(incident, cause, severity, in_freeze=bool(holding))
        yield from self._try(incident, cause, victim, procedures, plan)

    def _cause(self, systems: list[dict[str, Any]], victim: dict[str, Any]) -> Play[dict[str, Any]]:
        """Return the failing system furthest upstream of the victim, and record the victim's rate."""
        me = self._me
        metrics = yield from me.ask("datahub_list_metrics", name=METRIC, subject=victim["id"])
        victim["metric"] = metrics["items"][0]["id"]
        lineage = yield from me.ask("datahub_get_lineage", metric_id=victim["metric"])
        upstream = [one for one in lineage["upstream"] if one["name"] == METRIC]
        readings = yield from me.renewed([victim["metric"], *(one["id"] for one in upstream)])
        victim["rate"] = readings[victim["metric"]]["value"]
        known = {one["id"]: one for one in systems}
        failing = [
            (one["distance"], one["subject"])
            for one in upstream
            if readings[one["id"]]["value"] > known[one["subject"]]["fields"]["error_limit"]
        ]
        return known[max(failing)[1]]

    def _own_papers(self, cause: Shown) -> Play[tuple[list[str], str | None]]:
        """Return the procedures left to try on a system, and its provider agreement, if any."""
        me = self._me
        found = yield from me.ask("datahub_search_documents", q=f'"{cause["name"]}"', status="in_force")
        by_title = {one["title"]: one for one in found["items"]}
        agreement = by_title.get(texts.AGREEMENT_TITLE.format(name=cause["name"]))
        if agreement is not None:
            read = yield from me.ask("datahub_get_document", document_id=agreement["id"])
            return [], read["id"]
        runbook = by_title[texts.RUNBOOK_TITLE.format(name=cause["name"])]
        read = yield from me.ask("datahub_get_document", document_id=runbook["id"])
        procedures = read_procedures(read["body"])
        changes = yield from me.pages("ticketdesk_list_changes", limit=200, system=cause["id"])
        tried = {one["procedure"] for one in changes if self._is_recent(one["rolled_out_at"])}
        return [one for one in procedures if one not in tried], None

    def _is_recent(self, instant: str | None) -> bool:
        return instant is not None and from_iso(instant) > self._me.now - _RECENTLY_S

    def _freezes(self) -> Play[list[Freeze]]:
        freezes = []
        for one in self._papers:
            if one["title"].startswith(texts.FREEZE_TITLE.format(campaign="")):
                notice = yield from self._me.ask("datahub_get_document", document_id=one["id"])
                freezes.append(read_freeze(notice["body"]))
        return freezes

    def _schedule(
        self,
        incident: Shown,
        cause: Shown,
        procedures: Sequence[str],
        rules: Rules,
        freezes: Sequence[Freeze],
    ) -> Play[None]:
        """Plan a normal change, and assign the incident to the owner of the failing system."""
        window = rules.windows.first(self._me.now, cause["fields"]["area"], freezes)
        yield from self._plan(incident, cause, procedures[0], category="ordinary", starts_at=to_iso(window))
        yield from self._hand_over(incident, cause)

    def _hand_over(self, incident: Shown, cause: Shown) -> Play[None]:
        owner = cause["fields"]["owner"]
        yield from self._me.ask("ticketdesk_assign_ticket", ticket_id=incident["id"], assignee=owner)
        yield from self._me.finish(f"{incident['id']} is with {owner}.")

    def _plan(self, incident: Shown, cause: Shown, procedure: str, **when: str) -> Play[Shown]:
        plan: Shown = yield from self._me.ask(
            "ticketdesk_plan_change",
            ticket_id=incident["id"],
            system=cause["id"],
            procedure=procedure,
            **when,
        )
        return plan

    def _approval(self, incident: Shown, cause: Shown, severity: int, *, in_freeze: bool) -> Play[None]:
        """Request the approval of the person who may approve changes now, and wait for the decision."""
        me = self._me
        approver = yield from self._approver(in_freeze=in_freeze)
        request = yield from me.ask(
            "approvalflow_submit_approval",
            type=EXCEPTION if in_freeze else EMERGENCY,
            approver=approver,
            fields={"incident": incident["id"], "system": cause["id"], "severity": severity},
        )
        yield from me.wait_until(me.now + HOUR)
        standing = yield from me.ask("approvalflow_check_status", request_id=request["id"])
        yield from me.decided(standing)

    def _approver(self, *, in_freeze: bool) -> Play[str]:
        """Return the technology officer in a freeze, else the duty manager on call."""
        if in_freeze:
            return (yield from self._me.signer(CTO))
        today = to_iso(self._me.now).partition("T")[0]
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

    def _try(
        self, incident: Shown, cause: Shown, victim: Shown, procedures: Sequence[str], plan: Shown
    ) -> Play[None]:
        """Roll out one procedure after the other until the victim has recovered."""
        me, left = self._me, list(procedures)
        while True:
            change = yield from me.ask("ticketdesk_roll_out_change", change_id=plan["id"])
            if (yield from self._has_recovered(victim, change)):
                yield from me.ask(
                    "ticketdesk_close_ticket", ticket_id=incident["id"], resolution="Mended, and measured."
                )
                yield from me.finish(f"{victim['name']} has recovered.")
                return
            yield from me.ask("ticketdesk_roll_back_change", change_id=plan["id"], reason="It did not help.")
            del left[0]
            if not left:
                yield from self._hand_over(incident, cause)
                return
            plan = yield from self._plan(incident, cause, left[0], category="emergency")

    def _has_recovered(self, victim: Shown, change: Shown) -> Play[bool]:
        """Return whether the victim is within its limit, by a reading taken after DataHub knew the change."""
        limit = victim["fields"]["error_limit"]
        rate = yield from self._rate(victim, change["rolled_out_at"])
        if rate > limit and "datahub_replay_events" in self._offered:
            yield from self._bring_news(change)
            rate = yield from self._rate(victim, to_iso(self._me.now))
        return bool(rate <= limit)

    def _rate(self, victim: Shown, since: str) -> Play[float]:
        """Refresh the victim's error rate."""
        reading: Shown = {"as_of": ""}
        while reading["as_of"] <= since or reading["is_stale"]:
            yield from self._me.refresh([victim["metric"]])
            reading = yield from self._me.ask("datahub_query_metric", metric_id=victim["metric"])
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
        known = next(one for one in self._papers if one["title"] == title and one["department"] == TEAM)
        document: Shown = yield from self._me.ask("datahub_get_document", document_id=known["id"])
        return document

    def _named(self, systems: Sequence[dict[str, Any]], pattern: str) -> dict[str, Any]:
        """Return the system that the brief names."""
        name = self._me.from_brief(pattern)
        return next(one for one in systems if one["name"] == name)


def oracle(observation: Observation) -> Script:
    """Refresh readings, read everything that counts, and follow the rules."""
    return Engineer(observation).work()
