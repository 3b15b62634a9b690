"""Episodes that are over leave nothing in the memory of any process."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.baselines import Player
from companyos.evaluation.certify import Certification, certify
from companyos.sdk.scenario import load_scenarios
from tests.sizes import FULL

EPISODES, MOST_MB = 500, 5
#: Episodes of one round: every scenario with two seeds.
ROUND = 2 * len(load_scenarios())

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(not FULL, reason="a few episodes show nothing; `make prove` plays enough"),
    pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc"),
]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home.at(tmp_path)
    with running_stack(home):
        yield home


def resident_mb(home: Home) -> dict[str, float]:
    """Return the resident memory of each process of ours."""
    found = {}
    for process in json.loads((home.path / "stack.json").read_text())["processes"]:
        if process["name"] not in ("PostgreSQL", "Valkey"):
            status = Path(f"/proc/{process['pid']}/status").read_text()
            [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
            found[process["name"]] = int(line.split()[1]) / 1024
    return found


async def test_process_memory_does_not_grow_with_the_number_of_episodes(home: Home) -> None:
    url = json.loads((home.path / "stack.json").read_text())["addresses"]["orchestrator"]

    async def play(episodes: int) -> None:
        for _ in range(-(-episodes // ROUND)):
            wanted = Certification(seeds=range(2), levels=(3,), players=[Player.ORACLE])
            with TemporaryDirectory() as out:
                await certify(url, None, wanted, Path(out))

    await play(50)
    before = resident_mb(home)
    await play(EPISODES)
    grown = {name: after - before[name] for name, after in resident_mb(home).items()}

    assert all(growth < MOST_MB for growth in grown.values()), grown
