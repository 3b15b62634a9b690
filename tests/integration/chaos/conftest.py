"""The small town of the orchestrator's tests, profiles of one fault, and a whole stack to play scenarios on."""

from collections.abc import Iterator
from typing import Any

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.sdk.chaos import CATALOG, FaultId


def one_fault(fault: FaultId, *, p: float = 1.0, **setting: Any) -> dict[str, Any]:
    """Return the profile in which this fault may happen, and nothing else."""
    return {"faults": {str(fault): {"p": p, **setting}}}


def worst(fault: FaultId, **setting: Any) -> dict[str, Any]:
    """Return the profile in which this fault happens wherever it can, as long and as often as there may be."""
    spec = CATALOG[fault]
    most = {"B": spec.longest_burst, "F": spec.most_incidents}
    return {**one_fault(fault, **{**most, **setting}), "limits": {"service": 6}}


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The trainer API of a stack of its own."""
    with running_stack(Home.at(tmp_path_factory.mktemp("stack"))) as stack:
        yield stack.url
