"""The file of an exported snapshot: what was written is read, and nothing else is."""

import zlib
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.chaos import parse_chaos
from orchestrator.branching.archives.format import GZIP, MAX_DEPTH, Writer, read_archive
from orchestrator.branching.archives.refusals import (
    ArchiveDamaged,
    ArchiveFormatUnknown,
    ArchiveInvalid,
    ArchiveRefused,
)
from orchestrator.protocol.trace import canonical

LAW = settings(max_examples=50)
DIGEST = "0" * 32
Line = dict[str, Any]


def header(steps: int = 2, **facts: Any) -> Line:
    chaos = parse_chaos(1)
    snapshot = {
        "name": "before the request",
        "episode_id": "ep-1",
        "scenario": "vendor_onboarding",
        "version": 4,
        "seed": 7,
        "chaos": {"level": chaos.level, "name": chaos.name, "profile": chaos.profile},
        "size": "small",
        "rewards": "seed",
        "reward_mode": "dense",
        "max_steps": 60,
        "base": DIGEST,
        "step": steps,
        "sim_now": 5389260,
        "due": {"datahub": None},
        "total": "-0.20",
        "hash": DIGEST,
        **facts,
    }
    return {"format": "companyos.snapshot", "version": 2, "services": {"datahub": 3}, "snapshot": snapshot}


def row(table: str, row_id: str, **columns: Any) -> Line:
    return {"service": "datahub", "table": table, "row": {"id": row_id, "deleted": False, **columns}}


def record(step: int, **parts: Any) -> Line:
    observation = {
        "text": "",
        "tool_name": None,
        "result": None,
        "error": None,
        "step": step,
        "steps_remaining": 60 - step,
        "sim_now": "2030-03-04T09:00:00Z",
        "elapsed_s": 60,
    }
    told = {
        "step": step,
        "action": {"type": "list_tools"},
        "observation": observation,
        "reward": -0.1,
        "done": False,
        "sim_now": 5389260,
        **{name: [] for name in ("events", "changes", "faults", "outside")},
        "ledger": [{"name": "step", "amount": -0.1}],
        "violation": None,
        "call": None,
        "took_ms": 1.5,
        "success": None,
        "terminated": False,
        "truncated": False,
        "invalid": None,
        "previous": DIGEST,
        "hash": DIGEST,
        **parts,
    }
    return {"record": told}


ROWS = [row("metrics", "MET-1"), row("metrics", "MET-2"), row("people", "ann.lee", note="ü\n")]
WHOLE = [header(), *ROWS, record(1), record(2)]


def written(lines: list[Line]) -> bytes:
    writer = Writer()
    writer.add(lines)
    return writer.finish()


def packed(text: bytes) -> bytes:
    packer = zlib.compressobj(wbits=GZIP)
    return packer.compress(text) + packer.flush()


def unpacked(data: bytes) -> bytes:
    return zlib.decompress(data, wbits=GZIP)


def test_written_archive_reads_back_equal() -> None:
    archive = read_archive(written(WHOLE))

    assert archive.header.model_dump(mode="json", exclude_unset=True) == WHOLE[0]
    assert [one.model_dump() for one in archive.rows] == ROWS
    assert archive.records == [record(1)["record"], record(2)["record"]]


def test_a_record_keeps_the_order_of_its_keys_and_everything_else_has_one_order() -> None:
    backwards = [dict(reversed(line.items())) for line in WHOLE]
    backwards[0]["snapshot"] = dict(reversed(header()["snapshot"].items()))
    turned = [*WHOLE[:-1], {"record": dict(reversed(record(2)["record"].items()))}]

    assert written(backwards) == written(WHOLE)
    assert list(read_archive(written(turned)).records[1]) == list(reversed(record(2)["record"]))


def test_a_snapshot_without_steps_or_changes_is_an_archive() -> None:
    archive = read_archive(written([header(0)]))

    assert (archive.rows, archive.records) == ([], [])


@LAW
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_file_with_a_changed_byte_is_refused_or_says_the_same(place: int, change: int) -> None:
    data = bytearray(written(WHOLE))
    data[place % len(data)] ^= change

    try:
        archive = read_archive(bytes(data))
    except ArchiveRefused:
        return
    assert archive == read_archive(written(WHOLE))


@LAW
@given(st.integers(0, 10_000))
def test_a_file_that_was_cut_off_is_refused(length: int) -> None:
    data = written(WHOLE)

    with pytest.raises(ArchiveDamaged):
        read_archive(data[: length % len(data)])


@LAW
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_text_that_was_changed_and_packed_again_is_refused(place: int, change: int) -> None:
    text = bytearray(unpacked(written(WHOLE)))
    text[place % len(text)] ^= change

    with pytest.raises(ArchiveRefused):
        read_archive(packed(bytes(text)))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", ArchiveDamaged),
        (b"PK\x03\x04", ArchiveDamaged),
        (written(WHOLE) + b"x", ArchiveDamaged),
        (written(WHOLE) + written(WHOLE), ArchiveDamaged),
        (packed(b""), ArchiveDamaged),
        (packed(b"{}\n"), ArchiveDamaged),
        (packed(b"not json\n{}\n"), ArchiveFormatUnknown),
        (packed(b"[]\n{}\n"), ArchiveFormatUnknown),
        (packed(b'{"format": "companyos.run"}\n{}\n'), ArchiveFormatUnknown),
    ],
    ids=lambda value: str(len(value)) if isinstance(value, bytes) else "",
)
def test_another_file_is_refused_as_what_it_is(data: bytes, kind: type[ArchiveRefused]) -> None:
    with pytest.raises(kind):
        read_archive(data)


@pytest.mark.parametrize("version", [1, 3, "2", True, 2.0, None])
def test_another_version_of_the_format_is_refused(version: Any) -> None:
    with pytest.raises(ArchiveFormatUnknown, match="this stack reads 2"):
        read_archive(written([{**header(0), "version": version}]))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([header(0), ROWS[1], ROWS[0]], "not in order"),
        ([header(0), ROWS[0], ROWS[0]], "occurs twice"),
        ([header(1), record(1), ROWS[0]], "rows after its records"),
        ([header(2), record(1)], "one record for each step"),
        ([header(1), record(1), record(2)], "one record for each step"),
        ([header(2), record(2), record(1)], "one record for each step"),
        ([header(1), record(2)], "one record for each step"),
        ([header(0), {**ROWS[0], "more": 1}], "more: Extra inputs"),
        ([header(0), {"service": "datahub", "table": "metrics"}], "row: Field required"),
        ([header(1), record(1, done=True)], "done"),
        ([header(1), record(1, success=True)], "success"),
        ([header(1), record(1, hash="x")], "hash"),
        ([header(1), {"record": {**record(1)["record"], "step": "1"}}], "step"),
        ([header(1), {"record": 5}], "Input should be"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_intact_file_that_contradicts_itself_is_refused_in_words(lines: list[Line], told: str) -> None:
    with pytest.raises(ArchiveInvalid, match=told):
        read_archive(written(lines))


@pytest.mark.parametrize(
    ("fact", "fine", "refused"),
    [
        ("name", [None, "n", "n" * 255], ["", "n" * 256, "a\0b", 5]),
        ("seed", [0, 2**63 - 1], [-1, 2**63, "7", 7.0, True]),
        ("max_steps", [1, 1000], [0, 1001]),
        ("size", [1, 200_000, "default", "huge"], [0, 200_001, "tiny"]),
        ("sim_now", [0, 2**62 - 1], [-1, 2**62]),
        ("total", ["0.00", "-12345678.99"], ["0", "0.0", "+1.00", "123456789.00", "1e2", 1.5]),
        ("base", ["a" * 32], ["A" * 32, "a" * 31, "a" * 33]),
        ("tools", ["all", "scenario", [], ["wait"]], ["some", [""], ["t" * 201]]),
        ("rewards", ["sparse", "progress"], ["dense", ""]),
        ("due", [{}, {"a": 5}], [{"a": -1}, [], {"a": "x"}]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_fact_of_a_snapshot_has_its_bounds(fact: str, fine: list[Any], refused: list[Any]) -> None:
    for value in fine:
        read_archive(written([header(0, **{fact: value})]))
    for value in refused:
        with pytest.raises(ArchiveInvalid, match=fact):
            read_archive(written([header(0, **{fact: value})]))


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(("levels", "is_fine"), [(MAX_DEPTH - 2, True), (MAX_DEPTH - 1, False)])
def test_a_line_is_nested_only_so_deep(levels: int, is_fine: bool) -> None:
    data = written([header(0), row("metrics", "MET-1", value=nested(levels))])

    if is_fine:
        assert len(read_archive(data).rows) == 1
    else:
        with pytest.raises(ArchiveInvalid, match="nested deeper"):
            read_archive(data)


@pytest.mark.parametrize(
    "altered",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines[:-1], b'{"digest":"' + b"0" * 32 + b'"}'],
        lambda lines: [*lines[:-1], lines[-1].replace(b":", b": ")],
        lambda lines: [lines[0], *lines[2:]],
        lambda lines: [*lines, b"{}"],
    ],
    ids=["no digest", "another digest", "spaced digest", "row removed", "line added"],
)
def test_a_file_whose_digest_is_not_that_of_its_lines_is_damaged(
    altered: Callable[[list[bytes]], list[bytes]],
) -> None:
    lines = unpacked(written(WHOLE)).splitlines()

    with pytest.raises(ArchiveDamaged, match="digest differs"):
        read_archive(packed(b"".join(line + b"\n" for line in altered(lines))))


def test_the_last_line_is_the_digest_of_all_before() -> None:
    lines = unpacked(written(WHOLE)).splitlines()

    assert lines[0] == canonical(WHOLE[0])
    assert list(orjson.loads(lines[-1])) == ["digest"]
