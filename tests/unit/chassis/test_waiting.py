"""A wait for PostgreSQL ends, whatever became of the socket."""

import asyncio
import socket

import uvloop
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait

from companyos.chassis.postgres.waiting import Waiter


def told(ours: socket.socket, ends: bytes) -> PQGen[bytes]:
    """What comes over a socket up to some end, asked for as psycopg asks."""
    heard = b""
    while not heard.endswith(ends):
        assert (yield Wait.R) & Ready.R
        try:
            heard += ours.recv(100, socket.MSG_DONTWAIT)
        except BlockingIOError:
            continue
        except ConnectionResetError:
            return heard + b" and a reset"
    return heard


async def test_a_wait_ends_with_what_arrives() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        waiter = Waiter(ours.fileno())
        asyncio.get_running_loop().call_later(0.01, theirs.send, b"one")

        assert await waiter.drive(told(ours, b"one"), 60) == b"one"
        theirs.send(b"two")
        assert await waiter.drive(told(ours, b"two"), 60) == b"two"
        waiter.leave()


def test_a_wait_ends_where_the_other_side_is_killed_with_something_unread() -> None:
    """Of such a socket uvloop tells once; what is read then need not be all."""

    def die(theirs: socket.socket) -> None:
        theirs.send(b"half")
        theirs.close()

    async def wait() -> bytes:
        ours, theirs = socket.socketpair()
        with ours:
            waiter = Waiter(ours.fileno())
            ours.send(b"never read")
            asyncio.get_running_loop().call_later(0.01, die, theirs)
            try:
                return await waiter.drive(told(ours, b"whole"), 60)
            finally:
                waiter.leave()

    assert uvloop.run(wait()) == b"half and a reset"
