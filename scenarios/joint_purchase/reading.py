"""How an agent finds and reads the documents, mails and budgets of a joint purchase."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.sdk.asking import Asker, Play
from companyos.sdk.simtime import from_iso

from .terms import (
    AGREED,
    HEAD_COUNT,
    NEXT_QUARTER,
    RESERVE,
    SMALLER,
    USAGE,
    Lot,
    Needs,
    Offer,
    Rules,
)

Shown = Mapping[str, Any]
_MONEY: Final = r"([\d,]+(?:\.\d+)?) EUR"
_BASES: Final = {"by head count": HEAD_COUNT, "by usage": USAGE, "as the two departments agree": AGREED}
_WAYS: Final = {"Reserve": RESERVE, "Smaller lot": SMALLER, "Next quarter": NEXT_QUARTER}


def read_rules(me: Asker) -> Play[Rules]:
    """Return the chapter of the handbook that is in force."""
    found = yield from me.ask(
        "datahub_search_documents", q="joint purchases budget share", kind="handbook", status="in_force"
    )
    for one in found["items"]:
        if one["department"] == "Purchasing":
            chapter = yield from me.ask("datahub_get_document", document_id=one["id"])
            return rules_of(chapter["body"])
    raise LookupError("there is no chapter on joint purchases")


def rules_of(body: str) -> Rules:
    """Return what an edition of the chapter says."""
    names = "|".join(_BASES)
    bases = {category: _BASES[basis] for basis, category in re.findall(rf"({names})[^;.]*? for (\w+)", body)}
    first, second = re.findall(rf"{_MONEY} or more", body)
    ways = tuple(_WAYS[name] for name in re.findall(r"^- ([A-Z][a-z ]+):", body, re.MULTILINE))
    return Rules(bases, (number(first), number(second)), ways, number(found(rf"up to {_MONEY}", body)))


def read_offer(me: Asker, item_id: str) -> Play[tuple[str, Offer]]:
    """Return the id and the content of the offer in force for an item."""
    listed = yield from me.ask("datahub_search_documents", q=item_id, kind="offer", status="in_force")
    for one in listed["items"]:
        offer = yield from me.ask("datahub_get_document", document_id=one["id"])
        if item_id in offer["links"]:
            return str(offer["id"]), _offer(offer["body"])
    raise LookupError(f"there is no offer for {item_id}")


def read_split(
    me: Asker, mails: Sequence[Shown], heads: Sequence[str], names: Sequence[str]
) -> Play[list[float]]:
    """Return the heads' latest agreed percentages, in the order of the departments' names."""
    for line in (one for one in mails if one["sender"] in heads):
        body = (yield from me.ask("datahub_get_message", message_id=line["id"]))["body"]
        percentages = {name: re.search(rf"(\d+) percent for {re.escape(name)}", body) for name in names}
        if all(percentages.values()):
            return [float(match[1]) for match in percentages.values() if match]
    raise LookupError("the heads have agreed on nothing")


def read_needs(me: Asker, mails: Sequence[Shown], names: Sequence[str], wanted: int) -> Play[Needs]:
    """Return the latest stated needs of both departments."""
    needs: dict[str, tuple[int, str]] = {}
    for line in (one for one in mails if one["subject"].startswith("What we need")):
        if set(needs) == set(names):
            break
        body = (yield from me.ask("datahub_get_message", message_id=line["id"]))["body"]
        least, by = re.search(r"least is (\d+)", body), re.search(r"by (\d{4}-\d\d-\d\d)", body)
        name = next((name for name in names if f"at {name}" in body), None)
        if least and by and name is not None and name not in needs:
            needs[name] = int(least[1]), by[1]
    if set(needs) != set(names):
        raise LookupError("a department has not said what it needs")
    return Needs(wanted, sum(least for least, _ in needs.values()), min(by for _, by in needs.values()))


def current(budgets: Sequence[Shown], now: int) -> Shown:
    """Return the budget that may be spent now."""
    return next(one for one in budgets if from_iso(one["starts_at"]) <= now < from_iso(one["ends_at"]))


def after(budgets: Sequence[Shown], budget: Shown) -> Shown:
    """Return the budget that follows another."""
    return next(one for one in budgets if one["starts_at"] == budget["ends_at"])


def found(pattern: str, text: str) -> str:
    """Return what a pattern matches in a text.

    Raises:
        LookupError: It matches nothing.
    """
    match = re.search(pattern, text)
    if match is None:
        raise LookupError(f"nothing like {pattern} is said")
    return match[1]


def number(text: str) -> float:
    """Return an amount as people write it."""
    return float(text.replace(",", ""))


def _offer(body: str) -> Offer:
    delivery = number(found(rf"Delivery: {_MONEY}", body))
    lines = re.findall(rf"^\| (\d+) \| {_MONEY} \|", body, re.MULTILINE)
    lots = [Lot(int(quantity), round(int(quantity) * number(unit) + delivery, 2)) for quantity, unit in lines]
    return Offer(
        tuple(sorted(lots, key=lambda lot: -lot.quantity)), found(r"holds until (\d{4}-\d\d-\d\d)", body)
    )
