"""Scenarios from outside the repository, on their own stack: one of another shape, and a template copy.

The copy is what `companyos scenario new lab_access --shape approval` writes; it has a pack of its own.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from companyos.client import CompanyosEnv
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.baselines import Player
from companyos.evaluation.certify import Certification, certify
from companyos.evaluation.conformance import check_play
from companyos.evaluation.scaffold import write_scenario
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Action, Instance, Observation, Scenario, Script, call, find
from tests.sizes import size

from .play import solution

OUTSIDE = Path(__file__).parent / "outside"


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> Iterator[str]:
    """The trainer API of a stack that was told of the scenarios outside."""
    with pytest.MonkeyPatch.context() as patch:
        written = tmp_path_factory.mktemp("written")
        write_scenario("lab_access", written, "approval")
        patch.setenv("COMPANYOS_SCENARIOS", os.pathsep.join([str(OUTSIDE), str(written)]))
        with running_stack(Home.at(tmp_path_factory.mktemp("outside"))) as stack:
            yield stack.url


@pytest.fixture
def handover(url) -> Scenario:
    return find("handover")


@pytest.mark.proof
@pytest.mark.parametrize("name", size(["handover"], ["handover", "lab_access"]))
def test_it_can_be_played_and_only_by_who_looks(url, name):
    with CompanyosEnv(url) as env:
        results = list(
            check_play(find(name), env, pairs=size(1, 10), levels=size((0, 3), (0, 1, 2, 3, 4, 5)))
        )

    assert [verdict for verdict in results if not verdict.passed] == []
    assert len(results) == 8


@pytest.mark.proof
async def test_they_are_certified_like_those_of_the_repository(url, handover, tmp_path):
    wanted = Certification(seeds=range(4), scenarios=["handover", "lab_access"], levels=size([0], [0, 2]))

    report = await certify(url, None, wanted, tmp_path)

    assert report["faults"] == []
    assert {*Player} == report["scenarios"]["handover"]["levels"]["0"]["agents"].keys()


def test_an_instance_that_cannot_be_done_is_solved_by_refusing_with_the_evidence_alone(url, handover):
    seed = next(seed for seed in (0, 1) if not generated(handover, seed).feasible)
    metric_id = generated(handover, seed).facts.metric["id"]
    look = solution(url, handover, seed)[:-1]

    def ends(*last: Action) -> bool:
        with CompanyosEnv(url) as env:
            result = env.reset(scenario="handover", seed=seed, chaos=0)
            for action in last:
                result = env.step(action)
            return bool(result.metadata["success"])

    assert ends(*look, call("refuse", reason_code="no_capacity", evidence=[metric_id]))
    assert not ends(call("refuse", reason_code="no_capacity", evidence=[metric_id])), "nobody has looked"
    assert not ends(*look, call("refuse", reason_code="no_capacity")), "no evidence"
    assert not ends(*look, call("refuse", reason_code="too_busy", evidence=[metric_id])), "another reason"
    assert not ends(*look, call("finish"))


def test_broken_claims_of_a_play_are_reported(url, handover):
    with CompanyosEnv(url) as env:
        clumsy = told(check_play(Clumsy(handover), env, pairs=1, levels=(0,)))
        lost = told(check_play(Lost(handover), env, pairs=1, levels=(0,)))
        gone = told(check_play(Gone(handover), env, pairs=1, levels=(0,)))

    assert (
        "was written outside the task" in clumsy["The oracle solves every instance played within its steps"]
    )
    assert (
        "the script crashed: KeyError: 'no such thing' ("
        in lost["The oracle solves every instance played within its steps"]
    )
    assert (
        "the script crashed: SystemExit: no such thing ("
        in gone["The oracle solves every instance played within its steps"]
    )


def told(results) -> dict[str, str]:
    return {verdict.claim: "\n".join(verdict.complaints) for verdict in results if not verdict.passed}


def generated(scenario: Scenario, seed: int) -> Instance:
    return scenario.generate(seed, parse_chaos(0), "companyos-public")


class Clumsy(Scenario):
    """Handover with an oracle that does too much."""

    name, version, title, summary = "handover", 1, "Handover", "Hand tickets over."

    def __init__(self, sound: Scenario) -> None:
        self.sound = sound

    def generate(self, *arguments) -> Instance:
        return self.sound.generate(*arguments)

    def oracle(self, observation: Observation) -> Script:
        yield call("ticketdesk_add_comment", ticket_id="TD-1001", body="On it.")
        yield from self.sound.oracle(observation)


class Lost(Clumsy):
    """Handover with an oracle that does not know what to do."""

    def oracle(self, observation: Observation) -> Script:
        yield call("wait", seconds=60)
        raise KeyError("no such thing")


class Gone(Clumsy):
    """Handover with an oracle that ends its process."""

    def oracle(self, observation: Observation) -> Script:
        yield call("wait", seconds=60)
        raise SystemExit("no such thing")
