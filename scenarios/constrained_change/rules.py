"""The kinds of rules that run by themselves: those that decide the task, and those of the background."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from companyos.sdk.automations import Rule, given
from companyos.sdk.company import Company, Row
from companyos.sdk.company.areas.automations.offers import OFFERS
from companyos.sdk.documents import Template
from companyos.sdk.simtime import from_iso

Fields = Mapping[str, Any]

#: The titles of the documents that state rules.
POLICY: Final = "Handling of equipment"
ARRANGEMENTS: Final = "Arrangements of the field teams"
ON_CALL: Final = "Arrangements of the on-call"
#: The kind of the tickets about assets that change hands.
HANDOVER: Final = "handover"


@dataclass(frozen=True)
class RuleKind:
    """A kind of rule, whose texts and terms name fields in braces.

    Attributes:
        text: The sentence that states it in a register or a document.
        trigger: What starts it, under the conditions in `when`.
        do: Its action.
        document: The title of the document that may state it in place of a register; empty if a register always does.
    """

    name: str
    text: str
    trigger: str
    when: Sequence[Mapping[str, Any]]
    do: Mapping[str, Any]
    document: str = ""

    @cached_property
    def sentence(self) -> Template:
        """The sentence as a template, which finds itself in documents."""
        return Template(self.text)

    @property
    def service(self) -> str:
        """The service that offers its action, which runs it."""
        return next(offer.service for offer in OFFERS if self.do["action"] in offer.actions)

    def rule(self, rule_id: str, fields: Fields) -> Rule:
        """Return the rule that it means with these fields, of which `until` says when it ends."""
        until = from_iso(fields["until"]) if "until" in fields else None
        when, do = _filled([*self.when], fields), _filled(self.do, fields)
        return Rule(rule_id, self.service, 1, self.trigger, when, do, active_until=until)

    def add(self, company: Company, rule_id: str, fields: Fields, **columns: Any) -> Row:
        """Add the rule that it means with these fields to a company; `columns` are those of its row."""
        rule = self.rule(rule_id, fields)
        return company.add_automation(
            *(rule.service, rule.trigger, rule.when, rule.do),
            name=self.name.format(**fields),
            description=self.text.format(**fields),
            automation_id=rule_id,
            active_until=rule.active_until,
            **columns,
        )


def _filled(term: Any, fields: Fields) -> Any:
    """Return a term with the values of its fields; a text that is nothing but a field becomes its value."""
    match term:
        case str():
            return fields[term[1:-1]] if term.startswith("{") else term.format(**fields)
        case dict():
            return {name: _filled(one, fields) for name, one in term.items()}
        case list():
            return [_filled(one, fields) for one in term]
    return term


def _first(table: str, column: str, **where: str) -> dict[str, Any]:
    return {"first": table, "where": where, "column": column}


def _held(person: str) -> dict[str, Any]:
    return {"count": "assets", "where": {"holder": person, "asset_class": "{class_}"}}


def _action(action: str, **arguments: Any) -> dict[str, Any]:
    return {"action": action, "with": arguments}


_OF_CLASS: Final = given("$asset_class", "eq", "{class_}")
_OF_KIND: Final = given("$kind", "eq", "{kind}")
_TICKET: Final = _first("tickets", "id", subject="$asset_id")

CEILING: Final = RuleKind(
    "{name}: ceiling",
    "A person who is given a {one} and then holds more of them than {metric} ({metric_name}) allows loses one level "
    "of clearance. The value at the metric's source counts, not the last one read.",
    "asset.assigned",
    [_OF_CLASS, given(_held("$holder"), "gt", {"value": "live_metric", "of": "{metric}"})],
    _action("change_clearance", person="$holder", by=-1),
)
REVIEW: Final = RuleKind(
    "{name}: review",
    "A person who is given a {one} loses one level of clearance until their review.",
    "asset.assigned",
    [_OF_CLASS],
    _action("change_clearance", person="$holder", by=-1),
)
LAST: Final = RuleKind(
    "{name}: last one",
    "A person who gives away or returns their last {one} of the class `{class_}` loses one level of clearance at once.",
    "assets",
    [
        given("$changed", "has", "holder"),
        _OF_CLASS,
        given("$was_holder", "ne", None),
        given(_held("$was_holder"), "lt", 1),
    ],
    _action("change_clearance", person="$was_holder", by=-1),
    POLICY,
)
PAGE: Final = RuleKind(
    "Urgent: page",
    "A ticket that becomes urgent is assigned to {oncall}, who is on call, and pages them.",
    "tickets",
    [given("$changed", "has", "priority"), given("$priority", "eq", "urgent")],
    _action("assign", ticket="$id", to="{oncall}"),
    ON_CALL,
)
UNSTARTED, UNSTARTED_RETURN = (
    RuleKind(
        "{name}: unattended",
        f"When a {{one}} of the class `{{class_}}` {moves} and its first ticket is still new or in triage, the ticket "
        "becomes urgent.",
        trigger,
        [_OF_CLASS, given(_first("tickets", "status", subject="$asset_id"), "in", ["new", "triage"])],
        _action("set_priority", ticket=_TICKET, to="urgent"),
        ARRANGEMENTS,
    )
    for trigger, moves in (("asset.assigned", "is assigned"), ("asset.returned", "is returned to the pool"))
)
FREEZE: Final = RuleKind(
    "{name}: freeze",
    "Until {until}, when a {one} of the class `{class_}` is assigned, its ticket becomes urgent.",
    "asset.assigned",
    [_OF_CLASS, given(_TICKET, "ne", None)],
    _action("set_priority", ticket=_TICKET, to="urgent"),
    ARRANGEMENTS,
)
FOLLOWS: Final = RuleKind(
    "{name}: project",
    "When a {one} of the class `{class_}` is assigned, {ticket} gets priority {to}.",
    "asset.assigned",
    [_OF_CLASS],
    _action("set_priority", ticket="{ticket}", to="{to}"),
    ARRANGEMENTS,
)
TWIN: Final = RuleKind(
    "{name}: belongs together",
    "When {asset} is assigned and somebody else holds {other}, {other} returns to the pool.",
    "asset.assigned",
    [
        given("$asset_id", "eq", "{asset}"),
        given(_first("assets", "holder", id="{other}"), "ne", None),
        given(_first("assets", "holder", id="{other}"), "ne", "$holder"),
    ],
    _action("return_asset", asset="{other}"),
    ARRANGEMENTS,
)
#: Every kind that a document may state.
STATED: Final = (LAST, PAGE, UNSTARTED, UNSTARTED_RETURN, FREEZE, FOLLOWS, TWIN)

#: The kinds of the background; none of them can affect the task.
BACKGROUND: Final = (
    RuleKind(
        "{name}: limit",
        "A person who is given a {one} and then holds more than {most} loses one level of clearance.",
        "asset.assigned",
        [_OF_CLASS, given(_held("$holder"), "gt", "{most}")],
        _action("change_clearance", person="$holder", by=-1),
    ),
    RuleKind(
        "Reopened {kind}",
        "When a ticket of kind {kind} is reopened, the active record it is about is pending again.",
        "ticket.reopened",
        [
            _OF_KIND,
            given("$subject", "ne", None),
            given(_first("records", "status", id="$subject"), "eq", "active"),
        ],
        _action("set_record_status", record="$subject", status="pending"),
    ),
    RuleKind(
        "{name}: reopened hand-over",
        "When the hand-over of a {one} is reopened, it goes back to the pool.",
        "ticket.reopened",
        [
            given("$kind", "eq", HANDOVER),
            given(_first("assets", "asset_class", id="$subject"), "eq", "{class_}"),
        ],
        _action("return_asset", asset="$subject"),
    ),
    RuleKind(
        "{name}: priority",
        "When a {one} is returned to the pool, the first ticket about it gets priority {to}.",
        "asset.returned",
        [_OF_CLASS, given(_TICKET, "ne", None)],
        _action("set_priority", ticket=_TICKET, to="{to}"),
    ),
    RuleKind(
        "Reopened {kind}: requests",
        "When a ticket of kind {kind} that {person} reported is reopened, their pending requests are void.",
        "ticket.reopened",
        [_OF_KIND, given("$reporter", "eq", "{person}")],
        _action("void", requester="{person}", reason="A {kind} ticket was reopened."),
    ),
)
