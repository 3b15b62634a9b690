"""The rules of the inbox: possible decisions and questions, and whom a person stands in for. All pure."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final

from ..chains import Colleague
from ..decisions import Outcome


class Choice(StrEnum):
    """What a person can decide."""

    APPROVE = "approve"
    REJECT = "reject"


class ReasonCode(StrEnum):
    """Why a person rejects a request."""

    AMOUNT_MISMATCH = "amount_mismatch"
    DUPLICATE = "duplicate"
    EVIDENCE_MISSING = "evidence_missing"
    NOT_ELIGIBLE = "not_eligible"
    OVER_BUDGET = "over_budget"
    SPLIT_PURCHASE = "split_purchase"


class Topic(StrEnum):
    """What a question to a requester is about."""

    AMOUNT = "amount"
    DUPLICATE = "duplicate"
    PURPOSE = "purpose"
    QUOTE = "quote"
    SUPPLIER = "supplier"


#: The outcome of each choice.
OUTCOMES: Final = {Choice.APPROVE: Outcome.APPROVED, Choice.REJECT: Outcome.REJECTED}

#: The meaning of each reason, as the requester reads it.
MEANINGS: Final = {
    ReasonCode.AMOUNT_MISMATCH: "The amount is not the one that the evidence shows.",
    ReasonCode.DUPLICATE: "The same has been requested already.",
    ReasonCode.EVIDENCE_MISSING: "A document that the policy asks for is missing.",
    ReasonCode.NOT_ELIGIBLE: "The policy excludes what is asked for.",
    ReasonCode.OVER_BUDGET: "The budget does not cover it.",
    ReasonCode.SPLIT_PURCHASE: "It is part of one purchase that was divided.",
}


def principals(person: str, people: Iterable[Colleague], now: int) -> list[str]:
    """Return, sorted, everybody whose requests reach a person's inbox: the person and those behind them.

    It does not matter whether a delegation covers a request, because an inbox also holds requests that its
    owner must pass on.

    Args:
        person: The inbox's owner.
        people: Everybody with a delegate; others are ignored.
        now: The current time.
    """
    absent = [one for one in people if one.is_away(now)]
    found: set[str] = set()
    reached: Collection[str] = {person}
    while reached:
        found |= set(reached)
        reached = {one.id for one in absent if one.delegate in reached} - found
    return sorted(found)
