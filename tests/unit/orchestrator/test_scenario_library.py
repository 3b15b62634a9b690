"""Scenarios are found by name and described by their README."""

from pathlib import Path

import pytest

from companyos.chaos import Chaos
from companyos.scenario import Instance, Observation, Scenario, Script, source_digest
from orchestrator.protocol.problems import Refusal
from orchestrator.worlds.scenario_library import ScenarioLibrary


class Delivery(Scenario):
    name = "delivery"
    version = 3
    title = "Delivery"
    summary = "Deliver a parcel."

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        raise NotImplementedError

    def oracle(self, observation: Observation) -> Script:
        raise NotImplementedError


LIBRARY = ScenarioLibrary(lambda: {"delivery": Delivery()})


def test_scenarios_are_listed_and_have_a_card() -> None:
    source = source_digest(Path(__file__).parent)
    listed = {
        "name": "delivery",
        "version": 3,
        "source": source,
        "title": "Delivery",
        "summary": "Deliver a parcel.",
        "splits": ["train", "validation", "test"],
    }

    assert LIBRARY.listed() == [listed]
    assert LIBRARY.card("delivery") == {**listed, "readme": ""}


def test_an_unknown_scenario_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refusal, match="delivery") as refused:
        LIBRARY.find("holiday")

    assert (refused.value.status, refused.value.code, refused.value.field) == (
        404,
        "scenario_unknown",
        "scenario",
    )
