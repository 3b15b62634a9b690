"""A close made by hand, as the tools show it while an accountant works on it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.scenario import Action, Observation, Script
from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_iso
from scenarios.quarter_close import agents, texts

from .. import replies
from ..replies import NOON, replied

Shown = dict[str, Any]

PERIOD, EARLIER, ENTITY, MANUAL = "PER-2", "PER-1", "LE-1", "DOC-1"
CONTROLLER, CFO, DEPUTY, OWNER, OTHER_OWNER = (
    "cora.chief",
    "carl.chief",
    "dora.deputy",
    "olga.own",
    "otto.own",
)
RUN_S: int = 20 * MINUTE
BRIEF = (
    "You are Ann Books (ann.books), accountant at Nordwind.\n\n"
    "TD-1 is yours now: please close Q2 2031 for Halden Paper. Some of its figures are from before the weekend."
)
RULES = {
    "title": texts.MANUAL_TITLE,
    "approval": "close_approval",
    "runs": 3,
    "high": "2.5",
    "source": "close_11",
    "prior": "close_22",
    "major_balance": "0.5",
    "major_result": "1",
    "minor_balance": "2",
    "minor_result": "4",
}


@dataclass(frozen=True)
class Figure:
    """A metric of the close.

    Attributes:
        final: Its value after a refresh; `variance` is its distance from the reference.
        stale: Whether it is too old at the start.
        upstream: What it is computed from, directly or through others.
        fails: How many of its runs fail first.
        is_line: Whether it is a line of the period.
    """

    final: float = 1000.0
    variance: float = 0.0
    stale: bool = False
    upstream: tuple[str, ...] = ()
    fails: int = 0
    category: str = "balance"
    owner: str = OWNER
    is_line: bool = True


@dataclass
class Workplace:
    """What the tools answer, which changes as the accountant works.

    Attributes:
        figures: The metrics by id.
        documents: Memos and other rules, besides the manual.
        answers: What the owners answer about each metric or period, one after the other.
        mails: Mails from before.
        tickets: The variance tickets, by metric.
        decisions: What the request is, each time somebody looks at it after its submission.
        limit: The sum from which the chief financial officer decides.
    """

    figures: Mapping[str, Figure]
    size_class: str = "major"
    periods: Sequence[Shown] = ()
    documents: Sequence[Shown] = ()
    answers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    mails: Sequence[Shown] = ()
    tickets: Mapping[str, str] = field(default_factory=dict)
    decisions: Sequence[str] = ("approved",)
    limit: float = 1000.0
    on_duty: str | None = None
    taken: dict[str, int] = field(default_factory=dict)
    jobs: list[tuple[str, int, bool]] = field(default_factory=list)
    inbox: list[Shown] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    looks: int = 0

    def reply(self, action: Action, now: int) -> Any:
        """Return the answer of a tool at a time."""
        name = str(action["tool_name"]).partition("_")[2]
        answer = getattr(self, f"_{name}", None)
        return {} if answer is None else answer(now, **action["arguments"])

    def _search_documents(self, now: int, *, kind: str, status: str | None = None, **_: Any) -> Shown:
        found = [*self.documents, manual()]
        return {"items": [one for one in found if one["kind"] == kind and status in (None, one["status"])]}

    def _get_document(self, now: int, *, document_id: str) -> Shown:
        return next(one for one in (*self.documents, manual()) if one["id"] == document_id)

    def _list_records(self, now: int, **_: Any) -> Shown:
        names = {"LE-2": "Halden Paper Trading", ENTITY: "Halden Paper"}
        fields = {"size_class": self.size_class}
        return {"items": [{"id": one, "name": name, "fields": fields} for one, name in names.items()]}

    def _list_periods(self, now: int, *, entity: str) -> Shown:
        own = period(PERIOD, "Q2 2031", 100)
        return {"items": [*(self.periods or [period(EARLIER, "Q1 2031", 200, "locked")]), own]}

    def _get_period(self, now: int, *, period_id: str) -> Shown:
        lines = [self._line(one, now) for one, figure in sorted(self.figures.items()) if figure.is_line]
        return {"id": period_id, "name": "Q2 2031", "lines": lines}

    def _line(self, metric_id: str, now: int) -> Shown:
        figure = self.figures[metric_id]
        return {
            "metric_id": metric_id,
            "name": f"name_of_{metric_id}",
            "category": figure.category,
            "owner": figure.owner,
            "reference": round(figure.final - figure.variance, 2),
            "variance": figure.variance,
            "freshness": "current" if self._is_current(metric_id, now) else "stale",
        }

    def _is_current(self, metric_id: str, now: int) -> bool:
        """Return whether a metric is fresh and newer than everything upstream, which has to be current too."""
        figure, at = self.figures[metric_id], self._taken_at(metric_id, now)
        if figure.stale and at is None:
            return False
        return all(
            self._is_current(one, now) and (self._taken_at(one, now) or 0) < (at or 1)
            for one in figure.upstream
        )

    def _taken_at(self, metric_id: str, now: int) -> int | None:
        ends = [at for one, at, succeeds in self.jobs if one == metric_id and succeeds and at <= now]
        return max(ends, default=None)

    def _get_lineage(self, now: int, *, metric_id: str) -> Shown:
        above = self.figures[metric_id].upstream
        stale = {one: self.figures[one].stale and self._taken_at(one, now) is None for one in above}
        return {"upstream": [{"id": one, "is_stale": stale[one]} for one in above]}

    def _refresh_data(self, now: int, *, metric_id: str) -> Shown:
        number = self.taken[metric_id] = self.taken.get(metric_id, 0) + 1
        self.jobs.append((metric_id, now + RUN_S, number > self.figures[metric_id].fails))
        return {"id": f"JOB-{len(self.jobs)}", "due_at": to_iso(now + RUN_S)}

    def _get_job(self, now: int, *, job_id: str) -> Shown:
        metric_id, at, succeeds = self.jobs[int(job_id.partition("-")[2]) - 1]
        ended = "succeeded" if succeeds else "failed"
        return {"metric_id": metric_id, "status": ended if at <= now else "running"}

    def _message_colleague(self, now: int, *, to: str, about: str, body: str) -> Shown:
        number = self.asked[about] = self.asked.get(about, 0) + 1
        if len(told := self.answers.get(about, ())) >= number:
            self.inbox.append(mail(f"MSG-{len(self.inbox)}", to, about, told[number - 1], now + 30 * MINUTE))
        return {}

    def _list_messages(self, now: int, **_: Any) -> Shown:
        return {
            "items": [
                {name: one[name] for name in ("id", "sender", "sent_at")}
                for one in (*self.inbox, *self.mails)
                if one["sent_at"] <= to_iso(now)
            ]
        }

    def _get_message(self, now: int, *, message_id: str) -> Shown:
        return next(one for one in (*self.mails, *self.inbox) if one["id"] == message_id)

    def _search_tickets(self, now: int, *, q: str, **_: Any) -> Shown:
        known = self.tickets.items()
        return {"items": [{"subject": one, "status": status} for one, status in known if one == q]}

    def _get_policy(self, now: int, **_: Any) -> Shown:
        return {"routes": [{"role": "controller", "below": self.limit}, {"role": "cfo", "below": None}]}

    def _get_approver(self, now: int, *, role: str) -> Shown:
        person = {"controller": CONTROLLER, "cfo": CFO}[role]
        return {"id": person, "on_duty": self.on_duty or person}

    def _submit_approval(self, now: int, **_: Any) -> Shown:
        return {"id": "APR-1", "status": "pending", "decision_due_at": to_iso(now + HOUR)}

    def _get_request(self, now: int, **_: Any) -> Shown:
        self.looks += 1
        return {"id": "APR-1", "status": self.decisions[min(self.looks, len(self.decisions)) - 1]}


def manual() -> Shown:
    """Return the manual in force."""
    body = texts.MANUAL.format(**RULES)
    return {"id": MANUAL, "kind": "policy", "status": "in_force", "department": "Finance", "body": body}


def period(period_id: str, name: str, days_ago: int, status: str = "open") -> Shown:
    return {"id": period_id, "name": name, "starts_at": to_iso(NOON - days_ago * DAY), "status": status}


def memo(amounts: Mapping[str, float], author: str = CONTROLLER, **columns: Any) -> Shown:
    """Return a memo about the differences of the entity's quarter."""
    lines = [
        texts.MEMO_LINE.format(line="a line", metric_id=one, amount=amount, cause="a bonus")
        for one, amount in amounts.items()
    ]
    usual = {"id": f"DOC-{author}", "kind": "memo", "status": "in_force", "author": author}
    title = "Differences of Halden Paper, Q2 2031"
    return {**usual, "title": title, "body": "\n".join(lines), **columns}


def mail(message_id: str, sender: str, about: str, body: str, at: int) -> Shown:
    return {"id": message_id, "sender": sender, "about": about, "body": body, "sent_at": to_iso(at)}


def told(amount: float) -> list[str]:
    """Return an owner's answers if they explain an amount at once."""
    return [texts.EXPLANATIONS[0].format(amount=amount, cause="a bonus")]


def played(at: Workplace, agent: Callable[[Observation], Script] = agents.oracle) -> list[tuple[str, Shown]]:
    """Return the tools that an agent calls, each with its arguments."""
    _, actions = replied(agent(replies.observation(BRIEF)), at.reply)
    return [(str(one["tool_name"]), one["arguments"]) for one in actions]


def called(acts: Sequence[tuple[str, Shown]], tool: str) -> list[Shown]:
    """Return the arguments of the calls of a tool."""
    return [given for name, given in acts if name == tool]


def runs(acts: Sequence[tuple[str, Shown]]) -> list[list[str]]:
    """Return the metrics that were refreshed, those without a wait in between together."""
    waves: list[list[str]] = [[]]
    for name, given in acts:
        if name == "wait":
            waves.append([])
        elif name == "datahub_refresh_data":
            waves[-1].append(given["metric_id"])
    return [one for one in waves if one]


def submitted(acts: Sequence[tuple[str, Shown]]) -> Shown:
    """Return the fields of the only request."""
    [given] = called(acts, "approvalflow_submit_approval")
    return dict(given["fields"])


def filed(acts: Sequence[tuple[str, Shown]]) -> dict[str, str]:
    """Return the priority of each ticket, by metric."""
    return {one["subject"]: one["priority"] for one in called(acts, "ticketdesk_create_ticket")}
