"""How an agent finds and reads the documents, mails and budgets of a joint purchase."""

from collections.abc import Mapping, Sequence
from typing import Any

from companyos.sdk.documents import read_any
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills

from . import words
from .terms import Lot, Needs, Offer, Rules

Shown = Mapping[str, Any]


def read_rules(me: Skills) -> Play[Rules]:
    """Return the chapter of the handbook that is in force."""
    where = {"department": words.DEPARTMENT}
    body = yield from me.document_text("joint purchases budget share", where=where, kind="handbook")
    return rules_of(body)


def rules_of(body: str) -> Rules:
    """Return what an edition of the chapter says."""
    fields = words.POLICY.read(body)
    ways = fields["ways"]
    return Rules(
        bases={category: fields[category] for category in words.CATEGORIES},
        signing=(fields["first"], fields["second"]),
        ways=tuple(one["way"] for one in ways),
        reserve_most=next(one["reserve"] for one in ways if "reserve" in one),
    )


def read_offer(me: Skills, item_id: str) -> Play[tuple[str, Offer]]:
    """Return the id and the content of the offer in force for an item."""
    listed = yield from me.ask("datahub_search_documents", q=item_id, kind="offer", status="in_force")
    for one in listed["items"]:
        offer = yield from me.ask("datahub_get_document", document_id=one["id"])
        if item_id in offer["links"]:
            return str(offer["id"]), _offer(offer["body"])
    raise LookupError(f"there is no offer for {item_id}")


def read_split(
    me: Skills, mails: Sequence[Shown], heads: Sequence[str], names: Sequence[str]
) -> Play[list[float]]:
    """Return the heads' latest agreed percentages, in the order of the departments' names."""
    agreed = yield from me.statement(
        [one for one in mails if one["sender"] in heads],
        *words.AGREEING,
        words.AGREED,
        is_meant=lambda split: {split["one"], split["other"]} == {*names},
    )
    if agreed is None:
        raise LookupError("the heads have agreed on nothing")
    shares = {agreed.fields["one"]: agreed.fields["first"], agreed.fields["other"]: agreed.fields["second"]}
    return [float(shares[name]) for name in names]


def read_needs(me: Skills, mails: Sequence[Shown], names: Sequence[str], wanted: int) -> Play[Needs]:
    """Return the latest stated needs of both departments."""
    needs: dict[str, tuple[int, str]] = {}
    for line in (one for one in mails if one["subject"].startswith("What we need")):
        if set(needs) == set(names):
            break
        fields = read_any((*words.NEED, *words.CORRECTED), (yield from me.text_of(line["id"])))
        if fields and fields["department"] in names:
            needs.setdefault(fields["department"], (fields["least"], fields["by"]))
    if set(needs) != set(names):
        raise LookupError("a department has not said what it needs")
    return Needs(wanted, sum(least for least, _ in needs.values()), min(by for _, by in needs.values()))


def after(budgets: Sequence[Shown], budget: Shown) -> Shown:
    """Return the budget that follows another."""
    return next(one for one in budgets if one["starts_at"] == budget["ends_at"])


def _offer(body: str) -> Offer:
    fields = words.OFFER.read(body)
    lots = [
        Lot(one["quantity"], round(one["quantity"] * one["unit"] + fields["delivery"], 2))
        for one in fields["lots"]
    ]
    return Offer(tuple(sorted(lots, key=lambda lot: -lot.quantity)), fields["until"])
