"""The file descriptors of a process, raised to what the system allows and divided among its listeners."""

import resource
from contextlib import suppress

#: More are of no use here, and programs that walk through all possible descriptors become slow.
MOST = 65_536
#: Fewer limit the connections of a process below the default of `COMPANYOS_MAX_CONNECTIONS`.
ENOUGH = 10_240
#: Descriptors kept for databases, services and files; at most half of those that there are.
RESERVED = 256


def raise_limit() -> int:
    """Raise the limit of open descriptors of this process to the hard limit, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    # macOS refuses values that it reports as allowed.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft


def shares(descriptors: int, most: int, *, listeners: int) -> list[int]:
    """Return how many connections each listener may have, so that none can take the descriptors of another.

    Args:
        descriptors: The limit of open descriptors.
        most: The most connections of one listener.
        listeners: Number of listeners. The first gets what the others leave.
    """
    free = descriptors - min(RESERVED, descriptors // 2)
    others = [min(most, free // (listeners + 1)) for _ in range(listeners - 1)]
    return [min(most, free - sum(others)), *others]
