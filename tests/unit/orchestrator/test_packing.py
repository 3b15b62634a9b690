"""Records are stored packed and read as they were; those stored before packing are read as well."""

import zlib

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.storage.known_text import KNOWN
from orchestrator.storage.packing import packed, unpacked

#: As each version that packed has stored the record below. All of them must be read forever.
STORED = [
    "01ab46188e167c506f819a2d212eba86284d13480984ec68685c2626191a29d50200",
    "0283b501804142a82646aa69212e442e33a0062626191a29d50200",
    "0283b5010c09d7c44835ad12469901353031c9d048a91600",
]
RECORD = {"step": 1, "observation": {"text": "id: TD-1\nstatus: new"}, "reward": -0.1, "hash": "ab12"}


@given(st.binary().map(lambda noise: orjson.dumps({"text": noise.hex()})))
def test_what_was_packed_is_read_as_it_was(record: bytes) -> None:
    assert unpacked(packed(record)) == record


def test_a_record_from_before_packing_is_read_as_it_is() -> None:
    assert unpacked(b'{"step":1}') == b'{"step":1}'


@pytest.mark.parametrize("stored", STORED)
def test_what_any_version_packed_can_be_read(stored: str) -> None:
    assert orjson.loads(unpacked(bytes.fromhex(stored))) == RECORD


def test_records_are_packed_as_the_newest_version_does() -> None:
    assert packed(orjson.dumps(RECORD)).hex() == STORED[-1]


@given(st.binary(max_size=400))
def test_every_known_text_gives_back_what_was_packed_with_it(record: bytes) -> None:
    for mark, text in KNOWN.items():
        packing = zlib.compressobj(wbits=-zlib.MAX_WBITS, zdict=text)

        assert unpacked(mark + packing.compress(record) + packing.flush()) == record


def test_what_every_record_says_takes_next_to_no_room() -> None:
    record = (
        b'"reward":-0.1,"done":false,"sim_now":5389260,"events":[],"changes":[],"faults":[],"ledger":[{"name":"step",'
        b'"amount":-0.1,"evidence":[]}],"outside":[],"violation":null,"call":["shop","list",""],"outcome":"done",'
        b'"took_ms":1.2,"in_force":{"level":0,"name":"calm"},"return":-0.2,"success":null,"terminated":false,'
        b'"truncated":false,"invalid":null,"previous":"","hash":""}'
    )

    assert len(packed(record)) < len(record) / 5
