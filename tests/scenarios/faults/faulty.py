"""Instances in which one fault is certain, and the plans that are right for them."""

from dataclasses import dataclass
from typing import Any

from companyos.sdk.approval_task import TaskFacts
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Action, Instance, Scenario, find

from ..conftest import SALT
from ..play import Episode, carry_out, solution


def certain(fault: str, **params: Any) -> dict[str, Any]:
    """Return the profile of a fault that always happens, and of no other."""
    return {"faults": {fault: {"p": 1.0, "params": params}}}


@dataclass(frozen=True)
class FaultyInstance:
    """An instance with one fault, and what is right in it."""

    scenario: Scenario
    seed: int
    chaos: dict[str, Any]
    instance: Instance

    @property
    def facts(self) -> TaskFacts:
        """The private facts."""
        facts: TaskFacts = self.instance.facts
        return facts

    def plan(self, url: str) -> list[Action]:
        """Return what the oracle does, and check that it succeeds with it."""
        return [*solution(url, self.scenario, self.seed, self.chaos)]

    def row(self, service: str, table: str, row_id: str) -> dict[str, Any]:
        """Return a row as it is at the start."""
        return next(row for row in self.instance.rows[service][table] if row["id"] == row_id)

    def play(self, url: str, plan: list[Action]) -> Episode:
        """Carry a plan out to the end."""
        return carry_out(url, self.scenario, self.seed, plan, chaos=self.chaos)


def with_faults(name: str, fault: str, *, accepts: Any = None, **params: Any) -> FaultyInstance:
    """Return the first instance of a scenario, but for the original, that ends in an approval.

    Args:
        name: The scenario.
        fault: What it has.
        accepts: Says of an instance whether it will do.
        params: The fault's parameters.
    """
    scenario, chaos = find(name), certain(fault, **params)
    for seed in range(4, 80):
        instance = scenario.generate(seed, parse_chaos(chaos), SALT)
        asks = any(one.name == "approved" for one in instance.milestones)
        if asks and (accepts is None or accepts(instance)):
            return FaultyInstance(scenario, seed, chaos, instance)
    raise LookupError(f"no seed of {name} will do")


def failed(episode: Episode) -> set[str]:
    """Return what an episode lacked, broke or did out of turn."""
    grade = episode.grade
    return {
        *(must["name"] for must in grade["musts"] if not must["holds"]),
        *(one["name"] for one in (*grade["forbidden"], *grade["orders"]) if not one["kept"]),
    }
