"""Records are stored packed and read as they were."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.storage.packing import packed, unpacked

#: The record below as it is stored. What is stored once must be read forever.
STORED = "038395fc86f84add10175d4394925509233b400d4c4c323452aa0500"
RECORD = {"step": 1, "observation": {"text": "id: TD-1\nstatus: new"}, "reward": -0.1, "hash": "ab12"}


@given(st.binary().map(lambda noise: orjson.dumps({"text": noise.hex()})))
def test_a_packed_record_is_read_as_it_was(record: bytes) -> None:
    assert unpacked(packed(record)) == record


def test_a_record_is_stored_and_read_as_it_always_was() -> None:
    assert packed(orjson.dumps(RECORD)).hex() == STORED
    assert orjson.loads(unpacked(bytes.fromhex(STORED))) == RECORD


def test_the_common_parts_of_a_record_take_next_to_no_room() -> None:
    record = (
        b'"reward":-0.1,"done":false,"sim_now":5389260,"events":[],"changes":[],"faults":[],"ledger":[{"name":"step",'
        b'"amount":-0.1,"evidence":[]}],"outside":[],"violation":null,"call":["shop","list",""],"outcome":"done",'
        b'"took_ms":1.2,"in_force":{"level":0,"name":"calm"},"return":-0.2,"success":null,"terminated":false,'
        b'"truncated":false,"invalid":null,"previous":"","hash":""}'
    )

    assert len(packed(record)) < len(record) / 5
