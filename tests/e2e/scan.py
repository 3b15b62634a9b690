"""Runs inside a container, with nothing but Python: what can be reached from its network. Prints one JSON document."""

import asyncio
import json
import socket
import sys

AT_ONCE = 400
PATIENCE_S = 1.0


async def answers(address: str, port: int, limit: asyncio.Semaphore) -> bool:
    """Whether something accepts connections there."""
    async with limit:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(address, port), PATIENCE_S)
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True


async def open_ports(address: str, ports: range | list[int]) -> list[int]:
    """Return the ports of an address on which something accepts connections."""
    limit = asyncio.Semaphore(AT_ONCE)
    found = await asyncio.gather(*(answers(address, port, limit) for port in ports))
    return [port for port, is_open in zip(ports, found, strict=True) if is_open]


def is_known(name: str) -> bool:
    """Whether a name leads to an address."""
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        return False
    return True


async def main(wanted: dict[str, list[str]]) -> None:
    """Scan every port of `own`, the ports that matter of `others`, and look the `names` up."""
    everything = range(1, 65536)
    ports = [22, 53, 80, 443, 2375, 5432, 6379, 8000, 8001, 8002, 8003, 8080, 8404]
    found = {
        "own": {address: await open_ports(address, everything) for address in wanted["own"]},
        "others": {address: await open_ports(address, ports) for address in wanted["others"]},
        "names": [name for name in wanted["names"] if is_known(name)],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
