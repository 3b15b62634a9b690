"""Archives that are damaged, forged or of another stack: each is refused with its code, and nothing of it stays."""

import gzip
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from companyos.sdk.scenario import Scenario
from orchestrator.branching.archives.format import MOST_PACKED, MOST_UNPACKED, Archive, read_archive
from orchestrator.branching.archives.refusals import ArchiveRefused
from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions, open_episodes

from .second_stack import Leftovers, forged, lines_of
from .test_archives import kept_after
from .test_branches import BUY, LIST, WAIT, played
from .test_layer_lifetimes import CANCEL, DROP_OLD
from .toy_scenario import ToyScenario
from .toy_stack import ToyStack, ready_orchestrator

Lines = list[Any]


@pytest.fixture(scope="module")
async def archive(episodes: Episodes) -> bytes:
    """A real archive, with rows written, removed and due, and records."""
    return await episodes.archives.export(await kept_after(episodes, BUY, WAIT, DROP_OLD, BUY, CANCEL, LIST))


@pytest.fixture
async def leftovers(toy_stack: ToyStack, episodes: Episodes) -> AsyncIterator[None]:
    """See to it that the test leaves no snapshot, no record of a step and no row in any layer."""
    before = Leftovers(toy_stack)
    yield
    assert await before.found(episodes) == []


async def refusal_of(episodes: Episodes, data: bytes) -> tuple[int, str]:
    """Return status and code of the refusal of an import."""
    with pytest.raises(Refusal) as caught:
        await episodes.archives.import_(data)
    return caught.value.status, caught.value.code


def facts(lines: Lines) -> dict[str, Any]:
    found: dict[str, Any] = lines[0]["snapshot"]
    return found


def row(lines: Lines, table: str) -> dict[str, Any]:
    found: dict[str, Any] = next(line["row"] for line in lines if line.get("table") == table)
    return found


def record(lines: Lines, number: int = -1) -> dict[str, Any]:
    found: dict[str, Any] = [line["record"] for line in lines if "record" in line][number]
    return found


def read_or_code(data: bytes) -> Archive | str:
    try:
        return read_archive(data)
    except ArchiveRefused as refused:
        return refused.code


def test_bit_flips_never_change_the_content_of_an_archive_unnoticed(archive: bytes) -> None:
    whole = read_archive(archive)
    # Some bits carry no content: when and where the file was made, and what fills the last byte of a packed block.
    for place in [*range(10), *range(10, len(archive) - 8, 7), *range(len(archive) - 8, len(archive))]:
        for bit in (0x01, 0x10, 0x80):
            changed = bytearray(archive)
            changed[place] ^= bit
            found = read_or_code(bytes(changed))
            assert found in ("archive_damaged", whole)


def test_an_archive_cut_off_anywhere_is_noticed(archive: bytes) -> None:
    for length in [*range(64), *range(64, len(archive), 11), len(archive) - 1]:
        with pytest.raises(ArchiveRefused) as caught:
            read_archive(archive[:length])
        assert caught.value.code == "archive_damaged"


def test_lines_left_out_or_added_are_noticed(archive: bytes) -> None:
    lines = gzip.decompress(archive).splitlines(keepends=True)
    for place in range(1, len(lines)):
        for changed in (
            lines[:place],
            lines[:place] + lines[place + 1 :],
            [*lines[:place], b"{}\n", *lines[place:]],
        ):
            with pytest.raises(ArchiveRefused) as caught:
                read_archive(gzip.compress(b"".join(changed)))
            assert caught.value.code == "archive_damaged"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda archive: b"", "archive_damaged"),
        (lambda archive: b"{}", "archive_damaged"),
        (lambda archive: archive + b"\0", "archive_damaged"),
        (lambda archive: archive + archive, "archive_damaged"),
        (lambda archive: gzip.decompress(archive), "archive_damaged"),
        (lambda archive: gzip.compress(b""), "archive_damaged"),
        (lambda archive: gzip.compress(b"{}\n{}\n"), "archive_format_unknown"),
        (lambda archive: gzip.compress(b"[1]\n\n"), "archive_format_unknown"),
        (lambda archive: gzip.compress(b"hello\nworld\n"), "archive_format_unknown"),
        (lambda archive: bytes(MOST_PACKED + 1), "archive_too_large"),
        (lambda archive: gzip.compress(bytes(MOST_UNPACKED + 1), 1), "archive_too_large"),
    ],
)
async def test_invalid_archives_are_refused(
    episodes: Episodes, archive: bytes, leftovers: None, make: Callable[[bytes], bytes], code: str
) -> None:
    assert await refusal_of(episodes, make(archive)) == (413 if code == "archive_too_large" else 422, code)


INVALID: dict[str, Callable[[Lines], Any]] = {
    "a fact that is missing": lambda lines: facts(lines).pop("seed"),
    "a fact nobody knows": lambda lines: facts(lines).update(color="blue"),
    "a negative seed": lambda lines: facts(lines).update(seed=-1),
    "an absurd size": lambda lines: facts(lines).update(size=10**9),
    "an unknown size": lambda lines: facts(lines).update(size="boundless"),
    "a name nobody can store": lambda lines: facts(lines).update(name="a\0b"),
    "a chaos that is none": lambda lines: facts(lines)["chaos"].update(
        name="custom", profile={"fire": {"p": 1}}
    ),
    "a chaos under another name": lambda lines: facts(lines)["chaos"].update(name="calm"),
    "rewards of another kind": lambda lines: facts(lines).update(rewards="bitcoin"),
    "a higher total": lambda lines: facts(lines).update(total="99.00"),
    "a total that is no number": lambda lines: facts(lines).update(total="NaN"),
    "another clock": lambda lines: facts(lines).update(sim_now=5),
    "another hash": lambda lines: facts(lines).update(hash="0" * 32),
    "fewer steps": lambda lines: facts(lines).update(step=2),
    "something due nowhere": lambda lines: facts(lines)["due"].update(mint=5),
    "a table that is none": lambda lines: lines.insert(
        -6, {"service": "shop", "table": "zoo", "row": {"id": "x"}}
    ),
    "a service that is none": lambda lines: lines.insert(
        -6, {"service": "zoo", "table": "a", "row": {"id": "x"}}
    ),
    "a column that is none": lambda lines: row(lines, "world_outcomes").update(color="blue"),
    "a layer of its choice": lambda lines: row(lines, "world_due").update(layer_id=1),
    "a column that is missing": lambda lines: row(lines, "world_due").pop("name"),
    "a value of another type": lambda lines: row(lines, "world_counters").update(value="7"),
    "a truth as a number": lambda lines: row(lines, "world_counters").update(value=True),
    "a number nobody can store": lambda lines: row(lines, "world_counters").update(value=2**64 - 1),
    "a text nobody can store": lambda lines: row(lines, "world_due").update(name="a\0b"),
    "a key that is empty": lambda lines: row(lines, "world_counters").update(id=""),
    "a row too deep": lambda lines: row(lines, "world_due").update(payload=deep(80)),
    "a row twice": lambda lines: lines.insert(1, lines[1]),
    "rows in another order": lambda lines: lines.__setitem__(slice(1, 3), [lines[2], lines[1]]),
    "a row after the records": lambda lines: lines.append(lines.pop(1)),
    "a row no step wrote": lambda lines: row(lines, "parcels").update(status="lost"),
    "a row that came back": lambda lines: next(
        line["row"] for line in lines if line.get("row", {}).get("deleted")
    ).update(deleted=False),
    "a row that is missing": lambda lines: lines.remove(
        next(line for line in lines if line.get("table") == "parcels")
    ),
    "a better reward": lambda lines: record(lines).update(reward=100),
    "a better ledger": lambda lines: record(lines)["ledger"][0].update(amount=100),
    "another action": lambda lines: record(lines, 0)["action"].update(tool_name="wait"),
    "a record that ends": lambda lines: record(lines).update(done=True),
    "a record without changes": lambda lines: record(lines).pop("changes"),
    "a change without row": lambda lines: record(lines, 0)["changes"][0].pop("row"),
    "records in another order": lambda lines: lines.__setitem__(slice(-2, None), [lines[-1], lines[-2]]),
    "a record that is missing": lambda lines: lines.pop(-2),
    "a line that is none": lambda lines: lines.insert(1, {"pickle": "…"}),
    "a line that is a list": lambda lines: lines.insert(1, [1, 2]),
}


def deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize("what", INVALID)
async def test_an_archive_that_was_forged_is_refused(
    episodes: Episodes, archive: bytes, leftovers: None, what: str
) -> None:
    assert await refusal_of(episodes, forged(archive, INVALID[what])) == (422, "archive_invalid")


DIFFERENT: dict[str, tuple[Callable[[Lines], Any], int, str]] = {
    "a newer format": (lambda lines: lines[0].update(version=3), 422, "archive_format_unknown"),
    "a format nearly ours": (lambda lines: lines[0].update(version=True), 422, "archive_format_unknown"),
    "another format": (lambda lines: lines[0].update(format="tar"), 422, "archive_format_unknown"),
    "another scenario": (lambda lines: facts(lines).update(scenario="voyage"), 404, "scenario_unknown"),
    "another version": (lambda lines: facts(lines).update(version=7), 409, "archive_base_differs"),
    "another seed": (lambda lines: facts(lines).update(seed=5), 409, "archive_base_differs"),
    "another base": (lambda lines: facts(lines).update(base="0" * 32), 409, "archive_base_differs"),
    "a newer service": (lambda lines: lines[0]["services"].update(shop=2), 409, "archive_stack_differs"),
    "one service more": (lambda lines: lines[0]["services"].update(zoo=1), 409, "archive_stack_differs"),
    "one service less": (lambda lines: lines[0]["services"].pop("depot"), 409, "archive_stack_differs"),
    "other limits": (lambda lines: facts(lines).update(max_steps=6), 409, "archive_stack_differs"),
    "other tools": (lambda lines: record(lines, 0).update(previous="0" * 32), 409, "archive_stack_differs"),
}


@pytest.mark.parametrize("what", DIFFERENT)
async def test_an_archive_of_something_else_is_refused(
    episodes: Episodes, archive: bytes, leftovers: None, what: str
) -> None:
    change, status, code = DIFFERENT[what]

    assert await refusal_of(episodes, forged(archive, change)) == (status, code)


async def test_a_stack_with_another_salt_says_so(
    toy_stack: ToyStack, archive: bytes, leftovers: None
) -> None:
    async with ready_orchestrator(toy_stack, salt="a private one") as private:
        with pytest.raises(Refusal, match="COMPANYOS_SALT") as caught:
            await private.archives.import_(archive)

    assert caught.value.code == "archive_base_differs"


class NewerErrand(ToyScenario):
    """The same errand, a version later."""

    version = 2


async def test_a_stack_with_another_version_of_the_scenario_says_which(
    toy_stack: ToyStack, archive: bytes, leftovers: None
) -> None:
    def scenarios() -> dict[str, Scenario]:
        return {"errand": NewerErrand()}

    async with open_episodes(toy_stack.settings(), scenarios) as newer:
        with pytest.raises(Refusal, match="version 1 of errand; this stack has version 2") as caught:
            await newer.archives.import_(archive)

    assert caught.value.code == "archive_base_differs"


async def test_sql_in_an_archive_is_stored_as_text(episodes: Episodes, archive: bytes) -> None:
    text = "'); DROP TABLE shop.orders; -- %(layer)s"

    def add_counter(lines: Lines) -> None:
        place = next(at for at, line in enumerate(lines) if line.get("table") == "world_counters")
        old = lines[place]
        lines.insert(place, {**old, "row": {**old["row"], "id": text}})

    imported = await episodes.archives.import_(forged(archive, add_counter))

    again = lines_of(await episodes.archives.export(imported["snapshot_id"]))
    assert row(again, "world_counters")["id"] == text
    reply = await episodes.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    assert (await played(episodes, reply.metadata["episode_id"], BUY))[0][0]["error"] is None


async def test_lines_may_be_spelled_and_packed_in_another_way(episodes: Episodes, archive: bytes) -> None:
    repacked = gzip.compress(gzip.decompress(archive), 1)

    imported = await episodes.archives.import_(repacked)

    assert read_archive(repacked) == read_archive(archive)
    assert await episodes.archives.export(imported["snapshot_id"]) == archive
