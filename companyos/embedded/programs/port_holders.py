"""Names the program that listens on a port, for the message that refuses to share it; Linux only."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
LISTENING = "0A"


def holder_of(port: int) -> str:
    """Return the program that listens on a TCP port of this machine, as "name, process 123"; empty if it is hidden."""
    sockets = {f"socket:[{inode}]" for inode in _listening_on(port)}
    for descriptor in PROC.glob("[0-9]*/fd/*") if sockets else ():
        # Processes end meanwhile, and only their owner may look into them.
        with suppress(OSError):
            if str(descriptor.readlink()) in sockets:
                process = descriptor.parents[1]
                return f"{(process / 'comm').read_text().strip()}, process {process.name}"
    return ""


def _listening_on(port: int) -> Iterator[str]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (PROC / "net" / table).read_text().splitlines()[1:]:
                _, local, _, state, *others = line.split()
                if state == LISTENING and int(local.rpartition(":")[2], 16) == port:
                    yield others[5]
