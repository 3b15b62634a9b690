"""Records are stored packed and read as they were; those stored before packing are read as well."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.storage.packing import packed, unpacked

#: As stored by the first version that packed. It must be read for ever.
FIRST = bytes.fromhex("01ab46188e167c506f819a2d212eba86284d13480984ec68685c2626191a29d50200")
FIRST_RECORD = {"step": 1, "observation": {"text": "id: TD-1\nstatus: new"}, "reward": -0.1, "hash": "ab12"}


@given(st.binary().map(lambda noise: orjson.dumps({"text": noise.hex()})))
def test_what_was_packed_is_read_as_it_was(record: bytes) -> None:
    assert unpacked(packed(record)) == record


def test_a_record_from_before_packing_is_read_as_it_is() -> None:
    assert unpacked(b'{"step":1}') == b'{"step":1}'


def test_what_an_earlier_version_packed_can_be_read() -> None:
    assert orjson.loads(unpacked(FIRST)) == FIRST_RECORD


def test_what_every_record_says_takes_next_to_no_room() -> None:
    record = (
        b'{"action":{"arguments":{},"tool_name":"shop_list","type":"call_tool"},"call":["shop","list",""],"changes":[],'
        b'"done":false,"events":[],"faults":[],"hash":"","invalid":null,"outside":[],"previous":"","return":0.0,'
        b'"reward":-0.1,"sim_now":5389260,"step":1,"success":null,"terminated":false,"took_ms":1.2,"truncated":false,'
        b'"violation":null}'
    )

    assert len(packed(record)) < len(record) / 3
