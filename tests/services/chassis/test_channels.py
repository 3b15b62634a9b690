"""Both kinds of channels do the same to a real server, whatever happens to their connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import ResponseError

from companyos.chassis.events import channel as channels
from companyos.chassis.events import redis_client
from companyos.chassis.events.channel import Channel, DirectChannel
from tests.live_services import TestDatabases

KEPT = 1_000
SHORT_MS = 50
LONG_MS = 4_000
KINDS = [Channel, DirectChannel]


@pytest.fixture
async def redis(databases: TestDatabases) -> AsyncIterator[Redis]:
    client = redis_client.connect(databases.redis_url)
    yield client
    await client.aclose()


@pytest.fixture(params=KINDS, ids=["plain", "direct"])
async def channel(request: pytest.FixtureRequest, redis: Redis) -> AsyncIterator[Channel]:
    opened = request.param(redis)
    yield opened
    opened.close()


@pytest.fixture
def stream(request: pytest.FixtureRequest) -> str:
    return f"test:{request.node.name}"


@asynccontextmanager
async def silent_server() -> AsyncIterator[Redis]:
    """A server that takes commands and says nothing."""

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    client = redis_client.connect(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    yield client
    await client.aclose()
    server.close()


async def cut_connections(redis: Redis) -> None:
    """Let the server close every connection but this client's."""
    await redis.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")


async def test_entries_are_read_as_and_in_the_order_in_which_they_were_appended(
    channel: Channel, stream: str
) -> None:
    said: list[dict[str, str | bytes]] = [{"event": f"{n}\r\n ä", "epoch": b""} for n in range(20)]
    await channel.append(*((stream, fields) for fields in said), keep=KEPT)

    first = await channel.read(stream, b"0", count=5, block_ms=SHORT_MS)
    rest = await channel.read(stream, first[-1][0], count=100, block_ms=SHORT_MS)

    heard = [{name.decode(): value.decode() for name, value in fields.items()} for _, fields in first + rest]
    assert heard == [{"event": str(fields["event"]), "epoch": ""} for fields in said]
    assert len(first) == 5


async def test_a_read_in_vain_returns_nothing(channel: Channel, stream: str) -> None:
    assert await channel.read(stream, b"0", count=5, block_ms=SHORT_MS) == []


async def test_an_entry_ends_the_wait_for_it(channel: Channel, redis: Redis, stream: str) -> None:
    reading = asyncio.create_task(channel.read(stream, b"0", count=5, block_ms=LONG_MS))
    await asyncio.sleep(0.05)
    await redis.xadd(stream, {"event": "one"})

    assert [fields for _, fields in await reading] == [{b"event": b"one"}]


async def test_each_entry_goes_to_one_member_of_a_group(channel: Channel, redis: Redis, stream: str) -> None:
    other = type(channel)(redis)
    streams = [stream, f"{stream}:2"]
    for each in streams:
        await redis.xgroup_create(each, "desk", id="0", mkstream=True)
    await channel.append(*((streams[n % 2], {"n": str(n)}) for n in range(10)), keep=KEPT)

    readers = [each.read_group("desk", streams, count=2, block_ms=SHORT_MS) for each in (channel, other) * 5]
    heard = [fields[b"n"] for entries in await asyncio.gather(*readers) for _, fields in entries]
    other.close()

    assert sorted(heard) == [str(n).encode() for n in range(10)]


async def test_a_group_that_does_not_exist_is_an_error_of_its_own(channel: Channel, stream: str) -> None:
    with pytest.raises(ResponseError, match="NOGROUP"):
        await channel.read_group("nobody", [stream], count=1, block_ms=SHORT_MS)

    await channel.append((stream, {"event": "one"}), keep=KEPT)


async def test_a_stream_does_not_grow_without_limit(channel: Channel, redis: Redis, stream: str) -> None:
    await channel.append(*((stream, {"n": str(n)}) for n in range(3_000)), keep=KEPT)

    assert KEPT <= await redis.xlen(stream) < 3_000


async def test_a_connection_cut_between_two_commands_is_not_noticed(
    channel: Channel, redis: Redis, stream: str
) -> None:
    await channel.append((stream, {"n": "1"}), keep=KEPT)
    await cut_connections(redis)
    await channel.append((stream, {"n": "2"}), keep=KEPT)

    assert await redis.xlen(stream) == 2


async def test_a_direct_channel_does_not_notice_a_cut_in_the_middle_of_a_wait(
    redis: Redis, stream: str
) -> None:
    channel = DirectChannel(redis)
    reading = asyncio.create_task(channel.read(stream, b"0", count=5, block_ms=LONG_MS))
    await asyncio.sleep(0.05)
    await cut_connections(redis)
    await asyncio.sleep(0.05)
    await redis.xadd(stream, {"event": "one"})

    assert [fields for _, fields in await reading] == [{b"event": b"one"}]
    channel.close()


async def test_a_canceled_wait_does_not_get_the_reply_to_another_command(
    channel: Channel, redis: Redis, stream: str
) -> None:
    reading = asyncio.create_task(channel.read(f"{stream}:none", b"0", count=5, block_ms=SHORT_MS))
    await asyncio.sleep(0.01)
    reading.cancel()
    await asyncio.wait([reading])
    await channel.append((stream, {"event": "one"}), keep=KEPT)

    assert [fields for _, fields in await channel.read(stream, b"0", count=5, block_ms=SHORT_MS)] == [
        {b"event": b"one"}
    ]


@pytest.mark.parametrize("address", ["redis://127.0.0.1:1", "unix:///nowhere/valkey.sock"])
async def test_a_server_that_is_away_is_an_outage(address: str) -> None:
    away = redis_client.connect(address)
    with pytest.raises(Disconnected):
        await DirectChannel(away).append(("events", {"n": "1"}), keep=KEPT)
    await away.aclose()


async def test_a_server_that_says_nothing_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "TIMEOUT_S", 0.05)
    async with silent_server() as silent:
        with pytest.raises(Disconnected):
            await DirectChannel(silent).append(("events", {"n": "1"}), keep=KEPT)


async def test_a_direct_channel_says_its_password_and_chooses_its_database(
    databases: TestDatabases, redis: Redis, stream: str
) -> None:
    await redis.execute_command("ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all")
    third, wrong = (
        redis_client.connect(f"{databases.redis_url}?db=3&username=ann&password={password}")
        for password in ("secret", "guessed")
    )
    channel = DirectChannel(third)
    await channel.append((stream, {"n": "1"}), keep=KEPT)
    found = await channel.read(stream, b"0", count=5, block_ms=SHORT_MS)
    channel.close()

    assert [fields for _, fields in found] == [{b"n": b"1"}]
    assert await redis.xlen(stream) == 0
    with pytest.raises(ResponseError, match="WRONGPASS"):
        await DirectChannel(wrong).append((stream, {"n": "1"}), keep=KEPT)
    for client in (third, wrong):
        await client.aclose()


async def test_a_channel_needs_no_permission_but_for_its_streams(
    databases: TestDatabases, redis: Redis, stream: str
) -> None:
    allowed = ("-@all", "+xadd", "+xread", "resetkeys", "~test:*")
    await redis.execute_command("ACL", "SETUSER", "bob", "reset", "on", ">secret", *allowed)
    limited = redis_client.connect(f"{databases.redis_url}?username=bob&password=secret")
    channel = DirectChannel(limited)
    await channel.append((stream, {"n": "1"}), keep=KEPT)

    assert len(await channel.read(stream, b"0", count=5, block_ms=SHORT_MS)) == 1
    with pytest.raises(ResponseError, match="NOPERM"):
        await channel.append(("settled:desk", {"n": "1"}), keep=KEPT)
    channel.close()
    await limited.aclose()


@pytest.mark.parametrize(
    ("address", "kind"), [("redis://localhost", DirectChannel), ("rediss://localhost", Channel)]
)
async def test_a_server_behind_tls_is_left_to_the_library(address: str, kind: type[Channel]) -> None:
    client = redis_client.connect(address)

    assert type(channels.open_channel(client)) is kind
    await client.aclose()
