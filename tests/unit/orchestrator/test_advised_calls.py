"""Whether a call counts as the oracle's follows from what its tool's arguments may be, not from their values."""

from typing import Any

import pytest

from companyos.sdk.scenario import call
from orchestrator.agent.tools import Tool
from orchestrator.episodes.advice import concern_the_same

FIELDS: dict[str, Any] = {
    "ticket_id": {"type": "string", "maxLength": 100},
    "priority": {"anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "null"}]},
    "title": {"type": "string", "maxLength": 200},
    "comment": {"anyOf": [{"type": "string", "maxLength": 4000}, {"type": "null"}]},
    "references": {"type": "array", "items": {"type": "string", "maxLength": 100}},
}
TOOLS = {"desk_update": Tool("desk_update", "Update.", {"type": "object", "properties": FIELDS})}
OWN: dict[str, Any] = {"ticket_id": "TD-1", "title": "Chairs", "comment": "Done", "idempotency_key": "k1"}


@pytest.mark.parametrize(
    "others",
    [
        {"comment": "Checked"},
        {"comment": None},
        {"title": "Two chairs"},
        {"references": ["DOC-1"]},
        {"idempotency_key": "k2"},
    ],
)
def test_keys_lists_and_prose_of_a_single_word_can_be_put_otherwise(others: dict[str, Any]) -> None:
    assert concern_the_same(TOOLS, call("desk_update", **{**OWN, **others}), call("desk_update", **OWN))


@pytest.mark.parametrize("others", [{"ticket_id": "TD-2"}, {"ticket_id": "not an id"}, {"priority": "low"}])
def test_ids_and_codes_cannot_whatever_they_look_like(others: dict[str, Any]) -> None:
    assert not concern_the_same(TOOLS, call("desk_update", **{**OWN, **others}), call("desk_update", **OWN))
    assert not concern_the_same(TOOLS, call("wait"), call("desk_update", **OWN))
