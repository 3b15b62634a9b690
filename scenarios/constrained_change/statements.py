"""The kinds of rules that decide the task: the sentence that states each, and the automation that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from companyos.sdk.automations import given
from companyos.sdk.documents import Template

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Statement:
    """A kind of rule, stated in the same words in registers and documents.

    Attributes:
        service: The service that runs it.
        trigger: What starts it.
        name: Its name in the register, with fields in braces.
        text: The sentence that states it, with fields in braces.
        when: Its conditions, given the fields.
        do: Its action, given the fields.
    """

    service: str
    trigger: str
    name: str
    text: str
    when: Callable[[Fields], list[dict[str, Any]]]
    do: Callable[[Fields], dict[str, Any]]

    def read(self, text: str) -> Iterator[Fields]:
        """Yield the fields of every such statement in a text."""
        return self._template.find(text)

    @cached_property
    def _template(self) -> Template:
        return Template(self.text)


def _about(column: str) -> dict[str, Any]:
    """Return a column of the first ticket about the asset."""
    return {"first": "tickets", "where": {"subject": "$asset_id"}, "column": column}


def _holder(asset_id: str) -> dict[str, Any]:
    return {"first": "assets", "where": {"id": asset_id}, "column": "holder"}


def _of_class(fields: Fields) -> dict[str, Any]:
    return given("$asset_class", "eq", fields["class_"])


def _left(fields: Fields) -> dict[str, Any]:
    return {"count": "assets", "where": {"holder": "$was_holder", "asset_class": fields["class_"]}}


def _urgent(_: Fields) -> dict[str, Any]:
    return {"action": "set_priority", "with": {"ticket": _about("id"), "to": "urgent"}}


def _unstarted(trigger: str, moves: str) -> Statement:
    return Statement(
        "ticketdesk",
        trigger,
        "{name}: unattended",
        f"When a {{one}} of the class `{{class_}}` {moves} and its first ticket is still new or in triage, the ticket "
        "becomes urgent.",
        lambda fields: [_of_class(fields), given(_about("status"), "in", ["new", "triage"])],
        _urgent,
    )


#: Giving away the last asset of a class costs a level.
LAST: Final = Statement(
    "datahub",
    "assets",
    "{name}: last one",
    "A person who gives away or returns their last {one} of the class `{class_}` loses one level of clearance at once.",
    lambda fields: [
        given("$changed", "has", "holder"),
        _of_class(fields),
        given("$was_holder", "ne", None),
        given(_left(fields), "lt", 1),
    ],
    lambda _: {"action": "change_clearance", "with": {"person": "$was_holder", "by": -1}},
)
#: An urgent ticket pages the on-call.
PAGE: Final = Statement(
    "ticketdesk",
    "tickets",
    "Urgent: page",
    "A ticket that becomes urgent is assigned to {oncall}, who is on call, and pages them.",
    lambda _: [given("$changed", "has", "priority"), given("$priority", "eq", "urgent")],
    lambda fields: {"action": "assign", "with": {"ticket": "$id", "to": fields["oncall"]}},
)
#: An asset that moves before work on its ticket has started makes the ticket urgent.
UNSTARTED: Final = _unstarted("asset.assigned", "is assigned")
UNSTARTED_RETURN: Final = _unstarted("asset.returned", "is returned to the pool")
#: During a freeze, an asset that moves makes its ticket urgent.
FREEZE: Final = Statement(
    "ticketdesk",
    "asset.assigned",
    "{name}: freeze",
    "Until {until}, when a {one} of the class `{class_}` is assigned, its ticket becomes urgent.",
    lambda fields: [_of_class(fields), given(_about("id"), "ne", None)],
    _urgent,
)
#: A move of an asset of a class sets a ticket's priority.
FOLLOWS: Final = Statement(
    "ticketdesk",
    "asset.assigned",
    "{name}: project",
    "When a {one} of the class `{class_}` is assigned, {ticket} gets priority {to}.",
    lambda fields: [_of_class(fields)],
    lambda fields: {"action": "set_priority", "with": {"ticket": fields["ticket"], "to": fields["to"]}},
)
#: When one of a pair of assets moves, the other goes back unless it has the same holder.
TWIN: Final = Statement(
    "datahub",
    "asset.assigned",
    "{name}: belongs together",
    "When {asset} is assigned and somebody else holds {other}, {other} returns to the pool.",
    lambda fields: [
        given("$asset_id", "eq", fields["asset"]),
        given(_holder(fields["other"]), "ne", None),
        given(_holder(fields["other"]), "ne", "$holder"),
    ],
    lambda fields: {"action": "return_asset", "with": {"asset": fields["other"]}},
)
#: Every kind that a document may state.
STATEMENTS: Final = (LAST, PAGE, UNSTARTED, UNSTARTED_RETURN, FREEZE, FOLLOWS, TWIN)
