"""What is stored packed is read byte for byte as it was, and takes little room where it says the usual."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.chassis.postgres.packing import Packing
from companyos.chassis.world.internals import Answer, AnswerPacking, known_text
from companyos.chassis.world.statements import dumps
from companyos.chassis.world.tables import world_metadata, world_table
from services.ticketdesk.models import Ticket, metadata

#: Every document that orjson writes and reads again as it was.
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)
TICKET = {
    "id": "TD-1042",
    "kind": "task",
    "title": "Set up Meridian Kappa Ltd.",
    "description": "They start on Monday.",
    "status": "verified",
    "reporter": "dana.reyes",
    "requires_approval": True,
    "created_at": 5389260,
    "updated_at": 5390100,
    "priority": "high",
    "assignee": "dana.reyes",
    "subject": "V-104",
    "cost_centre": None,
    "blocked_by": [],
    "resolution": None,
    "evidence": "MET-0001",
    "references": ["V-104"],
    "verified_by": "dana.reyes",
    "verified_at": 5390100,
    "approval": "none",
    "version": 7,
}


@given(st.binary(max_size=3000), st.binary(max_size=300))
def test_packed_content_is_unpacked_unchanged(content: bytes, known: bytes) -> None:
    packing = Packing(known)

    assert packing.unpack(packing.pack(content)) == content


@given(
    st.none() | st.text(st.characters(codec="utf-8")),
    st.dictionaries(st.text(max_size=9), DOCUMENTS, max_size=4),
)
def test_an_answer_is_read_as_it_was_to_the_last_byte(body: str | None, effects: dict[str, Any]) -> None:
    answers = AnswerPacking(metadata)

    assert answers.unpack(answers.pack(Answer(body, effects))) == Answer(body, effects)


@pytest.mark.parametrize("body", [None, "", "\n", '{"a":\n1}', "no JSON at all", "\0"])
def test_bodies_that_no_operation_answers_today_are_kept_as_well(body: str | None) -> None:
    answers = AnswerPacking(metadata)

    assert answers.unpack(answers.pack(Answer(body, {"changes": []}))).body == body


def test_the_answer_of_a_usual_write_takes_a_quarter_of_what_it_says() -> None:
    effects = {"changes": [{"table": "tickets", "id": "TD-1042", "row": TICKET}], "events": []}
    body = orjson.dumps(TICKET).decode()

    packed = AnswerPacking(metadata).pack(Answer(body, effects))

    assert len(packed) < len(orjson.dumps(effects) + body.encode()) / 4


def test_the_known_text_says_what_every_table_of_the_company_looks_like() -> None:
    text = known_text(metadata)

    assert b'{"table":"tickets","id":"","row":{"id":"","kind":""' in text
    assert b'"table":"history"' in text
    assert b"world_" not in text


def test_the_known_text_changes_with_the_tables() -> None:
    one, other = world_metadata("zoo"), world_metadata("zoo")

    @world_table(one, "animals")
    class Animal:
        id: str

    @world_table(other, "animals")
    class OtherAnimal:
        id: str
        name: str

    assert known_text(one) != known_text(other)


def test_bytes_in_a_row_are_spelled_as_postgresql_reads_them() -> None:
    assert dumps([{"answer": b"\x00\xff"}]) == r'[{"answer":"\\x00ff"}]'


def test_values_that_rows_cannot_hold_raise_a_type_error() -> None:
    with pytest.raises(TypeError):
        dumps([{"answer": Ticket}])
