"""Scenarios are found by name and described by their README."""

import pytest

from companyos.chaos import Chaos
from companyos.scenario import Action, Instance, Observation, Scenario, Script
from orchestrator.library import Library
from orchestrator.problems import Refusal


class Errand(Scenario):
    name = "errand"
    version = 3
    title = "Errand"
    summary = "Run an errand."

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        raise NotImplementedError

    def oracle(self, observation: Observation) -> Script:
        raise NotImplementedError

    def blind_plan(self, instance: Instance) -> list[Action]:
        raise NotImplementedError


LIBRARY = Library(lambda: {"errand": Errand()})


def test_scenarios_are_listed_and_have_a_card() -> None:
    listed = {"name": "errand", "version": 3, "title": "Errand", "summary": "Run an errand."}

    assert LIBRARY.listed() == [listed]
    assert LIBRARY.card("errand") == {**listed, "readme": ""}


def test_an_unknown_scenario_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refusal, match="errand") as refused:
        LIBRARY.find("holiday")

    assert (refused.value.status, refused.value.code, refused.value.field) == (
        404,
        "scenario_unknown",
        "scenario",
    )
