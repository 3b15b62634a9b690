"""A stack of two processes of each kind: what it shows, and how it is restarted one by one while trainers play."""

import os
import signal

import pytest

from tests.crowd import crowd, undisturbed
from tests.sizes import whole_proof

from .conftest import CommandLine, kill, wait_until

KINDS = ["ticketdesk", "datahub", "approvalflow", "orchestrator"]
REPLICAS = [name for kind in KINDS for name in (kind, f"{kind}-2")]


def test_every_replica_is_listed_and_writes_a_log_of_its_own(pair: CommandLine) -> None:
    shown = pair.json("status")

    assert [process["name"] for process in shown["processes"]] == ["PostgreSQL", "Valkey", *REPLICAS]
    assert set(shown["addresses"]) == {*KINDS, "postgres", "redis"}
    assert shown["ready"] == dict.fromkeys([*KINDS, "postgres", "redis"], True)
    for name in REPLICAS:
        assert f"[{pair.pid(name)}]" in (pair.home.path / "logs" / f"{name}.log").read_text()


def test_another_number_of_replicas_is_refused_while_it_runs(pair: CommandLine) -> None:
    same, another = pair("up", "--replicas", "2"), pair("up", "--replicas", "3")
    from_outside = pair("up", COMPANYOS_REPLICAS="1")

    assert (same.returncode, another.returncode, from_outside.returncode) == (0, 1, 1)
    assert "companyos down" in another.stderr


@pytest.mark.parametrize("kind", ["ticketdesk", "orchestrator"])
def test_a_replica_that_is_asked_to_stop_ends_with_code_0(pair: CommandLine, kind: str) -> None:
    asked = pair.pid(kind)

    os.kill(asked, signal.SIGTERM)

    wait_until(lambda: pair.pid(kind) != asked)
    assert f"{kind} ended with code 0" in pair.home.supervisor_log.read_text()


@whole_proof
def test_a_rolling_restart_of_every_process_is_noticed_by_no_trainer(pair: CommandLine) -> None:
    url = pair.status.url
    expected = undisturbed(url)

    with crowd(url) as trainers:
        for name in REPLICAS:
            asked = pair.pid(name)
            os.kill(asked, signal.SIGTERM)
            wait_until(lambda name=name, asked=asked: pair.pid(name) != asked)
            wait_until(lambda name=name: serves(pair, name))

    assert trainers.hashes == expected


def test_killing_every_process_in_turn_is_noticed_by_no_trainer(pair: CommandLine) -> None:
    url = pair.status.url
    expected = undisturbed(url)

    with crowd(url) as trainers:
        for name in REPLICAS:
            killed = pair.pid(name)
            kill(killed)
            wait_until(lambda name=name, killed=killed: pair.pid(name) != killed)
            wait_until(lambda name=name: serves(pair, name))

    assert trainers.hashes == expected


def serves(pair: CommandLine, name: str) -> bool:
    """Whether the present life of a process has begun to take requests."""
    log = (pair.home.path / "logs" / f"{name}.log").read_text()
    return "Application startup complete" in log.rpartition(f"[{pair.pid(name)}]")[2]
