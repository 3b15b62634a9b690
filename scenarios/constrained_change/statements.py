"""The kinds of rules that decide the task: the sentence that states each, and the automation that it means."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.automations import Rule, given
from companyos.sdk.documents import Template
from companyos.sdk.simtime import from_iso

Fields = Mapping[str, Any]

#: The titles of the documents that state rules.
POLICY: Final = "Handling of equipment"
ARRANGEMENTS: Final = "Arrangements of the field teams"
ON_CALL: Final = "Arrangements of the on-call"


@dataclass(frozen=True)
class Statement:
    """A kind of rule, stated in the same words in registers and documents.

    Attributes:
        service: The service that runs it.
        trigger: What starts it.
        name: Its name in the register, with fields in braces.
        text: The sentence that states it.
        when: Its conditions, given the fields.
        do: Its action, given the fields.
        document: The title of the document that may state it in place of a register; empty if a register always does.
    """

    service: str
    trigger: str
    name: str
    text: Template
    when: Callable[[Fields], list[dict[str, Any]]]
    do: Callable[[Fields], dict[str, Any]]
    document: str = ""

    def rule(self, rule_id: str, fields: Fields) -> Rule:
        """Return the rule that it means with these fields."""
        until = from_iso(fields["until"]) if "until" in fields else None
        when, do = self.when(fields), self.do(fields)
        return Rule(rule_id, self.service, 1, self.trigger, when, do, active_until=until)


def _about(column: str) -> dict[str, Any]:
    """Return a column of the first ticket about the asset."""
    return {"first": "tickets", "where": {"subject": "$asset_id"}, "column": column}


def _holder(asset_id: str) -> dict[str, Any]:
    return {"first": "assets", "where": {"id": asset_id}, "column": "holder"}


def _held(person: str, fields: Fields) -> dict[str, Any]:
    return {"count": "assets", "where": {"holder": person, "asset_class": fields["class_"]}}


def _of_class(fields: Fields) -> dict[str, Any]:
    return given("$asset_class", "eq", fields["class_"])


def _loses_level(person: str) -> Callable[[Fields], dict[str, Any]]:
    return lambda _: {"action": "change_clearance", "with": {"person": person, "by": -1}}


def _urgent(_: Fields) -> dict[str, Any]:
    return {"action": "set_priority", "with": {"ticket": _about("id"), "to": "urgent"}}


def _unstarted(trigger: str, moves: str) -> Statement:
    return Statement(
        "ticketdesk",
        trigger,
        "{name}: unattended",
        Template(
            f"When a {{one}} of the class `{{class_}}` {moves} and its first ticket is still new or in triage, the "
            "ticket becomes urgent."
        ),
        lambda fields: [_of_class(fields), given(_about("status"), "in", ["new", "triage"])],
        _urgent,
        ARRANGEMENTS,
    )


#: Holding more assets of a class than a metric allows costs a level.
CEILING: Final = Statement(
    "datahub",
    "asset.assigned",
    "{name}: ceiling",
    Template(
        "A person who is given a {one} and then holds more of them than {metric} ({metric_name}) allows loses one "
        "level of clearance. The value at the metric's source counts, not the last one read."
    ),
    lambda fields: [
        _of_class(fields),
        given(_held("$holder", fields), "gt", {"value": "live_metric", "of": fields["metric"]}),
    ],
    _loses_level("$holder"),
)
#: Receiving an asset of a class costs a level.
REVIEW: Final = Statement(
    "datahub",
    "asset.assigned",
    "{name}: review",
    Template("A person who is given a {one} loses one level of clearance until their review."),
    lambda fields: [_of_class(fields)],
    _loses_level("$holder"),
)
#: Giving away the last asset of a class costs a level.
LAST: Final = Statement(
    "datahub",
    "assets",
    "{name}: last one",
    Template(
        "A person who gives away or returns their last {one} of the class `{class_}` loses one level of clearance at "
        "once."
    ),
    lambda fields: [
        given("$changed", "has", "holder"),
        _of_class(fields),
        given("$was_holder", "ne", None),
        given(_held("$was_holder", fields), "lt", 1),
    ],
    _loses_level("$was_holder"),
    POLICY,
)
#: An urgent ticket pages the on-call.
PAGE: Final = Statement(
    "ticketdesk",
    "tickets",
    "Urgent: page",
    Template("A ticket that becomes urgent is assigned to {oncall}, who is on call, and pages them."),
    lambda _: [given("$changed", "has", "priority"), given("$priority", "eq", "urgent")],
    lambda fields: {"action": "assign", "with": {"ticket": "$id", "to": fields["oncall"]}},
    ON_CALL,
)
#: An asset that moves before work on its ticket has started makes the ticket urgent.
UNSTARTED: Final = _unstarted("asset.assigned", "is assigned")
UNSTARTED_RETURN: Final = _unstarted("asset.returned", "is returned to the pool")
#: During a freeze, an asset that moves makes its ticket urgent.
FREEZE: Final = Statement(
    "ticketdesk",
    "asset.assigned",
    "{name}: freeze",
    Template("Until {until}, when a {one} of the class `{class_}` is assigned, its ticket becomes urgent."),
    lambda fields: [_of_class(fields), given(_about("id"), "ne", None)],
    _urgent,
    ARRANGEMENTS,
)
#: A move of an asset of a class sets a ticket's priority.
FOLLOWS: Final = Statement(
    "ticketdesk",
    "asset.assigned",
    "{name}: project",
    Template("When a {one} of the class `{class_}` is assigned, {ticket} gets priority {to}."),
    lambda fields: [_of_class(fields)],
    lambda fields: {"action": "set_priority", "with": {"ticket": fields["ticket"], "to": fields["to"]}},
    ARRANGEMENTS,
)
#: When one of a pair of assets moves, the other goes back unless it has the same holder.
TWIN: Final = Statement(
    "datahub",
    "asset.assigned",
    "{name}: belongs together",
    Template("When {asset} is assigned and somebody else holds {other}, {other} returns to the pool."),
    lambda fields: [
        given("$asset_id", "eq", fields["asset"]),
        given(_holder(fields["other"]), "ne", None),
        given(_holder(fields["other"]), "ne", "$holder"),
    ],
    lambda fields: {"action": "return_asset", "with": {"asset": fields["other"]}},
    ARRANGEMENTS,
)
#: Every kind that a document may state.
STATEMENTS: Final = (LAST, PAGE, UNSTARTED, UNSTARTED_RETURN, FREEZE, FOLLOWS, TWIN)
