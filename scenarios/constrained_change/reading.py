"""How an agent reads the list, the rules in registers and documents, and the holders before it acts."""

import re
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.company.areas.automations import rule_of
from companyos.sdk.asking import Play
from companyos.sdk.automations import Rule
from companyos.sdk.simtime import from_iso
from companyos.sdk.skills import Skills

from .documents import LATEST
from .simulation import Act, Aim, Place, Row, Simulation, State, find_order
from .statements import STATEMENTS, Fields, Statement

ALL_OR_NOTHING: Final = "all or nothing"
REASON: Final = "constraint_conflict"
_LINE: Final = re.compile(r"^- (AST-\d+) \(.*\) to ([a-z.]+)$", re.MULTILINE)
_PRIORITIES: Final = ("low", "medium", "high", "urgent")


@dataclass
class Known:
    """What an agent has found out.

    Attributes:
        wanted: The asset of each line of the list, with its new holder.
        tickets: Hand-over tickets by asset.
        assets: Every asset of the classes concerned.
    """

    brief: str
    project: Row
    wanted: dict[str, str] = field(default_factory=dict)
    assets: dict[str, Row] = field(default_factory=dict)
    tickets: dict[str, Row] = field(default_factory=dict)
    levels: dict[str, Row] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    policy: Row | None = None

    @property
    def all_or_nothing(self) -> bool:
        """Whether no part may be left out."""
        return ALL_OR_NOTHING in self.brief

    @property
    def oncall(self) -> str:
        """The person who must not be paged."""
        match = re.search(r"([a-z]+\.[a-z]+) must not be paged", self.brief)
        if match is None:
            raise LookupError("the brief does not say who must not be paged")
        return match[1]

    @property
    def spares(self) -> list[Row]:
        """Assets of the pool that are not on the list, one of each class."""
        free = [one for one in self.assets.values() if one["holder"] is None and one["id"] not in self.wanted]
        return list({one["asset_class"]: one for one in free}.values())

    def start(self, now: int) -> State:
        """Return the known state of the company."""
        rows: dict[Place, Row] = {("datahub", "assets", key): row for key, row in self.assets.items()}
        rows |= {("datahub", "clearances", key): row for key, row in self.levels.items()}
        tickets = [self.project, *self.tickets.values()]
        rows |= {("ticketdesk", "tickets", one["id"]): one for one in tickets}
        return State(now, rows, self.values)

    def aim(self, left_out: Iterable[str] = ()) -> Aim:
        """Return the aim without the assets that are left out."""
        made = {asset: person for asset, person in self.wanted.items() if asset not in set(left_out)}
        wanted: dict[Place, Mapping[str, Any]] = {
            ("datahub", "assets", key): {"holder": made.get(key, row["holder"])}
            for key, row in self.assets.items()
        }
        if "priority high" in self.project["description"]:
            wanted["ticketdesk", "tickets", self.project["id"]] = {"priority": "high"}
        never = frozenset({("lowered", ""), (f"assignee:{self.oncall}", "")})
        return Aim(wanted, never, self._acts(made))

    def orders(self, now: int) -> Generator[tuple[list[Act] | None, str], None, None]:
        """Yield an order for all hand-overs, then for all but one, leaving them out in the policy's order."""
        simulation, state = Simulation(self._relevant()), self.start(now)
        yield find_order(simulation, state, self.aim()), ""
        for asset in self._dispensable():
            yield find_order(simulation, state, self.aim([asset])), asset

    def _dispensable(self) -> list[str]:
        if self.policy is not None and LATEST in self.policy["body"]:
            return list(self.wanted)[::-1]
        return sorted(self.wanted, key=lambda one: _PRIORITIES.index(self.tickets[one]["priority"]))

    def _relevant(self) -> list[Rule]:
        """Return the rules without those about classes and kinds that the task does not touch."""
        classes = {row["asset_class"] for row in self.assets.values()}
        return [rule for rule in self.rules if _asked(rule, "$asset_class") <= classes]

    def _acts(self, made: Mapping[str, str]) -> list[Act]:
        acts = [Act("assign", asset, person) for asset, person in made.items()]
        parting = {self.assets[asset]["holder"] for asset in made} - {None}
        asked = {
            class_
            for rule in self.rules
            if rule.trigger == "assets"
            for class_ in _asked(rule, "$asset_class")
        }
        for spare in self.spares:
            if spare["asset_class"] in asked:
                losing = {
                    self.assets[asset]["holder"]
                    for asset in made
                    if self.assets[asset]["asset_class"] == spare["asset_class"]
                }
                acts += [Act("assign", spare["id"], person) for person in sorted(parting & losing)]
                acts.append(Act("return", spare["id"]))
        acts += [
            Act("begin", self.tickets[one]["id"]) for one in made if self.tickets[one]["status"] == "new"
        ]
        if "priority high" in self.project["description"]:
            acts.append(Act("priority", self.project["id"], "high"))
        ends = sorted({rule.active_until for rule in self._relevant() if rule.active_until is not None})
        return [*acts, *(Act("wait", "", until=end) for end in ends)]


def read_everything(me: Skills, brief: str) -> Play[Known]:
    """Read everything relevant, each source after the one that leads to it."""
    known = yield from _read_list(me, brief)
    yield from _read_rules(me, known)
    yield from _read_documents(me, known)
    yield from _read_holders(me, known)
    yield from _read_limits(me, known)
    return known


def _read_list(me: Skills, brief: str) -> Play[Known]:
    """Read the project's ticket and the tickets about its assets."""
    project = yield from me.ask("ticketdesk_get_ticket", ticket_id=me.ticket_id)
    known = Known(brief, project, dict(_LINE.findall(project["description"])))
    codename = project["title"].rpartition(" ")[2]
    found = yield from me.pages("ticketdesk_search_tickets", limit=50, q=f"for {codename}")
    known.tickets = {one["subject"]: one for one in found if one["subject"] in known.wanted}
    return known


def _read_rules(me: Skills, known: Known) -> Play[None]:
    for service in ("datahub", "ticketdesk"):
        listed = yield from me.pages(f"{service}_list_automations", limit=50)
        known.rules += [
            _rule(service, row) for row in sorted(listed, key=lambda row: (row["number"], row["id"]))
        ]


def _read_documents(me: Skills, known: Known) -> Play[None]:
    """Read the policy and the arrangements in force, and parse the rules that no register shows."""
    policies = yield from me.pages(
        "datahub_search_documents", limit=50, q="last clearance", kind="policy", status="in_force"
    )
    arranged = yield from me.pages("datahub_search_documents", limit=50, q="arrangements", status="in_force")
    for document_id in dict.fromkeys(one["id"] for one in [*policies, *arranged]):
        document = yield from me.ask("datahub_get_document", document_id=document_id)
        if document["kind"] == "policy" and known.policy is None:
            known.policy = document
        known.rules += [
            _stated(f"{document_id}/{number}", statement, fields)
            for number, statement in enumerate(STATEMENTS, start=1)
            for fields in statement.read(document["body"])
        ]


def _read_holders(me: Skills, known: Known) -> Play[None]:
    for asset in known.wanted:
        if asset not in known.assets:
            found = yield from me.pages("datahub_list_assets", limit=50, q=asset)
            class_ = next(one["asset_class"] for one in found if one["id"] == asset)
            of_class = yield from me.pages("datahub_list_assets", limit=50, asset_class=class_)
            known.assets |= {one["id"]: one for one in of_class}
    people = {*known.wanted.values(), *(row["holder"] for row in known.assets.values())} - {None}
    for person in sorted(
        people & {*known.wanted.values(), *(known.assets[one]["holder"] for one in known.wanted)}
    ):
        known.levels[person] = yield from me.ask("datahub_get_clearance", person_id=person)


def _read_limits(me: Skills, known: Known) -> Play[None]:
    """Refresh and read the metrics that the relevant rules depend on."""
    for metric_id in sorted({one for rule in known._relevant() for one in _metrics(rule)}):
        yield from me.refresh([metric_id])
        reading = yield from me.fresh(metric_id)
        known.values[metric_id] = reading["value"]


def do(me: Skills, act: Act) -> Play[None]:
    """Carry out one act."""
    match act.kind:
        case "assign":
            yield from me.ask("datahub_assign_asset", asset_id=act.object, person_id=act.to)
        case "return":
            yield from me.ask("datahub_return_asset", asset_id=act.object)
        case "begin":
            yield from me.ask(
                "ticketdesk_transition_ticket",
                ticket_id=act.object,
                to="in_progress",
                reason="The hand-over begins.",
            )
        case "priority":
            yield from me.ask("ticketdesk_update_ticket", ticket_id=act.object, priority=act.to)
        case "wait":
            yield from me.wait_until(act.until)


def limiting(known: Known) -> Rule:
    """Return the rule with a limit: the one that makes the task impossible."""
    return next(rule for rule in known._relevant() if _metrics(rule))


def _rule(service: str, row: Row) -> Rule:
    ends = {name: row[name] and from_iso(row[name]) for name in ("active_from", "active_until")}
    rule = rule_of(service, {**row, **ends})
    resumes = [from_iso(one["at"]) for one in row["announced"] if "resumes" in one["notice"]]
    if rule.paused and resumes:
        return rule_of(service, {**row, **ends, "paused": False, "active_from": resumes[0]})
    return rule


def _stated(rule_id: str, statement: Statement, fields: Fields) -> Rule:
    """Return a document's statement as a rule."""
    return Rule(
        rule_id,
        statement.service,
        1,
        statement.trigger,
        statement.when(fields),
        statement.do(fields),
        active_until=from_iso(fields["until"]) if "until" in fields else None,
    )


def _asked(rule: Rule, term: str) -> set[str]:
    return {one["right"] for one in rule.when if one["left"] == term and one["is"] == "eq"}


def _metrics(rule: Rule) -> list[str]:
    return [
        term["of"] for term in rule.terms if isinstance(term, Mapping) and term.get("value") == "live_metric"
    ]
