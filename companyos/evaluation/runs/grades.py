"""Converts grade cards to fields of an episode's record."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from companyos.client import Result

from .records import EpisodeEnding, FaultResult, PredicateKind, PredicateResult


def ending_of(result: Result) -> EpisodeEnding:
    """Return the ending of an episode that the server has ended."""
    if result.metadata["invalid"]:
        return EpisodeEnding.ENVIRONMENT_FAILURE
    if result.metadata["truncated"]:
        return EpisodeEnding.TIMEOUT
    return EpisodeEnding.REFUSED if result.observation["tool_name"] == "refuse" else EpisodeEnding.FINISHED


def graded(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that come from a grade card."""
    invalid = {"environment_failure": card["invalid_reason"]} if card["invalid"] else {}
    return {
        "version": card["version"],
        "success": bool(card["success"]) and not card["invalid"],
        "episode_return": card["episode_return"],
        "terminated": card["terminated"],
        "truncated": card["truncated"],
        "invalid": card["invalid"],
        "feasible": card["feasible"],
        "predicates": tuple(_predicates(card)),
        "milestones": {one["name"]: one["holds"] for one in card["milestones"]},
        "violations": dict(sorted(Counter(one["code"] for one in card["violations"]).items())),
        "collateral_rows": len(card["collateral"]),
        "duplicates": len(card["duplicates"]),
        "faults": tuple(FaultResult(one["fault"], one["state"]) for one in card["fault_account"]),
        "trace_hash": card["trace_hash"],
        **invalid,
    }


def _predicates(card: Mapping[str, Any]) -> Iterator[PredicateResult]:
    for must in card["musts"]:
        yield PredicateResult(must["name"], PredicateKind.MUST, must["holds"], must["why"])
    for never in card["forbidden"]:
        yield PredicateResult(never["name"], PredicateKind.FORBIDDEN, never["kept"], never["why"])
    for order in card["orders"]:
        yield PredicateResult(order["name"], PredicateKind.ORDER, order["kept"])
