"""Bytes that are no HTTP get a problem document, and never pass for the answer to a request that was carried out."""

from __future__ import annotations

import asyncio
import json
import re
import socket

import pytest
from structlog.testing import capture_logs

from tests.patience import PATIENCE_S

from .test_connections import GET, QUICK_S, ending, limited, often

pytestmark = pytest.mark.usefixtures(often.__name__)

POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
GARBAGE = b'{"seconds": 60}\r\n\r\n'
TOO_MUCH = b"b" * 70_000


def statuses(received: bytes) -> list[bytes]:
    return re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", received)


@pytest.mark.parametrize(
    "sent",
    [
        GARBAGE,
        b"\x16\x03\x01\x00\xa5\x01",
        b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://x HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n",
        b"FOO / HTTP/1.1\r\nHost: x\r\n\r\n",
        POST.replace(b"HTTP", b"http"),
        POST.replace(b"HTTP", b"HTTPS"),
        POST.replace(b"HTTP", b"ICAP"),
        POST.replace(b"HTTP", b"ICE"),
        POST.replace(b"Length: 2", b"Length: 2\r\nContent-Length: 2"),
        POST.replace(b"Length: 2", b"Length: +2"),
        POST.replace(b"Host: x", b"Host: x\r\n folded"),
        CHUNKED + b"zz\r\nab\r\n0\r\n\r\n",
        POST + GARBAGE,
        POST * 3 + GARBAGE,
    ],
)
async def test_malformed_bytes_are_refused_with_a_code_and_carried_out_in_no_part(sent: bytes) -> None:
    async with limited() as address:
        head, _, body = (await ending(address, sent)).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert (json.loads(body)["type"], json.loads(body)["retryable"]) == ("http_invalid", False)


@pytest.mark.parametrize("version", [b"0.9", b"1.2", b"2", b"2.0", b"3", b"3.0", b"9.9"])
async def test_a_version_that_is_not_spoken_is_refused_and_carried_out_in_no_part(version: bytes) -> None:
    async with limited() as address:
        head, _, body = (await ending(address, POST.replace(b"1.1", version))).partition(b"\r\n\r\n")
        behind = await ending(address, POST, POST.replace(b"1.1", version))

    assert head.startswith(b"HTTP/1.1 505 ")
    assert json.loads(body)["type"] == "http_version_unsupported"
    assert statuses(behind) == [b"200", b"505"]


@pytest.mark.parametrize(
    "line", [b"POST / RTSP/1.0", b"POST / RTSP/1.1", b"POST   /   RTSP/1.0", b"SOURCE / ICE/1.0"]
)
async def test_a_request_of_another_protocol_is_refused_and_carried_out_in_no_part(line: bytes) -> None:
    sent = POST.replace(b"POST / HTTP/1.1", line)
    async with limited() as address:
        head, _, body = (await ending(address, sent)).partition(b"\r\n\r\n")
        behind = await ending(address, POST, sent)
        parts = await ending(address, *(sent[at : at + 7] for at in range(0, len(sent), 7)))
        pipelined = await ending(address, POST + sent[:9], sent[9:])

    assert head.startswith(b"HTTP/1.1 505 ")
    assert json.loads(body)["type"] == "http_version_unsupported"
    assert [statuses(received) for received in (behind, parts)] == [[b"200", b"505"], [b"505"]]
    assert statuses(pipelined) == [b"200", b"505"]


async def test_a_request_may_write_of_another_protocol() -> None:
    text = b" / RTSP/1.0\r\nPOST / RTSP/1.0\r\n"
    sent = POST.replace(b"2\r\n\r\nab", b"%d\r\nA: RTSP/1.0\r\n\r\n" % len(text) + text)
    async with limited(idle_s=QUICK_S) as address:
        received = await ending(address, sent, sent)

    assert statuses(received) == [b"200"] * 2


async def test_a_client_that_speaks_http_2_at_once_is_told_which_versions_are_spoken() -> None:
    async with limited() as address:
        received = await ending(address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x12\x04\x00")

    assert statuses(received) == [b"505"]
    assert b"HTTP/1.1 and HTTP/1.0" in received


@pytest.mark.parametrize("method", [b"POST", b"PUT", b"PATCH"])
@pytest.mark.parametrize("body", [b"", b"ab"])
async def test_an_old_request_that_announces_no_length_is_refused(method: bytes, body: bytes) -> None:
    async with limited() as address:
        head, _, told = (await ending(address, method + b" / HTTP/1.0\r\n\r\n" + body)).partition(b"\r\n\r\n")
        behind = await ending(address, POST, method + b" / HTTP/1.0\r\n\r\n" + body)

    assert head.startswith(b"HTTP/1.1 411 ")
    assert json.loads(told)["type"] == "length_required"
    assert statuses(behind) == [b"200", b"411"]


async def test_an_old_request_is_answered_if_the_length_of_its_body_is_clear() -> None:
    async with limited() as address:
        sized = await ending(address, POST.replace(b"1.1", b"1.0"))
        empty = await ending(address, b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
        without = await ending(address, GET.replace(b"1.1", b"1.0"))
        newer = await ending(address, b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    assert [received[-1:] for received in (sized, empty, without, newer)] == [b"2", b"0", b"0", b"0"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST / HTTP/1.0\r\nAccept: text/html,*/*\r\n\r\n", b"411"),
        (GET[:-2] + b"Accept: text/html\r\nA: " + TOO_MUCH, b"431"),
        (GET[:-2] + b"Accept: text/html\r\nA: b\r\n folded\r\n\r\n", b"400"),
        (GET[:-2] + b"Accept: text/html\r\nA: ", b"408"),
    ],
)
async def test_a_browser_reads_a_refusal_of_the_listener_as_a_page(sent: bytes, status: bytes) -> None:
    async with limited(head_s=QUICK_S) as address:
        received = await ending(address, sent)

    head, _, page = received.partition(b"\r\n\r\n")
    assert statuses(received) == [status]
    assert b"content-type: text/html" in head
    assert page.startswith(b"<!doctype html>")
    assert b"content-length: %d" % len(page) in head


async def test_a_request_that_was_carried_out_keeps_its_answer_whatever_follows() -> None:
    async with limited(head_s=QUICK_S) as address:
        half = GET[:-2] + b"A: "
        behind = [await ending(address, POST, GARBAGE), await ending(address, POST + half, TOO_MUCH)]
        during = [await late(address, more) for more in (GARBAGE, half + TOO_MUCH, half)]

    assert [statuses(received) for received in behind] == [[b"200", b"400"], [b"200", b"431"]]
    assert [statuses(received) for received in during] == [[b"200"]] * 3
    assert all(b"connection: close" in received for received in during)


async def late(address: tuple[str, int], more: bytes) -> bytes:
    """Send a request whose answer takes longer than a head may, and then more; return what comes."""
    return await ending(address, POST.replace(b" / ", b" /slow "), more)


@pytest.mark.parametrize("requests", [1, 3])
async def test_a_client_that_closes_its_own_side_is_still_answered(requests: int) -> None:
    async with limited() as address:
        received = await answers_to_half_closed(address, POST * requests)
        cut = await answers_to_half_closed(address, POST[:-1])
        partly = await answers_to_half_closed(address, POST + POST[:-1])

    assert statuses(received) == [b"200"] * requests
    assert (cut, statuses(partly)) == (b"", [b"200"])


async def answers_to_half_closed(address: tuple[str, int], sent: bytes) -> bytes:
    with socket.create_connection(address, timeout=PATIENCE_S) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return await asyncio.to_thread(lambda: b"".join(iter(lambda: connection.recv(4096), b"")))


@pytest.mark.parametrize(
    "sent",
    [
        GET[:-2] + b"A: " + TOO_MUCH + b"\r\n\r\n",
        GET[:-2] + b"A: b\r\n" * 12_000 + b"\r\n",
        b"GET /" + TOO_MUCH + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        CHUNKED + b"2\r\nab\r\n0\r\nA: " + TOO_MUCH,
        CHUNKED + b"2\r\nab\r\n0\r\n" + b"A: b\r\n" * 12_000,
        CHUNKED + b"2;a=" + TOO_MUCH,
    ],
)
async def test_a_head_has_one_limit_in_one_packet_or_many_and_behind_a_body(sent: bytes) -> None:
    async with limited() as address:
        whole = await ending(address, sent)
        parts = await ending(address, *(sent[at : at + 30_000] for at in range(0, len(sent), 30_000)))

    assert statuses(whole) == statuses(parts) == [b"431"]


async def test_a_large_body_and_small_chunks_do_not_count_as_a_head() -> None:
    large = POST.replace(b"2\r\n\r\nab", b"200000\r\n\r\n") + b"x" * 200_000
    async with limited(idle_s=QUICK_S) as address:
        pipelined = await ending(address, large + POST[:20], POST[20:])
        chunks = await ending(address, CHUNKED + b"1\r\nx\r\n" * 30_000 + b"0\r\n\r\n")

    assert statuses(pipelined) == [b"200", b"200"]
    assert chunks.endswith(b"30000")


@pytest.mark.parametrize("target", [b"http://evil.example:9/names", b"http://a:b@evil.example:9/names"])
async def test_the_host_of_an_absolute_target_is_the_host(target: bytes) -> None:
    async with limited(idle_s=QUICK_S) as address:
        received = await ending(address, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert received.endswith(b"host: evil.example:9")


@pytest.mark.parametrize("packets", [1, 2])
async def test_trailers_are_no_headers(packets: int) -> None:
    parts = [
        CHUNKED.replace(b" / ", b" /names ").removesuffix(b"\r\n"),
        b"\r\n0\r\nHost: y\r\nAuthorization: z\r\n\r\n",
    ]
    async with limited(idle_s=QUICK_S) as address:
        received = await ending(address, *(parts if packets == 2 else [b"".join(parts)]))

    assert received.endswith(b"host: x, transfer-encoding: chunked")


@pytest.mark.parametrize("sent", [GARBAGE, GET[:-2] + b"A: b\r\n" * 12_000])
async def test_a_refused_client_that_does_not_leave_is_disconnected(sent: bytes) -> None:
    async with limited(head_s=QUICK_S) as address:
        reader, writer = await asyncio.open_connection(*address)
        with capture_logs() as logs:
            writer.write(sent)
            refused = await reader.read()
            async with asyncio.timeout(PATIENCE_S):
                while not writer.transport.is_closing():
                    writer.write(b"more")
                    await asyncio.sleep(0.1)
        again = await ending(address, GARBAGE)

    assert statuses(refused)[0] in (b"400", b"431")
    assert statuses(again) == [b"400"]
    assert [line for line in logs if "log_level" in line and line["log_level"] == "error"] == []
