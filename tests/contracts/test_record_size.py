"""How little room the records of real episodes take in the database."""

from __future__ import annotations

import os

import psycopg
import pytest

from companyos import CompanyosEnv
from companyos.embedded.home import Home
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from orchestrator.storage.packing import unpacked

from .conftest import ELSEWHERE

STORED = (
    "SELECT record FROM orchestrator.steps JOIN orchestrator.episodes USING (world) WHERE episodes.id = %s"
)


@pytest.mark.skipif(ELSEWHERE in os.environ, reason="the database of the stack under test is out of reach")
@pytest.mark.parametrize("scenario", sorted(load_scenarios()))
def test_a_stored_record_takes_less_than_a_third_of_what_it_says(url: str, home: Home, scenario: str) -> None:
    episode_id = played_by_the_oracle(url, scenario)

    stored = stored_records(home, episode_id)

    assert len(stored) >= 5
    assert sum(map(len, stored)) < 0.3 * sum(len(unpacked(record)) for record in stored)


def played_by_the_oracle(url: str, scenario: str) -> str:
    with CompanyosEnv(url) as env:
        oracle = Oracle(load_scenarios()[scenario])
        result = env.reset(scenario=scenario, seed=11, chaos=0)
        oracle.start(result.observation)
        while not result.done:
            result = env.step(oracle.act(result.observation))
        return str(result.metadata["episode_id"])


def stored_records(home: Home, episode_id: str) -> list[bytes]:
    status = home.status()
    assert status is not None
    with psycopg.connect(status.addresses["postgres"]) as connection:
        return [record for (record,) in connection.execute(STORED, [episode_id]).fetchall()]
