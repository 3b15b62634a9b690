"""A platform of five systems that answers an engineer's calls from facts that a test sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.simtime import HOUR, MINUTE, from_iso, to_iso
from scenarios.incident_change import texts
from scenarios.incident_change.pack import EMERGENCY, METRIC
from tests.scenarios.answering import Answering, Call, Row, items, made

#: A Wednesday; the windows are on Tuesdays and Fridays at 20:00.
NOW = from_iso("2031-06-04T09:00:00Z")
BRIEF = (
    "You are Cy Ito (cy.ito), service engineer at Lakeside. Customers have been complaining about Checkout since "
    "this morning. Ann Lee is sure that Mail is behind it."
)
#: The systems upstream of Checkout by their distance from it, and Mail, which is downstream.
DISTANCES = {"Stock": 1, "Ledger": 2, "Tax": 1}
NAMES = ("Checkout", *DISTANCES, "Mail")
IDS = {name: f"SYS-{number}" for number, name in enumerate(NAMES, start=1)}
METRICS = {name: f"MET-{number}" for number, name in enumerate(NAMES, start=1)}
AREAS = dict(zip(NAMES, ("Accounts", "Catalog", "Payments", "Reporting", "Messaging"), strict=True))
LIMIT = 2.0
HANDLING = texts.HANDLING.format(high=10.0, low=3.0, first_day="Tuesday", second_day="Friday", hour=20)
ROSTER = texts.ROSTER.format(weeks="| 2031-06-02 | 2031-06-08 | Bo Roy (bo.roy) |")


def freeze(area: str, exempt: str | None = None, until: str = "2031-06-07") -> str:
    """Return the notice of a freeze of one area that began on 1 June."""
    return texts.FREEZE.format(
        campaign="summer sale",
        starts="2031-06-01 18:00 UTC",
        ends=f"{until} 06:00 UTC",
        areas=area,
        exceptions=texts.EXCEPTION.format(area=exempt) if exempt else texts.NO_EXCEPTIONS,
    )


def handover(to: str, text: str = texts.HANDOVER, first: str = "2031-06-03", last: str = "2031-06-05") -> Row:
    """Return a mail in which the phone goes from Bo Roy to somebody, or back."""
    people = {"of": "Bo Roy (bo.roy)", "to": f"Somebody ({to})"}
    body = text.format(first=first, last=last, **people)
    return {"subject": texts.HANDOVER_SUBJECT, "body": body}


@dataclass
class Platform(Answering):
    """The facts of an incident, by default one that Ledger causes and a restart of it ends.

    Attributes:
        rates: The fresh error rate of each system; what is not named is well.
        mends: The procedure that makes everything recover; None if none does.
        procedures: The procedures of Ledger's runbook.
        freezes: The notices in force.
        mails: The mails of the team, newest first.
        past: The past changes of Ledger: procedures, and when they went live.
        decisions: What a request's status is, one look after the other.
        failed_refreshes: How many refreshes of Checkout's rate bring nothing new.
        slow_after_rollout: How many refreshes of it bring nothing new after each rollout.
        after_rollout: Checkout's rate after a rollout that mends nothing, if that changes it.
        news: The answers to attempts to replay events; None if there is no such tool.
        letters: The dead letters, one list after the other.
    """

    tier: str = "core"
    rates: dict[str, float] = field(default_factory=lambda: {"Checkout": 12.0, "Stock": 4.0, "Ledger": 5.0})
    mends: str | None = "restart"
    procedures: Sequence[str] = ("restart",)
    freezes: Sequence[str] = ()
    mails: Sequence[Row] = ()
    past: Sequence[tuple[str, str | None]] = ()
    has_agreement: bool = False
    decisions: list[str] = field(default_factory=lambda: ["approved"])
    failed_refreshes: int = 0
    slow_after_rollout: int = 0
    after_rollout: float | None = None
    news: list[Row] | None = None
    letters: list[list[Row]] = field(default_factory=list)
    now: int = NOW
    text: str = BRIEF
    live: list[str] = field(default_factory=list)
    measured: dict[str, tuple[float, int]] = field(default_factory=dict)

    def datahub_search_documents(self, q: str, **_: Any) -> Row:
        if q.startswith('"'):
            name = q.strip('"')
            agreement = [f"Service agreement about {name}"] if self.has_agreement else []
            return items(*(_titled(title) for title in (f"Runbook of {name}", *agreement)))
        notices = [_titled("Change freeze: summer sale", f"F{at}") for at in range(len(self.freezes))]
        elsewhere = {"id": "W", "title": texts.HANDLING_TITLE, "department": "Warehouse"}
        return items(elsewhere, _titled(texts.HANDLING_TITLE), _titled(texts.ROSTER_TITLE), *notices)

    def datahub_get_document(self, document_id: str) -> Row:
        steps = "\n".join(f"{at}. `{one}`: Do it." for at, one in enumerate(self.procedures, start=1))
        known = {texts.HANDLING_TITLE: HANDLING, texts.ROSTER_TITLE: ROSTER}
        known |= {f"Runbook of {name}": steps for name in NAMES}
        known |= {f"F{at}": notice for at, notice in enumerate(self.freezes)}
        return {"id": document_id, "body": known.get(document_id, "")}

    def datahub_list_records(self, cursor: str | None = None, **_: Any) -> Row:
        rows = [self._record(name) for name in NAMES]
        return {"items": rows[3:], "next_cursor": None} if cursor else {"items": rows[:3], "next_cursor": "3"}

    def datahub_list_metrics(self, subject: str, **_: Any) -> Row:
        return items({"id": METRICS[_name(IDS, subject)]})

    def datahub_get_lineage(self, metric_id: str) -> Row:
        nodes = [
            {"id": METRICS[name], "name": METRIC, "subject": IDS[name], "distance": distance}
            for name, distance in DISTANCES.items()
        ]
        load = {"id": "MET-99", "name": "load", "subject": IDS["Tax"], "distance": 5}
        return {"metric_id": metric_id, "upstream": [*nodes, load]}

    def datahub_refresh_data(self, metric_id: str) -> Row:
        name = _name(METRICS, metric_id)
        if name == "Checkout" and self.failed_refreshes:
            self.failed_refreshes -= 1
        else:
            is_well = self.mends in self.live
            rate = 1.0 if is_well else self.rates.get(name, 1.0)
            self.measured[name] = rate, self.now + 5 * MINUTE
        return {"due_at": to_iso(self.now + 5 * MINUTE)}

    def datahub_query_metric(self, metric_id: str) -> Row:
        value, as_of = self.measured.get(_name(METRICS, metric_id), (5.0, NOW - 6 * HOUR))
        return {"value": value, "as_of": to_iso(as_of), "is_stale": as_of < self.now - 3 * HOUR}

    def datahub_list_messages(self, **_: Any) -> Row:
        return items(*({"id": f"M{at}", "subject": mail["subject"]} for at, mail in enumerate(self.mails)))

    def datahub_get_message(self, message_id: str) -> Row:
        return self.mails[int(message_id[1:])]

    def datahub_get_approver(self, role: str) -> Row:
        return {"on_duty": {"duty_manager": "al.day", "chief_technology_officer": "vi.kay"}[role]}

    def datahub_replay_events(self, object_id: str) -> Row:
        assert self.news is not None
        return self.news.pop(0)

    def datahub_list_dead_letters(self) -> Row:
        return items(*(self.letters.pop(0) if self.letters else ()))

    def ticketdesk_create_ticket(self, **_: Any) -> Row:
        return {"id": "TD-7"}

    def ticketdesk_list_changes(self, **_: Any) -> Row:
        return items(*({"procedure": one, "rolled_out_at": at} for one, at in self.past))

    def ticketdesk_plan_change(self, procedure: str, **_: Any) -> Row:
        return {"id": f"CHG-{procedure}"}

    def ticketdesk_roll_out_change(self, change_id: str) -> Row:
        self.live.append(change_id.removeprefix("CHG-"))
        self.failed_refreshes = self.slow_after_rollout
        if self.after_rollout is not None:
            self.rates["Checkout"] = self.after_rollout
        return {"id": change_id, "system": IDS["Ledger"], "rolled_out_at": to_iso(self.now)}

    def ticketdesk_roll_back_change(self, change_id: str, **_: Any) -> Row:
        self.live.remove(change_id.removeprefix("CHG-"))
        return {}

    def approvalflow_submit_approval(self, **_: Any) -> Row:
        return {"id": "APR-1"}

    def approvalflow_check_status(self, **_: Any) -> Row:
        status = self.decisions.pop(0)
        due = to_iso(self.now + 2 * HOUR) if status == "pending" else None
        return {"status": status, "decision_due_at": due}

    @property
    def tools(self) -> Sequence[str]:
        """The tools that the engineer is offered besides those that everybody has."""
        return () if self.news is None else ("datahub_replay_events",)

    def _record(self, name: str) -> Row:
        fields = {
            "area": AREAS[name],
            "tier": self.tier,
            "error_limit": LIMIT,
            "owner": f"{name.lower()}.own",
        }
        return {"id": IDS[name], "name": name, "fields": fields}


def approval(calls: Sequence[Call]) -> tuple[str, str] | None:
    """Return the type and the approver of the one request that was made, or None."""
    found = made(calls, "approvalflow_submit_approval")
    assert len(found) <= 1
    return (found[0]["type"], found[0]["approver"]) if found else None


#: What an engineer asks for if the roster counts.
BY_ROSTER = (EMERGENCY, "bo.roy")


def _titled(title: str, document_id: str = "") -> Row:
    return {"id": document_id or title, "title": title, "department": "Platform"}


def _name(ids: Mapping[str, str], wanted: str) -> str:
    return next(name for name, one in ids.items() if one == wanted)
