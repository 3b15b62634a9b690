"""Chaos on Compose goes as it does without Docker, to the hash."""

import httpx
import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from tests.scenarios.logs import Log, carried_out

LAYERS = {"biz", "svc", "evt"}


async def test_chaos_in_containers_leaves_the_traces_of_the_stack_without_docker(
    stormy: list[Log], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running_stack(Home.at(tmp_path_factory.mktemp("home"))) as embedded:
        again = await carried_out(embedded.url, stormy, at_once=4)
        layers = landed_layers(embedded.url)

    assert again == stormy
    assert layers == LAYERS


def landed_layers(url: str) -> set[str]:
    """Return the layers of which some fault landed in an episode of this stack."""
    page = httpx.get(f"{url}/metrics").text.splitlines()
    landed = [line for line in page if line.startswith("companyos_faults_total") and '"landed"' in line]
    return {line.partition('fault="')[2].partition(".")[0] for line in landed}
